/* text_rejects.c - the records that ignore_errors leaves out, as rows that say why.
 *
 * All values of a piece are made once, for the rows that have a wrong one; what is wrong with such a row is found by making
 * it alone. */
#include "exec/operators/text/text_rejects.h"

#include "base/cancel.h"
#include "base/text/utf8.h"
#include "exec/operators/text/op_text_scan.h"
#include "exec/operators/text/text_failure.h"
#include "exec/operators/text/text_scan.h"
#include "textfile/table/text_rejects.h"

#define ROWS_MOST 1024 /* of a chunk */

/* Texts of a column, one after another. */
typedef struct reject_texts {
    ARRAY(char) bytes;
    uint32_t ends[ROWS_MOST];
    bool are_null[ROWS_MOST];
} reject_texts;

typedef struct reject_rows {
    uint32_t count;
    int64_t numbers[2][ROWS_MOST];      /* REJECT_LINE, REJECT_BYTE */
    reject_texts texts[REJECT_COLUMNS]; /* the others, but REJECT_FILE */
} reject_rows;

/* The kind of a failure, as users of DuckDB know it, and the column. */
typedef struct reject_reason {
    const char *type, *column;
    status failure;
} reject_reason;

/* ---- which records ---- */

static void drop_json(const json_making *making)
{
    for (uint32_t i = 0; i < making->column_count; i++) {
        tensor_unref(making->columns[i].made);
        making->columns[i].made = NULL;
    }
}

/* Makes the values of rows: bits of `bad` are set, or the first failure is *wrong. */
static status try_json(const text_scan_local *local, size_t first, uint32_t rows, uint64_t *bad,
                       json_wrong *wrong)
{
    status st = json_rows_make(&local->json, &local->piece.index, local->piece.text, first, rows,
                               bad, wrong);
    drop_json(&local->json);
    return st;
}

/* Returns STATUS_OK, and *column TEXT_NO_FIELD unless a value is wrong and `bad` NULL. */
static status try_csv(const op_text_scan *op, const text_scan_local *local, size_t first,
                      uint32_t rows, uint64_t *bad, uint32_t *column, text_wrong_value *wrong)
{
    const text_file *file = &op->table->files[local->piece.file];
    text_fields fields = text_scan_fields(local, first, rows);
    for (uint32_t i = 0; i < op->table->columns.count; i++) {
        tensor *made;
        const text_column *c = &op->table->columns.items[i];
        if (c->is_filename || file->fields[i] == TEXT_NO_FIELD)
            continue;
        TRY(text_values_make(&fields, file->fields[i], c->type, c->format, op->reading.host, bad,
                             wrong, &made));
        tensor_unref(made);
        *column = i;
        if (wrong->is_there)
            return STATUS_OK;
    }
    *column = TEXT_NO_FIELD;
    return STATUS_OK;
}

static text_reject reject_of_row(const op_text_scan *op, const text_scan_local *local, size_t row)
{
    const csv_index *x = &local->piece.index;
    uint32_t end = op->table->options->kind == TEXT_JSON
                       ? x->ends.items[row]
                       : x->ends.items[x->firsts.items[row] +
                                       op->table->files[local->piece.file].field_count - 1];
    uint32_t begin = x->begins.items[row];
    return (text_reject){begin, end < begin ? begin : end, (uint32_t)row, 0};
}

/* Adds the rows that have a wrong value. */
static status find_wrong_values(const op_text_scan *op, text_scan_local *local, size_t first,
                                uint32_t rows)
{
    json_wrong record;
    text_wrong_value value;
    uint32_t column;
    memset(local->bad, 0, bitmap_bytes(rows));
    TRY(op->table->options->kind == TEXT_JSON
            ? try_json(local, first, rows, local->bad, &record)
            : try_csv(op, local, first, rows, local->bad, &column, &value));
    for (uint32_t row = 0; row < rows; row++)
        if (local->bad[row / 64] >> row % 64 & 1)
            TRY(array_push(NULL, &local->rejects, reject_of_row(op, local, first + row)));
    return STATUS_OK;
}

static int compare_rejects(const void *a, const void *b)
{
    uint32_t left = ((const text_reject *)a)->begin, right = ((const text_reject *)b)->begin;
    return (left > right) - (left < right);
}

