/* collective_gather.c - bytes of each rank, to one or to all, along the tree whose root that one is.
 *
 * Over each edge of the tree goes what is on its one side and wanted on the other, rank by rank, in the order of
 * their places: up what this rank and those below it have, down (where all are roots) what all others have. A
 * message is pieces: of which rank, how many bytes follow, how many the rank has in all, and these bytes. A rank
 * hands on what has come so far. */
#include "net/collective.h"

typedef struct piece {
    uint32_t rank, bytes;
    uint64_t total;
} piece;

typedef struct gathered {
    char *data;
    uint64_t bytes, taken;
    bool has_begun;
} gathered;

/* How far the bytes of an edge have gone: the rank's place, and bytes of it. */
typedef struct gather_cursor {
    unsigned place;
    uint64_t bytes;
} gather_cursor;

typedef struct gathering {
    net_collective base;
    uint64_t bytes_left;
    net_tree tree;
    unsigned place; /* this rank's */
    bool is_for_all;
    gather_cursor *sent, *taken; /* to and from each rank */
    gathered *gathered;          /* of each rank */
    uint64_t charged;
} gathering;

/* The first place, from `at` on, whose bytes go from one place to another next to it; their number: none. */
static unsigned gather_skip(const gathering *g, unsigned from, unsigned to, unsigned at)
{
    unsigned ranks = g->tree.ranks;
    if (to < from) {
        at = at < from ? from : at;
        return at < net_tree_end(g->tree, from) ? at : ranks;
    }
    if (!g->is_for_all)
        return ranks;
    return at >= to && at < net_tree_end(g->tree, to) ? net_tree_end(g->tree, to) : at;
}

static gathered *gathered_at(const gathering *g, unsigned place)
{
    return &g->gathered[net_tree_rank(g->tree, place)];
}

/* ---- sending ---- */

static collective_next collective_gather_next(const net_collective *collective, unsigned phase,
                                              unsigned peer)
{
    (void)phase;
    const gathering *g = (const gathering *)collective;
    const gather_cursor *sent = &g->sent[peer];
    unsigned place = gather_skip(g, g->place, net_tree_place(g->tree, peer), sent->place);
    if (place == g->tree.ranks)
        return COLLECTIVE_NONE;
    const gathered *from = gathered_at(g, place);
    uint64_t done = place == sent->place ? sent->bytes : 0;
    bool is_ready = from->has_begun && (from->taken > done || from->taken == from->bytes);
    return is_ready ? COLLECTIVE_READY : COLLECTIVE_LATER;
}

/* Appends the next piece, where there is one. */
static bool add_piece(gathering *g, net_message *message)
{
    gather_cursor *sent = &g->sent[message->peer];
    uint32_t room = message->room - message->bytes;
    if (room <= sizeof(piece) ||
        collective_gather_next(&g->base, 0, message->peer) != COLLECTIVE_READY)
        return false;
    unsigned place = gather_skip(g, g->place, net_tree_place(g->tree, message->peer), sent->place);
    if (place != sent->place)
        *sent = (gather_cursor){.place = place};
    const gathered *from = gathered_at(g, place);
    uint64_t left = from->taken - sent->bytes;
    uint32_t count = left < room - sizeof(piece) ? (uint32_t)left : room - (uint32_t)sizeof(piece);
    const piece head = {net_tree_rank(g->tree, place), count, from->bytes};
    memcpy(message->data + message->bytes, &head, sizeof head);
    if (count)
        memcpy(message->data + message->bytes + sizeof head, from->data + sent->bytes, count);
    message->bytes += (uint32_t)sizeof head + count;
    sent->bytes += count;
    if (sent->bytes == from->bytes)
        *sent = (gather_cursor){.place = place + 1};
    return true;
}

static void collective_gather_fill(net_collective *collective, unsigned phase, net_message *message)
{
    (void)phase;
    message->bytes = 0;
    while (add_piece((gathering *)collective, message))
        ;
}

/* ---- taking ---- */

/* Room for what a rank says that it has. */
static status begin_rank(gathering *g, const char *name, gathered *from, uint64_t bytes)
{
    if (bytes > g->bytes_left)
        return status_new(STATUS_KIND_LIMIT,
                          "%s: ranks have more than the %llu bytes that may be gathered", name,
                          (unsigned long long)(g->bytes_left + g->charged));
    TRY(mem_budget_take(g->base.query->budget, bytes, name));
    g->charged += bytes;
    g->bytes_left -= bytes;
    from->data = mem_new(bytes + 1); /* closed by a NUL, if it is a text */
    if (!from->data)
        return status_no_memory(name, bytes);
    from->bytes = bytes;
    from->has_begun = true;
    return STATUS_OK;
}

