/* stored_cache.c - what is kept, in which memory, and for how long. */
#include "exec/scan/stored_cache.h"

#include "base/budget.h"
#include "base/system/mutex.h"
#include "exec/scan/stored_index.h"

#include <stdlib.h>

/* Part of the device's memory that pieces may take. */
#define DEVICE_PART 2
/* One new piece of REPLACED_OF takes the place of pieces that were used of late: in a round through more than fits
 * most of what is kept stays, and is found in the next round. */
#define REPLACED_OF 16
/* Pages that a piece may have: the host holds some hundred bytes for each. */
#define PIECE_PAGES_MAX (1u << 20)

static struct {
    pthread_mutex_t lock;
    stored_cache *first;
} all = {.lock = MUTEX_INITIALIZER};

/* ---- opening, and the end ---- */

/* Gives back bytes of the list's pieces, oldest first. Returns how many. */
static uint64_t give_back_from(stored_cache *cache, piece_list *list, bool is_pinned,
                               uint64_t bytes, kept_piece **gone)
{
    uint64_t freed = 0;
    for (kept_piece *piece = list->first, *next; piece && freed < bytes; piece = next) {
        next = piece->after;
        if (stored_is_pinned(piece) != is_pinned)
            continue;
        freed += piece->bytes;
        stored_take_out(cache, piece, gone);
    }
    return freed;
}

static uint64_t give_back(stored_cache *cache, bool is_pinned, uint64_t bytes)
{
    kept_piece *gone = NULL;
    mutex_lock(&cache->lock);
    uint64_t freed = give_back_from(cache, &cache->used, is_pinned, bytes, &gone);
    if (freed < bytes)
        freed += give_back_from(cache, &cache->pending, is_pinned, bytes - freed, &gone);
    mutex_unlock(&cache->lock);
    stored_free_pieces(gone);
    return freed;
}

static void stored_cache_give_back_lent(void *of, uint64_t bytes)
{
    give_back(of, false, bytes);
}

static const mem_lender holder = {.give_back = stored_cache_give_back_lent};

static void stored_cache_drop_all(stored_cache *cache)
{
    give_back(cache, false, UINT64_MAX);
    give_back(cache, true, UINT64_MAX);
}

/* A statement may still run on a device that was lost: it keeps nothing more. */
static void end_keeper(device *dev, bool is_closing)
{
    stored_cache *cache = dev->keeper;
    mutex_lock(&cache->lock);
    cache->is_ended = true;
    mutex_unlock(&cache->lock);
    stored_cache_drop_all(cache);
    if (!is_closing)
        return;
    mutex_lock(&all.lock);
    stored_cache **at = &all.first;
    while (*at != cache)
        at = &(*at)->next;
    *at = cache->next;
    mutex_unlock(&all.lock);
    mem_budget_set_holder(dev->budget, NULL, NULL);
    mutex_destroy(&cache->lock);
    mem_free(cache);
}

status stored_cache_open(device *dev)
{
    stored_cache *cache = mem_new(sizeof *cache);
    if (!cache)
        return status_no_memory("stored pages", sizeof *cache);
    uint64_t limit = mem_budget_limit(dev->budget);
    mutex_init(&cache->lock);
    cache->dev = dev;
    cache->device_most = limit ? limit / DEVICE_PART : UINT64_MAX;
    cache->random = 0x9e3779b97f4a7c15;
    dev->keeper = cache;
    dev->end_keeper = end_keeper;
    mem_budget_set_holder(dev->budget, &holder, cache);
    mutex_lock(&all.lock);
    cache->next = all.first;
    all.first = cache;
    mutex_unlock(&all.lock);
    return STATUS_OK;
}

/* ---- looking up; with the lock held ---- */

void stored_use_piece(stored_cache *cache, kept_piece *piece, uint64_t statement)
{
    if (piece->statement == statement)
        return;
    piece->statement = statement;
    stored_list_remove(&cache->used, piece);
    stored_list_add(&cache->used, piece);
}

static void use_chunk(stored_cache *cache, kept_chunk *chunk, uint64_t statement,
                      const stored_page_list *pages)
{
    chunk->uses += chunk->last_statement != statement;
    chunk->last_statement = statement;
    for (size_t i = 0; i < pages->count; i++) {
        const kept_page *page =
            (const void *)((const char *)pages->items[i] - offsetof(kept_page, stored));
        stored_use_piece(cache, page->of, statement);
    }
    if (chunk->dictionary.of)
        stored_use_piece(cache, chunk->dictionary.of, statement);
}

