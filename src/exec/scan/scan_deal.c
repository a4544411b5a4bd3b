/* scan_deal.c - row groups to ranks by what is left of them. A filtered table may have all its rows in a few
 * row groups, which one rank would have to read alone if all row groups were dealt out. */
#include "exec/scan/scan_deal.h"

#include "exec/scan/scan_prune.h"

static uint64_t deal_weight(const plan_statement *statement, const plan_node *scan,
                            pq_row_group_ref ref)
{
    const pq_table *table = scan->scan.table;
    const pq_row_group *group = &table->files.items[ref.file].metadata->row_groups[ref.row_group];
    uint64_t bytes = 0;
    if (scan_prune_footer(statement, scan, table, ref))
        return 0;
    for (size_t i = 0; i < scan->scan.sources.count; i++) {
        const pq_table_column *column = &table->columns.items[scan->scan.sources.items[i]];
        bytes += column->key < 0 ? group->chunks[column->leaf].compressed_bytes : 0;
    }
    return bytes ? bytes : 1;
}

void scan_weigh(const plan_statement *statement, const plan_node *scan, uint64_t *weights)
{
    const pq_table *table = scan->scan.table;
    uint64_t first = 0, end;
    for (size_t i = 0; i < table->row_groups.count; i++, first = end) {
        pq_row_group_ref ref = table->row_groups.items[i];
        end = first + table->files.items[ref.file].metadata->row_groups[ref.row_group].row_count;
        bool is_outside =
            scan->scan.end_row && (end <= scan->scan.first_row || first >= scan->scan.end_row);
        weights[i] = is_outside ? 0 : deal_weight(statement, scan, ref);
    }
}

status scan_deal(const exec_query *query, const plan_node *scan, pq_deal *out,
                 scan_worth *out_worth)
{
    const pq_table *table = scan->scan.table;
    size_t count = table->row_groups.count;
    uint64_t *weights = mem_new_array(count ? count : 1, sizeof *weights);
    if (!weights)
        return status_no_memory("row groups", count * sizeof *weights);
    scan_weigh(query->statement, scan, weights);
    *out_worth = (scan_worth){0};
    for (size_t i = 0; i < count; i++) {
        out_worth->row_groups += weights[i] != 0;
        out_worth->bytes += weights[i];
    }
    status st = pq_table_deal(table, weights, query->rank, query->rank_count, out);
    mem_free(weights);
    return st;
}
