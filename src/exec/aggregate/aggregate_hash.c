/* aggregate_hash.c - groups by hash.
 *
 *   slots: hash | number + 1, open addressing      rows: packed keys, in order of appearance
 *   +-------+---+-------+-------+---+              +----+----+----+--
 *   | h | 2 | 0 | h | 1 | h | 3 | 0 |     --->     | k0 | k1 | k2 |
 *   +-------+---+-------+-------+---+              +----+----+----+--
 *
 * Always: the directory is at most two thirds full, and there is room for all rows of a lookup to
 * be new. */
#include "exec/aggregate/aggregate_hash.h"

#include "device/transfer.h"

#define CAPACITY_MIN 1024
#define FEW_GROWTH                                                                                 \
    16 /* few rows, which may be wide, get room for so many times their number instead */
#define GROUPS_MAX ((uint64_t)1 << 31)

void hash_groups_init(hash_groups *groups, const key_layout *layout, const char *who)
{
    *groups = (hash_groups){.layout = layout, .who = who};
}

static void give_back_lent(hash_groups *groups)
{
    for (size_t i = 0; i < groups->lent.count; i++)
        string_heap_unref(groups->lent.items[i]);
    groups->lent.count = 0;
}

void hash_groups_release(hash_groups *groups)
{
    if (groups->words)
        dev_fetch_close(groups->words->dev, &groups->asked);
    give_back_lent(groups);
    array_release(&groups->lent);
    dev_buffer_unref(groups->rows);
    dev_buffer_unref(groups->slots);
    dev_buffer_unref(groups->hashes);
    dev_buffer_unref(groups->words);
    text_heap_release(&groups->heap);
    *groups = (hash_groups){0};
}

status hash_groups_reserve_rows(hash_groups *groups, dev_stream *stream, uint64_t capacity)
{
    dev_buffer *rows;
    size_t stride = groups->layout->stride;
    if (capacity <= groups->capacity)
        return STATUS_OK;
    TRY(dev_alloc(stream->dev, capacity * stride, groups->who, &rows));
    status st = groups->count ? stream->dev->ops->copy(stream, rows->address, groups->rows->address,
                                                       groups->count * stride)
                              : STATUS_OK;
    dev_buffer_unref(groups->rows);
    groups->rows = rows;
    groups->capacity = capacity;
    return st;
}

static status enlarge_slots(hash_groups *groups, dev_stream *stream, uint64_t slot_count)
{
    dev_buffer *slots;
    size_t bytes = slot_count * sizeof(uint64_t);
    TRY(dev_alloc(stream->dev, bytes, groups->who, &slots));
    status st = stream->dev->ops->zero(stream, slots->address, bytes);
    if (!st && groups->count)
        st = DEV_LAUNCH(stream, groups_rehash, .old_slots = groups->slots->address,
                        .old_slot_count = groups->slot_count, .slots = slots->address,
                        .slot_count = slot_count);
    dev_buffer_unref(groups->slots);
    groups->slots = slots;
    groups->slot_count = slot_count;
    return st;
}

static status reserve_slots(hash_groups *groups, dev_stream *stream, uint64_t needed)
{
    uint64_t slot_count = groups->slot_count ? groups->slot_count : CAPACITY_MIN;
    while (slot_count / 3 * 2 < needed)
        slot_count *= 2;
    return slot_count > groups->slot_count ? enlarge_slots(groups, stream, slot_count) : STATUS_OK;
}

/* ---- what is learnt later ---- */

#define WORDS 2

status hash_groups_ask(hash_groups *groups, dev_stream *stream)
{
    if (!groups->is_behind || groups->asked.words)
        return STATUS_OK;
    return dev_fetch_start(stream, groups->words->address, WORDS, &groups->asked);
}

