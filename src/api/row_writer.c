/* row_writer.c - headers, lines, objects. */
#include "api/row_writer.h"

#include "api/internal.h"
#include "base/csv.h"
#include "base/json_text.h"

/* Of the rows that the result has, or that its COPY writes. */
static uint32_t column_count(const pistachio_result *result)
{
    return result->columns.count ? result->columns.count
                                 : (uint32_t)result->statement->query.root->columns.count;
}

static const char *column_name(const pistachio_result *result, uint32_t column)
{
    return result->columns.count ? result->columns.names[column]
                                 : result->statement->query.root->columns.items[column].name;
}

static csv_dialect dialect(const api_row_writer *w)
{
    return (csv_dialect){w->style.delimiter, w->style.null_text};
}

/* ---- csv and tsv ---- */

static void write_field(const api_row_writer *w, const char *text, size_t bytes)
{
    bool is_csv = w->style.format == ROW_CSV;
    if (!text)
        fputs(is_csv ? w->style.null_text : "\\N", w->target);
    else if (is_csv)
        csv_write_field(text, bytes, dialect(w), w->target);
    else
        tsv_write_field(text, bytes, w->target);
}

/* Behind a field: the next one, or the line's end. */
static void end_field(const api_row_writer *w, bool is_last)
{
    char between = w->style.format == ROW_CSV ? w->style.delimiter : '\t';
    putc_unlocked(is_last ? '\n' : between, w->target);
}

static void write_header(const api_row_writer *w)
{
    uint32_t count = column_count(w->result);
    for (uint32_t c = 0; c < count; c++) {
        const char *name = column_name(w->result, c);
        write_field(w, name, strlen(name));
        end_field(w, c + 1 == count);
    }
}

static void write_line(const api_row_writer *w, const pistachio_batch *batch, uint64_t row)
{
    uint32_t count = batch->rows->column_count;
    for (uint32_t c = 0; c < count; c++) {
        size_t bytes;
        const char *text = pistachio_text(batch, c, row, &bytes);
        write_field(w, text, bytes);
        end_field(w, c + 1 == count);
    }
}

/* ---- json ---- */

/* JSON has no NaN and no infinities: those become null. */
static void write_json_value(const pistachio_batch *batch, uint32_t column, uint64_t row,
                             FILE *target)
{
    size_t bytes;
    const char *text = pistachio_text(batch, column, row, &bytes);
    data_type type = batch->rows->columns[column].type;
    if (!text)
        fputs("null", target);
    else if (type.id != TYPE_BOOL && !type_is_numeric(type))
        json_write_text(text, bytes, target);
    else if (type.id == TYPE_BOOL || memchr("0123456789", text[bytes - 1], 10))
        fwrite(text, 1, bytes, target);
    else
        fputs("null", target);
}

static void write_object(const api_row_writer *w, const pistachio_batch *batch, uint64_t row)
{
    for (uint32_t c = 0; c < batch->rows->column_count; c++) {
        const char *name = column_name(w->result, c);
        fputs(c ? ", " : "{", w->target);
        json_write_text(name, strlen(name), w->target);
        fputs(": ", w->target);
        write_json_value(batch, c, row, w->target);
    }
    putc_unlocked('}', w->target);
}

/* ---- all ---- */

static void begin(api_row_writer *w)
{
    if (w->has_begun)
        return;
    w->has_begun = true;
    if (w->style.format == ROW_JSON)
        putc_unlocked('[', w->target);
    else if (w->style.format != ROW_JSONL && w->style.has_header)
        write_header(w);
}

void api_row_writer_add(api_row_writer *w, const pistachio_batch *batch)
{
    begin(w);
    for (uint64_t row = 0; row < batch->rows->row_count; row++, w->row_count++)
        switch (w->style.format) {
        case ROW_CSV:
        case ROW_TSV:
            write_line(w, batch, row);
            break;
        case ROW_JSON:
            fputs(w->row_count ? ",\n " : "", w->target);
            write_object(w, batch, row);
            break;
        case ROW_JSONL:
            write_object(w, batch, row);
            putc_unlocked('\n', w->target);
            break;
        }
}

void api_row_writer_end(api_row_writer *w)
{
    begin(w);
    if (w->style.format == ROW_JSON)
        fputs("]\n", w->target);
}
