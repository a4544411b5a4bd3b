/* bind_type.h - names of types, casts, common types. */
#ifndef PISTACHIO_SQL_TYPES_BIND_TYPE_H
#define PISTACHIO_SQL_TYPES_BIND_TYPE_H

#include "sql/types/binder.h"

/* Words after a type's name; they belong to the cast to it, not to the type. */
typedef struct bind_modifier {
    bool is_bare;             /* a decimal without any */
    int32_t precision, scale; /* of a decimal, as written; 0: none */
    int32_t length;           /* of a text; -1: any */
    bool is_padded;           /* char(n): blanks at the end do not count */
    int32_t decimals;         /* of the seconds of a time or interval; -1: any */
    uint32_t fields;          /* of an interval: INTERVAL_DAY and so on; 0: all */
} bind_modifier;

/* The type that a name of SQL means, and its modifier. */
CHECKED status bind_type_name(binder *b, const TypeName *name, data_type *out,
                              bind_modifier *out_modifier);
/* The type that a text spells as SQL does; *out_is_one false: it does not. */
CHECKED status bind_type_of_text(binder *b, const char *text, size_t bytes, data_type *out,
                                 bool *out_is_one);
/* The type that holds both without loss, as far as there is one. */
bool bind_common_type(data_type left, data_type right, data_type *out);
/* An explicit cast; fails at `location` where the types have none. */
CHECKED status bind_cast(binder *b, expr *arg, data_type type, int32_t location, expr **out);
/* Is an untyped literal: takes whatever type is wanted. */
bool bind_is_literal(const expr *e);
/* A number as it is written: int32, int64, a decimal of its digits, or (with an exponent, or of
 * more than 38 digits) a double. */
CHECKED status bind_number(binder *b, const char *text, size_t bytes, int32_t position, expr **out);
/* A text literal beside a decimal, as the number that it is. */
CHECKED status bind_literal_number(binder *b, const expr *literal, expr **out);
/* Makes JSON of a text where it is JSON; elsewhere NULL with `is_try`, or the failure of reading it. */
CHECKED status bind_json_checked(binder *b, expr *text, bool is_try, int32_t location, expr **out);
/* To `type` as a literal or a number of a narrower type may; `what` for the failure. */
CHECKED status bind_coerce(binder *b, expr *arg, data_type type, int32_t location, const char *what,
                           expr **out);
/* One type for all of several expressions, each cast to it. */
CHECKED status bind_coerce_all(binder *b, expr **args, size_t count, int32_t location,
                               const char *what, data_type *out);
/* Casts expressions that are a column's values to one type: decimals that need more than 38 digits together have 38, whatever
 * constants need. */
CHECKED status bind_coerce_values(binder *b, expr **args, size_t count, int32_t location,
                                  const char *what, data_type *out);

#endif
