/* output_records.c - psql's expanded look. */
#include "cli/output/output_records.h"

#include "cli/output/cells.h"
#include "cli/output/output_kept.h"
#include "cli/output/output_text.h"
#include "cli/output/progress.h"

#include <string.h>

typedef struct records {
    pistachio_result *result;
    const output_options *options;
    FILE *target;
    uint32_t column_count;
    size_t name_width;  /* cells of the longest name */
    output_text *names; /* by column */
    output_text *texts; /* of one row, by column */
} records;

static void print_rule(const records *r, uint64_t number)
{
    int shown = fprintf(r->target, "-[ RECORD %llu ]", (unsigned long long)number);
    for (size_t i = (size_t)shown; i < r->name_width + 3; i++)
        putc_unlocked('-', r->target);
    putc_unlocked('\n', r->target);
}

static void print_name(const records *r, const output_text *name)
{
    size_t width = cells_width(name->items, name->count);
    fwrite(name->items, 1, name->count, r->target);
    for (; width < r->name_width; width++)
        putc_unlocked(' ', r->target);
    fputs(" | ", r->target);
}

/* Prints the lines of a value; those after the first have no name. */
static void output_records_print_value(const records *r, const output_text *text,
                                       const output_text *name)
{
    static char empty[] = "";
    static const output_text none = {.items = empty};
    bool is_last = false;
    for (size_t at = 0; !is_last; name = &none) {
        size_t start = at, bytes = output_text_line(text, &at, &is_last);
        print_name(r, name);
        fwrite(text->items + start, 1, bytes, r->target);
        fputs(is_last ? "\n" : "+\n", r->target);
    }
}

static void print_record(records *r, const output_text *texts, uint64_t number)
{
    print_rule(r, number);
    for (uint32_t c = 0; c < r->column_count; c++)
        output_records_print_value(r, &texts[c], &r->names[c]);
}

static bool output_records_print_row(records *r, const pistachio_batch *batch, uint64_t row,
                                     uint64_t number)
{
    for (uint32_t c = 0; c < r->column_count; c++)
        if (!output_text_of_value(batch, c, row, r->options, &r->texts[c]))
            return false;
    print_record(r, r->texts, number);
    return true;
}

static pistachio_error *print_all(records *r, uint64_t *out_rows, bool *out_has_memory)
{
    const pistachio_batch *batch;
    pistachio_error *error = NULL;
    while (*out_has_memory && !output_has_failed(r->target) &&
           !(error = progress_next(r->result, &batch)) && batch)
        for (uint64_t row = 0; row < pistachio_batch_rows(batch) && *out_has_memory; row++)
            *out_has_memory = output_records_print_row(r, batch, row, ++*out_rows);
    return error;
}

static void print_kept(records *r, const output_kept *kept)
{
    uint64_t number, expected = 0;
    for (uint64_t i = 0; i < kept_count(kept); i++) {
        const output_text *texts = kept_row(kept, i, &number);
        if (number != expected)
            fputs("...\n", r->target);
        print_record(r, texts, number + 1);
        expected = number + 1;
    }
    if (kept_count(kept) < kept->rows)
        fprintf(r->target, "(%llu rows, %llu shown)\n", (unsigned long long)kept->rows,
                (unsigned long long)kept_count(kept));
}

/* Prints the first and the last records of many. */
static pistachio_error *print_some(records *r, uint64_t *out_rows, bool *out_has_memory)
{
    output_kept kept;
    const pistachio_batch *batch;
    pistachio_error *error = NULL;
    *out_has_memory = kept_init(&kept, r->column_count, r->options->screen.max_rows);
    while (*out_has_memory && !(error = progress_next(r->result, &batch)) && batch)
        *out_has_memory = kept_add(&kept, batch, r->options);
    *out_rows = kept.rows;
    if (*out_has_memory && !error)
        print_kept(r, &kept);
    kept_release(&kept);
    return error;
}

/* Returns false without memory; in each case records_release is the caller's. */
static bool records_init(records *r)
{
    r->names = mem_new_array(r->column_count, sizeof *r->names);
    r->texts = mem_new_array(r->column_count, sizeof *r->texts);
    if (!r->names || !r->texts)
        return false;
    for (uint32_t c = 0; c < r->column_count; c++) {
        const char *name = pistachio_column_name(r->result, c);
        if (!output_text_make(name, strlen(name), false, &r->names[c]))
            return false;
        size_t width = cells_width(r->names[c].items, r->names[c].count);
        r->name_width = width > r->name_width ? width : r->name_width;
    }
    return true;
}

static void records_release(records *r)
{
    for (uint32_t c = 0; r->names && c < r->column_count; c++)
        array_release(&r->names[c]);
    for (uint32_t c = 0; r->texts && c < r->column_count; c++)
        array_release(&r->texts[c]);
    mem_free(r->names);
    mem_free(r->texts);
}

pistachio_error *output_records(pistachio_result *result, const output_options *options,
                                FILE *target, uint64_t *out_rows)
{
    records r = {.result = result,
                 .options = options,
                 .target = target,
                 .column_count = pistachio_column_count(result)};
    bool has_memory = records_init(&r);
    pistachio_error *error = NULL;
    if (has_memory)
        error = options->screen.is_terminal && options->screen.max_rows
                    ? print_some(&r, out_rows, &has_memory)
                    : print_all(&r, out_rows, &has_memory);
    if (has_memory && !error && !*out_rows)
        fputs("(0 rows)\n", target);
    if (!has_memory)
        fputs("error: no memory to print a value\n", stderr);
    records_release(&r);
    return error;
}
