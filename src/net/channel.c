/* channel.c - what is so of a channel: told to the peer, and heard of it. */
#include "net/channel.h"

#include "net/exchange.h"
#include "net/internal.h"
#include "net/peer.h"
#include "net/query.h"
#include "net/receive.h"
#include "net/send.h"

static void state_posted(net_comm *comm, net_frame *frame)
{
    (void)comm;
    net_channel *channel = frame->owner;
    if (frame->is_stale && !channel->exchange->query->failure)
        net_channel_tell(channel);
    net_exchange_free_if_over(channel->exchange);
}

void net_channel_tell(net_channel *channel)
{
    net_exchange *exchange = channel->exchange;
    net_query *query = exchange->query;
    const net_peer *peer = &query->comm->peers[channel->peer];
    if (channel->peer == query->comm->rank || peer->is_gone || peer->has_left) {
        channel->state.is_stale = false; /* nobody is to be told again */
        return;
    }
    if (channel->state.is_posted) {
        channel->state.is_stale = true; /* again, when it is back */
        return;
    }
    net_header header = {.kind = NET_FRAME_CHANNEL,
                         .phase = exchange->phase,
                         .query = query->number,
                         .exchange = exchange->id,
                         .message_bytes = exchange->message_bytes,
                         .number = channel->returned + channel->to_receive.charged};
    if (channel->is_declined)
        header.flags |= NET_FRAME_DECLINED;
    if (channel->is_ended) {
        header.flags |= NET_FRAME_ENDED;
        header.total = channel->sent + channel->queue.count;
    }
    net_post(query->comm, channel->peer, &channel->state, header, NULL, state_posted, channel);
}

void net_channel_hear_end(net_channel *channel, const net_header *header)
{
    net_comm *comm = channel->exchange->query->comm;
    if (channel->is_declined)
        return;
    bool has_changed = channel->total != NET_UNKNOWN && channel->total != header->total;
    if (has_changed || header->total < channel->next) {
        net_peer_lose_corrupt(comm, channel->peer, "an end that does not fit its messages");
        return;
    }
    channel->total = header->total;
    net_channel_advance(channel);
}

void net_channel_hear(net_channel *channel, const net_header *header)
{
    net_exchange *exchange = channel->exchange;
    if (header->message_bytes != exchange->message_bytes) {
        status st = status_new(
            STATUS_KIND_INVALID, "messages of %s have %u bytes here, and %u on rank %u",
            exchange->name, exchange->message_bytes, header->message_bytes, channel->peer);
        net_query_fail_locked(exchange->query, status_hint(st, "give all ranks the same settings"),
                              true);
        return;
    }
    if (header->flags & NET_FRAME_DECLINED && !channel->is_refused)
        net_channel_refuse(channel);
    if (header->number > channel->granted) {
        channel->granted = header->number;
        net_channel_pump(channel);
    }
    if (header->flags & NET_FRAME_ENDED)
        net_channel_hear_end(channel, header);
}
