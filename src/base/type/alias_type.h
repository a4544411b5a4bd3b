/* alias_type.h - PostgreSQL's types oid, regproc and "char": kept and computed with as bigint and varchar, and known to its
 * clients by their own names. type_equal() takes them for bigint and varchar. */
#ifndef PISTACHIO_BASE_TYPE_ALIAS_TYPE_H
#define PISTACHIO_BASE_TYPE_ALIAS_TYPE_H

#include "base/type/type.h"

/* In the place of a precision; a varchar's 1 is json_type.h's. */
enum { ALIAS_OID = 1, ALIAS_REGPROC, ALIAS_CHAR };

/* Returns the type of which `alias` is another name, under that name. */
static inline data_type type_alias(unsigned alias)
{
    data_type type = type_make(alias == ALIAS_CHAR ? TYPE_VARCHAR : TYPE_INT64);
    type.precision = (uint8_t)alias;
    return type;
}

/* Returns the alias that the type is, or 0. */
static inline unsigned type_alias_of(data_type type)
{
    bool is_alias =
        type.id == TYPE_INT64 || (type.id == TYPE_VARCHAR && type.precision == ALIAS_CHAR);
    return is_alias ? type.precision : 0;
}

#endif
