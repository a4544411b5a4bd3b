/* nested_literal.h - constant texts that spell lists, structs and maps: '[1, 2]'::int[]. */
#ifndef PISTACHIO_SQL_TYPES_NESTED_LITERAL_H
#define PISTACHIO_SQL_TYPES_NESTED_LITERAL_H

#include "sql/types/binder.h"

/* The value that the constant spells, as an expression of constants. */
CHECKED status bind_nested_literal(binder *b, const expr *literal, data_type type, int32_t location,
                                   expr **out);

#endif
