/* json_shape.c - see json_shape.h. No recursion goes deeper than types may be nested. */
#include "textfile/table/json_shape.h"

#include "base/cancel.h"
#include "base/name_index.h"
#include "base/text/uuid_text.h"
#include "textfile/table/csv_types.h"

/* Kinds of values, in a set. */
enum { IS_BOOL = 1, IS_NUMBER = 2, IS_TEXT = 4, IS_ARRAY = 8, IS_OBJECT = 16, IS_ANY = 31 };

#define MAP_SIMILARITY_LEAST 0.8 /* DuckDB's */

struct json_shape {
    arena *memory;
    const text_options *options;
    unsigned kinds; /* of all values but null */
    uint64_t count, nulls;
    csv_guess guess;     /* of what is not nested */
    bool has_other_text; /* one that is not a UUID */
    json_shape *element; /* of arrays; NULL: all were empty */
    json_names names;    /* of objects' fields */
    ARRAY(json_shape *) fields;
};

status json_shape_new(arena *a, const text_options *options, json_shape **out)
{
    json_shape *s = *out = arena_alloc(a, sizeof *s);
    if (!s)
        return status_no_memory("JSON sample", sizeof *s);
    *s = (json_shape){.memory = a,
                      .options = options,
                      .guess = {.date_format = options->date_format,
                                .timestamp_format = options->timestamp_format}};
    return STATUS_OK;
}

/* ---- values ---- */

static status element_of(json_shape *s, json_shape **out)
{
    if (!s->element)
        TRY(json_shape_new(s->memory, s->options, &s->element));
    *out = s->element;
    return STATUS_OK;
}

/* Finds a field, or adds one. */
static status field_of(json_shape *s, uint32_t *expected, const char *name, size_t bytes,
                       json_shape **out)
{
    uint32_t at;
    json_shape *added;
    if (!json_names_find(&s->names, expected, name, bytes, &at)) {
        char *own = arena_copy_text(s->memory, name, bytes);
        if (!own)
            return status_no_memory("JSON sample", bytes);
        TRY(json_shape_new(s->memory, s->options, &added));
        TRY(json_names_add(s->memory, &s->names, own, bytes));
        TRY(array_push(s->memory, &s->fields, added));
        at = (uint32_t)s->fields.count - 1;
        *expected = at + 1;
    }
    *out = s->fields.items[at];
    return STATUS_OK;
}

static void add_scalar(json_shape *s, yyjson_val *v, json_kind kind)
{
    static const csv_guess_class classes[] = {
        [JSON_BOOL] = GUESS_OF_BOOL, [JSON_NUMBER] = GUESS_OF_NUMBER, [JSON_TEXT] = GUESS_OF_TEXT};
    static const unsigned kinds[] = {
        [JSON_BOOL] = IS_BOOL, [JSON_NUMBER] = IS_NUMBER, [JSON_TEXT] = IS_TEXT};
    size_t bytes;
    int128 uuid;
    const char *text = json_scalar_text(v, &bytes);
    s->kinds |= kinds[kind];
    csv_guess_add_of(&s->guess, classes[kind], text, bytes);
    if (kind == JSON_TEXT && !s->has_other_text)
        s->has_other_text = bytes != UUID_TEXT_BYTES || !uuid_parse_text(text, bytes, &uuid);
}

static status shape_add(json_shape *s, yyjson_val *v, unsigned depth);

static status json_shape_add_array(json_shape *s, yyjson_val *v, unsigned depth)
{
    json_shape *element;
    yyjson_arr_iter elements = yyjson_arr_iter_with(v);
    uint64_t count = 0;
    s->kinds |= IS_ARRAY;
    for (yyjson_val *e; (e = yyjson_arr_iter_next(&elements));) {
        if (cancel_look(count++))
            TRY(cancel_check());
        TRY(element_of(s, &element));
        TRY(shape_add(element, e, depth + 1));
    }
    return STATUS_OK;
}

static status add_object(json_shape *s, yyjson_val *v, unsigned depth)
{
    json_shape *field;
    yyjson_obj_iter fields = yyjson_obj_iter_with(v);
    uint32_t expected = 0;
    uint64_t count = 0;
    s->kinds |= IS_OBJECT;
    for (yyjson_val *key; (key = yyjson_obj_iter_next(&fields));) {
        if (cancel_look(count++))
            TRY(cancel_check());
        TRY(field_of(s, &expected, yyjson_get_str(key), yyjson_get_len(key), &field));
        TRY(shape_add(field, yyjson_obj_iter_get_val(key), depth + 1));
    }
    return STATUS_OK;
}

