/* server.h - what pistachio-serve.so gives the program. */
#ifndef PISTACHIO_SERVER_SERVER_H
#define PISTACHIO_SERVER_SERVER_H

#include "base/status.h"

typedef struct server_functions {
    /* `pistachio serve` with its arguments; returns the exit status. */
    status (*serve)(int count, char **arguments, int *out_exit_status);
} server_functions;

#endif
