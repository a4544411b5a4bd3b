/* stream.c - see stream.h. */
#include "bench/stream.h"

#include "device/transfer.h"

status bench_stream_open(bench_rank *r, const char *name, bench_taker *take,
                         bench_device_taker *take_from, void *argument, bench_stream *out)
{
    *out = (bench_stream){.rank = r, .take = take, .take_from = take_from, .argument = argument};
    out->filling = mem_new_array(r->ranks, sizeof *out->filling);
    out->waiters = mem_new_array(r->ranks + 1, sizeof *out->waiters);
    if (!out->filling || !out->waiters)
        return status_no_memory("a stream", r->ranks * sizeof *out->waiters);
    for (unsigned i = 0; i <= r->ranks; i++)
        out->waiters[i].rank = r;
    const net_exchange_options options = {.id = r->next_id++, .name = name};
    return net_exchange_open(r->query, &options, &out->exchange);
}

/* ---- receiving ---- */

/* The message may go when its bytes have been copied. */
static status stream_take_cargo(bench_stream *s, const net_message *message)
{
    const bench_cargo *cargo = (const bench_cargo *)message->cargo;
    TRY(s->take_from(s->argument, message->peer, cargo->owner->dev, cargo->address,
                     cargo->base.bytes));
    return dev_stream_await(s->rank->task.stream);
}

/* Takes a message, if one is there. */
static status stream_receive(bench_stream *s, net_state *out_state)
{
    net_message *message = NULL;
    bench_waiter *waiter = &s->waiters[s->rank->ranks];
    net_waiter *given = bench_waiter_arm(waiter);
    *out_state = NET_ENDED;
    status st = net_try_receive(s->exchange, NET_ANY, given, out_state, &message);
    bench_waiter_said(waiter, given, st ? NET_ENDED : *out_state);
    if (st || *out_state != NET_READY) {
        s->has_ended = !st && *out_state == NET_ENDED;
        return st;
    }
    st = message->cargo ? stream_take_cargo(s, message)
                        : s->take(s->argument, message->peer, message->data, message->bytes);
    net_message_free(message);
    return st;
}

/* ---- sending ---- */

static status new_message(bench_stream *s, unsigned peer)
{
    bench_waiter *waiter = &s->waiters[peer];
    for (;;) {
        net_state sending, receiving = NET_ENDED;
        net_waiter *given = bench_waiter_arm(waiter);
        status st = net_try_message(s->exchange, peer, given, &sending, &s->filling[peer]);
        bench_waiter_said(waiter, given, st ? NET_ENDED : sending);
        if (st || sending != NET_WAIT)
            return st;
        if (!s->has_ended)
            TRY(stream_receive(s, &receiving));
        if (receiving != NET_READY)
            bench_rank_sleep(s->rank);
    }
}

static void bench_stream_flush(bench_stream *s, unsigned peer)
{
    if (!s->filling[peer])
        return;
    s->rank->bytes_sent += peer == s->rank->rank ? 0 : s->filling[peer]->bytes;
    net_send(s->exchange, &s->filling[peer]);
}

status bench_stream_room(bench_stream *s, unsigned peer, uint32_t min_bytes, char **out,
                         uint32_t *out_bytes)
{
    net_message *message = s->filling[peer];
    if (message && (message->room & ~7u) - message->bytes < min_bytes)
        bench_stream_flush(s, peer);
    if (!s->filling[peer])
        TRY(new_message(s, peer));
    message = s->filling[peer];
    if (!message)
        return status_new(STATUS_KIND_INTERNAL, "rank %u wants no rows of a measurement", peer);
    *out = message->data + message->bytes;
    *out_bytes = (message->room & ~7u) - message->bytes;
    return STATUS_OK;
}

void bench_stream_filled(bench_stream *s, unsigned peer, uint32_t bytes)
{
    s->filling[peer]->bytes += bytes;
}

