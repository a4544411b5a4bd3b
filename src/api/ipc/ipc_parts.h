/* ipc_parts.h - columns and rows as parts of Arrow's messages; for ipc.c. */
#ifndef PISTACHIO_API_IPC_IPC_PARTS_H
#define PISTACHIO_API_IPC_IPC_PARTS_H

#include "api/ipc/flat.h"
#include "api/ipc/ipc.h"

/* Values of a message's union MessageHeader. */
typedef enum ipc_header { IPC_SCHEMA = 1, IPC_DICTIONARY, IPC_RECORDS } ipc_header;

#define IPC_VERSION 4 /* version 5 of the metadata */

/* Begins a message's metadata and returns its table, whose header is linked with ipc_message_link. */
uint32_t ipc_message_begin(flat *f);
void ipc_message_link(flat *f, uint32_t message, ipc_header kind, uint32_t header,
                      uint64_t body_bytes);

/* Makes the table Schema of a struct's children. Fails on a type that is not known here. */
CHECKED status ipc_schema_make(flat *f, const struct ArrowSchema *columns, uint32_t *out);

/* How a format of the C data interface lies in buffers. */
typedef enum ipc_layout {
    IPC_NULL,
    IPC_BITS,
    IPC_FIXED,   /* of `width` bytes */
    IPC_OFFSETS, /* of `width` bytes, then bytes */
    IPC_VIEWS, /* which become offsets of 8 bytes, then bytes: buffers of views may hold much more than their rows' */
    IPC_LIST,  /* offsets of `width` bytes, then a child */
    IPC_FIXED_LIST,
    IPC_STRUCT
} ipc_layout;

/* Fails on a format that is not known. *out_width: 0 where there is none. */
CHECKED status ipc_layout_of(const char *format, ipc_layout *out, uint32_t *out_width);

/* ---- rows ---- */

typedef struct ipc_node {
    int64_t count, null_count;
} ipc_node;

typedef struct ipc_buffer {
    const void *bytes;
    size_t count;
} ipc_buffer;

/* Buffers of rows, most of them the arrays' own. */
typedef struct ipc_body {
    ARRAY(ipc_node) nodes;
    ARRAY(ipc_buffer) buffers;
    ARRAY(void *) made; /* buffers that were made, freed with the body */
    ipc_compression compression;
} ipc_body;

/* Makes room for a buffer, which is freed with the body. */
CHECKED status ipc_body_make(ipc_body *body, size_t bytes, void **out);

/* Adds an array's rows; of a struct's children one after the other, without itself, if `is_root`. */
CHECKED status ipc_body_add(ipc_body *body, const struct ArrowSchema *schema,
                            const struct ArrowArray *array, bool is_root);
/* Compresses the buffers that were added. */
CHECKED status ipc_body_compress(ipc_body *body, const ipc_compression *how);
/* Says in the table RecordBatch how buffers are compressed. */
void ipc_compression_describe(const ipc_compression *how, flat *f, uint32_t batch);
/* Makes the table RecordBatch; *out_bytes: of the body as it is to be written. */
uint32_t ipc_body_describe(const ipc_body *body, flat *f, int64_t rows, uint64_t *out_bytes);
/* Bytes that a buffer takes in a message. */
static inline size_t ipc_padded(size_t bytes)
{
    return (bytes + 7) & ~(size_t)7;
}
void ipc_body_clear(ipc_body *body);
void ipc_body_release(ipc_body *body);

#endif
