/* sort_ranges.c - the last merge: runs are cut where some of their blocks begin, so that each range has
 * a few blocks of each run, and tasks take range after range.
 *
 *     run 0   │ block │ block │ block │ block │
 *     run 1   │   block   │  block  │  block  │        a cut is the place of a block's first row
 *     run 2   │ block │   block   │  block │           among all rows
 *                  range 0   │   range 1
 *
 * A range's rows are sorted anew: that is cheaper than merging them row by row, as they fit a cache
 * and codes are short. Blocks at a cut are read for both ranges. */
#include "exec/sort/sort_ranges.h"

#include "device/chunk.h"
#include "exec/sched/memory.h"
#include "exec/sort/sort.h"
#include "exec/sort/sort_run.h"
#include "exec/sort/sort_spill.h"
#include "exec/sort/sort_widen.h"
#include "exec/spill/chunk_bytes.h"

#include <stdlib.h>

/* Blocks of each run that a range has, but for those at its ends, which are read for its neighbours, too: the more
 * there are the fewer bytes are read twice; of many, rows and items leave the caches. */
#define RANGE_BLOCKS_MIN 2
#define RANGE_BLOCKS_MAX 8
/* Blocks of each run that a range takes until it is sorted, for each of its own: its blocks and those at its ends,
 * the rows once more, their items, and what goes out. */
#define MEMORY_BLOCKS 7

/* The place before a block's first row. Of rows that are equal, those of earlier runs come first,
 * unless the row's keys are not known as a whole: then all equal ones come behind the cut. */
typedef struct sort_cut {
    const sort_mark *mark;
    uint32_t run;
} sort_cut;

struct sort_range_read {
    uint32_t run, block;
    spill_read *reading;
};

struct sort_ranges {
    const op_sort *op;
    const sort_run_list *runs;
    uint64_t slice_rows;
    uint64_t blocks; /* of each run in a range */
    unsigned task_limit;
    ARRAY(sort_cut) cuts; /* range i ends at cut i, the last one at the end */
    _Atomic uint64_t next;
};

/* ---- cuts ---- */

/* A row with these keys, in this block, comes before the cut. */
static bool is_before(const sort_bytes *row, uint32_t run, uint32_t block, const sort_cut *cut)
{
    const sort_mark *mark = cut->mark;
    if (mark->first.is_whole && run == cut->run)
        return block < mark->block;
    int order = sort_bytes_compare(row, &mark->first);
    return order ? order < 0 : mark->first.is_whole && run < cut->run;
}

static int compare_cuts(const void *a, const void *b)
{
    const sort_cut *left = a, *right = b;
    int order = sort_bytes_compare(&left->mark->first, &right->mark->first);
    if (order)
        return order;
    if (left->run != right->run)
        return left->run < right->run ? -1 : 1;
    return (left->mark->block > right->mark->block) - (left->mark->block < right->mark->block);
}

/* Two cuts are the same place where their keys are not known as a whole and begin alike. */
static bool is_same_place(const sort_cut *left, const sort_cut *right)
{
    return !right->mark->first.is_whole &&
           !sort_bytes_compare(&left->mark->first, &right->mark->first);
}

static uint64_t mark_bytes(const sort_run *run)
{
    return run->plain_bytes / run->blocks.count * run->mark_step;
}

/* Chooses, of all marks in order, those that end a range which is large enough. Each range has a row: that of the
 * mark before. Returns the bytes of the largest range, about. */
static uint64_t sort_ranges_choose_cuts(sort_ranges *ranges, uint64_t range_bytes)
{
    sort_cut *cuts = ranges->cuts.items, before = {0};
    size_t kept = 0;
    uint64_t bytes = 0, most = 0;
    for (size_t i = 0; i < ranges->cuts.count; i++) {
        sort_cut cut = cuts[i];
        bool is_new = i && !is_same_place(&before, &cut);
        if (is_new && bytes >= range_bytes) {
            cuts[kept++] = cut;
            bytes = 0;
        }
        if (is_new || !i)
            before = cut;
        bytes += mark_bytes(ranges->runs->items[cut.run]);
        most = bytes > most ? bytes : most;
    }
    ranges->cuts.count = kept;
    return most;
}

/* *out_fits: a task has room for each range, however many rows are equal. */
static status sort_ranges_make_cuts(sort_ranges *ranges, bool *out_fits)
{
    const sort_run_list *runs = ranges->runs;
    for (uint32_t r = 0; r < runs->count; r++)
        for (size_t i = 0; i < runs->items[r]->marks.count; i++) {
            sort_cut cut = {&runs->items[r]->marks.items[i], r};
            TRY(array_push(NULL, &ranges->cuts, cut));
        }
    if (ranges->cuts.count)
        qsort(ranges->cuts.items, ranges->cuts.count, sizeof *ranges->cuts.items, compare_cuts);
    uint64_t range_bytes = ranges->blocks * runs->count * sort_block_bytes(ranges->op);
    uint64_t most = sort_ranges_choose_cuts(ranges, range_bytes);
    uint64_t room = exec_memory_share(ranges->op->base.query) / ranges->task_limit;
    *out_fits = most <= range_bytes * 2 || most <= room / MEMORY_BLOCKS;
    return STATUS_OK;
}

