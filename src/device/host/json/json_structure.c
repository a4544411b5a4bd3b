/* json_structure.c - json_structure: the type that a JSON text has, as JSON: {"a":"UBIGINT","b":["DOUBLE"]}.
 *
 * Types of elements are merged: NULL with any other is that one, whole numbers are HUGEINT where their types differ, whole
 * numbers and fractions DOUBLE, fields of objects are put together, all else is JSON. */
#include "device/host/json/json_document.h"

/* Values in one another, at most: they are visited by recursion. */
#define STRUCTURE_DEPTH_MAX 1000

typedef enum structure_kind {
    STRUCTURE_NULL,
    STRUCTURE_BOOLEAN,
    STRUCTURE_UBIGINT,
    STRUCTURE_BIGINT,
    STRUCTURE_HUGEINT,
    STRUCTURE_DOUBLE,
    STRUCTURE_VARCHAR,
    STRUCTURE_LIST,
    STRUCTURE_OBJECT,
    STRUCTURE_JSON
} structure_kind;

typedef struct structure structure;

typedef struct structure_field {
    struct structure_field *next;
    yyjson_val *key;
    structure *value;
} structure_field;

struct structure {
    structure_kind kind;
    structure *element; /* LIST */
    structure_field *first, *last,
        *expected; /* OBJECT; the field after the one that was found last */
};

static structure_kind json_structure_kind_of(yyjson_val *value)
{
    static const struct {
        const char *name;
        structure_kind kind;
    } kinds[] = {{"NULL", STRUCTURE_NULL},       {"BOOLEAN", STRUCTURE_BOOLEAN},
                 {"UBIGINT", STRUCTURE_UBIGINT}, {"BIGINT", STRUCTURE_BIGINT},
                 {"DOUBLE", STRUCTURE_DOUBLE},   {"ARRAY", STRUCTURE_LIST},
                 {"OBJECT", STRUCTURE_OBJECT},   {"VARCHAR", STRUCTURE_VARCHAR}};
    const char *name = json_type_name(value);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (!strcmp(kinds[i].name, name))
            return kinds[i].kind;
    return STRUCTURE_JSON;
}

static bool is_whole(structure_kind kind)
{
    return kind == STRUCTURE_UBIGINT || kind == STRUCTURE_BIGINT || kind == STRUCTURE_HUGEINT;
}

static structure_kind merged_kind(structure_kind a, structure_kind b)
{
    if (a == b || b == STRUCTURE_NULL)
        return a;
    if (a == STRUCTURE_NULL)
        return b;
    if (is_whole(a) && is_whole(b))
        return STRUCTURE_HUGEINT;
    bool is_number =
        (is_whole(a) || a == STRUCTURE_DOUBLE) && (is_whole(b) || b == STRUCTURE_DOUBLE);
    return is_number ? STRUCTURE_DOUBLE : STRUCTURE_JSON;
}

static void *structure_room(json_state *s, size_t bytes)
{
    void *room = s->memory.alc.malloc(s->memory.alc.ctx, bytes);
    if (room)
        memset(room, 0, bytes);
    return room;
}

/* Finds the field with that key, or adds one without a value; fields mostly come in one order. */
static structure_field *structure_field_of(json_state *s, structure *object, yyjson_val *key)
{
    structure_field *at = object->expected;
    if (!at || !yyjson_equals(at->key, key))
        for (at = object->first; at && !yyjson_equals(at->key, key);)
            at = at->next;
    if (!at) {
        at = structure_room(s, sizeof *at);
        if (!at)
            return NULL;
        at->key = key;
        if (object->last)
            object->last->next = at;
        else
            object->first = at;
        object->last = at;
    }
    object->expected = at->next;
    return at;
}

static status structure_add(json_state *s, yyjson_val *value, unsigned depth, structure **to);

static status structure_add_members(json_state *s, yyjson_val *value, unsigned depth, structure *to)
{
    yyjson_obj_iter members = yyjson_obj_iter_with(value);
    to->expected = to->first;
    for (yyjson_val *key; (key = yyjson_obj_iter_next(&members));) {
        structure_field *field = structure_field_of(s, to, key);
        if (!field)
            return json_memory_failed(&s->memory);
        TRY(structure_add(s, yyjson_obj_iter_get_val(key), depth, &field->value));
    }
    return STATUS_OK;
}

static status structure_add_elements(json_state *s, yyjson_val *value, unsigned depth,
                                     structure *to)
{
    yyjson_arr_iter elements = yyjson_arr_iter_with(value);
    for (yyjson_val *element; (element = yyjson_arr_iter_next(&elements));)
        TRY(structure_add(s, element, depth, &to->element));
    return STATUS_OK;
}

/* Merges the type of the value into *to; NULL: there is no type yet. */
static status structure_add(json_state *s, yyjson_val *value, unsigned depth, structure **to)
{
    structure_kind kind = json_structure_kind_of(value);
    if (depth > STRUCTURE_DEPTH_MAX)
        return status_new(STATUS_KIND_DATA, "JSON has more than %d values in one another",
                          STRUCTURE_DEPTH_MAX);
    if (!*to && !(*to = structure_room(s, sizeof **to)))
        return json_memory_failed(&s->memory);
    (*to)->kind = merged_kind((*to)->kind, kind);
    if (kind == STRUCTURE_OBJECT)
        return structure_add_members(s, value, depth + 1, *to);
    return kind == STRUCTURE_LIST ? structure_add_elements(s, value, depth + 1, *to) : STATUS_OK;
}

/* Returns the type as a value of the document, NULL without memory. */
static yyjson_mut_val *structure_value(yyjson_mut_doc *to, const structure *type)
{
    static const char *const names[] = {"NULL",   "BOOLEAN", "UBIGINT", "BIGINT", "HUGEINT",
                                        "DOUBLE", "VARCHAR", "",        "",       "JSON"};
    if (!type)
        return yyjson_mut_str(to, "NULL");
    if (type->kind == STRUCTURE_LIST) {
        yyjson_mut_val *list = yyjson_mut_arr(to);
        return yyjson_mut_arr_append(list, structure_value(to, type->element)) ? list : NULL;
    }
    if (type->kind != STRUCTURE_OBJECT || !type->first) /* an object without fields is JSON */
        return yyjson_mut_str(to, type->kind == STRUCTURE_OBJECT ? "JSON" : names[type->kind]);
    yyjson_mut_val *object = yyjson_mut_obj(to);
    for (const structure_field *field = type->first; field; field = field->next) {
        yyjson_mut_val *key = yyjson_val_mut_copy(to, field->key);
        if (!yyjson_mut_obj_add(object, key, structure_value(to, field->value)))
            return NULL;
    }
    return object;
}

status host_json_structure(host_call *c, uint64_t row)
{
    json_state *s = c->state;
    yyjson_val *root;
    structure *type = NULL;
    size_t bytes;
    TRY(json_root(c, row, &root));
    TRY(structure_add(s, root, 0, &type));
    yyjson_mut_doc *document = yyjson_mut_doc_new(&s->memory.alc);
    yyjson_mut_val *value = document ? structure_value(document, type) : NULL;
    char *text = value ? yyjson_mut_val_write_opts(value, 0, &s->memory.alc, &bytes, NULL) : NULL;
    return text ? host_put_text(c, row, text, bytes) : json_memory_failed(&s->memory);
}
