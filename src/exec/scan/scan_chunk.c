/* scan_chunk.c - how many rows of a table are a chunk. A lazy device's chunks may be so large that a table has few: then all tasks
 * have as many of them, and of as many rows. */
#include "exec/scan/scan_chunk.h"

#include "parquet/table/table.h"

/* The part of its rows that a chunk may have in addition: row groups need not end where a task's share does. */
#define SPARE_PART 16
/* Chunks of a task whose stored bytes are in the host's memory, and as many of other scans. */
#define CHUNKS_IN_MEMORY 8

uint64_t scan_chunk_even(uint64_t rows, uint64_t row_bytes, uint64_t tasks, uint64_t memory_bytes,
                         uint64_t least, uint64_t most)
{
    uint64_t turns = rows / (tasks * most) + 1, even = rows / (tasks * turns);
    even += even / SPARE_PART + 1;
    uint64_t fitting = memory_bytes / (tasks * CHUNKS_IN_MEMORY * (row_bytes + 1));
    if (memory_bytes && fitting < even)
        even = fitting;
    return even < least ? least : even < most ? even : most;
}

static uint64_t stored_bytes(const pq_table *table)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < table->files.count; i++)
        bytes += table->files.items[i].file ? table->files.items[i].file->bytes : 0;
    return bytes;
}

uint64_t scan_chunk_rows(const exec_query *query, const plan_node *plan)
{
    const pq_table *table = plan->scan.table;
    uint64_t most = query->dev->chunk_rows, least = dev_room_rows(query->dev);
    uint64_t rows = table->row_count;
    if (query->dev->is_host || most == least || !rows)
        return most;
    uint64_t row_bytes = stored_bytes(table) / rows;
    if (query->net && plan->placement == PLACEMENT_PARTS)
        rows /= query->rank_count;
    return scan_chunk_even(rows, row_bytes, exec_task_count(query), mem_budget_limit(query->budget),
                           least, most);
}
