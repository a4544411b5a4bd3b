/* bind_copy.h - COPY's options and columns. */
#ifndef PISTACHIO_SQL_STATEMENT_BIND_COPY_H
#define PISTACHIO_SQL_STATEMENT_BIND_COPY_H

#include "sql/types/binder.h"

/* Binds path and options. The format is what FORMAT says, else what the path's ending does; an unknown ending is an
 * error, as is an option that the format does not have. */
CHECKED status bind_copy_options(const binder *b, const CopyStmt *tree, sql_copy *out);
/* Makes SELECT a, b FROM t of COPY t (a, b) TO; fails where a column is named twice. */
CHECKED status bind_copy_columns(const binder *b, const CopyStmt *tree, const pg_node **out);
/* Fails where the format cannot hold a column of `root`, the bound query or table: its type, or a
 * name that another column has where values are found by name (all but csv and tsv). */
CHECKED status bind_copy_check(const binder *b, const CopyStmt *tree, const sql_copy *copy,
                               const plan_node *root);

#endif
