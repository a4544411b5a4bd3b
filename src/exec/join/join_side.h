/* join_side.h - build rows that probe rows meet. */
#ifndef PISTACHIO_EXEC_JOIN_JOIN_SIDE_H
#define PISTACHIO_EXEC_JOIN_JOIN_SIDE_H

#include "exec/join/op_join.h"

/* An empty side, whose table can be made; what it points to is the join's. */
CHECKED status join_side_init(const op_join_build *join, join_side *side);
void join_side_release(join_side *side); /* takes a zeroed one */
/* The table is made: what is noted while it is probed. */
CHECKED status join_side_start(const op_join_build *join, exec_task *task, join_side *side);
/* All is probed: where groups were marked, their rows get the mark. Tasks share *next_group. */
CHECKED status join_side_mark_rows(const join_side *side, exec_task *task,
                                   _Atomic uint64_t *next_group);
/* Adds what words of join_key_bounds, three a key, say of a side's keys; NULL: nothing is known. */
void join_side_add_bounds(const op_join_build *join, join_side *side, const uint64_t *bounds);
/* Such words, to which nothing was added yet; NULL where the table needs none. */
CHECKED status join_bounds_new(const op_join_build *join, exec_task *task, dev_buffer **out);
CHECKED status join_bounds_add(const op_join_build *join, exec_task *task, const chunk *c,
                               dev_buffer *bounds);
/* Makes room on the heap for such words. */
CHECKED status join_bounds_make(const op_join_build *join, uint64_t **out);
/* Reads such words into memory on the heap; NULL if `bounds` is. */
CHECKED status join_bounds_read(const op_join_build *join, exec_task *task,
                                const dev_buffer *bounds, uint64_t **out);
/* True if matches of build rows are kept. */
bool join_marks_build(const op_join_build *join);
/* A NULL for every row. */
CHECKED status join_null_column(dev_stream *stream, data_type type, tensor **out);

#endif
