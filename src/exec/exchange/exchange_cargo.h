/* exchange_cargo.h - rows that go from device to device, as cargo of messages that say nothing else.
 *
 *     chunk ─ order ─ pack ─┬─ rows of rank 0 ─ cargo ─ message ─> fetch ─ copies across ─ chunk
 *                           └─ rows of rank 1 ─ ...
 *
 * Ranks are threads of one process, and their devices of one kind. Rows are packed by kernels in the sender's memory, which
 * they are charged to until the receiver has copied them to its own: then it gives the message back, and so the credit. */
#ifndef PISTACHIO_EXEC_EXCHANGE_EXCHANGE_CARGO_H
#define PISTACHIO_EXEC_EXCHANGE_EXCHANGE_CARGO_H

#include "device/tensor.h"
#include "net/net.h"

#define EXCHANGE_CARGO_MESSAGE_BYTES NET_MESSAGE_BYTES_MIN

/* The chunk's rows order[offsets[rank]] to order[offsets[rank + 1] - 1], for each rank that has some: FLAT columns whose
 * long texts are in one buffer. A rank without rows gets NULL. order NULL: all rows as they are, for one rank. Awaits the
 * stream: others may read the rows afterwards. `out` has a place for each rank, and is released on failure. */
CHECKED status exchange_cargo_pack(dev_stream *stream, const chunk *rows, const row_index *order,
                                   const uint32_t *offsets, uint32_t ranks, chunk **out);
/* Gives the message the rows, which others may have, too. */
CHECKED status exchange_cargo_load(net_message *message, const chunk *rows);
/* Copies the message's rows to the stream's device, or shares them where they are there already. The copies have been made,
 * and the message may go, when the stream has passed them. */
CHECKED status exchange_cargo_fetch(dev_stream *stream, const net_message *message,
                                    const char *name, chunk **out);
/* Returns the bytes of a message, with its cargo's. */
uint64_t exchange_cargo_bytes(const net_message *message);

#endif
