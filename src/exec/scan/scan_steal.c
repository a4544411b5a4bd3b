/* scan_steal.c - questions and answers of ranks, by whoever is woken: one thread at a time goes through what there is
 * to do, others that come meanwhile leave it to that one. */
#include "exec/scan/scan_steal.h"

#include "net/net.h"

#include <sched.h>

/* Less than this for each rank is read before others have been asked. */
#define STEAL_BYTES_MIN ((uint64_t)128 << 10)
#define STEAL_GROUPS_MIN 2u
/* More ranks would ask each other too often. */
#define STEAL_RANKS_MAX 64u
/* A question, an answer, and what the network has not given back of those before them. */
#define STEAL_MESSAGES 4
/* Added to `calls` for ever: nobody works any more. */
#define STEAL_CLOSED (1u << 30)

enum { STEAL_ASK, STEAL_GIVE, STEAL_NOTHING };

typedef struct steal_message {
    uint64_t kind;
    scan_loot loot;
} steal_message;

typedef struct steal_peer {
    scan_steal *steal;
    unsigned rank;
    net_waiter can_send, can_receive;
    _Atomic bool is_sending, is_receiving; /* the waiter is registered */
    bool must_ask, must_answer;
} steal_peer;

struct scan_steal {
    net_exchange *net;
    const scan_steal_ops *ops;
    void *scan;
    unsigned rank, rank_count;
    uint64_t group_count;
    _Atomic unsigned calls;      /* since the one that works began; 0: nobody does */
    _Atomic unsigned registered; /* waiters whose call is not over */
    _Atomic bool is_wanted;      /* scan_steal_want was called */
    /* State of the thread that works. */
    bool is_asking;  /* for the scan */
    unsigned victim; /* that was asked last, and */
    unsigned asked;  /* how many were for this time */
    steal_peer peers[];
};

/* ---- messages ---- */

/* Registers the waiter; false: it is. */
static bool steal_register(scan_steal *steal, _Atomic bool *is_registered)
{
    if (atomic_exchange(is_registered, true))
        return false;
    atomic_fetch_add(&steal->registered, 1);
    return true;
}

static void steal_unregister(scan_steal *steal, _Atomic bool *is_registered)
{
    atomic_store(is_registered, false);
    atomic_fetch_sub(&steal->registered, 1);
}

typedef enum steal_sent { STEAL_SENT, STEAL_LATER, STEAL_NEVER } steal_sent;

/* Takes a message to fill: what it is to say is only decided when it can be sent. */
static steal_sent steal_message_new(scan_steal *steal, steal_peer *peer, net_message **out)
{
    net_state state = NET_WAIT;
    *out = NULL;
    if (!steal_register(steal, &peer->is_sending)) /* whoever is woken comes back */
        return STEAL_LATER;
    status st = net_try_message(steal->net, peer->rank, &peer->can_send, &state, out);
    if (!st && state == NET_WAIT)
        return STEAL_LATER;
    steal_unregister(steal, &peer->is_sending);
    status_free(st); /* the query's */
    return *out ? STEAL_SENT : STEAL_NEVER;
}

static void steal_send(scan_steal *steal, net_message *message, const steal_message *content)
{
    memcpy(message->data, content, sizeof *content);
    message->bytes = sizeof *content;
    net_send(steal->net, &message);
}

/* ---- asking ---- */

static void steal_finish(scan_steal *steal, const scan_loot *loot)
{
    steal->is_asking = false;
    steal->asked = 0;
    steal->ops->got(steal->scan, loot);
}

/* Asks the next rank; after all others it is known that there is nothing. */
static void ask_next(scan_steal *steal)
{
    if (steal->asked == steal->rank_count - 1) {
        steal_finish(steal, NULL);
        return;
    }
    if (steal->asked) /* who had something is the first to be asked again */
        steal->victim = (steal->victim + 1) % steal->rank_count;
    if (steal->victim == steal->rank)
        steal->victim = (steal->victim + 1) % steal->rank_count;
    steal->asked++;
    steal->peers[steal->victim].must_ask = true;
}

static void steal_take_answer(scan_steal *steal, const steal_peer *peer,
                              const steal_message *answer)
{
    const scan_loot *loot = &answer->loot;
    if (!steal->is_asking || steal->victim != peer->rank)
        return;
    if (answer->kind == STEAL_GIVE && loot->first < loot->end && loot->end <= steal->group_count)
        steal_finish(steal, loot);
    else
        ask_next(steal);
}

/* ---- one rank ---- */

static void receive_from(scan_steal *steal, steal_peer *peer)
{
    for (;;) {
        net_message *message = NULL;
        net_state state = NET_WAIT;
        steal_message content = {.kind = STEAL_NOTHING};
        if (!steal_register(steal, &peer->is_receiving))
            return;
        status st = net_try_receive(steal->net, peer->rank, &peer->can_receive, &state, &message);
        if (!st && state == NET_WAIT)
            return;
        steal_unregister(steal, &peer->is_receiving);
        status_free(st);
        if (message && message->bytes == sizeof content)
            memcpy(&content, message->data, sizeof content);
        net_message_free(message);
        if (content.kind == STEAL_ASK)
            peer->must_answer = true;
        else if (message || !peer->must_ask) /* an answer, or it has ended before one */
            steal_take_answer(steal, peer, &content);
        if (!message)
            return;
    }
}

