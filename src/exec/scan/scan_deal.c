/* scan_deal.c - row groups to ranks by what is left of them. A filtered table may have all its rows in a few
 * row groups, which one rank would have to read alone if all row groups were dealt out. */
#include "exec/scan/scan_deal.h"

#include "exec/scan/scan_prune.h"

/* Returns the compressed bytes that the scan reads of the row group, at least 1; 0: nothing is left of it. */
static uint64_t deal_weight(const exec_query *query, const plan_node *plan, pq_row_group_ref ref,
                            const uint32_t *columns, uint32_t column_count)
{
    const pq_table *table = plan->scan.table;
    const pq_row_group *group = &table->files.items[ref.file].metadata->row_groups[ref.row_group];
    uint64_t bytes = 0;
    if (scan_prune_footer(query, plan, table, ref))
        return 0;
    for (uint32_t i = 0; i < column_count; i++)
        bytes += group->chunks[table->columns.items[columns[i]].leaf].compressed_bytes;
    return bytes ? bytes : 1;
}

/* Looks at no row group outside the plan's range of rows. */
static void deal_weigh(const exec_query *query, const plan_node *plan, const uint32_t *columns,
                       uint32_t column_count, uint64_t *weights)
{
    const pq_table *table = plan->scan.table;
    uint64_t first = 0, end;
    for (size_t i = 0; i < table->row_groups.count; i++, first = end) {
        pq_row_group_ref ref = table->row_groups.items[i];
        end = first + table->files.items[ref.file].metadata->row_groups[ref.row_group].row_count;
        bool is_outside =
            plan->scan.end_row && (end <= plan->scan.first_row || first >= plan->scan.end_row);
        weights[i] = is_outside ? 0 : deal_weight(query, plan, ref, columns, column_count);
    }
}

status scan_deal(const exec_query *query, const plan_node *plan, const uint32_t *columns,
                 uint32_t column_count, pq_deal *out)
{
    const pq_table *table = plan->scan.table;
    size_t count = table->row_groups.count;
    uint64_t *weights = mem_new_array(count ? count : 1, sizeof *weights);
    if (!weights)
        return status_no_memory("row groups", count * sizeof *weights);
    deal_weigh(query, plan, columns, column_count, weights);
    status st = pq_table_deal(table, weights, query->rank, query->rank_count, out);
    mem_free(weights);
    return st;
}
