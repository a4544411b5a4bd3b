/* join_parts.c - what a lane does with a part of a spilled join. */
#include "exec/join/join_parts.h"

/* ---- build rows ---- */

static status begin_rows(join_parts_lane *lane, const op_join_build *join, exec_task *task)
{
    lane->rows = lane->bytes = 0;
    lane->step = 0;
    lane->next_row = 0;
    lane->is_last = false;
    lane->stage = PARTS_LOAD;
    TRY(join_side_init(join, &lane->side));
    lane->side.has_rows = join->whole.has_rows;
    lane->side.has_null_key = join->whole.has_null_key;
    return join_bounds_new(join, task, &lane->bounds);
}

static status add_chunk(join_parts_lane *lane, join_queue *queue, exec_task *task, chunk *c)
{
    const op_join_build *join = queue->join;
    uint64_t bytes = lane->build.part->blocks.items[lane->blocks++].plain_bytes;
    tensor_unref(c->columns[c->column_count - 1]); /* the hashes */
    c->columns[c->column_count - 1] = NULL;
    status st = array_push(NULL, &lane->side.table.chunks, c);
    if (st) {
        chunk_free(c);
        return st;
    }
    lane->rows += c->rows.bound;
    lane->bytes += bytes;
    join_queue_took(queue, &lane->grant, bytes);
    return join_bounds_add(join, task, c, lane->bounds);
}

static exec_step end_load(join_parts_lane *lane, const op_join_build *join, exec_task *task)
{
    uint64_t bounds[3 * JOIN_KEYS_MAX];
    if (lane->bounds) {
        EXEC_TRY(task,
                 dev_words_wait(task->stream, lane->bounds->address, bounds, 3 * join->key_count));
        join_side_add_bounds(join, &lane->side, bounds);
    }
    dev_buffer_unref(lane->bounds);
    lane->bounds = NULL;
    lane->stage = PARTS_TABLE;
    return EXEC_NEED_INPUT;
}

static exec_step load(join_parts_lane *lane, join_queue *queue, exec_task *task)
{
    const op_join_build *join = queue->join;
    bool is_full = lane->grant.work == JOIN_WORK_PIECES && lane->rows &&
                   join_bytes_needed(join, lane->rows, lane->bytes) >= lane->grant.bytes;
    chunk *c;
    lane->is_last = lane->blocks == lane->build.part->blocks.count;
    if (lane->is_last || is_full)
        return end_load(lane, join, task);
    exec_step step = row_part_next(&lane->build, task, &c);
    if (step != EXEC_HAVE_OUTPUT)
        return step == EXEC_FINISHED ? end_load(lane, join, task) : step;
    EXEC_TRY(task, add_chunk(lane, queue, task, c));
    return EXEC_NEED_INPUT;
}

/* ---- the table ---- */

static exec_step make_table(join_parts_lane *lane, join_queue *queue, exec_task *task)
{
    exec_task alone = *task;
    alone.lane = 0;
    alone.lane_count = 1;
    if (lane->step < JOIN_TABLE_STEPS) {
        EXEC_TRY(task, join_table_step(&lane->side.table, &alone, lane->step++, lane->side.ranges));
        return EXEC_NEED_INPUT;
    }
    EXEC_TRY(task, exec_check_error(task));
    EXEC_TRY(task, join_side_start(queue->join, task, &lane->side));
    join_note_memory(queue->join);
    join_queue_took(queue, &lane->grant, lane->grant.promised);
    row_part_reader_init(&lane->probe, lane->grant.part.cut->probe, lane->grant.part.number,
                         lane->is_last);
    lane->seen_at = 0;
    lane->stage = PARTS_PROBE;
    return EXEC_NEED_INPUT;
}

/* ---- probe rows ---- */

/* Output holds nothing of the side at work, whose memory is wanted for the next. */
static exec_step give(const op_join_build *join, exec_task *task, chunk **output)
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

static void take_chunk(join_parts_lane *lane, chunk *c)
{
    uint64_t *seen = lane->seen ? (uint64_t *)lane->seen->address + lane->seen_at : NULL;
    lane->seen_at += (c->rows.bound + 63) / 64;
    join_prober_take_piece(&lane->prober, &lane->side, c, seen, lane->is_last);
}

static exec_step end_probe(join_parts_lane *lane, const op_join_build *join, exec_task *task)
{
    _Atomic uint64_t next_group = 0;
    row_part_reader_close(&lane->probe);
    EXEC_TRY(task, join_side_mark_rows(&lane->side, task, &next_group));
    lane->stage = PARTS_REST;
    if (!join_marks_build(join))
        lane->next_row = lane->side.table.row_count;
    return EXEC_NEED_INPUT;
}

static exec_step probe(join_parts_lane *lane, const op_join_build *join, exec_task *task,
                       chunk **output)
{
    chunk *c;
    if (lane->prober.stage != PROBE_IDLE) {
        exec_step step = join_prober_next(&lane->prober, task, output);
        return step == EXEC_HAVE_OUTPUT ? give(join, task, output) : step;
    }
    exec_step step = row_part_next(&lane->probe, task, &c);
    if (step == EXEC_FINISHED)
        return end_probe(lane, join, task);
    if (step != EXEC_HAVE_OUTPUT)
        return step;
    take_chunk(lane, c);
    return EXEC_NEED_INPUT;
}

