/* scan_deal.c - row groups to ranks. */
#include "exec/scan/scan_deal.h"

static uint64_t group_bytes(const pq_table *table, size_t number)
{
    pq_row_group_ref ref = table->row_groups.items[number];
    const pq_row_group *group = &table->files.items[ref.file].metadata->row_groups[ref.row_group];
    uint64_t bytes = 0;
    for (size_t i = 0; i < table->columns.count; i++)
        bytes += group->chunks[table->columns.items[i].leaf].compressed_bytes;
    return bytes ? bytes : 1;
}

/* A row group belongs to the rank that has its middle byte, of all bytes in equal parts. */
static uint32_t rank_of(uint64_t before, uint64_t bytes, uint64_t all, uint32_t ranks)
{
    uint64_t middle = before + bytes / 2;
    uint32_t rank = (uint32_t)((uint128)middle * ranks / all);
    return rank < ranks ? rank : ranks - 1;
}

scan_deal scan_deal_groups(const exec_query *query, const pq_table *table)
{
    scan_deal deal = {.end = table->row_groups.count};
    uint64_t all = 0, before = 0;
    if (!query->net)
        return deal;
    for (size_t i = 0; i < table->row_groups.count; i++)
        all += group_bytes(table, i);
    deal.first = deal.end = 0;
    for (size_t i = 0; i < table->row_groups.count; i++) {
        uint64_t bytes = group_bytes(table, i);
        uint32_t rank = rank_of(before, bytes, all, query->rank_count);
        before += bytes;
        deal.first += rank < query->rank;
        deal.end += rank <= query->rank;
    }
    return deal;
}
