/* output.c - rows as csv, tsv, json lines and json: formats that stream. Tables: output_table.c. */
#include "cli/output.h"

#include "api/row_writer.h"
#include "cli/output_records.h"
#include "cli/output_table.h"
#include "cli/progress.h"

#include <string.h>

const char output_format_names[] = "table, csv, tsv, json, jsonl, markdown, none";

bool output_format_parse(const char *name, output_format *out)
{
    static const char *const names[] = {"table", "csv", "tsv", "json", "jsonl", "markdown", "none"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(name, names[i])) {
            *out = (output_format)i;
            return true;
        }
    return false;
}

/* The rows of formats that stream. */
static bool row_format_of(output_format format, row_format *out)
{
    static const row_format formats[] = {[OUTPUT_CSV] = ROW_CSV,
                                         [OUTPUT_TSV] = ROW_TSV,
                                         [OUTPUT_JSON] = ROW_JSON,
                                         [OUTPUT_JSONL] = ROW_JSONL};
    if (format < OUTPUT_CSV || format > OUTPUT_JSONL)
        return false;
    *out = formats[format];
    return true;
}

/* What cannot be written is not computed either: the caller finds the failure in the stream. */
static pistachio_error *print_rows(pistachio_result *result, output_format format, FILE *target,
                                   uint64_t *out_rows)
{
    api_row_writer writer = {.result = result, .target = target};
    const pistachio_batch *batch;
    pistachio_error *error;
    row_format rows = ROW_CSV;
    bool is_printed = row_format_of(format, &rows);
    writer.style = row_style_default(rows);
    while (!(error = progress_next(result, &batch)) && batch && !ferror(target)) {
        if (is_printed)
            api_row_writer_add(&writer, batch);
        *out_rows += pistachio_batch_rows(batch);
    }
    if (!error && is_printed)
        api_row_writer_end(&writer);
    return error;
}

pistachio_error *output_print(pistachio_result *result, const output_options *options, FILE *target,
                              uint64_t *out_rows)
{
    output_format format = options->format;
    *out_rows = 0;
    if (!pistachio_column_count(result)) {
        if (format == OUTPUT_TABLE && pistachio_tag(result))
            fprintf(target, "%s\n", pistachio_tag(result));
        return NULL;
    }
    if (format == OUTPUT_TABLE && options->has_records)
        return output_records(result, options, target, out_rows);
    if (format == OUTPUT_TABLE || format == OUTPUT_MARKDOWN)
        return output_table(result, options, target, out_rows);
    return print_rows(result, format, target, out_rows);
}
