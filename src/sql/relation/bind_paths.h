/* bind_paths.h - the paths that arguments of read_parquet, read_csv and the like stand for. */
#ifndef PISTACHIO_SQL_RELATION_BIND_PATHS_H
#define PISTACHIO_SQL_RELATION_BIND_PATHS_H

#include "sql/types/binder.h"

typedef struct bound_path {
    const char *text;
    int32_t location; /* of the argument */
} bound_path;

typedef ARRAY(bound_path) bound_path_list;

/* Adds the paths of one argument of the function: a text, a list of texts, or what is constant and amounts to one of them:
 * getvariable('f'), 'a' || 'b.parquet'. `location`: the call's. */
CHECKED status bind_paths(binder *b, const pg_node *node, const char *function, int32_t location,
                          bound_path_list *out);

#endif
