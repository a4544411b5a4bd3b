/* exchange_ranges.c - samples of all ranks become ranges, and rows find theirs.
 *
 *     split 0   split 1   split 2     a row goes to the rank of the last split that is not above it
 *   rank 0 │  rank 1 │  rank 2 │ rank 3
 *
 * A value that more rows have than a rank is to get is several splits. Its rows are dealt out to the ranks between
 * which these lie, where equal rows may be apart: by the shares of it that the splits cut off. */
#include "exec/exchange/exchange_ranges.h"

#include "base/system/mutex.h"
#include "device/chunk.h"
#include "device/chunk_transfer.h"
#include "device/kernels/kernel_ops.h"
#include "device/transfer.h"
#include "device/value/sort_key.h"
#include "exec/exchange/exchange_sample.h"

#include <stdlib.h>

/* Bytes of all ranks' samples, at most. */
#define SAMPLES_BYTES_MAX ((uint64_t)1 << 30)
/* A task's samples begin with their number, that of the rows they stand for, and that of their words. */
enum { HEAD_SAMPLES, HEAD_ROWS, HEAD_WORDS, HEAD_COUNT };

typedef struct range_sample {
    double weight; /* rows that it stands for */
    uint32_t key_count;
    const uint64_t *keys;
} range_sample;

/* Beginning of the next rank's range. */
typedef struct range_split {
    const uint64_t *keys;
    double share; /* of the rows that are equal to it, those below it */
} range_split;

struct exchange_ranges {
    exec_query *query;
    const plan_node *plan;
    uint32_t key_count;
    uint32_t *key_columns;
    pthread_mutex_t lock;
    ranges_words drawn; /* by this rank's tasks */
    net_collective *agreeing;
    bool is_ready;
    /* Set when it is: */
    ARRAY(range_sample) samples; /* of all ranks, in order */
    uint64_t *keys;              /* theirs */
    range_split *splits;         /* one less than ranks; fewer where there are no rows */
    uint32_t split_count;
    uint64_t *hashes; /* by rank: one that goes there */
};

uint32_t exchange_ranges_key_count(const exchange_ranges *ranges)
{
    return ranges->key_count;
}

/* ---- opening ---- */

static void exchange_ranges_find_hashes(exchange_ranges *ranges)
{
    for (uint32_t rank = 0; rank < ranges->query->rank_count; rank++)
        while (dev_rank_of(ranges->hashes[rank], ranges->query->rank_count) != rank)
            ranges->hashes[rank]++;
}

static status find_keys(exchange_ranges *ranges)
{
    for (uint32_t k = 0; k < ranges->key_count; k++) {
        int column =
            plan_column_index(ranges->plan, ranges->plan->exchange.order.items[k].key->column_id);
        if (column < 0)
            return status_new(STATUS_KIND_INTERNAL, "key %u of an exchange is not there", k);
        ranges->key_columns[k] = (uint32_t)column;
    }
    return STATUS_OK;
}

status exchange_ranges_new(exec_query *query, const plan_node *plan, exchange_ranges **out)
{
    exchange_ranges *ranges = mem_new(sizeof *ranges);
    *out = ranges;
    if (!ranges)
        return status_no_memory("exchange", sizeof *ranges);
    ranges->query = query;
    ranges->plan = plan;
    ranges->key_count = (uint32_t)plan->exchange.order.count;
    mutex_init(&ranges->lock);
    ranges->key_columns = mem_new_array(ranges->key_count + 1, sizeof *ranges->key_columns);
    ranges->splits = mem_new_array(query->rank_count, sizeof *ranges->splits);
    ranges->hashes = mem_new_array(query->rank_count, sizeof *ranges->hashes);
    if (!ranges->key_columns || !ranges->splits || !ranges->hashes)
        return status_no_memory("exchange", query->rank_count * sizeof *ranges->splits);
    exchange_ranges_find_hashes(ranges);
    return find_keys(ranges);
}

void exchange_ranges_free(exchange_ranges *ranges)
{
    if (!ranges)
        return;
    net_collective_close(ranges->agreeing);
    array_release(&ranges->drawn);
    array_release(&ranges->samples);
    mem_free(ranges->keys);
    mem_free(ranges->splits);
    mem_free(ranges->hashes);
    mem_free(ranges->key_columns);
    mutex_destroy(&ranges->lock);
    mem_free(ranges);
}

/* ---- keys ---- */

static status take_keys(const exchange_ranges *ranges, exec_task *task, const chunk *rows,
                        row_index *chosen, uint64_t count, chunk **out)
{
    chunk *keys;
    TRY(chunk_new(ranges->key_count, rows->rows, &keys));
    for (uint32_t k = 0; k < ranges->key_count; k++)
        keys->columns[k] = tensor_ref(rows->columns[ranges->key_columns[k]]);
    status st =
        chosen ? chunk_select(task->stream, keys, chosen, dev_count_exact(count), NULL) : STATUS_OK;
    if (!st)
        st = chunk_to_host(task->stream, keys, false, "ranges", out);
    chunk_free(keys);
    return st;
}

