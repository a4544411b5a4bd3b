/* sort_pieces.c - sorted rows cut into pieces for tasks, where partitions begin: the windows above evaluate
 * whole partitions, each task those of its pieces. */
#include "exec/sort/sort.h"

/* Chunks of a piece, at most, unless a partition has more; and pieces for each task, at least. */
#define PIECE_CHUNKS 8
#define PIECES_PER_TASK 8

/* A key that partitions are made of: the rows in order. */
typedef struct partition_key {
    const plan_sort_key *key;
    const tensor *values;
    const row_index *order; /* NULL: as they lie */
} partition_key;

typedef struct partition_keys {
    uint32_t count;
    partition_key *keys;
} partition_keys;

static uint32_t sort_pieces_row_at(const partition_key *key, uint64_t i)
{
    return key->order ? key->order->rows[i] : (uint32_t)i;
}

/* False: they are not to be had. */
static bool sort_pieces_find_keys(const op_sort *op, const partition_keys *out)
{
    for (uint32_t k = 0; k < out->count; k++) {
        const tensor *t = op->sorted->columns[op->key_columns[k]];
        const row_index *order = t->form == TENSOR_INDEXED ? t->index : NULL;
        out->keys[k] =
            (partition_key){&op->base.plan->sort.keys.items[k], order ? t->base : t, order};
        if (out->keys[k].values->form != TENSOR_FLAT)
            return false;
    }
    return true;
}

static bool sort_pieces_is_same(const partition_keys *p, uint64_t left, uint64_t right)
{
    for (uint32_t k = 0; k < p->count; k++) {
        const partition_key *key = &p->keys[k];
        sort_keys one = {1, key->key, (const tensor **)(uintptr_t)&key->values};
        if (sort_compare(&one, (sort_place){0}, sort_pieces_row_at(key, left),
                         sort_pieces_row_at(key, right)))
            return false;
    }
    return true;
}

/* Finds where the partition of row `at` ends: looks at distances that double, then between the last two. */
static uint64_t sort_pieces_find_end(const partition_keys *p, uint64_t at, uint64_t rows)
{
    uint64_t low = at, step = 1; /* row `low` belongs to it */
    while (step < rows - at && sort_pieces_is_same(p, at, at + step)) {
        low = at + step;
        step *= 2;
    }
    uint64_t high = step < rows - at ? at + step : rows;
    while (low + 1 < high) {
        uint64_t middle = low + (high - low) / 2;
        if (sort_pieces_is_same(p, at, middle))
            low = middle;
        else
            high = middle;
    }
    return high;
}

static uint64_t sort_pieces_piece_rows(uint64_t rows, unsigned tasks, uint64_t chunk_rows)
{
    uint64_t each = rows / ((uint64_t)tasks * PIECES_PER_TASK) + 1;
    each = each < PIECE_CHUNKS * chunk_rows ? each : PIECE_CHUNKS * chunk_rows;
    return each > chunk_rows ? each : chunk_rows;
}

static status sort_pieces_cut(const partition_keys *p, uint64_t rows, uint64_t wanted,
                              sort_pieces *out)
{
    uint64_t first = 0;
    while (first < rows) {
        bool is_last = !p || rows - first <= wanted;
        first = is_last ? rows : sort_pieces_find_end(p, first + wanted - 1, rows);
        TRY(array_push(NULL, out, first));
    }
    return STATUS_OK;
}

status sort_pieces_make(const op_sort *op, unsigned tasks, sort_pieces *out)
{
    uint64_t rows = op->sorted->rows.bound;
    uint32_t count = op->source->whole_keys;
    partition_keys keys = {count, mem_new_array(count, sizeof *keys.keys)};
    if (!keys.keys)
        return status_no_memory("sort", count * sizeof *keys.keys);
    bool is_found = sort_pieces_find_keys(op, &keys);
    status st = sort_pieces_cut(
        is_found ? &keys : NULL, rows,
        sort_pieces_piece_rows(rows, tasks, exec_device(op->base.query)->chunk_rows), out);
    mem_free(keys.keys);
    return st;
}
