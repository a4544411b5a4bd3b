/* kernel_decompress.cu - pages as their codecs left them: of snappy a warp for each part, else for each page. */
#include "device/cuda/lz4.cuh"
#include "device/cuda/snappy.cuh"

/* The page's bytes are zero, and the query fails. */
DEVICE void fail_page(const parquet_decompress_arguments &a, dev_error_code code)
{
    __syncwarp();
    for (uint64_t i = threadIdx.x; i < a.target_bytes; i += CUDA_WARP)
        a.target[i] = 0;
    if (threadIdx.x == 0)
        kernel_fail(a.error, code, a.location, 0);
}

/* Shared memory of a warp that decompresses a page. */
typedef struct page_shared {
    union {
        snappy_shared<CUDA_WARP> snappy;
        chain_shared lz4;
    };
    lz_list list;
} page_shared;

/* Decompresses a page by a warp. */
DEVICE void decompress_page(const parquet_decompress_arguments &a, page_shared *shared)
{
    bool is_right = a.codec == CUDA_CODEC_SNAPPY
                        ? snappy_decode(a.source, a.source_bytes, a.target, a.target_bytes, &shared->snappy,
                                        &shared->list)
                        : lz4_decode(a.codec == CUDA_CODEC_LZ4, a.source, a.source_bytes, a.target,
                                     a.target_bytes, &shared->lz4, &shared->list);
    if (!is_right)
        fail_page(a, DEV_ERROR_CORRUPT);
}

KERNEL_WARP(parquet_decompress)
{
    __shared__ page_shared shared;
    decompress_page(a, &shared);
}

/* Levels of a page of version 2, before its values, are not compressed. */
DEVICE void copy_head(const uint8_t *source, uint8_t *target, const parquet_page *p)
{
    for (uint32_t i = threadIdx.x; i < p->head_bytes; i += blockDim.x)
        target[i] = source[i];
}

/* ---- pages of a batch: those of snappy that have several parts are looked through first ---- */

DEVICE bool is_kernels(const parquet_batch_decompress_arguments &a, const parquet_page *p)
{
    return p->is_compressed && a.codecs >> p->codec & 1;
}

DEVICE uint32_t parts_of(const parquet_page *p)
{
    return PARQUET_PARTS(p->unpacked_bytes - p->head_bytes);
}

/* Returns where a page's compressed bytes are. */
DEVICE parquet_decompress_arguments compressed_bytes(const parquet_batch_decompress_arguments &a, const parquet_page *p)
{
    parquet_decompress_arguments one = {};
    one.codec = p->codec;
    one.source = a.stored + p->stored_at + p->head_bytes;
    one.source_bytes = p->stored_bytes - p->head_bytes;
    one.target = a.unpacked + p->unpacked_at + p->head_bytes;
    one.target_bytes = p->unpacked_bytes - p->head_bytes;
    one.error = a.error;
    one.location = p->location;
    return one;
}

/* Returns whether the page is looked through by tiles. */
DEVICE bool is_tiled(const parquet_batch_decompress_arguments &a, const parquet_page *p)
{
    return is_kernels(a, p) && p->codec == CUDA_CODEC_SNAPPY && parts_of(p) > 1;
}

/* Finds the page's words in the scratch (SNAPPY_WORDS). */
DEVICE snappy_words words_of(const parquet_batch_decompress_arguments &a, const parquet_page *p, uint64_t *scratch)
{
    uint64_t page = (uint64_t)(p - a.pages), tiles = (uint64_t)a.page_count * a.most_tiles;
    uint64_t *starts = scratch + 1, *verdicts = starts + a.part_count, *exits = verdicts + a.page_count;
    return {starts + p->first_part, verdicts + page, exits + page * a.most_tiles, exits + tiles + page * a.most_tiles};
}

/* Looks through pages of snappy that have several parts. Blocks take the first tile of each page, then the second tile of
 * each page: the way through one page is serial, and those through all pages go on side by side. */
KERNEL_TOGETHER_WIDE(parquet_batch_decompress)
{
    __shared__ snappy_shared<CUDA_BLOCK> shared;
    __shared__ uint64_t taken;
    uint64_t number = kernel_take_tile(extra.scratch, &taken);
    const parquet_page *p = &a.pages[number % a.page_count];
    uint32_t tile = (uint32_t)(number / a.page_count);
    if (!is_tiled(a, p) || tile >= PARQUET_TILES(p->stored_bytes - p->head_bytes))
        return;
    parquet_decompress_arguments one = compressed_bytes(a, p);
    snappy_check_tile(one.source, one.source_bytes, one.target_bytes, tile, words_of(a, p, extra.scratch), &shared);
}

/* A part of a page that was looked through. */
DEVICE void decompress_part(const parquet_decompress_arguments &page, const uint64_t *starts, uint32_t part,
                            snappy_verdict verdict, page_shared *shared)
{
    uint32_t place = part * PARQUET_PART_BYTES, left = page.target_bytes - place;
    if (verdict == SNAPPY_DAMAGED) {
        parquet_decompress_arguments one = page;
        one.target += place;
        one.target_bytes = left < PARQUET_PART_BYTES ? left : PARQUET_PART_BYTES;
        fail_page(one, DEV_ERROR_CORRUPT);
    } else if (verdict == SNAPPY_PARTS || part == 0) {
        bool is_last = verdict == SNAPPY_WHOLE || left <= PARQUET_PART_BYTES;
        uint32_t end = is_last ? page.source_bytes : (uint32_t)starts[part + 1];
        snappy_write(page.source, (uint32_t)starts[part], end, page.target, place,
                     &shared->snappy, &shared->list);
    }
}

/* A warp a part. */
KERNEL_STEP_WARP(parquet_batch_decompress_parts, parquet_batch_decompress)
{
    __shared__ page_shared shared;
    const parquet_page *p = page_of_piece(a.pages, a.page_count, &parquet_page::first_part, blockIdx.x);
    uint32_t part = blockIdx.x - p->first_part;
    if (!is_kernels(a, p))
        return;
    if (part == 0)
        copy_head(a.stored + p->stored_at, a.unpacked + p->unpacked_at, p);
    if (p->unpacked_bytes == p->head_bytes)
        return;
    parquet_decompress_arguments one = compressed_bytes(a, p);
    snappy_words words = words_of(a, p, extra.scratch);
    if (is_tiled(a, p))
        decompress_part(one, words.starts, part, (snappy_verdict)*words.verdict, &shared);
    else if (part == 0)
        decompress_page(one, &shared);
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
