/* exchange_stream.c - messages to streams, and streams to tasks. Nothing that a message says is believed
 * without a look: here the stream's number, in wire_read the rest. */
#include "exec/exchange/exchange_stream.h"

#include "base/system/mutex.h"
#include "net/wire/wire.h"
#include "net/wire/wire_read.h"

struct exchange_stream {
    wire_reader *reader;
    ARRAY(net_message *) messages; /* in their order */
    bool is_taken;                 /* a task has it */
};

typedef struct exchange_rank {
    ARRAY(exchange_stream *) streams; /* by number; NULL: nothing came of it */
} exchange_rank;

status exchange_streams_init(exchange_streams *streams, device *dev, const char *name,
                             exchange_columns columns, uint32_t rank_count)
{
    *streams =
        (exchange_streams){.dev = dev, .name = name, .columns = columns, .rank_count = rank_count};
    mutex_init(&streams->lock);
    streams->ranks = mem_new_array(rank_count, sizeof *streams->ranks);
    return streams->ranks ? STATUS_OK : status_no_memory(name, rank_count * sizeof *streams->ranks);
}

static void stream_free(exchange_stream *stream)
{
    if (!stream)
        return;
    for (size_t i = 0; i < stream->messages.count; i++)
        net_message_free(stream->messages.items[i]);
    array_release(&stream->messages);
    wire_reader_free(stream->reader);
    mem_free(stream);
}

void exchange_streams_release(exchange_streams *streams)
{
    if (!streams->name)
        return;
    for (uint32_t rank = 0; streams->ranks && rank < streams->rank_count; rank++) {
        exchange_rank *from = &streams->ranks[rank];
        for (size_t i = 0; i < from->streams.count; i++)
            stream_free(from->streams.items[i]);
        array_release(&from->streams);
    }
    mem_free(streams->ranks);
    exchange_columns_release(&streams->columns);
    mutex_destroy(&streams->lock);
}

static status exchange_stream_damaged(const exchange_streams *streams, uint32_t rank)
{
    return status_new(STATUS_KIND_CORRUPT, "a message of %s from rank %u is of no stream",
                      streams->name, rank);
}

/* ---- under the lock ---- */

static status new_stream(const exchange_streams *streams, exchange_stream **out)
{
    exchange_stream *stream = mem_new(sizeof *stream);
    if (!stream)
        return status_no_memory(streams->name, sizeof *stream);
    status st = wire_reader_new(streams->dev, streams->columns.types, streams->columns.count,
                                streams->name, &stream->reader);
    if (st)
        mem_free(stream);
    else
        *out = stream;
    return st;
}

static status exchange_stream_find_stream(exchange_streams *streams, const net_message *message,
                                          exchange_stream **out)
{
    exchange_header header;
    if (message->bytes <= sizeof header || message->peer >= streams->rank_count)
        return exchange_stream_damaged(streams, message->peer);
    memcpy(&header, message->data, sizeof header);
    if (header.stream >= EXCHANGE_STREAMS_MAX || header.flags & ~streams->flags)
        return exchange_stream_damaged(streams, message->peer);
    exchange_rank *from = &streams->ranks[message->peer];
    while (from->streams.count <= header.stream)
        TRY(array_push(NULL, &from->streams, (exchange_stream *)NULL));
    exchange_stream **slot = &from->streams.items[header.stream];
    if (!*slot)
        TRY(new_stream(streams, slot));
    *out = *slot;
    return STATUS_OK;
}

/* Queues the message after its stream's others; the task takes the stream if no other task had it. */
static status exchange_stream_take_in(exchange_streams *streams, net_message *message,
                                      exchange_stream **mine)
{
    exchange_stream *stream;
    status st = exchange_stream_find_stream(streams, message, &stream);
    if (!st)
        st = array_push(NULL, &stream->messages, message);
    if (st) {
        net_message_free(message);
        return st;
    }
    if (!stream->is_taken) {
        stream->is_taken = true;
        *mine = stream;
    }
    return STATUS_OK;
}

static exchange_stream *take_left(exchange_streams *streams)
{
    for (uint32_t rank = 0; streams->has_left && rank < streams->rank_count; rank++)
        for (size_t i = 0; i < streams->ranks[rank].streams.count; i++) {
            exchange_stream *stream = streams->ranks[rank].streams.items[i];
            if (!stream || stream->is_taken || !stream->messages.count)
                continue;
            stream->is_taken = true;
            return stream;
        }
    streams->has_left = false;
    return NULL;
}

static status exchange_stream_receive(exchange_streams *streams, net_exchange *net,
                                      net_waiter *waiter, exchange_stream **mine,
                                      net_state *out_state)
{
    net_message *message;
    *out_state = NET_READY;
    if (*mine && !(*mine)->messages.count) {
        (*mine)->is_taken = false;
        *mine = NULL;
    }
    if (!*mine)
        *mine = take_left(streams);
    while (!*mine) {
        TRY(net_try_receive(net, NET_ANY, waiter, out_state, &message));
        if (*out_state != NET_READY)
            return STATUS_OK;
        TRY(exchange_stream_take_in(streams, message, mine));
    }
    return STATUS_OK;
}

static net_message *first_message(exchange_stream *stream)
{
    net_message *first = stream->messages.items[0];
    stream->messages.count--;
    memmove(stream->messages.items, stream->messages.items + 1,
            stream->messages.count * sizeof(net_message *));
    return first;
}

/* ---- for tasks ---- */

status exchange_streams_next(exchange_streams *streams, net_exchange *net, net_waiter *waiter,
                             exchange_stream **mine, net_state *out_state, net_message **out)
{
    *out = NULL;
    mutex_lock(&streams->lock);
    status st = exchange_stream_receive(streams, net, waiter, mine, out_state);
    if (!st && *out_state == NET_READY)
        *out = first_message(*mine);
    mutex_unlock(&streams->lock);
    return st;
}

void exchange_streams_leave(exchange_streams *streams, net_exchange *net, exchange_stream *stream)
{
    if (!stream)
        return;
    mutex_lock(&streams->lock);
    stream->is_taken = false;
    bool has_messages = stream->messages.count;
    streams->has_left |= has_messages;
    mutex_unlock(&streams->lock);
    if (has_messages)
        net_wake_receivers(net);
}

status exchange_stream_read(exchange_streams *streams, exchange_stream *stream,
                            const net_message *message, chunk **out)
{
    const size_t header = sizeof(exchange_header);
    chunk *c;
    *out = NULL;
    status st =
        wire_read(stream->reader, message->data + header, message->bytes - (uint32_t)header, &c);
    if (st)
        return status_context(st, "rank %u", message->peer);
    return c ? exchange_columns_widen(&streams->columns, c, out) : STATUS_OK;
}

status exchange_stream_check_one(const net_message *message, const char *name, bool has_cargo)
{
    exchange_header header;
    if (message->bytes < sizeof header + !has_cargo)
        return status_new(STATUS_KIND_CORRUPT, "a message of %s from rank %u is of no stream", name,
                          message->peer);
    memcpy(&header, message->data, sizeof header);
    if (header.stream || header.flags)
        return status_new(STATUS_KIND_CORRUPT, "a message of %s from rank %u is of stream %u", name,
                          message->peer, header.stream);
    return STATUS_OK;
}
