/* bind_star.h - "*" in a select list. */
#ifndef PISTACHIO_SQL_QUERY_BIND_STAR_H
#define PISTACHIO_SQL_QUERY_BIND_STAR_H

#include "sql/types/binder.h"

/* An item of the select list, "*" spelled out. */
typedef struct bind_target {
    const char *name;
    expr *e;
} bind_target;
typedef ARRAY(bind_target) bind_target_list;

bool bind_is_star(const pg_node *node);
/* Adds what "*" or "t.*" stands for. has_from: the query has a FROM clause. */
CHECKED status bind_star(binder *b, const ColumnRef *ref, bind_scope *scope, bool has_from,
                         bind_target_list *targets);

#endif
