/* output.c - rows as csv, tsv, json lines and json: formats that stream. Tables: output_table.c. */
#include "cli/output/output.h"

#include "api/handles/error.h"
#include "api/handles/handles.h"
#include "api/write/row_writer.h"
#include "cli/output/output_records.h"
#include "cli/output/output_screen.h"
#include "cli/output/output_table.h"
#include "cli/output/progress.h"

#include <errno.h>
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

/* errno of the first failed write: what comes later, the end of the stream among it, may not know it any more. */
static int failure;

bool output_has_failed(FILE *target)
{
    if (!ferror(target))
        return false;
    if (!failure)
        failure = errno;
    return true;
}

int output_take_failure(void)
{
    int taken = failure;
    failure = 0;
    return taken;
}

/* Prints batches. What cannot be written is not computed either: the caller finds the failure in the stream. writer:
 * NULL: nothing is written. */
static pistachio_error *print_batches(pistachio_result *result, api_row_writer *writer,
                                      FILE *target, uint64_t *out_rows)
{
    const pistachio_batch *batch;
    pistachio_error *error;
    while (!(error = progress_next(result, &batch)) && batch && !output_has_failed(target)) {
        if (writer)
            api_row_writer_add(writer, batch);
        *out_rows += pistachio_batch_rows(batch);
    }
    if (!error && writer)
        api_row_writer_end(writer);
    return error;
}

static pistachio_error *print_rows(pistachio_result *result, output_format format, FILE *target,
                                   uint64_t *out_rows)
{
    api_row_writer writer;
    row_format rows;
    if (!row_format_of(format, &rows))
        return print_batches(result, NULL, target, out_rows);
    status st = api_row_writer_open(&writer, result, row_style_default(rows), target, 1);
    pistachio_error *error = st ? api_error(st) : print_batches(result, &writer, target, out_rows);
    api_row_writer_close(&writer);
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
    if (format == OUTPUT_TABLE && options->screen.is_terminal && options->screen.max_rows)
        return output_screen_table(result, options, target, out_rows);
    if (format == OUTPUT_TABLE || format == OUTPUT_MARKDOWN)
        return output_table(result, options, target, out_rows);
    return print_rows(result, format, target, out_rows);
}
