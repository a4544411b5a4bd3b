/* arrow_column.c - columns of Arrow arrays as columns of a batch.
 *
 *   numbers, dates, times of our own layout   borrowed
 *   decimals, booleans, other units           converted, value by value
 *   texts, blobs of every layout              views, and the bytes of long ones in one buffer
 *   dictionaries                              their values, row by row
 *   lists, structs, maps                      as in a file (arrow_nested.h)
 *
 * Nothing that a client's buffers hold is trusted: places of texts, codes and digits of decimals are
 * checked as they are read (arrow_row.h), texts for being UTF-8. */
#include "api/arrow/arrow_column.h"

#include "device/tensor.h"
#include "exec/operators/result_batch.h"
#include "parquet/write/writer.h"
#include "parquet/write/writer_stage.h"
#include "sql/text/split.h"

/* A column that is being read. */
typedef struct reading {
    const struct ArrowSchema *column;
    const struct ArrowArray *rows, *array; /* the struct, and its child */
    int64_t at;                            /* the first row's number in the child's buffers */
    int64_t row;                           /* and in the struct's */
    uint64_t count;
    data_type type;
} reading;

status api_arrow_table_type(arena *a, const struct ArrowSchema *column, data_type *out)
{
    char name[TYPE_NAME_BYTES];
    TRY(api_arrow_is_nested(column) ? api_arrow_nested_type(a, column, out)
                                    : api_arrow_type(column, out));
    if (out->id == TYPE_NULL)
        *out = type_make(TYPE_VARCHAR);
    if (pq_writer_can_hold(*out))
        return STATUS_OK;
    return status_hint(status_new(STATUS_KIND_UNSUPPORTED,
                                  "column \"%s\" is of type %s, which tables do not have",
                                  column->name ? column->name : "", type_name(*out, name)),
                       "give it as text or as a number");
}

/* ---- NULLs ---- */

static bool arrow_column_may_be_null(const reading *r)
{
    const struct ArrowArray *entries = r->column->dictionary ? r->array->dictionary : NULL;
    return !strcmp(r->column->format, "n") || (r->array->n_buffers && r->array->null_count) ||
           (r->rows->n_buffers && r->rows->null_count) ||
           (entries && (!entries->n_buffers || entries->null_count));
}

static status arrow_column_find(const reading *r, uint64_t i, api_arrow_place *out)
{
    *out = (api_arrow_place){0};
    return api_arrow_is_null(r->rows, r->row + (int64_t)i)
               ? STATUS_OK
               : api_arrow_find(r->column, r->array, r->at + (int64_t)i, out);
}

static status make_validity(const reading *r, exec_batch_column *out)
{
    if (!arrow_column_may_be_null(r))
        return STATUS_OK;
    uint64_t *bits = out->host_validity = mem_new(bitmap_bytes(r->count) + 8);
    if (!bits)
        return status_no_memory("Arrow rows", bitmap_bytes(r->count));
    out->validity = bits;
    for (uint64_t i = 0; i < r->count; i++) {
        api_arrow_place place;
        TRY(arrow_column_find(r, i, &place));
        bits[i / 64] |= (uint64_t)(place.array != NULL) << (i % 64);
    }
    return STATUS_OK;
}

/* ---- values of fixed width ---- */

static bool is_borrowed(const reading *r)
{
    const char *format = r->column->format;
    if (r->column->dictionary)
        return false;
    if (!format[1])
        return strchr("cCsSiIlLfg", format[0]) != NULL;
    return !strcmp(format, "tdD") || !strcmp(format, "ttu") || !strncmp(format, "tsu:", 4) ||
           !strncmp(format, "tsn:", 4);
}

static void arrow_column_store(const value *v, void *values, uint64_t i)
{
    switch (v->type.id) {
    case TYPE_BOOL:
        ((uint64_t *)values)[i / 64] |= (uint64_t)v->boolean << (i % 64);
        return;
    case TYPE_FLOAT:
        ((float *)values)[i] = (float)v->f64;
        return;
    case TYPE_DOUBLE:
        ((double *)values)[i] = v->f64;
        return;
    default:
        /* Little-endian: a smaller integer is where a larger one begins. */
        memcpy((char *)values + i * v->type.width,
               v->type.width == 16 ? (const void *)&v->i128 : &v->i64, v->type.width);
    }
}

static status arrow_column_convert(const reading *r, exec_batch_column *out)
{
    out->host_values = mem_new(type_values_bytes(r->type, r->count) + 16);
    if (!out->host_values)
        return status_no_memory("Arrow rows", type_values_bytes(r->type, r->count));
    out->values = out->host_values;
    for (uint64_t i = 0; i < r->count; i++) {
        api_arrow_place place;
        value v;
        TRY(arrow_column_find(r, i, &place));
        TRY(api_arrow_read(&place, r->type, &v));
        if (!v.is_null)
            arrow_column_store(&v, out->host_values, i);
    }
    return STATUS_OK;
}

