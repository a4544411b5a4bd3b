/* json_nested.c - see json_nested.h. No recursion goes deeper than the type, whose depth is limited. */
#include "textfile/read/json_nested.h"

#include "base/cancel.h"

#define ROWS_FIRST 64

struct json_part {
    data_type type;
    const char *format;
    const char *name; /* of a struct's field; the type's */
    const json_part *parent;
    json_names names; /* of a struct's fields; of the keys of the map at work */
    uint32_t child_count;
    json_part *children;
    /* The rows that were made; of the column itself they are the caller's. */
    tensor *made;
    uint64_t rows, room;
    uint64_t kept; /* rows of the records before */
    bool has_nulls;
};

/* ---- parts ---- */

static status part_init(const json_part *parent, nested_field field, const json_format *format,
                        json_part *p)
{
    *p = (json_part){.type = field.type,
                     .format = format ? format->text : NULL,
                     .name = field.name,
                     .parent = parent};
    if (!type_is_nested(field.type))
        return STATUS_OK;
    const nested_type *nested = nested_type_of(field.type);
    p->children = mem_new_array((size_t)nested->field_count + 1, sizeof *p->children);
    if (!p->children)
        return status_no_memory("JSON", nested->field_count * sizeof *p->children);
    for (uint32_t i = 0; i < nested->field_count; i++) {
        const json_format *own = format && format->fields ? &format->fields[i] : NULL;
        p->child_count = i + 1;
        TRY(part_init(p, nested->fields[i], own, &p->children[i]));
        if (field.type.id == TYPE_STRUCT)
            TRY(json_names_add(NULL, &p->names, nested->fields[i].name,
                               strlen(nested->fields[i].name)));
    }
    return STATUS_OK;
}

status json_part_new(data_type type, const json_format *format, json_part **out)
{
    json_part *p = mem_new(sizeof *p);
    *out = NULL;
    if (!p)
        return status_no_memory("JSON", sizeof *p);
    status st = part_init(NULL, (nested_field){"", type}, format, p);
    if (st)
        json_part_free(p);
    else
        *out = p;
    return st;
}

static void part_release(json_part *p)
{
    tensor_unref(p->made);
    json_names_release(&p->names);
    for (uint32_t i = 0; i < p->child_count; i++)
        part_release(&p->children[i]);
    mem_free(p->children);
}

void json_part_free(json_part *part)
{
    if (part)
        part_release(part);
    mem_free(part);
}

void json_part_mark(json_part *part)
{
    part->kept = part->rows;
    for (uint32_t i = 0; i < part->child_count; i++)
        json_part_mark(&part->children[i]);
}

void json_part_undo(json_part *part)
{
    part->rows = part->kept;
    for (uint32_t i = 0; i < part->child_count; i++)
        json_part_undo(&part->children[i]);
}

void json_part_drop(json_part *part)
{
    tensor_unref(part->made);
    part->made = NULL;
    part->rows = part->room = part->kept = 0;
    part->has_nulls = false;
    for (uint32_t i = 0; i < part->child_count; i++)
        json_part_drop(&part->children[i]);
}

/* ---- rows ---- */

static status part_grow(const json_nesting *n, json_part *p)
{
    tensor *grown;
    uint64_t room = p->room ? 2 * p->room : ROWS_FIRST;
    if (room > UINT32_MAX)
        return status_new(STATUS_KIND_LIMIT, "lists of JSON have more than %u elements together",
                          UINT32_MAX / 2);
    TRY(tensor_new_flat(n->host, p->type, room, true, &grown));
    if (p->rows) {
        memcpy(grown->values, p->made->values, type_values_bytes(p->type, p->rows));
        memcpy(grown->validity, p->made->validity, bitmap_bytes(p->rows));
    }
    tensor_unref(p->made);
    p->made = grown;
    p->room = room;
    return STATUS_OK;
}

/* Adds a row, whose value is zero. */
static status part_add(const json_nesting *n, json_part *p, bool is_valid, uint64_t *out_row)
{
    if (p->rows == p->room)
        TRY(part_grow(n, p));
    *out_row = p->rows++;
    json_set_bit(p->made->validity, *out_row, is_valid);
    p->has_nulls |= !is_valid;
    if (p->type.width)
        memset((char *)p->made->values + *out_row * p->type.width, 0, p->type.width);
    else
        json_set_bit(p->made->values, *out_row, false);
    return STATUS_OK;
}

