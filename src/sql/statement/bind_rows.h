/* bind_rows.h - statements that make tables of rows, and add to them. */
#ifndef PISTACHIO_SQL_STATEMENT_BIND_ROWS_H
#define PISTACHIO_SQL_STATEMENT_BIND_ROWS_H

#include "sql/statement/statement.h"
#include "sql/types/binder.h"

/* Each fills in the statement; its query gives the rows that are to be written. */
CHECKED status bind_create_table_as(binder *b, const CreateTableAsStmt *tree, sql_statement *out);
CHECKED status bind_create_table(binder *b, const CreateStmt *tree, sql_statement *out);
CHECKED status bind_insert(binder *b, const InsertStmt *tree, sql_statement *out);
/* Adds the rows of a file to a table, as INSERT does. */
CHECKED status bind_copy_from(binder *b, const CopyStmt *tree, const sql_copy_source *client,
                              sql_statement *out);

#endif
