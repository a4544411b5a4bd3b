/* join_partitions.c - what a task does with a part of a spilled join. */
#include "exec/join/join_partitions.h"

#include "device/chunk.h"
#include "exec/join/join_side.h"
#include "exec/join/join_table_build.h"
#include "exec/join/op_join_tail.h"

/* ---- build rows ---- */

static status join_partitions_begin_rows(join_partitions_local *local, const op_join_build *join,
                                         exec_task *task)
{
    local->rows = local->bytes = 0;
    local->phase = 0;
    local->next_row = 0;
    local->is_last = false;
    local->stage = PARTS_LOAD;
    TRY(join_side_init(join, &local->side));
    local->side.has_rows = join->whole.has_rows;
    local->side.has_null_key = join->whole.has_null_key;
    return join_bounds_new(join, task, &local->bounds);
}

static status join_partitions_add_chunk(join_partitions_local *local, join_queue *queue,
                                        exec_task *task, chunk *c)
{
    const op_join_build *join = queue->join;
    uint64_t bytes = local->build.part->blocks.items[local->blocks++].plain_bytes;
    tensor_unref(c->columns[c->column_count - 1]); /* the hashes */
    c->columns[c->column_count - 1] = NULL;
    TRY(chunk_list_push(&local->side.table.chunks, c));
    local->rows += c->rows.bound;
    local->bytes += bytes;
    join_queue_took(queue, &local->grant, bytes);
    return join_bounds_add(join, task, c, local->bounds);
}

static exec_result end_load(join_partitions_local *local, const op_join_build *join,
                            exec_task *task)
{
    uint64_t *bounds;
    EXEC_TRY(task, join_bounds_read(join, task, local->bounds, &bounds));
    join_side_add_bounds(join, &local->side, bounds);
    mem_free(bounds);
    dev_buffer_unref(local->bounds);
    local->bounds = NULL;
    local->stage = PARTS_TABLE;
    return EXEC_NEED_INPUT;
}

static exec_result join_partitions_load(join_partitions_local *local, join_queue *queue,
                                        exec_task *task)
{
    const op_join_build *join = queue->join;
    bool is_full = local->grant.work == JOIN_WORK_PIECES && local->rows &&
                   join_bytes_needed(join, local->rows, local->bytes) >= local->grant.bytes;
    chunk *c;
    local->is_last = local->blocks == local->build.part->blocks.count;
    if (local->is_last || is_full)
        return end_load(local, join, task);
    exec_result result = partition_next(&local->build, task, &c);
    if (result != EXEC_HAVE_OUTPUT)
        return result == EXEC_FINISHED ? end_load(local, join, task) : result;
    EXEC_TRY(task, join_partitions_add_chunk(local, queue, task, c));
    return EXEC_NEED_INPUT;
}

/* ---- the table ---- */

static exec_result join_partitions_make_table(join_partitions_local *local, join_queue *queue,
                                              exec_task *task)
{
    exec_task alone = *task;
    alone.index = 0;
    alone.count = 1;
    if (local->phase < JOIN_TABLE_PHASES) {
        EXEC_TRY(task,
                 join_table_phase(&local->side.table, &alone, local->phase++, local->side.ranges));
        return EXEC_NEED_INPUT;
    }
    EXEC_TRY(task, exec_check_error(task));
    join_table_check(&local->side.table);
    EXEC_TRY(task, join_side_start(queue->join, task, &local->side));
    join_note_memory(queue->join);
    join_queue_took(queue, &local->grant, local->grant.promised);
    partition_reader_init(&local->probe, local->grant.part.cut->probe, local->grant.part.number,
                          local->is_last);
    local->seen_at = 0;
    local->stage = PARTS_PROBE;
    return EXEC_NEED_INPUT;
}

/* ---- probe rows ---- */

/* Output holds nothing of the side at work, whose memory is wanted for the next. */
static exec_result join_partitions_give(const op_join_build *join, exec_task *task, chunk **output)
{
    tensor *flat;
    status st = STATUS_OK;
    for (uint32_t i = 0; i < join->output_count && !st; i++)
        if (join->outputs[i].is_build && (*output)->columns[i])
            st = chunk_flatten_column(task->stream, *output, i, &flat);
    if (!st)
        return EXEC_HAVE_OUTPUT;
    chunk_free(*output);
    *output = NULL;
    return exec_fail(task, st);
}

static void join_partitions_take_chunk(join_partitions_local *local, chunk *c)
{
    uint64_t *seen = local->seen ? (uint64_t *)local->seen->address + local->seen_at : NULL;
    local->seen_at += (c->rows.bound + 63) / 64;
    join_prober_take_piece(&local->prober, &local->side, c, seen, local->is_last);
}

static exec_result end_probe(join_partitions_local *local, const op_join_build *join,
                             exec_task *task)
{
    _Atomic uint64_t next_group = 0;
    partition_reader_close(&local->probe);
    EXEC_TRY(task, join_side_mark_rows(&local->side, task, &next_group));
    local->stage = PARTS_REST;
    if (!join_marks_build(join))
        local->next_row = local->side.table.row_count;
    return EXEC_NEED_INPUT;
}

static exec_result join_partitions_probe(join_partitions_local *local, const op_join_build *join,
                                         exec_task *task, chunk **output)
{
    chunk *c;
    if (local->prober.stage != PROBE_IDLE) {
        exec_result result = join_prober_next(&local->prober, task, output);
        return result == EXEC_HAVE_OUTPUT ? join_partitions_give(join, task, output) : result;
    }
    exec_result result = partition_next(&local->probe, task, &c);
    if (result == EXEC_FINISHED)
        return end_probe(local, join, task);
    if (result != EXEC_HAVE_OUTPUT)
        return result;
    join_partitions_take_chunk(local, c);
    return EXEC_NEED_INPUT;
}