/* ---- what is wrong ---- */

/* Adds the place of a part within its column before what is in *at. */
static void write_place(const json_part *p, char **at, const char *first)
{
    for (; p->parent; p = p->parent) {
        bool is_field = p->parent->type.id == TYPE_STRUCT;
        const char *text = is_field ? p->name : "[]";
        size_t bytes = strlen(text);
        if ((size_t)(*at - first) < bytes + 1)
            return;
        *at -= bytes;
        memcpy(*at, text, bytes);
        if (is_field)
            *--*at = '.';
    }
}

static void part_wrong(const json_nesting *n, const json_part *p, json_wrong_kind kind,
                       const char *text, size_t bytes)
{
    char place[JSON_SHOWN_BYTES], *at = place + sizeof place - 1;
    *at = '\0';
    write_place(p, &at, place);
    json_wrong_note(n->wrong, kind, text, bytes);
    n->wrong->type = p->type;
    memcpy(n->wrong->place, at, (size_t)(place + sizeof place - at));
}

/* ---- values ---- */

static status put_row(const json_nesting *n, json_part *p, yyjson_val *v);

static nested_value json_nested_range_of(uint64_t first, uint64_t end)
{
    return end > first ? (nested_value){(uint32_t)first, (uint32_t)(end - first)}
                       : (nested_value){0};
}

static status put_list(const json_nesting *n, json_part *p, yyjson_val *v, nested_value *out)
{
    yyjson_arr_iter elements = yyjson_arr_iter_with(v);
    uint64_t first = p->children[0].rows, count = 0;
    for (yyjson_val *e; (e = yyjson_arr_iter_next(&elements)) && !n->wrong->is_there;) {
        if (cancel_look(count++))
            TRY(cancel_check());
        TRY(put_row(n, &p->children[0], e));
    }
    *out = json_nested_range_of(first, p->children[0].rows);
    return STATUS_OK;
}

/* Adds a map's entry. */
static status put_entry(const json_nesting *n, json_part *p, yyjson_val *key)
{
    uint32_t before;
    const char *name = yyjson_get_str(key);
    size_t bytes = yyjson_get_len(key);
    if (json_names_search(&p->names, name, bytes, &before)) {
        part_wrong(n, p, JSON_WRONG_TWICE, name, bytes);
        return STATUS_OK;
    }
    TRY(json_names_add(NULL, &p->names, name, bytes));
    TRY(put_row(n, &p->children[0], key));
    return n->wrong->is_there ? STATUS_OK
                              : put_row(n, &p->children[1], yyjson_obj_iter_get_val(key));
}

static status put_map(const json_nesting *n, json_part *p, yyjson_val *v, nested_value *out)
{
    yyjson_obj_iter entries = yyjson_obj_iter_with(v);
    uint64_t first = p->children[0].rows, count = 0;
    json_names_clear(&p->names);
    for (yyjson_val *key; (key = yyjson_obj_iter_next(&entries)) && !n->wrong->is_there;) {
        if (cancel_look(count++))
            TRY(cancel_check());
        TRY(put_entry(n, p, key));
    }
    *out = json_nested_range_of(first, p->children[0].rows);
    return STATUS_OK;
}

static status put_field(const json_nesting *n, json_part *p, uint64_t row, uint32_t *expected,
                        yyjson_val *key)
{
    uint32_t at;
    const char *name = yyjson_get_str(key);
    size_t bytes = yyjson_get_len(key);
    if (!json_names_find(&p->names, expected, name, bytes, &at)) {
        if (n->refuses_others)
            part_wrong(n, p, JSON_WRONG_FIELD, name, bytes);
        return STATUS_OK;
    }
    if (p->children[at].rows == row)
        return put_row(n, &p->children[at], yyjson_obj_iter_get_val(key));
    part_wrong(n, p, JSON_WRONG_TWICE, name, bytes);
    return STATUS_OK;
}

