/* system_function.h - functions of PostgreSQL's system, for clients that ask what tables there are: what is always so here is
 * a constant. */
#ifndef PISTACHIO_SQL_FUNCTION_SYSTEM_FUNCTION_H
#define PISTACHIO_SQL_FUNCTION_SYSTEM_FUNCTION_H

#include "sql/types/function_call.h"

/* The one role and database of a process, as its catalog has them. */
#define SYSTEM_NAME "pistachio"

/* Binds a call of a function of this name, in small letters. *out_is_found: false, there is none that takes so many arguments. */
CHECKED status bind_system_function(binder *b, const char *name, expr *const *args, size_t count,
                                    int32_t location, bool *out_is_found, expr **out);
bool bind_is_system_function(const char *name);
/* Returns whether a constant format has conversions of PostgreSQL's alone: %s, %I, %L, %2$s, %%, and no {. */
bool bind_is_pg_format(const expr *format);
/* Binds format() of such a format. */
CHECKED status bind_pg_format(const function_call *c, expr **out);
/* Binds current_date, current_timestamp, current_user and their like. */
CHECKED status bind_sql_value_function(binder *b, const SQLValueFunction *f, expr **out);

CHECKED status bind_getvariable(const function_call *c, expr **out);

#endif
