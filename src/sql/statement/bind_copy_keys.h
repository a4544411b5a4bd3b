/* bind_copy_keys.h - COPY's PARTITION_BY. */
#ifndef PISTACHIO_SQL_STATEMENT_BIND_COPY_KEYS_H
#define PISTACHIO_SQL_STATEMENT_BIND_COPY_KEYS_H

#include "sql/types/binder.h"

/* Used by bind_copy_options: what PARTITION_BY lists. */
CHECKED status bind_copy_keys(const binder *b, const DefElem *option, sql_copy *out);
/* Sorts the rows by the columns of PARTITION_BY, which become the last ones. */
CHECKED status bind_copy_partition(binder *b, const sql_copy *copy, plan_node **root);

#endif
