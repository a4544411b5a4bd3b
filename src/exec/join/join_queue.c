/* join_queue.c - parts of a spilled join and the tasks that take them. */
#include "exec/join/join_queue.h"

#include "base/system/mutex.h"
#include "exec/join/join_side.h"
#include "exec/sched/memory.h"

/* A part gets one part in this many of an operator's share of memory, however little others leave. */
#define FLOOR 8
/* A part of at most this many bytes is taken whole: cutting it and reading it again costs more. */
#define WHOLE_BYTES ((uint64_t)16 << 10)
/* A part with more of the rows than that was not made smaller by cutting: most have one key. */
#define FINAL_SHARE(rows) ((rows) / 8 * 7)

void join_queue_init(join_queue *queue, op_join_build *join)
{
    *queue = (join_queue){.join = join};
    mutex_init(&queue->lock);
}

void join_cut_free(join_cut *cut)
{
    if (!cut)
        return;
    partitions_free(cut->build);
    partitions_free(cut->probe);
    mem_free(cut);
}

void join_queue_release(join_queue *queue)
{
    for (size_t i = 0; i < queue->cuts.count; i++)
        join_cut_free(queue->cuts.items[i]);
    array_release(&queue->cuts);
    array_release(&queue->parts);
    array_release(&queue->waiting);
    mutex_destroy(&queue->lock);
}

static const partition *join_part_build(const join_part *part)
{
    return &part->cut->build->parts[part->number];
}

const partition *join_part_probe(const join_part *part)
{
    return &part->cut->probe->parts[part->number];
}

/* ---- adding ---- */

/* The part gives rows. */
static bool matters(const op_join_build *join, const join_part *part)
{
    bool keeps_probe = !join->emits_build && join->type != JOIN_INNER && join->type != JOIN_RIGHT &&
                       join->type != JOIN_SEMI;
    bool keeps_build = join_marks_build(join) && join->type != JOIN_SEMI;
    return (join_part_build(part)->rows || keeps_probe) &&
           (join_part_probe(part)->rows || keeps_build);
}

/* Under the lock. */
static status add_cut(join_queue *queue, join_cut *cut, uint64_t rows)
{
    status st = array_reserve(NULL, &queue->cuts, 1);
    if (st) {
        join_cut_free(cut);
        return st;
    }
    queue->cuts.items[queue->cuts.count++] = cut;
    for (size_t p = 0; p < ROW_PARTS; p++) {
        join_part part = {.cut = cut, .number = p};
        part.is_final = cut->build->level + 1 == ROW_PART_LEVELS || !queue->join->key_count ||
                        join_part_build(&part)->rows > FINAL_SHARE(rows);
        if (matters(queue->join, &part))
            TRY(array_push(NULL, &queue->parts, part));
    }
    return STATUS_OK;
}

status join_queue_add(join_queue *queue, const join_part *part, join_cut *cut)
{
    mutex_lock(&queue->lock);
    status st = add_cut(queue, cut, join_part_build(part)->rows);
    exec_wake_all(&queue->waiting);
    mutex_unlock(&queue->lock);
    return st;
}

/* Queues what was cut first, before any task takes a part. */
static status join_queue_begin(join_queue *queue)
{
    join_spill *spill = &queue->join->spill;
    if (queue->has_begun)
        return STATUS_OK;
    queue->has_begun = true;
    join_cut *cut = mem_new(sizeof *cut);
    if (!cut)
        return status_no_memory("join", sizeof *cut);
    *cut = (join_cut){spill->build, spill->probe};
    spill->build = spill->probe = NULL;
    return add_cut(queue, cut, atomic_load(&spill->rows_written));
}

/* ---- taking ---- */

static uint64_t lesser(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t without(uint64_t from, uint64_t bytes)
{
    return from > bytes ? from - bytes : 0;
}

/* How the part can be worked on now; false: not before another one is done. */
static bool join_queue_choose(const join_queue *queue, join_grant *grant)
{
    const op_join_build *join = queue->join;
    const partition *build = join_part_build(&grant->part);
    uint64_t share = exec_memory_share(join->base.query), room = exec_memory_room(join->base.query);
    uint64_t needed = join_bytes_needed(join, build->rows, build->plain_bytes);
    /* If no other part was at work, and now. */
    uint64_t alone = lesser(share, room + queue->bytes - queue->promised);
    if (alone < share / FLOOR)
        alone = share / FLOOR;
    uint64_t now = lesser(without(room, queue->promised), without(alone, queue->bytes));
    grant->work = JOIN_WORK_WHOLE;
    grant->bytes = needed;
    if (needed <= WHOLE_BYTES)
        return true;
    /* There is room for what there is: asked for the tests that let it seem full. */
    bool seems_full = room && !exec_has_room(join->base.query, lesser(needed, room));
    if (needed <= alone && !seems_full)
        return needed <= now || !queue->at_work;
    grant->bytes = 0;
    grant->work = JOIN_WORK_CUT;
    if (!grant->part.is_final)
        return true;
    grant->work = JOIN_WORK_PIECES;
    grant->bytes = alone;
    return !queue->at_work;
}

/* Under the lock. EXEC_WAIT: not registered yet. */
static exec_result join_join_queue_take(join_queue *queue, join_grant *grant)
{
    if (!queue->parts.count)
        return queue->at_work ? EXEC_WAIT : EXEC_FINISHED;
    *grant = (join_grant){.part = queue->parts.items[queue->parts.count - 1]};
    if (!join_queue_choose(queue, grant))
        return EXEC_WAIT;
    queue->parts.count--;
    queue->at_work++;
    grant->is_there = true;
    grant->promised = grant->bytes;
    queue->bytes += grant->bytes;
    queue->promised += grant->promised;
    return EXEC_HAVE_OUTPUT;
}

exec_result join_queue_take(join_queue *queue, exec_task *task, join_grant *grant)
{
    exec_result result = EXEC_FAILED;
    mutex_lock(&queue->lock);
    status st = join_queue_begin(queue);
    if (!st)
        result = join_join_queue_take(queue, grant);
    if (result == EXEC_WAIT)
        st = array_push(NULL, &queue->waiting, task);
    mutex_unlock(&queue->lock);
    EXEC_TRY(task, st);
    return result;
}

void join_queue_took(join_queue *queue, join_grant *grant, uint64_t bytes)
{
    bytes = lesser(bytes, grant->promised);
    mutex_lock(&queue->lock);
    grant->promised -= bytes;
    queue->promised -= bytes;
    mutex_unlock(&queue->lock);
}

void join_queue_done(join_queue *queue, join_grant *grant)
{
    if (!grant->is_there)
        return;
    mutex_lock(&queue->lock);
    queue->at_work--;
    queue->bytes -= grant->bytes;
    queue->promised -= grant->promised;
    exec_wake_all(&queue->waiting);
    mutex_unlock(&queue->lock);
    *grant = (join_grant){0};
}
