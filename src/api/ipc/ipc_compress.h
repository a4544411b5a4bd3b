/* ipc_compress.h - buffers of a body, each compressed by itself. */
#ifndef PISTACHIO_API_IPC_IPC_COMPRESS_H
#define PISTACHIO_API_IPC_IPC_COMPRESS_H

#include "api/ipc/ipc_parts.h"

/* Compresses the buffers that were added. */
CHECKED status ipc_body_compress(ipc_body *body, const ipc_compression *how);
/* Says in the table RecordBatch how buffers are compressed. */
void ipc_compression_describe(const ipc_compression *how, flat *f, uint32_t batch);

#endif
