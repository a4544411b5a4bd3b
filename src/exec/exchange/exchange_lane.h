/* exchange_lane.h - one task's way to one rank, or to all of them: rows are written to a message until it
 * is full, which then goes out.
 *
 *     rows ── write ──> message being made ── is_full ── send ──> rank first .. end - 1
 *
 * A message is made in memory of the lane's own: the network's few would be held too long, and by tasks
 * that wait for each other. The first one is small; each is twice as large as the one before, up to what
 * the exchange's messages may have. */
#ifndef PISTACHIO_EXEC_EXCHANGE_EXCHANGE_LANE_H
#define PISTACHIO_EXEC_EXCHANGE_EXCHANGE_LANE_H

#include "exec/exchange/exchange_stream.h"
#include "net/wire/wire.h"

typedef struct exchange_lane {
    device *dev;
    wire_writer *writer;
    dev_buffer *message; /* being made */
    uint32_t used, room; /* of it, in bytes of wire.h */
    uint32_t room_max;
    uint32_t stream, flags;    /* of exchange_header */
    uint32_t first, end, next; /* ranks; the next one that gets the message */
    bool is_full;
    bool is_cargo;         /* rows are packed already, and go as they are: nothing is written */
    chunk *rows;           /* not all written yet; or NULL */
    uint64_t at, rows_end; /* those that are to be written */
} exchange_lane;

typedef struct exchange_lane_options {
    device *dev; /* a host's */
    const exchange_columns *columns;
    uint32_t stream, flags, first, end;
    uint32_t message_bytes;
    bool is_cargo; /* rows go by exchange_cargo.h */
} exchange_lane_options;

CHECKED status exchange_lane_init(exchange_lane *lane, const exchange_lane_options *options);
void exchange_lane_release(exchange_lane *lane); /* takes a zeroed one */

/* Rows [first, first + count) are to be written, of the columns that travel, in the host's reach; there
 * are no others. Takes the chunk over. As cargo: all rows of a packed chunk. */
void exchange_lane_give(exchange_lane *lane, chunk *rows, uint64_t first, uint64_t count);
/* Writes as many as fit: then the lane is full, or has no rows. */
CHECKED status exchange_lane_write(exchange_lane *lane);
/* Sends what the lane has, however little it is. */
void exchange_lane_flush(exchange_lane *lane);
/* The next rank that is to get the message; false: there is none, and the lane is not full any more. */
bool exchange_lane_next(exchange_lane *lane, uint32_t *out_rank);
/* Fills a message for that rank. */
CHECKED status exchange_lane_fill(const exchange_lane *lane, net_message *message);

#endif
