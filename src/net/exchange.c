/* exchange.c - an exchange's life: opened, closed by its user, gone when all that was sent is out. */
#include "net/exchange.h"

#include "net/channel.h"
#include "net/early.h"
#include "net/internal.h"
#include "net/lock.h"
#include "net/pool.h"
#include "net/query.h"
#include "net/receive.h"
#include "net/send.h"

#include <assert.h>

static uint64_t exchange_key_of(uint32_t id, uint8_t phase)
{
    return (uint64_t)id << 8 | phase;
}

net_exchange *net_exchange_find(net_query *query, uint32_t id, uint8_t phase)
{
    net_exchange *e = query->exchanges;
    while (e && (e->id != id || e->phase != phase))
        e = e->next;
    return e;
}

bool net_exchange_was_used(const net_query *query, uint32_t id, uint8_t phase)
{
    for (size_t i = 0; i < query->used.count; i++)
        if (query->used.items[i] == exchange_key_of(id, phase))
            return true;
    return false;
}

/* ---- opening ---- */

static void channel_init(net_exchange *exchange, unsigned peer, uint32_t credits, uint32_t buffers)
{
    net_channel *channel = &exchange->channels[peer];
    channel->exchange = exchange;
    channel->peer = peer;
    channel->total = NET_UNKNOWN;
    channel->to_send.most = buffers;
    channel->to_receive.most = credits;
    net_list_init(&channel->queue);
    net_list_init(&channel->ready);
}

/* Returns whether the ranks send each other anything. */
static bool exchange_has_part(const net_comm *comm, const net_exchange_options *options,
                              const net_exchange_part *part, unsigned peer)
{
    if (part->partners)
        return part->partners[peer];
    return !options->has_root || comm->rank == options->root || peer == options->root;
}

static void set_apart(net_channel *channel)
{
    channel->is_apart = true;
    channel->is_ended = channel->is_refused = true;
    channel->is_received = channel->is_declined = true;
    channel->total = 0;
    channel->exchange->unreceived--;
}

static status exchange_new(net_query *query, const net_exchange_options *options,
                           const net_exchange_part *part, net_exchange **out)
{
    net_comm *comm = query->comm;
    const net_options *defaults = &comm->options;
    size_t bytes = sizeof(net_exchange) + comm->ranks * sizeof(net_channel);
    net_exchange *exchange = mem_new(bytes);
    if (!exchange)
        return status_no_memory("exchange", bytes);
    const char *name = options->name ? options->name : "exchange";
    exchange->name = mem_copy_text(name, strlen(name));
    if (!exchange->name) {
        mem_free(exchange);
        return status_no_memory("exchange", strlen(name));
    }
    exchange->query = query;
    exchange->id = options->id;
    exchange->phase = part->phase;
    exchange->user = part->user;
    exchange->message_bytes =
        options->message_bytes ? options->message_bytes : defaults->message_bytes;
    exchange->unreceived = comm->ranks;
    for (unsigned peer = 0; peer < comm->ranks; peer++) {
        channel_init(exchange, peer, options->credits ? options->credits : defaults->credits,
                     options->send_buffers ? options->send_buffers : defaults->send_buffers);
        if (!exchange_has_part(comm, options, part, peer))
            set_apart(&exchange->channels[peer]);
    }
    *out = exchange;
    return STATUS_OK;
}

/* Gives everything back; nothing of it is anywhere else. */
static void exchange_free(net_exchange *exchange)
{
    for (unsigned peer = 0; peer < exchange->query->comm->ranks; peer++) {
        net_channel *channel = &exchange->channels[peer];
        assert(!channel->to_send.used && !channel->to_receive.used);
        net_allotment_trim(exchange, &channel->to_send);
        net_allotment_trim(exchange, &channel->to_receive);
        mem_free(channel->window);
    }
    mem_free(exchange->name);
    mem_free(exchange);
}

static status channel_open(net_channel *channel, const net_exchange_options *options)
{
    net_exchange *exchange = channel->exchange;
    bool is_self = channel->peer == exchange->query->comm->rank;
    if (channel->is_apart)
        return STATUS_OK;
    if (!options->is_no_sender)
        TRY(net_allotment_open(exchange, &channel->to_send));
    if (options->is_no_receiver || is_self)
        return STATUS_OK;
    TRY(net_allotment_open(exchange, &channel->to_receive));
    channel->window = mem_new_array(channel->to_receive.most, sizeof *channel->window);
    if (!channel->window)
        return status_no_memory("exchange", channel->to_receive.most * sizeof *channel->window);
    return STATUS_OK;
}

static status check_open(const net_query *query, const net_exchange_options *options, uint8_t phase)
{
    const net_comm *comm = query->comm;
    if (query->failure)
        return status_copy(query->failure);
    if (net_exchange_was_used(query, options->id, phase))
        return status_new(STATUS_KIND_INTERNAL, "exchange %u (%s) is opened again", options->id,
                          options->name);
    uint32_t bytes = options->message_bytes;
    if (bytes && (bytes < NET_MESSAGE_BYTES_MIN || bytes > NET_MESSAGE_BYTES_MAX))
        return status_new(STATUS_KIND_INTERNAL, "exchange %u (%s) has messages of %u bytes",
                          options->id, options->name, bytes);
    return status_copy(comm->failure);
}

/* Takes what the other side has said before, and says what this side has to say. */
static void introduce(net_exchange *exchange, const net_exchange_options *options)
{
    unsigned ranks = exchange->query->comm->ranks;
    for (unsigned peer = 0; peer < ranks && !exchange->query->failure; peer++) {
        net_channel *channel = &exchange->channels[peer];
        if (channel->is_apart)
            continue;
        if (options->is_no_receiver)
            net_channel_decline(channel);
        if (options->is_no_sender)
            net_channel_end(channel);
        if (!options->is_no_receiver && !options->is_no_sender)
            net_channel_tell(channel);
    }
    if (!exchange->query->failure)
        net_early_open(exchange);
}