/* New groups' strings go to the heap. */
static status own_text(hash_groups *groups, dev_stream *stream, uint64_t lent_bytes)
{
    const key_layout *layout = groups->layout;
    uint64_t needed = lent_bytes - groups->owned_bytes;
    uint8_t *first = (uint8_t *)groups->rows->address + groups->owned * layout->stride;
    dev_count count = dev_count_exact(groups->count - groups->owned);
    groups->owned = groups->count;
    groups->owned_bytes = lent_bytes;
    if (!needed)
        return STATUS_OK;
    TRY(text_heap_reserve(&groups->heap, stream, groups->who, needed));
    groups->heap.used += needed;
    return DEV_LAUNCH(stream, keys_own_text, .rows = first, .count = count,
                      .stride = layout->stride, .text_count = layout->text_count,
                      .heap = text_heap_address(&groups->heap),
                      .heap_used = groups->heap.words->address);
}

status hash_groups_learn(hash_groups *groups, dev_stream *stream)
{
    uint64_t words[WORDS];
    if (!groups->is_behind)
        return STATUS_OK;
    if (groups->asked.words)
        TRY(dev_fetch_finish(stream, &groups->asked, words));
    else
        TRY(dev_words_read(stream, groups->words->address, words, WORDS));
    groups->is_behind = false;
    groups->count = words[0];
    if (!groups->layout->text_count || groups->borrows_text)
        return STATUS_OK;
    TRY(own_text(groups, stream, words[1]));
    give_back_lent(groups);
    return STATUS_OK;
}

/* ---- looking up ---- */

static status check_count(const hash_groups *groups, uint64_t needed)
{
    if (needed <= GROUPS_MAX)
        return STATUS_OK;
    return status_new(STATUS_KIND_LIMIT, "%s has more than %llu groups", groups->who,
                      (unsigned long long)GROUPS_MAX);
}

static bool aggregate_hash_has_room(const hash_groups *groups, uint64_t needed)
{
    return needed <= groups->capacity && groups->slot_count / 3 * 2 >= needed;
}

/* Makes room for `more` groups. Only if there may be too little of it, asks how many groups there are. */
static status aggregate_hash_reserve(hash_groups *groups, dev_stream *stream, uint64_t more)
{
    if (!groups->words)
        TRY(dev_words_new(stream, WORDS, &groups->words));
    if (!aggregate_hash_has_room(groups, groups->count + more))
        TRY(hash_groups_learn(groups, stream));
    uint64_t needed = groups->count + more;
    TRY(check_count(groups, needed));
    if (needed > groups->capacity) {
        /* Half as much again for groups that exist, so that little of it stays unused. */
        uint64_t capacity = groups->count + groups->count / 2 + more;
        uint64_t least = more < CAPACITY_MIN / FEW_GROWTH ? more * FEW_GROWTH : CAPACITY_MIN;
        TRY(hash_groups_reserve_rows(groups, stream, capacity < least ? least : capacity));
    }
    return reserve_slots(groups, stream, needed);
}

status hash_groups_expect(hash_groups *groups, dev_stream *stream, uint64_t count)
{
    TRY(hash_groups_reserve_rows(groups, stream, count));
    return reserve_slots(groups, stream, count);
}

/* *needed: bytes of these rows' long strings. */
static status reserve_text(hash_groups *groups, dev_stream *stream, const uint8_t *rows,
                           uint64_t count, uint64_t *needed)
{
    dev_buffer *total;
    *needed = 0;
    if (!groups->layout->text_count || groups->borrows_text)
        return STATUS_OK;
    TRY(dev_words_new(stream, 1, &total));
    status st = DEV_LAUNCH(stream, keys_text_bytes, .rows = rows, .count = dev_count_exact(count),
                           .stride = groups->layout->stride,
                           .text_count = groups->layout->text_count, .out_total = total->address);
    if (!st)
        st = dev_words_read(stream, total->address, needed, 1);
    dev_buffer_unref(total);
    TRY(st);
    return text_heap_reserve(&groups->heap, stream, groups->who, *needed);
}

status hash_groups_reserve_text(hash_groups *groups, dev_stream *stream, const uint8_t *rows,
                                uint64_t count)
{
    uint64_t needed;
    return reserve_text(groups, stream, rows, count, &needed);
}

