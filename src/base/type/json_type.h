/* json_type.h - JSON: texts that are kept and compared as varchar, and are known to be JSON by their type's name. */
#ifndef PISTACHIO_BASE_TYPE_JSON_TYPE_H
#define PISTACHIO_BASE_TYPE_JSON_TYPE_H

#include "base/type/type.h"

/* Returns varchar under the name json. type_equal() takes both for the same. */
static inline data_type type_json(void)
{
    data_type type = type_make(TYPE_VARCHAR);
    type.precision = 1;
    return type;
}

static inline bool type_is_json(data_type type)
{
    return type.id == TYPE_VARCHAR && type.precision == 1;
}

#endif
