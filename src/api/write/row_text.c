/* row_text.c - values to text, row by row. Integers, decimals and dates, which most columns are, by
 * pairs of digits; what is rare by value_format(). */
#include "api/write/row_text.h"

#include "api/handles/batch.h"
#include "api/handles/nested_text.h"
#include "base/row/csv.h"
#include "base/row/json_text.h"
#include "base/time/zone_moment.h"
#include "base/type/calendar.h"
#include "base/type/json_type.h"
#include "base/type/nested_type.h"

/* ---- opening ---- */

static status name_cell(row_cell_name *cell, const char *name, bool is_first)
{
    size_t length = strlen(name), room = 6 * length + TEXT_OUT_BYTES_MIN;
    cell->text = mem_new(room);
    if (!cell->text)
        return status_no_memory("column name", room);
    text_out out = {.begin = cell->text, .at = cell->text, .end = cell->text + room};
    text_out_add(&out, is_first ? "{" : ", ", is_first ? 1 : 2);
    json_write_text(name, length, &out);
    text_out_add(&out, ": ", 2);
    cell->bytes = (size_t)(out.at - out.begin);
    return STATUS_OK;
}

/* Characters that numbers, dates, intervals and booleans are made of. */
static bool may_be_in_values(char c)
{
    return c != ',' && c != ';' && c != '|' && c != '\t';
}

status api_row_text_open(api_row_text *text, row_style style, const char *const *names,
                         uint32_t column_count)
{
    text->style = style;
    text->column_count = column_count;
    text->is_checked =
        style.format == ROW_CSV && (may_be_in_values(style.delimiter) || *style.null_text);
    if (style.format != ROW_JSON && style.format != ROW_JSONL)
        return STATUS_OK;
    text->names = mem_new_array(column_count + 1, sizeof *text->names);
    if (!text->names)
        return status_no_memory("column names", column_count * sizeof *text->names);
    for (uint32_t c = 0; c < column_count; c++)
        TRY(name_cell(&text->names[c], names[c], !c));
    return STATUS_OK;
}

void api_row_text_close(api_row_text *text)
{
    for (uint32_t c = 0; text->names && c < text->column_count; c++)
        mem_free(text->names[c].text);
    mem_free(text->names);
    text->names = NULL;
}

/* ---- numbers ---- */

static const char digit_pairs[] = "00010203040506070809101112131415161718192021222324"
                                  "25262728293031323334353637383940414243444546474849"
                                  "50515253545556575859606162636465666768697071727374"
                                  "75767778798081828384858687888990919293949596979899";

/* Writes so many digits, with leading zeros. */
static inline void put_digits(char *at, uint64_t number, unsigned digits)
{
    for (; digits > 1; digits -= 2, number /= 100)
        memcpy(at + digits - 2, digit_pairs + number % 100 * 2, 2);
    if (digits)
        *at = (char)('0' + number % 10);
}

static inline unsigned row_text_digits_of(uint64_t number)
{
    unsigned digits = 1;
    for (; number >= 10000; number /= 10000)
        digits += 4;
    return digits + (number >= 10) + (number >= 100) + (number >= 1000);
}

/* A decimal's number, or an integer, whose scale is 0. Its end. */
static char *row_text_put_number(char *at, int64_t number, unsigned scale)
{
    uint64_t rest = number < 0 ? -(uint64_t)number : (uint64_t)number;
    if (number < 0)
        *at++ = '-';
    uint64_t unit = (uint64_t)power_of_ten_64[scale];
    uint64_t whole = scale ? rest / unit : rest;
    unsigned digits = row_text_digits_of(whole);
    put_digits(at, whole, digits);
    at += digits;
    if (!scale)
        return at;
    *at++ = '.';
    put_digits(at, rest - whole * unit, scale);
    return at + scale;
}

/* NULL: a year that does not have four digits. */
static char *put_date(char *at, int32_t days)
{
    int32_t year;
    unsigned month, day;
    calendar_to_civil(days, &year, &month, &day);
    if (year < 1 || year > 9999)
        return NULL;
    put_digits(at, (uint64_t)year, 4);
    at[4] = '-';
    put_digits(at + 5, month, 2);
    at[7] = '-';
    put_digits(at + 8, day, 2);
    return at + 10;
}

