/* bind_aggregate.h - aggregate calls. */
#ifndef PISTACHIO_SQL_EXPRESSION_BIND_AGGREGATE_H
#define PISTACHIO_SQL_EXPRESSION_BIND_AGGREGATE_H

#include "sql/types/binder.h"

/* A call of an aggregate. *out_is_aggregate: false: no aggregate has that name. */
CHECKED status bind_aggregate_call(binder *b, const FuncCall *call, const char *name,
                                   bind_scope *scope, bool *out_is_aggregate, expr **out);
bool bind_is_aggregate(const char *name);
/* Adds a call to the scope's. */
CHECKED status bind_add_aggregate(binder *b, bind_scope *scope, const bind_aggregate *added);
/* A call of an aggregate OVER a window: its argument, which FILTER is part of, and its type. */
CHECKED status bind_aggregate_over(binder *b, const FuncCall *call, const char *name,
                                   bind_scope *scope, bool *out_is_aggregate, bind_aggregate *out);

/* Binds the FILTER of a call, and the scope's; *out NULL: it has neither. */
CHECKED status bind_call_filter(binder *b, const FuncCall *call, bind_scope *scope, expr **out);

#endif
