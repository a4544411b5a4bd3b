/* output_table.c - psql's look: a header, a rule, aligned columns, a count of rows. */
#include "cli/output_table.h"

#include "base/mem.h"
#include "cli/progress.h"

#include <string.h>

#define TABLE_ROWS_MEASURED 1000

typedef struct table_cell {
    char *text; /* NULL: the value NULL */
    size_t bytes;
} table_cell;

typedef struct table {
    pistachio_result *result;
    FILE *target;
    bool is_markdown;
    uint32_t column_count;
    size_t *widths;    /* in characters */
    table_cell *cells; /* of the measured rows */
    uint64_t measured;
} table;

/* Characters, not bytes, of UTF-8 text. */
static size_t text_width(const char *text, size_t bytes)
{
    size_t width = 0;
    for (size_t i = 0; i < bytes; i++)
        width += ((unsigned char)text[i] & 0xc0) != 0x80;
    return width;
}

static void spaces(FILE *target, size_t count)
{
    for (; count; count--)
        fputc(' ', target);
}

static void print_cell(const table *t, uint32_t column, const char *text, size_t bytes, bool right)
{
    size_t width = text_width(text, bytes), room = t->widths[column];
    size_t padding = width < room ? room - width : 0;
    bool is_last = column + 1 == t->column_count && !t->is_markdown;
    fputs(column ? " | " : t->is_markdown ? "| " : " ", t->target);
    if (right)
        spaces(t->target, padding);
    for (size_t i = 0; i < bytes; i++)
        if (t->is_markdown && text[i] == '|')
            fputs("\\|", t->target);
        else
            fputc(text[i] == '\n' ? ' ' : text[i], t->target);
    if (!right && !is_last)
        spaces(t->target, padding);
}

static void end_line(const table *t)
{
    fputs(t->is_markdown ? " |\n" : "\n", t->target);
}

static bool is_right(const table *t, uint32_t column)
{
    return pistachio_column_get_class(t->result, column) == PISTACHIO_CLASS_NUMBER;
}

static void print_header(const table *t)
{
    for (uint32_t c = 0; c < t->column_count; c++) {
        const char *name = pistachio_column_name(t->result, c);
        print_cell(t, c, name, strlen(name), false);
    }
    end_line(t);
    for (uint32_t c = 0; c < t->column_count; c++) {
        fputs(t->is_markdown ? c ? " | " : "| " : c ? "-+-" : "-", t->target);
        for (size_t i = 0; i + 1 < t->widths[c]; i++)
            fputc('-', t->target);
        if (t->widths[c])
            fputc(t->is_markdown && is_right(t, c) ? ':' : '-', t->target);
    }
    fputs(t->is_markdown ? " |\n" : "-\n", t->target);
}

static void print_measured(const table *t)
{
    print_header(t);
    for (uint64_t row = 0; row < t->measured; row++) {
        for (uint32_t c = 0; c < t->column_count; c++) {
            const table_cell *cell = &t->cells[row * t->column_count + c];
            print_cell(t, c, cell->text ? cell->text : "", cell->bytes, is_right(t, c));
        }
        end_line(t);
    }
}

static bool measure_row(table *t, const pistachio_batch *batch, uint64_t row)
{
    for (uint32_t c = 0; c < t->column_count; c++) {
        table_cell *cell = &t->cells[t->measured * t->column_count + c];
        const char *text = pistachio_text(batch, c, row, &cell->bytes);
        cell->text = text ? mem_copy_text(text, cell->bytes) : NULL;
        if (text && !cell->text)
            return false;
        size_t width = text ? text_width(text, cell->bytes) : 0;
        t->widths[c] = width > t->widths[c] ? width : t->widths[c];
    }
    t->measured++;
    return true;
}

static void print_batch_row(const table *t, const pistachio_batch *batch, uint64_t row)
{
    for (uint32_t c = 0; c < t->column_count; c++) {
        size_t bytes = 0;
        const char *text = pistachio_text(batch, c, row, &bytes);
        print_cell(t, c, text ? text : "", text ? bytes : 0, is_right(t, c));
    }
    end_line(t);
}

pistachio_error *output_table(pistachio_result *result, bool is_markdown, FILE *target,
                              uint64_t *out_rows)
{
    table t = {.result = result,
               .target = target,
               .is_markdown = is_markdown,
               .column_count = pistachio_column_count(result)};
    t.widths = mem_new_array(t.column_count, sizeof *t.widths);
    t.cells = mem_new_array((size_t)t.column_count * TABLE_ROWS_MEASURED, sizeof *t.cells);
    bool has_printed = false, has_memory = t.widths && t.cells;
    pistachio_error *error = NULL;
    const pistachio_batch *batch = NULL;
    for (uint32_t c = 0; c < t.column_count && has_memory; c++) {
        const char *name = pistachio_column_name(result, c);
        t.widths[c] = text_width(name, strlen(name));
    }
    while (has_memory && !(error = progress_next(result, &batch)) && batch) {
        for (uint64_t row = 0; row < pistachio_batch_rows(batch); row++, ++*out_rows) {
            if (!has_printed && t.measured < TABLE_ROWS_MEASURED) {
                has_memory = has_memory && measure_row(&t, batch, row);
                continue;
            }
            if (!has_printed)
                print_measured(&t);
            has_printed = true;
            print_batch_row(&t, batch, row);
        }
    }
    if (has_memory && !error) {
        if (!has_printed)
            print_measured(&t);
        if (!is_markdown)
            fprintf(target, "(%llu row%s)\n", (unsigned long long)*out_rows,
                    *out_rows == 1 ? "" : "s");
    }
    if (!has_memory)
        fputs("pistachio: no memory to lay the table out\n", stderr);
    for (uint64_t i = 0; t.cells && i < (uint64_t)t.column_count * TABLE_ROWS_MEASURED; i++)
        mem_free(t.cells[i].text);
    mem_free(t.cells);
    mem_free(t.widths);
    return error;
}
