/* collective_agree.c - words that all ranks combine: each tells its parent what its children and itself
 * have, and the root tells all what came of it. */
#include "net/collective.h"

typedef struct agreement {
    net_collective base;
    uint32_t count, message_bytes;
    uint64_t *words; /* of this rank and all below it; then of all */
    int32_t *
        differs; /* for each word, the first of these ranks that has another than this one; -1: none */
    uint8_t *operations;
    unsigned children_left; /* that have not said theirs */
    bool has_result;
    bool *has_sent; /* to each rank */
    bool *has_come; /* from each */
} agreement;

static collective_next collective_agree_next(const net_collective *collective, unsigned phase,
                                             unsigned peer)
{
    (void)phase;
    const agreement *a = (const agreement *)collective;
    if (a->has_sent[peer])
        return COLLECTIVE_NONE;
    bool is_child = peer > collective->query->comm->rank;
    bool is_ready = is_child ? a->has_result : !a->children_left;
    return is_ready ? COLLECTIVE_READY : COLLECTIVE_LATER;
}

static void collective_agree_fill(net_collective *collective, unsigned phase, net_message *message)
{
    (void)phase;
    agreement *a = (agreement *)collective;
    size_t bytes = a->count * sizeof *a->words;
    a->has_sent[message->peer] = true;
    memcpy(message->data, a->words, bytes);
    memcpy(message->data + bytes, a->differs, a->count * sizeof *a->differs);
    message->bytes = a->message_bytes;
}

static uint64_t collective_agree_combine(net_operation operation, uint64_t a, uint64_t b)
{
    uint64_t sum;
    switch (operation) {
    case NET_SUM:
        return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
    case NET_MIN:
        return a < b ? a : b;
    case NET_MAX:
        return a > b ? a : b;
    case NET_MIN_SIGNED:
        return (int64_t)a < (int64_t)b ? a : b;
    case NET_MAX_SIGNED:
        return (int64_t)a > (int64_t)b ? a : b;
    case NET_OR:
        return a | b;
    case NET_AND:
        return a & b;
    case NET_SAME:
        break;
    }
    return a;
}

/* Words of a child, and of all below it. */
static void take_child_words(agreement *a, unsigned child, const uint64_t *words,
                             const int32_t *differs)
{
    for (uint32_t i = 0; i < a->count; i++) {
        int32_t other = words[i] == a->words[i] ? differs[i] : (int32_t)child;
        if (other >= 0 && (a->differs[i] < 0 || other < a->differs[i]))
            a->differs[i] = other;
        a->words[i] = collective_agree_combine(a->operations[i], a->words[i], words[i]);
    }
    a->children_left--;
}

static const char *collective_agree_take(net_collective *collective, unsigned phase,
                                         const net_message *message, status *out_failure)
{
    (void)phase, (void)out_failure;
    agreement *a = (agreement *)collective;
    const net_comm *comm = collective->query->comm;
    bool is_child = message->peer > comm->rank;
    if (a->has_come[message->peer] || message->bytes != a->message_bytes)
        return "another rank has other words to agree on";
    if (!is_child && !a->has_sent[message->peer])
        return "a rank agrees before it has been told";
    const uint64_t *words = (const uint64_t *)message->data;
    const int32_t *differs = (const int32_t *)(words + a->count);
    for (uint32_t i = 0; i < a->count; i++)
        if (differs[i] < -1 || differs[i] >= (int32_t)comm->ranks)
            return "a rank that there is not";
    a->has_come[message->peer] = true;
    if (is_child) {
        take_child_words(a, message->peer, words, differs);
        a->has_result = !comm->rank && !a->children_left;
    } else {
        memcpy(a->words, words, a->count * sizeof *words);
        memcpy(a->differs, differs, a->count * sizeof *differs);
        a->has_result = true;
    }
    return NULL;
}

static const char *collective_agree_received(const net_collective *collective, unsigned phase)
{
    (void)phase;
    const agreement *a = (const agreement *)collective;
    return a->has_result ? NULL : "a rank has nothing to agree on";
}

static void close_agreement(net_collective *collective)
{
    agreement *a = (agreement *)collective;
    mem_free(a->words);
    mem_free(a->has_sent);
}

static const net_collective_ops ops = {collective_agree_next, collective_agree_fill,
                                       collective_agree_take, collective_agree_received,
                                       close_agreement};

static status collective_agree_allocate(agreement *a, unsigned ranks)
{
    size_t bytes = a->count * (sizeof *a->words + sizeof *a->differs + sizeof *a->operations);
    a->words = mem_new(bytes);
    a->has_sent = mem_new(2 * (size_t)ranks);
    if (!a->words || !a->has_sent)
        return status_no_memory("agreement", bytes);
    a->differs = (int32_t *)(a->words + a->count);
    a->operations = (uint8_t *)(a->differs + a->count);
    a->has_come = a->has_sent + ranks;
    return STATUS_OK;
}

static void agree_begin(agreement *a, const net_query *query, const uint64_t *words,
                        const uint8_t *operations)
{
    unsigned ranks = query->comm->ranks, rank = query->comm->rank;
    memcpy(a->words, words, a->count * sizeof *words);
    memcpy(a->operations, operations, a->count);
    for (uint32_t i = 0; i < a->count; i++)
        a->differs[i] = -1;
    for (unsigned other = rank + 1; other < ranks; other++)
        a->children_left += net_tree_is_child(rank, other);
    a->has_result = ranks == 1;
}

status net_agree(net_query *query, uint32_t id, const char *name, const uint64_t *words,
                 const uint8_t *operations, uint32_t count, net_collective **out)
{
    *out = NULL;
    if (!count || count > NET_AGREE_WORDS_MAX)
        return status_new(STATUS_KIND_INTERNAL, "%u words to agree on", count);
    agreement *a = mem_new(sizeof *a);
    if (!a)
        return status_no_memory("agreement", sizeof *a);
    a->base.ops = &ops;
    a->count = count;
    a->message_bytes = (uint32_t)(count * (sizeof *a->words + sizeof *a->differs));
    status st = collective_agree_allocate(a, query->comm->ranks);
    if (st) {
        close_agreement(&a->base);
        mem_free(a);
        return st;
    }
    agree_begin(a, query, words, operations);
    const net_tree tree = {.ranks = query->comm->ranks};
    const net_collective_form form = {.id = id,
                                      .name = name,
                                      .message_bytes = a->message_bytes < NET_MESSAGE_BYTES_MIN
                                                           ? NET_MESSAGE_BYTES_MIN
                                                           : a->message_bytes,
                                      .phase_count = 1,
                                      .messages = 1,
                                      .tree = &tree};
    return net_collective_open(query, &form, &a->base, out);
}

const uint64_t *net_collective_words(const net_collective *collective)
{
    return ((const agreement *)collective)->words;
}

int net_collective_differs(const net_collective *collective, uint32_t word)
{
    const agreement *a = (const agreement *)collective;
    return a->operations[word] == NET_SAME ? a->differs[word] : -1;
}
