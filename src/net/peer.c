/* peer.c - the other ranks: whether they live, and what it means if one does not. */
#include "net/peer.h"

#include "net/exchange.h"
#include "net/internal.h"
#include "net/lock.h"
#include "net/query.h"

#include <assert.h>
#include <stdio.h>

#define MILLISECOND UINT64_C(1000000)

static void peer_settled(net_comm *comm, net_frame *frame)
{
    (void)comm, (void)frame;
}

/* "rank 3 (host b)", into text of this size. */
#define RANK_TEXT_BYTES 320
static const char *rank_text(const net_comm *comm, unsigned rank, char *text)
{
    snprintf(text, RANK_TEXT_BYTES, "rank %u (host %.255s)", rank, comm->peers[rank].host);
    return text;
}

/* ---- a peer that is gone ---- */

/* No frames to it are wanted any more. */
static void abandon(net_comm *comm, unsigned rank)
{
    if (comm->peers[rank].is_abandoned)
        return;
    comm->peers[rank].is_abandoned = true;
    comm->transport->ops->abandon(comm->transport, rank);
}

static void told(net_comm *comm, net_frame *frame)
{
    if (comm->peers[frame->peer].is_gone)
        abandon(comm, frame->peer);
}

/* The others are told of the first one: the network is of no use after that, whoever is next. So is
 * the peer itself, if it can be: it may have lived, and would wait. Ranks that this one has never spoken to
 * hear it from those that they are connected with. */
static void tell_gone(net_comm *comm, unsigned gone, status why)
{
    const char *text = status_message(why);
    size_t bytes = strnlen(text, NET_FRAME_TEXT_BYTES_MAX);
    comm->failure_text = mem_copy_text(text, bytes);
    if (!comm->failure_text) /* then without the reason */
        bytes = 0;
    for (unsigned rank = 0; rank < comm->ranks; rank++) {
        net_peer *peer = &comm->peers[rank];
        bool is_connected = peer->used_at || peer->is_neighbor;
        if (rank == comm->rank || peer->is_cut || peer->has_left || !is_connected ||
            (peer->is_gone && rank != gone))
            continue;
        net_header header = {.kind = NET_FRAME_GONE,
                             .exchange = gone,
                             .payload_bytes = (uint32_t)bytes,
                             .payload_checksum = net_frame_checksum(comm->failure_text, bytes)};
        net_post(comm, rank, &peer->gone, header, comm->failure_text, told, NULL);
    }
}

/* The failure of one query: what it had to do with the peer. Takes nothing. */
static status query_loss(const net_query *query, unsigned peer, status why)
{
    char rank[RANK_TEXT_BYTES], doing[256] = "";
    for (const net_exchange *e = query->exchanges; e && !doing[0]; e = e->next) {
        const char *unfinished = net_exchange_unfinished(e, peer);
        if (unfinished)
            snprintf(doing, sizeof doing, ", which %s %s", unfinished, e->name);
    }
    return status_new(status_get_kind(why), "%s is gone%s: %s", rank_text(query->comm, peer, rank),
                      doing, status_message(why));
}

void net_comm_fail(net_comm *comm, status why)
{
    comm->is_broken = true;
    for (net_query *query = comm->queries, *next; query; query = next) {
        next = query->next;
        net_query_fail_locked(query, status_copy(why), false);
    }
    if (comm->failure)
        status_free(why);
    else
        comm->failure = why;
}

void net_peer_lose(net_comm *comm, unsigned rank, status why, bool must_tell)
{
    char text[RANK_TEXT_BYTES];
    net_peer *peer = &comm->peers[rank];
    if (peer->is_gone || peer->has_left || (comm->is_closing && comm->failure)) {
        status_free(why);
        return;
    }
    peer->is_gone = true;
    for (net_query *query = comm->queries, *next; query; query = next) {
        next = query->next;
        net_query_fail_locked(query, query_loss(query, rank, why), false);
    }
    if (must_tell && !comm->failure)
        tell_gone(comm, rank, why);
    status failure = status_new(status_get_kind(why), "%s is gone: %s", rank_text(comm, rank, text),
                                status_message(why));
    status_free(why);
    net_comm_fail(comm, status_hint(failure, "start all ranks again; those of pistachio serve come "
                                             "back"));
    if (!peer->gone.is_posted)
        abandon(comm, rank);
}

void net_peer_lose_corrupt(net_comm *comm, unsigned rank, const char *what)
{
    net_peer_lose(comm, rank, status_new(STATUS_KIND_CORRUPT, "it sent %s", what), true);
}

static void lose_cut(net_comm *comm, unsigned rank, status why)
{
    comm->peers[rank].is_cut = true;
    net_peer_lose(comm, rank, why, true);
    abandon(comm, rank);
}