/* Returns as how many texts rows are to be compared, given the bytes of their long strings. Without long strings
 * their words say all: a group's text of the same bytes is short as well. */
static uint32_t texts_to_compare(const hash_groups *groups, uint64_t long_bytes)
{
    const key_layout *layout = groups->layout;
    bool has_long = long_bytes || groups->borrows_text || layout->interval_count;
    return has_long ? layout->text_count : 0;
}

/* The strings of rows that were looked up stay until they are in the heap. */
static status aggregate_hash_lend(hash_groups *groups, const packed_rows *rows)
{
    TRY(array_reserve(NULL, &groups->lent, rows->column_count));
    for (uint32_t i = 0; i < rows->column_count; i++)
        if (rows->columns[i]->heap)
            groups->lent.items[groups->lent.count++] = string_heap_ref(rows->columns[i]->heap);
    return STATUS_OK;
}

static status find(hash_groups *groups, dev_stream *stream, const packed_rows *rows,
                   const uint32_t *hashes, uint32_t text_count, uint32_t *out)
{
    const key_layout *layout = groups->layout;
    bool owns_at_once = stream->dev->is_host && !groups->borrows_text;
    uint64_t *used = groups->borrows_text ? NULL : (uint64_t *)groups->words->address + 1;
    if (owns_at_once)
        used = groups->heap.words ? groups->heap.words->address : NULL;
    return DEV_LAUNCH(stream, groups_find, .rows = rows->rows, .hashes = hashes,
                      .count = rows->count, .stride = layout->stride, .text_count = text_count,
                      .interval_count = layout->interval_count, .is_narrow = layout->is_narrow,
                      .slots = groups->slots->address, .slot_count = groups->slot_count,
                      .group_rows = groups->rows->address, .group_count = groups->words->address,
                      .heap = owns_at_once ? text_heap_address(&groups->heap) : NULL,
                      .heap_used = used, .out = out);
}

status hash_groups_find_hashed(hash_groups *groups, dev_stream *stream, const packed_rows *rows,
                               const uint32_t *hashes, uint32_t *out)
{
    bool has_text = groups->layout->text_count && !groups->borrows_text;
    TRY(aggregate_hash_reserve(groups, stream, rows->count.bound));
    if (stream->dev->is_host) {
        uint64_t long_bytes;
        TRY(reserve_text(groups, stream, rows->rows, rows->count.bound, &long_bytes));
        TRY(find(groups, stream, rows, hashes, texts_to_compare(groups, long_bytes), out));
        if (has_text)
            TRY(text_heap_settle(&groups->heap, stream));
        return dev_words_read(stream, groups->words->address, &groups->count, 1);
    }
    if (has_text)
        TRY(aggregate_hash_lend(groups, rows));
    dev_fetch_close(stream->dev, &groups->asked); /* of fewer rows */
    groups->is_behind = true;
    groups->count += rows->count.bound;
    return find(groups, stream, rows, hashes, groups->layout->text_count, out);
}

status hash_groups_find(hash_groups *groups, dev_stream *stream, const packed_rows *rows,
                        uint32_t *out)
{
    dev_buffer *hashes = NULL;
    if (!rows->count.bound) /* no memory was made for rows, hashes and numbers: a dictionary may be
                               empty */
        return STATUS_OK;
    status st = key_layout_hash(groups->layout, stream, rows->rows, rows->count, &hashes);
    if (!st)
        st = hash_groups_find_hashed(groups, stream, rows, hashes->address, out);
    dev_buffer_unref(hashes);
    return st;
}

/* ---- passing rows on ---- */

/* Slots by which equal rows are noticed: they and the groups that they name are to stay in the cache. */
#define PASS_SLOTS (1u << 14)

status hash_groups_pass_once(hash_groups *groups, dev_stream *stream)
{
    TRY(dev_words_new(stream, WORDS, &groups->words));
    return enlarge_slots(groups, stream, PASS_SLOTS);
}