/* Copies the pages' descriptions, with the dictionary's if that is kept. */
static status copy_pages(const kept_chunk *chunk, const stored_page_list *pages,
                         pq_stored_column **out)
{
    return pq_stored_column_new(
        pages->items, pages->count,
        stored_is_there(&chunk->dictionary) ? &chunk->dictionary.stored : NULL, out);
}

status stored_cache_find(stored_cache_use use, const column_key *key, const pq_row_list *rows,
                         pq_stored_column **out)
{
    stored_page_list pages = {0};
    status st = STATUS_OK;
    *out = NULL;
    if (!use.cache)
        return STATUS_OK;
    mutex_lock(&use.cache->lock);
    kept_chunk *chunk = stored_find_chunk(use.cache, key);
    if (chunk && stored_find_pages(chunk, rows, &pages)) {
        st = copy_pages(chunk, &pages, out);
        if (!st)
            use_chunk(use.cache, chunk, use.statement, &pages);
    }
    mutex_unlock(&use.cache->lock);
    array_release(&pages);
    return st;
}

bool stored_cache_has(stored_cache_use use, const column_key *key, const pq_row_list *rows)
{
    stored_page_list pages = {0};
    if (!use.cache)
        return false;
    mutex_lock(&use.cache->lock);
    const kept_chunk *chunk = stored_find_chunk(use.cache, key);
    bool has = chunk && stored_find_pages(chunk, rows, &pages);
    mutex_unlock(&use.cache->lock);
    array_release(&pages);
    return has;
}

/* ---- keeping ---- */

status stored_keeper_new(stored_cache_use use, uint32_t part_count, stored_keeper **out)
{
    size_t bytes = sizeof(stored_keeper) + part_count * sizeof(column_key);
    *out = mem_new(bytes);
    if (!*out)
        return status_no_memory("stored pages", bytes);
    (*out)->use = use;
    (*out)->part_count = part_count;
    return STATUS_OK;
}

/* Returns whether a page of the window is not kept yet, or only in pinned memory. */
static bool has_new(stored_keeper *keeper, const pq_placed_window *window, bool is_pinned)
{
    for (size_t i = 0; i < window->count; i++) {
        const pq_placed_page *page = &window->pages[i];
        const column_key *key = &keeper->keys[page->part];
        kept_chunk *chunk = key->path ? stored_find_chunk(keeper->use.cache, key) : NULL;
        if (key->path &&
            stored_is_wanted(chunk ? stored_find_page(chunk, &page->stored) : NULL, is_pinned))
            return true;
    }
    return false;
}

static uint64_t draw(stored_cache *cache)
{
    cache->random ^= cache->random << 13;
    cache->random ^= cache->random >> 7;
    cache->random ^= cache->random << 17;
    return cache->random;
}

bool stored_make_room(stored_cache *cache, const stored_cache_use *use, bool is_pinned,
                      uint64_t bytes, kept_piece **gone)
{
    const _Atomic uint64_t *held = is_pinned ? &stored_pinned_bytes : &cache->held;
    uint64_t most = is_pinned ? use->pinned_most : cache->device_most;
    uint64_t now = use->statement;
    bool may_replace = draw(cache) % REPLACED_OF == 0;
    kept_piece *piece = cache->used.first;
    if (bytes > most || cache->is_ended)
        return false;
    while (atomic_load_explicit(held, memory_order_relaxed) > most - bytes) {
        while (piece && stored_is_pinned(piece) != is_pinned)
            piece = piece->after;
        if (!piece || piece->statement == now ||
            (piece->statement + STORED_UNUSED_STATEMENTS > now && !may_replace))
            return false;
        kept_piece *next = piece->after;
        stored_take_out(cache, piece, gone);
        piece = next;
    }
    return true;
}

/* Puts the window's pages into their column chunks. Without memory some are left out. */
static void put_pages(stored_keeper *keeper, kept_piece *piece, const pq_placed_window *window)
{
    stored_cache *cache = keeper->use.cache;
    for (size_t i = 0; i < window->count; i++) {
        const pq_placed_page *page = &window->pages[i];
        const column_key *key = &keeper->keys[page->part];
        bool has_bytes = piece->piece->buffer || page->host;
        kept_chunk *chunk = key->path && has_bytes ? stored_list_chunk(cache, piece, key) : NULL;
        status_free(chunk ? stored_put_page(chunk, piece, &page->stored) : STATUS_OK);
    }
}

/* Takes out pieces of the column chunks whose pages are all in better ones. */
static void drop_empty(stored_cache *cache, piece_list *list, kept_piece **gone)
{
    for (kept_piece *piece = list->first, *next; piece; piece = next) {
        next = piece->after;
        if (!piece->page_count)
            stored_take_out(cache, piece, gone);
    }
}

