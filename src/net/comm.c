/* comm.c - a communicator: its life, what is asked of it. */
#include "base/system/mutex.h"
#include "net/collective_tree.h"
#include "net/early.h"
#include "net/internal.h"
#include "net/lock.h"
#include "net/peer.h"
#include "net/pool.h"
#include "net/query.h"

#include <assert.h>
#include <time.h>
#include <unistd.h>

#define MILLISECOND UINT64_C(1000000)
/* How long a rank that leaves waits for its last frames to go out. */
#define LEAVE_NS (1000 * MILLISECOND)

void net_comm_set_peer_timeout(net_comm *comm, uint32_t ms)
{
    net_lock(comm);
    comm->options.peer_timeout_ms = ms;
    uint64_t now = comm->transport->ops->now(comm->transport);
    for (unsigned rank = 0; rank < comm->ranks; rank++)
        comm->peers[rank].heard_at = now;
    net_unlock(comm);
}

/* ---- opening ---- */

static void set_default(uint32_t *number, uint32_t otherwise)
{
    if (!*number)
        *number = otherwise;
}

static void fill_defaults(net_options *options)
{
    set_default(&options->message_bytes, 1 << 20);
    set_default(&options->credits, 4);
    set_default(&options->send_buffers, 2);
    set_default(&options->peer_timeout_ms, 5000);
    if (!options->kept_bytes)
        options->kept_bytes = 32 << 20;
}

static status check_options(const net_options *options)
{
    if (options->message_bytes < NET_MESSAGE_BYTES_MIN ||
        options->message_bytes > NET_MESSAGE_BYTES_MAX)
        return status_new(STATUS_KIND_INVALID,
                          "messages of %u bytes are asked for; they have %u to %u",
                          options->message_bytes, NET_MESSAGE_BYTES_MIN, NET_MESSAGE_BYTES_MAX);
    return STATUS_OK;
}

static status comm_init_peers(net_comm *comm, const char *const *hosts)
{
    comm->peers = mem_new_array(comm->ranks, sizeof *comm->peers);
    if (!comm->peers)
        return status_no_memory("ranks", comm->ranks * sizeof *comm->peers);
    const net_tree tree = {.ranks = comm->ranks};
    uint64_t now = comm->transport->ops->now(comm->transport);
    for (unsigned rank = 0; rank < comm->ranks; rank++) {
        net_peer *peer = &comm->peers[rank];
        peer->heard_at = peer->spoke_at = now;
        peer->leaves_after = NET_UNKNOWN;
        peer->is_neighbor = net_tree_is_neighbor(tree, comm->rank, rank);
        peer->host = mem_copy_text(hosts[rank], strlen(hosts[rank]));
        if (!peer->host)
            return status_no_memory("host name", strlen(hosts[rank]));
    }
    comm->ticked_at = now;
    return STATUS_OK;
}

static void comm_init_lock(net_comm *comm)
{
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&comm->changed, &attributes);
    pthread_condattr_destroy(&attributes);
    mutex_init(&comm->lock);
}

static void comm_free(net_comm *comm)
{
    comm->transport->ops->close(comm->transport);
    net_early_clear(comm);
    for (unsigned rank = 0; comm->peers && rank < comm->ranks; rank++)
        mem_free(comm->peers[rank].host);
    mem_free(comm->peers);
    status_free(comm->failure);
    mem_free(comm->failure_text);
    array_release(&comm->pool);
    pthread_cond_destroy(&comm->changed);
    mutex_destroy(&comm->lock);
    mem_free(comm);
}

status net_comm_open(net_transport *transport, const char *const *hosts, const net_options *options,
                     net_comm **out)
{
    *out = NULL;
    net_comm *comm = mem_new(sizeof *comm);
    if (!comm) {
        transport->ops->close(transport);
        return status_no_memory("communicator", sizeof *comm);
    }
    assert(transport->ops->abi == NET_TRANSPORT_ABI);
    comm->transport = transport;
    comm->rank = transport->rank;
    comm->ranks = transport->ranks;
    comm->options = *options;
    comm_init_lock(comm);
    fill_defaults(&comm->options);
    status st = check_options(&comm->options);
    if (!st)
        st = comm_init_peers(comm, hosts);
    comm->options.host = st ? NULL : comm->peers[comm->rank].host;
    if (!st)
        st = transport->ops->start(transport, comm);
    if (st) {
        comm_free(comm);
        return st;
    }
    *out = comm;
    return STATUS_OK;
}

/* ---- closing ---- */

/* Lets the network go on for a moment; with the lock held, which it gives up. */
static void let_move(net_comm *comm)
{
    const net_transport_ops *ops = comm->transport->ops;
    net_unlock(comm);
    if (ops->pump)
        ops->pump(comm->transport);
    net_lock(comm);
    if (ops->pump)
        return;
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += 10 * (long)MILLISECOND;
    if (until.tv_nsec >= 1000000000) {
        until.tv_sec++;
        until.tv_nsec -= 1000000000;
    }
    pthread_cond_timedwait(&comm->changed, &comm->lock, &until);
}

