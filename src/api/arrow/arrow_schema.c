/* arrow_schema.c - columns as an ArrowSchema. Each schema owns its texts and the memory of its children's
 * structs, so that a child may be moved out and released by itself. */

#include "api/arrow/arrow_schema.h"

#include "api/arrow/arrow_metadata.h"
#include "api/handles/error.h"
#include "api/session/database.h"
#include "base/type/nested_type.h"

#include <stdio.h>

api_arrow_options api_arrow_options_of(const settings *s)
{
    return (api_arrow_options){.has_narrow_decimals = !strcmp(s->arrow_decimal.text, "64"),
                               .has_dictionaries = s->arrow_dictionary.number};
}

api_arrow_options api_result_arrow_options(const pistachio_result *result)
{
    api_arrow_options options = api_arrow_options_of(&result->settings);
    options.has_offsets = result->is_on_device;
    return options;
}

/* As far as it is known before a statement runs: whether the device has memory of its own its name says. */
static api_arrow_options statement_options(const pistachio_statement *statement, const settings *s)
{
    api_arrow_options options = api_arrow_options_of(s);
    options.has_offsets = statement->described->kind == SQL_QUERY &&
                          !strcmp(s->result_memory.text, "device") &&
                          strcmp(s->device.text, "cpu") && strcmp(s->device.text, "auto");
    return options;
}

static void format_timestamp(data_type type, char *out)
{
    snprintf(out, API_ARROW_FORMAT_BYTES, "ts%c:%s", type.precision == 9 ? 'n' : 'u',
             type.id == TYPE_TIMESTAMP_TZ ? "UTC" : "");
}

static void format_decimal(data_type type, api_arrow_options options, char *out)
{
    bool is_narrow = options.has_narrow_decimals && type.precision <= 18;
    snprintf(out, API_ARROW_FORMAT_BYTES, "d:%d,%d%s", type.precision, type.scale,
             is_narrow ? ",64" : "");
}

void api_arrow_format(data_type type, api_arrow_options options, char *out)
{
    static const char *const formats[TYPE_ID_COUNT] = {
        [TYPE_NULL] = "n",       [TYPE_BOOL] = "b",    [TYPE_INT8] = "c",  [TYPE_INT16] = "s",
        [TYPE_INT32] = "i",      [TYPE_INT64] = "l",   [TYPE_UINT8] = "C", [TYPE_UINT16] = "S",
        [TYPE_UINT32] = "I",     [TYPE_UINT64] = "L",  [TYPE_FLOAT] = "f", [TYPE_DOUBLE] = "g",
        [TYPE_DATE] = "tdD",     [TYPE_TIME] = "ttu",  [TYPE_BLOB] = "vz", [TYPE_VARCHAR] = "vu",
        [TYPE_INTERVAL] = "tin", [TYPE_UUID] = "w:16", [TYPE_LIST] = "+l", [TYPE_STRUCT] = "+s",
        [TYPE_MAP] = "+m"};
    if (type.id == TYPE_DECIMAL)
        format_decimal(type, options, out);
    else if (type.id == TYPE_TIMESTAMP || type.id == TYPE_TIMESTAMP_TZ)
        format_timestamp(type, out);
    else if (type_is_text(type) && options.has_offsets)
        snprintf(out, API_ARROW_FORMAT_BYTES, "%s", type.id == TYPE_BLOB ? "Z" : "U");
    else
        snprintf(out, API_ARROW_FORMAT_BYTES, "%s", formats[type.id]);
}

static void arrow_schema_release(struct ArrowSchema *schema)
{
    for (int64_t i = 0; i < schema->n_children; i++) {
        struct ArrowSchema *child = schema->children ? schema->children[i] : NULL;
        if (child && child->release)
            child->release(child);
        mem_free(child);
    }
    if (schema->dictionary && schema->dictionary->release)
        schema->dictionary->release(schema->dictionary);
    mem_free(schema->dictionary);
    mem_free(schema->children);
    mem_free((char *)schema->format);
    mem_free((char *)schema->name);
    mem_free((char *)schema->metadata);
    schema->release = NULL;
}

status api_arrow_schema_new(const char *format, const char *name, uint32_t child_count,
                            struct ArrowSchema *out)
{
    *out = (struct ArrowSchema){.flags = ARROW_FLAG_NULLABLE,
                                .n_children = child_count,
                                .format = mem_copy_text(format, strlen(format)),
                                .name = mem_copy_text(name, strlen(name)),
                                .release = arrow_schema_release};
    bool is_whole = out->format && out->name;
    if (child_count)
        out->children = mem_new_array(child_count, sizeof *out->children);
    is_whole = is_whole && (!child_count || out->children);
    for (uint32_t i = 0; i < child_count && is_whole; i++) {
        out->children[i] = mem_new(sizeof *out->children[i]);
        is_whole = out->children[i] != NULL;
    }
    if (is_whole)
        return STATUS_OK;
    arrow_schema_release(out);
    return status_no_memory("Arrow schema", sizeof *out);
}

static status copy_dictionary(const struct ArrowSchema *from, struct ArrowSchema *out)
{
    if (!from->dictionary)
        return STATUS_OK;
    out->dictionary = mem_new(sizeof *out->dictionary);
    return out->dictionary ? api_arrow_schema_copy(from->dictionary, out->dictionary)
                           : status_no_memory("Arrow schema", sizeof *out);
}