static const char *take_piece(gathering *g, unsigned peer, const piece *head, const char *bytes,
                              status *out_failure)
{
    static const char more[] = "more bytes than were announced";
    gather_cursor *taken = &g->taken[peer];
    unsigned place = gather_skip(g, net_tree_place(g->tree, peer), g->place, taken->place);
    if (place == g->tree.ranks || head->rank != net_tree_rank(g->tree, place))
        return "bytes of another rank than was expected";
    gathered *from = &g->gathered[head->rank];
    if (!from->has_begun &&
        (*out_failure = begin_rank(g, g->base.exchanges[0]->name, from, head->total)) != NULL)
        return NULL;
    if (head->total != from->bytes || head->bytes > from->bytes - from->taken)
        return more;
    if (head->bytes)
        memcpy(from->data + from->taken, bytes, head->bytes);
    from->taken += head->bytes;
    taken->place = from->taken == from->bytes ? place + 1 : place;
    return NULL;
}

static const char *collective_gather_take(net_collective *collective, unsigned phase,
                                          const net_message *message, status *out_failure)
{
    (void)phase;
    const char *wrong = NULL;
    for (uint32_t at = 0; at < message->bytes && !wrong && !*out_failure;) {
        piece head;
        if (message->bytes - at < sizeof head)
            return "a piece without bytes";
        memcpy(&head, message->data + at, sizeof head);
        at += (uint32_t)sizeof head;
        if (head.bytes > message->bytes - at)
            return "a piece that is cut off";
        wrong = take_piece((gathering *)collective, message->peer, &head, message->data + at,
                           out_failure);
        at += head.bytes;
    }
    return wrong;
}

static const char *collective_gather_received(const net_collective *collective, unsigned phase)
{
    (void)phase;
    const gathering *g = (const gathering *)collective;
    for (unsigned rank = 0; rank < g->tree.ranks; rank++) {
        unsigned place = net_tree_place(g->tree, rank);
        if (net_tree_is_neighbor(g->tree, collective->query->comm->rank, rank) &&
            gather_skip(g, place, g->place, g->taken[rank].place) != g->tree.ranks)
            return "less bytes than were announced";
    }
    return NULL;
}

static void close_gathering(net_collective *collective)
{
    gathering *g = (gathering *)collective;
    for (unsigned rank = 0; g->gathered && rank < g->tree.ranks; rank++)
        mem_free(g->gathered[rank].data);
    mem_free(g->gathered);
    mem_free(g->sent);
    mem_budget_give(g->base.query->budget, g->charged);
}

static const net_collective_ops ops = {collective_gather_next, collective_gather_fill,
                                       collective_gather_take, collective_gather_received,
                                       close_gathering};

/* ---- beginning ---- */

/* This rank's own bytes. */
static status gather_begin(gathering *g, unsigned rank, const char *name, const void *data,
                           uint64_t bytes)
{
    unsigned ranks = g->tree.ranks;
    g->sent = mem_new_array(2 * (size_t)ranks, sizeof *g->sent);
    g->gathered = mem_new_array(ranks, sizeof *g->gathered);
    if (!g->sent || !g->gathered)
        return status_no_memory("gathered bytes", ranks * sizeof *g->gathered);
    g->taken = g->sent + ranks;
    gathered *own = &g->gathered[rank];
    TRY(begin_rank(g, name, own, bytes));
    if (bytes)
        memcpy(own->data, data, bytes);
    own->taken = bytes;
    return STATUS_OK;
}

status net_gather(net_query *query, uint32_t id, const char *name, const void *data, uint64_t bytes,
                  unsigned root, uint64_t bytes_max, net_collective **out)
{
    *out = NULL;
    gathering *g = mem_new(sizeof *g);
    if (!g)
        return status_no_memory("gathered bytes", sizeof *g);
    g->base.ops = &ops;
    g->base.query = query;
    g->is_for_all = root == NET_ANY;
    g->tree = (net_tree){.ranks = query->comm->ranks, .root = g->is_for_all ? 0 : root};
    g->place = net_tree_place(g->tree, query->comm->rank);
    g->bytes_left = bytes_max;
    status st = gather_begin(g, query->comm->rank, name, data, bytes);
    if (st) {
        close_gathering(&g->base);
        mem_free(g);
        return st;
    }
    const net_collective_form form = {.id = id,
                                      .name = name,
                                      .message_bytes = COLLECTIVE_MESSAGE_BYTES,
                                      .phase_count = 1,
                                      .tree = &g->tree};
    return net_collective_open(query, &form, &g->base, out);
}

const char *net_collective_bytes(const net_collective *collective, unsigned rank,
                                 uint64_t *out_bytes)
{
    const gathering *g = (const gathering *)collective;
    *out_bytes = g->gathered[rank].bytes;
    return g->gathered[rank].data ? g->gathered[rank].data : "";
}
