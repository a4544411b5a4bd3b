/* bind_similar.h - patterns of SIMILAR TO and GLOB. */
#ifndef PISTACHIO_SQL_TYPES_BIND_SIMILAR_H
#define PISTACHIO_SQL_TYPES_BIND_SIMILAR_H

#include "sql/types/binder.h"

/* Makes a regular expression of a constant pattern and its escape. escape_arg NULL: it is a backslash. has_parts: the
 * pattern has three parts, as that of SUBSTRING. */
CHECKED status bind_similar_pattern(binder *b, expr *pattern_arg, expr *escape_arg, bool has_parts,
                                    int32_t location, expr **out);
/* Binds left GLOB right. */
CHECKED status bind_glob(binder *b, expr *left, expr *right, int32_t location, expr **out);

#endif
