/* op_join.h - inside the join operator: what build, probe and tail share. */
#ifndef PISTACHIO_EXEC_OP_JOIN_H
#define PISTACHIO_EXEC_OP_JOIN_H

#include "exec/join_table.h"
#include "exec/program.h"

#include <pthread.h>

typedef ARRAY(chunk *) join_chunk_list;

/* Where an output column comes from. */
typedef struct join_source {
    bool is_build, is_mark;
    uint32_t column; /* of the probe's or build's input */
} join_source;

/* The sink of the build side; owns all that is shared. */
typedef struct op_join_build {
    exec_operator base;
    plan_join_type type; /* seen from the probe side: LEFT keeps probe rows, RIGHT build rows */
    uint32_t probe_columns, build_columns, key_count, output_count;
    join_source *outputs;
    data_type *probe_types, *build_types, *key_types;
    program *build_keys, *probe_keys, *residual; /* residual: over probe's, then build's columns */
    pthread_mutex_t lock;
    join_chunk_list chunks;
    join_table table;
} op_join_build;

extern const exec_operator_ops join_build_ops;

/* A NULL for every row. */
CHECKED status join_null_column(dev_stream *stream, data_type type, tensor **out);
/* op_join_probe.c */
CHECKED status join_probe_new(op_join_build *join, exec_operator **out);
/* op_join_tail.c: build rows without a match, for RIGHT and FULL. */
CHECKED status join_tail_new(op_join_build *join, exec_operator **out);

#endif
