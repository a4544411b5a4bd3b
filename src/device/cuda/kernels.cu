/* kernels.cu - all kernels of the CUDA device, compiled as one module. */
#include "device/cuda/kernel.cuh"

/* Facts that launch.c compares with its own. */
extern "C" {
__device__ uint32_t kernels_layout[] = {
    DEV_ABI, CUDA_ENTRIES, DEV_KERNEL_COUNT,
#define KERNEL(name, ...) sizeof(name##_arguments),
#include "device/kernels/kernels.def"
#undef KERNEL
};
}
#ifdef PISTACHIO_CUDA_EMULATED
extern "C" const size_t kernels_layout_bytes;
const size_t kernels_layout_bytes = sizeof kernels_layout;
#endif

#include "device/cuda/kernel_aggregate.cu"
#include "device/cuda/kernel_aggregate_states.cu"
#include "device/cuda/kernel_aggregate_values.cu"
#include "device/cuda/kernel_arithmetic.cu"
#include "device/cuda/kernel_cast.cu"
#include "device/cuda/kernel_cast_text.cu"
#include "device/cuda/kernel_checksum.cu"
#include "device/cuda/kernel_compare.cu"
#include "device/cuda/kernel_decompress.cu"
#include "device/cuda/kernel_expression.cu"
#include "device/cuda/kernel_group.cu"
#include "device/cuda/kernel_join.cu"
#include "device/cuda/kernel_keys.cu"
#include "device/cuda/kernel_like.cu"
#include "device/cuda/kernel_logic.cu"
#include "device/cuda/kernel_math.cu"
#include "device/cuda/kernel_move.cu"
#include "device/cuda/kernel_over.cu"
#include "device/cuda/kernel_over_aggregate.cu"
#include "device/cuda/kernel_parquet.cu"
#include "device/cuda/kernel_parquet_delta.cu"
#include "device/cuda/kernel_parquet_batch.cu"
#include "device/cuda/kernel_parquet_codes.cu"
#include "device/cuda/kernel_parquet_deltas.cu"
#include "device/cuda/kernel_parquet_plain.cu"
#include "device/cuda/kernel_sort.cu"
#include "device/cuda/kernel_sort_radix.cu"
#include "device/cuda/kernel_string.cu"
#include "device/cuda/kernel_time.cu"
