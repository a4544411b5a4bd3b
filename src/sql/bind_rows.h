/* bind_rows.h - statements that make tables of rows, and add to them. */
#ifndef PISTACHIO_SQL_BIND_ROWS_H
#define PISTACHIO_SQL_BIND_ROWS_H

#include "sql/binder.h"
#include "sql/sql.h"

/* Each fills in the statement; its query gives the rows that are to be written. replaces: CREATE OR REPLACE. */
CHECKED status bind_create_table_as(binder *b, const PgQuery__CreateTableAsStmt *tree,
                                    bool replaces, sql_statement *out);
CHECKED status bind_create_table(binder *b, const PgQuery__CreateStmt *tree, bool replaces,
                                 sql_statement *out);
CHECKED status bind_insert(binder *b, const PgQuery__InsertStmt *tree, sql_statement *out);

#endif
