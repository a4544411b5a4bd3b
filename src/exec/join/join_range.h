/* join_range.h - inside the join: partners by inequalities, besides equal keys or without any.
 *
 *     lists     group 0: rows by value 3 5 5 8   group 1: 1 4 ...      (JOIN_KEYLESS: one list)
 *     a probe row with group 0 and 4 <= value < 8:  └─┘ places 1 to 2
 *
 * The first expression of the build side orders each list; a probe row's partners are then between
 * two places, found by binary search, and pairs are made of those as they are of whole lists. A second
 * expression makes a height of each row, its rank among all: of the places between those two the ones
 * count that are not below the height of the probe row's bound, and runs of 64 and 4,096 lower ones
 * are passed over. */
#ifndef PISTACHIO_EXEC_JOIN_JOIN_RANGE_H
#define PISTACHIO_EXEC_JOIN_JOIN_RANGE_H

#include "exec/join/op_join.h"

/* ---- opening ---- */

/* Adds the build side's expressions to its keys, and the probe's to its; says which bound is
 * which. */
CHECKED status join_range_open(op_join_build *join, arena *a, exec_layout build,
                               expr_list *build_keys, expr_list *probe_keys);

/* ---- the table; all do nothing where there are no ranges ---- */

/* Rows of a chunk that have a NULL are in no group. */
CHECKED status join_range_drop_nulls(const join_table *table, exec_task *task, size_t number,
                                     uint32_t *groups);
/* Fills the lists, which have been summed up, in order. By one task. */
CHECKED status join_range_sort(join_table *table, exec_task *task);
/* Returns the bytes that join_range_find() takes, at most, besides the lists. */
uint64_t join_range_bytes(const join_table *table, uint64_t rows);

/* ---- the probe ---- */

/* groups: of the rows, which become places in *out_places, where a row's partners begin and end in
 * the table's rows, as those of a group do in `starts`; ROW_NULL where there are none. *out_least:
 * NULL, or how high partners have to stand. */
CHECKED status join_range_find(const op_join_build *join, const join_table *table, exec_task *task,
                               tensor *const *keys, dev_count rows, uint32_t *groups,
                               dev_buffer **out_places, dev_buffer **out_least);

#endif
