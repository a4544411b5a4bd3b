/* lake_nested.h - types in the JSON of lakes' schemas that are structs, lists and maps.
 *
 *     Iceberg  {"type": "list", "element": TYPE}         {"type": "map", "key": TYPE, "value": TYPE}
 *     Delta    {"type": "array", "elementType": TYPE}    {"type": "map", "keyType": TYPE, "valueType": TYPE}
 *     both     {"type": "struct", "fields": [...]} */
#ifndef PISTACHIO_LAKE_LOG_LAKE_NESTED_H
#define PISTACHIO_LAKE_LOG_LAKE_NESTED_H

#include "lake/log/lake_text.h"
#include "parquet/table/table_given.h"

typedef struct lake_schema_form {
    const char *list, *element, *key, *value;
    /* Reads the name of a type that is not nested; false: there is no such type. */
    bool (*find_type)(const char *name, data_type *out);
    /* Sets name, id, stored names and has_default of a struct's field. */
    status (*read_field)(void *context, yyjson_val *field, pq_given_node *out);
    void *context;
} lake_schema_form;

/* Reads a type; *out_is_known false: it, or a part of it, is not one that is read. The name is the caller's to set. In the arena. */
CHECKED status lake_nested_read(arena *a, const lake_schema_form *form, yyjson_val *type,
                                pq_given_node *out, bool *out_is_known);

/* Reads a column of the schema. is_nested without a type: its type is not read. *out_node has the rest that its field says. */
CHECKED status lake_nested_column(arena *a, const lake_schema_form *form, yyjson_val *field,
                                  pq_given_column *out, const pq_given_node **out_node);

#endif
