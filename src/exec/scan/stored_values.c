/* stored_values.c - see stored_values.h. */
#include "exec/scan/stored_values.h"

#include "base/budget.h"
#include "base/system/mutex.h"
#include "exec/scan/stored_index.h"

/* One tensor takes at most this part of what the cache may. */
#define VALUES_PART 8
/* Eighths of the device's limit that values and all else may take together: the rest is for what queries need. */
#define BUSY_EIGHTHS 6
/* Parts of a column chunk that are kept at a time: statements with other conditions want other ones, and share pages. */
#define PARTS_MOST 4

/* ---- looking up; with the lock held ---- */

static bool is_type_of(const kept_values *values, const column_key *key)
{
    return type_equal(values->type, key->type) && values->replaces_text == key->replaces_text;
}

static bool is_within(const kept_values *values, stored_bounds bounds)
{
    return !bounds.is_relied || (values->is_within && values->minimum >= bounds.minimum &&
                                 values->maximum <= bounds.maximum);
}

/* Returns the place of the column chunk in the piece, looking first from `from` on; SIZE_MAX: it is not there. */
static size_t place_of(const kept_piece *piece, const kept_chunk *chunk, size_t from)
{
    size_t count = piece->chunks.count;
    for (size_t i = 0; i < count; i++) {
        size_t place = (from + i) % count;
        if (piece->chunks.items[place] == chunk)
            return place;
    }
    return SIZE_MAX;
}

static bool is_chunk_of(const kept_chunk *chunk, const column_key *key)
{
    return chunk->key.offset == key->offset &&
           chunk->key.ignores_checksums == key->ignores_checksums &&
           stored_is_version(&chunk->key, &key->version);
}

/* Finds the place of the key's column chunk as place_of does. */
static size_t place_of_key(const kept_piece *piece, const column_key *key, size_t from)
{
    size_t count = piece->chunks.count;
    for (size_t i = 0; i < count; i++) {
        size_t place = (from + i) % count;
        if (is_chunk_of(piece->chunks.items[place], key))
            return place;
    }
    return SIZE_MAX;
}

/* Returns the run that has the rows of the column chunk at the place, looking first from *hint on; NULL: none has. */
static const kept_run *run_of(const kept_values *values, size_t place, uint64_t first, uint64_t end,
                              size_t *hint)
{
    for (size_t i = 0; i < values->run_count; i++) {
        size_t number = (*hint + i) % values->run_count;
        const kept_run *run = &values->runs[number];
        if (run->place != place || run->first > first || run->end < end)
            continue;
        *hint = number;
        return run;
    }
    return NULL;
}

bool stored_values_cover(const kept_piece *piece, const kept_chunk *chunk, uint64_t first,
                         uint64_t end)
{
    size_t hint = 0, place = place_of(piece, chunk, 0);
    return place != SIZE_MAX && run_of(piece->values, place, first, end, &hint);
}

/* Rows of values that a batch wants. */
typedef struct wanted_rows {
    ARRAY(parquet_run) runs;
    uint64_t count;
    size_t hint; /* the last run that had some */
} wanted_rows;

static status add_run(wanted_rows *wanted, uint64_t from, uint64_t count)
{
    parquet_run next = {.from = from, .at = wanted->count, .count = count};
    parquet_run *last = wanted->runs.count ? &wanted->runs.items[wanted->runs.count - 1] : NULL;
    wanted->count += count;
    if (!last || last->from + last->count != from)
        return array_push(NULL, &wanted->runs, next);
    last->count += count;
    return STATUS_OK;
}

/* Adds the rows of the column chunk at the place; *out_has false: some are not there. */
static status add_rows(const kept_values *values, size_t place, const pq_row_list *rows,
                       wanted_rows *wanted, bool *out_has)
{
    *out_has = true;
    for (size_t i = 0; i < rows->count && *out_has; i++) {
        const pq_row_range *range = &rows->items[i];
        const kept_run *run = run_of(values, place, range->first, range->end, &wanted->hint);
        *out_has = run != NULL;
        if (run)
            TRY(add_run(wanted, run->at + (range->first - run->first), range->end - range->first));
    }
    return STATUS_OK;
}

