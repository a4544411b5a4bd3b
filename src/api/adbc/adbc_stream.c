/* adbc_stream.c - a stream around another one, which keeps its failure as an AdbcError. */
#include "api/adbc/adbc_stream.h"

#include "api/adbc/adbc_error.h"
#include "base/mem.h"

#include <errno.h>

typedef struct adbc_stream {
    struct ArrowArrayStream inner;
    struct AdbcError error; /* of the last call, if the code is not ADBC_STATUS_OK */
    AdbcStatusCode code;
} adbc_stream;

/* Returns the kind that api_arrow_errno() makes the number of. */
static status_kind adbc_stream_kind_of(int number)
{
    switch (number) {
    case ECANCELED:
        return STATUS_KIND_CANCELLED;
    case ENOMEM:
        return STATUS_KIND_LIMIT;
    case ENOSYS:
        return STATUS_KIND_UNSUPPORTED;
    case EIO:
        return STATUS_KIND_IO;
    default:
        return STATUS_KIND_DATA;
    }
}

static int keep(adbc_stream *s, int number)
{
    if (s->error.release)
        s->error.release(&s->error);
    s->error = (struct AdbcError){.vendor_code = ADBC_ERROR_VENDOR_CODE_PRIVATE_DATA};
    s->code = ADBC_STATUS_OK;
    if (number) {
        const char *text = s->inner.get_last_error(&s->inner);
        s->code =
            adbc_fail(&s->error, status_new(adbc_stream_kind_of(number), "%s", text ? text : ""));
    }
    return number;
}

static int adbc_stream_get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out)
{
    adbc_stream *s = stream->private_data;
    return keep(s, s->inner.get_schema(&s->inner, out));
}

static int adbc_stream_get_next(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
    adbc_stream *s = stream->private_data;
    return keep(s, s->inner.get_next(&s->inner, out));
}

static const char *adbc_stream_get_last_error(struct ArrowArrayStream *stream)
{
    adbc_stream *s = stream->private_data;
    return s->inner.get_last_error(&s->inner);
}

static void adbc_stream_release(struct ArrowArrayStream *stream)
{
    adbc_stream *s = stream->private_data;
    (void)keep(s, 0);
    s->inner.release(&s->inner);
    mem_free(s);
    stream->release = NULL;
}

status adbc_stream_wrap(struct ArrowArrayStream *io)
{
    adbc_stream *s = mem_new(sizeof *s);
    if (!s) {
        io->release(io);
        return status_no_memory("Arrow stream", sizeof *s);
    }
    s->inner = *io;
    *io = (struct ArrowArrayStream){.get_schema = adbc_stream_get_schema,
                                    .get_next = adbc_stream_get_next,
                                    .get_last_error = adbc_stream_get_last_error,
                                    .release = adbc_stream_release,
                                    .private_data = s};
    return STATUS_OK;
}

const struct AdbcError *adbc_stream_error(struct ArrowArrayStream *stream, AdbcStatusCode *out)
{
    if (!stream || stream->release != adbc_stream_release)
        return NULL;
    const adbc_stream *s = stream->private_data;
    if (out)
        *out = s->code;
    return s->code == ADBC_STATUS_OK ? NULL : &s->error;
}
