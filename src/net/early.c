/* early.c - what peers say of exchanges that this rank has not opened, and of queries that it has
 * not begun: a few bytes each, kept until it does, or never can. */
#include "net/early.h"

#include "net/channel.h"
#include "net/internal.h"
#include "net/query.h"

/* Early messages of one communicator; ranks that run the same statements would not say more. */
#define EARLY_COUNT_MAX 262144

struct net_early {
    net_early *next;
    unsigned peer;
    net_header header; /* NET_FRAME_CHANNEL or NET_FRAME_ERROR */
    char text[];       /* of an error: with two closing NULs */
};

static net_early *early_find(const net_comm *comm, unsigned peer, const net_header *header)
{
    net_early *e = comm->early;
    while (e &&
           (e->peer != peer || e->header.kind != header->kind || e->header.query != header->query ||
            e->header.exchange != header->exchange || e->header.phase != header->phase))
        e = e->next;
    return e;
}

/* Merges what is known of a channel, later: all only ever grows. */
static void early_merge(net_header *known, const net_header *header)
{
    if (header->number > known->number)
        known->number = header->number;
    if (header->flags & NET_FRAME_ENDED)
        known->total = header->total;
    known->flags |= header->flags;
}

status net_early_note(net_comm *comm, unsigned peer, const net_header *header, const char *text)
{
    net_early *e = early_find(comm, peer, header);
    if (e) {
        if (header->kind == NET_FRAME_CHANNEL)
            early_merge(&e->header, header);
        return STATUS_OK;
    }
    if (comm->early_count >= EARLY_COUNT_MAX)
        return status_new(STATUS_KIND_CORRUPT, "more than %d exchanges were not opened here",
                          EARLY_COUNT_MAX);
    size_t text_bytes = text ? header->payload_bytes + 2 : 2;
    e = mem_new(sizeof *e + text_bytes);
    if (!e)
        return status_no_memory("early frame", sizeof *e + text_bytes);
    e->peer = peer;
    e->header = *header;
    if (text)
        memcpy(e->text, text, text_bytes);
    e->next = comm->early;
    comm->early = e;
    comm->early_count++;
    return STATUS_OK;
}

void net_early_lose(net_comm *comm, uint64_t number)
{
    if (!comm->lost_last || number < comm->lost_first)
        comm->lost_first = number;
    if (number > comm->lost_last)
        comm->lost_last = number;
}

/* Takes it out of the list. */
static net_early *unlink_early(net_comm *comm, net_early **link)
{
    net_early *e = *link;
    *link = e->next;
    comm->early_count--;
    return e;
}

/* Returns whether a query is not open and cannot begin any more. */
static bool is_past(net_comm *comm, uint64_t number)
{
    return number <= comm->highest_begun && !net_query_find(comm, number);
}

void net_early_begin(net_query *query)
{
    net_comm *comm = query->comm;
    for (net_early **link = &comm->early; *link;) {
        net_early *e = *link;
        bool is_error = e->header.query == query->number && e->header.kind == NET_FRAME_ERROR;
        if (!is_error && !is_past(comm, e->header.query)) {
            link = &e->next;
            continue;
        }
        unlink_early(comm, link);
        if (is_error)
            net_query_fail_from(comm, &e->header, e->text);
        mem_free(e);
    }
    if (query->number >= comm->lost_first && query->number <= comm->lost_last)
        net_query_fail_locked(query, status_no_memory("what other ranks said early", 0), true);
}

void net_early_open(net_exchange *exchange)
{
    net_query *query = exchange->query;
    net_comm *comm = query->comm;
    for (net_early **link = &comm->early; *link;) {
        net_early *e = *link;
        if (e->header.kind != NET_FRAME_CHANNEL || e->header.query != query->number ||
            e->header.exchange != exchange->id || e->header.phase != exchange->phase) {
            link = &e->next;
            continue;
        }
        unlink_early(comm, link);
        if (!query->failure)
            net_channel_hear(&exchange->channels[e->peer], &e->header);
        mem_free(e);
    }
}

void net_early_end(net_comm *comm, uint64_t number)
{
    for (net_early **link = &comm->early; *link;) {
        if ((*link)->header.query == number)
            mem_free(unlink_early(comm, link));
        else
            link = &(*link)->next;
    }
}

void net_early_clear(net_comm *comm)
{
    while (comm->early)
        mem_free(unlink_early(comm, &comm->early));
}
