/* launch_steps.c - kernels that are several launches, one behind the other in the stream. */
#include "device/cuda/copy.h"
#include "device/cuda/launch.h"
#include "device/cuda/sort_radix.h"
#include "device/cuda/window.h"
#include "device/kernels/kernel_ops.h"
#include "device/kernels/parquet_numbers.h"

/* ---- kernel_aggregate.cu ---- */

status cuda_launch_aggregate_pick(launch *l)
{
    const aggregate_pick_arguments *a = l->arguments;
    if (a->type.width < 16)
        return cuda_run(l, CUDA_ENTRY_aggregate_pick, cuda_shape_each(a->count.bound));
    return cuda_run(l, CUDA_ENTRY_aggregate_pick_wide,
                    cuda_shape_locked(cuda_shape_turns(l, a->count.bound)));
}

/* ---- kernel_arithmetic.cu ---- */

status cuda_launch_arithmetic(launch *l)
{
    const arithmetic_arguments *a = l->arguments;
    if (a->type.width == 16 || a->left_width == 16 || a->right_width == 16)
        return cuda_run(l, CUDA_ENTRY_arithmetic_wide, cuda_shape_each(a->count.bound));
    return cuda_run(l, CUDA_ENTRY_arithmetic, cuda_shape_rows(a->count.bound));
}

/* ---- kernel_expression.cu ---- */

/* Few registers where nothing needs more. */
status cuda_launch_expression(launch *l)
{
    const expression_arguments *a = l->arguments;
    bool is_wide = false;
    for (uint32_t i = 0; i < a->code.step_count; i++)
        is_wide |= tile_step_is_wide(&a->code.steps[i]);
    return cuda_run(l, is_wide ? CUDA_ENTRY_expression_wide : CUDA_ENTRY_expression,
                    cuda_shape_each(a->count.bound));
}

/* ---- kernel_group.cu ---- */

status cuda_launch_groups_find(launch *l)
{
    const groups_find_arguments *a = l->arguments;
    shape rows = cuda_shape_each(a->count.bound);
    TRY(cuda_run(l, CUDA_ENTRY_groups_find, rows));
    TRY(cuda_run(l, CUDA_ENTRY_groups_find_add, rows));
    return cuda_run(l, CUDA_ENTRY_groups_find_number, rows);
}

status cuda_launch_groups_partition(launch *l)
{
    const groups_partition_arguments *a = l->arguments;
    shape rows = cuda_shape_blocks(a->count.bound);
    TRY(cuda_scratch_take(l, (uint64_t)1 << a->bits));
    TRY(cuda_run(l, CUDA_ENTRY_groups_partition, rows));
    TRY(cuda_run(l, CUDA_ENTRY_groups_partition_sum, cuda_shape_one_block()));
    return cuda_run(l, CUDA_ENTRY_groups_partition_fill, rows);
}

status cuda_launch_ranks_partition(launch *l)
{
    const ranks_partition_arguments *a = l->arguments;
    shape rows = cuda_shape_blocks(a->count.bound);
    TRY(cuda_scratch_take(l, a->ranks));
    TRY(cuda_run(l, CUDA_ENTRY_ranks_partition, rows));
    TRY(cuda_run(l, CUDA_ENTRY_ranks_partition_sum, cuda_shape_one_block()));
    return cuda_run(l, CUDA_ENTRY_ranks_partition_fill, rows);
}

status cuda_launch_key_statistics(launch *l)
{
    const key_statistics_arguments *a = l->arguments;
    TRY(cuda_run(l, CUDA_ENTRY_key_statistics, cuda_shape_one_warp()));
    TRY(cuda_run(l, CUDA_ENTRY_key_statistics_add, cuda_shape_blocks(a->count.bound)));
    return cuda_run(l, CUDA_ENTRY_key_statistics_end, cuda_shape_one_warp());
}

/* ---- kernel_decompress.cu ---- */

/* Decompresses pages; snappy's are looked through first. */
status cuda_launch_parquet_batch_decompress(launch *l)
{
    const parquet_batch_decompress_arguments *a = l->arguments;
    shape tiles = {.blocks = (uint64_t)a->page_count * a->most_tiles, .threads = CUDA_BLOCK};
    shape parts = {.blocks = a->part_count, .threads = CUDA_WARP};
    if (tiles.blocks > INT32_MAX) /* a file's: many pages beside one of gigabytes */
        return cuda_too_many_blocks(CUDA_ENTRY_parquet_batch_decompress, tiles.blocks);
    TRY(cuda_scratch_take(l, SNAPPY_WORDS(a->part_count, a->page_count, a->most_tiles)));
    TRY(cuda_run(l, CUDA_ENTRY_parquet_batch_decompress, cuda_shape_of_codecs(a->codecs, tiles)));
    return cuda_run(l, CUDA_ENTRY_parquet_batch_decompress_parts,
                    cuda_shape_of_codecs(a->codecs, parts));
}

