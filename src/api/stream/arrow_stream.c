/* arrow_stream.c - a result as an ArrowArrayStream. */

#include "api/stream/arrow_stream.h"

#include "api/arrow/arrow_array.h"
#include "api/handles/error.h"
#include "api/query/query_run.h"
#include "api/query/result.h"

#include <errno.h>

typedef struct stream_data {
    exec_batch_shape shape; /* tasks convert batches by it: first */
    api_arrow_options options;
    pistachio_result *result;
    bool is_over; /* at the end, or failed */
    char *error;  /* of the last call that failed; or NULL */
} stream_data;

int api_arrow_errno(status st)
{
    switch (status_get_kind(st)) {
    case STATUS_KIND_OK:
        return 0;
    case STATUS_KIND_NO_MEMORY:
    case STATUS_KIND_LIMIT:
        return ENOMEM;
    case STATUS_KIND_CANCELLED:
        return ECANCELED;
    case STATUS_KIND_UNSUPPORTED:
        return ENOSYS;
    case STATUS_KIND_IO:
    case STATUS_KIND_CORRUPT:
        return EIO;
    default:
        return EINVAL;
    }
}

/* Keeps the failure's text and frees it. */
static int arrow_stream_fail(stream_data *data, status st)
{
    const pistachio_result *result = data->result;
    int number = api_arrow_errno(st);
    mem_free(data->error);
    data->error = api_error_text(st, result->prepared ? result->prepared->sql : NULL);
    status_free(st);
    return number;
}

static int arrow_stream_get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out)
{
    stream_data *data = stream->private_data;
    pistachio_error *error = pistachio_arrow_schema(data->result, out);
    return error ? arrow_stream_fail(data, api_error_status(error)) : 0;
}

/* Converts what is above the limit when it leaves. */
static status arrow_stream_shape_column(exec_batch *batch, uint32_t column,
                                        const exec_batch_shape *shape)
{
    status st = api_arrow_convert(batch, column, ((const stream_data *)shape)->options);
    if (status_get_kind(st) != STATUS_KIND_LIMIT)
        return st;
    status_free(st);
    return STATUS_OK;
}

static status next(stream_data *data, struct ArrowArray *out)
{
    pistachio_result *result = data->result;
    const pistachio_batch *batch;
    TRY(api_next(result, &batch));
    if (!batch)
        return api_finish_trace(result);
    result->batch = NULL;
    return api_arrow_array_make((pistachio_batch *)batch, data->options, out);
}

static int arrow_stream_get_next(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
    stream_data *data = stream->private_data;
    *out = (struct ArrowArray){0};
    status st = data->is_over ? STATUS_OK : next(data, out);
    data->is_over = !out->release;
    return st ? arrow_stream_fail(data, st) : 0;
}

static const char *arrow_stream_get_last_error(struct ArrowArrayStream *stream)
{
    return ((stream_data *)stream->private_data)->error;
}

static void arrow_stream_release(struct ArrowArrayStream *stream)
{
    stream_data *data = stream->private_data;
    pistachio_result_free(data->result);
    mem_free(data->error);
    mem_free(data);
    stream->release = NULL;
}

status api_arrow_stream(pistachio_result *result, struct ArrowArrayStream *out)
{
    stream_data *data = mem_new(sizeof *data);
    if (!data)
        return status_no_memory("Arrow stream", sizeof *data);
    data->result = result;
    data->options = api_result_arrow_options(result);
    data->shape = (exec_batch_shape){.make = arrow_stream_shape_column,
                                     .has_dictionaries = data->options.has_dictionaries};
    result->shape = &data->shape;
    if (result->query)
        exec_query_shape(result->query, &data->shape);
    *out = (struct ArrowArrayStream){.get_schema = arrow_stream_get_schema,
                                     .get_next = arrow_stream_get_next,
                                     .get_last_error = arrow_stream_get_last_error,
                                     .release = arrow_stream_release,
                                     .private_data = data};
    return STATUS_OK;
}

pistachio_error *pistachio_arrow_stream(pistachio_result *result, struct ArrowArrayStream *out)
{
    if (!out)
        return api_null_argument("out");
    *out = (struct ArrowArrayStream){0};
    if (!result)
        return api_null_argument("result");
    status st = api_check_on_host(result);
    return api_error(st ? st : api_arrow_stream(result, out));
}
