/* aggregate_texts.c - numbering texts.
 *
 * A dictionary of each row group is to be numbered before its rows can be grouped, so one table under one lock would
 * have all tasks wait for each other. On hosts a task packs and hashes its texts, orders them by shard, and takes one
 * shard after the other, beginning with another than its neighbours. */
#include "exec/aggregate/aggregate_texts.h"

static size_t shard_count(const numbered_texts *numbered)
{
    return (size_t)1 << numbered->bits;
}

status numbered_texts_init(numbered_texts *numbered, const device *dev, data_type type,
                           const char *who)
{
    numbered->bits = dev->is_host ? TEXT_SHARD_BITS : 0;
    for (size_t s = 0; s < shard_count(numbered); s++) {
        exec_lock_init(&numbered->shards[s].lock);
        hash_groups_init(&numbered->shards[s].texts, &numbered->layout, who);
    }
    return key_layout_init(&numbered->layout, &type, 1, false);
}

void numbered_texts_release(numbered_texts *numbered)
{
    for (size_t s = 0; s < shard_count(numbered); s++) {
        hash_groups_release(&numbered->shards[s].texts);
        exec_lock_destroy(&numbered->shards[s].lock);
    }
    key_layout_release(&numbered->layout);
}

static uint64_t table_bytes(const hash_groups *texts)
{
    return texts->heap.bytes + (texts->rows ? texts->rows->bytes : 0) +
           (texts->slots ? texts->slots->bytes : 0);
}

/* Under the shard's lock: looks up, and adds what changed to the sums. */
static status find_in_shard(numbered_texts *numbered, dev_stream *stream, text_shard *shard,
                            const packed_rows *rows, const uint32_t *hashes, uint32_t *out,
                            uint64_t *added)
{
    hash_groups *texts = &shard->texts;
    uint64_t count = texts->count, bytes = table_bytes(texts);
    status st = hash_groups_find_hashed(texts, stream, rows, hashes, out);
    atomic_fetch_add_explicit(&numbered->count, texts->count - count, memory_order_relaxed);
    atomic_fetch_add_explicit(&numbered->bytes, table_bytes(texts) - bytes, memory_order_relaxed);
    *added += texts->count - count;
    return st;
}

/* Texts in memory of a task's own. On hosts all lies in one piece, which for the few texts of most dictionaries is
 * on the stack: pieces of the device's would cost more than the texts. */
#define FEW_TEXTS 128
#define BYTES_PER_TEXT (sizeof(string_view) + 4 * sizeof(uint32_t))
#define ENDS_BYTES (((1u << TEXT_SHARD_BITS) + 2) * sizeof(uint32_t))

typedef struct text_batch {
    uint64_t count;
    packed_rows packed;
    dev_buffer *packed_owner, *owner; /* owner: of what follows; NULL: somebody else's */
    uint8_t *rows; /* of the texts shard by shard; those that follow lie so, but hashes */
    uint32_t *order, *row_hashes, *numbers, *hashes;
    uint32_t *ends; /* of shards, behind the first one's beginning */
} text_batch;

static void batch_release(text_batch *batch)
{
    dev_buffer_unref(batch->packed_owner);
    dev_buffer_unref(batch->owner);
}

static status batch_pack(const numbered_texts *numbered, exec_task *task, tensor **column,
                         uint64_t first, text_batch *batch)
{
    const uint8_t *packed;
    TRY(key_layout_pack(&numbered->layout, task, column, dev_count_exact(first + batch->count),
                        &packed, &batch->packed_owner));
    batch->packed = (packed_rows){.rows = packed + first * numbered->layout.stride,
                                  .count = dev_count_exact(batch->count),
                                  .columns = column,
                                  .column_count = 1};
    return STATUS_OK;
}

static status batch_hash(const numbered_texts *numbered, dev_stream *stream, text_batch *batch)
{
    const key_layout *layout = &numbered->layout;
    return DEV_LAUNCH(stream, keys_hash, .rows = batch->packed.rows, .count = batch->packed.count,
                      .stride = layout->stride, .text_count = layout->text_count,
                      .interval_count = layout->interval_count, .out = batch->hashes);
}

