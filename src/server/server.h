/* server.h - what pistachio-serve.so gives the program. */
#ifndef PISTACHIO_SERVER_SERVER_H
#define PISTACHIO_SERVER_SERVER_H

#include "server/engine.h"

typedef struct server_functions {
    /* Runs `pistachio serve` with its arguments, whose order it changes; returns the exit status. engine: static. */
    status (*serve)(const server_engine *engine, int count, char **arguments, int *out_exit_status);
} server_functions;

#endif
