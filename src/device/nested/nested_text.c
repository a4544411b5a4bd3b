/* nested_text.c - lists of texts out of texts and back, and any nested value as text. */
#include "base/row/nested_quote.h"
#include "device/nested/nested_build.h"
#include "device/nested/nested_order.h"
#include "device/tensor_value.h"

/* ---- texts while they are made ---- */

/* The bytes of all rows' texts, one after the other. */
typedef struct text_rows {
    ARRAY(char) bytes;
    uint64_t *ends; /* by row */
    status st;      /* the first failure */
} text_rows;

static void add_bytes(void *context, const char *text, size_t bytes)
{
    text_rows *rows = context;
    if (!rows->st)
        rows->st = array_reserve(NULL, &rows->bytes, bytes);
    if (rows->st || !bytes)
        return;
    memcpy(rows->bytes.items + rows->bytes.count, text, bytes);
    rows->bytes.count += bytes;
}

static status text_rows_begin(const nested_args *c, text_rows *out)
{
    *out = (text_rows){0};
    out->ends = mem_new_array(c->count + 1, sizeof *out->ends);
    return out->ends ? STATUS_OK : status_no_memory("text", c->count * sizeof *out->ends);
}

/* Puts the texts into the result's heap. */
static status text_rows_place(const nested_args *c, const text_rows *rows, tensor *result)
{
    dev_buffer *heap;
    uint64_t start = 0;
    TRY(dev_alloc(c->stream->dev, rows->bytes.count + 1, "text", &heap));
    char *to = heap->address;
    if (rows->bytes.count)
        memcpy(to, rows->bytes.items, rows->bytes.count);
    for (uint64_t i = 0; i < c->count; start = rows->ends[i++])
        ((string_view *)result->values)[i] =
            string_view_make(to + start, (uint32_t)(rows->ends[i] - start));
    return string_heap_new(&heap, 1, &result->heap);
}

/* Makes a text of each row by add(), which is asked only for rows without a NULL argument; false: the text is NULL. */
static status make_texts(const nested_args *c,
                         bool (*add)(const nested_args *c, uint64_t row, text_sink sink),
                         tensor **out)
{
    text_rows rows;
    tensor *result = NULL;
    status st = text_rows_begin(c, &rows);
    text_sink sink = {add_bytes, &rows};
    if (!st)
        st = nested_new(c, c->type, true, &result);
    for (uint64_t i = 0; i < c->count && !st; i++) {
        size_t before = rows.bytes.count;
        if (!nested_row_is_valid(c, i) || !add(c, i, sink))
            nested_put_null(result, i);
        rows.ends[i] = rows.bytes.count;
        st = rows.st;
        if (!st && rows.bytes.count - before > (1u << 30))
            st = status_new(STATUS_KIND_DATA, "a text would have %zu bytes; the limit is %u",
                            rows.bytes.count - before, 1u << 30);
        if (!st && cancel_look(i))
            st = cancel_check();
    }
    if (!st)
        st = text_rows_place(c, &rows, result);
    array_release(&rows.bytes);
    mem_free(rows.ends);
    if (st)
        tensor_unref(result);
    else
        *out = result;
    return st;
}

/* ---- nested values as text ---- */

static void add_value(const tensor *t, uint64_t row, text_sink sink);

static void add_struct(const tensor *t, nested_value v, text_sink sink)
{
    const nested_type *type = nested_type_of(t->type);
    bool has_names = *type->fields[0].name;
    text_sink_add(sink, has_names ? "{" : "(");
    for (uint32_t i = 0; i < type->field_count; i++) {
        const char *name = type->fields[i].name;
        text_sink_add(sink, i ? ", " : "");
        if (has_names) {
            nested_quote_name(sink, name, strlen(name));
            text_sink_add(sink, ": ");
        }
        add_value(t->heap->children[i], v.offset, sink);
    }
    text_sink_add(sink, has_names ? "}" : ")");
}

static void add_elements(const tensor *t, nested_value v, text_sink sink)
{
    bool is_map = t->type.id == TYPE_MAP;
    text_sink_add(sink, is_map ? "{" : "[");
    for (uint32_t i = 0; i < v.length; i++) {
        text_sink_add(sink, i ? ", " : "");
        add_value(t->heap->children[0], v.offset + i, sink);
        if (!is_map)
            continue;
        text_sink_add(sink, "=");
        add_value(t->heap->children[1], v.offset + i, sink);
    }
    text_sink_add(sink, is_map ? "}" : "]");
}

static void add_flat(const tensor *t, uint64_t row, text_sink sink)
{
    char text[128];
    value v = tensor_value(t, row);
    if (v.type.id == TYPE_VARCHAR) {
        nested_quote_text(sink, v.text, v.bytes);
    } else if (v.type.id == TYPE_DOUBLE || v.type.id == TYPE_FLOAT) {
        nested_quote_real(sink, &v);
    } else if (v.type.id == TYPE_BLOB) {
        string_view view = string_view_make(v.text, (uint32_t)v.bytes);
        nested_quote_blob(sink, &view);
    } else {
        nested_quote_text(sink, text, value_format(&v, text, sizeof text));
    }
}

