/* collective_unite_tree.c - the union of bitmaps of many ranks, along a tree.
 *
 *   up     a rank sends its parent the words that it has united with those of all its children
 *   down   the root's words are those of all: each rank takes them over, and sends them its children
 *
 * Both go on at the same time, piece by piece. A message is the bitmap's length, where the piece begins, and the
 * piece. */
#include "net/collective.h"

#define HEAD_WORDS 2

typedef struct uniting {
    net_collective base;
    net_tree tree;
    uint64_t *words; /* the caller's */
    uint64_t word_count;
    uint64_t *sent, *taken; /* words to and from each rank */
    bool *has_spoken;       /* to each rank */
} uniting;

/* Words that all children have said. */
static uint64_t united_below(const uniting *u)
{
    uint64_t least = u->word_count;
    unsigned rank = u->base.query->comm->rank;
    for (unsigned child = rank + 1; child < u->tree.ranks; child++)
        if (net_tree_is_child(rank, child) && u->taken[child] < least)
            least = u->taken[child];
    return least;
}

/* Words that can go to the peer so far: its parent is sent what is below, its children what is of all. */
static uint64_t words_for(const uniting *u, unsigned peer)
{
    unsigned rank = u->base.query->comm->rank;
    bool is_below = peer < rank || !rank;
    return is_below ? united_below(u) : u->taken[rank & (rank - 1)];
}

static collective_next unite_tree_next(const net_collective *collective, unsigned phase,
                                       unsigned peer)
{
    (void)phase;
    const uniting *u = (const uniting *)collective;
    if (u->sent[peer] == u->word_count)
        return u->has_spoken[peer] ? COLLECTIVE_NONE : COLLECTIVE_READY;
    return words_for(u, peer) > u->sent[peer] ? COLLECTIVE_READY : COLLECTIVE_LATER;
}

static void unite_tree_fill(net_collective *collective, unsigned phase, net_message *message)
{
    (void)phase;
    uniting *u = (uniting *)collective;
    uint64_t at = u->sent[message->peer], left = words_for(u, message->peer) - at;
    uint64_t room = message->room / sizeof *u->words - HEAD_WORDS;
    uint64_t count = left < room ? left : room;
    uint64_t head[HEAD_WORDS] = {u->word_count, at};
    memcpy(message->data, head, sizeof head);
    if (count)
        memcpy(message->data + sizeof head, u->words + at, count * sizeof *u->words);
    message->bytes = (uint32_t)(sizeof head + count * sizeof *u->words);
    u->sent[message->peer] += count;
    u->has_spoken[message->peer] = true;
}

static const char *unite_tree_take(net_collective *collective, unsigned phase,
                                   const net_message *message, status *out_failure)
{
    (void)phase, (void)out_failure;
    static const char differs[] = "another rank has a bitmap of another length";
    uniting *u = (uniting *)collective;
    uint64_t head[HEAD_WORDS], at = u->taken[message->peer];
    bool is_child = message->peer > collective->query->comm->rank;
    if (message->bytes < sizeof head || message->bytes % sizeof *u->words)
        return differs;
    memcpy(head, message->data, sizeof head);
    uint64_t count = (message->bytes - sizeof head) / sizeof *u->words;
    uint64_t end = is_child ? u->word_count : u->sent[message->peer];
    if (head[0] != u->word_count || head[1] != at || at > end || count > end - at)
        return differs;
    const uint64_t *piece = (const uint64_t *)(message->data + sizeof head);
    for (uint64_t i = 0; i < count; i++)
        u->words[at + i] = is_child ? u->words[at + i] | piece[i] : piece[i];
    u->taken[message->peer] += count;
    return NULL;
}

static const char *unite_tree_received(const net_collective *collective, unsigned phase)
{
    (void)phase;
    const uniting *u = (const uniting *)collective;
    for (unsigned rank = 0; rank < u->tree.ranks; rank++)
        if (net_tree_is_neighbor(u->tree, collective->query->comm->rank, rank) &&
            u->taken[rank] != u->word_count)
            return "another rank has a shorter bitmap";
    return NULL;
}

static void close_uniting_tree(net_collective *collective)
{
    mem_free(((uniting *)collective)->sent);
}

static const net_collective_ops ops = {unite_tree_next, unite_tree_fill, unite_tree_take,
                                       unite_tree_received, close_uniting_tree};

status net_unite_tree(net_query *query, uint32_t id, const char *name, uint64_t *words,
                      uint64_t word_count, net_collective **out)
{
    unsigned ranks = query->comm->ranks;
    size_t bytes = ranks * (2 * sizeof *words + sizeof(bool));
    *out = NULL;
    uniting *u = mem_new(sizeof *u);
    if (!u)
        return status_no_memory("bitmap's union", sizeof *u);
    u->base.ops = &ops;
    u->tree = (net_tree){.ranks = ranks};
    u->words = words;
    u->word_count = word_count;
    u->sent = mem_new(bytes);
    if (!u->sent) {
        mem_free(u);
        return status_no_memory("bitmap's union", bytes);
    }
    u->taken = u->sent + ranks;
    u->has_spoken = (bool *)(u->taken + ranks);
    const net_collective_form form = {.id = id,
                                      .name = name,
                                      .message_bytes = COLLECTIVE_MESSAGE_BYTES,
                                      .phase_count = 1,
                                      .tree = &u->tree};
    return net_collective_open(query, &form, &u->base, out);
}