static void steal_answer(scan_steal *steal, steal_peer *peer)
{
    steal_message content = {.kind = STEAL_NOTHING};
    net_message *message;
    if (!peer->must_answer)
        return;
    peer->must_answer = steal_message_new(steal, peer, &message) == STEAL_LATER;
    if (!message)
        return;
    if (steal->ops->give(steal->scan, &content.loot))
        content.kind = STEAL_GIVE;
    steal_send(steal, message, &content);
}

/* Asks the victim, or the next one if that has ended. */
static void steal_ask(scan_steal *steal)
{
    const steal_message content = {.kind = STEAL_ASK};
    while (steal->is_asking && steal->peers[steal->victim].must_ask) {
        steal_peer *peer = &steal->peers[steal->victim];
        net_message *message;
        steal_sent sent = steal_message_new(steal, peer, &message);
        peer->must_ask = sent == STEAL_LATER;
        if (sent == STEAL_LATER)
            return;
        if (message)
            steal_send(steal, message, &content);
        else
            ask_next(steal);
    }
}

static void steal_work(scan_steal *steal)
{
    if (atomic_exchange(&steal->is_wanted, false) && !steal->is_asking) {
        steal->is_asking = true;
        ask_next(steal);
    }
    for (unsigned rank = 0; rank < steal->rank_count; rank++) {
        if (rank == steal->rank)
            continue;
        receive_from(steal, &steal->peers[rank]);
        steal_answer(steal, &steal->peers[rank]);
    }
    steal_ask(steal);
}

static void steal_serve(scan_steal *steal)
{
    unsigned calls;
    if (atomic_fetch_add(&steal->calls, 1))
        return;
    do {
        calls = atomic_load(&steal->calls);
        steal_work(steal);
    } while (!atomic_compare_exchange_strong(&steal->calls, &calls, 0));
}

void scan_steal_want(scan_steal *steal)
{
    atomic_store(&steal->is_wanted, true);
    steal_serve(steal);
}

/* ---- opening, closing ---- */

/* The waiter's memory may be freed as soon as it is not registered any more. */
static void wake_sender(void *argument)
{
    steal_peer *peer = argument;
    scan_steal *steal = peer->steal;
    atomic_store(&peer->is_sending, false);
    steal_serve(steal);
    atomic_fetch_sub(&steal->registered, 1);
}

static void wake_receiver(void *argument)
{
    steal_peer *peer = argument;
    scan_steal *steal = peer->steal;
    atomic_store(&peer->is_receiving, false);
    steal_serve(steal);
    atomic_fetch_sub(&steal->registered, 1);
}

static bool steal_pays(const exec_query *query, const plan_node *plan, scan_worth worth)
{
    const pq_table *table = plan->scan.table;
    return plan->scan.steal_id && query->net && query->rank_count <= STEAL_RANKS_MAX &&
           !table->is_closed && worth.row_groups >= STEAL_GROUPS_MIN * query->rank_count &&
           worth.bytes >= STEAL_BYTES_MIN * query->rank_count;
}

static void init_peers(scan_steal *steal)
{
    for (unsigned rank = 0; rank < steal->rank_count; rank++) {
        steal_peer *peer = &steal->peers[rank];
        *peer = (steal_peer){.steal = steal,
                             .rank = rank,
                             .can_send = {.wake = wake_sender, .argument = peer},
                             .can_receive = {.wake = wake_receiver, .argument = peer}};
    }
}

status scan_steal_new(exec_query *query, const plan_node *plan, scan_worth worth,
                      const scan_steal_ops *ops, void *scan, scan_steal **out)
{
    *out = NULL;
    if (!steal_pays(query, plan, worth))
        return STATUS_OK;
    size_t bytes = sizeof(scan_steal) + query->rank_count * sizeof(steal_peer);
    scan_steal *steal = mem_new(bytes);
    if (!steal)
        return status_no_memory("scan", bytes);
    steal->ops = ops;
    steal->scan = scan;
    steal->rank = query->rank;
    steal->rank_count = query->rank_count;
    steal->victim = (query->rank + 1) % query->rank_count;
    steal->group_count = plan->scan.table->row_groups.count;
    init_peers(steal);
    const net_exchange_options options = {
        .id = EXEC_NET_FIRST_EXCHANGE + query->statement->steal_first + plan->scan.steal_id - 1,
        .name = "row groups that ranks take from each other",
        .message_bytes = NET_MESSAGE_BYTES_MIN,
        .credits = STEAL_MESSAGES,
        .send_buffers = STEAL_MESSAGES};
    status st = net_exchange_open(query->net, &options, &steal->net);
    if (st) {
        mem_free(steal);
        return st;
    }
    *out = steal;
    return STATUS_OK;
}

void scan_steal_start(scan_steal *steal)
{
    if (steal)
        steal_serve(steal);
}

void scan_steal_free(scan_steal *steal)
{
    if (!steal)
        return;
    for (unsigned none = 0; !atomic_compare_exchange_weak(&steal->calls, &none, STEAL_CLOSED);
         none = 0)
        sched_yield();
    net_decline(steal->net);
    for (unsigned rank = 0; rank < steal->rank_count; rank++)
        net_end(steal->net, rank);
    net_exchange_close(steal->net);
    while (atomic_load(&steal->registered)) /* calls that are under way, which find it closed */
        sched_yield();
    mem_free(steal);
}
