/* send.c - the sending side of a channel: messages wait for credits, never the sender's thread. */
#include "net/send.h"

#include "net/channel.h"
#include "net/exchange.h"
#include "net/internal.h"
#include "net/lock.h"
#include "net/pool.h"
#include "net/query.h"
#include "net/receive.h"

#include <assert.h>

void net_channel_wake_senders(net_comm *comm, net_channel *channel)
{
    uint32_t spare = channel->to_send.charged - channel->to_send.used;
    while (spare-- && channel->senders.first)
        net_waiters_wake(comm, &channel->senders);
    net_exchange_signal(channel->exchange);
}

/* The transport has sent it. */
static void message_posted(net_comm *comm, net_frame *frame)
{
    net_held *held = frame->owner;
    net_channel *channel = held->channel;
    channel->posted--;
    net_held_return(held);
    net_channel_wake_senders(comm, channel);
    net_exchange_free_if_over(channel->exchange);
}

static void post_message(net_channel *channel, net_held *held)
{
    net_exchange *exchange = channel->exchange;
    net_query *query = exchange->query;
    uint32_t bytes = held->message.bytes;
    net_header header = {.kind = NET_FRAME_DATA,
                         .phase = exchange->phase,
                         .query = query->number,
                         .exchange = exchange->id,
                         .payload_bytes = bytes,
                         .payload_checksum = held->checksum,
                         .number = channel->sent++};
    net_counts *counts = &query->comm->peers[channel->peer].counts;
    if (channel->is_ended && !channel->queue.first) { /* it is the last: no frame needs to say so */
        header.flags |= NET_FRAME_ENDED;
        header.total = channel->sent;
    }
    channel->counts.messages_sent++;
    channel->counts.bytes_sent += bytes;
    counts->messages_sent++;
    counts->bytes_sent += bytes;
    channel->posted++;
    net_post(query->comm, channel->peer, &held->frame, header, held->message.data, message_posted,
             held);
}

void net_channel_pump(net_channel *channel)
{
    while (channel->queue.first && channel->sent < channel->granted)
        post_message(channel, net_list_take(&channel->queue));
}

/* To this rank itself: what was sent is what is received. */
static void send_hand_over(net_channel *channel, net_held *held)
{
    if (channel->is_declined) {
        net_held_return(held);
        return;
    }
    channel->sent++;
    channel->next++;
    channel->counts.messages_sent++;
    channel->counts.bytes_sent += held->message.bytes;
    net_channel_ready(channel, held);
}

static void queue_message(net_channel *channel, net_held *held)
{
    assert(held->message.bytes <= held->message.room);
    if (channel->exchange->query->failure || channel->is_refused) {
        net_held_return(held);
    } else if (channel->peer == channel->exchange->query->comm->rank) {
        send_hand_over(channel, held);
    } else {
        net_list_append(&channel->queue, held);
        net_channel_pump(channel);
    }
}

void net_channel_send(net_channel *channel, net_held *held)
{
    assert(!channel->is_ended);
    queue_message(channel, held);
}

void net_channel_send_last(net_channel *channel, net_held *held)
{
    assert(!channel->is_ended && channel->peer != channel->exchange->query->comm->rank);
    channel->is_ended = true;
    queue_message(channel, held);
    net_allotment_trim(channel->exchange, &channel->to_send);
}

void net_channel_end(net_channel *channel)
{
    if (channel->exchange->query->failure || channel->is_apart)
        return;
    assert(!channel->is_ended);
    channel->is_ended = true;
    net_allotment_trim(channel->exchange, &channel->to_send);
    if (channel->peer == channel->exchange->query->comm->rank) {
        channel->total = channel->sent;
        net_channel_advance(channel);
    } else if (!channel->queue.first) { /* else the last message says so */
        net_channel_tell(channel);
    }
}

void net_channel_refuse(net_channel *channel)
{
    net_held *held;
    channel->is_refused = true;
    while ((held = net_list_take(&channel->queue)))
        net_held_return(held);
    net_waiters_wake_all(channel->exchange->query->comm, &channel->senders);
    net_exchange_signal(channel->exchange);
}

status net_channel_message(net_channel *channel, net_state *out_state, net_held **out)
{
    net_exchange *exchange = channel->exchange;
    net_query *query = exchange->query;
    *out = NULL;
    *out_state = NET_WAIT;
    if (query->failure)
        return status_copy(query->failure);
    if (channel->is_refused) {
        *out_state = NET_ENDED;
        return STATUS_OK;
    }
    if (channel->to_send.used >= channel->to_send.charged)
        return STATUS_OK;
    net_held *held = net_pool_take(query->comm, exchange->message_bytes);
    if (!held) {
        net_query_fail_locked(query, status_no_memory(exchange->name, exchange->message_bytes),
                              true);
        return status_copy(query->failure);
    }
    channel->to_send.used++;
    held->channel = channel;
    held->is_incoming = false;
    held->message.bytes = 0;
    held->message.peer = channel->peer;
    *out_state = NET_READY;
    *out = held;
    return STATUS_OK;
}

/* ---- the public functions ---- */

status net_try_message(net_exchange *exchange, unsigned peer, net_waiter *waiter,
                       net_state *out_state, net_message **out)
{
    net_comm *comm = exchange->query->comm;
    net_channel *channel = &exchange->channels[peer];
    net_held *held;
    net_lock(comm);
    status st = net_channel_message(channel, out_state, &held);
    if (held)
        exchange->held++;
    else if (!st && *out_state == NET_WAIT)
        net_waiters_add(&channel->senders, waiter);
    net_unlock(comm);
    *out = held ? &held->message : NULL;
    return st;
}

void net_send(net_exchange *exchange, net_message **message)
{
    net_comm *comm = exchange->query->comm;
    net_held *held = (net_held *)*message;
    net_channel *channel = held->channel;
    assert(channel->exchange == exchange && !held->is_incoming);
    *message = NULL;
    held->checksum = 0;
    if (!comm->options.has_no_checksums && channel->peer != comm->rank)
        held->checksum = net_frame_checksum(held->message.data, held->message.bytes);
    net_lock(comm);
    exchange->held--;
    net_channel_send(channel, held);
    net_exchange_free_if_over(exchange);
    net_unlock(comm);
}

void net_end(net_exchange *exchange, unsigned peer)
{
    net_lock(exchange->query->comm);
    net_channel_end(&exchange->channels[peer]);
    net_unlock(exchange->query->comm);
}
