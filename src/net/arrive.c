/* arrive.c - frames that come from a peer: nothing that they say is believed without a look. */
#include "net/arrive.h"

#include "net/channel.h"
#include "net/early.h"
#include "net/exchange.h"
#include "net/internal.h"
#include "net/lock.h"
#include "net/peer.h"
#include "net/pool.h"
#include "net/query.h"
#include "net/receive.h"

/* A token of net_arriving is a message, or this, marked by an odd address: a peer's text. */
typedef struct arriving_text {
    net_header header;
    char text[]; /* with two closing NULs */
} arriving_text;

static const net_arrival settled;

static net_arrival arrive_refuse(net_comm *comm, unsigned peer, const char *what)
{
    net_peer_lose_corrupt(comm, peer, what);
    return settled;
}

/* ---- messages ---- */

/* The exchange that a message is for; NULL: it is late, and dropped. *out_wrong: nobody asked for
 * it. */
static net_exchange *find_exchange(net_comm *comm, const net_header *header, const char **out_wrong)
{
    *out_wrong = NULL;
    net_query *query = net_query_find(comm, header->query);
    if (!query && header->query > comm->highest_begun)
        *out_wrong = "a message for a query that has not begun";
    if (!query || query->failure)
        return NULL;
    net_exchange *exchange = net_exchange_find(query, header->exchange, header->phase);
    if (!exchange && !net_exchange_was_used(query, header->exchange, header->phase))
        *out_wrong = "a message for an exchange that is not open";
    return exchange;
}

static const char *check_message(const net_channel *channel, const net_header *header)
{
    if (header->payload_bytes > channel->exchange->message_bytes)
        return "a message that is too long";
    if (header->number < channel->next ||
        header->number >= channel->returned + channel->to_receive.charged)
        return "a message for which there is no credit";
    if (header->number >= channel->total ||
        (header->flags & NET_FRAME_ENDED && header->number >= header->total))
        return "a message after its last one";
    if (channel->window[header->number % channel->to_receive.most])
        return "a message again";
    return NULL;
}

static void arrive_count_received(net_channel *channel, uint32_t bytes)
{
    net_counts *counts = &channel->exchange->query->comm->peers[channel->peer].counts;
    channel->counts.messages_received++;
    channel->counts.bytes_received += bytes;
    counts->messages_received++;
    counts->bytes_received += bytes;
}

static net_arrival message_arriving(net_comm *comm, unsigned peer, const net_header *header)
{
    const char *wrong;
    net_exchange *exchange = find_exchange(comm, header, &wrong);
    if (wrong)
        return arrive_refuse(comm, peer, wrong);
    net_channel *channel = exchange ? &exchange->channels[peer] : NULL;
    if (!exchange || exchange->is_closed || channel->is_declined)
        return settled;
    wrong = check_message(channel, header);
    if (wrong)
        return arrive_refuse(comm, peer, wrong);
    net_held *held = net_pool_take(comm, exchange->message_bytes);
    if (!held) {
        net_query_fail_locked(exchange->query,
                              status_no_memory(exchange->name, exchange->message_bytes), true);
        return settled;
    }
    held->channel = channel;
    held->is_incoming = true;
    held->is_whole = false;
    held->number = header->number;
    held->checksum = header->payload_checksum;
    held->message.bytes = header->payload_bytes;
    held->message.peer = peer;
    channel->to_receive.used++;
    channel->arriving++;
    channel->window[header->number % channel->to_receive.most] = held;
    arrive_count_received(channel, header->payload_bytes);
    if (header->flags & NET_FRAME_ENDED)
        net_channel_hear_end(channel, header);
    return (net_arrival){held->message.data, held};
}

static void message_arrived(net_held *held, bool is_whole)
{
    net_channel *channel = held->channel;
    net_exchange *exchange = channel->exchange;
    channel->arriving--;
    held->is_whole = true;
    if (!is_whole || exchange->is_closed || channel->is_declined || exchange->query->failure) {
        channel->window[held->number % channel->to_receive.most] = NULL;
        net_held_return(held);
        net_exchange_free_if_over(exchange);
        return;
    }
    net_channel_advance(channel);
}

/* ---- what is so of a channel ---- */

/* Notes an early message; one that cannot be noted fails its query, because some of it would be missing. */
static void note_early(net_comm *comm, unsigned peer, const net_header *header, const char *text)
{
    status st = net_early_note(comm, peer, header, text);
    net_query *query = net_query_find(comm, header->query);
    if (st && status_get_kind(st) == STATUS_KIND_CORRUPT) {
        net_peer_lose(comm, peer, st, true);
    } else if (st && query) {
        net_query_fail_locked(query, st, true);
    } else if (st) {
        net_early_lose(comm, header->query);
        status_free(st);
    }
}

static void channel_arriving(net_comm *comm, unsigned peer, const net_header *header)
{
    net_query *query = net_query_find(comm, header->query);
    if (!query && header->query <= comm->highest_begun)
        return;
    if (query && query->failure)
        return;
    net_exchange *exchange =
        query ? net_exchange_find(query, header->exchange, header->phase) : NULL;
    if (exchange) {
        net_channel_hear(&exchange->channels[peer], header);
        net_exchange_free_if_over(exchange);
        return;
    }
    if (query && net_exchange_was_used(query, header->exchange, header->phase))
        return;
    note_early(comm, peer, header, NULL);
}

/* ---- texts ---- */

