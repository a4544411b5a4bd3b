/* copy.c - COPY (query) TO 'file': Parquet or text, streamed; the file appears when it is whole. */
#include "api/copy.h"

#include "api/row_writer.h"
#include "api/sink.h"
#include "storage/output_file.h"

/* Rows of a row group, unless COPY says another number. */
#define GROUP_ROWS 122880
#define THREADS_MAX 64 /* that make text */

/* ---- Parquet ---- */

status api_copy_open_sink(const pistachio_result *result, const char *path, api_sink **out)
{
    const sql_statement *statement = result->statement;
    const plan_column_list *columns = &statement->query.root->columns;
    size_t count = columns->count - statement->copy.partition_count;
    pq_writer_options options = pq_writer_options_default();
    pq_column_schema *schema = mem_new_array(count + 1, sizeof *schema);
    if (!schema)
        return status_no_memory("copy", count * sizeof *schema);
    options.isa = result->engine->dev->host_isa;
    if (statement->copy.has_codec)
        options.codec = statement->copy.codec;
    for (size_t i = 0; i < count; i++) {
        const plan_column *column = &columns->items[i];
        schema[i] =
            (pq_column_schema){.name = column->name, .type = column->type, .is_nullable = true};
    }
    uint64_t rows = statement->copy.row_group_rows;
    rows = rows ? rows : GROUP_ROWS;
    status st = api_sink_open(path, schema, count, &options, rows, result->engine->budget, out);
    mem_free(schema);
    return st;
}

static status copy_parquet(pistachio_result *result)
{
    api_sink *sink = NULL;
    exec_batch *batch = NULL;
    status st = api_copy_open_sink(result, result->statement->copy.path, &sink);
    while (!st && !(st = api_query_next(result, &batch)) && batch) {
        result->rows_written += batch->row_count;
        st = api_sink_add(sink, batch);
    }
    if (!st)
        return api_sink_finish(sink);
    api_sink_abort(sink);
    return st;
}

/* ---- text ---- */

static status write_batches(pistachio_result *result, output_file *file, api_row_writer *writer)
{
    exec_batch *batch;
    do {
        TRY(api_query_next(result, &batch));
        if (batch)
            api_row_writer_take(writer, batch);
        TRY(output_file_check(file));
    } while (batch);
    api_row_writer_end(writer);
    result->rows_written = writer->row_count;
    return STATUS_OK;
}

static status write_rows(pistachio_result *result, output_file *file)
{
    api_row_writer writer;
    uint64_t threads = result->settings.threads.number;
    threads = threads ? threads : setting_core_count();
    status st = api_row_writer_open(&writer, result, result->statement->copy.style,
                                    output_file_stream(file),
                                    threads < THREADS_MAX ? (unsigned)threads : THREADS_MAX);
    if (!st)
        st = write_batches(result, file, &writer);
    api_row_writer_close(&writer);
    return st;
}

static status copy_text(pistachio_result *result)
{
    output_file *file;
    TRY(output_file_open(result->statement->copy.path, false, &file));
    status st = write_rows(result, file);
    if (!st)
        return output_file_publish(file);
    output_file_abort(file);
    return st;
}

status api_copy(pistachio_result *result)
{
    const sql_copy *copy = &result->statement->copy;
    if (copy->partition_count)
        return api_copy_partitions(result);
    return copy->is_parquet ? copy_parquet(result) : copy_text(result);
}
