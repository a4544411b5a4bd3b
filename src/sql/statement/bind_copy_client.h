/* bind_copy_client.h - COPY's options where rows go to a client, or come from it: PostgreSQL's. */
#ifndef PISTACHIO_SQL_STATEMENT_BIND_COPY_CLIENT_H
#define PISTACHIO_SQL_STATEMENT_BIND_COPY_CLIENT_H

#include "sql/types/binder.h"

/* Reads the options of COPY ... TO STDOUT or FROM STDIN. Columns that they name are not looked up yet. */
CHECKED status bind_copy_client(const binder *b, const CopyStmt *tree, sql_copy *out);
/* Fails where an option names a column that is not copied. */
CHECKED status bind_copy_client_check(const binder *b, const sql_copy *copy,
                                      const char *const *names, size_t count);

#endif
