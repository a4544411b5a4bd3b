/* sort_narrow.c - how columns are kept, and rows made so. */
#include "exec/sort/sort_narrow.h"

#include "device/chunk.h"
#include "exec/sched/query.h"
#include "exec/sort/sort.h"
#include "parquet/read/column.h"
#include "parquet/table/table.h"

#include <string.h>

/* A record's length is that of a value, which data_type has 8 bits for. */
#define RECORD_BYTES_MAX 248
static_assert(RECORD_BYTES_MAX <= UINT8_MAX && RECORD_BYTES_MAX % 8 == 0, "data_type.width");
#define BATCH_ROWS 1024

/* ---- ranges ---- */

/* Values of a column of a scan are among those of its files, wherever the column is seen above. */
static void take_scan_ranges(const plan_node *scan, const column_map *input, sort_field *fields)
{
    const struct pq_table *table = scan->scan.table;
    for (size_t i = 0; i < scan->columns.count; i++) {
        const pq_table_column *column = &table->columns.items[scan->scan.sources.items[i]];
        int place = column_map_find(input, scan->columns.items[i].id);
        if (place < 0)
            continue;
        sort_field *field = &fields[place];
        field->has_range = column->has_range && column->min <= column->max;
        field->least = (uint128)column->min;
        field->spread = (uint128)column->max - (uint128)column->min;
    }
}

static void sort_narrow_take_ranges(const plan_node *node, const column_map *input,
                                    sort_field *fields)
{
    if (node->kind == PLAN_SCAN)
        take_scan_ranges(node, input, fields);
    for (uint32_t i = 0; i < node->child_count; i++)
        sort_narrow_take_ranges(node->children[i], input, fields);
}

/* Top-k keeps few rows. Of several ranks each may know files of its own. */
status sort_narrow_open(op_sort *op, const column_map *input)
{
    sort_narrow *narrow = &op->narrow;
    const plan_node *below = op->base.plan->children[0];
    narrow->is_used = exec_device(op->base.query)->is_host && !op->base.plan->sort.has_limit;
    narrow->column_count = op->column_count;
    narrow->fields = mem_new_array(op->column_count + 1, sizeof *narrow->fields);
    if (!narrow->fields)
        return status_no_memory("sort", op->column_count * sizeof *narrow->fields);
    for (uint32_t k = 0; k < op->key_count; k++)
        if (op->key_columns[k] < op->column_count)
            narrow->fields[op->key_columns[k]].is_key = true;
    if (narrow->is_used && !op->base.query->net)
        sort_narrow_take_ranges(below, input, narrow->fields);
    return STATUS_OK;
}

void sort_narrow_close(sort_narrow *narrow)
{
    for (uint32_t c = 0; c < narrow->column_count && narrow->fields; c++)
        sort_texts_free(narrow->fields[c].texts);
    mem_free(narrow->fields);
}

/* ---- how columns are kept ---- */

static unsigned sort_narrow_width_of(const sort_field *field)
{
    unsigned width = 1;
    while (width < field->type.width && width < 8 && field->spread >> (8 * width))
        width *= 2;
    return field->spread >> 64 ? field->type.width : width;
}

/* In as few bytes as its range allows, or as it is. */
static void choose_width(sort_field *field)
{
    field->width = field->type.width;
    if (field->has_range)
        field->width = sort_narrow_width_of(field);
    if (field->width == field->type.width) {
        field->least = 0;
        field->spread = ~(uint128)0;
    }
}

static bool has_few_texts(const tensor *t)
{
    return t->form == TENSOR_INDEXED && t->is_dictionary && !t->base->validity &&
           t->base_rows <= SORT_TEXTS_MAX;
}

/* The bytes of `fields` fields' NULL bits, which begin a record. */
static uint32_t null_bytes(uint32_t fields)
{
    return (fields + 7) / 8;
}

/* Gives the field its place behind those that the record has. False: the record has no room for it. */
static bool place_field(sort_narrow *narrow, sort_field *field)
{
    uint32_t bytes = narrow->field_bytes + field->width;
    if (null_bytes(narrow->field_count + 1) + bytes > RECORD_BYTES_MAX)
        return false;
    field->at = narrow->field_bytes;
    field->null_bit = narrow->field_count++;
    narrow->field_bytes = bytes;
    return true;
}