/* ---- kernel_parquet_batch.cu ---- */

/* Finds where the codes of each warp begin, then decodes them. */
status cuda_launch_parquet_batch_codes(launch *l)
{
    const parquet_batch_codes_arguments *a = l->arguments;
    shape pages = {.blocks = a->page_count, .threads = CUDA_BLOCK};
    shape parts = cuda_shape_page_parts(l, a->page_count);
    TRY(cuda_scratch_take(l, CODES_WARPS(parts.blocks)));
    TRY(cuda_run(l, CUDA_ENTRY_parquet_batch_codes_find, pages));
    return cuda_run(l, CUDA_ENTRY_parquet_batch_codes, parts);
}

/* Finds where headers are, adds up the differences of each part, then puts values. */
status cuda_launch_parquet_batch_delta(launch *l)
{
    const parquet_batch_delta_arguments *a = l->arguments;
    shape pages = {.blocks = a->page_count, .threads = CUDA_BLOCK};
    shape parts = cuda_shape_page_parts(l, a->page_count);
    TRY(cuda_scratch_take(l, parts.blocks + a->page_count));
    TRY(cuda_run(l, CUDA_ENTRY_parquet_batch_delta_find, pages));
    TRY(cuda_run(l, CUDA_ENTRY_parquet_batch_delta_sum, parts));
    return cuda_run(l, CUDA_ENTRY_parquet_batch_delta, parts);
}

/* Runs what each part of a page must know of those before it, in a word of scratch a part, then what takes the parts. */
static status sums_of_parts(launch *l, uint64_t pages, cuda_entry sum, cuda_entry use)
{
    shape parts = cuda_shape_page_parts(l, pages);
    TRY(cuda_scratch_take(l, parts.blocks));
    TRY(cuda_run(l, sum, parts));
    return cuda_run(l, use, parts);
}

status cuda_launch_parquet_batch_strings(launch *l)
{
    const parquet_batch_strings_arguments *a = l->arguments;
    return sums_of_parts(l, a->page_count, CUDA_ENTRY_parquet_batch_strings_sum,
                         CUDA_ENTRY_parquet_batch_strings);
}

status cuda_launch_parquet_batch_spread(launch *l)
{
    const parquet_batch_spread_arguments *a = l->arguments;
    return sums_of_parts(l, a->page_count, CUDA_ENTRY_parquet_batch_spread_count,
                         CUDA_ENTRY_parquet_batch_spread);
}

/* Finds where texts begin, then makes views of them. */
static status plain_texts(launch *l, uint64_t page_count)
{
    shape pages = {.blocks = page_count, .threads = CUDA_BLOCK};
    shape parts = cuda_shape_page_parts(l, page_count);
    TRY(cuda_scratch_take(l, TEXTS_WORDS(parts.blocks, page_count)));
    TRY(cuda_run(l, CUDA_ENTRY_parquet_batch_plain_guess, parts));
    TRY(cuda_run(l, CUDA_ENTRY_parquet_batch_plain_join, pages));
    return cuda_run(l, CUDA_ENTRY_parquet_batch_plain_texts, parts);
}

status cuda_launch_parquet_batch_plain(launch *l)
{
    const parquet_batch_plain_arguments *a = l->arguments;
    if (!a->type.width)
        return cuda_run(l, CUDA_ENTRY_parquet_batch_plain_bits,
                        (shape){.blocks = a->page_count, .threads = CUDA_BLOCK});
    if (a->physical == PQ_BYTE_ARRAY)
        return plain_texts(l, a->page_count);
    return cuda_run(l, CUDA_ENTRY_parquet_batch_plain, cuda_shape_page_parts(l, a->page_count));
}

status cuda_launch_parquet_batch_prefix_bytes(launch *l)
{
    const parquet_batch_prefix_bytes_arguments *a = l->arguments;
    TRY(cuda_run(l, CUDA_ENTRY_parquet_batch_prefix_bytes,
                 (shape){.blocks = a->page_count, .threads = CUDA_BLOCK}));
    return cuda_run(l, CUDA_ENTRY_parquet_batch_prefix_bytes_sum, cuda_shape_one_block());
}

