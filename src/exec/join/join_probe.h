/* join_probe.h - inside the join: a task's probing of one side of build rows, chunk by chunk. */
#ifndef PISTACHIO_EXEC_JOIN_JOIN_PROBE_H
#define PISTACHIO_EXEC_JOIN_JOIN_PROBE_H

#include "exec/join/op_join.h"

typedef enum probe_stage {
    PROBE_IDLE,
    PROBE_KEYS,
    PROBE_PAIRS,
    PROBE_RESIDUAL,
    PROBE_REST
} probe_stage;

typedef struct join_prober {
    const op_join_build *join;
    const join_side *side; /* what is probed */
    program_run *keys_run, *residual_run;
    probe_stage stage;
    chunk *input;
    uint64_t rows;
    uint32_t next_key;
    tensor **keys; /* FLAT */
    row_index *groups;
    dev_buffer *matched; /* a bit per probe row, where a residual decides */
    dev_buffer *cursor;  /* [0], [1] of join_pairs, [2] its count */
    bool pairs_done;
    row_index *pair_probe, *pair_build; /* the pairs at work */
    uint64_t pair_count;
    uint64_t *seen; /* see join_prober_take */
    bool is_last;
    chunk *candidate; /* both sides' columns at the pairs, for the residual */
} join_prober;

/* Of a zeroed prober; release also takes a half-made one. */
CHECKED status join_prober_init(join_prober *p, const op_join_build *join, exec_task *task);
void join_prober_release(join_prober *p);

/* Takes a chunk, which has rows and whose count is exact, over; the one before it is done. */
void join_prober_take(join_prober *p, const join_side *side, chunk *input);
/* The same where the build rows come in several pieces, all probed by the same chunk. seen: a bit
 * for each of its rows, in whole words, clear before the first piece. */
void join_prober_take_piece(join_prober *p, const join_side *side, chunk *input, uint64_t *seen,
                            bool is_last);
/* EXEC_HAVE_OUTPUT: call again. EXEC_NEED_INPUT: the chunk is done. Else as any step. */
exec_result join_prober_next(join_prober *p, exec_task *task, chunk **output);
/* Only makes the keys of the chunk that was taken: EXEC_FINISHED when they are there. */
exec_result join_prober_keys(join_prober *p, exec_task *task);
void join_prober_drop(join_prober *p); /* the chunk is given up */

#endif