static status exchange_ranges_pack_keys(const exchange_ranges *ranges, dev_stream *host,
                                        chunk *rows, uint64_t *words)
{
    tensor *key;
    for (uint32_t k = 0; k < ranges->key_count; k++) {
        const plan_sort_key *order = &ranges->plan->exchange.order.items[k];
        TRY(chunk_flatten_column(host, rows, k, &key));
        TRY(DEV_LAUNCH(host, sort_pack, .type = key->type, .values = key->values,
                       .validity = key->validity, .count = rows->rows, .key = k,
                       .key_count = ranges->key_count, .is_descending = order->is_descending,
                       .nulls_first = order->nulls_first, .rows = words));
    }
    return STATUS_OK;
}

status exchange_ranges_pack(const exchange_ranges *ranges, exec_task *task, const chunk *rows,
                            row_index *chosen, uint64_t count, chunk **out_texts,
                            dev_buffer **out_keys)
{
    dev_stream host = {.dev = dev_host(task->stream->dev)};
    *out_texts = NULL;
    *out_keys = NULL;
    TRY(take_keys(ranges, task, rows, chosen, count, out_texts));
    TRY(dev_alloc(host.dev, count * ranges->key_count * RANGES_KEY_WORDS * sizeof(uint64_t),
                  "ranges", out_keys));
    return exchange_ranges_pack_keys(ranges, &host, *out_texts, (*out_keys)->address);
}

/* ---- samples of all ranks ---- */

status exchange_ranges_add(exchange_ranges *ranges, uint64_t rows, uint64_t samples,
                           const ranges_words *words)
{
    if (!samples)
        return STATUS_OK;
    mutex_lock(&ranges->lock);
    status st = array_reserve(NULL, &ranges->drawn, HEAD_COUNT + words->count);
    if (!st) {
        uint64_t *at = ranges->drawn.items + ranges->drawn.count;
        at[HEAD_SAMPLES] = samples;
        at[HEAD_ROWS] = rows;
        at[HEAD_WORDS] = words->count;
        memcpy(at + HEAD_COUNT, words->items, words->count * sizeof *at);
        ranges->drawn.count += HEAD_COUNT + words->count;
    }
    mutex_unlock(&ranges->lock);
    return st;
}

static status samples_are_wrong(uint32_t rank)
{
    return status_new(STATUS_KIND_CORRUPT, "the samples of rank %u are not of this exchange", rank);
}

/* Notes a task's samples; their keys are read when all are known. */
static status note_samples(exchange_ranges *ranges, uint32_t rank, const uint64_t *head,
                           const uint64_t *end)
{
    const uint64_t *at = head + HEAD_COUNT;
    double weight = (double)head[HEAD_ROWS] / (double)head[HEAD_SAMPLES];
    for (uint64_t i = 0; i < head[HEAD_SAMPLES]; i++) {
        size_t words = ranges_sample_words(at, end, ranges->key_count);
        if (!words)
            return samples_are_wrong(rank);
        range_sample sample = {.weight = weight, .key_count = ranges->key_count, .keys = at};
        TRY(array_push(NULL, &ranges->samples, sample));
        at += words;
    }
    return at == end ? STATUS_OK : samples_are_wrong(rank);
}

static status note_rank(exchange_ranges *ranges, uint32_t rank)
{
    uint64_t bytes;
    const char *data = net_collective_bytes(ranges->agreeing, rank, &bytes);
    const uint64_t *at = (const uint64_t *)(const void *)data;
    uint64_t left = bytes / sizeof *at;
    while (left) {
        if (left < HEAD_COUNT || !at[HEAD_SAMPLES] || left - HEAD_COUNT < at[HEAD_WORDS])
            return samples_are_wrong(rank);
        uint64_t words = HEAD_COUNT + at[HEAD_WORDS];
        TRY(note_samples(ranges, rank, at, at + words));
        at += words;
        left -= words;
    }
    return STATUS_OK;
}

static status read_samples(exchange_ranges *ranges)
{
    size_t words = (size_t)ranges->key_count * RANGES_KEY_WORDS;
    ranges->keys = mem_new_array(ranges->samples.count * words + 1, sizeof *ranges->keys);
    if (!ranges->keys)
        return status_no_memory("ranges", ranges->samples.count * words * sizeof *ranges->keys);
    for (size_t i = 0; i < ranges->samples.count; i++) {
        uint64_t *keys = ranges->keys + i * words;
        ranges_sample_read(ranges->samples.items[i].keys, ranges->key_count, keys);
        ranges->samples.items[i].keys = keys;
    }
    return STATUS_OK;
}

/* ---- splits ---- */

static int compare_samples(const void *left, const void *right)
{
    const range_sample *a = left, *b = right;
    return sort_key_compare(a->keys, b->keys, a->key_count, string_data);
}