/* ---- kernel_join.cu: the cursor as it was, then the scan ---- */

static status expand(launch *l, cuda_entry entry, uint64_t rows, const uint64_t *cursor)
{
    uint64_t blocks = rows ? cuda_blocks_for(rows, CUDA_BLOCK) : 1;
    TRY(cuda_scratch_take(l, 2 + blocks + 1));
    TRY(cuda_copy(&l->stream->base, l->extra.scratch, cursor, 2 * sizeof *cursor));
    return cuda_run(l, entry, (shape){.blocks = blocks, .threads = CUDA_BLOCK});
}

status cuda_launch_join_pairs(launch *l)
{
    const join_pairs_arguments *a = l->arguments;
    return expand(l, CUDA_ENTRY_join_pairs, a->count.bound, a->cursor);
}

status cuda_launch_range_pairs(launch *l)
{
    const range_pairs_arguments *a = l->arguments;
    return expand(l, CUDA_ENTRY_range_pairs, a->count.bound, a->cursor);
}

status cuda_launch_repeat_rows(launch *l)
{
    const repeat_rows_arguments *a = l->arguments;
    return expand(l, CUDA_ENTRY_repeat_rows, a->count.bound, a->cursor);
}

/* ---- kernel_sort.cu: runs of a block, then twice as long, until one has all ---- */

static status merge_sort(launch *l, uint64_t rows)
{
    uint64_t blocks = cuda_blocks_for(rows, CUDA_BLOCK), merges = 0;
    shape s = {.blocks = blocks, .threads = CUDA_BLOCK};
    for (uint64_t run = CUDA_BLOCK; run < rows; run *= 2)
        merges++;
    l->extra.step = merges & 1;
    TRY(cuda_run(l, CUDA_ENTRY_sort_rows, s));
    for (uint64_t run = CUDA_BLOCK; run < rows; run *= 2) {
        l->extra.step = run * 2 | (--merges & 1);
        TRY(cuda_run(l, CUDA_ENTRY_sort_rows_merge, s));
    }
    return STATUS_OK;
}

/* ---- kernel_sort_radix.cu: which bits differ, then word after word, and each of its digits ---- */

#define RADIX_ROWS_MIN 32768  /* fewer are merged in less launches */
#define RADIX_DIGIT_ROWS 256u /* nor is there a launch for a digit that sorts fewer */

/* Bits that there may be at most. */
static uint32_t radix_bits(const sort_rows_arguments *a)
{
    return a->key_count * (a->has_text ? RADIX_TEXT_BITS : RADIX_KEY_BITS);
}

static uint32_t radix_digits(const sort_rows_arguments *a)
{
    return (radix_bits(a) + RADIX_DIGIT_BITS - 1) / RADIX_DIGIT_BITS;
}

static status radix_windows(launch *l, uint64_t first, uint64_t rows)
{
    l->extra.step = first;
    return cuda_run(
        l, CUDA_ENTRY_sort_rows_windows,
        (shape){.blocks = cuda_blocks_for(rows, RADIX_WINDOW_ROWS), .threads = CUDA_BLOCK});
}

static status radix_verify(launch *l, bool is_second, uint64_t rows)
{
    l->extra.step = is_second;
    return cuda_run(l, CUDA_ENTRY_sort_rows_verify, cuda_shape_each(rows));
}

/* Texts whose digits are only their beginnings. */
static status radix_long_texts(launch *l, uint64_t rows)
{
    TRY(radix_verify(l, false, rows));
    TRY(radix_windows(l, 0, rows));
    TRY(radix_windows(l, RADIX_WINDOW_ROWS / 2, rows));
    TRY(radix_verify(l, true, rows));
    return merge_sort(l, rows);
}

static status radix_launches(launch *l, const sort_rows_arguments *a)
{
    uint64_t rows = a->count.bound;
    shape words = cuda_shape_turns(l, rows), digits = words;
    digits.blocks = digits.blocks < radix_tiles(rows) ? digits.blocks : radix_tiles(rows);
    TRY(cuda_run(l, CUDA_ENTRY_sort_rows_differ, cuda_shape_blocks(rows)));
    TRY(cuda_run(l, CUDA_ENTRY_sort_rows_sources, cuda_shape_each(RADIX_SOURCES_MAX)));
    for (uint32_t digit = 0; digit < radix_digits(a); digit++) {
        l->extra.step = digit;
        if (digit % RADIX_WORD_DIGITS == 0)
            TRY(cuda_run(l, CUDA_ENTRY_sort_rows_words, words));
        TRY(cuda_run(l, CUDA_ENTRY_sort_rows_radix, digits));
    }
    return a->has_text ? radix_long_texts(l, rows) : STATUS_OK;
}