status text_rejects_find(const op_text_scan *op, text_scan_local *local, uint32_t chunk_rows)
{
    local->rejects.count = local->next_reject = 0;
    local->line = local->piece.line;
    local->line_at = 0;
    for (size_t i = 0; i < local->left_out.count; i++) {
        const csv_wrong_row *row = &local->left_out.items[i];
        text_reject reject = {row->begin, row->end, TEXT_NO_ROW, row->field_count};
        TRY(array_push(NULL, &local->rejects, reject));
    }
    size_t count = local->piece.index.record_count;
    for (size_t row = 0; row < count; row += chunk_rows) {
        TRY(cancel_check());
        size_t left = count - row;
        TRY(find_wrong_values(op, local, row, left < chunk_rows ? (uint32_t)left : chunk_rows));
    }
    if (local->rejects.count)
        qsort(local->rejects.items, local->rejects.count, sizeof *local->rejects.items,
              compare_rejects);
    return STATUS_OK;
}

/* ---- what is wrong ---- */

static reject_reason reason_of_record(const op_text_scan *op, const json_wrong *wrong)
{
    static const char *const types[] = {[JSON_WRONG_RECORD] = "INVALID JSON",
                                        [JSON_WRONG_VALUE] = "CAST",
                                        [JSON_WRONG_FIELD] = "UNKNOWN FIELD",
                                        [JSON_WRONG_TWICE] = "DUPLICATE FIELD",
                                        [JSON_WRONG_SHAPE] = "NOT AN OBJECT"};
    bool has_column = wrong->kind == JSON_WRONG_VALUE;
    return (reject_reason){.type = types[wrong->kind],
                           .column =
                               has_column ? op->table->columns.items[wrong->column].name : NULL,
                           .failure = text_wrong_record(op, wrong)};
}

static reject_reason reason_of_fields(const op_text_scan *op, uint32_t file, uint32_t count)
{
    if (!count)
        return (reject_reason){.type = "UNQUOTED VALUE", .failure = text_open_quote()};
    bool are_few = count < op->table->files[file].field_count;
    return (reject_reason){.type = are_few ? "MISSING COLUMNS" : "TOO MANY COLUMNS",
                           .failure = text_wrong_row(op, file, count)};
}

static status find_reason(const op_text_scan *op, const text_scan_local *local,
                          const text_reject *reject, reject_reason *out)
{
    uint32_t file = local->piece.file, column;
    json_wrong record;
    text_wrong_value value;
    *out = reason_of_fields(op, file, reject->field_count);
    if (reject->row == TEXT_NO_ROW)
        return STATUS_OK;
    status_free(out->failure);
    *out = (reject_reason){.type = "CAST"};
    if (op->table->options->kind == TEXT_JSON) {
        TRY(try_json(local, reject->row, 1, NULL, &record));
        *out = record.is_there ? reason_of_record(op, &record) : *out;
        return STATUS_OK;
    }
    TRY(try_csv(op, local, reject->row, 1, NULL, &column, &value));
    if (column == TEXT_NO_FIELD)
        return STATUS_OK;
    const text_column *c = &op->table->columns.items[column];
    text_fields fields = text_scan_fields(local, reject->row, 1);
    text_field f = text_field_of(&fields, op->table->files[file].fields[column], 0);
    out->type = value.has_wrong_bytes ? "INVALID ENCODING" : "CAST";
    out->column = c->name;
    out->failure = text_wrong_field(c, f, value.has_wrong_bytes);
    return STATUS_OK;
}

/* ---- rows ---- */

/* Adds a text; NULL: there is none. What is not UTF-8 is replaced. */
static status add_text(reject_texts *to, uint32_t row, const char *text, size_t bytes)
{
    to->are_null[row] = !text;
    if (text) {
        uint64_t count = utf8_replaced_bytes(text, bytes);
        TRY(array_reserve(NULL, &to->bytes, count));
        utf8_replace(text, bytes, to->bytes.items + to->bytes.count);
        to->bytes.count += count;
    }
    to->ends[row] = (uint32_t)to->bytes.count;
    return STATUS_OK;
}

static status add_name(reject_texts *to, uint32_t row, const char *text)
{
    return add_text(to, row, text, text ? strlen(text) : 0);
}

/* Returns the line of the record, which is after those before. */
static uint64_t text_rejects_line_of(text_scan_local *local, uint32_t begin)
{
    const char *text = local->piece.text;
    char before = local->line_at ? text[local->line_at - 1] : '\0';
    local->line += text_count_lines(text + local->line_at, begin - local->line_at, &before);
    local->line_at = begin;
    return local->line;
}

