/* sort_widen.c - kept rows as they came. */
#include "exec/sort/sort_widen.h"

#include "device/chunk.h"
#include "exec/sort/sort.h"

#include <string.h>

/* Records that are worked on at a time: they stay in the first cache. */
#define BATCH_ROWS 256
#define BATCH_BYTES 16384

/* ---- distances ---- */

#define READ(ctype)                                                                                \
    do {                                                                                           \
        for (uint64_t i = 0; i < count; i++) {                                                     \
            ctype narrow;                                                                          \
            memcpy(&narrow, from + i * stride, sizeof narrow);                                     \
            out[i] = narrow;                                                                       \
        }                                                                                          \
    } while (0)

static void sort_widen_read_values(const char *from, size_t stride, unsigned width, uint64_t count,
                                   uint64_t *out)
{
    switch (width) {
    case 1:
        READ(uint8_t);
        break;
    case 2:
        READ(uint16_t);
        break;
    case 4:
        READ(uint32_t);
        break;
    default:
        READ(uint64_t);
    }
}

#define ADD(ctype)                                                                                 \
    do {                                                                                           \
        ctype *to = (ctype *)values + first, least = (ctype)field->least;                          \
        for (uint64_t i = 0; i < count; i++)                                                       \
            to[i] = (ctype)(least + (ctype)distances[i]);                                          \
    } while (0)

/* Rows from `first` on. */
static void sort_widen_write_numbers(const sort_field *field, const uint64_t *distances,
                                     uint64_t count, void *values, uint64_t first)
{
    switch (field->type.width) {
    case 1:
        ADD(uint8_t);
        break;
    case 2:
        ADD(uint16_t);
        break;
    case 4:
        ADD(uint32_t);
        break;
    case 8:
        ADD(uint64_t);
        break;
    default:
        ADD(uint128);
    }
}

/* ---- columns of their own ---- */

static status widen_flat(const sort_field *field, const tensor *kept, uint64_t rows, device *dev,
                         tensor **out)
{
    uint64_t distances[BATCH_ROWS];
    tensor *t;
    TRY(tensor_new_flat(dev, field->type, rows, false, &t));
    for (uint64_t first = 0; first < rows; first += BATCH_ROWS) {
        uint64_t count = rows - first < BATCH_ROWS ? rows - first : BATCH_ROWS;
        sort_widen_read_values((const char *)kept->values + first * field->width, field->width,
                               field->width, count, distances);
        sort_widen_write_numbers(field, distances, count, t->values, first);
    }
    t->validity = kept->validity;
    t->validity_owner = dev_buffer_ref(kept->validity_owner);
    *out = t;
    return STATUS_OK;
}

static status widen_column(const sort_field *field, exec_task *task, tensor *kept, dev_count rows,
                           tensor **out)
{
    tensor *flat;
    TRY(tensor_flatten(task->stream, kept, rows, &flat));
    status st = widen_flat(field, flat, rows.bound, task->stream->dev, out);
    tensor_unref(flat);
    return st;
}

/* ---- records ---- */

/* A field of the records in the form that it gets. */
typedef struct widened {
    const sort_field *field;
    tensor *values;
    row_index *codes; /* of texts */
} widened;

typedef struct records {
    const char *values;
    const uint32_t *order; /* NULL: as they lie */
    size_t stride;
} records;

#define FETCH(bytes)                                                                               \
    case bytes:                                                                                    \
        for (uint64_t i = 0; i < count; i++)                                                       \
            memcpy(room + i * (bytes), r->values + (size_t)order[i] * (bytes), bytes);             \
        break

/* Records from `first` on, behind each other. */
static const char *sort_widen_fetch(const records *r, uint64_t first, uint64_t count, char *room)
{
    if (!r->order)
        return r->values + first * r->stride;
    const uint32_t *order = r->order + first;
    switch (r->stride) {
        FETCH(4);
        FETCH(8);
        FETCH(16);
        FETCH(24);
        FETCH(32);
        FETCH(40);
        FETCH(48);
    default:
        for (uint64_t i = 0; i < count; i++)
            memcpy(room + i * r->stride, r->values + order[i] * r->stride, r->stride);
    }
    return room;
}

static bool sort_widen_is_null(const sort_field *field, const char *record)
{
    return (unsigned char)record[field->null_bit / 8] >> (field->null_bit % 8) & 1;
}

/* first: a multiple of 64. */
static void put_validity(const sort_field *field, const char *batch, size_t stride, uint64_t first,
                         uint64_t count, uint64_t *validity)
{
    for (uint64_t at = 0; at < count; at += 64) {
        uint64_t word = 0, end = count - at < 64 ? count - at : 64;
        for (uint64_t i = 0; i < end; i++)
            word |= (uint64_t)!sort_widen_is_null(field, batch + (at + i) * stride) << i;
        validity[(first + at) / 64] = word;
    }
}

static void sort_widen_put_codes(const widened *w, const char *batch, size_t stride, uint64_t first,
                                 uint64_t count)
{
    uint32_t *codes = w->codes->rows + first;
    for (uint64_t i = 0; i < count; i++)
        codes[i] = (uint8_t)batch[i * stride + w->field->at];
    for (uint64_t i = 0; w->codes->has_nulls && i < count; i++)
        codes[i] = sort_widen_is_null(w->field, batch + i * stride) ? ROW_NULL : codes[i];
}

