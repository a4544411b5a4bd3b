/* arrowfile_body.h - the buffers of a batch: bytes are read where they lie, or decompressed first. One thread. */
#ifndef PISTACHIO_ARROWFILE_ARROWFILE_BODY_H
#define PISTACHIO_ARROWFILE_ARROWFILE_BODY_H

#include "arrowfile/arrowfile_message.h"
#include "device/device.h"

typedef struct arrowfile_node {
    uint64_t rows, null_count;
    uint64_t offset; /* rows in the buffers before its first one; of a file 0 */
} arrowfile_node;

typedef struct arrowfile_buffer {
    uint64_t offset, bytes; /* in the body, as they are stored */
    const void *memory;     /* where it lies, if the body is in memory */
    dev_buffer *plain;      /* decompressed; NULL: not yet */
    uint64_t plain_bytes;
} arrowfile_buffer;

/* Zeroed: none; used again and again. */
typedef struct arrowfile_body {
    const file *file;
    device *host;
    cpu_isa isa;
    uint64_t offset, bytes; /* of the body in the file */
    uint64_t rows;
    uint64_t bytes_read; /* from the file, until somebody sets it back */
    bool is_in_memory;   /* its buffers are a client's: there is no file */
    bool is_compressed;
    bool is_zstd; /* else LZ4's frames */
    ARRAY(arrowfile_node) nodes;
    ARRAY(arrowfile_buffer) buffers;
    ARRAY(uint64_t) view_buffers; /* of each column of views: how many follow its views */
} arrowfile_body;

/* Takes what a table RecordBatch says of the body that lies at the offset; what was there before is released. */
CHECKED status arrowfile_body_open(arrowfile_body *body, const flat_object *batch, uint64_t offset,
                                   uint64_t bytes);
void arrowfile_body_clear(arrowfile_body *body);
void arrowfile_body_release(arrowfile_body *body);
/* Returns how many bytes the buffer has, once decompressed. */
CHECKED status arrowfile_body_bytes(arrowfile_body *body, size_t buffer, uint64_t *out);
/* Reads bytes of a buffer; fails where it has less. */
CHECKED status arrowfile_body_read(arrowfile_body *body, size_t buffer, uint64_t from, void *target,
                                   uint64_t bytes);

#endif