/* Takes over the piece's reference. */
static void add_piece(stored_keeper *keeper, kept_piece *kept, const pq_placed_window *window)
{
    stored_cache *cache = keeper->use.cache;
    bool is_pinned = !kept->piece->buffer, is_kept;
    kept_piece *gone = NULL;
    mutex_lock(&cache->lock);
    is_kept = has_new(keeper, window, is_pinned) &&
              stored_make_room(cache, &keeper->use, is_pinned, kept->bytes, &gone);
    if (is_kept) {
        if (!is_pinned)
            kept->bytes = kept->piece->dev->ops->lend(kept->piece->buffer);
        stored_count_piece(cache, kept);
        stored_list_add(&cache->pending, kept);
        put_pages(keeper, kept, window);
        if (!kept->page_count)
            stored_take_out(cache, kept, &gone);
    }
    mutex_unlock(&cache->lock);
    if (!is_kept)
        stored_free_pieces(kept);
    stored_free_pieces(gone);
}

static kept_piece *piece_of(stored_keeper *keeper, pq_stored_piece *piece)
{
    kept_piece *kept = mem_new(sizeof *kept);
    if (!kept) {
        pq_stored_piece_unref(piece);
        return NULL;
    }
    kept->piece = piece;
    kept->bytes = piece->bytes;
    kept->is_pending = true;
    kept->statement = keeper->use.statement;
    return kept;
}

static bool stored_cache_has_room(stored_keeper *keeper, const pq_placed_window *window,
                                  bool is_pinned)
{
    stored_cache *cache = keeper->use.cache;
    kept_piece *gone = NULL;
    mutex_lock(&cache->lock);
    bool has = has_new(keeper, window, is_pinned) &&
               stored_make_room(cache, &keeper->use, is_pinned, window->bytes, &gone);
    mutex_unlock(&cache->lock);
    stored_free_pieces(gone);
    return has;
}

static status make_pinned(const pq_placed_window *window, pq_stored_piece **out)
{
    TRY(pq_stored_piece_new_pinned(window->stored->dev, window->bytes, out));
    for (size_t i = 0; i < window->count; i++) {
        const pq_placed_page *page = &window->pages[i];
        if (page->host)
            memcpy((char *)(*out)->pinned + page->stored.at, page->host,
                   page->stored.described.stored_bytes);
    }
    return STATUS_OK;
}

void stored_keeper_keep(void *argument, const pq_placed_window *window)
{
    stored_keeper *keeper = argument;
    pq_stored_piece *piece;
    status st;
    if (window->count > PIECE_PAGES_MAX)
        return;
    if (stored_cache_has_room(keeper, window, false))
        st = pq_stored_piece_new(dev_buffer_ref(window->stored), window->stored->bytes, &piece);
    else if (stored_cache_has_room(keeper, window, true))
        st = make_pinned(window, &piece);
    else
        return;
    kept_piece *kept = st ? NULL : piece_of(keeper, piece);
    if (kept)
        add_piece(keeper, kept, window);
    status_free(st); /* without memory nothing is kept */
}

/* ---- the end of a statement ---- */

void stored_cache_end(stored_cache_use use, bool is_good)
{
    kept_piece *gone = NULL;
    if (!use.cache)
        return;
    mutex_lock(&use.cache->lock);
    bool had_some = false;
    for (kept_piece *piece = use.cache->pending.first, *next; piece; piece = next) {
        next = piece->after;
        if (piece->statement != use.statement)
            continue;
        if (!is_good) {
            stored_take_out(use.cache, piece, &gone);
            continue;
        }
        stored_publish(use.cache, piece, &gone);
        had_some = true;
    }
    if (had_some)
        drop_empty(use.cache, &use.cache->used, &gone);
    mutex_unlock(&use.cache->lock);
    stored_free_pieces(gone);
}

/* ---- of all devices ---- */

uint64_t stored_cache_pinned_bytes(void)
{
    return atomic_load_explicit(&stored_pinned_bytes, memory_order_relaxed);
}

uint64_t stored_cache_give_back_pinned(uint64_t bytes)
{
    uint64_t freed = 0;
    if (!stored_cache_pinned_bytes())
        return 0;
    mutex_lock(&all.lock);
    for (stored_cache *cache = all.first; cache && freed < bytes; cache = cache->next)
        freed += give_back(cache, true, bytes - freed);
    mutex_unlock(&all.lock);
    return freed;
}