static void sort_widen_put_field(const widened *w, const char *batch, size_t stride, uint64_t first,
                                 uint64_t count)
{
    uint64_t distances[BATCH_ROWS];
    const sort_field *field = w->field;
    if (w->codes) {
        sort_widen_put_codes(w, batch, stride, first, count);
        return;
    }
    if (field->width == 16) {
        char *to = (char *)w->values->values + first * 16;
        for (uint64_t i = 0; i < count; i++)
            memcpy(to + i * 16, batch + i * stride + field->at, 16);
    } else {
        sort_widen_read_values(batch + field->at, stride, field->width, count, distances);
        sort_widen_write_numbers(field, distances, count, w->values->values, first);
    }
    if (w->values->validity)
        put_validity(field, batch, stride, first, count, w->values->validity);
}

static void put_fields(const records *r, uint64_t rows, const widened *fields, uint32_t count)
{
    char room[BATCH_BYTES];
    uint64_t most = BATCH_BYTES / r->stride / 64 * 64;
    most = most < BATCH_ROWS ? most : BATCH_ROWS;
    for (uint64_t first = 0; first < rows; first += most) {
        uint64_t here = rows - first < most ? rows - first : most;
        const char *batch = sort_widen_fetch(r, first, here, room);
        for (uint32_t f = 0; f < count; f++)
            sort_widen_put_field(&fields[f], batch, r->stride, first, here);
    }
}

static status open_field(const sort_field *field, device *dev, uint64_t rows, widened *out)
{
    bool has_nulls = atomic_load_explicit(&field->has_nulls, memory_order_relaxed);
    out->field = field;
    if (field->kind == SORT_FIELD_RECORD)
        return tensor_new_flat(dev, field->type, rows, has_nulls, &out->values);
    TRY(row_index_new(dev, rows, &out->codes));
    out->codes->has_nulls = has_nulls;
    return STATUS_OK;
}

/* Takes what was made out of it. */
static status close_field(widened *w, exec_task *task, dev_count rows, tensor **out)
{
    tensor *texts;
    if (!w->codes) {
        *out = w->values;
        w->values = NULL;
        return STATUS_OK;
    }
    uint32_t count = w->field->texts->count;
    TRY(sort_texts_column(w->field->texts, task->stream->dev, &texts));
    status st = tensor_new_indexed(task->stream, texts, count ? count : 1, w->codes, rows, out);
    tensor_unref(texts);
    if (!st)
        (*out)->is_dictionary = true;
    return st;
}

/* Fields of the record that the chunk has no column for. */
static status open_fields(const op_sort *op, device *dev, const chunk *kept, widened *fields,
                          uint32_t *out_count)
{
    *out_count = 0;
    for (uint32_t c = 0; c < op->narrow.column_count; c++) {
        const sort_field *field = &op->narrow.fields[c];
        bool is_in_record = field->kind == SORT_FIELD_RECORD || field->kind == SORT_FIELD_TEXT;
        if (is_in_record && !kept->columns[c])
            TRY(open_field(field, dev, kept->rows.bound, &fields[(*out_count)++]));
    }
    return STATUS_OK;
}

static status close_fields(const op_sort *op, exec_task *task, widened *fields, uint32_t count,
                           chunk *out)
{
    for (uint32_t f = 0; f < count; f++)
        TRY(close_field(&fields[f], task, out->rows,
                        &out->columns[fields[f].field - op->narrow.fields]));
    return STATUS_OK;
}

static status widen_records(const op_sort *op, exec_task *task, const chunk *kept, chunk *out)
{
    const tensor *t = kept->columns[kept->column_count - 1];
    uint32_t count;
    if (!t)
        return STATUS_OK;
    widened *fields = mem_new_array(op->narrow.column_count + 1, sizeof *fields);
    if (!fields)
        return status_no_memory("sort", op->narrow.column_count * sizeof *fields);
    records r = {.values = t->form == TENSOR_INDEXED ? t->base->values : t->values,
                 .order = t->form == TENSOR_INDEXED ? t->index->rows : NULL,
                 .stride = t->type.width};
    status st = open_fields(op, task->stream->dev, kept, fields, &count);
    if (!st) {
        put_fields(&r, kept->rows.bound, fields, count);
        st = close_fields(op, task, fields, count, out);
    }
    for (uint32_t f = 0; f < op->narrow.column_count; f++) {
        tensor_unref(fields[f].values);
        row_index_unref(fields[f].codes);
    }
    mem_free(fields);
    return st;
}

/* ---- all of it ---- */

static status sort_widen_widen(const op_sort *op, exec_task *task, const chunk *kept, chunk *out)
{
    for (uint32_t c = 0; c < op->column_count; c++) {
        const sort_field *field = &op->narrow.fields[c];
        if (field->kind == SORT_FIELD_COLUMN)
            TRY(widen_column(field, task, kept->columns[c], kept->rows, &out->columns[c]));
        else
            out->columns[c] = tensor_ref(kept->columns[c]);
    }
    return widen_records(op, task, kept, out);
}

status sort_widen(const op_sort *op, exec_task *task, chunk *kept, chunk **out)
{
    chunk *made;
    *out = op->narrow.is_used ? NULL : kept;
    if (!op->narrow.is_used)
        return STATUS_OK;
    status st = chunk_new(op->column_count, kept->rows, &made);
    if (!st) {
        st = sort_widen_widen(op, task, kept, made);
        if (st)
            chunk_free(made);
    }
    chunk_free(kept);
    *out = st ? NULL : made;
    return st;
}

uint32_t sort_widen_columns(const op_sort *op)
{
    return op->narrow.is_used ? op->kept_count : op->column_count;
}