/* ---- the end of rows and parts ---- */

static void end_part(join_parts_lane *lane, join_queue *queue)
{
    join_side_release(&lane->side);
    row_part_reader_close(&lane->build);
    row_part_reader_close(&lane->probe);
    dev_buffer_unref(lane->seen);
    lane->seen = NULL;
    join_queue_done(queue, &lane->grant);
    lane->stage = PARTS_IDLE;
}

static exec_step rest(join_parts_lane *lane, join_queue *queue, exec_task *task, chunk **output)
{
    uint64_t slice = ((uint64_t)task->stream->dev->chunk_rows + 63) / 64 * 64;
    uint64_t left = lane->side.table.row_count - lane->next_row;
    if (left) {
        uint64_t first = lane->next_row, count = left < slice ? left : slice;
        lane->next_row += count;
        EXEC_TRY(task, join_tail_rows(queue->join, &lane->side, task, first, count, output));
        return *output ? give(queue->join, task, output) : EXEC_NEED_INPUT;
    }
    if (lane->is_last) {
        end_part(lane, queue);
    } else {
        join_side_release(&lane->side);
        EXEC_TRY(task, begin_rows(lane, queue->join, task));
    }
    return EXEC_NEED_INPUT;
}

/* ---- cutting ---- */

static status begin_cut(join_parts_lane *lane, op_join_build *join)
{
    unsigned level = lane->grant.part.cut->build->level + 1;
    lane->cut = mem_new(sizeof *lane->cut);
    if (!lane->cut)
        return status_no_memory("join", sizeof *lane->cut);
    TRY(row_parts_new(join->spill.file, &join->base, "join build", level, &lane->cut->build));
    lane->stage = PARTS_CUT_BUILD;
    return row_parts_new(join->spill.file, &join->base, "join probe", level, &lane->cut->probe);
}

static exec_step cut(join_parts_lane *lane, join_queue *queue, exec_task *task)
{
    bool is_build = lane->stage == PARTS_CUT_BUILD;
    row_parts *target = is_build ? lane->cut->build : lane->cut->probe;
    chunk *c;
    exec_step step = row_part_next(is_build ? &lane->build : &lane->probe, task, &c);
    if (step == EXEC_HAVE_OUTPUT) {
        EXEC_TRY(task, join_collect(&lane->collector, task, target, c));
        return EXEC_NEED_INPUT;
    }
    if (step != EXEC_FINISHED)
        return step;
    EXEC_TRY(task, join_collect_end(&lane->collector, task, target));
    lane->stage = PARTS_CUT_PROBE;
    if (is_build)
        return EXEC_NEED_INPUT;
    join_cut *made = lane->cut;
    lane->cut = NULL;
    EXEC_TRY(task, join_queue_add(queue, &lane->grant.part, made));
    end_part(lane, queue);
    return EXEC_NEED_INPUT;
}

/* ---- the lane ---- */

/* A bit for each row, each chunk's in words of its own. */
static status new_seen(join_parts_lane *lane, exec_task *task)
{
    const row_part *part = join_part_probe(&lane->grant.part);
    size_t bytes = (part->rows / 64 + part->blocks.count + 1) * sizeof(uint64_t);
    TRY(dev_alloc(task->stream->dev, bytes, "join probe", &lane->seen));
    return task->stream->dev->ops->zero(task->stream, lane->seen->address, bytes);
}

static exec_step begin_part(join_parts_lane *lane, join_queue *queue, exec_task *task)
{
    const join_part *part = &lane->grant.part;
    row_part_reader_init(&lane->build, part->cut->build, part->number, true);
    row_part_reader_init(&lane->probe, part->cut->probe, part->number, true);
    lane->blocks = 0;
    if (lane->grant.work == JOIN_WORK_CUT) {
        EXEC_TRY(task, begin_cut(lane, queue->join));
        return EXEC_NEED_INPUT;
    }
    if (lane->grant.work == JOIN_WORK_PIECES)
        EXEC_TRY(task, new_seen(lane, task));
    EXEC_TRY(task, begin_rows(lane, queue->join, task));
    return EXEC_NEED_INPUT;
}

exec_step join_parts_pull(join_parts_lane *lane, join_queue *queue, exec_task *task, chunk **output)
{
    exec_step step;
    switch (lane->stage) {
    case PARTS_LOAD:
        return load(lane, queue, task);
    case PARTS_TABLE:
        return make_table(lane, queue, task);
    case PARTS_PROBE:
        return probe(lane, queue->join, task, output);
    case PARTS_REST:
        return rest(lane, queue, task, output);
    case PARTS_CUT_BUILD:
    case PARTS_CUT_PROBE:
        return cut(lane, queue, task);
    default:
        step = join_queue_take(queue, task, &lane->grant);
        return step == EXEC_HAVE_OUTPUT ? begin_part(lane, queue, task) : step;
    }
}

status join_parts_lane_init(join_parts_lane *lane, const op_join_build *join, exec_task *task)
{
    return join_prober_init(&lane->prober, join, task);
}

void join_parts_lane_release(join_parts_lane *lane, join_queue *queue)
{
    join_prober_release(&lane->prober);
    join_collector_release(&lane->collector);
    dev_buffer_unref(lane->bounds);
    join_cut_free(lane->cut);
    end_part(lane, queue);
}
