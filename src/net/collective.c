/* collective.c - the life of a collective: messages to all, messages from all, phase by phase. */
#include "net/collective.h"

#include "net/exchange.h"
#include "net/lock.h"
#include "net/pool.h"
#include "net/query.h"
#include "net/receive.h"
#include "net/send.h"

#include <assert.h>

/* ---- going on ---- */

static void fail_corrupt(net_collective *collective, const char *what)
{
    const net_exchange *exchange = collective->exchanges[collective->phase];
    status st = status_new(STATUS_KIND_CORRUPT, "%s: %s", exchange->name, what);
    net_query_fail_locked(collective->query, st, true);
}

/* As much as there are buffers for. */
static void send_to(net_collective *collective, net_channel *channel)
{
    net_comm *comm = collective->query->comm;
    while (!channel->is_ended && !collective->query->failure) {
        net_state state;
        net_held *held;
        status st = net_channel_message(channel, &state, &held);
        status_free(st); /* the query's */
        if (st || state == NET_WAIT)
            return;
        bool has_more =
            held && collective->ops->fill(collective, collective->phase, &held->message);
        if (has_more) {
            if (!comm->options.has_no_checksums)
                held->checksum = net_frame_checksum(held->message.data, held->message.bytes);
            net_channel_send(channel, held);
            continue;
        }
        if (held)
            net_held_return(held);
        net_channel_end(channel);
    }
}

static void collective_take_in(net_collective *collective, net_held *held)
{
    net_comm *comm = collective->query->comm;
    status failure = STATUS_OK;
    const char *wrong;
    if (held->is_incoming && !comm->options.has_no_checksums &&
        net_frame_checksum(held->message.data, held->message.bytes) != held->checksum)
        wrong = "a message whose checksum does not fit";
    else
        wrong = collective->ops->take(collective, collective->phase, &held->message, &failure);
    net_held_free(held);
    if (failure)
        net_query_fail_locked(collective->query, failure, true);
    else if (wrong)
        fail_corrupt(collective, wrong);
}

static void collective_finish(net_collective *collective)
{
    collective->is_finished = true;
    net_waiters_wake_all(collective->query->comm, &collective->waiters);
}

static void phase_received(net_collective *collective)
{
    const char *wrong = collective->ops->received(collective, collective->phase);
    if (wrong) {
        fail_corrupt(collective, wrong);
    } else if (++collective->phase == collective->phase_count) {
        collective_finish(collective);
    } else {
        net_activate(collective->query->comm, &collective->active);
    }
}

static bool has_sent(const net_exchange *exchange)
{
    for (unsigned peer = 0; peer < exchange->query->comm->ranks; peer++)
        if (!exchange->channels[peer].is_ended)
            return false;
    return true;
}

static void collective_go_on(net_active *active)
{
    net_collective *collective = (net_collective *)active;
    net_deactivate(collective->query->comm, active);
    if (collective->query->failure)
        net_waiters_wake_all(collective->query->comm, &collective->waiters);
    if (collective->is_finished || collective->query->failure)
        return;
    net_exchange *exchange = collective->exchanges[collective->phase];
    net_query *query = collective->query;
    for (unsigned peer = 0; peer < query->comm->ranks; peer++)
        send_to(collective, &exchange->channels[peer]);
    net_held *held;
    while (!query->failure && (held = net_exchange_take(exchange, NET_ANY)))
        collective_take_in(collective, held);
    if (!query->failure && has_sent(exchange) && net_exchange_is_received(exchange, NET_ANY))
        phase_received(collective);
}

/* ---- opening ---- */

static void collective_free(net_collective *collective)
{
    net_deactivate(collective->query->comm, &collective->active);
    for (unsigned phase = 0; phase < collective->phase_count; phase++)
        if (collective->exchanges[phase])
            net_exchange_close_locked(collective->exchanges[phase]);
    collective->ops->close(collective);
    mem_free(collective);
}

static status open_phase(net_collective *collective, unsigned phase,
                         const net_exchange_options *options)
{
    assert(phase <= UINT8_MAX);
    return net_exchange_open_locked(collective->query, options, (uint8_t)phase, &collective->active,
                                    &collective->exchanges[phase]);
}

status net_collective_open(net_query *query, uint32_t id, const char *name, uint32_t message_bytes,
                           unsigned phase_count, bool is_receiver, net_collective *collective,
                           net_collective **out)
{
    net_comm *comm = query->comm;
    net_exchange_options options = {
        .id = id, .name = name, .message_bytes = message_bytes, .is_no_receiver = !is_receiver};
    collective->query = query;
    collective->active.go_on = collective_go_on;
    collective->phase_count = phase_count;
    *out = NULL;
    net_lock(comm);
    status st = STATUS_OK;
    for (unsigned phase = 0; phase < phase_count && !st; phase++)
        st = open_phase(collective, phase, &options);
    if (st) {
        collective_free(collective);
    } else {
        net_activate(comm, &collective->active);
        *out = collective;
    }
    net_unlock(comm);
    return st;
}

/* ---- its user ---- */

status net_try_collective(net_collective *collective, net_waiter *waiter, net_state *out_state)
{
    net_query *query = collective->query;
    net_lock(query->comm);
    status st = status_copy(query->failure);
    *out_state = collective->is_finished ? NET_READY : NET_WAIT;
    if (!st && !collective->is_finished)
        net_waiters_add(&collective->waiters, waiter);
    net_unlock(query->comm);
    return st;
}

void net_collective_close(net_collective *collective)
{
    if (!collective)
        return;
    net_query *query = collective->query;
    net_comm *comm = query->comm;
    net_lock(comm);
    if (!collective->is_finished && !query->failure)
        net_query_fail_locked(query,
                              status_new(STATUS_KIND_INTERNAL, "%s is closed before its end",
                                         collective->exchanges[0]->name),
                              true);
    net_waiters_wake_all(comm, &collective->waiters);
    collective_free(collective);
    net_unlock(comm);
}
