/* stream.h - bytes from each rank to each, itself included, as they are made: an exchange of net.h
 * for a thread that may wait. While a rank cannot send it takes what has come, so that none waits
 * for another in a circle.
 *
 *     bench_stream_open ── push, push ... ── finish (what is left goes, all that comes is taken) ── close
 */
#ifndef PISTACHIO_BENCH_STREAM_H
#define PISTACHIO_BENCH_STREAM_H

#include "bench/rank.h"

/* A message's bytes from a peer, each peer's in order; valid during the call. */
typedef status bench_taker(void *argument, unsigned peer, const char *data, uint32_t bytes);

/* Bytes of a peer's device, to be copied by the rank's stream: they stay until it has done so. */
typedef status bench_device_taker(void *argument, unsigned peer, device *from, const void *address,
                                  uint64_t bytes);

typedef struct bench_stream {
    bench_rank *rank;
    net_exchange *exchange;
    net_message **filling; /* by peer: what is not full yet */
    bench_waiter *waiters; /* by peer, then that of receiving */
    bench_taker *take;
    bench_device_taker *take_from; /* of ranks that send cargo */
    void *argument;
    bool has_ended; /* all that was sent here is taken */
} bench_stream;

/* bench_stream_close also after a failure. */
CHECKED status bench_stream_open(bench_rank *r, const char *name, bench_taker *take,
                                 bench_device_taker *take_from, void *argument, bench_stream *out);
/* Gives a peer bytes of the rank's device, which others may read already: no copy is made on the way. */
CHECKED status bench_stream_give(bench_stream *s, unsigned peer, dev_buffer *owner,
                                 const void *address, uint64_t bytes);
/* Gives them to all, some to each in turns. */
CHECKED status bench_stream_give_to_all(bench_stream *s, dev_buffer *owner, uint64_t bytes);
/* Whole values of 8 bytes: messages are full at such. */
CHECKED status bench_stream_push(bench_stream *s, unsigned peer, const void *data, uint64_t bytes);
CHECKED status bench_stream_push_to_all(bench_stream *s, const void *data, uint64_t bytes);
/* Room for at least min_bytes in a message to the peer, or all that a message has; then, perhaps, that some of
 * it is filled, a multiple of 8 bytes. */
CHECKED status bench_stream_room(bench_stream *s, unsigned peer, uint32_t min_bytes, char **out,
                                 uint32_t *out_bytes);
void bench_stream_filled(bench_stream *s, unsigned peer, uint32_t bytes);
/* Pushes bytes of the rank's device to all, by way of pinned memory. */
CHECKED status bench_stream_push_from_device(bench_stream *s, const void *data, uint64_t bytes);
CHECKED status bench_stream_finish(bench_stream *s);
/* Takes st, what went wrong meanwhile, and tells all ranks of it; gives it, or what the query failed with. */
CHECKED status bench_stream_close(bench_stream *s, status st);

#endif
