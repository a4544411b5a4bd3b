/* server.h - what pistachio-serve.so gives the program. */
#ifndef PISTACHIO_SERVER_SESSION_SERVER_H
#define PISTACHIO_SERVER_SESSION_SERVER_H

#include "server/engine.h"

/* Functions of the program by which the server is rank 0 of several. Each returns 0, or the exit status. */
typedef struct server_ranks {
    /* Makes this process one of so many that it starts, or, for 0, of those that the environment names. Before any
     * thread is started. */
    int (*find)(unsigned processes);
    /* Joins the other ranks. */
    int (*start)(pistachio_database *database);
    /* On rank 0, or alone: has lost ranks come back from now on. */
    int (*keep)(pistachio_database *database);
    /* On the others: returns whether to start once more after `follow` or, then, `start` have failed. */
    bool (*comes_back)(void);
    /* Returns whether this process is rank 0, or alone: it listens. */
    bool (*is_first)(void);
    /* Runs what rank 0 asks for, until rank 0 leaves. grace: seconds that SIGTERM leaves. */
    int (*follow)(pistachio_database *database, unsigned grace);
    /* Ends the processes that `find` has started, after the database was closed. */
    void (*end)(bool is_good);
} server_ranks;

typedef struct server_functions {
    /* Runs `pistachio serve` with its arguments, whose order it changes; returns the exit status. engine, ranks: static. */
    status (*serve)(const server_engine *engine, const server_ranks *ranks, int count,
                    char **arguments, int *out_exit_status);
} server_functions;

#endif