/* few: FEW_TEXTS * BYTES_PER_TEXT + ENDS_BYTES bytes of the caller's. */
static status batch_room(const numbered_texts *numbered, dev_stream *stream, text_batch *batch,
                         void *few)
{
    uint64_t count = batch->count;
    uint8_t *memory = few;
    if (count > FEW_TEXTS) {
        TRY(dev_alloc(stream->dev, count * BYTES_PER_TEXT + ENDS_BYTES,
                      numbered->shards[0].texts.who, &batch->owner));
        memory = batch->owner->address;
    }
    batch->rows = memory;
    batch->order = (uint32_t *)(memory + count * sizeof(string_view));
    batch->row_hashes = batch->order + count;
    batch->numbers = batch->row_hashes + count;
    batch->hashes = batch->numbers + count;
    batch->ends = batch->hashes + count;
    memset(batch->ends, 0, ENDS_BYTES);
    return STATUS_OK;
}

static status batch_order(const numbered_texts *numbered, dev_stream *stream,
                          const text_batch *batch)
{
    dev_count count = batch->packed.count;
    TRY(DEV_LAUNCH(stream, groups_partition, .hashes = batch->hashes, .count = count,
                   .bits = numbered->bits, .first = 0, .out = batch->order,
                   .offsets = batch->ends));
    TRY(DEV_LAUNCH(stream, keys_gather, .rows = batch->packed.rows,
                   .stride = numbered->layout.stride, .index = batch->order, .count = count,
                   .out = batch->rows));
    return DEV_LAUNCH(stream, gather_index, .first = batch->hashes, .second = batch->order,
                      .count = count, .out = batch->row_hashes);
}

static status check_numbers(const numbered_texts *numbered, uint64_t texts)
{
    if (texts < ROW_NULL >> numbered->bits)
        return STATUS_OK;
    return status_new(STATUS_KIND_LIMIT, "%s has more than %u different texts in a key",
                      numbered->shards[0].texts.who, ROW_NULL >> numbered->bits);
}

/* The numbers of one shard's texts go to where these came from. */
static void spread_numbers(const numbered_texts *numbered, const text_batch *batch, size_t shard,
                           uint32_t first, uint32_t end, uint32_t *out)
{
    for (uint32_t i = first; i < end; i++)
        out[batch->order[i]] = batch->numbers[i] << numbered->bits | (uint32_t)shard;
}

static status batch_find(numbered_texts *numbered, exec_task *task, const text_batch *batch,
                         uint32_t *out, uint64_t *added)
{
    const uint32_t *ends = batch->ends;
    size_t count = shard_count(numbered), begin = task->index * count / task->count;
    for (size_t i = 0; i < count; i++) {
        size_t s = (begin + i) % count;
        uint32_t first = ends[s], end = ends[s + 1];
        text_shard *shard = &numbered->shards[s];
        packed_rows rows = {.rows = batch->rows + (size_t)first * numbered->layout.stride,
                            .count = dev_count_exact(end - first),
                            .columns = batch->packed.columns,
                            .column_count = 1};
        if (first == end)
            continue;
        TRY(exec_lock_take(&shard->lock, task->stream));
        status st = find_in_shard(numbered, task->stream, shard, &rows, batch->row_hashes + first,
                                  batch->numbers + first, added);
        uint64_t texts = shard->texts.count;
        exec_lock_give(&shard->lock, task->stream);
        TRY(st);
        TRY(check_numbers(numbered, texts));
        spread_numbers(numbered, batch, s, first, end, out);
    }
    return STATUS_OK;
}

static status find_on_host(numbered_texts *numbered, exec_task *task, text_batch *batch,
                           uint32_t *out, uint64_t *added)
{
    max_align_t few[(FEW_TEXTS * BYTES_PER_TEXT + ENDS_BYTES) / sizeof(max_align_t) + 1];
    TRY(batch_room(numbered, task->stream, batch, few));
    TRY(batch_hash(numbered, task->stream, batch));
    TRY(batch_order(numbered, task->stream, batch));
    return batch_find(numbered, task, batch, out, added);
}

/* Finds texts on the device. If it asks how many are new, it first awaits what is not known yet. */
static status find_on_device(numbered_texts *numbered, exec_task *task, text_batch *batch,
                             uint32_t *out, uint64_t *added, bool is_asked)
{
    hash_groups *texts = &numbered->shards[0].texts;
    TRY(key_layout_hash(&numbered->layout, task->stream, batch->packed.rows, batch->packed.count,
                        &batch->owner));
    if (is_asked)
        TRY(numbered_texts_learn(numbered, task->stream));
    uint64_t before = texts->count;
    TRY(find_in_shard(numbered, task->stream, &numbered->shards[0], &batch->packed,
                      batch->owner->address, out, added));
    if (is_asked)
        TRY(numbered_texts_learn(numbered, task->stream));
    *added = texts->count - before;
    return STATUS_OK;
}

