/* sort_spill.c - when collected rows become runs, and the passes that make few runs of many.
 *
 * A sort's share of memory (exec/sched/memory.h) is for what tasks hold and will need to sort it,
 * and then for merging: the blocks of the runs that are merged at once. */
#include "exec/sort/sort_spill.h"

#include "base/maximum.h"
#include "base/system/mutex.h"
#include "device/chunk.h"
#include "device/chunk_transfer.h"
#include "exec/sched/memory.h"
#include "exec/sort/sort.h"
#include "exec/sort/sort_merge.h"
#include "exec/sort/sort_run.h"

/* A run that is merged holds a block, its keys, and the next one, packed or not. */
#define BLOCKS_OF_RUN 4
/* Bytes for a row that is sorted in its place: an item, the number of its part, its number in order. */
#define ITEM_BYTES 24
/* Bytes for a row that one task sorts: two items and the number. */
#define ITEMS_BYTES 36
/* Chunks are small: some are made at once, and many may wait for the client. */
#define CHUNK_BLOCKS 4
#define FAN_IN_MIN 8
/* Than other operators' blocks: a range has several of each run, and there are a hundred runs where the rows are
 * ten times as many as fit. */
#define SMALLER 16
#define BLOCK_BYTES_MIN ((uint64_t)16 << 10)
#define FAN_IN_MAX 512

uint64_t sort_block_bytes(const op_sort *op)
{
    uint64_t bytes = exec_block_bytes(op->base.query) / SMALLER;
    return bytes > BLOCK_BYTES_MIN ? bytes : BLOCK_BYTES_MIN;
}

/* How many runs are merged by one task, at once by `tasks`, within a sort's share of
 * the memory. */
static size_t sort_fan_in(const op_sort *op, unsigned tasks)
{
    const exec_query *query = op->base.query;
    uint64_t runs = exec_memory_share(query) / (sort_block_bytes(op) * BLOCKS_OF_RUN) / tasks;
    if (runs < FAN_IN_MIN)
        return FAN_IN_MIN;
    return runs < FAN_IN_MAX ? (size_t)runs : FAN_IN_MAX;
}

uint64_t sort_chunk_rows(const op_sort *op, uint64_t rows, uint64_t bytes)
{
    uint64_t most = exec_device(op->base.query)->chunk_rows;
    uint64_t fitting =
        bytes ? CHUNK_BLOCKS * exec_block_bytes(op->base.query) * rows / bytes : most;
    if (!fitting)
        return 1;
    return fitting < most ? fitting : most;
}

/* ---- collecting ---- */

/* Its rows lie where they are sorted with all others. Another task may reserve the columns now. */
static bool is_placed(op_sort *op, const chunk *c)
{
    uint64_t row;
    mutex_lock(&op->lock);
    bool is = reserved_columns_find(&op->reserved, c, &row);
    mutex_unlock(&op->lock);
    return is;
}

void sort_count_chunk(op_sort *op, const chunk *c, uint64_t *held, uint64_t *needed)
{
    uint64_t bytes = exec_chunk_bytes(c);
    *held += bytes;
    if (is_placed(op, c))
        *needed += bytes + c->rows.bound * ITEM_BYTES;
    else if (exec_device(op->base.query)->is_host)
        *needed += 2 * bytes + c->rows.bound * ITEMS_BYTES;
    else
        *needed += 2 * bytes + c->rows.bound * (24 * (uint64_t)op->key_count + 8);
}

bool sort_must_spill(const op_sort *op, const exec_task *task, uint64_t needed)
{
    return exec_must_spill(
        op->base.query, atomic_load_explicit(&op->spill.held, memory_order_relaxed),
        atomic_load_explicit(&op->spill.needed, memory_order_relaxed), task->count, needed);
}

static status sort_spill_open_file(op_sort *op)
{
    status st = STATUS_OK;
    mutex_lock(&op->lock);
    if (!op->spill.file)
        st = spill_open(exec_temp_directory(op->base.query), &op->spill.file);
    mutex_unlock(&op->lock);
    return st;
}

