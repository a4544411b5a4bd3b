/* bind_variable.h - SET VARIABLE, RESET VARIABLE. */
#ifndef PISTACHIO_SQL_STATEMENT_BIND_VARIABLE_H
#define PISTACHIO_SQL_STATEMENT_BIND_VARIABLE_H

#include "sql/statement/statement.h"
#include "sql/types/binder.h"

/* Fills in the statement. */
CHECKED status bind_set_variable(binder *b, const SetVariableStmt *tree, sql_statement *out);

#endif
