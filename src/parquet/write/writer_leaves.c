/* writer_leaves.c - see writer_leaves.h. */
#include "parquet/write/writer_leaves.h"

#include "base/type/nested_type.h"

enum { REQUIRED, OPTIONAL, REPEATED };
enum { CONVERTED_MAP = 1, CONVERTED_LIST = 3 };
enum { LOGICAL_MAP = 2, LOGICAL_LIST = 3 };

/* ---- names ---- */

/* Names from the schema's top to a leaf. */
#define NAMES_MAX (2 * NESTED_DEPTH_MAX + 2)

typedef struct leaf_path {
    const char *names[NAMES_MAX];
    uint32_t name_count;
    uint16_t fields[NESTED_DEPTH_MAX + 1];
    uint32_t step_count;
    uint8_t definition, repetition;
} leaf_path;

static void push_name(leaf_path *path, const char *name)
{
    assert(path->name_count < NAMES_MAX);
    path->names[path->name_count++] = name;
}

/* A copy of the path one step further, into this child. */
static leaf_path path_into(const leaf_path *path, data_type type, uint32_t child)
{
    leaf_path into = *path;
    into.fields[into.step_count++] = (uint16_t)child;
    if (type.id == TYPE_STRUCT) {
        push_name(&into, nested_type_of(type)->fields[child].name);
    } else {
        push_name(&into, type.id == TYPE_LIST ? "list" : "key_value");
        push_name(&into, type.id == TYPE_LIST ? "element" : child ? "value" : "key");
        into.definition++;
        into.repetition++;
    }
    into.definition += type.id != TYPE_MAP || child; /* a key is required */
    return into;
}

/* ---- columns ---- */

size_t pq_leaf_count(data_type type)
{
    if (!type_is_nested(type))
        return 1;
    const nested_type *nested = nested_type_of(type);
    size_t count = 0;
    for (uint32_t i = 0; i < nested->field_count; i++) {
        size_t leaves = pq_leaf_count(nested->fields[i].type);
        if (!leaves)
            return 0;
        count += leaves;
    }
    return count;
}

static status writer_leaves_copy_path(const leaf_path *path, pq_leaf_place *leaf)
{
    size_t bytes = 0, at = 0;
    for (uint32_t i = 0; i < path->name_count; i++)
        bytes += strlen(path->names[i]) + 1;
    leaf->path = mem_new(bytes + 1);
    leaf->fields = mem_new_array((size_t)path->step_count + 1, sizeof *leaf->fields);
    if (!leaf->path || !leaf->fields)
        return status_no_memory("column name", bytes);
    for (uint32_t i = 0; i < path->name_count; i++) {
        size_t length = strlen(path->names[i]) + 1;
        memcpy(leaf->path + at, path->names[i], length);
        at += length;
    }
    memcpy(leaf->fields, path->fields, path->step_count * sizeof *path->fields);
    leaf->path_count = path->name_count;
    return STATUS_OK;
}

status pq_leaf_make(const char *name, data_type type, size_t number, pq_leaf_place *out)
{
    leaf_path path = {.definition = 1};
    *out = (pq_leaf_place){.top = type};
    nested_type_hold(type);
    push_name(&path, name);
    while (type_is_nested(type)) {
        const nested_type *nested = nested_type_of(type);
        uint32_t i = 0;
        for (; number >= pq_leaf_count(nested->fields[i].type); i++)
            number -= pq_leaf_count(nested->fields[i].type);
        path = path_into(&path, type, i);
        type = nested->fields[i].type;
    }
    out->type = type;
    out->max_definition = path.definition;
    out->max_repetition = path.repetition;
    return writer_leaves_copy_path(&path, out);
}

void pq_leaf_release(pq_leaf_place *leaf)
{
    mem_free(leaf->path);
    mem_free(leaf->fields);
    nested_type_release(leaf->top);
}

/* ---- the schema ---- */

size_t pq_schema_elements(data_type type)
{
    if (!type_is_nested(type))
        return 1;
    const nested_type *nested = nested_type_of(type);
    size_t count = type.id == TYPE_STRUCT ? 1 : 2;
    for (uint32_t i = 0; i < nested->field_count; i++)
        count += pq_schema_elements(nested->fields[i].type);
    return count;
}

static void writer_leaves_put_group(thrift_writer *w, const char *name, int32_t repetition,
                                    uint32_t children)
{
    thrift_item_struct(w);
    thrift_put_i32(w, 3, repetition);
    thrift_put_text(w, 4, name);
    thrift_put_i32(w, 5, (int32_t)children);
}

static void put_logical_group(thrift_writer *w, int32_t converted, int16_t logical)
{
    thrift_put_i32(w, 6, converted);
    thrift_put_struct(w, 10);
    thrift_put_empty(w, logical);
    thrift_end(w);
}

static void put_node(thrift_writer *w, const char *name, data_type type, int32_t repetition,
                     pq_put_leaf *put, void *context)
{
    if (!type_is_nested(type)) {
        put(w, name, repetition == OPTIONAL, context);
        return;
    }
    const nested_type *nested = nested_type_of(type);
    writer_leaves_put_group(w, name, repetition, type.id == TYPE_STRUCT ? nested->field_count : 1);
    if (type.id == TYPE_LIST)
        put_logical_group(w, CONVERTED_LIST, LOGICAL_LIST);
    else if (type.id == TYPE_MAP)
        put_logical_group(w, CONVERTED_MAP, LOGICAL_MAP);
    thrift_end(w);
    if (type.id != TYPE_STRUCT) {
        writer_leaves_put_group(w, type.id == TYPE_LIST ? "list" : "key_value", REPEATED,
                                nested->field_count);
        thrift_end(w);
    }
    for (uint32_t i = 0; i < nested->field_count; i++) {
        const char *field = type.id == TYPE_STRUCT ? nested->fields[i].name
                            : type.id == TYPE_LIST ? "element"
                                                   : (const char *const[]){"key", "value"}[i];
        put_node(w, field, nested->fields[i].type, type.id == TYPE_MAP && !i ? REQUIRED : OPTIONAL,
                 put, context);
    }
}

void pq_schema_put(thrift_writer *w, const char *name, data_type type, pq_put_leaf *put,
                   void *context)
{
    put_node(w, name, type, OPTIONAL, put, context);
}
