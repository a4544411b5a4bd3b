/* aggregate_merge_slice.h - some of a table's groups, ordered by parts of their keys' hashes, and the parts' groups put
 * together. */
#ifndef PISTACHIO_EXEC_AGGREGATE_AGGREGATE_MERGE_SLICE_H
#define PISTACHIO_EXEC_AGGREGATE_AGGREGATE_MERGE_SLICE_H

#include "exec/aggregate/aggregate_table.h"

/* Keys, hashes and states are copied part by part, so that whoever takes a part reads on from where
 * it begins; the table is not needed any more then. */
typedef struct merge_slice {
    aggregate_table *table; /* POSITIONS: NULL, for all tables */
    uint64_t first, count;  /* POSITIONS: of the target */
    uint64_t groups;        /* that occur */
    dev_buffer *rows, *hashes, **states;
    uint32_t *offsets; /* where each part begins, and the end */
    dev_fetch asked;   /* on their way */
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

#endif