/* Returns whether a rank is likely to be gone: one that has been silent for long, where another is gone. */
static bool is_doubtful(const net_comm *comm, unsigned rank, uint64_t now)
{
    uint64_t silent = now - comm->peers[rank].heard_at;
    return comm->is_broken && net_peer_is_watched(comm, rank, now) &&
           silent > comm->options.peer_timeout_ms * MILLISECOND / 2;
}

static bool is_leaving_posted(const net_comm *comm, uint64_t now)
{
    for (unsigned rank = 0; rank < comm->ranks; rank++)
        if (comm->peers[rank].leave.is_posted && !is_doubtful(comm, rank, now))
            return true;
    return false;
}

static void comm_settled(net_comm *comm, net_frame *frame)
{
    (void)comm, (void)frame;
}

/* Tells those that it has spoken with. That rank 0 has left goes on along the tree to those that have not heard of it. */
static void tell_leaving(net_comm *comm)
{
    uint8_t flags = !comm->rank || comm->peers[0].has_left ? NET_FRAME_ROOT_LEFT : 0;
    if (comm->is_broken || comm->peers[0].left_broken)
        flags |= NET_FRAME_LEFT_BROKEN;
    for (unsigned rank = 0; rank < comm->ranks; rank++) {
        net_peer *peer = &comm->peers[rank];
        bool is_connected = peer->used_at || peer->is_neighbor;
        if (rank == comm->rank || peer->is_gone || peer->has_left || !is_connected)
            continue;
        net_post(comm, rank, &peer->leave,
                 (net_header){.kind = NET_FRAME_LEAVE, .flags = flags, .number = peer->frames_out},
                 NULL, comm_settled, NULL);
    }
}

/* Gives up what is left of queries. */
static void drop_queries(net_comm *comm)
{
    for (net_query *query = comm->queries, *next; query; query = next) {
        next = query->next;
        assert(query->is_ended);
        net_query_fail_locked(
            query, status_new(STATUS_KIND_CANCELLED, "this rank leaves the others"), false);
    }
}

void net_comm_close(net_comm *comm)
{
    if (!comm)
        return;
    const net_transport_ops *ops = comm->transport->ops;
    net_lock(comm);
    comm->is_closing = true;
    uint64_t end = ops->now(comm->transport) + comm->options.peer_timeout_ms * MILLISECOND;
    while (comm->queries && !comm->is_broken && ops->now(comm->transport) < end)
        let_move(comm);
    drop_queries(comm);
    tell_leaving(comm);
    uint64_t now = ops->now(comm->transport);
    end = now + LEAVE_NS;
    while (is_leaving_posted(comm, now) && now < end) {
        let_move(comm);
        now = ops->now(comm->transport);
    }
    for (unsigned rank = 0; rank < comm->ranks; rank++)
        if (comm->queries || is_doubtful(comm, rank, now))
            ops->abandon(comm->transport, rank);
    while (comm->queries) /* frames that were abandoned are given back soon */
        let_move(comm);
    net_pool_clear(comm);
    net_unlock(comm);
    comm_free(comm);
}

/* ---- asking ---- */

unsigned net_comm_rank(const net_comm *comm)
{
    return comm->rank;
}

unsigned net_comm_ranks(const net_comm *comm)
{
    return comm->ranks;
}

const char *net_comm_host(const net_comm *comm, unsigned rank)
{
    return comm->peers[rank].host;
}

const char *net_comm_transport(const net_comm *comm, unsigned rank)
{
    if (rank == comm->rank)
        return "self";
    return comm->transport->ops->peer_text(comm->transport, rank);
}

bool net_comm_takes_cargo(const net_comm *comm)
{
    return comm->transport->ops->takes_cargo;
}

const net_options *net_comm_options(const net_comm *comm)
{
    return &comm->options;
}

status net_comm_failure(net_comm *comm)
{
    net_lock(comm);
    status st = status_copy(comm->failure);
    net_unlock(comm);
    return st;
}

bool net_comm_has_left(net_comm *comm, unsigned rank)
{
    net_lock(comm);
    bool has_left = comm->peers[rank].has_left;
    net_unlock(comm);
    return has_left;
}

bool net_comm_has_left_broken(net_comm *comm, unsigned rank)
{
    net_lock(comm);
    bool is_broken = comm->peers[rank].left_broken;
    net_unlock(comm);
    return is_broken;
}

bool net_comm_is_gone(net_comm *comm, unsigned rank)
{
    net_lock(comm);
    bool is_gone = comm->peers[rank].is_gone;
    net_unlock(comm);
    return is_gone;
}

net_counts net_comm_counts(net_comm *comm, unsigned peer)
{
    net_lock(comm);
    net_counts counts = comm->peers[peer].counts;
    net_unlock(comm);
    return counts;
}
