/* stored_index.c - see stored_index.h. */
#include "exec/scan/stored_index.h"

#include "base/system/mutex.h"

_Atomic uint64_t stored_pinned_bytes;

/* ---- lists of pieces; with the lock held ---- */

void stored_list_add(piece_list *list, kept_piece *piece)
{
    piece->before = list->last;
    piece->after = NULL;
    *(list->last ? &list->last->after : &list->first) = piece;
    list->last = piece;
}

void stored_list_remove(piece_list *list, kept_piece *piece)
{
    *(piece->before ? &piece->before->after : &list->first) = piece->after;
    *(piece->after ? &piece->after->before : &list->last) = piece->before;
}

static piece_list *list_of(stored_cache *cache, const kept_piece *piece)
{
    return piece->is_pending ? &cache->pending : &cache->used;
}

/* ---- column chunks; with the lock held ---- */

/* How its values come out is of no interest to stored pages; whether checksums count is. */
static uint64_t stored_index_key_hash(const column_key *key)
{
    return column_key_mix(column_key_place(key), key->offset << 1 | key->ignores_checksums);
}

bool stored_is_version(const column_key *key, const pq_file_version *version)
{
    return file_version_equal(&key->version.file, &version->file) &&
           key->version.footer_hash == version->footer_hash;
}

static kept_chunk **bucket_of(stored_cache *cache, uint64_t hash)
{
    return &cache->buckets[hash >> 32 & (STORED_BUCKETS - 1)];
}

kept_chunk *stored_find_chunk(stored_cache *cache, const column_key *key)
{
    uint64_t hash = stored_index_key_hash(key);
    kept_chunk *chunk = *bucket_of(cache, hash);
    while (chunk && !(chunk->hash == hash && chunk->key.offset == key->offset &&
                      chunk->key.ignores_checksums == key->ignores_checksums &&
                      stored_is_version(&chunk->key, &key->version)))
        chunk = chunk->next_in_bucket;
    return chunk;
}

static void free_chunk(kept_chunk *chunk)
{
    mem_free((char *)chunk->key.path);
    mem_free((char *)chunk->key.column);
    array_release(&chunk->pages);
    array_release(&chunk->decoded);
    mem_free(chunk);
}

/* Returns the column chunk of the key, a new one if there is none; NULL: no memory. */
static kept_chunk *get_chunk(stored_cache *cache, const column_key *key)
{
    kept_chunk *chunk = stored_find_chunk(cache, key);
    if (chunk)
        return chunk;
    chunk = mem_new(sizeof *chunk);
    if (!chunk)
        return NULL;
    chunk->key = *key;
    chunk->key.path = mem_copy_text(key->path, strlen(key->path));
    chunk->key.column = mem_copy_text(key->column, strlen(key->column));
    chunk->hash = stored_index_key_hash(key);
    if (!chunk->key.path || !chunk->key.column) {
        free_chunk(chunk);
        return NULL;
    }
    chunk->next_in_bucket = *bucket_of(cache, chunk->hash);
    *bucket_of(cache, chunk->hash) = chunk;
    return chunk;
}

/* A piece lists it no more. */
static void unref_chunk(stored_cache *cache, kept_chunk *chunk)
{
    if (chunk->references && --chunk->references)
        return;
    kept_chunk **at = bucket_of(cache, chunk->hash);
    while (*at != chunk)
        at = &(*at)->next_in_bucket;
    *at = chunk->next_in_bucket;
    free_chunk(chunk);
}

