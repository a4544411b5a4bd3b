/* window_turn.h - inside window functions: rows that are cut between peers, not between partitions.
 *
 * The source's turns are pieces in their order; each task evaluates one, and of what the rows before it have come to
 * (window_carry.h) it waits for no more than it must: states are made before, values afterwards. */
#ifndef PISTACHIO_EXEC_WINDOW_WINDOW_TURN_H
#define PISTACHIO_EXEC_WINDOW_WINDOW_TURN_H

#include "exec/window/window_carry.h"

/* State that all tasks share: what the turn before `next` left to it. */
typedef struct window_turns {
    pthread_mutex_t lock;
    uint64_t next; /* that may take it */
    exec_task_list waiting;
    /* The task's alone that is in turn `next`. */
    uint32_t key_count, call_count;
    bool has_rows;
    tensor **keys; /* the partition's, of the last row; each alone */
    window_carry *calls;
} window_turns;

CHECKED status window_turns_open(const plan_node *plan, window_turns *out);
void window_turns_wake(window_turns *turns);
void window_turns_close(window_turns *turns); /* takes a zeroed one, or a half-opened one */

/* A task's turn. Zeroed: none. It stays where it is. */
typedef struct window_turn {
    bool is_open;
    uint64_t number;
    chunk *columns;
    window_rows rows;
    uint64_t end; /* of the rows that are of the first one's partition */
    window_running *calls;
} window_turn;

/* Takes over the turn's rows, also on failure, and makes their states. */
CHECKED status window_turn_start(exec_task *task, const column_map *places, const plan_node *plan,
                                 uint64_t number, chunk *columns, window_turn *turn);
/* EXEC_FINISHED: *out has the rows with their values, and the turn is over; NULL: the query is cancelled. */
exec_result window_turn_finish(window_turns *turns, exec_task *task, window_turn *turn,
                               chunk **out);
void window_turn_close(window_turn *turn);

#endif