/* Adds a value of any kind where it is nested too deep. */
static status shape_add(json_shape *s, yyjson_val *v, unsigned depth)
{
    json_kind kind = json_kind_of(v);
    s->count++;
    if (kind == JSON_NULL)
        s->nulls++;
    else if (kind != JSON_NESTED)
        add_scalar(s, v, kind);
    else if (depth >= s->options->json_depth_most || depth >= NESTED_DEPTH_MAX)
        s->kinds = IS_ANY;
    else
        return yyjson_is_arr(v) ? json_shape_add_array(s, v, depth) : add_object(s, v, depth);
    return STATUS_OK;
}

status json_shape_add(json_shape *shape, yyjson_val *v)
{
    return shape_add(shape, v, 0);
}

/* ---- fields ---- */

/* Returns whether a field's name is empty, which neither a column nor a struct's field may be. */
static bool has_empty_name(const json_shape *s)
{
    uint32_t at;
    return json_names_search(&s->names, "", 0, &at);
}

bool json_shape_has_columns(const json_shape *shape)
{
    return !(shape->kinds & ~(unsigned)IS_OBJECT) && !has_empty_name(shape);
}

size_t json_shape_field_count(const json_shape *shape)
{
    return shape->fields.count;
}

json_name json_shape_field_name(const json_shape *shape, size_t number)
{
    return shape->names.items.items[number];
}

json_shape *json_shape_field(const json_shape *shape, size_t number)
{
    return shape->fields.items[number];
}

/* ---- one shape of several ---- */

static status shape_unite(json_shape *to, const json_shape *from)
{
    json_shape *own;
    uint32_t expected = 0;
    to->kinds |= from->kinds;
    to->count += from->count;
    to->nulls += from->nulls;
    to->has_other_text |= from->has_other_text;
    csv_guess_unite(&to->guess, &from->guess);
    if (from->element) {
        TRY(element_of(to, &own));
        TRY(shape_unite(own, from->element));
    }
    for (size_t i = 0; i < from->fields.count; i++) {
        const json_name *name = &from->names.items.items[i];
        TRY(field_of(to, &expected, name->text, name->bytes, &own));
        TRY(shape_unite(own, from->fields.items[i]));
    }
    return STATUS_OK;
}

/* Makes the shape that all fields have together. */
static status unite_fields(const json_shape *s, json_shape **out)
{
    TRY(json_shape_new(s->memory, s->options, out));
    for (size_t i = 0; i < s->fields.count; i++) {
        TRY(cancel_check());
        TRY(shape_unite(*out, s->fields.items[i]));
    }
    return STATUS_OK;
}

/* ---- types ---- */

static status nested_of(arena *a, type_id id, const nested_field *fields, size_t count,
                        data_type *out)
{
    TRY(nested_type_make(id, fields, (uint32_t)count, out));
    return nested_type_keep(a, *out);
}

/* Makes room for the formats of so many fields. */
static status formats_of(arena *a, size_t count, json_format **out, json_format *whole)
{
    *out = arena_alloc_array(a, count + 1, sizeof **out);
    *whole = (json_format){.fields = *out};
    return *out ? STATUS_OK : status_no_memory("JSON sample", count * sizeof **out);
}

static status list_type(const json_shape *s, data_type *out, json_format *out_format)
{
    nested_field element = {"", type_json()};
    json_format *format;
    TRY(formats_of(s->memory, 1, &format, out_format));
    if (s->element)
        TRY(json_shape_type(s->element, &element.type, format));
    return nested_of(s->memory, TYPE_LIST, &element, 1, out);
}

static status json_shape_map_type(const json_shape *s, const json_shape *values, data_type *out,
                                  json_format *out_format)
{
    nested_field fields[] = {{"key", type_make(TYPE_VARCHAR)}, {"value", type_json()}};
    json_format *formats;
    TRY(formats_of(s->memory, 2, &formats, out_format));
    if (values)
        TRY(json_shape_type(values, &fields[1].type, &formats[1]));
    return nested_of(s->memory, TYPE_MAP, fields, 2, out);
}

/* Returns whether each object has few of the fields. */
static bool are_fields_missing(const json_shape *s)
{
    double share = 0, objects = (double)(s->count - s->nulls);
    for (size_t i = 0; i < s->fields.count; i++)
        share += (double)s->fields.items[i]->count / objects;
    return share / (double)s->fields.count < s->options->json_field_share;
}

