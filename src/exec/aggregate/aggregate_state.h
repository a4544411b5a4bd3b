/* aggregate_state.h - the states of a table's groups: made, updated by rows, merged, read. */
#ifndef PISTACHIO_EXEC_AGGREGATE_AGGREGATE_STATE_H
#define PISTACHIO_EXEC_AGGREGATE_AGGREGATE_STATE_H

#include "exec/aggregate/aggregate_table.h"

/* Memory for the arrays of a table's states, empty. */
CHECKED status states_init(const aggregate_core *core, aggregate_table *table);
void states_release(const aggregate_core *core, aggregate_table *table);
/* Gives the table the states of all sources; those that it did not hold are as if no row had come to them. */
CHECKED status states_complete(const aggregate_core *core, dev_stream *stream,
                               aggregate_table *table);
/* Room for the states of groups below `groups`. */
CHECKED status states_reserve(const aggregate_core *core, dev_stream *stream,
                              aggregate_table *table, uint64_t groups);
/* The states of the table's source. values: FLAT, by number; groups NULL: all rows are of group 0.
 * Groups from groups_before on are new with these rows. */
CHECKED status states_update(const aggregate_core *core, exec_task *task, aggregate_table *table,
                             tensor *const *values, const uint32_t *groups, dev_count rows,
                             uint64_t groups_before);
/* Cuts the states loose from the rows that came last. */
CHECKED status states_learn(const aggregate_core *core, dev_stream *stream, aggregate_table *table);
/* All rows that came are in the states, which may be read, and added to others, from then on. */
CHECKED status states_seal(const aggregate_core *core, dev_stream *stream, aggregate_table *table);
/* Makes target hold from's states, as wide as adding them needs, and keeps alive what from's text is. To be
 * called once for each table that is merged. */
CHECKED status states_prepare(const aggregate_core *core, dev_stream *stream,
                              aggregate_table *target, const aggregate_table *from);
/* Aligns tables so that any of them may then be added to any other, but for text. */
CHECKED status states_align(const aggregate_core *core, dev_stream *stream,
                            aggregate_table *const *tables, size_t table_count);
CHECKED status states_share_text(const aggregate_core *core, aggregate_table *target,
                                 const aggregate_table *from);
/* Adds the states of `count` groups of `from`: those at first + list[i], or (list NULL) those from
 * `first` on. groups: where to; NULL: all to group 0. */
CHECKED status states_merge(const aggregate_core *core, exec_task *task, aggregate_table *target,
                            const uint32_t *groups, const aggregate_table *from,
                            const uint32_t *list, uint64_t first, uint64_t count);
/* Merges `count` groups of `from` whose states were copied, from the copies' `first` on. NULL among the copies stands
 * for states that `from` holds: counts that are all 1. */
CHECKED status states_merge_copies(const aggregate_core *core, exec_task *task,
                                   aggregate_table *target, const uint32_t *groups,
                                   const aggregate_table *from, dev_buffer *const *copies,
                                   uint64_t first, uint64_t count);
/* Gives the groups' states as an array: the table's own, or (list) gathered into *owner. *out is NULL for a shared
 * count where the rows are not counted: all 1 at least. */
CHECKED status states_view(const aggregate_core *core, dev_stream *stream,
                           const aggregate_table *table, uint32_t state, const uint32_t *list,
                           uint64_t first, uint64_t count, const void **out, dev_buffer **owner);
uint64_t states_bytes(const aggregate_table *table);

#endif
