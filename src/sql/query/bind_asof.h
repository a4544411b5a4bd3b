/* bind_asof.h - ASOF JOIN and POSITIONAL JOIN, as joins that are there already. */
#ifndef PISTACHIO_SQL_QUERY_BIND_ASOF_H
#define PISTACHIO_SQL_QUERY_BIND_ASOF_H

#include "sql/query/query_parts.h"

/* Turns the condition of an ASOF JOIN into one of a join by ranges, and the right side into one that knows its rows'
 * ranges. */
CHECKED status bind_asof(binder *b, bind_asof_sides *sides);
/* Gives both sides of a POSITIONAL JOIN the numbers of their rows, by which they are joined. */
CHECKED status bind_positional(binder *b, bind_asof_sides *sides);

#endif
