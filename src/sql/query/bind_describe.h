/* bind_describe.h - DESCRIBE and SUMMARIZE as items of FROM. */
#ifndef PISTACHIO_SQL_QUERY_BIND_DESCRIBE_H
#define PISTACHIO_SQL_QUERY_BIND_DESCRIBE_H

#include "sql/types/binder.h"

/* FROM (DESCRIBE t), FROM (SUMMARIZE SELECT ...). */
CHECKED status bind_describe(binder *b, const DescribeStmt *tree, const Alias *alias,
                             bind_scope *scope, plan_node **out);

#endif
