/* bind_attach.h - options of ATTACH: a catalog behind a server. */
#ifndef PISTACHIO_SQL_STATEMENT_BIND_ATTACH_H
#define PISTACHIO_SQL_STATEMENT_BIND_ATTACH_H

#include "sql/statement/statement.h"
#include "sql/types/binder.h"

/* Sets out->rest if the options, or the path, are of a server. */
CHECKED status bind_attach_options(binder *b, const AttachStmt *tree, sql_statement *out);

#endif
