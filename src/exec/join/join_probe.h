/* join_probe.h - inside the join: a task's probing of one side of build rows, chunk by chunk. */
#ifndef PISTACHIO_EXEC_JOIN_JOIN_PROBE_H
#define PISTACHIO_EXEC_JOIN_JOIN_PROBE_H

#include "exec/join/join_dictionary.h"

typedef enum probe_stage {
    PROBE_IDLE,
    PROBE_KEYS,
    PROBE_COUNTING, /* how many pairs there are is on its way to the host */
    PROBE_PAIRS,
    PROBE_RESIDUAL,
    PROBE_EACH_ROW, /* an outer join's rows, with and without a match, in one chunk */
    PROBE_REST
} probe_stage;

typedef struct join_prober {
    const op_join_build *join;
    const join_side *side; /* what is probed */
    program_run *keys_run, *residual_run;
    probe_stage stage;
    chunk *input;
    dev_count rows; /* of the input */
    uint32_t next_key;
    tensor **keys; /* FLAT, but for one that `dictionary` takes */
    join_dictionary dictionary;
    row_index *groups;
    dev_buffer *places;  /* with ranges: where the pairs of a row begin and end; else the table's */
    dev_buffer *least;   /* with two: which of those count; see join_range_find */
    dev_buffer *matched; /* a bit per probe row, where a residual decides */
    dev_buffer *cursor;  /* [0], [1] of join_pairs, [2] its count; [3] of join_pairs_total */
    bool is_counted;     /* the chunk's pairs are: */
    dev_fetch counted;
    late_chunk rest; /* rows that an outer join keeps; their number is on its way to the host */
    uint64_t pairs_left;
    bool pairs_done;
    row_index *pair_probe, *pair_build; /* the pairs at work */
    dev_count pairs;
    dev_buffer *pairs_owner; /* of their count, where it is lazy */
    uint64_t *seen;          /* device address; see join_prober_take_piece */
    bool is_last;
    chunk *candidate; /* both sides' columns at the pairs, for the residual */
} join_prober;

/* Init takes a zeroed prober; release also takes a half-made one. */
CHECKED status join_prober_init(join_prober *p, const op_join_build *join, exec_task *task);
void join_prober_release(join_prober *p);

/* Takes a chunk over; the one before it is done. */
void join_prober_take(join_prober *p, const join_side *side, chunk *input);
/* Takes a chunk that probes several pieces of the build rows in turn. seen: on the device, a bit for each of the
 * chunk's rows, in whole words, clear before the first piece. */
void join_prober_take_piece(join_prober *p, const join_side *side, chunk *input, uint64_t *seen,
                            bool is_last);
/* Enqueues what comes before the chunk's first output: EXEC_NEED_INPUT, or as any step. May be left
 * out. In stage PROBE_COUNTING the rest is better done a chunk later. */
exec_result join_prober_start(join_prober *p, exec_task *task);
/* EXEC_HAVE_OUTPUT: call again. EXEC_NEED_INPUT: the chunk is done. Else as any step. */
exec_result join_prober_next(join_prober *p, exec_task *task, chunk **output);
/* Only makes the keys of the chunk that was taken: EXEC_FINISHED when they are there. */
exec_result join_prober_keys(join_prober *p, exec_task *task);
void join_prober_drop(join_prober *p); /* the chunk is given up */

#endif
