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
DEVICE void fail_page(const parquet_decompress_arguments &a, dev_error_code code)
{
    __syncwarp();
    for (uint64_t i = threadIdx.x; i < a.target_bytes; i += CUDA_WARP)
        a.target[i] = 0;
    if (threadIdx.x == 0)
        kernel_fail(a.error, code, a.location, 0);
}

KERNEL_TOGETHER_WIDE(parquet_decompress)
{
    if (!decompress_bytes(a))
        fail_page(a, DEV_ERROR_CORRUPT);
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
        fail_page(one, DEV_ERROR_CORRUPT);
}

/* ---- pages that nvCOMP decompresses: before it, and behind it ---- */

DEVICE bool is_librarys(const parquet_batch_library_arguments &a, const parquet_page *p)
{
    return p->is_compressed && p->codec == a.codec && p->unpacked_bytes > p->head_bytes;
}

DEVICE uint64_t *library_array(const parquet_batch_library_arguments &a, uint64_t *scratch, unsigned array)
{
    return scratch + (uint64_t)array * a.library_pages;
}

/* One block puts the arrays together. */
KERNEL_TOGETHER(parquet_batch_library)
{
    __shared__ uint64_t sums[CUDA_BLOCK / 32];
    uint64_t base = 0, total, *scratch = extra.scratch;
    uint64_t *numbers = library_array(a, scratch, LIBRARY_ARRAYS);
    for (uint32_t first = 0; first < a.page_count; first += CUDA_BLOCK) {
        uint32_t i = first + threadIdx.x;
        bool is_one = i < a.page_count && is_librarys(a, &a.pages[i]);
        uint64_t at = base + kernel_block_scan(is_one, sums, &total);
        if (is_one && at < a.library_pages) {
            const parquet_page *p = &a.pages[i];
            library_array(a, scratch, LIBRARY_SOURCES)[at] =
                (uint64_t)(uintptr_t)(a.stored + p->stored_at + p->head_bytes);
            library_array(a, scratch, LIBRARY_SOURCE_BYTES)[at] = p->stored_bytes - p->head_bytes;
            library_array(a, scratch, LIBRARY_TARGETS)[at] =
                (uint64_t)(uintptr_t)(a.unpacked + p->unpacked_at + p->head_bytes);
            library_array(a, scratch, LIBRARY_TARGET_BYTES)[at] = p->unpacked_bytes - p->head_bytes;
            ((uint32_t *)library_array(a, scratch, LIBRARY_STATUSES))[at] = LIBRARY_NOT_CALLED;
            numbers[i] = at + 1;
        }
        base += total;
        __syncthreads();
    }
}

/* A warp a page looks at what became of it. */
KERNEL_STEP_TOGETHER(parquet_batch_library_check, parquet_batch_library)
{
    const parquet_page *p = &a.pages[blockIdx.x];
    uint64_t *scratch = extra.scratch;
    if (!p->is_compressed || p->codec != a.codec)
        return;
    copy_head(a.stored + p->stored_at, a.unpacked + p->unpacked_at, p);
    if (!is_librarys(a, p))
        return;
    parquet_decompress_arguments one = {};
    one.target = a.unpacked + p->unpacked_at + p->head_bytes;
    one.target_bytes = p->unpacked_bytes - p->head_bytes;
    one.error = a.error;
    one.location = p->location;
    uint64_t number = library_array(a, scratch, LIBRARY_ARRAYS)[blockIdx.x];
    uint32_t status = LIBRARY_NOT_CALLED;
    if (number)
        status = ((uint32_t *)library_array(a, scratch, LIBRARY_STATUSES))[number - 1];
    if (status == LIBRARY_NOT_CALLED)
        fail_page(one, DEV_ERROR_LIBRARY);
    else if (status || library_array(a, scratch, LIBRARY_DONE_BYTES)[number - 1] != one.target_bytes)
        fail_page(one, DEV_ERROR_CORRUPT);
}
