/* op_join.h - inside the join operator: what build, probe and tail share. */
#ifndef PISTACHIO_EXEC_JOIN_OP_JOIN_H
#define PISTACHIO_EXEC_JOIN_OP_JOIN_H

#include "exec/expression/program.h"
#include "exec/join/join_table.h"
#include "exec/sched/lock.h"
#include "exec/sched/query.h"
#include "exec/spill/partitions.h"
#include "net/net.h"

#include <pthread.h>

/* The origin of an output column. */
typedef struct join_source {
    bool is_build, is_mark;
    uint32_t column; /* of the probe's or build's input */
} join_source;

/* Build rows that probe rows meet: all of them, or those of a part. */
typedef struct join_side {
    join_table table;
    join_key_range *ranges; /* of the keys, where the table needs them */
    /* RIGHT, FULL, emits_build: a bit per build row that has a match. Without a residual, semi and
     * anti joins mark groups first. */
    dev_buffer *matched, *matched_groups;
    /* About the whole build side. */
    bool has_rows, has_null_key;
} join_side;

/* Rows in a temporary file, where the build side does not fit memory: join_spill.h. */
typedef struct join_spill {
    _Atomic bool has_begun;
    exec_lock starting; /* held by the task that begins */
    dev_event *started; /* the filters have been zeroed */
    spill_file *file;
    partitions *build, *probe;
    uint64_t rows, bytes; /* that build tasks hold in memory; under the lock */
    _Atomic uint64_t rows_written;
    _Atomic bool has_null_key; /* of the build rows written */
} join_spill;

/* A bound of a build expression that probe rows have: the value of a probe key. */
typedef struct join_bound {
    bool is_there, is_strict;
    uint32_t probe_key;
} join_bound;

/* How far ranks are with one filter of all their build rows: join_filters.h. */
typedef struct join_united {
    unsigned step;
    uint32_t number; /* of the filter at work */
    bool has_table;  /* the table's phase is done meanwhile */
    struct net_collective *collective;
    net_waiter waiter;
    uint64_t *agreed;       /* words that all ranks have */
    uint64_t *words, *sent; /* of the filter; where the host has them */
    uint64_t word_count;
} join_united;

/* The sink of the build side; owns all that is shared. */
typedef struct op_join_build {
    exec_operator base;
    plan_join_type type; /* seen from the probe side: LEFT keeps probe rows, RIGHT build rows */
    bool emits_build;    /* SEMI, ANTI: build rows come out, after all is probed */
    uint32_t probe_columns, build_columns, key_count, output_count;
    /* Counts of expressions of the build side that ranges are of, after the keys; their bounds. */
    uint32_t range_count, probe_key_count;
    join_bound lower, upper; /* of the first one */
    join_bound second;       /* of the second one, */
    bool second_is_upper;    /* which may be an upper one */
    join_source *outputs;
    data_type *probe_types, *build_types, *key_types;
    uint32_t *key_columns;   /* build side: its input's columns, from build_columns on those of
                                build_keys */
    uint32_t stored_columns; /* of the build side: its input's, and build_keys' */
    tensor **bases;          /* by stored column: where wide values stay; under the lock */
    uint64_t base_bytes;     /* that they hold, about */
    data_type *stored_types;
    bool *needed;        /* build side's columns, as far as they are read after the build */
    bool *stored;        /* columns that are needed or keys */
    bool *probe_needed;  /* the probe side's columns that are read */
    program *build_keys; /* those that are not simply a column */
    program *probe_keys, *residual; /* residual: over probe's, then build's columns */
    join_row_need row_need;
    pthread_mutex_t lock;
    join_side whole;
    reserved_columns reserved;
    join_spill spill;
    join_united united;
    struct heavy_keys *heavy; /* or NULL */
    bool is_answering;        /* the table is needed for what other ranks ask; under the lock, */
    bool is_released;         /* as well: nobody else needs it */
    exec_operator *probe;
    exec_operator *tail; /* or NULL */
} op_join_build;

/* op_join_build.c */
extern const exec_operator_ops join_build_ops;
/* Rows with equal keys are not all partners. */
static inline bool join_has_condition(const op_join_build *join)
{
    return join->residual || join->range_count;
}
/* Runtime filters may be of all ranks' build rows: join_filters.h; */
static inline bool join_may_unite_filters(const op_join_build *join)
{
    return join->base.plan->join.has_united_filters;
}
/* are: not where all ranks were to have all build rows, and have. Known when the build side has ended. */
static inline bool join_unites_filters(const op_join_build *join)
{
    uint32_t overflow = join->base.plan->join.overflow_id;
    return join_may_unite_filters(join) &&
           (!overflow || exec_has_overflowed(&join->base.query->overflows[overflow - 1]));
}

/* op_join_probe.c: the operator. */
CHECKED status join_probe_new(op_join_build *join, exec_operator **out);

#endif
