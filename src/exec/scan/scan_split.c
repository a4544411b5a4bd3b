/* scan_split.c - cuts a row group where pages end. */
#include "exec/scan/scan_split.h"

/* The pages of the column with the most bytes of those that have several, or NULL. */
static const pq_offset_index *find_cuts(const pq_table *table, pq_row_group_ref group_ref,
                                        const uint32_t *columns, uint32_t count)
{
    const pq_row_group *group =
        &table->files.items[group_ref.file].metadata->row_groups[group_ref.row_group];
    const pq_offset_index *best = NULL;
    uint64_t most = 0;
    for (uint32_t i = 0; i < count; i++) {
        const pq_column_chunk *chunk = &group->chunks[table->columns.items[columns[i]].leaf];
        if (type_is_nested(table->columns.items[columns[i]].type))
            return NULL; /* each morsel would read all of it */
        const pq_offset_index *pages =
            chunk->compressed_bytes > most ? pq_column_pages(table, group_ref, columns[i]) : NULL;
        if (pages) {
            best = pages;
            most = chunk->compressed_bytes;
        }
    }
    return best;
}

void scan_split_start(scan_split *split, const pq_table *table, pq_row_group_ref group_ref,
                      const uint32_t *columns, uint32_t column_count, uint64_t bytes,
                      uint64_t morsel_bytes, pq_row_list *rows)
{
    *split = (scan_split){.rows = *rows, .bytes_left = bytes};
    *rows = (pq_row_list){0};
    for (size_t i = 0; i < split->rows.count; i++)
        split->rows_left += split->rows.items[i].end - split->rows.items[i].first;
    if (split->rows.count)
        split->next_row = split->rows.items[0].first;
    uint64_t morsels = bytes / morsel_bytes; /* none is less than half of another */
    if (morsels < 2)
        return;
    split->cuts = find_cuts(table, group_ref, columns, column_count);
    if (split->cuts)
        split->morsel_rows = split->rows_left / morsels + 1;
}

bool scan_split_has_more(const scan_split *split)
{
    return split->rows_left > 0;
}

/* The first row, from `row` on, at which a page begins; beyond the last page: any number above. */
static uint64_t next_cut(const pq_offset_index *cuts, uint64_t row)
{
    uint32_t low = 0, high = cuts->page_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (cuts->pages[middle].first_row < row)
            low = middle + 1;
        else
            high = middle;
    }
    return low < cuts->page_count ? cuts->pages[low].first_row : UINT64_MAX;
}

status scan_split_next(scan_split *split, pq_row_list *out, uint64_t *out_bytes)
{
    uint64_t wanted = split->morsel_rows ? split->morsel_rows : split->rows_left, taken = 0;
    while (taken < wanted && taken < split->rows_left) {
        const pq_row_range *range = &split->rows.items[split->next_range];
        uint64_t first = split->next_row, end = range->end;
        if (split->morsel_rows && end - first > wanted - taken) {
            uint64_t cut = next_cut(split->cuts, first + (wanted - taken));
            end = cut < end ? cut : end;
        }
        TRY(array_push(NULL, out, ((pq_row_range){first, end})));
        taken += end - first;
        split->next_row = end;
        if (end == range->end && ++split->next_range < split->rows.count)
            split->next_row = split->rows.items[split->next_range].first;
    }
    *out_bytes = (uint64_t)((double)split->bytes_left * (double)taken / (double)split->rows_left);
    split->bytes_left -= *out_bytes;
    split->rows_left -= taken;
    return STATUS_OK;
}

void scan_split_release(scan_split *split)
{
    array_release(&split->rows);
    *split = (scan_split){0};
}
