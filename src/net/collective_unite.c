/* collective_unite.c - the union of all ranks' bitmaps.
 *
 *   phase 0   part k of every rank's bitmap goes to rank k, which unites them in its own
 *   phase 1   rank k's united part goes to all
 *
 * (reduce-scatter and allgather: each rank sends and receives about 2 x its bytes, however many
 * ranks there are.) A message is the bitmap's length, where the piece begins, and the piece. */
#include "net/collective.h"

#define HEAD_WORDS 2

typedef struct uniting {
    net_collective base;
    uint64_t *words; /* the caller's */
    uint64_t word_count;
    uint64_t *sent, *taken; /* words to and from each rank, in this phase */
} uniting;

/* Returns where part k begins; that of the number of ranks is the end. */
static uint64_t part_begin(const uniting *u, unsigned part)
{
    return (uint64_t)((unsigned __int128)u->word_count * part / u->base.query->comm->ranks);
}

/* The part that is sent to `to` by `from`. */
static unsigned collective_unite_part_of(unsigned phase, unsigned from, unsigned to)
{
    return phase == 0 ? to : from;
}

static bool collective_unite_fill(net_collective *collective, unsigned phase, net_message *message)
{
    uniting *u = (uniting *)collective;
    unsigned rank = collective->query->comm->rank, peer = message->peer;
    unsigned part = collective_unite_part_of(phase, rank, peer);
    uint64_t at = part_begin(u, part) + u->sent[peer], end = part_begin(u, part + 1);
    if (at == end || peer == rank)
        return false;
    uint64_t room = message->room / sizeof *u->words - HEAD_WORDS;
    uint64_t count = end - at < room ? end - at : room;
    uint64_t head[HEAD_WORDS] = {u->word_count, at};
    memcpy(message->data, head, sizeof head);
    memcpy(message->data + sizeof head, u->words + at, count * sizeof *u->words);
    message->bytes = (uint32_t)(sizeof head + count * sizeof *u->words);
    u->sent[peer] += count;
    return true;
}

static const char *collective_unite_take(net_collective *collective, unsigned phase,
                                         const net_message *message, status *out_failure)
{
    (void)out_failure;
    static const char differs[] = "another rank has a bitmap of another length";
    uniting *u = (uniting *)collective;
    uint64_t head[HEAD_WORDS];
    unsigned part = collective_unite_part_of(phase, message->peer, collective->query->comm->rank);
    uint64_t at = part_begin(u, part) + u->taken[message->peer], end = part_begin(u, part + 1);
    if (message->bytes < sizeof head || message->bytes % sizeof *u->words)
        return differs;
    memcpy(head, message->data, sizeof head);
    uint64_t count = (message->bytes - sizeof head) / sizeof *u->words;
    if (head[0] != u->word_count || head[1] != at || count > end - at)
        return differs;
    const uint64_t *piece = (const uint64_t *)(message->data + sizeof head);
    for (uint64_t i = 0; i < count; i++)
        u->words[at + i] = phase == 0 ? u->words[at + i] | piece[i] : piece[i];
    u->taken[message->peer] += count;
    return NULL;
}

static const char *collective_unite_received(net_collective *collective, unsigned phase)
{
    uniting *u = (uniting *)collective;
    unsigned rank = collective->query->comm->rank, ranks = collective->query->comm->ranks;
    for (unsigned peer = 0; peer < ranks; peer++) {
        unsigned part = collective_unite_part_of(phase, peer, rank);
        uint64_t expected = part_begin(u, part + 1) - part_begin(u, part);
        if (peer != rank && u->taken[peer] != expected)
            return "another rank has a shorter bitmap";
        u->sent[peer] = u->taken[peer] = 0;
    }
    return NULL;
}

static void close_uniting(net_collective *collective)
{
    mem_free(((uniting *)collective)->sent);
}

static const net_collective_ops ops = {collective_unite_fill, collective_unite_take,
                                       collective_unite_received, close_uniting};

status net_unite(net_query *query, uint32_t id, const char *name, uint64_t *words,
                 uint64_t word_count, net_collective **out)
{
    unsigned ranks = query->comm->ranks;
    *out = NULL;
    uniting *u = mem_new(sizeof *u);
    if (!u)
        return status_no_memory("bitmap's union", sizeof *u);
    u->base.ops = &ops;
    u->words = words;
    u->word_count = word_count;
    u->sent = mem_new_array(2 * (size_t)ranks, sizeof *u->sent);
    if (!u->sent) {
        mem_free(u);
        return status_no_memory("bitmap's union", 2 * ranks * sizeof *u->sent);
    }
    u->taken = u->sent + ranks;
    return net_collective_open(query, id, name, COLLECTIVE_MESSAGE_BYTES, COLLECTIVE_PHASES, true,
                               &u->base, out);
}
