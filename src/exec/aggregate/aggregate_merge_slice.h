/* aggregate_merge_slice.h - some of a table's groups, ordered by parts of their keys' hashes, and the parts' groups put
 * together.
 *
 *   slice 0  | part 0 | part 1 | part 2 |        a part's groups come from the same piece of each slice, into a
 *   slice 1  | part 0 | part 1 | part 2 |  --->  table that is as small as the cache wants it, and go back
 *   slice 2  | part 0 | part 1 | part 2 |        where they came from, from the first slice on
 *
 * So the result takes no memory beside that of what is merged: slices become tables of it, full ones as they are. */
#ifndef PISTACHIO_EXEC_AGGREGATE_AGGREGATE_MERGE_SLICE_H
#define PISTACHIO_EXEC_AGGREGATE_AGGREGATE_MERGE_SLICE_H

#include "exec/aggregate/aggregate_table.h"

/* Keys, hashes and states are copied part by part, so that whoever takes a part reads on from where
 * it begins; the table is not needed any more then. */
typedef struct merge_slice {
    aggregate_table *table;              /* POSITIONS: NULL, for all tables */
    uint64_t first, count;               /* POSITIONS: of the target */
    uint64_t groups;                     /* that occur */
    dev_buffer *rows, *hashes, **states; /* those that the table holds */
    uint32_t *offsets;                   /* where each part begins, and the end */
    uint32_t *kept;                      /* groups of each part's result that were put there */
    dev_fetch asked;                     /* on their way */
} merge_slice;

void merge_slice_release(const aggregate_core *core, merge_slice *slice);
/* Orders the slice by 2^bits parts; keys are packed by `layout`. Where parts begin is asked for. */
CHECKED status merge_slice_order(const aggregate_core *core, exec_task *task, merge_slice *slice,
                                 const key_layout *layout, uint32_t bits);
static inline uint64_t merge_slice_count(const merge_slice *slice, size_t part)
{
    return slice->offsets[part + 1] - slice->offsets[part];
}
/* Adds a part of an ordered slice. */
CHECKED status merge_slice_add(const aggregate_core *core, exec_task *task, aggregate_table *target,
                               const merge_slice *slice, size_t part);
/* Adds a part of all slices, `rows` groups together, to an empty table. On host devices. */
CHECKED status merge_slices_add(const aggregate_core *core, exec_task *task,
                                aggregate_table *target, const merge_slice *slices,
                                size_t slice_count, size_t part, uint64_t rows);
/* Whether groups of a part's table, which has exact counts and is no more added to, can be put into the slice. */
bool merge_slice_takes(const merge_slice *slice, const aggregate_table *result);
/* Puts groups of the part's table, from `first` on, where the part's groups of the slice were, as many as go
 * there. */
CHECKED status merge_slice_put(dev_stream *stream, merge_slice *slice, size_t part,
                               const aggregate_table *result, uint64_t first, uint64_t *out_count);
/* Makes a table of what was put into the slice, NULL if that is nothing; the slice is left without groups. like: a
 * part's table, whose groups may be gone. */
CHECKED status merge_slice_to_table(const aggregate_core *core, dev_stream *stream,
                                    merge_slice *slice, size_t parts, const aggregate_table *like,
                                    aggregate_table **out);

#endif