static status choose_text(const op_sort *op, const tensor *t, sort_narrow *narrow,
                          sort_field *field)
{
    if (field->is_key || !has_few_texts(t))
        return STATUS_OK;
    field->width = 1;
    if (!place_field(narrow, field)) {
        field->width = t->type.width;
        return STATUS_OK;
    }
    field->kind = SORT_FIELD_TEXT;
    return sort_texts_new(exec_device(op->base.query), t->type, &field->texts);
}

/* A field for which the record has no room is a column of its own. */
static status choose_kind(const op_sort *op, const tensor *t, sort_narrow *narrow,
                          sort_field *field)
{
    field->type = t->type;
    field->width = t->type.width;
    if (!t->type.width)
        return STATUS_OK;
    if (type_is_text(t->type))
        return choose_text(op, t, narrow, field);
    choose_width(field);
    if (!field->is_key && place_field(narrow, field))
        field->kind = SORT_FIELD_RECORD;
    else if (field->width < t->type.width)
        field->kind = SORT_FIELD_COLUMN;
    return STATUS_OK;
}

static bool is_in_record(const sort_field *field)
{
    return field->kind == SORT_FIELD_RECORD || field->kind == SORT_FIELD_TEXT;
}

/* One field alone needs no record, unless it is of texts. */
static void drop_small_record(sort_narrow *narrow)
{
    if (narrow->field_count != 1)
        return;
    sort_field *only = narrow->fields;
    while (!is_in_record(only))
        only++;
    if (only->kind == SORT_FIELD_TEXT)
        return;
    only->kind = only->width < only->type.width ? SORT_FIELD_COLUMN : SORT_FIELD_AS_IT_IS;
    narrow->field_count = narrow->field_bytes = 0;
}

/* Moves the fields behind the NULL bits: how many bits there are is known when all fields have a place. */
static void close_record(sort_narrow *narrow)
{
    uint32_t nulls = null_bytes(narrow->field_count), bytes = nulls + narrow->field_bytes;
    if (!narrow->field_count)
        return;
    for (uint32_t c = 0; c < narrow->column_count; c++)
        if (is_in_record(&narrow->fields[c]))
            narrow->fields[c].at += nulls;
    narrow->record_bytes = bytes <= 4 ? 4 : (bytes + 7) / 8 * 8;
    assert(narrow->record_bytes <= RECORD_BYTES_MAX);
}

static data_type kept_type(unsigned width)
{
    switch (width) {
    case 1:
        return type_make(TYPE_UINT8);
    case 2:
        return type_make(TYPE_UINT16);
    case 4:
        return type_make(TYPE_UINT32);
    default:
        return type_make(TYPE_UINT64);
    }
}

/* Bytes, so many to a value. */
static data_type record_type(const sort_narrow *narrow)
{
    data_type type = type_make(TYPE_UINT8);
    assert(narrow->record_bytes <= RECORD_BYTES_MAX);
    type.width = (uint8_t)narrow->record_bytes;
    return type;
}

status sort_narrow_learn(op_sort *op, const chunk *rows, data_type *types, bool *needed)
{
    sort_narrow *narrow = &op->narrow;
    uint32_t last = rows->column_count;
    for (uint32_t c = 0; c < narrow->column_count; c++)
        if (rows->columns[c])
            TRY(choose_kind(op, rows->columns[c], narrow, &narrow->fields[c]));
    drop_small_record(narrow);
    close_record(narrow);
    for (uint32_t c = 0; c < narrow->column_count; c++) {
        const sort_field *field = &narrow->fields[c];
        if (field->kind == SORT_FIELD_COLUMN)
            types[c] = kept_type(field->width);
        else if (field->kind != SORT_FIELD_AS_IT_IS)
            needed[c] = false;
    }
    needed[last] = narrow->record_bytes > 0;
    if (needed[last])
        types[last] = record_type(narrow);
    return STATUS_OK;
}

/* ---- values ---- */

static bool sort_narrow_is_valid(const uint64_t *validity, uint64_t row)
{
    return validity[row / 64] >> (row % 64) & 1;
}

