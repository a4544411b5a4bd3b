/* scan_memory.c - the largest row group of a plan's scans. */
#include "exec/scan/scan_memory.h"

#include "exec/scan/scan_ahead.h"

static uint64_t scan_memory_larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* Returns the bytes that the task at work on it holds: pages as they are read and decompressed, and texts' views. Of
 * a large row group whose pages' places are known the task takes a morsel. */
static uint64_t scan_memory_group_bytes(const plan_node *scan, const pq_row_group *group)
{
    const pq_table *table = scan->scan.table;
    uint64_t held = 0, compressed = 0;
    bool has_cuts = false;
    for (size_t i = 0; i < scan->scan.sources.count; i++) {
        const pq_table_column *source = &table->columns.items[scan->scan.sources.items[i]];
        if (source->key >= 0)
            continue;
        const pq_column_chunk *chunk = &group->chunks[source->leaf];
        if (type_is_text(source->type))
            held += group->row_count * sizeof(string_view);
        for (uint32_t k = 0; k < source->leaf_count; k++)
            held += chunk[k].uncompressed_bytes;
        compressed += pq_table_column_bytes(group, source);
        has_cuts |= chunk->offset_index.bytes > 0;
    }
    held += compressed;
    if (!has_cuts || compressed <= MORSEL_BYTES_MAX)
        return held;
    return (uint64_t)((double)held * (double)MORSEL_BYTES_MAX / (double)compressed);
}

static uint64_t scan_memory_table_bytes(const plan_node *scan)
{
    const pq_table *table = scan->scan.table;
    uint64_t most = 0;
    for (size_t f = 0; f < table->files.count && !table->is_schema_only; f++) {
        const pq_metadata *metadata = table->files.items[f].metadata;
        for (uint32_t g = 0; metadata && g < metadata->row_group_count; g++)
            most =
                scan_memory_larger(most, scan_memory_group_bytes(scan, &metadata->row_groups[g]));
    }
    return most;
}

static uint64_t plan_bytes(const plan_node *node)
{
    uint64_t most = node->kind == PLAN_SCAN ? scan_memory_table_bytes(node) : 0;
    for (uint32_t i = 0; i < node->child_count; i++)
        most = scan_memory_larger(most, plan_bytes(node->children[i]));
    return most;
}

uint64_t scan_memory_task_bytes(const plan_statement *statement)
{
    uint64_t most = plan_bytes(statement->root);
    for (size_t i = 0; i < statement->shared.count; i++)
        most = scan_memory_larger(most, plan_bytes(statement->shared.items[i]));
    return most;
}
