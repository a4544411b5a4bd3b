/* output_table.c - tables that stream: widths come from the first rows. */
#include "cli/output/output_table.h"

#include "base/mem.h"
#include "cli/output/output_grid.h"
#include "cli/output/progress.h"

#define TABLE_ROWS_MEASURED 1000

typedef struct table {
    output_grid grid;
    const output_options *options;
    uint32_t column_count;
    output_text *cells; /* of the measured rows, row by row */
    uint64_t measured;
    bool has_printed; /* the measured ones; what comes now is printed at once */
} table;

static void print_measured(table *t)
{
    grid_print_header(&t->grid);
    for (uint64_t row = 0; row < t->measured; row++)
        grid_print_row(&t->grid, &t->cells[row * t->column_count]);
    t->has_printed = true;
}

/* Keeps the row, or prints it. False: no memory. */
static bool output_table_take_row(table *t, const pistachio_batch *batch, uint64_t row)
{
    if (!t->has_printed && t->measured == TABLE_ROWS_MEASURED)
        print_measured(t);
    output_text *cells = &t->cells[t->has_printed ? 0 : t->measured * t->column_count];
    for (uint32_t c = 0; c < t->column_count; c++) {
        if (!output_text_of_value(batch, c, row, t->options, &cells[c]))
            return false;
        if (!t->has_printed)
            grid_widen(&t->grid, c, &cells[c]);
    }
    if (t->has_printed)
        grid_print_row(&t->grid, cells);
    else
        t->measured++;
    return true;
}

static bool table_init(table *t, const pistachio_result *result, const output_options *options,
                       FILE *target)
{
    *t = (table){.options = options, .column_count = pistachio_column_count(result)};
    if (!grid_init(&t->grid, result, options, target, options->screen.is_terminal))
        return false;
    t->cells = mem_new_array((size_t)t->column_count * TABLE_ROWS_MEASURED, sizeof *t->cells);
    return t->cells != NULL;
}

static void table_release(table *t)
{
    for (size_t i = 0; t->cells && i < (size_t)t->column_count * TABLE_ROWS_MEASURED; i++)
        array_release(&t->cells[i]);
    mem_free(t->cells);
    grid_release(&t->grid);
}

pistachio_error *output_table(pistachio_result *result, const output_options *options, FILE *target,
                              uint64_t *out_rows)
{
    table t;
    bool has_memory = table_init(&t, result, options, target);
    pistachio_error *error = NULL;
    const pistachio_batch *batch = NULL;
    while (has_memory && !output_has_failed(target) && !(error = progress_next(result, &batch)) &&
           batch)
        for (uint64_t row = 0; row < pistachio_batch_rows(batch) && has_memory; row++, ++*out_rows)
            has_memory = output_table_take_row(&t, batch, row);
    if (has_memory && !error) {
        if (!t.has_printed)
            print_measured(&t);
        if (!t.grid.is_markdown)
            fprintf(target, "(%llu row%s)\n", (unsigned long long)*out_rows,
                    *out_rows == 1 ? "" : "s");
    }
    if (!has_memory)
        fputs("error: no memory to lay the table out\n", stderr);
    table_release(&t);
    return error;
}
