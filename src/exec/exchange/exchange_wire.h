/* exchange_wire.h - chunks as bytes, and the messages that carry them.
 *
 *     chunk ── encode ──> block ──┬─ message (number, where, of how many) ─┐
 *                                 └─ message ──────────────────────────────┴─ block ── decode ──> chunk
 *
 * A message holds a piece of one block. Blocks of one sender have numbers of their own, as its tasks
 * send theirs in turns. What arrives is checked: it may come from a rank that is out of order. */
#ifndef PISTACHIO_EXEC_EXCHANGE_EXCHANGE_WIRE_H
#define PISTACHIO_EXEC_EXCHANGE_EXCHANGE_WIRE_H

#include "device/tensor.h"
#include "net/net.h"
#include "plan/plan.h"

#include <pthread.h>

/* How many of the FLAT chunk's rows from `first` on make a block that fits a message of so many
 * bytes, about; at least 1. */
uint64_t exchange_fit(const chunk *c, uint64_t first, uint64_t message_bytes);
CHECKED status exchange_encode(device *dev, const chunk *c, uint64_t first, uint64_t count,
                               dev_buffer **out);
/* The rows of a block, whose columns must be these. Uses the block's bytes, once. */
CHECKED status exchange_decode(dev_buffer *block, const plan_column_list *columns, chunk **out);

/* Fills a message with what fits of the block from *at on, which advances. */
void exchange_fill(net_message *message, const dev_buffer *block, uint32_t number, uint64_t *at);

/* A block of which not all messages have come. */
typedef struct exchange_part {
    uint32_t peer, number;
    uint64_t received;
    dev_buffer *block;
} exchange_part;

/* Puts blocks together; any task. */
typedef struct exchange_parts {
    pthread_mutex_t lock;
    ARRAY(exchange_part) open;
} exchange_parts;

void exchange_parts_init(exchange_parts *parts);
void exchange_parts_free(exchange_parts *parts);
/* Takes a message's bytes in; *out is a whole block then (the caller's), or NULL: more is to come. */
CHECKED status exchange_parts_add(exchange_parts *parts, device *dev, const net_message *message,
                                  dev_buffer **out);

#endif
