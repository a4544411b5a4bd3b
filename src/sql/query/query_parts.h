/* query_parts.h - files of one function each that queries are bound by. */
#ifndef PISTACHIO_SQL_QUERY_QUERY_PARTS_H
#define PISTACHIO_SQL_QUERY_QUERY_PARTS_H

#include "sql/types/binder.h"

/* ---- bind_group.c ---- */

/* From rows to groups: makes the aggregate over *node, and what the slots (select list, HAVING,
 * ORDER BY) refer to becomes groups and aggregates. `groups` are distinct. */
CHECKED status bind_aggregation(binder *b, bind_scope *scope, const expr_list *groups,
                                const plan_grouping_set_list *sets, expr **const *slots,
                                size_t slot_count, plan_node **node);

/* ---- bind_join.c ---- */

/* A JOIN. */
CHECKED status bind_join(binder *b, const JoinExpr *join, bind_scope *scope, plan_node **out);

/* ---- bind_asof.c ---- */

/* Two sides of a join, whose columns each have in scope; all else is bind_asof's. */
typedef struct bind_asof_sides {
    const JoinExpr *tree;
    plan_join_type type;
    bind_scope *left, *right;
    plan_node *left_node, *right_node;
    expr *condition; /* all of it */
} bind_asof_sides;

/* ---- bind_sample.c ---- */

/* Takes a sample of the rows of *node. */
CHECKED status bind_sample(binder *b, const RangeTableSample *tree, plan_node **node);

/* ---- bind_files.c ---- */

/* read_parquet('path', ...). */
CHECKED status bind_range_function(binder *b, const RangeFunction *range, bind_scope *scope,
                                   plan_node **out);

/* ---- bind_from.c ---- */

/* Binds a subquery in FROM, or the DESCRIBE of one. */
CHECKED status bind_range_subselect(binder *b, const RangeSubselect *range, bind_scope *scope,
                                    plan_node **out);

/* ---- bind_series.c ---- */

CHECKED status bind_series(binder *b, const FuncCall *tree, const RangeFunction *range,
                           bind_scope *scope, plan_node **out);

#endif
