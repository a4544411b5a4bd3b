/* copy.c - COPY (query) TO 'file': Parquet or CSV, streamed; the file appears when it is whole. */
#include "api/copy.h"

#include "api/sink.h"
#include "base/csv.h"
#include "storage/new_file.h"

#include <errno.h>
#include <stdio.h>
#include <strings.h>

/* Rows of a row group, unless COPY says another number. */
#define GROUP_ROWS 122880

/* ---- Parquet ---- */

static status find_codec(const char *name, pq_codec *out)
{
    static const struct {
        const char *name;
        pq_codec codec;
    } codecs[] = {{"none", PQ_CODEC_NONE},     {"uncompressed", PQ_CODEC_NONE},
                  {"snappy", PQ_CODEC_SNAPPY}, {"gzip", PQ_CODEC_GZIP},
                  {"zstd", PQ_CODEC_ZSTD},     {"lz4_raw", PQ_CODEC_LZ4_RAW},
                  {"lz4", PQ_CODEC_LZ4_RAW},   {"brotli", PQ_CODEC_BROTLI}};
    for (size_t i = 0; i < sizeof codecs / sizeof *codecs; i++)
        if (!strcasecmp(codecs[i].name, name)) {
            *out = codecs[i].codec;
            return STATUS_OK;
        }
    return status_hint(status_new(STATUS_KIND_INVALID, "there is no codec named \"%s\"", name),
                       "use none, snappy, gzip, zstd, lz4_raw or brotli");
}

static status open_sink(const pistachio_result *result, api_sink **out)
{
    const sql_statement *statement = result->statement;
    const plan_column_list *columns = &statement->query.root->columns;
    pq_writer_options options = pq_writer_options_default();
    pq_column_schema *schema =
        arena_alloc_array(statement->query.memory, columns->count + 1, sizeof *schema);
    if (!schema)
        return status_no_memory("copy", columns->count * sizeof *schema);
    options.isa = result->engine->dev->host_isa;
    if (statement->codec)
        TRY(find_codec(statement->codec, &options.codec));
    for (size_t i = 0; i < columns->count; i++) {
        const plan_column *column = &columns->items[i];
        schema[i] =
            (pq_column_schema){.name = column->name, .type = column->type, .is_nullable = true};
    }
    uint64_t rows = statement->row_group_rows ? statement->row_group_rows : GROUP_ROWS;
    return api_sink_open(statement->path, schema, columns->count, &options, rows,
                         result->engine->budget, out);
}

static status copy_parquet(pistachio_result *result)
{
    api_sink *sink = NULL;
    exec_batch *batch = NULL;
    status st = open_sink(result, &sink);
    while (!st && !(st = exec_query_next(result->query, &batch)) && batch) {
        result->rows_written += batch->row_count;
        st = api_sink_add(sink, batch);
    }
    if (!st)
        return api_sink_finish(sink);
    api_sink_abort(sink);
    return st;
}

/* ---- CSV ---- */

static void write_csv_batch(const pistachio_batch *batch, uint32_t column_count, FILE *target)
{
    for (uint64_t row = 0; row < batch->rows->row_count; row++)
        for (uint32_t c = 0; c < column_count; c++) {
            size_t bytes;
            const char *text = pistachio_text(batch, c, row, &bytes);
            if (text)
                csv_write_field(text, bytes, target);
            putc_unlocked(c + 1 < column_count ? ',' : '\n', target);
        }
}

static status write_csv(pistachio_result *result, FILE *target)
{
    const plan_column_list *columns = &result->statement->query.root->columns;
    for (size_t i = 0; i < columns->count; i++) {
        csv_write_field(columns->items[i].name, strlen(columns->items[i].name), target);
        putc_unlocked(i + 1 < columns->count ? ',' : '\n', target);
    }
    const pistachio_batch *batch;
    status st;
    while (!(st = api_next(result, &batch)) && batch) {
        write_csv_batch(batch, (uint32_t)columns->count, target);
        result->rows_written += batch->rows->row_count;
    }
    return st;
}

static status copy_csv(pistachio_result *result)
{
    const char *path = result->statement->path;
    new_file *file;
    FILE *target;
    TRY(new_file_open(path, &file));
    status st = new_file_stream(file, &target);
    if (!st) {
        st = write_csv(result, target);
        bool is_written = !fflush(target) && !ferror(target);
        if ((fclose(target) || !is_written) && !st)
            st = status_new_errno(errno, "could not write file \"%s\"", path);
    }
    if (!st)
        return new_file_publish(file);
    new_file_abort(file);
    return st;
}

status api_copy(pistachio_result *result)
{
    const char *path = result->statement->path, *format = result->statement->format;
    size_t length = strlen(path);
    if (!format)
        format = length > 4 && !strcasecmp(path + length - 4, ".csv") ? "csv" : "parquet";
    if (!strcasecmp(format, "parquet"))
        return copy_parquet(result);
    if (!strcasecmp(format, "csv"))
        return copy_csv(result);
    return status_hint(
        status_new(STATUS_KIND_UNSUPPORTED, "COPY cannot write the format \"%s\"", format),
        "use parquet or csv");
}