/* Adds the rows of all parts; *out_has false: the piece has not all of them. */
static status find_rows(const kept_piece *piece, const column_key *keys, const pq_batch_part *parts,
                        uint32_t part_count, wanted_rows *wanted, bool *out_has)
{
    size_t place = 0;
    *out_has = true;
    wanted->runs.count = 0;
    wanted->count = 0;
    for (uint32_t i = 0; i < part_count && *out_has; i++) {
        place = place_of_key(piece, &keys[i], i ? place + 1 : 0);
        *out_has = place != SIZE_MAX;
        if (*out_has)
            TRY(add_rows(piece->values, place, parts[i].rows, wanted, out_has));
    }
    *out_has = *out_has && wanted->count;
    return STATUS_OK;
}

static void give(const kept_piece *piece, wanted_rows *wanted, pq_kept_rows *out)
{
    *out = (pq_kept_rows){.values = tensor_ref(piece->values->values),
                          .value_count = piece->values->row_count,
                          .bytes = piece->bytes,
                          .runs = wanted->runs.items,
                          .run_count = wanted->runs.count};
    *wanted = (wanted_rows){0};
}

/* Counts a use of the piece and of its column chunks by the statement. */
static void count_use(stored_cache_use use, kept_piece *piece)
{
    if (piece->statement == use.statement)
        return;
    stored_use_piece(use.cache, piece, use.statement);
    for (size_t i = 0; i < piece->chunks.count; i++) {
        kept_chunk *chunk = piece->chunks.items[i];
        chunk->uses += chunk->last_statement != use.statement;
        chunk->last_statement = use.statement;
    }
}

/* Looks among what is kept of the first part's column chunk. */
static status find_in(stored_cache_use use, const kept_chunk *first, const column_key *keys,
                      const pq_batch_part *parts, uint32_t part_count, stored_bounds bounds,
                      pq_kept_rows *out)
{
    wanted_rows wanted = {0};
    status st = STATUS_OK;
    for (size_t i = 0; i < first->decoded.count && !st && !out->values; i++) {
        kept_piece *piece = first->decoded.items[i];
        bool has;
        if (piece->is_pending || !is_type_of(piece->values, &keys[0]) ||
            !is_within(piece->values, bounds))
            continue;
        st = find_rows(piece, keys, parts, part_count, &wanted, &has);
        if (st || !has)
            continue;
        count_use(use, piece);
        give(piece, &wanted, out);
    }
    array_release(&wanted.runs);
    return st;
}

status stored_values_find(stored_cache_use use, const column_key *keys, const pq_batch_part *parts,
                          uint32_t part_count, stored_bounds bounds, pq_kept_rows *out)
{
    status st = STATUS_OK;
    *out = (pq_kept_rows){0};
    if (!use.cache || !part_count || !keys[0].path)
        return STATUS_OK;
    mutex_lock(&use.cache->lock);
    const kept_chunk *first = stored_find_chunk(use.cache, &keys[0]);
    if (first)
        st = find_in(use, first, keys, parts, part_count, bounds, out);
    mutex_unlock(&use.cache->lock);
    return st;
}

static bool has_rows(const kept_piece *piece, const kept_chunk *chunk, const pq_row_list *rows)
{
    bool has = true;
    for (size_t i = 0; i < rows->count && has; i++)
        has = stored_values_cover(piece, chunk, rows->items[i].first, rows->items[i].end);
    return has;
}

bool stored_values_has(stored_cache_use use, const column_key *key, const pq_row_list *rows)
{
    bool has = false;
    if (!use.cache)
        return false;
    mutex_lock(&use.cache->lock);
    const kept_chunk *chunk = stored_find_chunk(use.cache, key);
    for (size_t i = 0; chunk && i < chunk->decoded.count && !has; i++)
        has = !chunk->decoded.items[i]->is_pending &&
              is_type_of(chunk->decoded.items[i]->values, key) &&
              has_rows(chunk->decoded.items[i], chunk, rows);
    mutex_unlock(&use.cache->lock);
    return has;
}

uint64_t stored_values_from(stored_cache_use use, const column_key *key)
{
    uint64_t rows = 0;
    if (!use.cache)
        return 0;
    mutex_lock(&use.cache->lock);
    const kept_chunk *chunk = stored_find_chunk(use.cache, key);
    for (size_t i = 0; chunk && i < chunk->decoded.count; i++) {
        const kept_piece *piece = chunk->decoded.items[i];
        const kept_values *values = piece->values;
        if (!piece->is_pending && values->is_whole && piece->chunks.items[0] == chunk &&
            is_type_of(values, key) && values->row_count > rows)
            rows = values->row_count;
    }
    mutex_unlock(&use.cache->lock);
    return rows;
}