/* Room for the hashes of all rows that there is room for. */
static status reserve_hashes(hash_groups *groups, dev_stream *stream)
{
    dev_buffer *hashes, *old = groups->hashes;
    size_t bytes = groups->capacity * sizeof(uint32_t);
    if (old && old->bytes >= bytes)
        return STATUS_OK;
    TRY(dev_alloc(stream->dev, bytes, groups->who, &hashes));
    groups->hashes = hashes;
    status st = old ? stream->dev->ops->copy(stream, hashes->address, old->address,
                                             groups->count * sizeof(uint32_t))
                    : STATUS_OK;
    dev_buffer_unref(old);
    return st;
}

/* Every row as it is. */
static status aggregate_hash_append(hash_groups *groups, dev_stream *stream,
                                    const packed_rows *rows, uint8_t *first, uint32_t *out)
{
    const key_layout *layout = groups->layout;
    uint64_t count = rows->count.bound;
    TRY(stream->dev->ops->copy(stream, first, rows->rows, count * layout->stride));
    if (groups->heap.words)
        TRY(DEV_LAUNCH(stream, keys_own_text, .rows = first, .count = rows->count,
                       .stride = layout->stride, .text_count = layout->text_count,
                       .heap = text_heap_address(&groups->heap),
                       .heap_used = groups->heap.words->address));
    TRY(DEV_LAUNCH(stream, count_up, .first = (uint32_t)groups->count, .count = rows->count,
                   .out = out));
    groups->count += count;
    return STATUS_OK;
}

static status pass(hash_groups *groups, dev_stream *stream, const packed_rows *rows,
                   const uint32_t *hashes, uint32_t text_count, uint32_t *out)
{
    const key_layout *layout = groups->layout;
    dev_buffer *used = groups->heap.words;
    TRY(DEV_LAUNCH(stream, groups_pass, .rows = rows->rows, .hashes = hashes, .count = rows->count,
                   .stride = layout->stride, .text_count = text_count,
                   .interval_count = layout->interval_count, .slots = groups->slots->address,
                   .slot_count = groups->slot_count, .group_rows = groups->rows->address,
                   .group_hashes = groups->hashes->address, .group_count = groups->words->address,
                   .heap = text_heap_address(&groups->heap),
                   .heap_used = used ? used->address : NULL, .out = out));
    return dev_words_read(stream, groups->words->address, &groups->count, 1);
}

status hash_groups_pass(hash_groups *groups, dev_stream *stream, const packed_rows *rows,
                        uint32_t *out)
{
    const key_layout *layout = groups->layout;
    uint64_t count = rows->count.bound, needed = groups->count + count, long_bytes;
    dev_buffer *hashes;
    if (!count)
        return STATUS_OK;
    TRY(check_count(groups, needed));
    TRY(hash_groups_reserve_rows(groups, stream, needed));
    TRY(reserve_hashes(groups, stream));
    TRY(reserve_text(groups, stream, rows->rows, count, &long_bytes));
    uint8_t *first = (uint8_t *)groups->rows->address + groups->count * layout->stride;
    uint32_t *first_hash = (uint32_t *)groups->hashes->address + groups->count;
    TRY(key_layout_hash(layout, stream, rows->rows, rows->count, &hashes));
    status st = STATUS_OK;
    if (groups->slots)
        st = pass(groups, stream, rows, hashes->address, texts_to_compare(groups, long_bytes), out);
    else
        st = aggregate_hash_append(groups, stream, rows, first, out);
    if (!st && !groups->slots)
        st = stream->dev->ops->copy(stream, first_hash, hashes->address, count * sizeof(uint32_t));
    dev_buffer_unref(hashes);
    TRY(st);
    return text_heap_settle(&groups->heap, stream);
}

void hash_groups_seal(hash_groups *groups)
{
    dev_buffer_unref(groups->slots);
    groups->slots = NULL;
    groups->slot_count = 0;
}
