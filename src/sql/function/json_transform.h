/* json_transform.h - the type that a JSON text says, as json_structure writes it, as an expression that makes its values. */
#ifndef PISTACHIO_SQL_FUNCTION_JSON_TRANSFORM_H
#define PISTACHIO_SQL_FUNCTION_JSON_TRANSFORM_H

#include "base/mem.h"

/* Makes SQL that turns the JSON $1 into a value of the type: {"a": "integer", "b": ["varchar"]}. */
CHECKED status json_transform_text(arena *a, const char *type, size_t bytes, const char **out);

#endif
