/* output_table.c - psql's look: a header, a rule, aligned columns, a count of rows. A value of
 * several lines takes as many, with a + where it goes on. */
#include "cli/output/output_table.h"

#include "base/mem.h"
#include "cli/output/output_text.h"
#include "cli/output/progress.h"

#include <string.h>

#define TABLE_ROWS_MEASURED 1000
#define MARKDOWN_WIDTH_MIN 3 /* "--:" is a rule to every reader of Markdown, ":" to none */

typedef struct table {
    pistachio_result *result;
    const output_options *options;
    FILE *target;
    bool is_markdown;
    uint32_t column_count;
    size_t *widths;     /* in characters */
    size_t *at;         /* of each column's text, what has been printed */
    output_text *names; /* the header's, by column */
    output_text *cells; /* of the measured rows, row by row */
    uint64_t measured;
    bool has_printed; /* the measured ones; what comes now is printed at once */
} table;

static void spaces(FILE *target, size_t count)
{
    for (; count; count--)
        putc_unlocked(' ', target);
}

/* One line of a cell. */
static void print_part(const table *t, uint32_t column, const char *text, size_t bytes, bool right,
                       bool goes_on)
{
    size_t width = output_text_width(text, bytes), room = t->widths[column];
    size_t padding = width < room ? room - width : 0;
    bool is_end = column + 1 == t->column_count && !t->is_markdown;
    fputs(column ? "| " : t->is_markdown ? "| " : " ", t->target);
    if (right)
        spaces(t->target, padding);
    fwrite(text, 1, bytes, t->target);
    if (!right && (!is_end || goes_on))
        spaces(t->target, padding);
    if (!is_end || goes_on)
        putc_unlocked(goes_on ? '+' : ' ', t->target);
}

static bool is_right(const table *t, uint32_t column)
{
    return pistachio_column_get_class(t->result, column) == PISTACHIO_CLASS_NUMBER;
}

/* The texts of a row, or of the header, in as many lines as the longest has. */
static void output_table_print_row(const table *t, const output_text *texts, bool is_header)
{
    bool goes_on = true;
    memset(t->at, 0, t->column_count * sizeof *t->at);
    while (goes_on) {
        goes_on = false;
        for (uint32_t c = 0; c < t->column_count; c++) {
            bool is_last;
            size_t start = t->at[c], bytes = output_text_line(&texts[c], &t->at[c], &is_last);
            print_part(t, c, texts[c].items + start, bytes, !is_header && is_right(t, c), !is_last);
            goes_on |= !is_last;
        }
        fputs(t->is_markdown ? "|\n" : "\n", t->target);
    }
}

static void print_header(const table *t)
{
    output_table_print_row(t, t->names, true);
    for (uint32_t c = 0; c < t->column_count; c++) {
        fputs(t->is_markdown ? c ? " | " : "| " : c ? "-+-" : "-", t->target);
        for (size_t i = 0; i + 1 < t->widths[c]; i++)
            putc_unlocked('-', t->target);
        if (t->widths[c])
            putc_unlocked(t->is_markdown && is_right(t, c) ? ':' : '-', t->target);
    }
    fputs(t->is_markdown ? " |\n" : "-\n", t->target);
}

static void print_measured(table *t)
{
    print_header(t);
    for (uint64_t row = 0; row < t->measured; row++)
        output_table_print_row(t, &t->cells[row * t->column_count], false);
    t->has_printed = true;
}

static void output_table_widen(table *t, uint32_t column, const output_text *text)
{
    size_t width = output_text_width(text->items, text->count);
    t->widths[column] = width > t->widths[column] ? width : t->widths[column];
}

/* Keeps the row, or prints it. False: no memory. */
static bool take_row(table *t, const pistachio_batch *batch, uint64_t row)
{
    if (!t->has_printed && t->measured == TABLE_ROWS_MEASURED)
        print_measured(t);
    output_text *cells = &t->cells[t->has_printed ? 0 : t->measured * t->column_count];
    for (uint32_t c = 0; c < t->column_count; c++) {
        if (!output_text_of_value(batch, c, row, t->options, &cells[c]))
            return false;
        if (!t->has_printed)
            output_table_widen(t, c, &cells[c]);
    }
    if (t->has_printed)
        output_table_print_row(t, cells, false);
    else
        t->measured++;
    return true;
}

static bool table_init(table *t)
{
    size_t count = t->column_count;
    t->widths = mem_new_array(count, sizeof *t->widths);
    t->at = mem_new_array(count, sizeof *t->at);
    t->names = mem_new_array(count, sizeof *t->names);
    t->cells = mem_new_array(count * TABLE_ROWS_MEASURED, sizeof *t->cells);
    if (!t->widths || !t->at || !t->names || !t->cells)
        return false;
    for (uint32_t c = 0; c < count; c++) {
        const char *name = pistachio_column_name(t->result, c);
        t->widths[c] = t->is_markdown ? MARKDOWN_WIDTH_MIN : 0;
        if (!output_text_make(name, strlen(name), t->is_markdown, &t->names[c]))
            return false;
        output_table_widen(t, c, &t->names[c]);
    }
    return true;
}

static void table_release(table *t)
{
    for (size_t i = 0; t->cells && i < (size_t)t->column_count * TABLE_ROWS_MEASURED; i++)
        array_release(&t->cells[i]);
    for (uint32_t c = 0; t->names && c < t->column_count; c++)
        array_release(&t->names[c]);
    mem_free(t->cells);
    mem_free(t->names);
    mem_free(t->at);
    mem_free(t->widths);
}

pistachio_error *output_table(pistachio_result *result, const output_options *options, FILE *target,
                              uint64_t *out_rows)
{
    table t = {.result = result,
               .options = options,
               .target = target,
               .is_markdown = options->format == OUTPUT_MARKDOWN,
               .column_count = pistachio_column_count(result)};
    bool has_memory = table_init(&t);
    pistachio_error *error = NULL;
    const pistachio_batch *batch = NULL;
    while (has_memory && !(error = progress_next(result, &batch)) && batch)
        for (uint64_t row = 0; row < pistachio_batch_rows(batch) && has_memory; row++, ++*out_rows)
            has_memory = take_row(&t, batch, row);
    if (has_memory && !error) {
        if (!t.has_printed)
            print_measured(&t);
        if (!t.is_markdown)
            fprintf(target, "(%llu row%s)\n", (unsigned long long)*out_rows,
                    *out_rows == 1 ? "" : "s");
    }
    if (!has_memory)
        fputs("error: no memory to lay the table out\n", stderr);
    table_release(&t);
    return error;
}