static status write_sorted(op_sort *op, exec_task *task, const chunk *sorted, uint64_t slice_rows,
                           sort_run *run)
{
    uint64_t rows = sorted->rows.bound;
    for (uint64_t first = 0; first < rows; first += slice_rows) {
        chunk *slice, *host;
        uint64_t count = rows - first < slice_rows ? rows - first : slice_rows;
        if (exec_is_cancelled(task->query))
            break;
        TRY(sort_slice(task, sorted, first, count, sorted->column_count, &slice));
        status st = chunk_to_host(task->stream, slice, false, "sort", &host);
        chunk_free(slice);
        TRY(st);
        st = sort_run_write(op, task, host, run);
        chunk_free(host);
        TRY(st);
    }
    return STATUS_OK;
}

static status sort_spill_add_run(op_sort *op, sort_run *run)
{
    mutex_lock(&op->lock);
    status st = array_push(NULL, &op->spill.runs, run);
    mutex_unlock(&op->lock);
    return st;
}

/* Chunks become a run and are freed. *out_sorted false: they are as before. */
static status spill_chunks(op_sort *op, exec_task *task, chunk **chunks, size_t count,
                           bool *out_sorted)
{
    uint64_t held = 0, needed = 0, rows = 0;
    chunk *sorted = NULL;
    TRY(sort_narrow_even(op, task->stream->dev, chunks, count));
    TRY(sort_chunks(op, task, chunks, count, &sorted));
    *out_sorted = true;
    maximum_raise(&op->base.metrics.memory_peak, mem_budget_used(exec_budget(op->base.query)));
    for (size_t i = 0; i < count; i++) {
        sort_count_chunk(op, chunks[i], &held, &needed);
        rows += chunks[i]->rows.bound;
        reserved_columns_give(&op->reserved, chunks[i]);
        chunk_free(chunks[i]);
        chunks[i] = NULL;
    }
    sort_run *run = mem_new(sizeof *run);
    status st = run ? STATUS_OK : status_no_memory("sort", sizeof *run);
    if (!st)
        st = write_sorted(op, task, sorted, sort_chunk_rows(op, rows, held), run);
    if (!st)
        st = sort_spill_add_run(op, run);
    chunk_free(sorted);
    if (st)
        sort_run_free(run);
    return st;
}

/* Sorts and writes in two parts, if memory is too short to sort all chunks together. */
static status spill_parts(op_sort *op, exec_task *task, chunk **chunks, size_t count)
{
    bool is_sorted = false;
    status st = spill_chunks(op, task, chunks, count, &is_sorted);
    if (is_sorted || count < 2 || status_get_kind(st) != STATUS_KIND_LIMIT)
        return st;
    status_free(st);
    TRY(spill_parts(op, task, chunks, count / 2));
    return spill_parts(op, task, chunks + count / 2, count - count / 2);
}

bool sort_fits(const op_sort *op, uint64_t rows)
{
    uint64_t more = atomic_load(&op->spill.needed) - atomic_load(&op->spill.held);
    more += 2 * rows * sort_narrow_even_bytes(op);
    return !exec_may_spill(op->base.query) || exec_has_room(op->base.query, more);
}

/* Parts that there seems to be room to sort, alike for all tasks: as they are as large as can be,
 * there are few runs. */
static size_t sort_spill_count_parts(const op_sort *op, const exec_task *task,
                                     const chunk_list *list, uint64_t more)
{
    uint64_t room = exec_memory_room(op->base.query) / task->count;
    uint64_t parts = room ? more / room + 1 : list->count;
    return parts < list->count ? (size_t)parts : list->count;
}

status sort_spill_list(op_sort *op, exec_task *task, chunk_list *list)
{
    uint64_t held = 0, needed = 0;
    status st = STATUS_OK;
    if (!list->count)
        return STATUS_OK;
    TRY(sort_spill_open_file(op));
    for (size_t i = 0; i < list->count; i++)
        sort_count_chunk(op, list->items[i], &held, &needed);
    size_t parts = sort_spill_count_parts(op, task, list, needed - held), first = 0;
    /* The memory for sorting was counted as needed: others must not take it for somebody else's. */
    atomic_fetch_add(&op->spill.held, needed - held);
    for (size_t i = 1; i <= parts && !st; i++) {
        size_t end = list->count * i / parts;
        st = spill_parts(op, task, list->items + first, end - first);
        first = end;
    }
    atomic_fetch_sub(&op->spill.held, needed - held);
    TRY(st);
    chunk_list_release(list);
    return STATUS_OK;
}

/* ---- passes ---- */

/* How many tasks a pass has: each wants memory for runs enough. */
static unsigned pass_tasks(const op_sort *op, unsigned tasks)
{
    size_t most = sort_fan_in(op, 1) / FAN_IN_MIN;
    return most < tasks ? (unsigned)most : tasks;
}