void net_peer_gone(net_comm *comm, unsigned peer, status why)
{
    net_lock(comm);
    if (peer == comm->rank)
        net_comm_fail(comm, status_context(why, "this rank cannot reach the others any more"));
    else
        lose_cut(comm, peer, why);
    net_unlock(comm);
}

/* ---- one that leaves ---- */

static status left_failure(const net_comm *comm, unsigned rank)
{
    char text[RANK_TEXT_BYTES];
    return status_new(STATUS_KIND_IO, "%s has left", rank_text(comm, rank, text));
}

/* A query that is finished with the peer goes on without it. */
static void fail_unfinished(net_comm *comm, unsigned rank)
{
    for (net_query *query = comm->queries, *next; query; query = next) {
        next = query->next;
        for (const net_exchange *e = query->exchanges; e; e = e->next) {
            const char *unfinished = net_exchange_unfinished(e, rank);
            if (!unfinished)
                continue;
            status st = left_failure(comm, rank);
            net_query_fail_locked(query, status_context(st, "%s", e->name), false);
            break;
        }
    }
}

void net_peer_leave_if_due(net_comm *comm, unsigned rank)
{
    net_peer *peer = &comm->peers[rank];
    if (peer->has_left || peer->is_gone || peer->frames_in < peer->leaves_after)
        return;
    peer->has_left = true;
    abandon(comm, rank);
    fail_unfinished(comm, rank);
    if (!comm->failure)
        comm->failure = left_failure(comm, rank);
}

void net_peer_hear_root_left(net_comm *comm, bool is_broken)
{
    net_peer *root = &comm->peers[0];
    if (!comm->rank || root->used_at || root->is_neighbor || root->leaves_after != NET_UNKNOWN)
        return;
    root->leaves_after = 0;
    root->left_broken = is_broken;
    net_peer_leave_if_due(comm, 0);
}

/* ---- heartbeats ---- */

/* A rank speaks so often however long its own patience is: another one's may be shorter by now. */
#define INTERVAL_MS_MAX 500

/* Neighbors in the tree are always watched. Others are as long as something goes between them, and some time
 * after it: it would cost many ranks too much if each were heard by each. Who sees that a rank is gone tells it. */
bool net_peer_is_watched(const net_comm *comm, unsigned rank, uint64_t now)
{
    const net_peer *peer = &comm->peers[rank];
    uint64_t patience = 2 * comm->options.peer_timeout_ms * MILLISECOND;
    return peer->is_neighbor || (peer->used_at && now - peer->used_at < patience);
}

void net_peer_use(net_comm *comm, unsigned rank)
{
    net_peer *peer = &comm->peers[rank];
    uint64_t now = comm->transport->ops->now(comm->transport);
    if (!net_peer_is_watched(comm, rank, now)) /* it has been silent, as it should */
        peer->heard_at = now;
    peer->used_at = now ? now : 1;
}

static void ping(net_comm *comm, unsigned rank, uint64_t now, uint64_t interval)
{
    net_peer *peer = &comm->peers[rank];
    if (!peer->ping.is_posted && now - peer->spoke_at >= interval)
        net_post(comm, rank, &peer->ping, (net_header){.kind = NET_FRAME_PING}, NULL, peer_settled,
                 NULL);
}

static void check_silence(net_comm *comm, unsigned rank, uint64_t now, uint64_t timeout)
{
    uint64_t silent = now - comm->peers[rank].heard_at;
    if (silent > timeout)
        net_peer_lose(
            comm, rank,
            status_new(STATUS_KIND_IO, "nothing came from it for %.1f s", (double)silent / 1e9),
            true);
}

uint64_t net_tick(net_comm *comm)
{
    net_lock(comm);
    uint64_t now = comm->transport->ops->now(comm->transport);
    uint64_t timeout = comm->options.peer_timeout_ms * MILLISECOND, interval = timeout / 4;
    interval = interval < INTERVAL_MS_MAX * MILLISECOND ? interval : INTERVAL_MS_MAX * MILLISECOND;
    /* This process was stopped, or had no processor: what has come meanwhile was not looked at. */
    bool was_away = now - comm->ticked_at > timeout / 2;
    comm->ticked_at = now;
    for (unsigned rank = 0; rank < comm->ranks; rank++) {
        net_peer *peer = &comm->peers[rank];
        if (peer->is_gone && ++peer->ticks == 2) /* it does not even take that it is */
            abandon(comm, rank);
        if (rank == comm->rank || peer->is_gone || peer->has_left)
            continue;
        if (was_away && peer->heard_at < now)
            peer->heard_at = now;
        if (!net_peer_is_watched(comm, rank, now))
            continue;
        ping(comm, rank, now, interval);
        check_silence(comm, rank, now, timeout);
    }
    net_unlock(comm);
    return now + interval / 2;
}
