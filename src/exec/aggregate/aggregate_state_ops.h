/* aggregate_state_ops.h - what a kind of aggregate state is: the `state` column of aggregates.def,
 * an aggregate_state_ops named aggregate_state_<state> in one of the files aggregate_state_*.c. */
#ifndef PISTACHIO_EXEC_AGGREGATE_AGGREGATE_STATE_OPS_H
#define PISTACHIO_EXEC_AGGREGATE_AGGREGATE_STATE_OPS_H

#include "exec/aggregate/aggregate_table.h"

/* Rows, or states of another table, to be added to a table's states. */
typedef struct state_update {
    const aggregate_core *core;
    exec_task *task;
    aggregate_table *table;
    const uint32_t *groups;  /* of each; NULL: all are of group 0 */
    const uint64_t *present; /* of few groups, those that occur; NULL: not known */
    dev_count rows;
    uint64_t groups_before; /* at most */
    tensor *const *values;  /* by number; NULL where states are added */
} state_update;

/* States to be made values of a column. */
typedef struct state_finish {
    exec_task *task;
    aggregate_result result;
    data_type type, result_type; /* of the argument; of the values */
    uint32_t location;
    const void *states;
    const text_heap *heap; /* of the states' array */
    uint32_t width;        /* of a state */
    const void *counts;    /* of values, by group; for means, else NULL */
    double share;          /* where the second argument is one */
    dev_count count;
} state_finish;

typedef struct aggregate_state_ops {
    /* Bytes of a state. */
    uint32_t (*width)(const aggregate_core *core, const aggregate_table *table,
                      const state_plan *plan);
    /* Begins a state, in two words. NULL: zeros. */
    void (*begin)(const state_plan *plan, uint64_t words[2]);
    /* Adds the argument's values where they are not NULL and the filter (may be NULL) is true. */
    status (*update)(const state_update *u, const state_plan *plan, state_array *array,
                     const tensor *argument, const tensor *filter);
    /* Adds as many states as u->rows, each `width` bytes; NULL: counts that are all 1. */
    status (*merge)(const state_update *u, const state_plan *plan, const state_array *array,
                    const void *states, uint32_t width);
    /* Puts into the states what came with rows and is not there yet; NULL: all is. */
    status (*seal)(const aggregate_core *core, dev_stream *stream, const aggregate_table *table,
                   state_array *array);
    /* Makes values of states, into out->values, and out->heap if they lie in one. NULL: states are values, and out->type says
     * so. */
    status (*finish)(const state_finish *f, tensor *out);
    /* Stands in for this one where arguments are floats; or NULL. */
    const struct aggregate_state_ops *of_floats;
    bool takes_doubles; /* arguments are cast */
    bool keeps_values;
    bool takes_share; /* the second argument is a constant double, which `finish` is told */
} aggregate_state_ops;

#define AGGREGATE(name, sql, argument, type, state, operation, result, ignores_distinct, help)     \
    extern const aggregate_state_ops aggregate_state_##state;
#include "plan/tree/aggregates.def"
extern const aggregate_state_ops aggregate_state_number; /* sum, of floats */

/* The states are text, whose bytes lie in the array's heap. */
bool state_is_text(const state_plan *plan);
/* The text of states that changed with the last rows is copied to the array's heap, if it is not
 * yet. */
CHECKED status state_own_text(const aggregate_core *core, dev_stream *stream,
                              const aggregate_table *table, state_array *array);
/* Forgets it. */
void state_lent_text_release(device *dev, state_array *array);
/* The states are lists of values, which lie in the array's heap. */
static inline bool state_keeps_values(const state_plan *plan)
{
    return plan->ops->keeps_values;
}
/* Lists as blobs, NULL where there are no values; and back, into states that there is memory for. */
CHECKED status state_values_to_column(const aggregate_core *core, exec_task *task,
                                      const void *states, uint64_t count, tensor **out);
CHECKED status state_values_from_column(const aggregate_core *core, dev_stream *stream,
                                        const tensor *t, uint64_t count, state_array *array);
/* Sums get 16 bytes each. */
CHECKED status state_widen_sum(const aggregate_core *core, dev_stream *stream,
                               const aggregate_table *table, state_array *array);

#endif
