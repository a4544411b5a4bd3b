/* extra.h - what each kernel of the CUDA device gets besides its arguments; and what host and kernels
 * agree on. C, C++ and CUDA. */
#ifndef PISTACHIO_DEVICE_CUDA_EXTRA_H
#define PISTACHIO_DEVICE_CUDA_EXTRA_H

#include "device/kernel_types.h"

typedef struct cuda_extra {
    uint64_t *scratch; /* of this launch; zero where cuda_kernels.def says so */
    uint64_t step;     /* for kernels that are several launches */
} cuda_extra;

#define CUDA_CODEC_SNAPPY 1 /* as Parquet numbers them: the one for which there are kernels */
#define CUDA_WARP 32
/* Threads of a block, and what one block does of kernels that work on tiles. */
#define CUDA_BLOCK 256
#define CUDA_TILE_ROWS 2048 /* 8 rows a thread */

/* The functions of the file of kernels. */
typedef enum cuda_entry {
#define CUDA_KERNEL(name, ...) CUDA_ENTRY_##name,
#define CUDA_SEVERAL(name) CUDA_ENTRY_##name,
#define CUDA_STEP(name) CUDA_ENTRY_##name,
#include "device/cuda/cuda_kernels.def"
#undef CUDA_KERNEL
#undef CUDA_SEVERAL
#undef CUDA_STEP
    CUDA_ENTRIES
} cuda_entry;

#endif
