/* table_rows.c - the rows of a statement as a table: CREATE TABLE and INSERT, kept as a client's rows are
 * (arrow_table.c), in a Parquet file without a name. */

#include "api/query/table_rows.h"

#include "api/query/query_run.h"
#include "api/session/database.h"
#include "api/write/sink.h"
#include "exec/operators/result_batch.h"
#include "storage/new_file.h"

#include <unistd.h>

/* Rows of a row group: as COPY's. */
#define GROUP_ROWS 122880
#define THREADS_MAX 4
/* Texts of a row group, beyond which it is written: so many bytes, or what lets a quarter of memory_limit do
 * for encoding, where each thread may have them twice more. */
#define GROUP_TEXT ((uint64_t)64 << 20)

/* Takes the file over. */
static status table_rows_open_sink(const pistachio_result *result, new_file *file, api_sink **out)
{
    const plan_column_list *columns = &result->statement->query.root->columns;
    uint64_t threads = result->settings.threads.number;
    pq_writer_options options = pq_writer_options_default();
    pq_column_schema *schema =
        arena_alloc_array(result->statement->query.memory, columns->count + 1, sizeof *schema);
    if (!schema) {
        new_file_abort(file);
        return status_no_memory("table", columns->count * sizeof *schema);
    }
    for (size_t i = 0; i < columns->count; i++)
        schema[i] = (pq_column_schema){
            .name = columns->items[i].name, .type = columns->items[i].type, .is_nullable = true};
    options.isa = result->engine->dev->host_isa;
    options.threads = threads < THREADS_MAX ? (unsigned)threads : THREADS_MAX;
    options.codec = PQ_CODEC_NONE;
    options.target = file;
    return api_sink_open("(temporary)", schema, columns->count, &options, GROUP_ROWS,
                         result->engine->budget, out);
}

static status table_rows_add_batch(pistachio_result *result, api_sink *sink, exec_batch *batch,
                                   uint64_t *text)
{
    uint64_t most = mem_budget_limit(result->engine->budget) / 4 / (1 + 2 * THREADS_MAX);
    result->rows_written += batch->row_count;
    *text += exec_batch_text_bytes(batch);
    TRY(api_sink_add(sink, batch));
    if (*text < (most < GROUP_TEXT ? most : GROUP_TEXT))
        return STATUS_OK;
    *text = 0;
    return api_sink_flush(sink);
}

static status table_rows_write_rows(pistachio_result *result, new_file *file)
{
    api_sink *sink = NULL;
    exec_batch *batch = NULL;
    uint64_t text = 0;
    status st = table_rows_open_sink(result, file, &sink);
    while (!st && !(st = api_query_next(result, &batch)) && batch)
        st = table_rows_add_batch(result, sink, batch, &text);
    if (!st)
        return api_sink_finish(sink);
    api_sink_abort(sink);
    return st;
}

status api_write_rows(pistachio_result *result, int *out_descriptor)
{
    new_file *file;
    TRY(new_file_open_temporary(result->settings.temp_directory.text, &file, out_descriptor));
    status st = table_rows_write_rows(result, file);
    if (st) {
        close(*out_descriptor);
        *out_descriptor = -1;
    }
    return st;
}

status api_keep_rows(pistachio_result *result)
{
    const sql_statement *statement = result->statement;
    sql_catalog *catalog = api_catalog(result->connection);
    int descriptor;
    TRY(api_write_rows(result, &descriptor));
    if (statement->kind == SQL_CREATE_TABLE)
        return sql_catalog_add_rows(catalog, statement->name, statement->replace, descriptor);
    result->rows_written -= statement->old_rows;
    return sql_catalog_extend_rows(catalog, statement->name, &statement->parts,
                                   statement->kept_parts, descriptor);
}
