/* bind_columns.h - casts of a plan's columns. */
#ifndef PISTACHIO_SQL_TYPES_BIND_COLUMNS_H
#define PISTACHIO_SQL_TYPES_BIND_COLUMNS_H

#include "sql/types/binder.h"

/* Output columns that are bare NULLs become text. */
CHECKED status bind_resolve_nulls(binder *b, plan_node **node);
/* Column i as `type`: in place where a projection makes it of a constant, else by a new one. */
CHECKED status bind_cast_columns(binder *b, plan_node **node, const data_type *types);

#endif
