/* parser.h - PostgreSQL's scanner and grammar (third_party/pg_parser): tokens and trees in an arena. */
#ifndef PISTACHIO_SQL_TEXT_PARSER_H
#define PISTACHIO_SQL_TEXT_PARSER_H

#include "base/mem.h"

#include <pg_parser/pg_parser.h>
#include <pg_parser/tokens.h>

typedef Node pg_node;
typedef SelectStmt pg_select;

/* Returns the tokens of `sql` with their byte offsets, without comments. */
CHECKED status sql_scan(arena *a, const char *sql, pg_token **out, size_t *out_count);

/* Returns the tree of the one statement in `sql`; NULL: there is none. */
CHECKED status sql_parse(arena *a, const char *sql, pg_node **out);

/* Tables, functions of FROM and WITH queries of a tree: RangeVar, RangeFunction, CommonTableExpr, as they were parsed. Some may be of what the grammar
 * has thrown away again, without content. */
typedef ARRAY(pg_node *) sql_noted_list;
/* As sql_parse; in the arena, without those for which there is no memory. */
CHECKED status sql_parse_noting(arena *a, const char *sql, pg_node **out,
                                sql_noted_list *out_noted);

#endif
