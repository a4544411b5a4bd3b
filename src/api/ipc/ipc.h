/* ipc.h - a result as an Arrow IPC stream (https://arrow.apache.org/docs/format/Columnar.html), whose media type is
 * application/vnd.apache.arrow.stream.
 *
 *     schema │ [dictionaries] rows │ [dictionaries] rows │ ... │ end
 *
 * Texts and blobs in views are written as large_utf8 and large_binary: the buffers of views are whole parts of files. Where a
 * column is a dictionary each batch has its own, which replaces the one before. */
#ifndef PISTACHIO_API_IPC_IPC_H
#define PISTACHIO_API_IPC_IPC_H

#include "pistachio/pistachio.h"

#include "base/status.h"

#include <stdbool.h>
#include <stdio.h>

#define IPC_MEDIA_TYPE "application/vnd.apache.arrow.stream"

/* Formats of Arrow's messages. */
typedef enum ipc_format {
    IPC_STREAM,
    IPC_FILE /* a stream between marks, and a footer that tells where batches lie; without dictionaries */
} ipc_format;

/* Codecs of the buffers of rows. */
typedef enum ipc_codec { IPC_PLAIN, IPC_LZ4, IPC_ZSTD } ipc_codec;

typedef struct ipc_compression {
    ipc_codec codec;
    int level; /* of zstd; 0: 1 */
} ipc_compression;

/* Rows whose buffers were lent; they end with the last reference to them. */
typedef struct ipc_batch ipc_batch;

/* Gives up a reference. Any thread. */
void ipc_batch_unref(ipc_batch *batch);

/* A taker of large buffers, which has them as they are, behind what was written to the target before. */
typedef struct ipc_lender {
    void *to;
    /* Takes a reference to the batch over, whose bytes stay as they are until it is given up. Returns false where nobody
     * reads any more. */
    bool (*lend)(void *to, const void *bytes, size_t count, ipc_batch *batch);
} ipc_lender;

/* Writes the stream to its end and leaves its release to the caller. A failure to write is left in the target (ferror), and
 * nothing more is read then. Fails with what the stream says. With a lender large buffers go to it, and not through the
 * target; NULL: there is none. *out_rows: rows written. */
CHECKED status ipc_write(struct ArrowArrayStream *stream, FILE *target, const ipc_lender *lender,
                         uint64_t *out_rows);
/* Writes a stream, or a file. */
CHECKED status ipc_write_as(ipc_format format, ipc_compression compression,
                            struct ArrowArrayStream *stream, FILE *target, uint64_t *out_rows);

#endif