/* ---- what has more than another ---- */

static bool has_all_of(const kept_piece *piece, const kept_piece *other)
{
    const kept_values *values = piece->values, *others = other->values;
    stored_bounds bounds = {others->is_within, others->minimum, others->maximum};
    size_t place = 0, hint = 0;
    if (!type_equal(values->type, others->type) || values->replaces_text != others->replaces_text ||
        !is_within(values, bounds))
        return false;
    for (size_t i = 0; i < others->run_count; i++) {
        const kept_run *run = &others->runs[i];
        place = place_of(piece, other->chunks.items[run->place], place);
        if (place == SIZE_MAX || !run_of(values, place, run->first, run->end, &hint))
            return false;
    }
    return true;
}

kept_piece *stored_values_find_worse(const kept_piece *piece)
{
    for (size_t i = 0; i < piece->chunks.count; i++) {
        const kept_chunk *chunk = piece->chunks.items[i];
        for (size_t k = 0; k < chunk->decoded.count; k++) {
            kept_piece *other = chunk->decoded.items[k];
            if (other != piece && !other->is_pending && other->chunks.items[0] == chunk &&
                has_all_of(piece, other))
                return other;
        }
    }
    return NULL;
}

void stored_values_count(const kept_piece *piece, const kept_chunk *chunk, uint64_t *rows,
                         uint64_t *bytes)
{
    const kept_values *values = piece->values;
    size_t place = place_of(piece, chunk, 0);
    uint64_t count = 0;
    for (size_t i = 0; i < values->run_count; i++)
        if (values->runs[i].place == place)
            count += values->runs[i].end - values->runs[i].first;
    *rows += count;
    *bytes += (uint64_t)((double)piece->bytes * (double)count / (double)values->row_count);
}

/* ---- keeping ---- */

typedef ARRAY(dev_buffer *) buffer_list;

static status add_buffer(buffer_list *out, dev_buffer *buffer)
{
    for (size_t i = 0; i < out->count; i++)
        if (out->items[i] == buffer)
            return STATUS_OK;
    return buffer ? array_push(NULL, out, buffer) : STATUS_OK;
}

/* Lists the memory of values that were decoded from pages. */
static status list_buffers(const tensor *t, buffer_list *out)
{
    TRY(add_buffer(out, t->values_owner));
    TRY(add_buffer(out, t->validity_owner));
    TRY(add_buffer(out, t->index ? t->index->owner : NULL));
    for (uint32_t i = 0; t->heap && i < t->heap->buffer_count; i++)
        TRY(add_buffer(out, t->heap->buffers[i]));
    return t->base ? list_buffers(t->base, out) : STATUS_OK;
}

static kept_piece *new_piece(const stored_keeper *keeper, const pq_decoded *decoded)
{
    size_t bytes = sizeof(kept_values) + decoded->run_count * sizeof(kept_run);
    kept_piece *piece = mem_new(sizeof *piece);
    kept_values *values = mem_new(bytes);
    if (!piece || !values) {
        mem_free(piece);
        mem_free(values);
        return NULL;
    }
    *values = (kept_values){.values = tensor_ref(decoded->values),
                            .row_count = decoded->row_count,
                            .type = keeper->keys[0].type,
                            .replaces_text = keeper->keys[0].replaces_text,
                            .is_whole = decoded->is_whole,
                            .is_within = decoded->is_within,
                            .minimum = decoded->minimum,
                            .maximum = decoded->maximum};
    for (; values->run_count < decoded->run_count; values->run_count++) {
        const pq_decoded_run *run = &decoded->runs[values->run_count];
        values->runs[values->run_count] = (kept_run){run->part, run->first, run->end, run->at};
    }
    piece->values = values;
    piece->is_pending = true;
    piece->statement = keeper->use.statement;
    return piece;
}

/* Returns whether the device has memory to spare for the bytes. With the lock held. */
static bool has_room(const stored_keeper *keeper, uint64_t bytes, kept_piece **gone)
{
    stored_cache *cache = keeper->use.cache;
    const mem_budget *budget = cache->dev->budget;
    uint64_t limit = mem_budget_limit(budget);
    uint64_t taken = mem_budget_used(budget) + atomic_load(&cache->held);
    if (bytes > cache->device_most / VALUES_PART || (limit && taken > limit / 8 * BUSY_EIGHTHS))
        return false;
    return stored_make_room(cache, &keeper->use, false, bytes, gone);
}

