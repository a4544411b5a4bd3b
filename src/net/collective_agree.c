/* collective_agree.c - words that all ranks combine: each sends its own to all, and all compute the
 * same. */
#include "net/collective.h"

typedef struct agreement {
    net_collective base;
    uint32_t count;
    uint64_t *words;     /* of each rank, one after another */
    uint64_t *result;    /* within the same memory */
    bool *has_sent;      /* to each rank */
    bool *has_come;      /* from each */
    uint8_t *operations; /* within `has_sent`'s memory */
} agreement;

static bool collective_agree_fill(net_collective *collective, unsigned phase, net_message *message)
{
    (void)phase;
    agreement *a = (agreement *)collective;
    if (a->has_sent[message->peer])
        return false;
    a->has_sent[message->peer] = true;
    const uint64_t *own = a->words + (size_t)collective->query->comm->rank * a->count;
    message->bytes = (uint32_t)(a->count * sizeof *own);
    memcpy(message->data, own, message->bytes);
    return true;
}

static const char *collective_agree_take(net_collective *collective, unsigned phase,
                                         const net_message *message, status *out_failure)
{
    (void)phase, (void)out_failure;
    agreement *a = (agreement *)collective;
    if (a->has_come[message->peer] || message->bytes != a->count * sizeof *a->words)
        return "another rank has other words to agree on";
    a->has_come[message->peer] = true;
    memcpy(a->words + (size_t)message->peer * a->count, message->data, message->bytes);
    return NULL;
}

static uint64_t combine(net_operation operation, uint64_t a, uint64_t b)
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

static const char *collective_agree_received(net_collective *collective, unsigned phase)
{
    (void)phase;
    agreement *a = (agreement *)collective;
    unsigned ranks = collective->query->comm->ranks;
    for (unsigned rank = 0; rank < ranks; rank++)
        if (!a->has_come[rank])
            return "a rank has nothing to agree on";
    memcpy(a->result, a->words, a->count * sizeof *a->words);
    for (unsigned rank = 1; rank < ranks; rank++)
        for (uint32_t i = 0; i < a->count; i++)
            a->result[i] =
                combine(a->operations[i], a->result[i], a->words[(size_t)rank * a->count + i]);
    return NULL;
}

static void close_agreement(net_collective *collective)
{
    agreement *a = (agreement *)collective;
    mem_free(a->words);
    mem_free(a->has_sent);
}

static const net_collective_ops ops = {collective_agree_fill, collective_agree_take,
                                       collective_agree_received, close_agreement};

static status collective_agree_allocate(agreement *a, unsigned ranks)
{
    size_t bytes = ((size_t)ranks + 1) * a->count * sizeof *a->words;
    a->words = mem_new(bytes);
    a->has_sent = mem_new(2 * (size_t)ranks + a->count);
    if (!a->words || !a->has_sent)
        return status_no_memory("agreement", bytes);
    a->result = a->words + (size_t)ranks * a->count;
    a->has_come = a->has_sent + ranks;
    a->operations = (uint8_t *)(a->has_come + ranks);
    return STATUS_OK;
}

status net_agree(net_query *query, uint32_t id, const char *name, const uint64_t *words,
                 const uint8_t *operations, uint32_t count, net_collective **out)
{
    unsigned rank = query->comm->rank;
    *out = NULL;
    if (!count || count > NET_AGREE_WORDS_MAX)
        return status_new(STATUS_KIND_INTERNAL, "%u words to agree on", count);
    agreement *a = mem_new(sizeof *a);
    if (!a)
        return status_no_memory("agreement", sizeof *a);
    a->base.ops = &ops;
    a->count = count;
    status st = collective_agree_allocate(a, query->comm->ranks);
    if (st) {
        close_agreement(&a->base);
        mem_free(a);
        return st;
    }
    memcpy(a->words + (size_t)rank * count, words, count * sizeof *words);
    memcpy(a->operations, operations, count);
    size_t bytes = count * sizeof *words;
    uint32_t message_bytes =
        bytes < NET_MESSAGE_BYTES_MIN ? NET_MESSAGE_BYTES_MIN : (uint32_t)bytes;
    return net_collective_open(query, id, name, message_bytes, 1, true, &a->base, out);
}

const uint64_t *net_collective_words(const net_collective *collective)
{
    return ((const agreement *)collective)->result;
}

int net_collective_differs(const net_collective *collective, uint32_t word)
{
    const agreement *a = (const agreement *)collective;
    unsigned ranks = collective->query->comm->ranks;
    for (unsigned rank = 1; rank < ranks && a->operations[word] == NET_SAME; rank++)
        if (a->words[(size_t)rank * a->count + word] != a->words[word])
            return (int)rank;
    return -1;
}