/* Sorts by digits. The window does not know that the kernels share memory, which they do not take as an argument: it
 * is empty before them, and after them when the memory is given up. */
static status radix_sort(launch *l, const sort_rows_arguments *a)
{
    dev_stream *stream = &l->stream->base;
    uint64_t rows = a->count.bound;
    dev_buffer *state;
    TRY(dev_alloc(stream->dev, radix_bytes(rows), "sort", &state));
    cuda_stream_flush(stream);
    status st = cuda_zero(stream, state->address, radix_zeroed_bytes(rows));
    cuda_stream_flush(stream);
    l->extra.scratch = state->address;
    if (!st)
        st = radix_launches(l, a);
    cuda_stream_flush(stream);
    dev_buffer_unref(state);
    return st;
}

status cuda_launch_sort_rows(launch *l)
{
    const sort_rows_arguments *a = l->arguments;
    uint64_t rows = a->count.bound;
    bool takes_radix = a->key_count <= RADIX_KEYS_MAX && rows >= RADIX_ROWS_MIN &&
                       rows >= radix_digits(a) * RADIX_DIGIT_ROWS && rows <= RADIX_ROWS_MAX;
    return takes_radix ? radix_sort(l, a) : merge_sort(l, rows);
}

/* ---- kernel_over.cu: a scan, then what each row makes of it ---- */

/* With so many words of scratch behind the scan's, from word extra.step on. */
static status scan(launch *l, cuda_entry entry, uint64_t rows, uint64_t words)
{
    shape s = cuda_shape_tiles(rows);
    l->extra.step = s.scratch_words;
    s.scratch_words += words;
    return cuda_run(l, entry, s);
}

status cuda_launch_over_runs(launch *l)
{
    const over_runs_arguments *a = l->arguments;
    uint64_t rows = a->count.bound;
    TRY(scan(l, CUDA_ENTRY_over_runs, rows, 1 + (rows + 1) / 2));
    return cuda_run(l, CUDA_ENTRY_over_runs_find, cuda_shape_each(rows));
}

status cuda_launch_over_groups_bound(launch *l)
{
    const over_groups_bound_arguments *a = l->arguments;
    TRY(scan(l, CUDA_ENTRY_over_groups_bound, a->count.bound, 1));
    return cuda_run(l, CUDA_ENTRY_over_groups_bound_find, cuda_shape_each(a->count.bound));
}

status cuda_launch_over_number(launch *l)
{
    const over_number_arguments *a = l->arguments;
    uint64_t rows = a->count.bound;
    if (a->op == OVER_DENSE_RANK)
        TRY(scan(l, CUDA_ENTRY_over_number_runs, rows, (rows + 1) / 2));
    return cuda_run(l, CUDA_ENTRY_over_number, cuda_shape_each(rows));
}

status cuda_launch_over_count(launch *l)
{
    const over_count_arguments *a = l->arguments;
    if (a->validity)
        TRY(cuda_run(l, CUDA_ENTRY_over_count_sums, cuda_shape_tiles(a->count.bound)));
    return cuda_run(l, CUDA_ENTRY_over_count, cuda_shape_each(a->count.bound));
}

/* ---- kernel_over_aggregate.cu: a tree from its rows up, then each row's range ---- */

/* As many blocks for the upper levels, which are few nodes: those that have none end at once. */
static status tree(launch *l, cuda_entry build, cuda_entry use, uint64_t rows)
{
    for (uint64_t level = 0; rows >> level > 1; level += CUDA_TILE_LEVELS) {
        l->extra.step = level;
        TRY(cuda_run(l, build, cuda_shape_blocks(rows)));
    }
    return cuda_run(l, use, cuda_shape_each(rows));
}

#define OVER_TREE(name)                                                                            \
    status cuda_launch_##name(launch *l)                                                           \
    {                                                                                              \
        const name##_arguments *a = l->arguments;                                                  \
        return tree(l, CUDA_ENTRY_##name##_tree, CUDA_ENTRY_##name, a->count.bound);               \
    }
OVER_TREE(over_sum)
OVER_TREE(over_sum_number)
OVER_TREE(over_vary)
OVER_TREE(over_pair)
OVER_TREE(over_bits)
OVER_TREE(over_pick)
