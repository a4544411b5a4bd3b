/* sort_best.c - see sort_best.h. */
#include "exec/sort/sort_best.h"

#include "base/system/mutex.h"

void sort_best_init(sort_best *best)
{
    mutex_init(&best->lock);
}

void sort_best_release(sort_best *best)
{
    for (uint32_t i = 0; i < best->count; i++)
        mem_free(best->rows[i]);
    mem_free(best->rows);
    best->rows = NULL;
    mutex_destroy(&best->lock);
}

static bool sort_best_has_bytes(const value *v)
{
    return !v->is_null && type_is_text(v->type);
}

/* Values, and their texts behind them. */
static status copy_row(const value *values, uint32_t count, value **out)
{
    size_t bytes = count * sizeof *values;
    for (uint32_t k = 0; k < count; k++)
        bytes += sort_best_has_bytes(&values[k]) ? values[k].bytes : 0;
    *out = mem_new(bytes);
    if (!*out)
        return status_no_memory("sort", bytes);
    char *text = (char *)(*out + count);
    for (uint32_t k = 0; k < count; k++) {
        (*out)[k] = values[k];
        if (!sort_best_has_bytes(&values[k]))
            continue;
        if (values[k].bytes)
            memcpy(text, values[k].text, values[k].bytes);
        (*out)[k].text = text;
        text += values[k].bytes;
    }
    return STATUS_OK;
}

/* Returns the place after the rows that are equal. */
static uint32_t sort_best_find_place(const sort_best *best, const plan_sort_key *keys,
                                     const value *values, uint32_t key_count)
{
    uint32_t low = 0, high = best->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (bound_compare(keys, values, best->rows[middle], key_count) < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* Under the lock. */
static status sort_best_insert(sort_best *best, uint32_t limit, const plan_sort_key *keys,
                               const value *values, uint32_t key_count, runtime_bound *bound)
{
    value *row;
    if (!best->rows)
        best->rows = mem_new_array(limit, sizeof(value *));
    if (!best->rows)
        return status_no_memory("sort", limit * sizeof(value *));
    uint32_t place = sort_best_find_place(best, keys, values, key_count);
    if (place == limit)
        return STATUS_OK;
    TRY(copy_row(values, key_count, &row));
    if (best->count == limit)
        mem_free(best->rows[--best->count]);
    memmove(best->rows + place + 1, best->rows + place, (best->count - place) * sizeof(value *));
    best->rows[place] = row;
    if (++best->count < limit)
        return STATUS_OK;
    return runtime_bound_tighten(bound, keys, best->rows[limit - 1], key_count);
}

status sort_best_offer(sort_best *best, uint32_t limit, const plan_sort_key *keys,
                       const value *values, uint32_t key_count, runtime_bound *bound)
{
    mutex_lock(&best->lock);
    status st = sort_best_insert(best, limit, keys, values, key_count, bound);
    mutex_unlock(&best->lock);
    return st;
}
