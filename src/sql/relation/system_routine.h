/* system_routine.h - functions, aggregates and operators as PostgreSQL's catalog has them: pg_proc, pg_aggregate, pg_operator. */
#ifndef PISTACHIO_SQL_RELATION_SYSTEM_ROUTINE_H
#define PISTACHIO_SQL_RELATION_SYSTEM_ROUTINE_H

#include "base/status.h"

#define SYSTEM_ROUTINE_ARGS 8

typedef struct system_routine {
    const char *name;
    char kind;       /* f, a or w as in pg_proc.prokind; o: an operator */
    uint32_t result; /* identifiers of types */
    uint32_t args[SYSTEM_ROUTINE_ARGS];
    uint32_t count;
} system_routine;

typedef status (*system_routine_sink)(void *argument, const system_routine *one);

/* Hands over each function, aggregate and window function, once for each number of arguments. */
CHECKED status system_routines(system_routine_sink sink, void *argument);
/* Hands over each operator, once for each type. */
CHECKED status system_operators(system_routine_sink sink, void *argument);

#endif
