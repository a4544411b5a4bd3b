/* collective_gather.c - bytes of each rank, to one or to all. A message is how many the rank has in
 * all, and the next of them. */
#include "net/collective.h"

typedef struct gathered {
    char *data;
    uint64_t bytes, taken;
    bool has_begun;
} gathered;

typedef struct gathering {
    net_collective base;
    const char *data; /* the caller's */
    uint64_t bytes, bytes_left;
    unsigned root;
    uint64_t *sent;     /* to each rank */
    gathered *gathered; /* of each rank */
    uint64_t charged;
} gathering;

static bool is_root(const gathering *g, unsigned rank)
{
    return g->root == NET_ANY || g->root == rank;
}

static bool collective_gather_fill(net_collective *collective, unsigned phase, net_message *message)
{
    (void)phase;
    gathering *g = (gathering *)collective;
    uint64_t *sent = &g->sent[message->peer];
    if (!is_root(g, message->peer) || *sent == g->bytes)
        return false;
    uint64_t left = g->bytes - *sent, room = message->room - sizeof g->bytes;
    uint64_t count = left < room ? left : room;
    memcpy(message->data, &g->bytes, sizeof g->bytes);
    memcpy(message->data + sizeof g->bytes, g->data + *sent, count);
    message->bytes = (uint32_t)(sizeof g->bytes + count);
    *sent += count;
    return true;
}

/* Room for what a rank says that it has. */
static status begin_rank(gathering *g, gathered *from, uint64_t bytes)
{
    const char *name = g->base.exchanges[0]->name;
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

static const char *collective_gather_take(net_collective *collective, unsigned phase,
                                          const net_message *message, status *out_failure)
{
    (void)phase;
    gathering *g = (gathering *)collective;
    gathered *from = &g->gathered[message->peer];
    uint64_t bytes;
    if (message->bytes <= sizeof bytes)
        return "a message without bytes";
    memcpy(&bytes, message->data, sizeof bytes);
    if (!from->has_begun && (*out_failure = begin_rank(g, from, bytes)) != NULL)
        return NULL;
    uint64_t count = message->bytes - sizeof bytes;
    if (bytes != from->bytes || count > from->bytes - from->taken)
        return "more bytes than were announced";
    memcpy(from->data + from->taken, message->data + sizeof bytes, count);
    from->taken += count;
    return NULL;
}

static const char *collective_gather_received(net_collective *collective, unsigned phase)
{
    (void)phase;
    const gathering *g = (const gathering *)collective;
    for (unsigned rank = 0; rank < collective->query->comm->ranks; rank++)
        if (g->gathered[rank].taken != g->gathered[rank].bytes)
            return "less bytes than were announced";
    return NULL;
}

static void close_gathering(net_collective *collective)
{
    gathering *g = (gathering *)collective;
    for (unsigned rank = 0; g->gathered && rank < g->base.query->comm->ranks; rank++)
        mem_free(g->gathered[rank].data);
    mem_free(g->gathered);
    mem_free(g->sent);
    mem_budget_give(g->base.query->budget, g->charged);
}

static const net_collective_ops ops = {collective_gather_fill, collective_gather_take,
                                       collective_gather_received, close_gathering};

status net_gather(net_query *query, uint32_t id, const char *name, const void *data, uint64_t bytes,
                  unsigned root, uint64_t bytes_max, net_collective **out)
{
    unsigned ranks = query->comm->ranks;
    *out = NULL;
    gathering *g = mem_new(sizeof *g);
    if (!g)
        return status_no_memory("gathered bytes", sizeof *g);
    g->base.ops = &ops;
    g->base.query = query;
    g->data = data;
    g->bytes = bytes;
    g->bytes_left = bytes_max;
    g->root = root;
    g->sent = mem_new_array(ranks, sizeof *g->sent);
    g->gathered = mem_new_array(ranks, sizeof *g->gathered);
    if (!g->sent || !g->gathered) {
        close_gathering(&g->base);
        mem_free(g);
        return status_no_memory("gathered bytes", ranks * sizeof *g->gathered);
    }
    return net_collective_open(query, id, name, COLLECTIVE_MESSAGE_BYTES, 1,
                               is_root(g, query->comm->rank), &g->base, out);
}

const char *net_collective_bytes(const net_collective *collective, unsigned rank,
                                 uint64_t *out_bytes)
{
    const gathering *g = (const gathering *)collective;
    *out_bytes = g->gathered[rank].bytes;
    return g->gathered[rank].data ? g->gathered[rank].data : "";
}
