/* ipc_parts.h - columns and rows as parts of Arrow's messages; for ipc.c. */
#ifndef PISTACHIO_API_IPC_IPC_PARTS_H
#define PISTACHIO_API_IPC_IPC_PARTS_H

#include "api/ipc/flat.h"
#include "api/ipc/ipc.h"

/* Values of a message's union MessageHeader. */
typedef enum ipc_header { IPC_SCHEMA = 1, IPC_DICTIONARY, IPC_RECORDS } ipc_header;

#define IPC_VERSION 4 /* version 5 of the metadata */

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

/* Bytes that a buffer takes in a message. */
static inline size_t ipc_padded(size_t bytes)
{
    return (bytes + 7) & ~(size_t)7;
}

#endif
