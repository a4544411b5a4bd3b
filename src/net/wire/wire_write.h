/* wire_write.h - rows to the bytes of a message. */
#ifndef PISTACHIO_NET_WIRE_WIRE_WRITE_H
#define PISTACHIO_NET_WIRE_WIRE_WRITE_H

#include "base/status.h"
#include "device/tensor.h"
#include "net/wire/wire.h"

/* Fails if rows of so many columns cannot be sent. */
CHECKED status wire_check_columns(uint32_t column_count);
/* For chunks of these columns, whose types are copied. */
CHECKED status wire_writer_new(const data_type *types, uint32_t column_count, wire_writer **out);
void wire_writer_free(wire_writer *writer); /* takes NULL */
/* Appends as many as fit of the rows [first, first + count) of a chunk, whose count is exact and
 * whose columns may have any form, to the message `target` of `room` bytes (8-byte aligned, at
 * least 32), of which *used are in use. *out_rows: how many; less than asked for: send the message,
 * go on in an empty one with the rows that are left. None of the
 * columns is NULL: the writer lacks columns that nobody needs. Dictionaries
 * are kept referenced. */
CHECKED status wire_append(wire_writer *writer, const chunk *c, uint64_t first, uint64_t count,
                           char *target, uint32_t room, uint32_t *used, uint64_t *out_rows);

#endif
