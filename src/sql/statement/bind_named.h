/* bind_named.h - PREPARE, EXECUTE, DEALLOCATE, CREATE MACRO. */
#ifndef PISTACHIO_SQL_STATEMENT_BIND_NAMED_H
#define PISTACHIO_SQL_STATEMENT_BIND_NAMED_H

#include "sql/statement/statement.h"
#include "sql/types/binder.h"
#include "sql/types/parameter.h"

/* Each fills in the statement. */
CHECKED status bind_prepare(binder *b, const PrepareStmt *tree, sql_statement *out);
CHECKED status bind_deallocate(binder *b, const DeallocateStmt *tree, sql_statement *out);
CHECKED status bind_macro_statement(binder *b, const MacroStmt *tree, sql_statement *out);
/* Whether the statement is an EXECUTE. */
bool bind_is_execute(const sql_text *text);
/* Finds the text of a prepared statement, which takes the place of *text, and binds what it is given as the values of its
 * parameters. */
CHECKED status bind_execute(binder *b, const ExecuteStmt *tree, sql_text *text, bind_view *view);

#endif
