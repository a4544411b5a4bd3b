/* memory.h - who may hold how much of memory_limit, and when an operator must write what it holds
 * to a temporary file. Of a lazy device it is the device's memory, by device_memory_limit.
 *
 * All operators together may fill three quarters of the limit, or what the row groups of all tasks and
 * an eighth leave of it, if that is less; one of them five sixths of that. The rest is for pages, which
 * a scan has no other way to get room for, and for rows on their way. Whoever wants more than that
 * spills what it holds itself: nobody's memory is taken away, so everyone must be able to do with
 * little. */
#ifndef PISTACHIO_EXEC_SCHED_MEMORY_H
#define PISTACHIO_EXEC_SCHED_MEMORY_H

#include "exec/sched/operator.h"

/* Whether operators may spill at all: there is a limit. */
bool exec_may_spill(const exec_query *query);
/* How many of so many tasks have room to work, each with a row group of the query's scans: at least 1.
 * The same as long as the query lives. */
unsigned exec_memory_tasks(const exec_query *query, unsigned tasks);
/* Bytes that one operator may hold; 0: any number. */
uint64_t exec_memory_share(const exec_query *query);
/* Bytes that a task may collect before it works on them, and whether so many are more. */
uint64_t exec_memory_collected(const exec_task *task);
bool exec_is_much(const exec_task *task, uint64_t bytes);
/* For an operator whose tasks together hold `held` bytes and will need `needed` until what they
 * hold has become a result. `task_needed`: of those, what belongs to the task that asks. True: it
 * must spill that now, and what the query holds only to save work later was given up first. Any
 * thread. */
bool exec_must_spill(const exec_query *query, uint64_t held, uint64_t needed, unsigned task_count,
                     uint64_t task_needed);
/* Bytes that can be taken now, with room left for rows on their way. */
uint64_t exec_memory_room(const exec_query *query);
/* Whether `more` bytes of that can be taken now; 0: any at all. */
bool exec_has_room(const exec_query *query, uint64_t more);
/* Whether any host memory can be taken now: on a lazy device that is pinned memory, of another
 * budget than the device's. */
bool exec_has_host_room(const exec_query *query);
/* Returns the bytes of a block in a temporary file before compression, about: all parts of several tasks at work must
 * fit memory, and reading wants large ones. */
uint64_t exec_block_bytes(const exec_query *query);
/* Returns the bytes that a chunk's columns hold, as far as it is seen; what several share is counted again and
 * again. */
uint64_t exec_chunk_bytes(const chunk *c);
/* Returns the bytes that the bases of INDEXED columns hold in addition, but for those that `before`, the chunk of the
 * same columns that came before it (or NULL), has already. */
uint64_t exec_chunk_base_bytes(const chunk *c, const chunk *before);
/* Returns the bytes of a FLAT tensor's memory, its long strings included. */
uint64_t exec_tensor_bytes(const tensor *t);

#endif
