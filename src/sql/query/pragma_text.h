/* pragma_text.h - what PRAGMA name(argument) and pragma_name(argument) in FROM stand for. */
#ifndef PISTACHIO_SQL_QUERY_PRAGMA_TEXT_H
#define PISTACHIO_SQL_QUERY_PRAGMA_TEXT_H

#include "sql/types/binder.h"

/* Makes what stands after SELECT in the query of the PRAGMA with this name; its place is `location`. */
CHECKED status pragma_text(binder *b, const char *name, const List *args, int32_t location,
                           const char **out);
/* Makes it of a call of pragma_<name> in FROM; *out is NULL if the function is another one. */
CHECKED status pragma_function_text(binder *b, const FuncCall *call, const char **out);

#endif
