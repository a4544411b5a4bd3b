/* collective_unite.c - the union of all ranks' bitmaps.
 *
 *   phase 0   part k of every rank's bitmap goes to rank k, which unites them in its own
 *   phase 1   rank k's united part goes to all
 *
 * (reduce-scatter and allgather: each rank sends and receives about 2 x its bytes, however many
 * ranks there are; more than EACH_TO_EACH_RANKS are a tree.) A message is the bitmap's length, where the piece begins, and the piece. */
#include "net/collective.h"

#define HEAD_WORDS 2
/* Ranks up to which messages to each cost less than bytes that go along a tree. */
#define EACH_TO_EACH_RANKS 8

typedef struct uniting {
    net_collective base;
    uint64_t *words; /* the caller's */
    uint64_t word_count;
    uint64_t *counts; /* words to and from each rank, in each phase */
} uniting;

/* Words that went to the rank in the phase, and that came from it. */
static uint64_t *sent_of(const uniting *u, unsigned phase, unsigned rank)
{
    return &u->counts[2 * phase * u->base.query->comm->ranks + rank];
}

static uint64_t *taken_of(const uniting *u, unsigned phase, unsigned rank)
{
    return &u->counts[(2 * phase + 1) * u->base.query->comm->ranks + rank];
}

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

static collective_next collective_unite_next(const net_collective *collective, unsigned phase,
                                             unsigned peer)
{
    const uniting *u = (const uniting *)collective;
    unsigned part = collective_unite_part_of(phase, collective->query->comm->rank, peer);
    uint64_t words = part_begin(u, part + 1) - part_begin(u, part);
    return *sent_of(u, phase, peer) == words ? COLLECTIVE_NONE : COLLECTIVE_READY;
}

static void collective_unite_fill(net_collective *collective, unsigned phase, net_message *message)
{
    uniting *u = (uniting *)collective;
    unsigned part = collective_unite_part_of(phase, collective->query->comm->rank, message->peer);
    uint64_t *sent = sent_of(u, phase, message->peer);
    uint64_t at = part_begin(u, part) + *sent, end = part_begin(u, part + 1);
    uint64_t room = message->room / sizeof *u->words - HEAD_WORDS;
    uint64_t count = end - at < room ? end - at : room;
    uint64_t head[HEAD_WORDS] = {u->word_count, at};
    memcpy(message->data, head, sizeof head);
    memcpy(message->data + sizeof head, u->words + at, count * sizeof *u->words);
    message->bytes = (uint32_t)(sizeof head + count * sizeof *u->words);
    *sent += count;
}

static const char *collective_unite_take(net_collective *collective, unsigned phase,
                                         const net_message *message, status *out_failure)
{
    (void)out_failure;
    static const char differs[] = "another rank has a bitmap of another length";
    uniting *u = (uniting *)collective;
    uint64_t head[HEAD_WORDS];
    unsigned part = collective_unite_part_of(phase, message->peer, collective->query->comm->rank);
    uint64_t *taken = taken_of(u, phase, message->peer);
    uint64_t at = part_begin(u, part) + *taken, end = part_begin(u, part + 1);
    if (message->bytes < sizeof head || message->bytes % sizeof *u->words)
        return differs;
    memcpy(head, message->data, sizeof head);
    uint64_t count = (message->bytes - sizeof head) / sizeof *u->words;
    if (head[0] != u->word_count || head[1] != at || count > end - at)
        return differs;
    const uint64_t *piece = (const uint64_t *)(message->data + sizeof head);
    for (uint64_t i = 0; i < count; i++)
        u->words[at + i] = phase == 0 ? u->words[at + i] | piece[i] : piece[i];
    *taken += count;
    return NULL;
}

static const char *collective_unite_received(const net_collective *collective, unsigned phase)
{
    const uniting *u = (const uniting *)collective;
    unsigned rank = collective->query->comm->rank, ranks = collective->query->comm->ranks;
    for (unsigned peer = 0; peer < ranks; peer++) {
        unsigned part = collective_unite_part_of(phase, peer, rank);
        uint64_t expected = part_begin(u, part + 1) - part_begin(u, part);
        if (peer != rank && *taken_of(u, phase, peer) != expected)
            return "another rank has a shorter bitmap";
    }
    return NULL;
}

static void close_uniting(net_collective *collective)
{
    mem_free(((uniting *)collective)->counts);
}

static const net_collective_ops ops = {collective_unite_next, collective_unite_fill,
                                       collective_unite_take, collective_unite_received,
                                       close_uniting};

status net_unite(net_query *query, uint32_t id, const char *name, uint64_t *words,
                 uint64_t word_count, net_collective **out)
{
    unsigned ranks = query->comm->ranks;
    size_t counts = 2 * COLLECTIVE_PHASES * (size_t)ranks;
    *out = NULL;
    if (ranks > EACH_TO_EACH_RANKS)
        return net_unite_tree(query, id, name, words, word_count, out);
    uniting *u = mem_new(sizeof *u);
    if (!u)
        return status_no_memory("bitmap's union", sizeof *u);
    u->base.ops = &ops;
    u->words = words;
    u->word_count = word_count;
    u->counts = mem_new_array(counts, sizeof *u->counts);
    if (!u->counts) {
        mem_free(u);
        return status_no_memory("bitmap's union", counts * sizeof *u->counts);
    }
    const net_collective_form form = {.id = id,
                                      .name = name,
                                      .message_bytes = COLLECTIVE_MESSAGE_BYTES,
                                      .phase_count = COLLECTIVE_PHASES};
    return net_collective_open(query, &form, &u->base, out);
}
