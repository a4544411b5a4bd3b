/* nested_text.c - see nested_text.h. */
#include "api/handles/nested_text.h"

#include "api/handles/cell.h"
#include "base/time/zone_moment.h"
#include "base/type/nested_type.h"

static bool nested_text_is_null(const exec_batch_column *column, uint64_t row)
{
    return column->type.id == TYPE_NULL ||
           (column->validity && !(column->validity[row / 64] >> (row % 64) & 1));
}

/* ---- values ---- */

static void add_value(const exec_batch_column *column, uint64_t row, const zone *zone,
                      text_sink sink)
{
    char text[128];
    const string_view *views = column->values;
    if (nested_text_is_null(column, row)) {
        text_sink_add(sink, "NULL");
    } else if (type_is_nested(column->type)) {
        api_nested_text(column, row, zone, sink);
    } else if (column->type.id == TYPE_VARCHAR) {
        nested_quote_text(sink, string_data(&views[row]), views[row].bytes);
    } else if (column->type.id == TYPE_BLOB) {
        nested_quote_blob(sink, &views[row]);
    } else {
        value v = api_value_at(column, row);
        if (v.type.id == TYPE_DOUBLE || v.type.id == TYPE_FLOAT) {
            nested_quote_real(sink, &v);
            return;
        }
        nested_quote_text(sink, text, zone_format_value(zone, &v, text, sizeof text));
    }
}

static void show_struct(const exec_batch_column *column, nested_value v, const zone *zone,
                        text_sink sink)
{
    const nested_type *type = nested_type_of(column->type);
    bool has_names = *type->fields[0].name;
    text_sink_add(sink, has_names ? "{" : "(");
    for (uint32_t i = 0; i < type->field_count; i++) {
        const char *name = type->fields[i].name;
        text_sink_add(sink, i ? ", " : "");
        if (has_names) {
            nested_quote_name(sink, name, strlen(name));
            text_sink_add(sink, ": ");
        }
        add_value(&column->children->columns[i], v.offset, zone, sink);
    }
    text_sink_add(sink, has_names ? "}" : ")");
}

static void show_elements(const exec_batch_column *column, nested_value v, const zone *zone,
                          text_sink sink)
{
    bool is_map = column->type.id == TYPE_MAP;
    const exec_batch_column *children = column->children->columns;
    text_sink_add(sink, is_map ? "{" : "[");
    for (uint32_t i = 0; i < v.length; i++) {
        text_sink_add(sink, i ? ", " : "");
        add_value(&children[0], v.offset + i, zone, sink);
        if (!is_map)
            continue;
        text_sink_add(sink, "=");
        add_value(&children[1], v.offset + i, zone, sink);
    }
    text_sink_add(sink, is_map ? "}" : "]");
}

void api_nested_text(const exec_batch_column *column, uint64_t row, const zone *zone,
                     text_sink sink)
{
    nested_value v = ((const nested_value *)column->values)[row];
    if (column->type.id == TYPE_STRUCT)
        show_struct(column, v, zone, sink);
    else
        show_elements(column, v, zone, sink);
}
