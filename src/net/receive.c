/* receive.c - the receiving side of a channel: messages in order, credits for those given back. */
#include "net/receive.h"

#include "net/channel.h"
#include "net/exchange.h"
#include "net/internal.h"
#include "net/lock.h"
#include "net/peer.h"
#include "net/pool.h"
#include "net/query.h"
#include "net/send.h"

#include <assert.h>

/* The channel has nothing more to give. */
static void channel_received(net_channel *channel)
{
    net_exchange *exchange = channel->exchange;
    net_comm *comm = exchange->query->comm;
    if (channel->is_received)
        return;
    channel->is_received = true;
    exchange->unreceived--;
    net_allotment_trim(exchange, &channel->to_receive);
    net_waiters_wake_all(comm, &channel->receivers);
    if (!exchange->unreceived)
        net_waiters_wake_all(comm, &exchange->receivers);
    net_exchange_signal(exchange);
}

void net_channel_ready(net_channel *channel, net_held *held)
{
    net_exchange *exchange = channel->exchange;
    net_comm *comm = exchange->query->comm;
    net_list_append(&channel->ready, held);
    exchange->ready++;
    net_waiters_wake(comm, channel->receivers.first ? &channel->receivers : &exchange->receivers);
    net_exchange_signal(exchange);
}

void net_channel_advance(net_channel *channel)
{
    while (channel->window) {
        net_held **slot = &channel->window[channel->next % channel->to_receive.most];
        if (!*slot || !(*slot)->is_whole)
            break;
        net_held *held = *slot;
        *slot = NULL;
        channel->next++;
        net_channel_ready(channel, held);
    }
    if (channel->next == channel->total && !channel->ready.count)
        channel_received(channel);
}

void net_channel_decline(net_channel *channel)
{
    if (channel->is_received && !channel->ready.count)
        return;
    net_exchange *exchange = channel->exchange;
    net_held *held;
    channel->is_declined = true;
    exchange->ready -= channel->ready.count;
    while ((held = net_list_take(&channel->ready)))
        net_held_return(held);
    for (uint32_t i = 0; channel->window && i < channel->to_receive.most; i++) {
        held = channel->window[i];
        if (held && held->is_whole) {
            channel->window[i] = NULL;
            net_held_return(held);
        }
    }
    channel_received(channel);
    if (channel->peer == exchange->query->comm->rank)
        net_channel_refuse(channel);
    else
        net_channel_tell(channel);
}

/* ---- taking ---- */

static net_held *channel_take(net_channel *channel)
{
    net_exchange *exchange = channel->exchange;
    net_held *held = net_list_take(&channel->ready);
    if (!held)
        return NULL;
    exchange->ready--;
    if (!held->is_incoming) { /* this rank's own */
        channel->counts.messages_received++;
        channel->counts.bytes_received += held->message.bytes;
    }
    net_channel_advance(channel); /* it may have been the last */
    return held;
}

net_held *net_exchange_take(net_exchange *exchange, unsigned peer)
{
    if (peer != NET_ANY)
        return channel_take(&exchange->channels[peer]);
    if (!exchange->ready)
        return NULL;
    unsigned ranks = exchange->query->comm->ranks;
    for (unsigned i = 0; i < ranks; i++) { /* nobody's messages wait behind all of another's */
        unsigned rank = (exchange->turn + i) % ranks;
        net_held *held = channel_take(&exchange->channels[rank]);
        if (held) {
            exchange->turn = rank + 1;
            return held;
        }
    }
    return NULL;
}

bool net_exchange_is_received(const net_exchange *exchange, unsigned peer)
{
    return peer == NET_ANY ? !exchange->unreceived : exchange->channels[peer].is_received;
}

/* With the lock held. */
static status try_receive(net_exchange *exchange, unsigned peer, net_waiter *waiter,
                          net_state *out_state, net_held **out)
{
    net_query *query = exchange->query;
    net_waiters *waiters =
        peer == NET_ANY ? &exchange->receivers : &exchange->channels[peer].receivers;
    *out = NULL;
    *out_state = NET_WAIT;
    if (query->failure)
        return status_copy(query->failure);
    *out = net_exchange_take(exchange, peer);
    if (*out) {
        *out_state = NET_READY;
        exchange->held++;
        if (exchange->ready) /* and one for somebody else */
            net_waiters_wake(query->comm, waiters);
    } else if (net_exchange_is_received(exchange, peer)) {
        *out_state = NET_ENDED;
    } else {
        net_waiters_add(waiters, waiter);
    }
    return STATUS_OK;
}

/* A message whose bytes are not what was sent. */
static status refuse_changed(net_exchange *exchange, net_held *held)
{
    net_query *query = exchange->query;
    net_comm *comm = query->comm;
    unsigned peer = held->message.peer;
    net_message_free(&held->message);
    net_lock(comm);
    net_peer_lose_corrupt(comm, peer, "a message whose checksum does not fit");
    if (!query->failure) /* it has left since */
        net_query_fail_locked(query,
                              status_new(STATUS_KIND_CORRUPT,
                                         "the checksum of a message from rank %u does not fit",
                                         peer),
                              true);
    status st = status_copy(query->failure);
    net_unlock(comm);
    return st;
}

status net_try_receive(net_exchange *exchange, unsigned peer, net_waiter *waiter,
                       net_state *out_state, net_message **out)
{
    net_comm *comm = exchange->query->comm;
    net_held *held;
    *out = NULL;
    net_lock(comm);
    status st = try_receive(exchange, peer, waiter, out_state, &held);
    net_unlock(comm);
    if (!held)
        return st;
    if (held->is_incoming && !comm->options.has_no_checksums &&
        net_frame_checksum(held->message.data, held->message.bytes) != held->checksum)
        return refuse_changed(exchange, held);
    *out = &held->message;
    return STATUS_OK;
}

void net_message_free(net_message *message)
{
    if (!message)
        return;
    net_held *held = (net_held *)message;
    net_channel *channel = held->channel;
    net_exchange *exchange = channel->exchange;
    net_comm *comm = exchange->query->comm;
    net_lock(comm);
    exchange->held--;
    net_held_free(held);
    net_exchange_free_if_over(exchange);
    net_unlock(comm);
}

void net_held_free(net_held *held)
{
    net_channel *channel = held->channel;
    net_exchange *exchange = channel->exchange;
    bool is_incoming = held->is_incoming;
    net_held_return(held);
    if (exchange->query->failure)
        return;
    if (!is_incoming) {
        net_channel_wake_senders(exchange->query->comm, channel);
        return;
    }
    channel->returned++;
    if (!channel->is_received)
        net_channel_tell(channel); /* of the next credit */
}

void net_decline(net_exchange *exchange)
{
    net_comm *comm = exchange->query->comm;
    net_lock(comm);
    for (unsigned peer = 0; peer < comm->ranks && !exchange->query->failure; peer++)
        net_channel_decline(&exchange->channels[peer]);
    net_unlock(comm);
}

void net_wake_receivers(net_exchange *exchange)
{
    net_comm *comm = exchange->query->comm;
    net_lock(comm);
    net_waiters_wake_all(comm, &exchange->receivers);
    net_unlock(comm);
}