#define READ(ctype)                                                                                \
    do {                                                                                           \
        const ctype *from = (const ctype *)t->values + first;                                      \
        ctype least = (ctype)field->least;                                                         \
        for (uint64_t i = 0; i < count; i++)                                                       \
            out[i] = (ctype)(from[i] - least);                                                     \
    } while (0)

/* Reads values of 16 bytes: those that have more than 64 bits become the greatest number. */
static void read_wide(const sort_field *field, const tensor *t, uint64_t first, uint64_t count,
                      uint64_t *out)
{
    const uint128 *from = (const uint128 *)t->values + first;
    for (uint64_t i = 0; i < count; i++) {
        uint128 distance = from[i] - field->least;
        out[i] = distance >> 64 ? UINT64_MAX : (uint64_t)distance;
    }
}

/* How far the values are from the least one; 0 for NULL. False: they are out of the range. */
static bool read_distances(const sort_field *field, const tensor *t, uint64_t first, uint64_t count,
                           uint64_t *out)
{
    uint64_t beyond = 0, spread = (uint64_t)field->spread;
    switch (t->type.width) {
    case 1:
        READ(uint8_t);
        break;
    case 2:
        READ(uint16_t);
        break;
    case 4:
        READ(uint32_t);
        break;
    case 8:
        READ(uint64_t);
        break;
    default:
        read_wide(field, t, first, count, out);
    }
    for (uint64_t i = 0; t->validity && i < count; i++)
        out[i] = sort_narrow_is_valid(t->validity, first + i) ? out[i] : 0;
    for (uint64_t i = 0; i < count; i++)
        beyond |= out[i] > spread;
    return !beyond;
}

#define WRITE(ctype)                                                                               \
    do {                                                                                           \
        for (uint64_t i = 0; i < count; i++) {                                                     \
            ctype narrow = (ctype)values[i];                                                       \
            memcpy(target + i * stride, &narrow, sizeof narrow);                                   \
        }                                                                                          \
    } while (0)

static void sort_narrow_write_values(const uint64_t *values, uint64_t count, unsigned width,
                                     char *target, size_t stride)
{
    switch (width) {
    case 1:
        WRITE(uint8_t);
        break;
    case 2:
        WRITE(uint16_t);
        break;
    case 4:
        WRITE(uint32_t);
        break;
    default:
        WRITE(uint64_t);
    }
}

static status sort_narrow_out_of_range(const op_sort *op, uint32_t column)
{
    return status_new(STATUS_KIND_CORRUPT, "column \"%s\": " PQ_BOUNDS_MESSAGE,
                      op->input.columns[column].name);
}

/* Values of 16 bytes as they are. */
static void write_as_they_are(const tensor *t, uint64_t count, char *target, size_t stride)
{
    for (uint64_t i = 0; i < count; i++)
        memcpy(target + i * stride, (const char *)t->values + i * 16, 16);
}

/* The values of a FLAT column at `target`, each `stride` bytes behind the one before. */
static status sort_narrow_write_numbers(const op_sort *op, uint32_t column, const tensor *t,
                                        uint64_t rows, char *target, size_t stride)
{
    const sort_field *field = &op->narrow.fields[column];
    uint64_t values[BATCH_ROWS];
    if (field->width == 16) {
        write_as_they_are(t, rows, target, stride);
        return STATUS_OK;
    }
    for (uint64_t first = 0; first < rows; first += BATCH_ROWS) {
        uint64_t count = rows - first < BATCH_ROWS ? rows - first : BATCH_ROWS;
        if (!read_distances(field, t, first, count, values))
            return sort_narrow_out_of_range(op, column);
        sort_narrow_write_values(values, count, field->width, target + first * stride, stride);
    }
    return STATUS_OK;
}

/* ---- columns ---- */

static status narrow_flat(const op_sort *op, uint32_t column, const tensor *t, uint64_t rows,
                          device *dev, tensor_target place, tensor **out)
{
    unsigned width = op->narrow.fields[column].width;
    tensor *made;
    *out = NULL;
    TRY(tensor_new_flat_at(dev, kept_type(width), rows, t->validity, place, &made));
    if (t->validity)
        memcpy(made->validity, t->validity, bitmap_bytes(rows));
    status st = sort_narrow_write_numbers(op, column, t, rows, made->values, width);
    if (st)
        tensor_unref(made);
    else
        *out = made;
    return st;
}

