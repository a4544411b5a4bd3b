/* memory.c - shares of memory_limit. */
#include "exec/sched/memory.h"

#include "base/fault.h"
#include "exec/sched/query.h"

/* Sixths of what operators may hold: of one of them. */
#define SHARE 5
#define MOST 6
/* One part in this many of the limit stays free of operators' holdings, */
#define FREE 4
/* or more, beside the row groups of all tasks: for rows on their way. */
#define FREE_ROWS 8
/* Operators may hold one part in this many of the limit however large row groups are. */
#define LEAST 8
/* A task may collect one part in this many of its equal part before it is worked on. */
#define COLLECT 4
/* One part in this many of a task's equal part of the share: less is not worth spilling, and has to be granted. */
#define TASK_FLOOR 16

#define BLOCKS_OF_SHARE 256
#define BLOCK_BYTES_MIN ((uint64_t)16 << 10)
#define BLOCK_BYTES_MAX ((uint64_t)1 << 20)

/* Bytes that a task wants for the pages and rows it works on, */
#define TASK_BYTES ((uint64_t)24 << 20)
/* or more, of large row groups: those of all tasks take at most two thirds of the limit. */
static uint64_t row_groups_share(uint64_t limit)
{
    return limit / 3 * 2;
}

unsigned exec_memory_tasks(const exec_query *query, unsigned tasks)
{
    uint64_t limit = mem_budget_limit(exec_budget(query));
    uint64_t most = limit / TASK_BYTES;
    if (query->task_bytes && row_groups_share(limit) / query->task_bytes < most)
        most = row_groups_share(limit) / query->task_bytes;
    if (!limit || most >= tasks)
        return tasks;
    return most ? (unsigned)most : 1;
}

/* ---- what operators may hold together: the limit less what the scans' row groups need, whether these are
 * there at the moment or not. A scan has no other way to get room for them. ---- */

static uint64_t row_groups_bytes(const exec_query *query)
{
    return query->task_bytes * exec_task_count(query);
}

static uint64_t most_held(const exec_query *query)
{
    uint64_t limit = mem_budget_limit(exec_budget(query));
    uint64_t most = limit - limit / FREE, groups = row_groups_bytes(query);
    uint64_t taken = groups + limit / FREE_ROWS;
    uint64_t left = limit > taken ? limit - taken : 0;
    if (left < limit / LEAST)
        left = limit / LEAST;
    return groups && left < most ? left : most;
}

/* Pages that are more than the scans' are kept by operators. */
static uint64_t held_now(const exec_query *query)
{
    uint64_t used = mem_budget_used(exec_budget(query)), groups = row_groups_bytes(query);
    uint64_t pages = atomic_load_explicit(&exec_device(query)->page_bytes, memory_order_relaxed);
    pages = pages < groups ? pages : groups;
    return used > pages ? used - pages : 0;
}

bool exec_may_spill(const exec_query *query)
{
    return mem_budget_limit(exec_budget(query));
}

uint64_t exec_memory_share(const exec_query *query)
{
    return most_held(query) / MOST * SHARE;
}

uint64_t exec_memory_collected(const exec_task *task)
{
    return exec_memory_share(task->query) / COLLECT / task->count;
}

bool exec_is_much(const exec_task *task, uint64_t bytes)
{
    return exec_may_spill(task->query) && bytes > exec_memory_collected(task);
}

bool exec_must_spill(const exec_query *query, uint64_t held, uint64_t needed, unsigned task_count,
                     uint64_t task_needed)
{
    uint64_t share = exec_memory_share(query);
    if (!exec_may_spill(query))
        return false;
    if (fault_check(FAULT_ROOM))
        return true;
    if (task_needed < share / task_count / TASK_FLOOR)
        return false;
    uint64_t used = held_now(query), most = most_held(query);
    uint64_t others = used > held ? used - held : 0;
    if (needed > share)
        return true;
    if (others + needed <= most)
        return false;
    uint64_t dropped = query->reclaim ? query->reclaim(query) : 0;
    return (others > dropped ? others - dropped : 0) + needed > most;
}

static uint64_t memory_room_of(const mem_budget *budget)
{
    uint64_t limit = mem_budget_limit(budget);
    uint64_t used = mem_budget_used(budget), most = limit - limit / FREE;
    if (!limit)
        return UINT64_MAX;
    return used < most ? most - used : 0;
}

uint64_t exec_memory_room(const exec_query *query)
{
    return memory_room_of(exec_budget(query));
}

static bool memory_has_room(uint64_t room, uint64_t more)
{
    return room && more <= room && (room == UINT64_MAX || !fault_check(FAULT_ROOM));
}

bool exec_has_room(const exec_query *query, uint64_t more)
{
    return memory_has_room(exec_memory_room(query), more);
}

bool exec_has_host_room(const exec_query *query)
{
    return memory_has_room(memory_room_of(dev_host(exec_device(query))->budget), 0);
}

uint64_t exec_block_bytes(const exec_query *query)
{
    uint64_t bytes = exec_memory_share(query) / BLOCKS_OF_SHARE;
    if (bytes < BLOCK_BYTES_MIN)
        return BLOCK_BYTES_MIN;
    return bytes < BLOCK_BYTES_MAX ? bytes : BLOCK_BYTES_MAX;
}

static uint64_t memory_buffer_bytes(const dev_buffer *buffer)
{
    return buffer ? buffer->bytes : 0;
}

/* Adds up the memory of texts and children, but for that of a base, which others may share. */
static uint64_t memory_heap_bytes(const string_heap *heap)
{
    uint64_t bytes = 0;
    for (uint32_t k = 0; heap && k < heap->buffer_count; k++)
        bytes += memory_buffer_bytes(heap->buffers[k]);
    for (uint32_t k = 0; heap && k < heap->child_count; k++) {
        const tensor *child = heap->children[k];
        bytes += child->index ? memory_buffer_bytes(child->index->owner) : 0;
        bytes += exec_tensor_bytes(child);
    }
    return bytes;
}

uint64_t exec_tensor_bytes(const tensor *t)
{
    return memory_buffer_bytes(t->values_owner) + memory_buffer_bytes(t->validity_owner) +
           memory_heap_bytes(t->heap);
}

uint64_t exec_chunk_base_bytes(const chunk *c, const chunk *before)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < c->column_count; i++) {
        const tensor *t = c->columns[i], *other = before ? before->columns[i] : NULL;
        if (t && t->form == TENSOR_INDEXED && (!other || other->base != t->base))
            bytes += exec_tensor_bytes(t->base);
    }
    return bytes;
}

uint64_t exec_chunk_bytes(const chunk *c)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < c->column_count; i++) {
        const tensor *t = c->columns[i];
        if (!t)
            continue;
        uint64_t values = t->form == TENSOR_FLAT ? c->rows.bound * t->type.width : 0;
        uint64_t owned = memory_buffer_bytes(t->values_owner); /* of reserved bytes: 0 */
        bytes += (owned > values ? owned : values) + memory_buffer_bytes(t->validity_owner);
        if (t->form == TENSOR_INDEXED)
            bytes += c->rows.bound * sizeof(uint32_t);
        bytes += memory_heap_bytes(t->heap);
    }
    return bytes + bytes / 8; /* buffers are a little larger than what was asked for */
}