/* ---- texts ---- */

static bool arrow_column_is_ascii(const char *text, size_t bytes)
{
    uint64_t high = 0, word;
    size_t i = 0;
    for (; i + 8 <= bytes; i += 8) {
        memcpy(&word, text + i, 8);
        high |= word;
    }
    for (; i < bytes; i++)
        high |= (unsigned char)text[i];
    return !(high & 0x8080808080808080);
}

static status arrow_column_check_text(const reading *r, const value *v)
{
    const char *name = r->column->name ? r->column->name : "";
    if (v->bytes > INT32_MAX)
        return status_new(STATUS_KIND_INVALID,
                          "column \"%s\" has a text of %zu bytes, longer than %d", name, v->bytes,
                          INT32_MAX);
    if (v->type.id == TYPE_BLOB || arrow_column_is_ascii(v->text, v->bytes))
        return STATUS_OK;
    status st = sql_check_utf8(v->text, v->bytes, "it");
    if (!st)
        return STATUS_OK;
    int64_t byte = status_position(st);
    status_free(st);
    return status_hint(
        status_new(STATUS_KIND_INVALID,
                   "column \"%s\" has a text that is not valid UTF-8 from its byte %lld on", name,
                   (long long)byte),
        "give it as a blob (Arrow's binary)");
}

/* Views that still point to the client's memory. */
static status arrow_column_make_views(const reading *r, string_view *views,
                                      uint64_t *out_long_bytes)
{
    *out_long_bytes = 0;
    for (uint64_t i = 0; i < r->count; i++) {
        api_arrow_place place;
        value v;
        TRY(arrow_column_find(r, i, &place));
        TRY(api_arrow_read(&place, r->type, &v));
        if (v.is_null)
            continue;
        TRY(arrow_column_check_text(r, &v));
        views[i] = string_view_make(v.text, (uint32_t)v.bytes);
        *out_long_bytes += v.bytes > STRING_INLINE_BYTES ? v.bytes : 0;
    }
    return STATUS_OK;
}

static void move_texts(string_view *views, uint64_t count, char *to)
{
    for (uint64_t i = 0; i < count; i++)
        if (views[i].bytes > STRING_INLINE_BYTES) {
            memcpy(to, views[i].data, views[i].bytes);
            views[i].data = to;
            to += views[i].bytes;
        }
}

static status arrow_column_convert_texts(const reading *r, device *dev, exec_batch_column *out)
{
    uint64_t bytes;
    dev_buffer *buffer;
    string_view *views = out->host_values = mem_new_array(r->count + 1, sizeof *views);
    if (!views)
        return status_no_memory("Arrow rows", r->count * sizeof *views);
    out->values = views;
    TRY(arrow_column_make_views(r, views, &bytes));
    if (!bytes)
        return STATUS_OK;
    TRY(dev_alloc(dev_host(dev), bytes, "Arrow rows", &buffer));
    move_texts(views, r->count, buffer->address);
    return string_heap_new(&buffer, 1, &out->heap);
}

/* ---- batches ---- */

static status arrow_column_read_column(const reading *r, device *dev, exec_batch_column *out)
{
    out->type = r->type;
    TRY(make_validity(r, out));
    if (is_borrowed(r)) {
        out->values = (const char *)r->array->buffers[1] + (size_t)r->at * r->type.width;
        return STATUS_OK;
    }
    return type_is_text(r->type) ? arrow_column_convert_texts(r, dev, out)
                                 : arrow_column_convert(r, out);
}

status api_arrow_batch(const struct ArrowSchema *schema, const struct ArrowArray *array,
                       int64_t first, uint64_t count, const data_type *types,
                       api_arrow_nested *const *nested, device *dev, exec_batch **out)
{
    exec_batch *batch;
    *out = NULL;
    TRY(exec_batch_new(dev, (uint32_t)schema->n_children, count, &batch));
    status st = STATUS_OK;
    for (uint32_t i = 0; i < batch->column_count && !st; i++) {
        const struct ArrowArray *column = array->children[i];
        const reading r = {.column = schema->children[i],
                           .rows = array,
                           .array = column,
                           .at = column->offset + array->offset + first,
                           .row = array->offset + first,
                           .count = count,
                           .type = types[i]};
        if (nested[i])
            st = api_arrow_nested_read(nested[i], (uint64_t)(array->offset + first), count, array,
                                       r.row, &batch->columns[i]);
        else
            st = arrow_column_read_column(&r, dev, &batch->columns[i]);
    }
    if (st)
        exec_batch_free(batch);
    else
        *out = batch;
    return st;
}
