/* query.c - a statement on this rank: its beginning, its one failure, its end. */
#include "net/query.h"

#include "net/early.h"
#include "net/exchange.h"
#include "net/internal.h"
#include "net/lock.h"

#include <assert.h>
#include <inttypes.h>

net_query *net_query_find(net_comm *comm, uint64_t number)
{
    net_query *query = comm->queries;
    while (query && query->number != number)
        query = query->next;
    return query;
}

static void query_free(net_query *query)
{
    status_free(query->failure);
    mem_budget_free(query->budget);
    array_release(&query->used);
    mem_free(query->errors);
    mem_free(query->error_text);
    mem_free(query);
}

void net_query_free_if_over(net_query *query)
{
    if (!query->is_ended || query->exchanges || query->posted || query->is_telling)
        return;
    net_comm *comm = query->comm;
    net_query **link = &comm->queries;
    while (*link != query)
        link = &(*link)->next;
    *link = query->next;
    net_early_end(comm, query->number);
    query_free(query);
    pthread_cond_broadcast(&comm->changed);
}

static status query_new(net_comm *comm, uint64_t number, mem_budget *budget, net_query **out)
{
    net_query *query = mem_new(sizeof *query);
    if (!query)
        return status_no_memory("query", sizeof *query);
    query->errors = mem_new_array(comm->ranks, sizeof *query->errors);
    if (!query->errors) {
        mem_free(query);
        return status_no_memory("query", comm->ranks * sizeof *query->errors);
    }
    query->comm = comm;
    query->number = number;
    query->budget = mem_budget_ref(budget);
    *out = query;
    return STATUS_OK;
}

status net_query_begin(net_comm *comm, uint64_t number, mem_budget *budget,
                       void (*failed)(void *argument), void *argument, net_query **out)
{
    *out = NULL;
    net_query *query = NULL;
    TRY(query_new(comm, number, budget, &query));
    query->failed = failed;
    query->argument = argument;
    net_lock(comm);
    status st = status_copy(comm->failure);
    if (!st && number <= comm->highest_begun)
        st = status_new(STATUS_KIND_INTERNAL, "query %" PRIu64 " begins after query %" PRIu64,
                        number, comm->highest_begun);
    if (st) {
        net_unlock(comm);
        query_free(query);
        return st;
    }
    comm->highest_begun = number;
    query->next = comm->queries;
    comm->queries = query;
    net_early_begin(query);
    net_unlock(comm);
    *out = query;
    return STATUS_OK;
}

/* ---- failing ---- */

static void error_posted(net_comm *comm, net_frame *frame)
{
    (void)comm;
    net_query *query = frame->owner;
    query->posted--;
    net_query_free_if_over(query);
}

/* Message and hint, each with a closing NUL; NULL without memory. */
static char *failure_text(status st, uint32_t *out_bytes)
{
    const char *message = status_message(st), *hint = status_get_hint(st);
    size_t message_bytes = strnlen(message, NET_FRAME_TEXT_BYTES_MAX / 2);
    size_t hint_bytes = hint ? strnlen(hint, NET_FRAME_TEXT_BYTES_MAX / 2 - 2) : 0;
    char *text = mem_new(message_bytes + hint_bytes + 2);
    *out_bytes = 0;
    if (!text)
        return NULL;
    memcpy(text, message, message_bytes);
    if (hint_bytes)
        memcpy(text + message_bytes + 1, hint, hint_bytes);
    *out_bytes = (uint32_t)(message_bytes + hint_bytes + 2);
    return text;
}

static void tell_peers(net_query *query)
{
    net_comm *comm = query->comm;
    uint32_t bytes;
    query->error_text = failure_text(query->failure, &bytes);
    for (unsigned rank = 0; rank < comm->ranks; rank++) {
        const net_peer *peer = &comm->peers[rank];
        if (rank == comm->rank || peer->is_gone || peer->has_left)
            continue;
        net_header header = {.kind = NET_FRAME_ERROR,
                             .failure = (uint8_t)status_get_kind(query->failure),
                             .query = query->number,
                             .number = (uint64_t)status_position(query->failure),
                             .payload_bytes = bytes,
                             .payload_checksum = net_frame_checksum(query->error_text, bytes)};
        query->posted++;
        net_post(comm, rank, &query->errors[rank], header, query->error_text, error_posted, query);
    }
}

void net_query_fail_locked(net_query *query, status st, bool must_tell_peers)
{
    net_comm *comm = query->comm;
    if (query->failure) {
        status_free(st);
        return;
    }
    query->failure = st;
    query->posted++; /* it stays until this is over */
    for (net_exchange *e = query->exchanges, *next; e; e = next) {
        next = e->next;
        net_exchange_fail(e);
    }
    if (must_tell_peers)
        tell_peers(query);
    query->posted--;
    if (query->failed && !query->is_ended) {
        query->is_telling = true;
        query->next_telling = comm->telling;
        comm->telling = query;
    }
    net_query_free_if_over(query);
}

void net_query_fail(net_query *query, status st)
{
    net_comm *comm = query->comm;
    net_lock(comm);
    if (!query->failure)
        query->failed = NULL; /* the caller knows */
    net_query_fail_locked(query, st, true);
    net_unlock(comm);
}

void net_query_fail_from(net_comm *comm, const net_header *header, const char *text)
{
    net_query *query = net_query_find(comm, header->query);
    if (!query || query->failure)
        return;
    status_kind kind = header->failure;
    if (kind == STATUS_KIND_OK || kind > STATUS_KIND_INTERNAL)
        kind = STATUS_KIND_IO;
    static const char prefix[] = "internal error: ";
    if (kind == STATUS_KIND_INTERNAL && !strncmp(text, prefix, sizeof prefix - 1))
        text += sizeof prefix - 1;
    status st = status_new(kind, "%s", *text ? text : "it failed for want of memory");
    const char *hint = text + strlen(text) + 1;
    if (*hint)
        st = status_hint(st, "%s", hint);
    if (header->number <= INT32_MAX)
        st = status_at(st, (int64_t)header->number);
    st = status_context(st, "rank %u (host %s)", header->from, comm->peers[header->from].host);
    net_query_fail_locked(query, st, false);
}

status net_query_failure(net_query *query)
{
    net_lock(query->comm);
    status st = status_copy(query->failure);
    net_unlock(query->comm);
    return st;
}

void net_query_end(net_query *query)
{
    if (!query)
        return;
    net_comm *comm = query->comm;
    net_lock(comm);
    while (query->is_telling)
        pthread_cond_wait(&comm->changed, &comm->lock);
    for (const net_exchange *e = query->exchanges; e; e = e->next)
        assert(e->is_closed);
    query->is_ended = true;
    net_query_free_if_over(query);
    net_unlock(comm);
}
