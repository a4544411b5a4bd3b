/* ipc_schema.h - columns as Arrow's IPC format describes them (Schema.fbs). */
#ifndef PISTACHIO_API_IPC_IPC_SCHEMA_H
#define PISTACHIO_API_IPC_IPC_SCHEMA_H

#include "api/ipc/ipc_parts.h"

/* Begins a message's metadata and returns its table, whose header is linked with ipc_message_link. */
uint32_t ipc_message_begin(flat *f);
void ipc_message_link(flat *f, uint32_t message, ipc_header kind, uint32_t header,
                      uint64_t body_bytes);
/* Makes the table Schema of a struct's children. Fails on a type that is not known here. */
CHECKED status ipc_schema_make(flat *f, const struct ArrowSchema *columns, uint32_t *out);
/* Fails on a format that is not known. *out_width: 0 where there is none. */
CHECKED status ipc_layout_of(const char *format, ipc_layout *out, uint32_t *out_width);

#endif
