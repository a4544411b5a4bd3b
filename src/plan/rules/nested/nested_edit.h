/* nested_edit.h - bytes in the place of nested values, in expressions and plans. */
#ifndef PISTACHIO_PLAN_RULES_NESTED_NESTED_EDIT_H
#define PISTACHIO_PLAN_RULES_NESTED_NESTED_EDIT_H

#include "plan/tree/plan.h"

/* Makes a call of one of the four functions of bytes. `type`: of its result. */
CHECKED status nested_call(arena *a, expr_op op, data_type type, expr *arg, expr **out);
/* Makes a nested value's key or bytes; e itself where e is not nested. */
CHECKED status nested_to_key(arena *a, expr *e, expr **out);
CHECKED status nested_to_bytes(arena *a, expr *e, expr **out);

/* A column of one node, and what stands for it. */
typedef struct nested_move {
    plan_column column; /* nested */
    uint32_t other_id;  /* of its bytes */
    expr_op op;         /* makes the nested value of the bytes again */
} nested_move;

typedef ARRAY(nested_move) nested_moves;

/* Gives a node a list of columns of its own: nodes that pass all columns may share one. */
CHECKED status nested_own_columns(arena *a, plan_node *node);
bool nested_has_columns(const plan_column_list *columns);
/* Gives columns of a tree other ids: `from` keeps its name and type. Nothing outside of the tree knows the new one. */
CHECKED status nested_rename(plan_statement *s, plan_node *node, uint32_t from, uint32_t to);
/* Puts other expressions in the place of columns that the node's own expressions read. */
CHECKED status nested_substitute(plan_statement *s, plan_node *node, const plan_column_list *from,
                                 expr *const *to);
/* Puts a projection above the node, whose columns have bytes in the place of the moves' values. It makes these again. */
CHECKED status nested_put_back(plan_statement *s, plan_node *node, const nested_moves *moves,
                               plan_node **out);
/* The chain from `top` down to `bottom`, nodes with one child each, takes bytes in the place of nested columns of bottom's
 * child. *out replaces top. */
CHECKED status nested_pack_chain(plan_statement *s, plan_node *top, plan_node *bottom,
                                 plan_node **out);

#endif
