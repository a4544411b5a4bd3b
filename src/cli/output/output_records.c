/* output_records.c - psql's expanded look. */
#include "cli/output/output_records.h"

#include "cli/output/output_text.h"
#include "cli/output/progress.h"

#include <string.h>

typedef struct records {
    pistachio_result *result;
    const output_options *options;
    FILE *target;
    uint32_t column_count;
    size_t name_width; /* characters of the longest name */
    output_text text;  /* of one value */
} records;

static void print_rule(const records *r, uint64_t number)
{
    int shown = fprintf(r->target, "-[ RECORD %llu ]", (unsigned long long)number);
    for (size_t i = (size_t)shown; i < r->name_width + 3; i++)
        putc_unlocked('-', r->target);
    putc_unlocked('\n', r->target);
}

static void print_name(const records *r, const char *name)
{
    size_t width = output_text_width(name, strlen(name));
    fputs(name, r->target);
    for (; width < r->name_width; width++)
        putc_unlocked(' ', r->target);
    fputs(" | ", r->target);
}

/* The lines of the value in r->text; those behind the first have no name. */
static void print_value(const records *r, const char *name)
{
    bool is_last = false;
    for (size_t at = 0; !is_last; name = "") {
        size_t start = at, bytes = output_text_line(&r->text, &at, &is_last);
        print_name(r, name);
        fwrite(r->text.items + start, 1, bytes, r->target);
        fputs(is_last ? "\n" : "+\n", r->target);
    }
}

static bool print_record(records *r, const pistachio_batch *batch, uint64_t row, uint64_t number)
{
    print_rule(r, number);
    for (uint32_t c = 0; c < r->column_count; c++) {
        if (!output_text_of_value(batch, c, row, r->options, &r->text))
            return false;
        print_value(r, pistachio_column_name(r->result, c));
    }
    return true;
}

pistachio_error *output_records(pistachio_result *result, const output_options *options,
                                FILE *target, uint64_t *out_rows)
{
    records r = {.result = result,
                 .options = options,
                 .target = target,
                 .column_count = pistachio_column_count(result)};
    bool has_memory = true;
    pistachio_error *error = NULL;
    const pistachio_batch *batch = NULL;
    for (uint32_t c = 0; c < r.column_count; c++) {
        const char *name = pistachio_column_name(result, c);
        size_t width = output_text_width(name, strlen(name));
        r.name_width = width > r.name_width ? width : r.name_width;
    }
    while (has_memory && !(error = progress_next(result, &batch)) && batch)
        for (uint64_t row = 0; row < pistachio_batch_rows(batch) && has_memory; row++)
            has_memory = print_record(&r, batch, row, ++*out_rows);
    if (has_memory && !error && !*out_rows)
        fputs("(0 rows)\n", target);
    if (!has_memory)
        fputs("error: no memory to print a value\n", stderr);
    array_release(&r.text);
    return error;
}
