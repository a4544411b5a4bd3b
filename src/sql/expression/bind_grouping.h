/* bind_grouping.h - GROUPING SETS, ROLLUP, CUBE, calls of GROUPING. */
#ifndef PISTACHIO_SQL_EXPRESSION_BIND_GROUPING_H
#define PISTACHIO_SQL_EXPRESSION_BIND_GROUPING_H

#include "sql/types/binder.h"

/* Binds a group, or several in parentheses, and adds what number it has to the set. */
typedef status bind_group_function(void *context, const pg_node *node, plan_grouping_set *set);
/* GROUP BY: the sets that it stands for, one if there are no GROUPING SETS, ROLLUP or CUBE. */
CHECKED status bind_grouping_sets(binder *b, const pg_select *select, bind_group_function *bind,
                                  void *context, plan_grouping_set_list *out);
/* GROUPING(...): *out is the column that it will be. */
CHECKED status bind_grouping_call(binder *b, const GroupingFunc *tree, bind_scope *scope,
                                  expr **out);

#endif