/* A value of any form. */
static void add_value(const tensor *t, uint64_t row, text_sink sink)
{
    if (!nested_value_is_valid(t, row)) {
        text_sink_add(sink, "NULL");
        return;
    }
    if (t->form == TENSOR_INDEXED) {
        row = t->index->rows[row];
        t = t->base;
    }
    if (!type_is_nested(t->type))
        add_flat(t, row, sink);
    else if (t->type.id == TYPE_STRUCT)
        add_struct(t, nested_pair(t, row), sink);
    else
        add_elements(t, nested_pair(t, row), sink);
}

static bool add_row_text(const nested_args *c, uint64_t row, text_sink sink)
{
    add_value(c->args[0], row, sink);
    return true;
}

status compute_text(const nested_args *c, tensor **out)
{
    return make_texts(c, add_row_text, out);
}

/* ---- joined ---- */

/* Adds the elements with the separator between them, without NULLs; NULL of a list that has nothing else. */
static bool add_joined(const nested_args *c, uint64_t row, text_sink sink)
{
    const tensor *child = c->args[2];
    const string_view *separator = (const string_view *)c->args[1]->values + row;
    nested_value list = nested_pair(c->args[0], row);
    bool is_first = true;
    for (uint64_t at = list.offset; at < (uint64_t)list.offset + list.length; at++) {
        const string_view *text = (const string_view *)child->values + at;
        if (!nested_is_valid(child, at))
            continue;
        if (!is_first)
            sink.add(sink.context, string_data(separator), separator->bytes);
        sink.add(sink.context, string_data(text), text->bytes);
        is_first = false;
    }
    return !is_first || !list.length;
}

/* Rows are NULL where the list or the separator is: the elements ride along as an argument that has more rows. */
status compute_join(const nested_args *c, tensor **out)
{
    tensor *child;
    TRY(nested_child_flat(c->stream, c->args[0], 0, &child));
    tensor *const args[] = {c->args[0], c->args[1], child};
    nested_args with_child = *c;
    with_child.args = args;
    status st = make_texts(&with_child, add_joined, out);
    tensor_unref(child);
    return st;
}

/* ---- split ---- */

/* The bytes of the text's first character. */
static size_t character_bytes(const char *text, const char *end)
{
    size_t bytes = 1;
    while (text + bytes < end && ((unsigned char)text[bytes] & 0xc0) == 0x80)
        bytes++;
    return bytes;
}

/* Puts a part to its place, unless the parts are only counted. */
static void nested_text_put_part(string_view *parts, uint64_t number, const char *text,
                                 const char *end)
{
    if (parts)
        parts[number] = string_view_make(text, (uint32_t)(end - text));
}

static uint64_t split_characters(const char *at, const char *end, string_view *parts)
{
    uint64_t count = 0;
    for (; at < end; at += character_bytes(at, end))
        nested_text_put_part(parts, count++, at, at + character_bytes(at, end));
    if (!count)
        nested_text_put_part(parts, count++, at, end);
    return count;
}

/* Counts the parts of a text, and writes them to `parts` unless that is NULL. Without a separator (NULL) it is one. */
static uint64_t split_text(const string_view *text, const string_view *separator,
                           string_view *parts)
{
    const char *at = string_data(text), *end = at + text->bytes, *found;
    uint64_t count = 0;
    if (separator && !separator->bytes)
        return split_characters(at, end, parts);
    while (separator &&
           (found = memmem(at, (size_t)(end - at), string_data(separator), separator->bytes))) {
        nested_text_put_part(parts, count++, at, found);
        at = found + separator->bytes;
    }
    nested_text_put_part(parts, count++, at, end);
    return count;
}

/* The row's separator; NULL: as DuckDB has it, the text is not split. */
static const string_view *separator_of(const nested_args *c, uint64_t row)
{
    return nested_is_valid(c->args[1], row) ? (const string_view *)c->args[1]->values + row : NULL;
}

status compute_split(const nested_args *c, tensor **out)
{
    const string_view *texts = c->args[0]->values;
    uint64_t total = 0;
    tensor *child;
    TRY(nested_new(c, c->type, true, out));
    for (uint64_t i = 0; i < c->count; i++) {
        bool is_valid = nested_is_valid(c->args[0], i);
        uint64_t parts = is_valid ? split_text(&texts[i], separator_of(c, i), NULL) : 0;
        nested_put(*out, i, total, parts);
        total += parts;
        if (!is_valid)
            nested_put_null(*out, i);
        if (total >= ROW_NULL)
            return status_new(STATUS_KIND_DATA, "the parts of texts are too many");
        if (cancel_look(i))
            TRY(cancel_check());
    }
    TRY(tensor_new_flat(c->stream->dev, c->args[0]->type, total, false, &child));
    string_view *parts = child->values;
    for (uint64_t i = 0; i < c->count; i++)
        if (nested_is_valid(c->args[0], i))
            parts += split_text(&texts[i], separator_of(c, i), parts);
    child->heap = string_heap_ref(c->args[0]->heap);
    return nested_own(*out, &child, 1, total);
}
