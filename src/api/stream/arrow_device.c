/* arrow_device.c - a result as an ArrowDeviceArrayStream: the arrays of its rows, and in whose memory they are.
 *
 * A batch is handed out when the host has seen that the device has written it, so there is no event to wait for. */
#include "api/handles/error.h"
#include "api/stream/arrow_stream.h"
#include "device/device.h"

/* In whose memory, as Arrow has it. */
typedef struct arrow_place {
    ArrowDeviceType type;
    int64_t id;
} arrow_place;

typedef struct device_stream_data {
    struct ArrowArrayStream rows;
    arrow_place place;
    device *dev; /* whose memory that is, or NULL: the host's */
} device_stream_data;

/* The processor has no number. */
static arrow_place arrow_device_place_of(const device *dev)
{
    if (!dev)
        return (arrow_place){ARROW_DEVICE_CPU, -1};
    return dev->memory == DEV_MEMORY_CUDA ? (arrow_place){ARROW_DEVICE_CUDA, dev->ordinal}
                                          : (arrow_place){ARROW_DEVICE_EXT_DEV, dev->ordinal};
}

static device_stream_data *data_of(struct ArrowDeviceArrayStream *stream)
{
    return stream->private_data;
}

static int arrow_device_get_schema(struct ArrowDeviceArrayStream *stream, struct ArrowSchema *out)
{
    struct ArrowArrayStream *rows = &data_of(stream)->rows;
    return rows->get_schema(rows, out);
}

/* The client's thread works for the query, on the device, and may be using it by itself. */
static void *enter(device *dev)
{
    return dev ? dev_client_enter(dev) : NULL;
}

static void arrow_device_leave(device *dev, void *before)
{
    if (dev)
        dev_client_leave(dev, before);
}

static int arrow_device_get_next(struct ArrowDeviceArrayStream *stream,
                                 struct ArrowDeviceArray *out)
{
    device_stream_data *data = data_of(stream);
    *out = (struct ArrowDeviceArray){.device_id = data->place.id, .device_type = data->place.type};
    void *before = enter(data->dev);
    int number = data->rows.get_next(&data->rows, &out->array);
    arrow_device_leave(data->dev, before);
    return number;
}

static const char *arrow_device_get_last_error(struct ArrowDeviceArrayStream *stream)
{
    struct ArrowArrayStream *rows = &data_of(stream)->rows;
    return rows->get_last_error(rows);
}

static void arrow_device_release(struct ArrowDeviceArrayStream *stream)
{
    device_stream_data *data = data_of(stream);
    void *before = enter(data->dev);
    data->rows.release(&data->rows);
    arrow_device_leave(data->dev, before);
    dev_close(data->dev);
    mem_free(data);
    stream->release = NULL;
}

static status make_stream(pistachio_result *result, struct ArrowDeviceArrayStream *out)
{
    device_stream_data *data = mem_new(sizeof *data);
    if (!data)
        return status_no_memory("Arrow stream", sizeof *data);
    status st = api_arrow_stream(result, &data->rows);
    if (st) {
        mem_free(data);
        return st;
    }
    data->dev = result->is_on_device ? dev_ref(result->dev) : NULL;
    data->place = arrow_device_place_of(data->dev);
    *out = (struct ArrowDeviceArrayStream){.device_type = data->place.type,
                                           .get_schema = arrow_device_get_schema,
                                           .get_next = arrow_device_get_next,
                                           .get_last_error = arrow_device_get_last_error,
                                           .release = arrow_device_release,
                                           .private_data = data};
    return STATUS_OK;
}

pistachio_error *pistachio_arrow_device_stream(pistachio_result *result,
                                               struct ArrowDeviceArrayStream *out)
{
    if (!out)
        return api_null_argument("out");
    *out = (struct ArrowDeviceArrayStream){.device_type = ARROW_DEVICE_CPU};
    return result ? api_error(make_stream(result, out)) : api_null_argument("result");
}
