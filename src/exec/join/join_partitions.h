/* join_partitions.h - inside the join: the result of a join whose rows were spilled, part by part.
 *
 * Tasks take parts (join_queue.h). A part is read, becomes a table and is probed like a whole build
 * side. Where it does not fit the memory it is cut once more, and its parts are taken next; where
 * cutting does not help, as with one key that most rows have, its build rows are taken a piece at a
 * time, with all its probe rows read for each. */
#ifndef PISTACHIO_EXEC_JOIN_JOIN_PARTITIONS_H
#define PISTACHIO_EXEC_JOIN_JOIN_PARTITIONS_H

#include "exec/join/join_probe.h"
#include "exec/join/join_queue.h"

typedef enum parts_stage {
    PARTS_IDLE,
    PARTS_LOAD,  /* reads build rows */
    PARTS_TABLE, /* makes their table */
    PARTS_PROBE, /* reads probe rows and gives output */
    PARTS_REST,  /* gives build rows */
    PARTS_CUT_BUILD,
    PARTS_CUT_PROBE
} parts_stage;

typedef struct join_partitions_local {
    parts_stage stage;
    join_grant grant;
    partition_reader build, probe;
    size_t blocks; /* of the build rows, read */
    join_prober prober;
    /* The build rows at work: all of the part, or a piece. */
    join_side side;
    dev_buffer *bounds;
    uint64_t rows, bytes; /* read */
    unsigned phase;       /* of making the table */
    uint64_t next_row;    /* to be given */
    bool is_last;         /* piece */
    dev_buffer *seen;     /* pieces: a bit per probe row */
    uint64_t seen_at;     /* the next chunk's word */
    /* Cutting. */
    join_cut *cut;
    join_collector collector;
} join_partitions_local;

/* Init takes a zeroed task, after the last row was spilled; release also takes a half-made one. */
CHECKED status join_partitions_local_init(join_partitions_local *local, const op_join_build *join,
                                          exec_task *task);
void join_partitions_local_release(join_partitions_local *local, join_queue *queue);
/* As a source's pull. */
exec_result join_partitions_pull(join_partitions_local *local, join_queue *queue, exec_task *task,
                                 chunk **output);

#endif