status api_arrow_schema_copy(const struct ArrowSchema *from, struct ArrowSchema *out)
{
    if (from->n_children < 0 || from->n_children > 65535 || (from->n_children && !from->children))
        return status_new(STATUS_KIND_INVALID, "Arrow schema has no columns");
    TRY(api_arrow_schema_new(from->format ? from->format : "", from->name ? from->name : "",
                             (uint32_t)from->n_children, out));
    out->flags = from->flags;
    out->metadata = api_arrow_metadata_copy(from->metadata);
    status st = copy_dictionary(from, out);
    for (int64_t i = 0; i < from->n_children && !st; i++)
        st = from->children[i]
                 ? api_arrow_schema_copy(from->children[i], out->children[i])
                 : status_new(STATUS_KIND_INVALID, "Arrow schema has no column %lld", (long long)i);
    if (st)
        arrow_schema_release(out);
    return st;
}

/* Codes are signed, as pandas knows no others; offsets of texts have 64 bits, which no batch is too long for. */
static status arrow_schema_make_coded(const char *name, struct ArrowSchema *out)
{
    TRY(api_arrow_schema_new("i", name, 0, out));
    out->dictionary = mem_new(sizeof *out->dictionary);
    status st = out->dictionary ? api_arrow_schema_new("U", "", 0, out->dictionary)
                                : status_no_memory("Arrow schema", sizeof *out->dictionary);
    if (st)
        arrow_schema_release(out);
    return st;
}

static status arrow_schema_make_column(data_type type, const char *name, api_arrow_options options,
                                       struct ArrowSchema *out);

/* A struct of the type's fields: a struct itself, or a map's entries, which are not NULL, as their keys. */
static status arrow_schema_make_fields(const nested_type *type, const char *name, bool is_map,
                                       api_arrow_options options, struct ArrowSchema *out)
{
    TRY(api_arrow_schema_new("+s", name, type->field_count, out));
    status st = STATUS_OK;
    for (uint32_t i = 0; i < type->field_count && !st; i++)
        st = arrow_schema_make_column(type->fields[i].type, type->fields[i].name, options,
                                      out->children[i]);
    if (!st && is_map)
        out->flags = out->children[0]->flags = 0;
    if (st)
        arrow_schema_release(out);
    return st;
}

static status arrow_schema_make_nested(data_type type, const char *name, api_arrow_options options,
                                       struct ArrowSchema *out)
{
    const nested_type *nested = nested_type_of(type);
    char format[API_ARROW_FORMAT_BYTES] = "+l";
    options.has_dictionaries = false;
    if (type.id == TYPE_STRUCT)
        return arrow_schema_make_fields(nested, name, false, options, out);
    if (nested->size)
        snprintf(format, sizeof format, "+w:%u", nested->size);
    TRY(api_arrow_schema_new(type.id == TYPE_MAP ? "+m" : format, name, 1, out));
    status st = type.id == TYPE_MAP
                    ? arrow_schema_make_fields(nested, "entries", true, options, out->children[0])
                    : arrow_schema_make_column(nested->fields[0].type, "element", options,
                                               out->children[0]);
    if (st)
        arrow_schema_release(out);
    return st;
}

static status arrow_schema_make_column(data_type type, const char *name, api_arrow_options options,
                                       struct ArrowSchema *out)
{
    char format[API_ARROW_FORMAT_BYTES];
    if (type_is_nested(type))
        return arrow_schema_make_nested(type, name, options, out);
    if (options.has_dictionaries && type.id == TYPE_VARCHAR)
        return arrow_schema_make_coded(name, out);
    api_arrow_format(type, options, format);
    TRY(api_arrow_schema_new(format, name, 0, out));
    status st = type.id == TYPE_UUID ? api_arrow_mark_uuid(out) : STATUS_OK;
    if (st)
        arrow_schema_release(out);
    return st;
}

status api_arrow_schema_make(const api_columns *columns, api_arrow_options options,
                             struct ArrowSchema *out)
{
    TRY(api_arrow_schema_new("+s", "", columns->count, out));
    out->flags = 0;
    status st = STATUS_OK;
    for (uint32_t i = 0; i < columns->count && !st; i++)
        st = arrow_schema_make_column(columns->types[i], columns->names[i], options,
                                      out->children[i]);
    if (st)
        arrow_schema_release(out);
    return st;
}

pistachio_error *pistachio_arrow_schema(const pistachio_result *result, struct ArrowSchema *out)
{
    if (!out)
        return api_null_argument("out");
    *out = (struct ArrowSchema){0};
    if (!result)
        return api_null_argument("result");
    return api_error(
        api_arrow_schema_make(&result->columns, api_result_arrow_options(result), out));
}

pistachio_error *pistachio_statement_schema(const pistachio_statement *statement,
                                            struct ArrowSchema *out)
{
    settings s;
    if (!out)
        return api_null_argument("out");
    *out = (struct ArrowSchema){0};
    if (!statement)
        return api_null_argument("statement");
    api_settings(statement->connection, &s);
    return api_error(
        api_arrow_schema_make(&statement->columns, statement_options(statement, &s), out));
}