status bench_stream_give(bench_stream *s, unsigned peer, dev_buffer *owner, const void *address,
                         uint64_t bytes)
{
    if (!bytes)
        return STATUS_OK;
    TRY(new_message(s, peer));
    net_message *message = s->filling[peer];
    if (!message)
        return status_new(STATUS_KIND_INTERNAL, "rank %u wants no rows of a measurement", peer);
    message->bytes = 1;
    TRY(bench_cargo_load(message, owner, address, bytes));
    s->rank->bytes_sent += peer == s->rank->rank ? 0 : bytes;
    net_send(s->exchange, &s->filling[peer]);
    return STATUS_OK;
}

#define GIVEN_BYTES ((uint64_t)16 << 20) /* at once */

status bench_stream_give_to_all(bench_stream *s, dev_buffer *owner, uint64_t bytes)
{
    TRY(dev_stream_await(s->rank->task.stream));
    for (uint64_t at = 0; at < bytes; at += GIVEN_BYTES)
        for (unsigned i = 0; i < s->rank->ranks; i++)
            TRY(bench_stream_give(s, (s->rank->rank + i) % s->rank->ranks, owner,
                                  (const char *)owner->address + at,
                                  bytes - at < GIVEN_BYTES ? bytes - at : GIVEN_BYTES));
    return STATUS_OK;
}

status bench_stream_push(bench_stream *s, unsigned peer, const void *data, uint64_t bytes)
{
    const char *from = data;
    while (bytes) {
        char *to;
        uint32_t room;
        TRY(bench_stream_room(s, peer, sizeof(uint64_t), &to, &room));
        uint32_t now = bytes < room ? (uint32_t)bytes : room;
        memcpy(to, from, now);
        bench_stream_filled(s, peer, now);
        from += now;
        bytes -= now;
    }
    return STATUS_OK;
}

/* A little to each, in turns, so that all receive at once. */
status bench_stream_push_to_all(bench_stream *s, const void *data, uint64_t bytes)
{
    const uint64_t most = 1u << 20;
    for (uint64_t at = 0; at < bytes; at += most)
        for (unsigned i = 0; i < s->rank->ranks; i++) {
            unsigned peer = (s->rank->rank + i) % s->rank->ranks;
            uint64_t now = bytes - at < most ? bytes - at : most;
            TRY(bench_stream_push(s, peer, (const char *)data + at, now));
        }
    return STATUS_OK;
}

status bench_stream_push_from_device(bench_stream *s, const void *data, uint64_t bytes)
{
    dev_stream *stream = s->rank->task.stream;
    const uint64_t most = 16u << 20;
    if (stream->dev->is_host)
        return bench_stream_push_to_all(s, data, bytes);
    for (uint64_t at = 0; at < bytes; at += most) {
        uint64_t now = bytes - at < most ? bytes - at : most;
        void *staged;
        TRY(dev_host_alloc(stream->dev, now, "bench", &staged));
        status st = stream->dev->ops->copy_out(stream, staged, (const char *)data + at, now);
        if (!st)
            st = dev_stream_await(stream);
        if (!st)
            st = bench_stream_push_to_all(s, staged, now);
        dev_host_free(stream->dev, staged, now);
        TRY(st);
    }
    return STATUS_OK;
}

status bench_stream_finish(bench_stream *s)
{
    for (unsigned peer = 0; peer < s->rank->ranks; peer++) {
        bench_stream_flush(s, peer);
        net_end(s->exchange, peer);
    }
    while (!s->has_ended) {
        net_state state;
        TRY(stream_receive(s, &state));
        if (state == NET_WAIT)
            bench_rank_sleep(s->rank);
    }
    return STATUS_OK;
}

status bench_stream_close(bench_stream *s, status st)
{
    net_query *query = s->rank->query;
    if (st) {
        net_query_fail(query, st);
        st = net_query_failure(query);
    }
    for (unsigned peer = 0; s->filling && peer < s->rank->ranks; peer++)
        net_message_free(s->filling[peer]);
    net_exchange_close(s->exchange);
    for (unsigned i = 0; s->waiters && i <= s->rank->ranks; i++)
        bench_waiter_settle(&s->waiters[i]);
    mem_free(s->filling);
    mem_free(s->waiters);
    *s = (bench_stream){0};
    return st;
}
