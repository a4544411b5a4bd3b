/* adbc_stream.h - streams of rows that say why they failed as ADBC does, in addition to Arrow's number and text. */
#ifndef PISTACHIO_API_ADBC_ADBC_STREAM_H
#define PISTACHIO_API_ADBC_ADBC_STREAM_H

#include "base/status.h"
#include "pistachio/adbc.h"

/* Puts the stream, which is taken over, also on failure, into one whose failure adbc_stream_error gives. */
CHECKED status adbc_stream_wrap(struct ArrowArrayStream *io);

/* Returns why the stream's last call failed, and its code; NULL: it did not, or it is another's stream. The error is the
 * stream's, until its next call. */
const struct AdbcError *adbc_stream_error(struct ArrowArrayStream *stream, AdbcStatusCode *out);

#endif
