/* bind_made.h - functions that are expressions of others: FUNCTION_MADE of functions.def, AGGREGATE_MADE of
 * aggregates.def. bind_function.c binds them. */
#ifndef PISTACHIO_SQL_FUNCTION_BIND_MADE_H
#define PISTACHIO_SQL_FUNCTION_BIND_MADE_H

#include "sql/types/function_call.h"

typedef struct made_aggregate {
    const char *name, *arguments, *text;
    uint32_t args;
    bool takes_distinct, makes_json;
} made_aggregate;

/* A call and what its expression's aggregates take over from it. */
typedef struct made_call {
    const FuncCall *tree;
    const char *sql;    /* the expression's text */
    expr *const *args;  /* bound; NULL, or one of them NULL: */
    Node *const *nodes; /* as written */
    size_t count;
    Node *filter;                           /* made_node, or NULL */
    bool (*is_aggregate)(const char *name); /* NULL: it has no aggregates */
} made_call;

/* Returns the aggregate of AGGREGATE_MADE with that name, or NULL. */
const made_aggregate *made_find(const char *name);
/* Fails if a call has too many or too few arguments, or what such an aggregate does not take. */
CHECKED status made_check(binder *b, const FuncCall *tree, const made_aggregate *found);
/* Fails unless the argument is what the list says, a number or a boolean. */
CHECKED status made_check_type(binder *b, const FuncCall *tree, const made_aggregate *found,
                               const expr *arg);
/* Makes a node of a bound expression. */
CHECKED status made_node(binder *b, const expr *e, int32_t location, Node **out);
/* Returns the tree of an expression, in which $1, $2 ... are the call's arguments. */
CHECKED status made_parse(binder *b, made_call *m, const char *text, const Node **out);

/* Returns the query "select <text>", in which $1, $2 ... are the call's nodes. */
CHECKED status made_parse_query(binder *b, made_call *m, const char *text, SelectStmt **out);

/* ---- bind_nested_made.c ---- */

#endif
