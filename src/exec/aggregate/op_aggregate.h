/* op_aggregate.h - inside the aggregation operator: what the sink and the source of its result
 * share. */
#ifndef PISTACHIO_EXEC_AGGREGATE_OP_AGGREGATE_H
#define PISTACHIO_EXEC_AGGREGATE_OP_AGGREGATE_H

#include "exec/aggregate/aggregate_enough.h"
#include "exec/aggregate/aggregate_merge.h"
#include "exec/expression/program.h"

/* How states become the values of an aggregate. */
typedef struct aggregate_plan {
    aggregate_result result;
    data_type type, result_type; /* of the argument; of the value */
    uint32_t location;
    double share;    /* where the second argument is one */
    int state;       /* of the value; -1: only counted */
    int count_state; /* of values that were not NULL */
} aggregate_plan;

/* The values of aggregates that are DISTINCT, with the same argument and filter. */
typedef struct distinct_set {
    int argument, filter;
    aggregate_core core;
    aggregate_merge merge;
} distinct_set;

/* A task's part of the phase that feeds sets. */
typedef struct set_feed set_feed;

/* The sink; owns all that is shared. */
typedef struct op_aggregate {
    exec_operator base;
    program *program; /* groups, then arguments and filters */
    uint32_t expr_count;
    bool *is_flat;   /* of each expression: it is read as a value or filter, not only as a key */
    int64_t *narrow; /* of each expression: the column that it is and that may be NARROW, or -1 */
    bool *narrow_columns; /* of the input: they may be NARROW */
    aggregate_core core;
    aggregate_merge merge;
    uint32_t aggregate_count;
    aggregate_plan *aggregates;
    uint32_t set_count;
    distinct_set *sets;
    aggregate_enough enough;
    bool needs_rows; /* not all groups and states come from sets */
    set_feed *feeds; /* of each task */
    unsigned feed_count;
} op_aggregate;

/* op_aggregate_source.c: gives the groups when the sink is done. */
CHECKED status op_aggregate_source_new(op_aggregate *sink, exec_operator **out);

#endif
