/* chunk_bytes.c - rows to bytes and back. */
#include "exec/spill/chunk_bytes.h"

#include "base/type/bitmap_copy.h"
#include "base/type/nested_type.h"
#include "device/chunk.h"
#include "device/nested_pack.h"

#define ALIGNMENT ((uint64_t)64)

typedef struct bytes_header {
    uint64_t rows, bytes; /* of all */
    uint64_t column_count;
} bytes_header;

typedef struct column_header {
    data_type type;
    uint8_t is_there;
    uint8_t is_packed; /* a nested type's, as texts */
    /* From the beginning of the bytes. */
    uint64_t values_at, validity_at, heap_at; /* validity_at 0: no NULLs */
    uint64_t heap_bytes;
} column_header;

static uint64_t aligned(uint64_t bytes)
{
    return (bytes + ALIGNMENT - 1) & ~(ALIGNMENT - 1);
}

static bool chunk_bytes_is_valid(const tensor *t, uint64_t row)
{
    return !t->validity || (t->validity[row / 64] >> (row % 64) & 1);
}

/* Bytes of the row's text that are not in its view. */
static uint64_t chunk_bytes_long_bytes(const tensor *t, uint64_t row)
{
    const string_view *view = (const string_view *)t->values + row;
    return chunk_bytes_is_valid(t, row) && view->bytes > STRING_INLINE_BYTES ? view->bytes : 0;
}

/* Whether a column's rows are written as texts of their bytes (device/nested_pack.h). */
static bool is_packed(const tensor *t)
{
    return type_is_nested(t->type);
}

/* Bytes of a row's text that are not in its view. */
static uint64_t chunk_bytes_of_row(const tensor *t, uint64_t row)
{
    if (is_packed(t))
        return sizeof(string_view) + nested_packed_bytes(t, row, NESTED_EXACT);
    return type_is_text(t->type) ? chunk_bytes_long_bytes(t, row) : 0;
}

uint64_t chunk_bytes_fit(const chunk *c, uint64_t first, uint64_t count, uint64_t bytes)
{
    uint64_t fixed = 0, used = 0;
    for (uint32_t i = 0; i < c->column_count; i++)
        if (c->columns[i])
            fixed += c->columns[i]->type.width ? c->columns[i]->type.width : 1;
    for (uint64_t row = 0; row < count; row++) {
        used += fixed;
        for (uint32_t i = 0; i < c->column_count; i++)
            if (c->columns[i])
                used += chunk_bytes_of_row(c->columns[i], first + row);
        if (used > bytes && row)
            return row;
    }
    return count;
}

static uint64_t heap_bytes(const tensor *t, uint64_t first, uint64_t count)
{
    uint64_t bytes = 0;
    if (type_is_text(t->type))
        for (uint64_t row = first; row < first + count; row++)
            bytes += chunk_bytes_long_bytes(t, row);
    return bytes;
}

/* A column's rows from the first on; NULL: it is not there. */
typedef struct column_rows {
    const tensor *t;
    uint64_t first;
    tensor *packed; /* t, made for this; or NULL */
} column_rows;

/* Fills the headers; returns the bytes of all. */
static uint64_t chunk_bytes_lay_out(const chunk *c, const column_rows *rows, uint64_t count,
                                    column_header *columns)
{
    uint64_t at = aligned(sizeof(bytes_header) + c->column_count * sizeof *columns);
    for (uint32_t i = 0; i < c->column_count; i++) {
        const tensor *t = rows[i].t;
        columns[i] = (column_header){0};
        if (!t)
            continue;
        columns[i].type = c->columns[i]->type;
        columns[i].is_there = 1;
        columns[i].is_packed = rows[i].packed != NULL;
        columns[i].values_at = at;
        at += aligned(type_values_bytes(t->type, count));
        if (t->validity) {
            columns[i].validity_at = at;
            at += aligned(bitmap_bytes(count));
        }
        columns[i].heap_at = at;
        columns[i].heap_bytes = heap_bytes(t, rows[i].first, count);
        at += aligned(columns[i].heap_bytes);
    }
    return at;
}