/* The end of a value's text at `at`, which has room for 128 bytes. */
static char *row_text_put_value(const api_row_text *text, const exec_batch_column *column,
                                uint64_t row, char *at)
{
    const void *values = column->values;
    char *end = NULL;
    switch (column->type.id) {
    case TYPE_INT16:
        return row_text_put_number(at, ((const int16_t *)values)[row], 0);
    case TYPE_INT32:
        return row_text_put_number(at, ((const int32_t *)values)[row], 0);
    case TYPE_INT64:
        return row_text_put_number(at, ((const int64_t *)values)[row], 0);
    case TYPE_DECIMAL:
        if (column->type.width == 8 && column->type.scale <= 18)
            return row_text_put_number(at, ((const int64_t *)values)[row], column->type.scale);
        break;
    case TYPE_DATE:
        end = put_date(at, ((const int32_t *)values)[row]);
        break;
    default:
        break;
    }
    if (end)
        return end;
    value v = api_value_at(column, row);
    return at + zone_format_value(text->style.zone, &v, at, 128);
}

/* ---- cells ---- */

static bool row_text_is_null(const exec_batch_column *column, uint64_t row)
{
    return column->type.id == TYPE_NULL ||
           (column->validity && !(column->validity[row / 64] >> (row % 64) & 1));
}

static void row_text_write_text(const api_row_text *text, const char *cell, size_t bytes,
                                text_out *out)
{
    switch (text->style.format) {
    case ROW_CSV:
        csv_write_field(cell, bytes, (csv_dialect){text->style.delimiter, text->style.null_text},
                        out);
        break;
    case ROW_TSV:
        tsv_write_field(cell, bytes, out);
        break;
    default:
        json_write_text(cell, bytes, out);
    }
}

/* \x and two digits a byte: in quotes if that could be taken for something else. */
static void write_blob(const api_row_text *text, const string_view *view, text_out *out)
{
    static const char digits[] = "0123456789abcdef";
    const char *data = string_data(view);
    row_format format = text->style.format;
    bool has_quotes = format != ROW_TSV && (format != ROW_CSV || text->is_checked);
    bool is_escaped = format != ROW_CSV;
    if (has_quotes)
        text_out_char(out, '"');
    text_out_add(out, is_escaped ? "\\\\x" : "\\x", is_escaped ? 3 : 2);
    for (uint32_t i = 0; i < view->bytes; i++) {
        unsigned char byte = (unsigned char)data[i];
        text_out_add(out, (const char[]){digits[byte >> 4], digits[byte & 15]}, 2);
    }
    if (has_quotes)
        text_out_char(out, '"');
}

/* JSON has no NaN and no infinities: those become null. Dates and the like are texts there. */
static void write_json_value(const api_row_text *text, const exec_batch_column *column,
                             uint64_t row, text_out *out)
{
    char cell[128];
    data_type type = column->type;
    size_t bytes = (size_t)(row_text_put_value(text, column, row, cell) - cell);
    if (type.id != TYPE_BOOL && !type_is_numeric(type))
        json_write_text(cell, bytes, out);
    else if (type.id == TYPE_BOOL || memchr("0123456789", cell[bytes - 1], 10))
        text_out_add(out, cell, bytes);
    else
        text_out_add(out, "null", 4);
}

/* A number, or what else is in memory no text. */
static void write_value(const api_row_text *text, const exec_batch_column *column, uint64_t row,
                        text_out *out)
{
    bool is_json = text->style.format == ROW_JSON || text->style.format == ROW_JSONL;
    if (is_json) {
        write_json_value(text, column, row, out);
    } else if (text->is_checked) {
        char cell[128];
        row_text_write_text(text, cell,
                            (size_t)(row_text_put_value(text, column, row, cell) - cell), out);
    } else {
        char *at = text_out_room(out, 128);
        if (at)
            out->at = row_text_put_value(text, column, row, at);
    }
}