/* Drops what the pass before made one: a group's run took the place of its first. */
static void drop_merged(sort_spill *spill)
{
    size_t kept = 0;
    for (size_t i = 0; i < spill->runs.count; i++)
        if (spill->runs.items[i])
            spill->runs.items[kept++] = spill->runs.items[i];
    spill->runs.count = kept;
    spill->groups.count = 0;
}

/* Under the lock, by the first task of a pass: which runs are merged, so that the last merge has no
 * more than it can take; no more of them than must be. */
static status plan_pass(op_sort *op, const exec_task *task, unsigned number)
{
    sort_spill *spill = &op->spill;
    spill->pass = number;
    drop_merged(spill);
    atomic_store(&spill->next_group, 0);
    size_t most = sort_fan_in(op, 1);
    size_t count = spill->runs.count, excess = count > most ? count - most : 0;
    if (!excess)
        return STATUS_OK;
    if (!spill->tasks) {
        spill->tasks = mem_new_array(task->count, sizeof *spill->tasks);
        if (!spill->tasks)
            return status_no_memory("sort", task->count * sizeof *spill->tasks);
        spill->task_count = task->count;
    }
    most = sort_fan_in(op, pass_tasks(op, task->count));
    for (size_t first = 0; excess && first + 1 < count;) {
        size_t merged = excess + 1 < most ? excess + 1 : most;
        if (merged > count - first)
            merged = count - first;
        sort_group group = {first, merged};
        TRY(array_push(NULL, &spill->groups, group));
        excess -= merged - 1;
        first += merged;
    }
    return STATUS_OK;
}

static status start_group(op_sort *op, sort_pass_local *local)
{
    const sort_group *group = &op->spill.groups.items[local->group];
    local->target = mem_new(sizeof *local->target);
    if (!local->target)
        return status_no_memory("sort", sizeof *local->target);
    return sort_merge_new(op, op->spill.runs.items + group->first, group->count, op->kept_count,
                          &local->merge);
}

static void finish_group(op_sort *op, sort_pass_local *local)
{
    const sort_group *group = &op->spill.groups.items[local->group];
    sort_run **runs = op->spill.runs.items + group->first;
    sort_merge_free(local->merge);
    local->merge = NULL;
    for (size_t i = 0; i < group->count; i++) {
        sort_run_free(runs[i]);
        runs[i] = NULL;
    }
    runs[0] = local->target;
    local->target = NULL;
}

exec_result sort_pass(op_sort *op, exec_task *task, unsigned number)
{
    sort_spill *spill = &op->spill;
    chunk *merged;
    if (!spill->file)
        return EXEC_FINISHED;
    mutex_lock(&op->lock);
    status st = spill->pass == number ? STATUS_OK : plan_pass(op, task, number);
    mutex_unlock(&op->lock);
    EXEC_TRY(task, st);
    if (!spill->groups.count || task->index >= pass_tasks(op, task->count))
        return EXEC_FINISHED;
    sort_pass_local *local = &spill->tasks[task->index];
    if (!local->merge) {
        local->group = atomic_fetch_add(&spill->next_group, 1);
        if (local->group >= spill->groups.count)
            return EXEC_FINISHED;
        EXEC_TRY(task, start_group(op, local));
    }
    exec_result result = sort_merge_next(local->merge, task, &merged);
    if (result == EXEC_FINISHED) {
        finish_group(op, local);
        return EXEC_NEED_INPUT; /* the next group */
    }
    if (result != EXEC_HAVE_OUTPUT)
        return result;
    st = sort_run_write(op, task, merged, local->target);
    chunk_free(merged);
    EXEC_TRY(task, st);
    return EXEC_NEED_INPUT;
}

const sort_run_list *sort_spill_runs(op_sort *op)
{
    drop_merged(&op->spill);
    return &op->spill.runs;
}

void sort_spill_release(op_sort *op)
{
    sort_spill *spill = &op->spill;
    for (unsigned i = 0; i < spill->task_count; i++) {
        sort_merge_free(spill->tasks[i].merge);
        sort_run_free(spill->tasks[i].target);
    }
    mem_free(spill->tasks);
    for (size_t i = 0; i < spill->runs.count; i++)
        sort_run_free(spill->runs.items[i]);
    array_release(&spill->runs);
    array_release(&spill->groups);
    spill_close(spill->file);
}