static status add_reject(const op_text_scan *op, text_scan_local *local, const text_reject *reject,
                         reject_rows *rows)
{
    reject_reason reason;
    uint32_t row = rows->count++;
    const text_piece *p = &local->piece;
    rows->numbers[0][row] = (int64_t)text_rejects_line_of(local, reject->begin);
    rows->numbers[1][row] = (int64_t)(p->offset + reject->begin + 1);
    TRY(find_reason(op, local, reject, &reason));
    status st = add_name(&rows->texts[REJECT_COLUMN], row, reason.column);
    if (!st)
        st = add_name(&rows->texts[REJECT_TYPE], row, reason.type);
    if (!st)
        st = add_name(&rows->texts[REJECT_MESSAGE], row, status_message(reason.failure));
    if (!st)
        st = add_text(&rows->texts[REJECT_RECORD], row, p->text + reject->begin,
                      reject->end - reject->begin);
    status_free(reason.failure);
    return st;
}

static status make_texts(const reject_texts *from, uint32_t rows, device *host, tensor **out)
{
    dev_buffer *buffer;
    TRY(tensor_new_flat(host, type_make(TYPE_VARCHAR), rows, true, out));
    TRY(dev_alloc(host, from->bytes.count + 1, "rejected records", &buffer));
    dev_buffer_hold_texts(buffer);
    char *texts = buffer->address;
    if (from->bytes.count)
        memcpy(texts, from->bytes.items, from->bytes.count);
    TRY(string_heap_new(&buffer, 1, &(*out)->heap));
    string_view *views = (*out)->values;
    memset((*out)->validity, 0xff, bitmap_bytes(rows));
    for (uint32_t row = 0; row < rows; row++) {
        uint32_t begin = row ? from->ends[row - 1] : 0;
        views[row] = string_view_make(texts + begin, from->ends[row] - begin);
        if (from->are_null[row])
            (*out)->validity[row / 64] &= ~(UINT64_C(1) << row % 64);
    }
    return STATUS_OK;
}

static status text_rejects_make_numbers(const int64_t *from, uint32_t rows, device *host,
                                        tensor **out)
{
    TRY(tensor_new_flat(host, type_make(TYPE_INT64), rows, false, out));
    memcpy((*out)->values, from, rows * sizeof *from);
    return STATUS_OK;
}

static status make_column(const op_text_scan *op, const text_scan_local *local,
                          const reject_rows *rows, uint32_t source, tensor **out)
{
    device *host = op->reading.host;
    const text_column path = {.type = type_make(TYPE_VARCHAR), .is_filename = true};
    switch (source) {
    case REJECT_FILE:
        return text_scan_constant(op, &path, host, local->piece.file, out);
    case REJECT_LINE:
    case REJECT_BYTE:
        return text_rejects_make_numbers(rows->numbers[source == REJECT_BYTE], rows->count, host,
                                         out);
    default:
        return make_texts(&rows->texts[source], rows->count, host, out);
    }
}

static status text_rejects_fill_chunk(const op_text_scan *op, text_scan_local *local,
                                      reject_rows *rows, chunk *out)
{
    while (rows->count < out->rows.bound)
        TRY(add_reject(op, local, &local->rejects.items[local->next_reject++], rows));
    for (uint32_t i = 0; i < out->column_count; i++)
        TRY(make_column(op, local, rows, op->base.plan->text_scan.sources.items[i],
                        &out->columns[i]));
    return STATUS_OK;
}

status text_rejects_chunk(const op_text_scan *op, text_scan_local *local, uint32_t chunk_rows,
                          chunk **out)
{
    size_t left = local->rejects.count - local->next_reject;
    uint32_t most = chunk_rows < ROWS_MOST ? chunk_rows : ROWS_MOST;
    uint32_t count = left < most ? (uint32_t)left : most;
    reject_rows *rows = mem_new(sizeof *rows);
    *out = NULL;
    if (!rows)
        return status_no_memory("rejected records", sizeof *rows);
    status st = chunk_new((uint32_t)op->base.plan->columns.count, dev_count_exact(count), out);
    if (!st)
        st = text_rejects_fill_chunk(op, local, rows, *out);
    for (unsigned i = 0; i < REJECT_COLUMNS; i++)
        array_release(&rows->texts[i].bytes);
    mem_free(rows);
    if (st) {
        chunk_free(*out);
        *out = NULL;
    }
    return st;
}