static status narrow_column(const op_sort *op, exec_task *task, const chunk *rows, uint32_t column,
                            tensor_target place, tensor **out)
{
    tensor *flat;
    TRY(tensor_flatten(task->stream, rows->columns[column], rows->rows, &flat));
    status st = narrow_flat(op, column, flat, rows->rows.bound, task->stream->dev, place, out);
    tensor_unref(flat);
    return st;
}

/* Copies columns that stay as they are, and keys that are computed. */
static status copy_others(const op_sort *op, exec_task *task, const chunk *rows,
                          const tensor_target *places, chunk **out)
{
    chunk *others;
    *out = NULL;
    TRY(chunk_new(rows->column_count + 1, rows->rows, &others));
    for (uint32_t c = 0; c < rows->column_count; c++) {
        bool is_outside = c < op->narrow.column_count;
        if (!is_outside || op->narrow.fields[c].kind == SORT_FIELD_AS_IT_IS)
            others->columns[c] = tensor_ref(rows->columns[c]);
    }
    status st = chunk_concat_at(task->stream, &others, 1, "sort", places, out);
    chunk_free(others);
    return st;
}

/* ---- records ---- */

static void set_nulls(sort_field *field, const uint64_t *validity, uint64_t rows, char *records,
                      size_t stride)
{
    if (!validity)
        return;
    atomic_store_explicit(&field->has_nulls, true, memory_order_relaxed);
    for (uint64_t i = 0; i < rows; i++)
        records[i * stride + field->null_bit / 8] |=
            (char)(!sort_narrow_is_valid(validity, i) << (field->null_bit % 8));
}

static status sort_narrow_put_numbers(op_sort *op, exec_task *task, const chunk *rows,
                                      uint32_t column, tensor *records)
{
    sort_field *field = &op->narrow.fields[column];
    uint64_t count = rows->rows.bound;
    tensor *flat;
    TRY(tensor_flatten(task->stream, rows->columns[column], rows->rows, &flat));
    set_nulls(field, flat->validity, count, records->values, records->type.width);
    status st = sort_narrow_write_numbers(op, column, flat, count,
                                          (char *)records->values + field->at, records->type.width);
    tensor_unref(flat);
    return st;
}

/* The column's codes by those of the sort. */
static void sort_narrow_put_codes(sort_field *field, const tensor *t, const uint8_t *numbers,
                                  uint64_t count, tensor *records)
{
    const uint32_t *codes = t->index->rows;
    size_t stride = records->type.width;
    char *place = (char *)records->values + field->at;
    for (uint64_t i = 0; i < count; i++)
        place[i * stride] = codes[i] == ROW_NULL ? 0 : (char)numbers[codes[i]];
    if (!t->index->has_nulls)
        return;
    atomic_store_explicit(&field->has_nulls, true, memory_order_relaxed);
    place = (char *)records->values + field->null_bit / 8;
    for (uint64_t i = 0; i < count; i++)
        place[i * stride] |= (char)((codes[i] == ROW_NULL) << (field->null_bit % 8));
}

/* False: the texts are not few. */
static bool sort_narrow_put_texts(sort_field *field, const tensor *t, uint64_t count,
                                  tensor *records)
{
    uint8_t numbers[SORT_TEXTS_MAX];
    if (!has_few_texts(t) ||
        !sort_texts_number(field->texts, t->base->values, t->base_rows, numbers))
        return false;
    sort_narrow_put_codes(field, t, numbers, count, records);
    return true;
}

static status keep_texts(exec_task *task, const chunk *rows, uint32_t column, tensor **out)
{
    chunk *one, *copy;
    TRY(chunk_new(1, rows->rows, &one));
    one->columns[0] = tensor_ref(rows->columns[column]);
    status st = chunk_concat(task->stream, &one, 1, "sort", &copy);
    chunk_free(one);
    TRY(st);
    *out = tensor_ref(copy->columns[0]);
    chunk_free(copy);
    return STATUS_OK;
}