/* ---- the end of rows and parts ---- */

static void join_partitions_end_part(join_partitions_local *local, join_queue *queue)
{
    join_side_release(&local->side);
    partition_reader_close(&local->build);
    partition_reader_close(&local->probe);
    dev_buffer_unref(local->seen);
    local->seen = NULL;
    join_queue_done(queue, &local->grant);
    local->stage = PARTS_IDLE;
}

static exec_result join_partitions_rest(join_partitions_local *local, join_queue *queue,
                                        exec_task *task, chunk **output)
{
    uint64_t slice = ((uint64_t)task->stream->dev->chunk_rows + 63) / 64 * 64;
    uint64_t left = local->side.table.row_count - local->next_row;
    if (left) {
        uint64_t first = local->next_row, count = left < slice ? left : slice;
        local->next_row += count;
        EXEC_TRY(task, join_tail_rows(queue->join, &local->side, task, first, count, output));
        return *output ? join_partitions_give(queue->join, task, output) : EXEC_NEED_INPUT;
    }
    if (local->is_last) {
        join_partitions_end_part(local, queue);
    } else {
        join_side_release(&local->side);
        EXEC_TRY(task, join_partitions_begin_rows(local, queue->join, task));
    }
    return EXEC_NEED_INPUT;
}

/* ---- cutting ---- */

static status begin_cut(join_partitions_local *local, op_join_build *join)
{
    unsigned level = local->grant.part.cut->build->level + 1;
    local->cut = mem_new(sizeof *local->cut);
    if (!local->cut)
        return status_no_memory("join", sizeof *local->cut);
    TRY(partitions_new(join->spill.file, &join->base, "join build", level, &local->cut->build));
    local->stage = PARTS_CUT_BUILD;
    return partitions_new(join->spill.file, &join->base, "join probe", level, &local->cut->probe);
}

static exec_result join_partitions_cut(join_partitions_local *local, join_queue *queue,
                                       exec_task *task)
{
    bool is_build = local->stage == PARTS_CUT_BUILD;
    partitions *target = is_build ? local->cut->build : local->cut->probe;
    chunk *c;
    exec_result result = partition_next(is_build ? &local->build : &local->probe, task, &c);
    if (result == EXEC_HAVE_OUTPUT) {
        EXEC_TRY(task, join_collect(&local->collector, task, target, c));
        return EXEC_NEED_INPUT;
    }
    if (result != EXEC_FINISHED)
        return result;
    EXEC_TRY(task, join_collect_end(&local->collector, task, target));
    local->stage = PARTS_CUT_PROBE;
    if (is_build)
        return EXEC_NEED_INPUT;
    join_cut *made = local->cut;
    local->cut = NULL;
    EXEC_TRY(task, join_queue_add(queue, &local->grant.part, made));
    join_partitions_end_part(local, queue);
    return EXEC_NEED_INPUT;
}

/* ---- the task ---- */

/* A bit for each row, each chunk's in words of its own. */
static status new_seen(join_partitions_local *local, exec_task *task)
{
    const partition *part = join_part_probe(&local->grant.part);
    size_t bytes = (part->rows / 64 + part->blocks.count + 1) * sizeof(uint64_t);
    TRY(dev_alloc(task->stream->dev, bytes, "join probe", &local->seen));
    return task->stream->dev->ops->zero(task->stream, local->seen->address, bytes);
}

static exec_result join_partitions_begin_part(join_partitions_local *local, join_queue *queue,
                                              exec_task *task)
{
    const join_part *part = &local->grant.part;
    partition_reader_init(&local->build, part->cut->build, part->number, true);
    partition_reader_init(&local->probe, part->cut->probe, part->number, true);
    local->blocks = 0;
    if (local->grant.work == JOIN_WORK_CUT) {
        EXEC_TRY(task, begin_cut(local, queue->join));
        return EXEC_NEED_INPUT;
    }
    if (local->grant.work == JOIN_WORK_PIECES)
        EXEC_TRY(task, new_seen(local, task));
    EXEC_TRY(task, join_partitions_begin_rows(local, queue->join, task));
    return EXEC_NEED_INPUT;
}

exec_result join_partitions_pull(join_partitions_local *local, join_queue *queue, exec_task *task,
                                 chunk **output)
{
    exec_result result;
    switch (local->stage) {
    case PARTS_LOAD:
        return join_partitions_load(local, queue, task);
    case PARTS_TABLE:
        return join_partitions_make_table(local, queue, task);
    case PARTS_PROBE:
        return join_partitions_probe(local, queue->join, task, output);
    case PARTS_REST:
        return join_partitions_rest(local, queue, task, output);
    case PARTS_CUT_BUILD:
    case PARTS_CUT_PROBE:
        return join_partitions_cut(local, queue, task);
    default:
        result = join_queue_take(queue, task, &local->grant);
        return result == EXEC_HAVE_OUTPUT ? join_partitions_begin_part(local, queue, task) : result;
    }
}

status join_partitions_local_init(join_partitions_local *local, const op_join_build *join,
                                  exec_task *task)
{
    return join_prober_init(&local->prober, join, task);
}

void join_partitions_local_release(join_partitions_local *local, join_queue *queue)
{
    join_prober_release(&local->prober);
    join_collector_release(&local->collector);
    dev_buffer_unref(local->bounds);
    join_cut_free(local->cut);
    join_partitions_end_part(local, queue);
}