static void write_null(const api_row_text *text, text_out *out)
{
    row_format format = text->style.format;
    const char *null = format == ROW_CSV   ? text->style.null_text
                       : format == ROW_TSV ? "\\N"
                                           : "null";
    text_out_add(out, null, strlen(null));
}

/* ---- lists, structs and maps ---- */

static void write_cell(const api_row_text *text, const exec_batch_column *column, uint64_t row,
                       text_out *out);

/* Text of a nested value as a field of a line; it comes in pieces. */
typedef struct piece_out {
    row_format format;
    text_out *out;
} piece_out;

static void write_piece(void *context, const char *piece, size_t bytes)
{
    const piece_out *to = context;
    size_t done = 0;
    if (to->format == ROW_TSV) {
        tsv_write_field(piece, bytes, to->out);
        return;
    }
    for (size_t i = 0; i < bytes; i++)
        if (piece[i] == '"') {
            text_out_add(to->out, piece + done, i + 1 - done);
            done = i;
        }
    text_out_add(to->out, piece + done, bytes - done);
}

#define SHORT_NESTED_BYTES 1024

static void add_short_piece(void *context, const char *piece, size_t bytes)
{
    text_out_add(context, piece, bytes);
}

/* Writes a short text as any other field, and a longer one in quotes, so that it need not be known whole. */
static void write_nested_field(const api_row_text *text, const exec_batch_column *column,
                               uint64_t row, text_out *out)
{
    char cell[SHORT_NESTED_BYTES];
    text_out whole = {.begin = cell, .at = cell, .end = cell + sizeof cell};
    piece_out pieces = {text->style.format, out};
    bool has_quotes = text->style.format == ROW_CSV;
    api_nested_text(column, row, text->style.zone, (text_sink){add_short_piece, &whole});
    if (!whole.is_full) {
        row_text_write_text(text, cell, (size_t)(whole.at - cell), out);
        return;
    }
    if (has_quotes)
        text_out_char(out, '"');
    api_nested_text(column, row, text->style.zone, (text_sink){write_piece, &pieces});
    if (has_quotes)
        text_out_char(out, '"');
}

/* A key of an object, which JSON wants to be a text. */
static void write_json_key(const api_row_text *text, const exec_batch_column *column, uint64_t row,
                           text_out *out)
{
    bool is_text = column->type.id == TYPE_VARCHAR || column->type.id == TYPE_BLOB ||
                   (!type_is_nested(column->type) && column->type.id != TYPE_BOOL &&
                    !type_is_numeric(column->type));
    char cell[SHORT_NESTED_BYTES];
    text_out whole = {.begin = cell, .at = cell, .end = cell + sizeof cell};
    if (is_text && !row_text_is_null(column, row)) {
        write_cell(text, column, row, out);
        return;
    }
    write_cell(text, column, row, &whole);
    json_write_text(cell, (size_t)(whole.at - cell), out);
}

static void write_json_struct(const api_row_text *text, const exec_batch_column *column,
                              nested_value v, text_out *out)
{
    const nested_type *type = nested_type_of(column->type);
    text_out_char(out, '{');
    for (uint32_t i = 0; i < type->field_count; i++) {
        const char *name = type->fields[i].name;
        text_out_add(out, ", ", i ? 2 : 0);
        json_write_text(name, strlen(name), out);
        text_out_add(out, ": ", 2);
        write_cell(text, &column->children->columns[i], v.offset, out);
    }
    text_out_char(out, '}');
}

/* Lists as arrays, maps as objects. */
static void write_json_nested(const api_row_text *text, const exec_batch_column *column,
                              uint64_t row, text_out *out)
{
    nested_value v = ((const nested_value *)column->values)[row];
    bool is_map = column->type.id == TYPE_MAP;
    const exec_batch_column *children = column->children->columns;
    if (column->type.id == TYPE_STRUCT) {
        write_json_struct(text, column, v, out);
        return;
    }
    text_out_char(out, is_map ? '{' : '[');
    for (uint32_t i = 0; i < v.length; i++) {
        text_out_add(out, ", ", i ? 2 : 0);
        if (is_map) {
            write_json_key(text, &children[0], v.offset + i, out);
            text_out_add(out, ": ", 2);
        }
        write_cell(text, &children[is_map], v.offset + i, out);
    }
    text_out_char(out, is_map ? '}' : ']');
}