status numbered_texts_find(numbered_texts *numbered, exec_task *task, tensor *column,
                           uint64_t first, uint64_t end, uint32_t *out, uint64_t *added)
{
    text_batch batch = {.count = end - first};
    uint64_t found = 0;
    if (added)
        *added = 0;
    if (first == end)
        return STATUS_OK;
    status st = batch_pack(numbered, task, &column, first, &batch);
    if (!st && numbered->bits)
        st = find_on_host(numbered, task, &batch, out + first, &found);
    else if (!st)
        st = find_on_device(numbered, task, &batch, out + first, &found, added);
    batch_release(&batch);
    if (added)
        *added = found;
    return st;
}

status numbered_texts_ask(numbered_texts *numbered, dev_stream *stream)
{
    return numbered->bits ? STATUS_OK : hash_groups_ask(&numbered->shards[0].texts, stream);
}

status numbered_texts_learn(numbered_texts *numbered, dev_stream *stream)
{
    if (numbered->bits)
        return STATUS_OK;
    TRY(hash_groups_learn(&numbered->shards[0].texts, stream));
    atomic_store(&numbered->count, numbered->shards[0].texts.count);
    return STATUS_OK;
}

status numbered_texts_share(numbered_texts *numbered, dev_stream *stream, text_heap *heap)
{
    TRY(numbered_texts_learn(numbered, stream));
    for (size_t s = 0; s < shard_count(numbered); s++) {
        text_shard *shard = &numbered->shards[s];
        TRY(exec_lock_take(&shard->lock, stream));
        status st = text_heap_share(heap, &shard->texts.heap);
        exec_lock_give(&shard->lock, stream);
        TRY(st);
    }
    return STATUS_OK;
}

/* A table's texts, FLAT. */
static status shard_column(const numbered_texts *numbered, dev_stream *stream,
                           const hash_groups *texts, tensor **out)
{
    if (!texts->count)
        return tensor_new_flat(stream->dev, numbered->layout.types[0], 0, false, out);
    return key_layout_unpack(&numbered->layout, stream, texts->rows->address, texts->count, 0, out);
}

/* Makes room for numbers up to the shard's last, and puts its texts there. */
static status spread_texts(const numbered_texts *numbered, dev_stream *stream, size_t s,
                           string_view *views, text_heap *heap)
{
    const hash_groups *texts = &numbered->shards[s].texts;
    tensor *column;
    TRY(shard_column(numbered, stream, texts, &column));
    const string_view *from = column->values;
    for (uint64_t i = 0; i < texts->count; i++)
        views[i << numbered->bits | s] = from[i];
    tensor_unref(column);
    return text_heap_share(heap, &texts->heap);
}

/* All shards' locks: texts are added between any two looks at them. */
static status take_all(numbered_texts *numbered, dev_stream *stream, size_t *taken)
{
    for (*taken = 0; *taken < shard_count(numbered); ++*taken)
        TRY(exec_lock_take(&numbered->shards[*taken].lock, stream));
    return STATUS_OK;
}

static status column_on_host(numbered_texts *numbered, dev_stream *stream, text_heap *heap,
                             tensor **out, uint64_t *rows)
{
    uint64_t most = 0;
    for (size_t s = 0; s < shard_count(numbered); s++)
        most = numbered->shards[s].texts.count > most ? numbered->shards[s].texts.count : most;
    *rows = most << numbered->bits;
    TRY(tensor_new_flat(stream->dev, numbered->layout.types[0], *rows, false, out));
    if (*rows)
        TRY(stream->dev->ops->zero(stream, (*out)->values, *rows * sizeof(string_view)));
    for (size_t s = 0; s < shard_count(numbered); s++)
        TRY(spread_texts(numbered, stream, s, (*out)->values, heap));
    return STATUS_OK;
}

status numbered_texts_column(numbered_texts *numbered, dev_stream *stream, tensor **out,
                             uint64_t *rows)
{
    text_heap heap = {0};
    size_t taken;
    *out = NULL;
    TRY(numbered_texts_learn(numbered, stream));
    status st = take_all(numbered, stream, &taken);
    if (!st && numbered->bits) {
        st = column_on_host(numbered, stream, &heap, out, rows);
    } else if (!st) {
        *rows = numbered->shards[0].texts.count;
        st = shard_column(numbered, stream, &numbered->shards[0].texts, out);
        if (!st)
            st = text_heap_share(&heap, &numbered->shards[0].texts.heap);
    }
    while (taken)
        exec_lock_give(&numbered->shards[--taken].lock, stream);
    if (!st)
        st = text_heap_view(&heap, &(*out)->heap);
    text_heap_release(&heap);
    if (st) {
        tensor_unref(*out);
        *out = NULL;
    }
    return st;
}
