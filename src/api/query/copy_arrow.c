/* copy_arrow.c - see copy_arrow.h. */
#include "api/query/copy_arrow.h"

#include "api/arrow/arrow_array.h"
#include "api/handles/batch.h"
#include "api/ipc/ipc.h"
#include "api/query/query_run.h"

#include <errno.h>

/* The rows of a COPY as a stream for ipc.c. */
typedef struct copied_rows {
    pistachio_result *result;
    output_file *file;
    api_columns columns;
    api_arrow_options options;
    status failure; /* of the last call */
} copied_rows;

static int copied_fail(copied_rows *rows, status st)
{
    if (!st)
        return 0;
    status_free(rows->failure);
    rows->failure = st;
    return EIO;
}

static int copied_get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out)
{
    copied_rows *rows = stream->private_data;
    return copied_fail(rows, api_arrow_schema_make(&rows->columns, rows->options, out));
}

static status copied_next(copied_rows *rows, struct ArrowArray *out)
{
    exec_batch *batch;
    pistachio_batch *handle;
    TRY(output_file_check(rows->file));
    TRY(api_query_next(rows->result, &batch));
    if (!batch)
        return STATUS_OK;
    TRY(api_batch_new(batch, rows->result->statement->zone, &handle));
    return api_arrow_array_make(handle, rows->options, out);
}

static int copied_get_next(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
    copied_rows *rows = stream->private_data;
    *out = (struct ArrowArray){0};
    return copied_fail(rows, copied_next(rows, out));
}

static const char *copied_get_last_error(struct ArrowArrayStream *stream)
{
    const copied_rows *rows = stream->private_data;
    return rows->failure ? status_message(rows->failure) : NULL;
}

/* Names and types of the rows that are written. */
static status take_columns(const pistachio_result *result, api_columns *out)
{
    const plan_node *root = result->statement->query.root;
    arena *memory = result->statement->query.memory;
    size_t count = root->columns.count;
    *out = (api_columns){.count = (uint32_t)count,
                         .names = arena_alloc_array(memory, count + 1, sizeof *out->names),
                         .types = arena_alloc_array(memory, count + 1, sizeof *out->types)};
    if (!out->names || !out->types)
        return status_no_memory("copy", count * sizeof *out->types);
    for (size_t i = 0; i < count; i++) {
        out->names[i] = root->columns.items[i].name;
        out->types[i] = root->columns.items[i].type;
    }
    return STATUS_OK;
}

status api_copy_arrow(pistachio_result *result, output_file *file, FILE *target)
{
    copied_rows rows = {
        .result = result, .file = file, .options = api_arrow_options_of(&result->settings)};
    struct ArrowArrayStream stream = {.get_schema = copied_get_schema,
                                      .get_next = copied_get_next,
                                      .get_last_error = copied_get_last_error,
                                      .private_data = &rows};
    rows.options.has_dictionaries = false;
    TRY(take_columns(result, &rows.columns));
    const sql_copy *copy = &result->statement->copy;
    ipc_format format = copy->is_arrow_stream ? IPC_STREAM : IPC_FILE;
    ipc_compression compression = {.codec = copy->codec == PQ_CODEC_ZSTD      ? IPC_ZSTD
                                            : copy->codec == PQ_CODEC_LZ4_RAW ? IPC_LZ4
                                                                              : IPC_PLAIN,
                                   .level = copy->codec_level};
    status st = ipc_write_as(format, compression, &stream, target, &result->rows_written);
    if (!rows.failure)
        return st;
    status_free(st);
    return rows.failure;
}
