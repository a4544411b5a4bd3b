/* stored_values.c - see stored_values.h. */
#include "exec/scan/stored_values.h"

#include "base/budget.h"
#include "base/mutex.h"
#include "exec/scan/stored_index.h"

/* One tensor takes at most this part of what the cache may. */
#define VALUES_PART 8
/* Eighths of the device's limit that values and all else may take together: the rest is for what queries need. */
#define BUSY_EIGHTHS 6

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

typedef ARRAY(parquet_run) run_list;

/* Adds the rows of a column chunk, the batch's from row *at on, of which `start` is the first one's place. */
static status add_runs(run_list *runs, const pq_row_list *rows, uint64_t start, uint64_t *at)
{
    for (size_t i = 0; i < rows->count; i++) {
        const pq_row_range *range = &rows->items[i];
        parquet_run next = {
            .from = start + range->first, .at = *at, .count = range->end - range->first};
        parquet_run *last = runs->count ? &runs->items[runs->count - 1] : NULL;
        *at += next.count;
        if (last && last->from + last->count == next.from)
            last->count += next.count;
        else
            TRY(array_push(NULL, runs, next));
    }
    return STATUS_OK;
}

/* Adds the rows of all parts; *out_has false: the piece has not all of them. */
static status find_runs(const kept_piece *piece, kept_chunk *const *chunks,
                        const pq_batch_part *parts, uint32_t part_count, run_list *runs,
                        bool *out_has)
{
    uint64_t at = 0;
    size_t place = 0;
    *out_has = false;
    runs->count = 0;
    for (uint32_t i = 0; i < part_count; i++) {
        place = place_of(piece, chunks[i], place);
        if (place == SIZE_MAX)
            return STATUS_OK;
        TRY(add_runs(runs, parts[i].rows, piece->values->starts[place], &at));
    }
    *out_has = at > 0;
    return STATUS_OK;
}

static void give(const kept_piece *piece, run_list *runs, pq_kept_rows *out)
{
    *out = (pq_kept_rows){.values = tensor_ref(piece->values->values),
                          .value_count = piece->values->row_count,
                          .bytes = piece->bytes,
                          .runs = runs->items,
                          .run_count = runs->count};
    *runs = (run_list){0};
}

static status find_in(stored_cache_use use, const column_key *key, kept_chunk *const *chunks,
                      const pq_batch_part *parts, uint32_t part_count, stored_bounds bounds,
                      pq_kept_rows *out)
{
    run_list runs = {0};
    status st = STATUS_OK;
    for (size_t i = 0; i < chunks[0]->decoded.count && !st && !out->values; i++) {
        kept_piece *piece = chunks[0]->decoded.items[i];
        bool has;
        if (piece->is_pending || !is_type_of(piece->values, key) ||
            !is_within(piece->values, bounds))
            continue;
        st = find_runs(piece, chunks, parts, part_count, &runs, &has);
        if (st || !has)
            continue;
        stored_use_piece(use.cache, piece, use.statement);
        give(piece, &runs, out);
    }
    array_release(&runs);
    return st;
}

/* Finds the column chunks of the keys; false: of one nothing is kept. */
static bool find_chunks(stored_cache *cache, const column_key *keys, uint32_t count,
                        kept_chunk **out)
{
    for (uint32_t i = 0; i < count; i++) {
        out[i] = keys[i].path ? stored_find_chunk(cache, &keys[i]) : NULL;
        if (!out[i] || !out[i]->decoded.count)
            return false;
    }
    return count > 0;
}

static void count_uses(kept_chunk *const *chunks, uint32_t count, uint64_t statement)
{
    for (uint32_t i = 0; i < count; i++) {
        chunks[i]->uses += chunks[i]->last_statement != statement;
        chunks[i]->last_statement = statement;
    }
}

status stored_values_find(stored_cache_use use, const column_key *keys, const pq_batch_part *parts,
                          uint32_t part_count, stored_bounds bounds, pq_kept_rows *out)
{
    status st = STATUS_OK;
    *out = (pq_kept_rows){0};
    if (!use.cache)
        return STATUS_OK;
    kept_chunk **chunks = mem_new_array(part_count, sizeof *chunks);
    if (!chunks)
        return status_no_memory("stored pages", part_count * sizeof *chunks);
    mutex_lock(&use.cache->lock);
    if (find_chunks(use.cache, keys, part_count, chunks))
        st = find_in(use, keys, chunks, parts, part_count, bounds, out);
    if (out->values)
        count_uses(chunks, part_count, use.statement);
    mutex_unlock(&use.cache->lock);
    mem_free(chunks);
    return st;
}

bool stored_values_has(stored_cache_use use, const column_key *key)
{
    bool has = false;
    if (!use.cache)
        return false;
    mutex_lock(&use.cache->lock);
    const kept_chunk *chunk = stored_find_chunk(use.cache, key);
    for (size_t i = 0; chunk && i < chunk->decoded.count && !has; i++)
        has = !chunk->decoded.items[i]->is_pending &&
              is_type_of(chunk->decoded.items[i]->values, key);
    mutex_unlock(&use.cache->lock);
    return has;
}

/* ---- what has more than another ---- */

static bool has_all_of(const kept_piece *piece, const kept_piece *other)
{
    const kept_values *values = piece->values, *others = other->values;
    stored_bounds bounds = {others->is_within, others->minimum, others->maximum};
    size_t place = 0;
    if (!type_equal(values->type, others->type) || values->replaces_text != others->replaces_text ||
        !is_within(values, bounds))
        return false;
    for (size_t i = 0; i < other->chunks.count; i++) {
        place = place_of(piece, other->chunks.items[i], place);
        if (place == SIZE_MAX)
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
            if (other != piece && !other->is_pending && has_all_of(piece, other))
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
    uint64_t count = values->starts[place + 1] - values->starts[place];
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
    size_t bytes = sizeof(kept_values) + (decoded->part_count + 1) * sizeof(uint64_t);
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
                            .is_within = decoded->is_within,
                            .minimum = decoded->minimum,
                            .maximum = decoded->maximum};
    memcpy(values->starts, decoded->starts, decoded->part_count * sizeof *values->starts);
    values->starts[decoded->part_count] = decoded->row_count;
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
    if (!is_listed || is_known) {
        stored_take_out(cache, piece, gone);
        return is_known;
    }
    for (size_t i = 0; i < buffers->count; i++)
        piece->bytes += cache->dev->ops->lend(buffers->items[i]);
    stored_count_piece(cache, piece);
    return true;
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
