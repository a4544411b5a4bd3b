/* wire.h - the rows of chunks as the bytes of messages, and back. Host devices, host memory.
 *
 *     message: block │ block │ ...        each begins at a multiple of 8 bytes
 *     block:   header (kind, rows, bytes) │ per column: head, validity, values
 *
 *   ROWS        some rows; a column's values are
 *                 VALUES     in a row; of texts the lengths, then the bytes
 *                 CONSTANT   one for all rows
 *                 CODES      positions in a dictionary, of 1, 2 or 4 bytes
 *   DICTIONARY  a column's dictionary, by number; sent before the first codes that refer to it;
 *                again with more entries behind those that it had: codes keep their meaning
 *   PIECE       of a block that is larger than a message
 *
 * A writer and a reader stand for the two ends of one channel of an exchange: messages are sent in
 * the order in which they were written, and read in that order, by one thread at a time. Both keep
 * the last WIRE_DICTIONARIES dictionaries. Numbers are little endian. */
#ifndef PISTACHIO_NET_WIRE_H
#define PISTACHIO_NET_WIRE_H

#include "device/tensor.h"

#define WIRE_DICTIONARIES 32

typedef struct wire_writer wire_writer;
typedef struct wire_reader wire_reader;

/* Fails if rows of so many columns cannot be sent. */
CHECKED status wire_check_columns(uint32_t column_count);
/* For chunks of these columns, whose types are copied. */
CHECKED status wire_writer_new(const data_type *types, uint32_t column_count, wire_writer **out);
void wire_writer_free(wire_writer *writer); /* takes NULL */

/* Appends as many as fit of the rows [first, first + count) of a chunk, whose count is exact and
 * whose columns may have any form, to the message `target` of `room` bytes (8-byte aligned, at
 * least 32), of which *used are in use. *out_rows: how many; less than asked for: send the message,
 * go on in an empty one with the rows that are left. None of the
 * columns is NULL: what nobody needs is no column of the writer's. Dictionaries
 * are kept referenced. */
CHECKED status wire_append(wire_writer *writer, const chunk *c, uint64_t first, uint64_t count,
                           char *target, uint32_t room, uint32_t *used, uint64_t *out_rows);

/* Memory of what is read is the device's. `name`: of the exchange, for errors; copied. */
CHECKED status wire_reader_new(device *dev, const data_type *types, uint32_t column_count,
                               const char *name, wire_reader **out);
void wire_reader_free(wire_reader *reader); /* takes NULL */

/* The rows of a message (8-byte aligned), as one chunk that refers to nothing of it; NULL: a part
 * of a row that later messages complete. A failure of kind CORRUPT: the bytes are not what a writer
 * made. */
CHECKED status wire_read(wire_reader *reader, const char *bytes, uint32_t byte_count, chunk **out);

#endif
