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

/* Sends the next message; false: there is no buffer for it. */
static bool send_next(net_collective *collective, net_channel *channel)
{
    const net_collective_ops *does = collective->ops;
    net_state state;
    net_held *held;
    status st = net_channel_message(channel, &state, &held);
    status_free(st); /* the query's */
    if (st || state == NET_WAIT)
        return false;
    if (!held) {
        net_channel_end(channel);
        return true;
    }
    does->fill(collective, collective->phase, &held->message);
    if (!collective->query->comm->options.has_no_checksums)
        held->checksum = net_frame_checksum(held->message.data, held->message.bytes);
    if (does->next(collective, collective->phase, channel->peer) == COLLECTIVE_NONE)
        net_channel_send_last(channel, held);
    else
        net_channel_send(channel, held);
    return true;
}

/* As much as there are buffers for. */
static void send_to(net_collective *collective, net_channel *channel)
{
    bool can_go_on = true;
    while (can_go_on && !channel->is_ended && !collective->query->failure) {
        switch (collective->ops->next(collective, collective->phase, channel->peer)) {
        case COLLECTIVE_LATER:
            return;
        case COLLECTIVE_READY:
            can_go_on = send_next(collective, channel);
            break;
        case COLLECTIVE_NONE:
            net_channel_end(channel);
            break;
        }
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

/* Nothing more comes: what this rank waits for before it sends all would be missing for ever. */
static void phase_received(net_collective *collective, bool has_sent)
{
    const char *wrong = collective->ops->received(collective, collective->phase);
    if (wrong) {
        fail_corrupt(collective, wrong);
    } else if (!has_sent) {
        return;
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
    net_held *held;
    while (!query->failure && (held = net_exchange_take(exchange, NET_ANY)))
        collective_take_in(collective, held);
    for (unsigned peer = 0; peer < query->comm->ranks; peer++)
        send_to(collective, &exchange->channels[peer]);
    if (!query->failure && net_exchange_is_received(exchange, NET_ANY))
        phase_received(collective, has_sent(exchange));
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

static status open_phases(net_collective *collective, const net_collective_form *form,
                          const bool *partners)
{
    const net_exchange_options options = {.id = form->id,
                                          .name = form->name,
                                          .message_bytes = form->message_bytes,
                                          .credits = form->messages,
                                          .send_buffers = form->messages};
    assert(form->phase_count <= UINT8_MAX);
    for (unsigned phase = 0; phase < form->phase_count; phase++) {
        const net_exchange_part part = {
            .phase = (uint8_t)phase, .user = &collective->active, .partners = partners};
        TRY(net_exchange_open_locked(collective->query, &options, &part,
                                     &collective->exchanges[phase]));
    }
    return STATUS_OK;
}

/* Says of each rank whether this one speaks to it. */
static status choose_partners(const net_comm *comm, const net_tree *tree, bool **out)
{
    *out = mem_new_array(comm->ranks, sizeof **out);
    if (!*out)
        return status_no_memory("ranks", comm->ranks);
    for (unsigned rank = 0; rank < comm->ranks; rank++)
        (*out)[rank] = tree ? net_tree_is_neighbor(*tree, comm->rank, rank) : rank != comm->rank;
    return STATUS_OK;
}

status net_collective_open(net_query *query, const net_collective_form *form,
                           net_collective *collective, net_collective **out)
{
    net_comm *comm = query->comm;
    bool *partners;
    collective->query = query;
    collective->active.go_on = collective_go_on;
    collective->phase_count = form->phase_count;
    *out = NULL;
    status st = choose_partners(comm, form->tree, &partners);
    net_lock(comm);
    if (!st)
        st = open_phases(collective, form, partners);
    mem_free(partners);
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
