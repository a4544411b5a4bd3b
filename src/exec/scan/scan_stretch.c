/* scan_stretch.c - see scan_stretch.h. */
#include "exec/scan/scan_stretch.h"

static uint64_t group_rows(const pq_table *table, size_t number)
{
    pq_row_group_ref ref = table->row_groups.items[number];
    return table->files.items[ref.file].metadata->row_groups[ref.row_group].row_count;
}

/* Adds the next row group, which goes on with the last stretch if that has room for it. */
static status add_next(scan_stretches *stretches, const pq_table *table, uint64_t chunk_rows)
{
    size_t number = stretches->firsts.count;
    uint64_t rows = group_rows(table, number);
    bool goes_on = number && stretches->rows + rows <= chunk_rows;
    stretches->rows = goes_on ? stretches->rows + rows : rows;
    return array_push(NULL, &stretches->firsts,
                      goes_on ? stretches->firsts.items[number - 1] : number);
}

size_t scan_stretch_of(scan_stretches *stretches, const pq_table *table, uint64_t chunk_rows,
                       size_t number)
{
    status st = STATUS_OK;
    while (!st && stretches->firsts.count <= number)
        st = add_next(stretches, table, chunk_rows);
    size_t first = st ? number : stretches->firsts.items[number];
    status_free(st);
    return first;
}

uint64_t scan_stretch_rows(scan_stretches *stretches, const pq_table *table, uint64_t chunk_rows,
                           size_t first)
{
    uint64_t rows = 0;
    for (size_t i = first; i < table->row_groups.count; i++) {
        if (scan_stretch_of(stretches, table, chunk_rows, i) != first)
            break;
        rows += group_rows(table, i);
    }
    return rows;
}
