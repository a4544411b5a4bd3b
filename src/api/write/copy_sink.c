/* copy_sink.c - see copy_sink.h. */
#include "api/write/copy_sink.h"

/* Rows of a row group, unless COPY says another number. */
#define GROUP_ROWS 122880

status api_copy_open_sink(const sql_statement *statement, const char *path, const api_rank *place,
                          new_file *target, api_sink **out)
{
    const plan_column_list *columns = &statement->query.root->columns;
    size_t count = columns->count - statement->copy.partition_count;
    pq_writer_options options = pq_writer_options_default();
    pq_column_schema *schema =
        arena_alloc_array(statement->query.memory, count + 1, sizeof *schema);
    if (!schema) {
        new_file_abort(target);
        return status_no_memory("copy", count * sizeof *schema);
    }
    options.target = target;
    options.isa = place->dev->host_isa;
    options.threads = exec_pool_thread_count(place->pool);
    if (statement->copy.has_codec) {
        options.codec = statement->copy.codec;
        options.codec_level = statement->copy.codec_level;
    }
    for (size_t i = 0; i < count; i++) {
        const plan_column *column = &columns->items[i];
        schema[i] =
            (pq_column_schema){.name = column->name, .type = column->type, .is_nullable = true};
    }
    uint64_t rows = statement->copy.row_group_rows;
    rows = rows ? rows : GROUP_ROWS;
    return api_sink_open(path, schema, count, &options, rows, place->budget, out);
}