void stored_cache_clear(void)
{
    mutex_lock(&all.lock);
    for (stored_cache *cache = all.first; cache; cache = cache->next)
        stored_cache_drop_all(cache);
    mutex_unlock(&all.lock);
}

static bool has_version(const kept_piece *piece, const pq_file_version *version)
{
    for (size_t i = 0; i < piece->chunks.count; i++)
        if (stored_is_version(&piece->chunks.items[i]->key, version))
            return true;
    return false;
}

static void forget_in(stored_cache *cache, const pq_file_version *version)
{
    piece_list *const lists[] = {&cache->used, &cache->pending};
    kept_piece *gone = NULL;
    mutex_lock(&cache->lock);
    for (int i = 0; i < 2; i++)
        for (kept_piece *piece = lists[i]->first, *next; piece; piece = next) {
            next = piece->after;
            if (has_version(piece, version))
                stored_take_out(cache, piece, &gone);
        }
    mutex_unlock(&cache->lock);
    stored_free_pieces(gone);
}

void stored_cache_forget(const pq_file_version *version)
{
    mutex_lock(&all.lock);
    for (stored_cache *cache = all.first; cache; cache = cache->next)
        forget_in(cache, version);
    mutex_unlock(&all.lock);
}

/* ---- listing ---- */

typedef ARRAY(pq_kept_column) entry_list;

/* Its names are copied, as the column chunk may go. */
static status add_entry(arena *memory, const kept_chunk *chunk, pq_kept_column *entry,
                        entry_list *out)
{
    if (!entry->bytes)
        return STATUS_OK;
    entry->path = arena_copy_text(memory, chunk->key.path, strlen(chunk->key.path));
    entry->column = arena_copy_text(memory, chunk->key.column, strlen(chunk->key.column));
    return entry->path && entry->column ? array_push(memory, out, *entry)
                                        : status_no_memory("column cache", sizeof *entry);
}

static void add_to_entry(pq_kept_column *entry, const kept_page *page)
{
    entry->rows += page->stored.is_dictionary ? 0 : page->stored.page.header.value_count;
    entry->bytes += page->stored.described.stored_bytes;
}

/* Adds the column chunk's pages of one kind. */
static status list_chunk_as(arena *memory, const kept_chunk *chunk, bool is_pinned, entry_list *out)
{
    pq_kept_column entry = {.form = is_pinned ? "stored, pinned" : "stored, on the device",
                            .uses = chunk->uses};
    for (size_t i = 0; i < chunk->pages.count; i++)
        if (stored_is_there(&chunk->pages.items[i]) &&
            !chunk->pages.items[i].of->piece->buffer == is_pinned)
            add_to_entry(&entry, &chunk->pages.items[i]);
    if (stored_is_there(&chunk->dictionary) && !chunk->dictionary.of->piece->buffer == is_pinned)
        add_to_entry(&entry, &chunk->dictionary);
    return add_entry(memory, chunk, &entry, out);
}

/* Adds the column chunk's part of what was decoded. */
static status list_decoded(arena *memory, const kept_chunk *chunk, entry_list *out)
{
    pq_kept_column entry = {.form = "decoded, on the device", .uses = chunk->uses};
    for (size_t i = 0; i < chunk->decoded.count; i++) {
        const kept_piece *piece = chunk->decoded.items[i];
        if (!piece->is_pending)
            stored_values_count(piece, chunk, &entry.rows, &entry.bytes);
    }
    return add_entry(memory, chunk, &entry, out);
}

static status list_chunk(arena *memory, const kept_chunk *chunk, entry_list *out)
{
    TRY(list_decoded(memory, chunk, out));
    TRY(list_chunk_as(memory, chunk, false, out));
    return list_chunk_as(memory, chunk, true, out);
}

static status list_in(arena *memory, stored_cache *cache, entry_list *out)
{
    status st = STATUS_OK;
    mutex_lock(&cache->lock);
    for (size_t i = 0; i < STORED_BUCKETS && !st; i++)
        for (const kept_chunk *c = cache->buckets[i]; c && !st; c = c->next_in_bucket)
            st = list_chunk(memory, c, out);
    mutex_unlock(&cache->lock);
    return st;
}

status stored_cache_list(arena *memory, pq_kept_column **out, size_t *out_count)
{
    entry_list list = {0};
    status st = STATUS_OK;
    mutex_lock(&all.lock);
    for (stored_cache *cache = all.first; cache && !st; cache = cache->next)
        st = list_in(memory, cache, &list);
    mutex_unlock(&all.lock);
    if (!st)
        list.count = pq_kept_merge(list.items, list.count);
    *out = list.items;
    *out_count = list.count;
    return st;
}