/* Returns the share of a type that one which holds its values has; negative: they have nothing in common. */
static double similarity(data_type merged, data_type type)
{
    double sum = 0, one = 0;
    if (type_is_json(merged) ||
        (type_is_nested(merged) && !type_is_json(type) && type.id != merged.id))
        return -1;
    if (type_is_json(type) || type_equal(type, merged) || !type_is_nested(merged))
        return 1;
    const nested_type *all = nested_type_of(merged), *some = nested_type_of(type);
    if (merged.id == TYPE_LIST)
        return similarity(all->fields[0].type, some->fields[0].type);
    if (merged.id == TYPE_MAP)
        return similarity(all->fields[1].type, some->fields[1].type);
    for (uint32_t i = 0, at = 0; i < some->field_count; i++) {
        while (at < all->field_count && strcmp(all->fields[at].name, some->fields[i].name) != 0)
            at++;
        one = at < all->field_count ? similarity(all->fields[at].type, some->fields[i].type) : -1;
        if (one < 0)
            return one;
        sum += one;
    }
    return sum / all->field_count;
}

/* Finds whether the fields have nearly one type: then *out is the map's. */
static status find_map_type(const json_shape *s, const nested_field *fields, bool *is_one,
                            data_type *out, json_format *out_format)
{
    json_shape *values;
    double sum = 0;
    TRY(unite_fields(s, &values));
    TRY(json_shape_map_type(s, values, out, out_format));
    data_type merged = nested_type_of(*out)->fields[1].type;
    for (size_t i = 0; i < s->fields.count && sum >= 0; i++) {
        double one = similarity(merged, fields[i].type);
        sum = one < 0 ? one : sum + one;
    }
    *is_one = sum / (double)s->fields.count >= MAP_SIMILARITY_LEAST;
    return STATUS_OK;
}

/* Finds whether a struct can have the fields: names differ in more than their case, and have no zero byte. */
static status find_names_usable(const json_shape *s, bool *out)
{
    name_index names = {0};
    uint32_t number;
    *out = true;
    for (uint32_t i = 0; i < s->fields.count && *out; i++) {
        const json_name *name = &s->names.items.items[i];
        *out = strlen(name->text) == name->bytes && !name_index_find(&names, name->text, &number);
        TRY(name_index_add(s->memory, &names, name->text, i));
    }
    return STATUS_OK;
}

static status json_shape_struct_type(const json_shape *s, data_type *out, json_format *out_format)
{
    json_format *formats;
    bool is_map = false, is_usable;
    TRY(find_names_usable(s, &is_usable));
    TRY(formats_of(s->memory, s->fields.count, &formats, out_format));
    nested_field *fields = arena_alloc_array(s->memory, s->fields.count, sizeof *fields);
    if (!fields)
        return status_no_memory("JSON sample", s->fields.count * sizeof *fields);
    for (size_t i = 0; i < s->fields.count; i++) {
        fields[i].name = s->names.items.items[i].text;
        TRY(json_shape_type(s->fields.items[i], &fields[i].type, &formats[i]));
    }
    if (s->fields.count >= s->options->json_map_fields)
        TRY(find_map_type(s, fields, &is_map, out, out_format));
    if (is_map)
        return STATUS_OK;
    *out = type_json();
    out_format->fields = formats;
    return is_usable ? nested_of(s->memory, TYPE_STRUCT, fields, s->fields.count, out) : STATUS_OK;
}

static status object_type(const json_shape *s, data_type *out, json_format *out_format)
{
    json_shape *values = NULL;
    if (s->fields.count && !has_empty_name(s) && !are_fields_missing(s))
        return json_shape_struct_type(s, out, out_format);
    if (s->fields.count)
        TRY(unite_fields(s, &values));
    return json_shape_map_type(s, values, out, out_format);
}

status json_shape_type(const json_shape *shape, data_type *out, json_format *out_format)
{
    *out = type_json();
    *out_format = (json_format){0};
    switch (shape->kinds) {
    case IS_ARRAY:
        return list_type(shape, out, out_format);
    case IS_OBJECT:
        return object_type(shape, out, out_format);
    case IS_TEXT:
        if (!shape->has_other_text) {
            *out = type_make(TYPE_UUID);
            return STATUS_OK;
        }
        break;
    case IS_BOOL:
    case IS_NUMBER:
        break;
    default:
        return STATUS_OK;
    }
    return csv_guess_type(shape->memory, &shape->guess, out, &out_format->text);
}