status net_exchange_open_locked(net_query *query, const net_exchange_options *options,
                                const net_exchange_part *part, net_exchange **out)
{
    net_exchange *exchange = NULL;
    *out = NULL;
    TRY(check_open(query, options, part->phase));
    TRY(array_reserve(NULL, &query->used, 1));
    TRY(exchange_new(query, options, part, &exchange));
    status st = STATUS_OK;
    for (unsigned peer = 0; peer < query->comm->ranks && !st; peer++)
        st = channel_open(&exchange->channels[peer], options);
    if (st) {
        exchange_free(exchange);
        return st;
    }
    query->used.items[query->used.count++] = exchange_key_of(options->id, part->phase);
    exchange->next = query->exchanges;
    query->exchanges = exchange;
    introduce(exchange, options);
    *out = exchange;
    return STATUS_OK;
}

status net_exchange_open(net_query *query, const net_exchange_options *options, net_exchange **out)
{
    const net_exchange_part whole = {0};
    net_lock(query->comm);
    status st = net_exchange_open_locked(query, options, &whole, out);
    net_unlock(query->comm);
    return st;
}

/* ---- closing ---- */

static bool channel_is_over(const net_channel *channel)
{
    bool is_out = channel->exchange->query->failure ||
                  (channel->is_ended && !channel->queue.count && !channel->state.is_stale);
    return is_out && !channel->posted && !channel->state.is_posted && !channel->arriving &&
           !channel->to_send.used && !channel->to_receive.used;
}

void net_exchange_signal(net_exchange *exchange)
{
    if (exchange->user)
        net_activate(exchange->query->comm, exchange->user);
}

void net_exchange_free_if_over(net_exchange *exchange)
{
    net_query *query = exchange->query;
    if (!exchange->is_closed || exchange->held)
        return;
    for (unsigned peer = 0; peer < query->comm->ranks; peer++)
        if (!channel_is_over(&exchange->channels[peer]))
            return;
    net_exchange **link = &query->exchanges;
    while (*link != exchange)
        link = &(*link)->next;
    *link = exchange->next;
    exchange_free(exchange);
    net_query_free_if_over(query);
}

/* Drops what is queued or ready, or has come out of order. */
static void drop_messages(net_channel *channel)
{
    net_exchange *exchange = channel->exchange;
    net_held *held;
    while ((held = net_list_take(&channel->queue)))
        net_held_return(held);
    exchange->ready -= channel->ready.count;
    while ((held = net_list_take(&channel->ready)))
        net_held_return(held);
    for (uint32_t i = 0; channel->window && i < channel->to_receive.most; i++) {
        held = channel->window[i];
        if (!held || !held->is_whole)
            continue;
        channel->window[i] = NULL;
        net_held_return(held);
    }
}

static void wake_everybody(net_exchange *exchange)
{
    net_comm *comm = exchange->query->comm;
    for (unsigned peer = 0; peer < comm->ranks; peer++) {
        net_waiters_wake_all(comm, &exchange->channels[peer].senders);
        net_waiters_wake_all(comm, &exchange->channels[peer].receivers);
    }
    net_waiters_wake_all(comm, &exchange->receivers);
}

void net_exchange_fail(net_exchange *exchange)
{
    for (unsigned peer = 0; peer < exchange->query->comm->ranks; peer++) {
        net_channel *channel = &exchange->channels[peer];
        drop_messages(channel);
        net_allotment_trim(exchange, &channel->to_send);
        net_allotment_trim(exchange, &channel->to_receive);
    }
    wake_everybody(exchange);
    net_exchange_signal(exchange);
    net_exchange_free_if_over(exchange);
}

/* A side that has not ended: the others would take what they have for all. */
static void fail_unless_ended(net_exchange *exchange)
{
    for (unsigned peer = 0; peer < exchange->query->comm->ranks; peer++)
        if (!exchange->channels[peer].is_ended) {
            net_query_fail_locked(
                exchange->query,
                status_new(STATUS_KIND_INTERNAL, "%s is closed before its end", exchange->name),
                true);
            return;
        }
}

void net_exchange_close_locked(net_exchange *exchange)
{
    net_query *query = exchange->query;
    exchange->user = NULL;
    if (!query->failure)
        fail_unless_ended(exchange);
    exchange->is_closed = true;
    for (unsigned peer = 0; peer < query->comm->ranks; peer++) {
        net_channel *channel = &exchange->channels[peer];
        if (!query->failure)
            net_channel_decline(channel);
        net_allotment_trim(exchange, &channel->to_send);
        net_allotment_trim(exchange, &channel->to_receive);
    }
    wake_everybody(exchange);
    net_exchange_free_if_over(exchange);
}

void net_exchange_close(net_exchange *exchange)
{
    if (!exchange)
        return;
    net_comm *comm = exchange->query->comm;
    net_lock(comm);
    net_exchange_close_locked(exchange);
    net_unlock(comm);
}

/* ---- asking ---- */

const char *net_exchange_unfinished(const net_exchange *exchange, unsigned peer)
{
    const net_channel *channel = &exchange->channels[peer];
    if (!channel->is_declined && (channel->total == NET_UNKNOWN || channel->next < channel->total))
        return "had not sent all of";
    if (!channel->is_refused && (!channel->is_ended || channel->queue.count))
        return "had not received all of";
    return NULL;
}

net_counts net_exchange_counts(net_exchange *exchange, unsigned peer)
{
    net_lock(exchange->query->comm);
    net_counts counts = exchange->channels[peer].counts;
    net_unlock(exchange->query->comm);
    return counts;
}
