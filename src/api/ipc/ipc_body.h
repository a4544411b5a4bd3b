/* ipc_body.h - rows as the body of a message. */
#ifndef PISTACHIO_API_IPC_IPC_BODY_H
#define PISTACHIO_API_IPC_IPC_BODY_H

#include "api/ipc/ipc_parts.h"

/* Makes room for a buffer, which is freed with the body. */
CHECKED status ipc_body_make(ipc_body *body, size_t bytes, void **out);
/* Adds an array's rows; of a struct's children one after the other, without itself, if `is_root`. */
CHECKED status ipc_body_add(ipc_body *body, const struct ArrowSchema *schema,
                            const struct ArrowArray *array, bool is_root);
/* Makes the table RecordBatch; *out_bytes: of the body as it is to be written. */
uint32_t ipc_body_describe(const ipc_body *body, flat *f, int64_t rows, uint64_t *out_bytes);
void ipc_body_clear(ipc_body *body);
void ipc_body_release(ipc_body *body);

#endif
