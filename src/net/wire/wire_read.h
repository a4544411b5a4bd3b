/* wire_read.h - the bytes of a message to rows. */
#ifndef PISTACHIO_NET_WIRE_WIRE_READ_H
#define PISTACHIO_NET_WIRE_WIRE_READ_H

#include "base/status.h"
#include "device/tensor.h"
#include "net/wire/wire.h"

/* Memory of what is read is the device's. `name`: of the exchange, for errors; copied. */
CHECKED status wire_reader_new(device *dev, const data_type *types, uint32_t column_count,
                               const char *name, wire_reader **out);
void wire_reader_free(wire_reader *reader); /* takes NULL */
/* The rows of a message (8-byte aligned), as one chunk that refers to nothing of it; NULL: a part
 * of a row that later messages complete. A failure of kind CORRUPT: the bytes are not what a writer
 * made. */
CHECKED status wire_read(wire_reader *reader, const char *bytes, uint32_t byte_count, chunk **out);

#endif