/* ---- a range's blocks ---- */

static const sort_cut *sort_ranges_start_of(const sort_ranges *ranges, uint64_t range)
{
    return range ? &ranges->cuts.items[range - 1] : NULL;
}

static const sort_cut *sort_ranges_end_of(const sort_ranges *ranges, uint64_t range)
{
    return range < ranges->cuts.count ? &ranges->cuts.items[range] : NULL;
}

/* How many of the run's marks are before the cut. */
static size_t marks_before(const sort_run *run, uint32_t number, const sort_cut *cut)
{
    size_t low = 0, high = run->marks.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const sort_mark *mark = &run->marks.items[middle];
        if (is_before(&mark->first, number, mark->block, cut))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static status start_run(const sort_ranges *ranges, sort_range *range, uint32_t number)
{
    const sort_run *run = ranges->runs->items[number];
    const sort_cut *start = sort_ranges_start_of(ranges, range->number),
                   *end = sort_ranges_end_of(ranges, range->number);
    size_t first = start ? marks_before(run, number, start) : 0;
    size_t last = end ? marks_before(run, number, end) : run->marks.count;
    uint32_t block = first ? run->marks.items[first - 1].block : 0;
    uint32_t end_block =
        last < run->marks.count ? run->marks.items[last].block : (uint32_t)run->blocks.count;
    for (; block < end_block; block++) {
        struct sort_range_read read = {.run = number, .block = block};
        TRY(array_push(NULL, &range->reads, read));
        TRY(spill_read_start(ranges->op->spill.file, run->blocks.items[block],
                             exec_device(ranges->op->base.query), "sort",
                             &range->reads.items[range->reads.count - 1].reading));
    }
    return STATUS_OK;
}

static status open_range(const sort_ranges *ranges, sort_range *range)
{
    range->next = range->reads.count = 0;
    for (uint32_t r = 0; r < ranges->runs->count; r++)
        TRY(start_run(ranges, range, r));
    range->is_open = true;
    return STATUS_OK;
}

/* The first of the block's rows that is not before the cut. */
static uint64_t sort_ranges_find_row(const op_sort *op, const sort_keys *keys, uint64_t rows,
                                     const struct sort_range_read *read, const sort_cut *cut)
{
    uint64_t low = 0, high = rows;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        sort_bytes bytes;
        sort_mark_make(op, keys, (uint32_t)middle, &bytes);
        if (is_before(&bytes, read->run, read->block, cut))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Rows [first, end) of the chunk alone. */
static status cut_chunk(dev_stream *stream, chunk *c, uint64_t first, uint64_t end)
{
    row_index *rows;
    if (!first && end == c->rows.bound)
        return STATUS_OK;
    TRY(row_index_new(stream->dev, end - first, &rows));
    for (uint64_t i = first; i < end; i++)
        rows->rows[i - first] = (uint32_t)i;
    status st = chunk_select(stream, c, rows, dev_count_exact(end - first), NULL);
    row_index_unref(rows);
    return st;
}

/* A block's rows that are in the range go to its list. */
static status sort_ranges_add_block(const sort_ranges *ranges, exec_task *task, sort_range *range,
                                    const struct sort_range_read *read, chunk *c)
{
    const sort_cut *start = sort_ranges_start_of(ranges, range->number),
                   *end = sort_ranges_end_of(ranges, range->number);
    const tensor **columns = mem_new_array(ranges->op->key_count + 1, sizeof *columns);
    if (!columns)
        return status_no_memory("sort", ranges->op->key_count * sizeof *columns);
    sort_keys keys = sort_keys_of(ranges->op, c, columns);
    uint64_t first =
        start ? sort_ranges_find_row(ranges->op, &keys, c->rows.bound, read, start) : 0;
    uint64_t last =
        end ? sort_ranges_find_row(ranges->op, &keys, c->rows.bound, read, end) : c->rows.bound;
    mem_free(columns);
    TRY(array_reserve(NULL, &range->rows, 1));
    if (first < last)
        TRY(cut_chunk(task->stream, c, first, last));
    if (first < last)
        range->rows.items[range->rows.count++] = c;
    else
        chunk_free(c);
    return STATUS_OK;
}

static status sort_ranges_take_block(const sort_ranges *ranges, exec_task *task, sort_range *range)
{
    struct sort_range_read *read = &range->reads.items[range->next++];
    spill_read *reading = read->reading;
    dev_buffer *bytes;
    chunk *c;
    read->reading = NULL;
    TRY(spill_read_finish(reading, &bytes));
    status st = chunk_bytes_read(bytes, &c);
    dev_buffer_unref(bytes);
    TRY(st);
    st = sort_narrow_even(ranges->op, task->stream->dev, &c, 1);
    if (!st)
        st = sort_ranges_add_block(ranges, task, range, read, c);
    if (st)
        chunk_free(c);
    return st;
}

static void sort_ranges_wake(void *task)
{
    exec_wake(task);
}

/* EXEC_FINISHED: the range's rows are in order. */
static exec_result sort_range_rows(const sort_ranges *ranges, exec_task *task, sort_range *range)
{
    while (range->next < range->reads.count) {
        if (spill_read_wait(range->reads.items[range->next].reading, sort_ranges_wake, task))
            return EXEC_WAIT;
        EXEC_TRY(task, sort_ranges_take_block(ranges, task, range));
    }
    if (!range->rows.count)
        return exec_fail(task, status_new(STATUS_KIND_INTERNAL, "a range of a sort has no rows"));
    EXEC_TRY(task, sort_list(ranges->op, task, &range->rows, &range->sorted));
    range->next_row = 0;
    return EXEC_FINISHED;
}

/* The next rows of the range; the last ones end it. */
static status emit(const sort_ranges *ranges, exec_task *task, sort_range *range, chunk **out)
{
    uint64_t left = range->sorted->rows.bound - range->next_row;
    uint64_t count = left < ranges->slice_rows ? left : ranges->slice_rows;
    TRY(sort_slice(task, range->sorted, range->next_row, count, sort_widen_columns(ranges->op),
                   out));
    TRY(sort_widen(ranges->op, task, *out, out));
    range->next_row += count;
    task->turn = (exec_turn){range->number, count == left};
    if (count == left) {
        chunk_free(range->sorted);
        range->sorted = NULL;
        range->is_open = false;
    }
    return STATUS_OK;
}

exec_result sort_ranges_next(sort_ranges *ranges, exec_task *task, sort_range *range, chunk **out)
{
    if (task->index >= ranges->task_limit)
        return EXEC_FINISHED;
    if (!range->is_open) {
        range->number = atomic_fetch_add_explicit(&ranges->next, 1, memory_order_relaxed);
        if (range->number > ranges->cuts.count)
            return EXEC_FINISHED;
        EXEC_TRY(task, open_range(ranges, range));
    }
    if (!range->sorted) {
        exec_result result = sort_range_rows(ranges, task, range);
        if (result != EXEC_FINISHED)
            return result;
    }
    EXEC_TRY(task, emit(ranges, task, range, out));
    return EXEC_HAVE_OUTPUT;
}

/* ---- life ---- */

/* Returns the blocks of a range, given how many there is room for: a range may become twice as large as is meant. */
static uint64_t range_blocks(uint64_t fitting)
{
    uint64_t blocks = fitting / 2 < RANGE_BLOCKS_MAX ? fitting / 2 : RANGE_BLOCKS_MAX;
    return blocks > RANGE_BLOCKS_MIN ? blocks : RANGE_BLOCKS_MIN;
}

status sort_ranges_new(const op_sort *op, const sort_run_list *runs, unsigned tasks,
                       sort_ranges **out)
{
    const exec_query *query = op->base.query;
    uint64_t rows = 0, bytes = 0;
    *out = NULL;
    uint64_t block_bytes = MEMORY_BLOCKS * runs->count * sort_block_bytes(op);
    uint64_t blocks = runs->count ? exec_memory_share(query) / block_bytes : 0;
    uint64_t fitting = blocks / RANGE_BLOCKS_MIN;
    if (!fitting || op->base.plan->sort.has_limit || !exec_device(query)->is_host)
        return STATUS_OK;
    sort_ranges *ranges = mem_new(sizeof *ranges);
    if (!ranges)
        return status_no_memory("sort", sizeof *ranges);
    *ranges = (sort_ranges){
        .op = op, .runs = runs, .task_limit = fitting < tasks ? (unsigned)fitting : tasks};
    ranges->blocks = range_blocks(blocks / ranges->task_limit);
    for (size_t i = 0; i < runs->count; i++) {
        rows += runs->items[i]->rows;
        bytes += runs->items[i]->plain_bytes;
    }
    ranges->slice_rows = sort_chunk_rows(op, rows, bytes);
    bool fits = false;
    status st = sort_ranges_make_cuts(ranges, &fits);
    if (st || !fits)
        sort_ranges_free(ranges);
    else
        *out = ranges;
    return st;
}

void sort_ranges_free(sort_ranges *ranges)
{
    if (!ranges)
        return;
    array_release(&ranges->cuts);
    mem_free(ranges);
}

void sort_range_close(sort_range *range)
{
    for (size_t i = range->next; i < range->reads.count; i++)
        spill_read_drop(range->reads.items[i].reading);
    array_release(&range->reads);
    chunk_list_release(&range->rows);
    chunk_free(range->sorted);
}
