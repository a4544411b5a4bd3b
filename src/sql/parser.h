/* parser.h - PostgreSQL's scanner and parser (libpg_query): tokens and trees in an arena. */
#ifndef PISTACHIO_SQL_PARSER_H
#define PISTACHIO_SQL_PARSER_H

#include "base/mem.h"

#include <pg_query/pg_query.pb-c.h>

typedef PgQuery__Node pg_node;
typedef PgQuery__ScanToken pg_token;
typedef PgQuery__SelectStmt pg_select;

/* Tokens with their byte offsets, comments included. */
CHECKED status sql_scan(arena *a, const char *sql, pg_token ***out, size_t *out_count);

/* The tree of the one statement in `sql`; NULL: there is none. */
CHECKED status sql_parse(arena *a, const char *sql, pg_node **out);

/* Puts places[location] in the stead of each location in the tree. Recurses as deep as the tree is. */
typedef int32_t sql_place(const void *context, int32_t location);
void sql_tree_move(pg_node *tree, sql_place *place, const void *context);

#endif