/* The number of the first page that ends behind the row. */
static size_t page_at(const kept_chunk *chunk, uint64_t row)
{
    size_t low = 0, high = chunk->pages.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const pq_page *page = &chunk->pages.items[middle].stored.page;
        if (page->first_row + page->header.value_count > row)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* ---- pieces that go; with the lock held ---- */

static void stored_index_drop_pages(kept_chunk *chunk, const kept_piece *piece)
{
    size_t count = 0;
    for (size_t i = 0; i < chunk->pages.count; i++)
        if (chunk->pages.items[i].of != piece)
            chunk->pages.items[count++] = chunk->pages.items[i];
    chunk->pages.count = count;
    if (chunk->dictionary.of == piece)
        chunk->dictionary = (kept_page){0};
    for (size_t i = chunk->decoded.count; i-- > 0;)
        if (chunk->decoded.items[i] == piece)
            chunk->decoded.items[i] = chunk->decoded.items[--chunk->decoded.count];
}

static _Atomic uint64_t *count_of(stored_cache *cache, const kept_piece *piece)
{
    return stored_is_pinned(piece) ? &stored_pinned_bytes : &cache->held;
}

void stored_count_piece(stored_cache *cache, const kept_piece *piece)
{
    atomic_fetch_add_explicit(count_of(cache, piece), piece->bytes, memory_order_relaxed);
}

/* Takes the piece out and puts it at the front of `gone`, to be freed once the lock is given up. */
void stored_take_out(stored_cache *cache, kept_piece *piece, kept_piece **gone)
{
    stored_list_remove(list_of(cache, piece), piece);
    for (size_t i = 0; i < piece->chunks.count; i++) {
        stored_index_drop_pages(piece->chunks.items[i], piece);
        unref_chunk(cache, piece->chunks.items[i]);
    }
    array_release(&piece->chunks);
    atomic_fetch_sub_explicit(count_of(cache, piece), piece->bytes, memory_order_relaxed);
    piece->after = *gone;
    *gone = piece;
}

/* Forgets the column chunk's pages in the device's memory whose values the piece has. */
static void forget_pages(kept_chunk *chunk, const kept_piece *piece)
{
    size_t count = 0;
    for (size_t i = 0; i < chunk->pages.count; i++) {
        kept_page page = chunk->pages.items[i];
        uint64_t first = page.stored.page.first_row;
        uint64_t end = first + page.stored.page.header.value_count;
        if (stored_is_pinned(page.of) || !stored_values_cover(piece, chunk, first, end))
            chunk->pages.items[count++] = page;
        else
            page.of->page_count--;
    }
    chunk->pages.count = count;
    if (count || !chunk->dictionary.of)
        return;
    chunk->dictionary.of->page_count--;
    chunk->dictionary = (kept_page){0};
}

void stored_publish(stored_cache *cache, kept_piece *piece, kept_piece **gone)
{
    kept_piece *worse;
    stored_list_remove(&cache->pending, piece);
    piece->is_pending = false;
    stored_list_add(&cache->used, piece);
    if (!piece->values)
        return;
    while ((worse = stored_values_find_worse(piece)))
        stored_take_out(cache, worse, gone);
    for (size_t i = 0; i < piece->chunks.count; i++)
        forget_pages(piece->chunks.items[i], piece);
}

void stored_free_pieces(kept_piece *gone)
{
    while (gone) {
        kept_piece *next = gone->after;
        pq_stored_piece_unref(gone->piece);
        if (gone->values)
            tensor_unref(gone->values->values);
        mem_free(gone->values);
        mem_free(gone);
        gone = next;
    }
}

/* Returns the place of a page that is in the column chunk already, or NULL. */
kept_page *stored_find_page(kept_chunk *chunk, const pq_stored_page *stored)
{
    if (stored->is_dictionary)
        return chunk->dictionary.of ? &chunk->dictionary : NULL;
    size_t i = page_at(chunk, stored->page.first_row);
    kept_page *page = i < chunk->pages.count ? &chunk->pages.items[i] : NULL;
    return page && page->stored.page.first_row == stored->page.first_row ? page : NULL;
}

bool stored_is_wanted(const kept_page *page, bool is_pinned)
{
    return !page || (!is_pinned && !page->of->piece->buffer);
}

/* Puts a page where it belongs, in the place of one in a worse piece; `piece` lists its column chunk. */
status stored_put_page(kept_chunk *chunk, kept_piece *piece, const pq_stored_page *stored)
{
    kept_page page = {.stored = *stored, .of = piece}, *old = stored_find_page(chunk, stored);
    page.stored.piece = piece->piece;
    if (old && !stored_is_wanted(old, !piece->piece->buffer))
        return STATUS_OK;
    if (old) {
        old->of->page_count--;
        *old = page;
    } else if (stored->is_dictionary) {
        chunk->dictionary = page;
    } else {
        TRY(array_reserve(NULL, &chunk->pages, 1));
        size_t i = page_at(chunk, stored->page.first_row);
        memmove(chunk->pages.items + i + 1, chunk->pages.items + i,
                (chunk->pages.count++ - i) * sizeof page);
        chunk->pages.items[i] = page;
    }
    piece->page_count++;
    return STATUS_OK;
}

/* Has the piece list the column chunk of a part. NULL: no memory. */
kept_chunk *stored_list_chunk(stored_cache *cache, kept_piece *piece, const column_key *key)
{
    kept_chunk *chunk = get_chunk(cache, key);
    size_t count = piece->chunks.count;
    if (!chunk || (count && piece->chunks.items[count - 1] == chunk))
        return chunk;
    status st = array_push(NULL, &piece->chunks, chunk);
    chunk->references += !st;
    if (st && !chunk->references)
        unref_chunk(cache, chunk);
    chunk = st ? NULL : chunk;
    status_free(st);
    return chunk;
}

/* ---- looking up ---- */

/* Adds the pages with the rows [first, end), but for one that the list ends with. False: some are not there, or no memory. */
static bool add_pages(const kept_chunk *chunk, uint64_t first, uint64_t end, stored_page_list *out)
{
    for (size_t i = page_at(chunk, first); first < end; i++) {
        const kept_page *page = i < chunk->pages.count ? &chunk->pages.items[i] : NULL;
        if (!page || page->stored.page.first_row > first || !stored_is_there(page))
            return false;
        first = page->stored.page.first_row + page->stored.page.header.value_count;
        if (pq_page_is_coded(&page->stored.page) && !stored_is_there(&chunk->dictionary))
            return false;
        if (out->count && out->items[out->count - 1] == &page->stored)
            continue;
        status st = array_push(NULL, out, &page->stored);
        if (st) {
            status_free(st);
            return false;
        }
    }
    return true;
}

bool stored_find_pages(const kept_chunk *chunk, const pq_row_list *rows, stored_page_list *out)
{
    bool has_all = true;
    for (size_t i = 0; i < rows->count && has_all; i++)
        has_all = add_pages(chunk, rows->items[i].first, rows->items[i].end, out);
    return has_all && out->count;
}