/* Has the column chunks and the piece know each other. False: no memory. */
static bool list_chunks(const stored_keeper *keeper, kept_piece *piece)
{
    for (uint32_t i = 0; i < keeper->part_count; i++) {
        kept_chunk *chunk = stored_list_chunk(keeper->use.cache, piece, &keeper->keys[i]);
        status st = chunk ? array_push(NULL, &chunk->decoded, piece) : STATUS_OK;
        bool is_listed = chunk && !st && piece->chunks.count == i + 1;
        status_free(st);
        if (!is_listed)
            return false;
        piece->page_count++;
    }
    return true;
}

/* Returns whether a piece that is there, or will be when its statement has ended, has all that this one has. */
static bool is_there(const kept_piece *piece)
{
    const kept_chunk *first = piece->chunks.items[0];
    for (size_t i = 0; i < first->decoded.count; i++)
        if (first->decoded.items[i] != piece && has_all_of(first->decoded.items[i], piece))
            return true;
    return false;
}

/* Returns whether parts of the piece's first column chunk that are kept are few enough for one more; the one that was not used
 * for longest goes if that is long ago. */
static bool is_one_of_few(const stored_keeper *keeper, const kept_piece *piece, kept_piece **gone)
{
    const kept_chunk *first = piece->chunks.items[0];
    kept_piece *oldest = NULL;
    size_t count = 0;
    for (size_t i = 0; i < first->decoded.count; i++) {
        kept_piece *other = first->decoded.items[i];
        if (other == piece || other->values->is_whole)
            continue;
        count++;
        if (!other->is_pending && (!oldest || other->statement < oldest->statement))
            oldest = other;
    }
    if (piece->values->is_whole || count < PARTS_MOST)
        return true;
    if (!oldest || oldest->statement + STORED_UNUSED_STATEMENTS > keeper->use.statement)
        return false;
    stored_take_out(keeper->use.cache, oldest, gone);
    return true;
}

/* Lends the piece's memory, and counts it. Returns whether that is as much as there is room for: the device may have taken more
 * than it was asked for. */
static bool lend_piece(stored_cache *cache, kept_piece *piece, const buffer_list *buffers)
{
    for (size_t i = 0; i < buffers->count; i++)
        piece->bytes += cache->dev->ops->lend(buffers->items[i]);
    stored_count_piece(cache, piece);
    return atomic_load(&cache->held) <= cache->device_most;
}

/* Adds the piece to those of its statement. Returns whether its values are kept, by it or another one. */
static bool add_piece(const stored_keeper *keeper, kept_piece *piece, const buffer_list *buffers,
                      kept_piece **gone)
{
    stored_cache *cache = keeper->use.cache;
    uint64_t bytes = 0;
    for (size_t i = 0; i < buffers->count; i++)
        bytes += buffers->items[i]->bytes;
    bool has = has_room(keeper, bytes, gone);
    stored_list_add(&cache->pending, piece);
    bool is_listed = has && list_chunks(keeper, piece), is_known = is_listed && is_there(piece);
    if (is_listed && !is_known && is_one_of_few(keeper, piece, gone) &&
        lend_piece(cache, piece, buffers))
        return true;
    stored_take_out(cache, piece, gone);
    return is_known;
}

static bool has_keys(const stored_keeper *keeper)
{
    for (uint32_t i = 0; i < keeper->part_count; i++)
        if (!keeper->keys[i].path)
            return false;
    return true;
}

bool stored_values_keep(void *argument, const pq_decoded *decoded)
{
    const stored_keeper *keeper = argument;
    kept_piece *gone = NULL;
    buffer_list buffers = {0};
    bool is_kept = false;
    if (!has_keys(keeper))
        return false;
    status st = list_buffers(decoded->values, &buffers);
    kept_piece *piece = st ? NULL : new_piece(keeper, decoded);
    if (piece) {
        mutex_lock(&keeper->use.cache->lock);
        is_kept = add_piece(keeper, piece, &buffers, &gone);
        mutex_unlock(&keeper->use.cache->lock);
    }
    stored_free_pieces(gone);
    array_release(&buffers);
    status_free(st); /* without memory nothing is kept */
    return is_kept;
}