/* Makes splits within the samples [first, end), which are equal; so many rows are below them. */
static void split_equals(exchange_ranges *ranges, size_t first, size_t end, double below,
                         double all)
{
    double weight = 0, step = all / ranges->query->rank_count;
    for (size_t i = first; i < end; i++)
        weight += ranges->samples.items[i].weight;
    while (ranges->split_count + 1 < ranges->query->rank_count) {
        double target = step * (ranges->split_count + 1);
        if (target >= below + weight)
            return;
        ranges->splits[ranges->split_count++] = (range_split){
            .keys = ranges->samples.items[first].keys, .share = (target - below) / weight};
    }
}

static void make_splits(exchange_ranges *ranges)
{
    double all = 0, below = 0;
    size_t count = ranges->samples.count, end;
    const range_sample *samples = ranges->samples.items;
    if (count)
        qsort(ranges->samples.items, count, sizeof *samples, compare_samples);
    for (size_t i = 0; i < count; i++)
        all += samples[i].weight;
    for (size_t first = 0; first < count; first = end) {
        double weight = 0;
        for (end = first; end < count && !compare_samples(&samples[first], &samples[end]); end++)
            weight += samples[end].weight;
        split_equals(ranges, first, end, below, all);
        below += weight;
    }
}

static status make_ranges(exchange_ranges *ranges)
{
    for (uint32_t rank = 0; rank < ranges->query->rank_count; rank++)
        TRY(note_rank(ranges, rank));
    TRY(read_samples(ranges));
    make_splits(ranges);
    return STATUS_OK;
}

static status exchange_ranges_agree(exchange_ranges *ranges, net_waiter *waiter,
                                    net_state *out_state)
{
    *out_state = NET_READY;
    if (ranges->is_ready)
        return STATUS_OK;
    if (!ranges->agreeing)
        TRY(net_gather(ranges->query->net, EXEC_NET_FIRST_EXCHANGE + ranges->plan->exchange.id + 1,
                       "ranges", ranges->drawn.items, ranges->drawn.count * sizeof(uint64_t),
                       NET_ANY, SAMPLES_BYTES_MAX, &ranges->agreeing));
    TRY(net_try_collective(ranges->agreeing, waiter, out_state));
    if (*out_state != NET_READY)
        return STATUS_OK;
    TRY(make_ranges(ranges));
    ranges->is_ready = true;
    return STATUS_OK;
}

status exchange_ranges_try(exchange_ranges *ranges, net_waiter *waiter, net_state *out_state)
{
    mutex_lock(&ranges->lock);
    status st = exchange_ranges_agree(ranges, waiter, out_state);
    mutex_unlock(&ranges->lock);
    return st;
}

/* ---- the rank of a row ---- */

/* Returns how many splits are below the keys, or (or_equal) not above them. */
static uint32_t splits_below(const exchange_ranges *ranges, const uint64_t *keys, bool or_equal)
{
    uint32_t low = 0, high = ranges->split_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        int order =
            sort_key_compare(ranges->splits[middle].keys, keys, ranges->key_count, string_data);
        if (order < 0 || (!order && or_equal))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Returns a number from 0 to 1: those of successive turns are spread evenly. */
static double turn_share(uint64_t turn)
{
    return (double)(uint32_t)(turn * UINT64_C(0x9e3779b9)) / 4294967296.0;
}

static uint32_t exchange_ranges_rank_of(const exchange_ranges *ranges, const uint64_t *keys,
                                        uint64_t *io_turn)
{
    uint32_t rank = splits_below(ranges, keys, true);
    if (!rank || ranges->plan->exchange.keeps_equals ||
        sort_key_compare(ranges->splits[rank - 1].keys, keys, ranges->key_count, string_data))
        return rank;
    double share = turn_share((*io_turn)++);
    for (uint32_t first = splits_below(ranges, keys, false); rank > first; rank--)
        if (ranges->splits[rank - 1].share <= share)
            return rank;
    return rank;
}

status exchange_ranges_hash(const exchange_ranges *ranges, exec_task *task, const chunk *rows,
                            uint64_t *io_turn, uint64_t *hashes)
{
    chunk *texts;
    dev_buffer *keys;
    uint64_t count = rows->rows.bound;
    size_t words = (size_t)ranges->key_count * RANGES_KEY_WORDS;
    status st = exchange_ranges_pack(ranges, task, rows, NULL, count, &texts, &keys);
    uint64_t *found = st ? NULL : mem_new_array(count + 1, sizeof *found);
    if (!st && !found)
        st = status_no_memory("ranges", count * sizeof *found);
    if (!st) {
        for (uint64_t i = 0; i < count; i++)
            found[i] = ranges->hashes[exchange_ranges_rank_of(
                ranges, (const uint64_t *)keys->address + i * words, io_turn)];
        st = dev_upload(task->stream, hashes, found, count * sizeof *found, "ranges");
    }
    mem_free(found);
    chunk_free(texts);
    dev_buffer_unref(keys);
    return st;
}
