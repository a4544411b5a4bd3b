/* bind_pragma.h - PRAGMA and CALL, which are queries. */
#ifndef PISTACHIO_SQL_STATEMENT_BIND_PRAGMA_H
#define PISTACHIO_SQL_STATEMENT_BIND_PRAGMA_H

#include "sql/types/binder.h"

/* Binds the query that PRAGMA stands for. */
CHECKED status bind_pragma(binder *b, const PragmaStmt *tree, plan_node **out);
/* Makes the query SELECT * FROM call. */
CHECKED status bind_call_query(binder *b, Node *call, const pg_select **out);

#endif