static status sort_narrow_put_field(op_sort *op, exec_task *task, const chunk *rows,
                                    uint32_t column, tensor *records, chunk *out)
{
    sort_field *field = &op->narrow.fields[column];
    if (field->kind == SORT_FIELD_RECORD)
        return sort_narrow_put_numbers(op, task, rows, column, records);
    if (field->kind != SORT_FIELD_TEXT ||
        sort_narrow_put_texts(field, rows->columns[column], rows->rows.bound, records))
        return STATUS_OK;
    atomic_store(&field->has_others, true);
    return keep_texts(task, rows, column, &out->columns[column]);
}

static status make_records(op_sort *op, exec_task *task, const chunk *rows, tensor_target place,
                           chunk *out)
{
    const sort_narrow *narrow = &op->narrow;
    tensor **records = &out->columns[out->column_count - 1];
    uint64_t count = rows->rows.bound;
    TRY(tensor_new_flat_at(task->stream->dev, record_type(narrow), count, false, place, records));
    memset((*records)->values, 0, count * narrow->record_bytes);
    for (uint32_t c = 0; c < narrow->column_count; c++)
        TRY(sort_narrow_put_field(op, task, rows, c, *records, out));
    return STATUS_OK;
}

status sort_narrow_rows(op_sort *op, exec_task *task, const chunk *rows,
                        const tensor_target *places, chunk **out)
{
    const sort_narrow *narrow = &op->narrow;
    chunk *made;
    *out = NULL;
    TRY(copy_others(op, task, rows, places, &made));
    status st = STATUS_OK;
    for (uint32_t c = 0; c < narrow->column_count && !st; c++)
        if (narrow->fields[c].kind == SORT_FIELD_COLUMN)
            st = narrow_column(op, task, rows, c, places[c], &made->columns[c]);
    if (!st && narrow->record_bytes)
        st = make_records(op, task, rows, places[rows->column_count], made);
    if (st) {
        chunk_free(made);
        return st;
    }
    *out = made;
    return STATUS_OK;
}

/* ---- texts that turned out not to be few ---- */

static bool sort_narrow_is_null(const sort_field *field, const char *record)
{
    return (unsigned char)record[field->null_bit / 8] >> (field->null_bit % 8) & 1;
}

static status sort_narrow_make_texts(const sort_field *field, device *host, const tensor *records,
                                     uint64_t rows, tensor **out)
{
    const char *record = records->values;
    tensor *t;
    TRY(tensor_new_flat(host, field->type, rows, true, &t));
    string_view *views = t->values;
    memset(t->validity, 0, bitmap_bytes(rows));
    for (uint64_t i = 0; i < rows; i++, record += records->type.width) {
        uint64_t is_there = !sort_narrow_is_null(field, record);
        views[i] = is_there ? field->texts->texts[(uint8_t)record[field->at]] : (string_view){0};
        t->validity[i / 64] |= is_there << (i % 64);
    }
    t->heap = string_heap_ref(field->texts->heap);
    *out = t;
    return STATUS_OK;
}

status sort_narrow_even(const op_sort *op, device *host, chunk *const *chunks, size_t count)
{
    for (uint32_t c = 0; c < op->narrow.column_count && op->narrow.record_bytes; c++) {
        const sort_field *field = &op->narrow.fields[c];
        if (field->kind != SORT_FIELD_TEXT || !atomic_load(&field->has_others))
            continue;
        for (size_t i = 0; i < count; i++)
            if (!chunks[i]->columns[c])
                TRY(sort_narrow_make_texts(field, host,
                                           chunks[i]->columns[chunks[i]->column_count - 1],
                                           chunks[i]->rows.bound, &chunks[i]->columns[c]));
    }
    return STATUS_OK;
}

uint64_t sort_narrow_even_bytes(const op_sort *op)
{
    uint64_t bytes = 0;
    for (uint32_t c = 0; c < op->narrow.column_count && op->narrow.record_bytes; c++)
        if (op->narrow.fields[c].kind == SORT_FIELD_TEXT &&
            atomic_load(&op->narrow.fields[c].has_others))
            bytes += sizeof(string_view);
    return bytes;
}
