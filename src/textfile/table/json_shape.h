/* json_shape.h - what values of JSON have in common: the type that holds all of them, as DuckDB finds it.
 *
 * Values of one kind have that kind's type; arrays are lists; objects are structs of all fields that were seen, or maps:
 * those without fields, those whose fields are mostly missing, and those of 200 and more fields of one type. Values of several
 * kinds are of the type json. */
#ifndef PISTACHIO_TEXTFILE_TABLE_JSON_SHAPE_H
#define PISTACHIO_TEXTFILE_TABLE_JSON_SHAPE_H

#include "textfile/read/json_nested.h"
#include "textfile/table/text_sample.h"

typedef struct json_shape json_shape;

/* Makes a shape of no value, in the arena. */
CHECKED status json_shape_new(arena *a, const text_options *options, json_shape **out);
/* Adds a value of a document, whose numbers are raw. */
CHECKED status json_shape_add(json_shape *shape, yyjson_val *v);
/* Returns whether all values were objects whose fields can be columns, or there was none. */
bool json_shape_has_columns(const json_shape *shape);
/* The fields of all objects, in the order in which they came. */
size_t json_shape_field_count(const json_shape *shape);
json_name json_shape_field_name(const json_shape *shape, size_t number);
json_shape *json_shape_field(const json_shape *shape, size_t number);
/* The type, which the arena holds, and how dates and timestamps in it are written. */
CHECKED status json_shape_type(const json_shape *shape, data_type *out, json_format *out_format);

#endif