/* Long strings go to the heap, their views say where. */
static void chunk_bytes_write_text(const tensor *t, uint64_t first, uint64_t count,
                                   string_view *views, char *heap)
{
    uint64_t at = 0;
    for (uint64_t i = 0; i < count; i++) {
        string_view view = {0};
        if (chunk_bytes_is_valid(t, first + i))
            view = ((const string_view *)t->values)[first + i];
        if (view.bytes > STRING_INLINE_BYTES) {
            memcpy(heap + at, view.data, view.bytes);
            view.data = (const char *)(uintptr_t)at;
            at += view.bytes;
        }
        views[i] = view;
    }
}

static void chunk_bytes_write_column(const tensor *t, uint64_t first, uint64_t count,
                                     const column_header *to, char *target)
{
    char *values = target + to->values_at;
    if (type_is_text(t->type))
        chunk_bytes_write_text(t, first, count, (string_view *)values, target + to->heap_at);
    else if (t->type.width)
        memcpy(values, (const char *)t->values + first * t->type.width, count * t->type.width);
    else
        memset(values, 0, bitmap_bytes(count));
    if (t->type.id == TYPE_BOOL)
        bitmap_copy((uint64_t *)values, 0, t->values, first, count);
    if (to->validity_at) {
        memset(target + to->validity_at, 0, bitmap_bytes(count));
        bitmap_copy((uint64_t *)(target + to->validity_at), 0, t->validity, first, count);
    }
}

/* Finds the rows of all columns, nested ones as texts. */
static status find_rows(device *dev, const chunk *c, uint64_t first, uint64_t count,
                        const char *who, column_rows *rows)
{
    for (uint32_t i = 0; i < c->column_count; i++) {
        tensor *t = c->columns[i];
        rows[i] = (column_rows){.t = t, .first = first};
        if (!t || !is_packed(t))
            continue;
        TRY(nested_pack(dev, t, first, count, NESTED_EXACT, who, &rows[i].packed));
        rows[i].t = rows[i].packed;
        rows[i].first = 0;
    }
    return STATUS_OK;
}

static status write_rows(device *dev, const chunk *c, const column_rows *rows, uint64_t count,
                         const char *who, dev_buffer **out)
{
    size_t header_bytes = sizeof(bytes_header) + c->column_count * sizeof(column_header);
    column_header *columns = mem_new(header_bytes);
    if (!columns)
        return status_no_memory(who, header_bytes);
    bytes_header header = {.rows = count, .column_count = c->column_count};
    header.bytes = chunk_bytes_lay_out(c, rows, count, columns);
    status st = dev_alloc(dev, header.bytes, who, out);
    if (!st) {
        char *target = (*out)->address;
        memcpy(target, &header, sizeof header);
        memcpy(target + sizeof header, columns, c->column_count * sizeof *columns);
        for (uint32_t i = 0; i < c->column_count; i++)
            if (rows[i].t)
                chunk_bytes_write_column(rows[i].t, rows[i].first, count, &columns[i], target);
    }
    mem_free(columns);
    return st;
}

status chunk_bytes_write(device *dev, const chunk *c, uint64_t first, uint64_t count,
                         const char *who, dev_buffer **out)
{
    *out = NULL;
    column_rows *rows = mem_new_array((size_t)c->column_count + 1, sizeof *rows);
    if (!rows)
        return status_no_memory(who, c->column_count * sizeof *rows);
    status st = find_rows(dev, c, first, count, who, rows);
    if (!st)
        st = write_rows(dev, c, rows, count, who, out);
    for (uint32_t i = 0; i < c->column_count; i++)
        tensor_unref(rows[i].packed);
    mem_free(rows);
    return st;
}

/* ---- reading ---- */

