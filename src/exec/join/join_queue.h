/* join_queue.h - inside a spilled join: which part a task takes next, and how much memory for it.
 *
 * All parts at work together keep to an operator's share of the memory, and to what others leave of
 * it; a task whose part does not fit beside the others' waits for one of them to be done. What
 * would not fit alone is cut again. */
#ifndef PISTACHIO_EXEC_JOIN_JOIN_QUEUE_H
#define PISTACHIO_EXEC_JOIN_JOIN_QUEUE_H

#include "exec/join/join_spill.h"

/* The two sides of a part, cut alike. */
typedef struct join_cut {
    partitions *build, *probe;
} join_cut;

typedef struct join_part {
    const join_cut *cut;
    size_t number;
    bool is_final; /* most of what was cut: cutting again would not help */
} join_part;

typedef enum join_work {
    JOIN_WORK_WHOLE,  /* all build rows of the part at once */
    JOIN_WORK_PIECES, /* some build rows after others */
    JOIN_WORK_CUT
} join_work;

/* A part that a task has taken. */
typedef struct join_grant {
    bool is_there;
    join_part part;
    join_work work;
    uint64_t bytes, promised; /* for it; of those, what was not taken yet */
} join_grant;

typedef struct join_queue {
    op_join_build *join;
    pthread_mutex_t lock;
    bool has_begun;
    ARRAY(join_part) parts; /* the last is next */
    ARRAY(join_cut *) cuts;
    exec_task_list waiting;
    unsigned at_work;
    uint64_t bytes, promised; /* of all grants */
} join_queue;

void join_queue_init(join_queue *queue, op_join_build *join);
void join_queue_release(join_queue *queue);

const partition *join_part_probe(const join_part *part);

/* EXEC_HAVE_OUTPUT: *grant is there. EXEC_FINISHED: no part is left. Else as any step. */
exec_result join_queue_take(join_queue *queue, exec_task *task, join_grant *grant);
/* Notes that `bytes` of what was promised are taken. */
void join_queue_took(join_queue *queue, join_grant *grant, uint64_t bytes);
/* A part was cut to these parts; takes them over, also on failure. */
CHECKED status join_queue_add(join_queue *queue, const join_part *part, join_cut *cut);
/* Gives the part back, done or not. */
void join_queue_done(join_queue *queue, join_grant *grant);
void join_cut_free(join_cut *cut); /* takes NULL */

#endif
