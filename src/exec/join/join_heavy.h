/* join_heavy.h - inside the join: build rows of heavy keys, on all ranks (sched/heavy_keys.h).
 *
 *   asks ──> answering: the key's rows in this rank's table ──> answers, to all ranks
 *   answers ──> collecting: join_heavy_table, of all heavy keys so far
 *   rows that stay ──> kept: joined with that table, to what is above the join
 *
 * Three sources, of which the first two give nothing. Answering and collecting are tasks of their own:
 * who collects never waits for who answers, so that ranks which answer each other go on. */
#ifndef PISTACHIO_EXEC_JOIN_JOIN_HEAVY_H
#define PISTACHIO_EXEC_JOIN_JOIN_HEAVY_H

#include "exec/join/op_join.h"
#include "exec/sched/heavy_keys.h"

/* The first byte of an answer's message; bytes of wire.h follow. */
typedef enum join_answer_kind {
    JOIN_ANSWER_KEY = 1, /* the key's one row */
    JOIN_ANSWER_ROWS,    /* the needed columns of its build rows */
    JOIN_ANSWER_END,     /* that was all */
    JOIN_ANSWER_NONE     /* it is to go where its hash says */
} join_answer_kind;

typedef struct join_answer_header {
    uint64_t hash;
    uint32_t kind;
    uint32_t zero;
} join_answer_header;

_Static_assert(sizeof(join_answer_header) == 16, "blocks begin at multiples of 8");

/* The build side's columns that an answer's rows have. */
typedef struct join_answer_columns {
    uint32_t count;
    uint32_t *sources; /* stored columns */
    data_type *types;
} join_answer_columns;

CHECKED status join_answer_columns_init(const op_join_build *join, join_answer_columns *out);
void join_answer_columns_release(join_answer_columns *columns); /* takes a zeroed one */

/* The heavy keys and their rows. Chunks on the device, all FLAT. */
typedef struct join_heavy_table {
    heavy_table base;
    const op_join_build *join;
    join_table keys; /* of the keys themselves, also of those without a build row */
    data_type *key_types;
    uint32_t *key_columns;
    bool *not_needed;
    join_side rows;
} join_heavy_table;

/* Makes a table of key chunks (a row each) and chunks of stored columns, which are shared. */
CHECKED status join_heavy_table_new(const op_join_build *join, exec_task *task,
                                    const chunk_list *keys, const chunk_list *rows,
                                    join_heavy_table **out);

CHECKED status join_answering_new(op_join_build *join, exec_operator **out);
CHECKED status join_collecting_new(op_join_build *join, exec_operator **out);
CHECKED status join_kept_new(op_join_build *join, exec_operator **out);

#endif
