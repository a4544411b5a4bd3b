/* bind_pivot.h - PIVOT and UNPIVOT. */
#ifndef PISTACHIO_SQL_QUERY_BIND_PIVOT_H
#define PISTACHIO_SQL_QUERY_BIND_PIVOT_H

#include "sql/types/binder.h"

/* PIVOT or UNPIVOT as an item of FROM: the query that it stands for is bound. */
CHECKED status bind_pivot(binder *b, const RangePivot *tree, bind_scope *scope, plan_node **out);

/* ---- what both use ---- */

/* A PIVOT that is being rewritten: the columns of its source, and which of them are used by it. */
typedef struct pivot_source {
    binder *b;
    const RangePivot *tree;
    bind_scope inner;
    bool *is_used; /* by the scope's entries */
} pivot_source;

typedef ARRAY(pg_node *) pivot_nodes;

/* Marks the columns of an expression. */
void pivot_note_used(pivot_source *p, expr *e);
/* Adds the columns that nothing uses, as expressions. */
CHECKED status pivot_unused(pivot_source *p, pivot_nodes *out);
CHECKED status pivot_target(binder *b, const char *name, pg_node *value, pivot_nodes *targets);

/* bind_pivot_values.c: the values of a key that has no IN, in order, without NULL. */
CHECKED status pivot_find_values(pivot_source *p, const PivotColumn *column, pivot_nodes *out);

/* bind_unpivot.c: the query of an UNPIVOT. */
CHECKED status unpivot_query(pivot_source *p, pg_select **out);

#endif