static status put_struct(const json_nesting *n, json_part *p, yyjson_val *v, nested_value *out)
{
    yyjson_obj_iter fields = yyjson_obj_iter_with(v);
    uint64_t row = p->children[0].rows, null;
    uint32_t expected = 0;
    for (yyjson_val *key; (key = yyjson_obj_iter_next(&fields)) && !n->wrong->is_there;)
        TRY(put_field(n, p, row, &expected, key));
    for (uint32_t i = 0; i < p->child_count && !n->wrong->is_there; i++)
        if (p->children[i].rows == row)
            TRY(part_add(n, &p->children[i], false, &null));
    *out = (nested_value){(uint32_t)row, 1};
    return STATUS_OK;
}

status json_part_put(const json_nesting *n, json_part *part, yyjson_val *v, nested_value *out)
{
    *out = (nested_value){0};
    if (part->type.id == TYPE_LIST && yyjson_is_arr(v))
        return put_list(n, part, v, out);
    if (part->type.id == TYPE_MAP && yyjson_is_obj(v))
        return put_map(n, part, v, out);
    if (part->type.id == TYPE_STRUCT && yyjson_is_obj(v))
        return put_struct(n, part, v, out);
    size_t bytes = 5;
    const char *text = yyjson_is_ctn(v) ? "{...}" : json_scalar_text(v, &bytes);
    part_wrong(n, part, JSON_WRONG_VALUE, text, bytes);
    return STATUS_OK;
}

/* Puts a value into a row of a part that is not nested. */
static status put_flat(const json_nesting *n, json_part *p, yyjson_val *v, uint64_t row)
{
    bool is_nested = yyjson_is_ctn(v);
    string_view *view = (string_view *)p->made->values + row;
    size_t bytes = 5;
    const char *text = is_nested ? "{...}" : json_scalar_text(v, &bytes);
    if (type_is_json(p->type) || (is_nested && p->type.id == TYPE_VARCHAR)) {
        bool is_put = json_texts_put_json(n->texts, n->memory, v, view);
        return is_put ? STATUS_OK : json_memory_failed(n->memory);
    }
    if (is_nested || !json_put_scalar(p->type, p->format, json_kind_of(v), text, bytes, n->texts,
                                      p->made->values, row))
        part_wrong(n, p, JSON_WRONG_VALUE, text, bytes);
    return STATUS_OK;
}

static status put_row(const json_nesting *n, json_part *p, yyjson_val *v)
{
    uint64_t row;
    nested_value value;
    bool is_valid = !yyjson_is_null(v);
    TRY(part_add(n, p, is_valid, &row));
    if (!is_valid)
        return STATUS_OK;
    if (!type_is_nested(p->type))
        return put_flat(n, p, v, row);
    TRY(json_part_put(n, p, v, &value));
    ((nested_value *)p->made->values)[row] = value;
    return STATUS_OK;
}

/* ---- columns ---- */

static status finish_children(const json_nesting *n, json_part *p, string_heap *texts,
                              tensor *column);

static status part_finish(const json_nesting *n, json_part *p, string_heap *texts)
{
    if (!p->made)
        TRY(part_grow(n, p));
    if (!p->has_nulls) {
        dev_buffer_unref(p->made->validity_owner);
        p->made->validity_owner = NULL;
        p->made->validity = NULL;
    }
    if (p->type.id == TYPE_VARCHAR)
        p->made->heap = string_heap_ref(texts);
    return type_is_nested(p->type) ? finish_children(n, p, texts, p->made) : STATUS_OK;
}

static status finish_children(const json_nesting *n, json_part *p, string_heap *texts,
                              tensor *column)
{
    tensor **children = mem_new_array((size_t)p->child_count + 1, sizeof(tensor *));
    status st = children ? STATUS_OK : status_no_memory("JSON", p->child_count * sizeof(tensor *));
    for (uint32_t i = 0; i < p->child_count && !st; i++)
        st = part_finish(n, &p->children[i], texts);
    if (!st) {
        for (uint32_t i = 0; i < p->child_count; i++)
            children[i] = tensor_ref(p->children[i].made);
        st = string_heap_new_children(children, p->child_count, p->children[0].rows, &column->heap);
    }
    mem_free(children);
    return st;
}

status json_part_finish(const json_nesting *n, json_part *part, string_heap *texts, tensor *column)
{
    status st = finish_children(n, part, texts, column);
    json_part_drop(part);
    return st;
}
