/* kernel_decompress.cu - pages as their codecs left them, a warp for each. */
#include "device/cuda/lz4.cuh"
#include "device/cuda/snappy.cuh"

DEVICE bool decompress_bytes(const parquet_decompress_arguments &a)
{
    if (a.codec == CUDA_CODEC_SNAPPY)
        return snappy_decode(a.source, a.source_bytes, a.target, a.target_bytes);
    return lz4_decode(a.codec == CUDA_CODEC_LZ4, a.source, a.source_bytes, a.target, a.target_bytes);
}

/* The page's bytes are zero, and the query fails. */
DEVICE void fail_page(const parquet_decompress_arguments &a)
{
    __syncwarp();
    for (uint64_t i = threadIdx.x; i < a.target_bytes; i += CUDA_WARP)
        a.target[i] = 0;
    if (threadIdx.x == 0)
        kernel_fail(a.error, DEV_ERROR_CORRUPT, a.location, 0);
}

KERNEL_TOGETHER_WIDE(parquet_decompress)
{
    if (!decompress_bytes(a))
        fail_page(a);
}

/* Levels of a page of version 2, before its values, are not compressed. */
DEVICE void copy_head(const uint8_t *source, uint8_t *target, const parquet_page *p)
{
    for (uint32_t i = threadIdx.x; i < p->head_bytes; i += blockDim.x)
        target[i] = source[i];
}

KERNEL_TOGETHER_WIDE(parquet_batch_decompress)
{
    const parquet_page *p = &a.pages[blockIdx.x];
    if (!p->is_compressed || !(a.codecs >> p->codec & 1))
        return;
    const uint8_t *source = a.stored + p->stored_at;
    uint8_t *target = a.unpacked + p->unpacked_at;
    copy_head(source, target, p);
    if (p->unpacked_bytes == p->head_bytes)
        return;
    parquet_decompress_arguments one = {};
    one.codec = p->codec;
    one.source = source + p->head_bytes;
    one.source_bytes = p->stored_bytes - p->head_bytes;
    one.target = target + p->head_bytes;
    one.target_bytes = p->unpacked_bytes - p->head_bytes;
    one.error = a.error;
    one.location = p->location;
    if (!decompress_bytes(one))
        fail_page(one);
}