static void error_arrived(net_comm *comm, unsigned peer, const net_header *header, const char *text)
{
    if (header->query <= comm->highest_begun)
        net_query_fail_from(comm, header, text);
    else
        note_early(comm, peer, header, text);
}

static void gone_arrived(net_comm *comm, unsigned peer, const net_header *header, const char *text)
{
    unsigned gone = header->exchange;
    const char *why = text[0] ? text : "it does not say why";
    if (gone == comm->rank) {
        /* The others hear it from this rank, because the peer may be connected with no other. */
        net_peer_lose(comm, peer,
                      status_new(STATUS_KIND_IO, "it takes this rank for gone: %s", why), true);
        return;
    }
    if (gone >= comm->ranks) {
        net_peer_lose_corrupt(comm, peer, "a rank that there is not");
        return;
    }
    status st = status_new(STATUS_KIND_IO, "%s (so rank %u says)", why, peer);
    net_peer_lose(comm, gone, st,
                  true); /* to those that have nothing to do with it, nor with who said so */
}

static void text_heard(net_comm *comm, unsigned peer, const net_header *header, const char *text)
{
    if (header->kind == NET_FRAME_ERROR)
        error_arrived(comm, peer, header, text);
    else
        gone_arrived(comm, peer, header, text);
}

static net_arrival text_arriving(net_comm *comm, unsigned peer, const net_header *header)
{
    if (header->payload_bytes > NET_FRAME_TEXT_BYTES_MAX)
        return arrive_refuse(comm, peer, "a text that is too long");
    arriving_text *text = mem_new(sizeof *text + header->payload_bytes + 2);
    if (!text) { /* what happened matters more than its text */
        net_header short_header = *header;
        short_header.payload_bytes = 0;
        text_heard(comm, peer, &short_header, "\0");
        return settled;
    }
    text->header = *header;
    return (net_arrival){text->text, (char *)text + 1};
}

/* A text that cannot be trusted loses its peer; its kind is known. */
static void text_arrived(net_comm *comm, unsigned peer, arriving_text *text, bool is_whole)
{
    const net_header *header = &text->header;
    if (!is_whole)
        ;
    else if (net_frame_checksum(text->text, header->payload_bytes) != header->payload_checksum)
        net_peer_lose_corrupt(comm, peer, "a text whose checksum does not fit");
    else
        text_heard(comm, peer, header, text->text);
    mem_free(text);
}

/* ---- any frame ---- */

static net_arrival arriving(net_comm *comm, unsigned peer, const net_header *header)
{
    switch ((net_frame_kind)header->kind) {
    case NET_FRAME_DATA:
        return message_arriving(comm, peer, header);
    case NET_FRAME_ERROR:
    case NET_FRAME_GONE:
        return text_arriving(comm, peer, header);
    case NET_FRAME_CHANNEL:
        channel_arriving(comm, peer, header);
        break;
    case NET_FRAME_LEAVE:
        comm->peers[peer].leaves_after = header->number + 1; /* this one is counted, too */
        comm->peers[peer].left_broken = header->flags & NET_FRAME_LEFT_BROKEN;
        if (header->flags & NET_FRAME_ROOT_LEFT)
            net_peer_hear_root_left(comm, header->flags & NET_FRAME_LEFT_BROKEN);
        break;
    case NET_FRAME_PING:
    case NET_FRAME_KIND_COUNT:
        break;
    }
    return settled;
}

/* A frame that a failure has made void counts as well. */
net_arrival net_arriving(net_comm *comm, unsigned peer, const void *bytes, size_t header_bytes,
                         size_t payload_bytes)
{
    net_header header;
    net_arrival arrival = settled;
    const char *wrong = net_frame_decode(bytes, header_bytes, &header);
    net_lock(comm);
    net_peer *from = &comm->peers[peer];
    if (!wrong && (header.from != peer || header.payload_bytes != payload_bytes))
        wrong = "a header that does not fit its frame";
    if (from->is_gone || peer == comm->rank) {
        net_unlock(comm);
        return settled;
    }
    from->heard_at = comm->transport->ops->now(comm->transport);
    if (!wrong && header.kind != NET_FRAME_PING)
        net_peer_use(comm, peer);
    if (wrong)
        net_peer_lose_corrupt(comm, peer, wrong);
    else
        arrival = arriving(comm, peer, &header);
    if (!arrival.token) {
        from->frames_in++;
        net_peer_leave_if_due(comm, peer);
    }
    net_unlock(comm);
    return arrival;
}

bool net_arrival_swap(void *token, net_frame *frame)
{
    net_held *to = token, *from = frame->owner;
    if ((uintptr_t)token & 1 || to->message.room != from->message.room)
        return false;
    char *data = to->message.data;
    void *memory = to->memory;
    size_t memory_bytes = to->memory_bytes;
    to->message.data = from->message.data;
    to->memory = from->memory;
    to->memory_bytes = from->memory_bytes;
    from->message.data = data;
    from->memory = memory;
    from->memory_bytes = memory_bytes;
    to->message.cargo = from->message.cargo;
    from->message.cargo = NULL;
    return true;
}

void net_arrived(net_comm *comm, unsigned peer, void *token, bool is_whole)
{
    net_lock(comm);
    if ((uintptr_t)token & 1)
        text_arrived(comm, peer, (arriving_text *)((char *)token - 1), is_whole);
    else
        message_arrived(token, is_whole);
    comm->peers[peer].frames_in++;
    net_peer_leave_if_due(comm, peer);
    net_unlock(comm);
}
