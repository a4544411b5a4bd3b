/* exchange_stream.h - what the messages of an exchange are: the number of a stream, then bytes of wire.h.
 *
 * Each task that sends is a stream of its own to each rank: its messages are written one after another,
 * and must be read so. Streams of one rank come mixed; whoever receives numbers them by rank. */
#ifndef PISTACHIO_EXEC_EXCHANGE_EXCHANGE_STREAM_H
#define PISTACHIO_EXEC_EXCHANGE_EXCHANGE_STREAM_H

#include "exec/exchange/exchange_columns.h"
#include "net/net.h"

#include <pthread.h>

typedef struct exchange_header {
    uint32_t stream;
    uint32_t flags;
} exchange_header;

/* Flag of a broadcast that has overflowed: rows that only this rank gets. */
#define EXCHANGE_BY_KEYS 1u

_Static_assert(sizeof(exchange_header) == 8, "blocks begin at multiples of 8");

/* Streams of one rank's tasks, at most. */
#define EXCHANGE_STREAMS_MAX 65536u

/* A stream's received messages that are not read yet. */
typedef struct exchange_stream exchange_stream;

/* All streams of an exchange that this rank receives. */
typedef struct exchange_streams {
    device *dev;
    const char *name;
    exchange_columns columns;
    uint32_t rank_count;
    uint32_t flags; /* that messages may have; 0, unless it is set after init */
    pthread_mutex_t lock;
    bool has_left; /* some streams with messages may be nobody's */
    struct exchange_rank *ranks;
} exchange_streams;

/* Takes the columns over, also on failure. */
CHECKED status exchange_streams_init(exchange_streams *streams, device *dev, const char *name,
                                     exchange_columns columns, uint32_t rank_count);
void exchange_streams_release(exchange_streams *streams); /* takes a zeroed one */

/* The next message of any rank, in order within its stream: `*stream`, which is the asking task's, or
 * NULL, stays its alone as long as it has messages, and becomes another one after that. *out_state as
 * of net_try_receive; *out is to be read with exchange_stream_read, and freed. Any task. */
CHECKED status exchange_streams_next(exchange_streams *streams, net_exchange *net,
                                     net_waiter *waiter, exchange_stream **stream,
                                     net_state *out_state, net_message **out);
/* A task takes no more messages; others get those of its stream (or NULL), and are woken for them: their
 * sender may have no others to send. Before the task's waiter goes. */
void exchange_streams_leave(exchange_streams *streams, net_exchange *net, exchange_stream *stream);
/* Its rows; NULL: none are whole yet. A failure of kind CORRUPT names the rank. */
CHECKED status exchange_stream_read(exchange_streams *streams, exchange_stream *stream,
                                    const net_message *message, chunk **out);

/* Checks that the message is of its rank's one stream, where one task of a rank sends: `name` is the exchange's. A message that
 * has cargo may have no other bytes. */
CHECKED status exchange_stream_check_one(const net_message *message, const char *name,
                                         bool has_cargo);

#endif
