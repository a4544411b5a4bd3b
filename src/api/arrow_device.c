/* arrow_device.c - a result as an ArrowDeviceArrayStream: what pistachio_arrow_stream gives, and where it lies. The rows
 * of every device are in the host's memory when they leave the engine. */
#include "api/arrow.h"

typedef struct device_stream_data {
    struct ArrowArrayStream rows;
} device_stream_data;

static struct ArrowArrayStream *rows_of(struct ArrowDeviceArrayStream *stream)
{
    return &((device_stream_data *)stream->private_data)->rows;
}

static int get_schema(struct ArrowDeviceArrayStream *stream, struct ArrowSchema *out)
{
    struct ArrowArrayStream *rows = rows_of(stream);
    return rows->get_schema(rows, out);
}

/* The processor has no number, and whoever is given its memory waits for nothing. */
static int get_next(struct ArrowDeviceArrayStream *stream, struct ArrowDeviceArray *out)
{
    struct ArrowArrayStream *rows = rows_of(stream);
    *out = (struct ArrowDeviceArray){.device_id = -1, .device_type = ARROW_DEVICE_CPU};
    return rows->get_next(rows, &out->array);
}

static const char *get_last_error(struct ArrowDeviceArrayStream *stream)
{
    struct ArrowArrayStream *rows = rows_of(stream);
    return rows->get_last_error(rows);
}

static void release(struct ArrowDeviceArrayStream *stream)
{
    struct ArrowArrayStream *rows = rows_of(stream);
    rows->release(rows);
    mem_free(stream->private_data);
    stream->release = NULL;
}

pistachio_error *pistachio_arrow_device_stream(pistachio_result *result,
                                               struct ArrowDeviceArrayStream *out)
{
    if (!out)
        return api_null_argument("out");
    *out = (struct ArrowDeviceArrayStream){.device_type = ARROW_DEVICE_CPU};
    if (!result)
        return api_null_argument("result");
    device_stream_data *data = mem_new(sizeof *data);
    if (!data)
        return api_error(status_no_memory("Arrow stream", sizeof *data));
    pistachio_error *error = pistachio_arrow_stream(result, &data->rows);
    if (error) {
        mem_free(data);
        return error;
    }
    *out = (struct ArrowDeviceArrayStream){.device_type = ARROW_DEVICE_CPU,
                                           .get_schema = get_schema,
                                           .get_next = get_next,
                                           .get_last_error = get_last_error,
                                           .release = release,
                                           .private_data = data};
    return NULL;
}