static void write_nested(const api_row_text *text, const exec_batch_column *column, uint64_t row,
                         text_out *out)
{
    if (text->style.format == ROW_JSON || text->style.format == ROW_JSONL)
        write_json_nested(text, column, row, out);
    else
        write_nested_field(text, column, row, out);
}

static bool is_json_format(const api_row_text *text)
{
    return text->style.format == ROW_JSON || text->style.format == ROW_JSONL;
}

/* Writes JSON in other JSON as it is; what has the type and is not JSON is a text. */
static void write_json(const string_view *view, text_out *out)
{
    if (!json_write_raw(string_data(view), view->bytes, out))
        json_write_text(string_data(view), view->bytes, out);
}

static void write_cell(const api_row_text *text, const exec_batch_column *column, uint64_t row,
                       text_out *out)
{
    const string_view *views = column->values;
    if (row_text_is_null(column, row))
        write_null(text, out);
    else if (type_is_json(column->type) && is_json_format(text))
        write_json(&views[row], out);
    else if (column->type.id == TYPE_VARCHAR)
        row_text_write_text(text, string_data(&views[row]), views[row].bytes, out);
    else if (column->type.id == TYPE_BLOB)
        write_blob(text, &views[row], out);
    else if (type_is_nested(column->type))
        write_nested(text, column, row, out);
    else
        write_value(text, column, row, out);
}

void api_row_text_json(const exec_batch_column *column, uint64_t row, const zone *zone,
                       text_out *out)
{
    api_row_text text = {.style = row_style_default(ROW_JSON)};
    text.style.zone = zone;
    write_json_nested(&text, column, row, out);
}

/* ---- rows ---- */

static char between_cells(const api_row_text *text)
{
    return text->style.format == ROW_CSV ? text->style.delimiter : '\t';
}

static void write_line(const api_row_text *text, const exec_batch *rows, uint64_t row,
                       text_out *out)
{
    char between = between_cells(text);
    for (uint32_t c = 0; c < text->column_count; c++) {
        write_cell(text, &rows->columns[c], row, out);
        text_out_char(out, c + 1 == text->column_count ? '\n' : between);
    }
}

static void write_object(const api_row_text *text, const exec_batch *rows, uint64_t row,
                         text_out *out)
{
    for (uint32_t c = 0; c < text->column_count; c++) {
        text_out_add(out, text->names[c].text, text->names[c].bytes);
        write_cell(text, &rows->columns[c], row, out);
    }
    text_out_add(out, "}\n", text->style.format == ROW_JSON ? 1 : 2);
}

uint64_t api_row_text_add(const api_row_text *text, const exec_batch *rows, uint64_t first,
                          uint64_t end, bool is_first, text_out *out)
{
    for (uint64_t row = first; row < end; row++) {
        char *begin = out->at;
        if (text->style.format == ROW_JSON && !(is_first && row == first))
            text_out_add(out, ",\n ", 3);
        if (text->names)
            write_object(text, rows, row, out);
        else
            write_line(text, rows, row, out);
        if (out->is_full) {
            out->at = begin;
            return row - first;
        }
    }
    return end - first;
}

void api_row_text_begin(const api_row_text *text, const char *const *names, text_out *out)
{
    if (text->style.format == ROW_JSON)
        text_out_char(out, '[');
    for (uint32_t c = 0; !text->names && text->style.has_header && c < text->column_count; c++) {
        row_text_write_text(text, names[c], strlen(names[c]), out);
        text_out_char(out, c + 1 == text->column_count ? '\n' : between_cells(text));
    }
}

void api_row_text_end(const api_row_text *text, text_out *out)
{
    if (text->style.format == ROW_JSON)
        text_out_add(out, "]\n", 2);
}
