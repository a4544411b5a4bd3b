/* scan_deleted.c - a mask of the slice's rows, from the sorted numbers of those that are deleted. */
#include "exec/scan/scan_deleted.h"

#include "base/system/mutex.h"
#include "device/transfer.h"
#include "exec/scan/scan_filter.h"
#include "parquet/table/table_deletes.h"

/* A run of the slice's rows in one row group. */
typedef struct slice_part {
    const scan_morsel *morsel;
    uint64_t row;      /* in the row group */
    uint64_t at, rows; /* in the slice */
} slice_part;

typedef struct deleted_mask {
    const op_scan *op;
    uint64_t *words;
    uint64_t dropped;
} deleted_mask;

static size_t first_at_least(const pq_deleted_rows *deleted, uint64_t row)
{
    size_t low = 0, high = deleted->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (deleted->rows[middle] < row)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static uint64_t rows_before(const pq_table_file *f, uint32_t row_group)
{
    uint64_t rows = 0;
    for (uint32_t g = 0; g < row_group; g++)
        rows += f->metadata->row_groups[g].row_count;
    return rows;
}

static void clear_deleted(deleted_mask *m, const slice_part *part)
{
    const pq_row_group_ref ref = part->morsel->group_ref;
    const pq_deleted_rows *deleted = part->morsel->deleted;
    if (!deleted)
        return;
    uint64_t first = rows_before(&m->op->table->files.items[ref.file], ref.row_group) + part->row;
    for (size_t i = first_at_least(deleted, first);
         i < deleted->count && deleted->rows[i] < first + part->rows; i++) {
        uint64_t row = part->at + (deleted->rows[i] - first);
        m->words[row / 64] &= ~(UINT64_C(1) << row % 64);
        m->dropped++;
    }
}

/* Clears the bits of a lazy device's slice, whose rows are numbered through the ranges of all morsels. */
static void clear_batch(deleted_mask *m, const scan_local *local)
{
    uint64_t number = 0, end = local->first_row + local->slice_rows;
    for (size_t i = 0; i < local->morsels.count; i++) {
        const scan_morsel *morsel = &local->morsels.items[i];
        for (size_t r = 0; r < morsel->rows.count; r++) {
            const pq_row_range *range = &morsel->rows.items[r];
            uint64_t rows = range->end - range->first;
            uint64_t from = number > local->first_row ? number : local->first_row;
            uint64_t to = number + rows < end ? number + rows : end;
            if (from < to)
                clear_deleted(m, &(slice_part){morsel, range->first + (from - number),
                                               from - local->first_row, to - from});
            number += rows;
        }
    }
}

/* With the lock of the query's scans held. */
static status find_deletes(exec_query *query, const pq_given *given, pq_deletes **out)
{
    scan_reads *reads = query->reads;
    for (size_t i = 0; i < reads->deletes.count; i++)
        if (pq_deletes_given(reads->deletes.items[i]) == given) {
            *out = reads->deletes.items[i];
            return STATUS_OK;
        }
    TRY(pq_deletes_new(given, dev_host(query->dev)->budget, out));
    status st = array_push(NULL, &reads->deletes, *out);
    if (st)
        pq_deletes_free(*out);
    return st;
}

static status look_up(const op_scan *op, scan_morsel *morsel)
{
    exec_query *query = op->base.query;
    const pq_table_file *f = &op->table->files.items[morsel->group_ref.file];
    pq_deletes *deletes = NULL;
    if (morsel->deleted || !f->given || !f->given->has_deleted)
        return STATUS_OK;
    mutex_lock(&query->reads->lock);
    status st = find_deletes(query, op->table->given, &deletes);
    mutex_unlock(&query->reads->lock);
    return st ? st : pq_deletes_of(deletes, f->given, f->file->path, &morsel->deleted);
}

/* Looks up which rows of the morsels' files are deleted. */
static status look_up_all(const op_scan *op, scan_local *local, bool *out_has_some)
{
    *out_has_some = false;
    for (size_t i = 0; i < local->morsels.count; i++) {
        scan_morsel *morsel = &local->morsels.items[i];
        TRY(look_up(op, morsel));
        *out_has_some |= morsel->deleted && morsel->deleted->count;
    }
    return STATUS_OK;
}

/* The numbers of the rows whose bits are set become the selection. */
static status select_kept(exec_task *task, scan_local *local, const deleted_mask *m)
{
    device *dev = task->stream->dev;
    uint64_t kept = local->slice_rows - m->dropped, next = 0;
    row_index *index;
    uint32_t *rows = mem_new_array(kept + 1, sizeof *rows);
    if (!rows)
        return status_no_memory("scan", kept * sizeof *rows);
    for (uint64_t i = 0; i < local->slice_rows; i++)
        if (m->words[i / 64] >> i % 64 & 1)
            rows[next++] = (uint32_t)i;
    status st = row_index_new(dev, kept ? kept : 1, &index);
    if (!st && kept)
        st = dev_upload(task->stream, index->rows, rows, kept * sizeof *rows, "scan");
    mem_free(rows);
    if (st) {
        row_index_unref(index);
        return st;
    }
    local->selected = index;
    local->count = dev_count_exact(kept);
    return STATUS_OK;
}

status scan_drop_deleted(const op_scan *op, exec_task *task, scan_local *local)
{
    bool has_some = false;
    local->has_dropped = true;
    if (op->table->given)
        TRY(look_up_all(op, local, &has_some));
    if (!has_some)
        return STATUS_OK;
    size_t bytes = bitmap_bytes(local->slice_rows);
    deleted_mask m = {.op = op, .words = mem_new(bytes)};
    if (!m.words)
        return status_no_memory("scan", bytes);
    memset(m.words, 0xff, bytes);
    if (scan_is_host(op))
        clear_deleted(
            &m, &(slice_part){&local->morsels.items[0], local->first_row, 0, local->slice_rows});
    else
        clear_batch(&m, local);
    status st = m.dropped ? select_kept(task, local, &m) : STATUS_OK;
    mem_free(m.words);
    return st;
}
