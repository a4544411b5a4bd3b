/* bind_name.h - names of columns. */
#ifndef PISTACHIO_SQL_EXPRESSION_BIND_NAME_H
#define PISTACHIO_SQL_EXPRESSION_BIND_NAME_H

#include "sql/types/binder.h"

/* Returns the column's name as its table spells it, or as it is written. */
const char *bind_spelling(const bind_scope *scope, const ColumnRef *ref);
/* A column by its name, of this query or one around it. */
CHECKED status bind_column_ref(binder *b, const ColumnRef *ref, bind_scope *scope, expr **out);

#endif
