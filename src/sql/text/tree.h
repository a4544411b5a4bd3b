/* tree.h - nodes of parse trees that stand for others: what the grammar makes itself, made after it. Locations are those
 * of what the user wrote. */
#ifndef PISTACHIO_SQL_TEXT_TREE_H
#define PISTACHIO_SQL_TEXT_TREE_H

#include "sql/text/parser.h"

/* Each returns NULL without memory, and takes NULL nodes for that of an argument. */
pg_node *tree_string(arena *a, const char *text);
List *tree_list(arena *a, pg_node *const *nodes, size_t count);
/* relation NULL: the name alone. */
pg_node *tree_column(arena *a, const char *relation, const char *name, int32_t location);
pg_node *tree_text(arena *a, const char *text, int32_t location);
pg_node *tree_operator(arena *a, A_Expr_Kind kind, const char *name, pg_node *left, pg_node *right,
                       int32_t location);

#endif