static bool chunk_bytes_lies_within(uint64_t at, uint64_t bytes, const bytes_header *header)
{
    return at <= header->bytes && bytes <= header->bytes - at && at % 8 == 0;
}

/* The views' places become addresses. */
static bool point_to_heap(string_view *views, uint64_t count, const char *heap, uint64_t bytes)
{
    for (uint64_t i = 0; i < count; i++) {
        uint64_t at = (uintptr_t)views[i].data;
        if (views[i].bytes <= STRING_INLINE_BYTES)
            continue;
        if (at > bytes || views[i].bytes > bytes - at)
            return false;
        views[i].data = heap + at;
    }
    return true;
}

static status chunk_bytes_damaged(void)
{
    return status_new(STATUS_KIND_CORRUPT, "rows in a temporary file were changed");
}

/* Reads a column whose values, or the texts in their place, are of this type. */
static status read_values(dev_buffer *bytes, const bytes_header *header, const column_header *from,
                          data_type type, tensor **out)
{
    char *source = bytes->address;
    tensor *t;
    *out = NULL;
    if (type_is_text(type) && type.width != sizeof(string_view))
        return chunk_bytes_damaged();
    if (!chunk_bytes_lies_within(from->values_at, type_values_bytes(type, header->rows), header) ||
        !chunk_bytes_lies_within(from->validity_at, bitmap_bytes(header->rows), header) ||
        !chunk_bytes_lies_within(from->heap_at, from->heap_bytes, header))
        return chunk_bytes_damaged();
    TRY(tensor_new_view(type, bytes, source + from->values_at, &t));
    status st = STATUS_OK;
    if (from->validity_at) {
        t->validity = (uint64_t *)(source + from->validity_at);
        t->validity_owner = dev_buffer_ref(bytes);
    }
    if (type_is_text(type) &&
        !point_to_heap(t->values, header->rows, source + from->heap_at, from->heap_bytes))
        st = chunk_bytes_damaged();
    if (!st && from->heap_bytes) {
        dev_buffer *owner = dev_buffer_ref(bytes);
        st = string_heap_new(&owner, 1, &t->heap);
    }
    if (st) {
        tensor_unref(t);
        return st;
    }
    *out = t;
    return STATUS_OK;
}

static status chunk_bytes_read_column(dev_buffer *bytes, const bytes_header *header,
                                      const column_header *from, tensor **out)
{
    tensor *texts;
    *out = NULL;
    if (type_is_nested(from->type) != (bool)from->is_packed ||
        (from->is_packed && !nested_type_is_known(from->type)))
        return chunk_bytes_damaged();
    if (!from->is_packed)
        return read_values(bytes, header, from, from->type, out);
    TRY(read_values(bytes, header, from, type_make(TYPE_BLOB), &texts));
    status st = nested_unpack(bytes->dev, from->type, texts, header->rows, NESTED_EXACT,
                              "rows of a temporary file", out);
    tensor_unref(texts);
    return st;
}

status chunk_bytes_read(dev_buffer *bytes, chunk **out)
{
    const char *source = bytes->address;
    bytes_header header;
    *out = NULL;
    if (bytes->bytes < sizeof header)
        return chunk_bytes_damaged();
    memcpy(&header, source, sizeof header);
    if (header.bytes != bytes->bytes || header.rows > header.bytes * 8 ||
        header.column_count > (header.bytes - sizeof header) / sizeof(column_header))
        return chunk_bytes_damaged();
    chunk *c;
    TRY(chunk_new((uint32_t)header.column_count, dev_count_exact(header.rows), &c));
    status st = STATUS_OK;
    for (uint32_t i = 0; i < c->column_count && !st; i++) {
        column_header column;
        memcpy(&column, source + sizeof header + i * sizeof column, sizeof column);
        if (column.is_there)
            st = chunk_bytes_read_column(bytes, &header, &column, &c->columns[i]);
    }
    if (st) {
        chunk_free(c);
        return st;
    }
    *out = c;
    return STATUS_OK;
}
