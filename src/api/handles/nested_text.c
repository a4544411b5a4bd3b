/* nested_text.c - see nested_text.h. */
#include "api/handles/nested_text.h"

#include "api/handles/cell.h"
#include "base/nested_type.h"
#include "base/zone_moment.h"

#include <ctype.h>
#include <strings.h>

static void add(text_sink sink, const char *text)
{
    sink.add(sink.context, text, strlen(text));
}

static bool nested_text_is_null(const exec_batch_column *column, uint64_t row)
{
    return column->type.id == TYPE_NULL ||
           (column->validity && !(column->validity[row / 64] >> (row % 64) & 1));
}

/* ---- texts ---- */

static bool needs_quotes(const char *text, size_t bytes)
{
    if (!bytes || isspace((unsigned char)text[0]) || isspace((unsigned char)text[bytes - 1]) ||
        (bytes == 4 && !strncasecmp(text, "null", 4)))
        return true;
    for (size_t i = 0; i < bytes; i++)
        if (text[i] && strchr("'\",[](){}:=\\", text[i]))
            return true;
    return false;
}

static void add_quoted(text_sink sink, const char *text, size_t bytes)
{
    size_t done = 0;
    add(sink, "'");
    for (size_t i = 0; i < bytes; i++)
        if (text[i] == '\'' || text[i] == '\\') {
            sink.add(sink.context, text + done, i - done);
            add(sink, "\\");
            done = i;
        }
    sink.add(sink.context, text + done, bytes - done);
    add(sink, "'");
}

static void add_text(text_sink sink, const char *text, size_t bytes)
{
    if (needs_quotes(text, bytes))
        add_quoted(sink, text, bytes);
    else
        sink.add(sink.context, text, bytes);
}

static void add_blob(text_sink sink, const string_view *view)
{
    static const char digits[] = "0123456789abcdef";
    const char *data = string_data(view);
    add(sink, "'\\\\x");
    for (uint32_t i = 0; i < view->bytes; i++) {
        unsigned char byte = (unsigned char)data[i];
        sink.add(sink.context, (const char[]){digits[byte >> 4], digits[byte & 15]}, 2);
    }
    add(sink, "'");
}

/* ---- values ---- */

static void add_value(const exec_batch_column *column, uint64_t row, const zone *zone,
                      text_sink sink)
{
    char text[128];
    const string_view *views = column->values;
    if (nested_text_is_null(column, row)) {
        add(sink, "NULL");
    } else if (type_is_nested(column->type)) {
        api_nested_text(column, row, zone, sink);
    } else if (column->type.id == TYPE_VARCHAR) {
        add_text(sink, string_data(&views[row]), views[row].bytes);
    } else if (column->type.id == TYPE_BLOB) {
        add_blob(sink, &views[row]);
    } else {
        value v = api_value_at(column, row);
        add_text(sink, text, zone_format_value(zone, &v, text, sizeof text));
    }
}

static void add_struct(const exec_batch_column *column, nested_value v, const zone *zone,
                       text_sink sink)
{
    const nested_type *type = nested_type_of(column->type);
    add(sink, "{");
    for (uint32_t i = 0; i < type->field_count; i++) {
        const char *name = type->fields[i].name;
        add(sink, i ? ", " : "");
        add_quoted(sink, name, strlen(name));
        add(sink, ": ");
        add_value(&column->children->columns[i], v.offset, zone, sink);
    }
    add(sink, "}");
}

static void add_elements(const exec_batch_column *column, nested_value v, const zone *zone,
                         text_sink sink)
{
    bool is_map = column->type.id == TYPE_MAP;
    const exec_batch_column *children = column->children->columns;
    add(sink, is_map ? "{" : "[");
    for (uint32_t i = 0; i < v.length; i++) {
        add(sink, i ? ", " : "");
        add_value(&children[0], v.offset + i, zone, sink);
        if (!is_map)
            continue;
        add(sink, "=");
        add_value(&children[1], v.offset + i, zone, sink);
    }
    add(sink, is_map ? "}" : "]");
}

void api_nested_text(const exec_batch_column *column, uint64_t row, const zone *zone,
                     text_sink sink)
{
    nested_value v = ((const nested_value *)column->values)[row];
    if (column->type.id == TYPE_STRUCT)
        add_struct(column, v, zone, sink);
    else
        add_elements(column, v, zone, sink);
}
