/* output.c - rows as csv, tsv, json lines and json: formats that stream. Tables: output_table.c. */
#include "cli/output.h"

#include "base/csv.h"
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

static void print_tsv(const char *text, size_t bytes, FILE *target)
{
    size_t done = 0;
    for (size_t i = 0; i < bytes; i++) {
        const char *escape = text[i] == '\t'   ? "\\t"
                             : text[i] == '\n' ? "\\n"
                             : text[i] == '\r' ? "\\r"
                             : text[i] == '\\' ? "\\\\"
                                               : NULL;
        if (!escape)
            continue;
        fwrite(text + done, 1, i - done, target);
        fputs(escape, target);
        done = i + 1;
    }
    fwrite(text + done, 1, bytes - done, target);
}

static void print_json_text(const char *text, size_t bytes, FILE *target)
{
    putc_unlocked('"', target);
    for (size_t i = 0; i < bytes; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c == '"' || c == '\\')
            fprintf(target, "\\%c", c);
        else if (c == '\n')
            fputs("\\n", target);
        else if (c == '\t')
            fputs("\\t", target);
        else if (c < 0x20)
            fprintf(target, "\\u%04x", c);
        else
            putc_unlocked(c, target);
    }
    putc_unlocked('"', target);
}

/* JSON has no NaN and no infinities: those become null. */
static void print_json_value(const pistachio_result *result, const pistachio_batch *batch,
                             uint32_t column, uint64_t row, FILE *target)
{
    size_t bytes;
    const char *text = pistachio_text(batch, column, row, &bytes);
    pistachio_column_class class = pistachio_column_get_class(result, column);
    if (!text)
        fputs("null", target);
    else if (class == PISTACHIO_CLASS_BOOLEAN)
        fputs(*text == 't' ? "true" : "false", target);
    else if (class == PISTACHIO_CLASS_NUMBER)
        fputs(memchr("0123456789", text[bytes - 1], 10) ? text : "null", target);
    else
        print_json_text(text, bytes, target);
}

static void print_json_row(const pistachio_result *result, const pistachio_batch *batch,
                           uint64_t row, FILE *target)
{
    for (uint32_t c = 0; c < pistachio_column_count(result); c++) {
        const char *name = pistachio_column_name(result, c);
        fputs(c ? ", " : "{", target);
        print_json_text(name, strlen(name), target);
        fputs(": ", target);
        print_json_value(result, batch, c, row, target);
    }
    putc_unlocked('}', target);
}

static void print_row(const pistachio_result *result, const pistachio_batch *batch, uint64_t row,
                      output_format format, FILE *target)
{
    for (uint32_t c = 0; c < pistachio_column_count(result); c++) {
        size_t bytes;
        const char *text = pistachio_text(batch, c, row, &bytes);
        if (c)
            putc_unlocked(format == OUTPUT_CSV ? ',' : '\t', target);
        if (text && format == OUTPUT_CSV)
            csv_write_field(text, bytes, target);
        else if (text)
            print_tsv(text, bytes, target);
        else if (format == OUTPUT_TSV)
            fputs("\\N", target);
    }
    putc_unlocked('\n', target);
}

static void print_header(const pistachio_result *result, output_format format, FILE *target)
{
    if (format == OUTPUT_JSON)
        putc_unlocked('[', target);
    if (format != OUTPUT_CSV && format != OUTPUT_TSV)
        return;
    for (uint32_t c = 0; c < pistachio_column_count(result); c++) {
        const char *name = pistachio_column_name(result, c);
        if (c)
            putc_unlocked(format == OUTPUT_CSV ? ',' : '\t', target);
        if (format == OUTPUT_CSV)
            csv_write_field(name, strlen(name), target);
        else
            print_tsv(name, strlen(name), target);
    }
    putc_unlocked('\n', target);
}

pistachio_error *output_print(pistachio_result *result, const output_options *options, FILE *target,
                              uint64_t *out_rows)
{
    output_format format = options->format;
    *out_rows = 0;
    if ((format == OUTPUT_TABLE || format == OUTPUT_MARKDOWN) && pistachio_column_count(result))
        return options->has_records && format == OUTPUT_TABLE
                   ? output_records(result, options, target, out_rows)
                   : output_table(result, options, target, out_rows);
    const pistachio_batch *batch;
    pistachio_error *error;
    if (pistachio_column_count(result))
        print_header(result, format, target);
    while (!(error = progress_next(result, &batch)) && batch) {
        for (uint64_t row = 0; row < pistachio_batch_rows(batch); row++) {
            if (format == OUTPUT_CSV || format == OUTPUT_TSV)
                print_row(result, batch, row, format, target);
            if (format == OUTPUT_JSON)
                fputs(*out_rows + row ? ",\n " : "", target);
            if (format == OUTPUT_JSON || format == OUTPUT_JSONL)
                print_json_row(result, batch, row, target);
            if (format == OUTPUT_JSONL)
                putc_unlocked('\n', target);
        }
        *out_rows += pistachio_batch_rows(batch);
    }
    if (format == OUTPUT_JSON)
        fputs("]\n", target);
    return error;
}
