/* sort_pieces.c - sorted rows cut into pieces for tasks, where partitions begin: the windows above evaluate
 * whole partitions, each task those of its pieces. */
#include "exec/sort/sort.h"

/* Chunks of a piece, at most, unless a partition has more; and pieces for each task, at least. */
#define PIECE_CHUNKS 8
#define PIECES_PER_TASK 8

/* The rows in order, by the keys that partitions are made of. */
typedef struct partition_keys {
    sort_keys keys;
    const row_index *order; /* NULL: as they lie */
} partition_keys;

static uint32_t row_at(const partition_keys *p, uint64_t i)
{
    return p->order ? p->order->rows[i] : (uint32_t)i;
}

/* False: the columns do not lie side by side. columns: room for each key. */
static bool find_keys(const op_sort *op, const tensor **columns, partition_keys *out)
{
    uint32_t count = op->source->whole_keys;
    *out = (partition_keys){{count, op->base.plan->sort.keys.items, columns}, NULL};
    for (uint32_t k = 0; k < count; k++) {
        const tensor *t = op->sorted->columns[op->key_columns[k]];
        const row_index *order = t->form == TENSOR_INDEXED ? t->index : NULL;
        columns[k] = order ? t->base : t;
        if (columns[k]->form != TENSOR_FLAT || (k && order != out->order))
            return false;
        out->order = order;
    }
    return true;
}

static bool is_same(const partition_keys *p, uint64_t left, uint64_t right)
{
    return !sort_compare(&p->keys, (sort_place){0}, row_at(p, left), row_at(p, right));
}

/* Where the partition of row `at` ends: looked for at distances that double, then between the last two. */
static uint64_t find_end(const partition_keys *p, uint64_t at, uint64_t rows)
{
    uint64_t low = at, step = 1; /* row `low` belongs to it */
    while (step < rows - at && is_same(p, at, at + step)) {
        low = at + step;
        step *= 2;
    }
    uint64_t high = step < rows - at ? at + step : rows;
    while (low + 1 < high) {
        uint64_t middle = low + (high - low) / 2;
        if (is_same(p, at, middle))
            low = middle;
        else
            high = middle;
    }
    return high;
}

static uint64_t piece_rows(uint64_t rows, unsigned tasks, uint64_t chunk_rows)
{
    uint64_t each = rows / ((uint64_t)tasks * PIECES_PER_TASK) + 1;
    each = each < PIECE_CHUNKS * chunk_rows ? each : PIECE_CHUNKS * chunk_rows;
    return each > chunk_rows ? each : chunk_rows;
}

static status cut(const partition_keys *p, uint64_t rows, uint64_t wanted, sort_pieces *out)
{
    uint64_t first = 0;
    while (first < rows) {
        bool is_last = !p || rows - first <= wanted;
        first = is_last ? rows : find_end(p, first + wanted - 1, rows);
        TRY(array_push(NULL, out, first));
    }
    return STATUS_OK;
}

status sort_pieces_make(const op_sort *op, unsigned tasks, sort_pieces *out)
{
    uint64_t rows = op->sorted->rows.bound;
    partition_keys keys;
    const tensor **columns = mem_new_array(op->source->whole_keys, sizeof *columns);
    if (!columns)
        return status_no_memory("sort", op->source->whole_keys * sizeof *columns);
    bool is_found = find_keys(op, columns, &keys);
    status st = cut(is_found ? &keys : NULL, rows,
                    piece_rows(rows, tasks, exec_device(op->base.query)->chunk_rows), out);
    mem_free(columns);
    return st;
}
