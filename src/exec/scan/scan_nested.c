/* scan_nested.c - see scan_nested.h. */
#include "exec/scan/scan_nested.h"

#include "device/chunk.h"
#include "device/chunk_transfer.h"
#include "device/nested_pack.h"

#define WHO "scan"

status scan_nested_find(const plan_node *scan, const struct pq_table *table, bool **out)
{
    size_t count = scan->columns.count;
    *out = mem_new_array(count + 1, sizeof **out);
    if (!*out)
        return status_no_memory(WHO, count * sizeof **out);
    for (size_t i = 0; i < count; i++)
        (*out)[i] = type_is_nested(table->columns.items[scan->scan.sources.items[i]].type) &&
                    !type_is_nested(scan->columns.items[i].type);
    return STATUS_OK;
}

const bool *scan_read_leaves(const plan_node *plan, uint32_t source)
{
    for (size_t i = 0; i < plan->scan.read_leaves.count; i++)
        if (plan->scan.sources.items[i] == source)
            return plan->scan.read_leaves.items[i];
    return NULL;
}

#define SLICE_ELEMENTS (256u << 10)

/* Returns the most values that one of the column's leaves has in the row group, of those that are read. */
static uint64_t most_values(const plan_node *scan, const pq_table *table,
                            pq_row_group_ref group_ref, uint32_t source)
{
    const pq_metadata *m = table->files.items[group_ref.file].metadata;
    const pq_node *node = m->leaves[table->columns.items[source].leaf].node;
    const bool *wanted = scan_read_leaves(scan, source);
    uint64_t most = 0;
    for (uint32_t i = 0; i < node->leaf_count; i++) {
        const pq_column_chunk *chunk = &m->row_groups[group_ref.row_group].chunks[node->leaf + i];
        if ((!wanted || wanted[i]) && chunk->value_count > most)
            most = chunk->value_count;
    }
    return most;
}

uint64_t scan_nested_rows_most(const plan_node *scan, const pq_table *table,
                               pq_row_group_ref group_ref)
{
    uint64_t
        rows =
            table->files.items[group_ref.file].metadata->row_groups[group_ref.row_group].row_count,
        most = rows;
    for (size_t i = 0; i < scan->columns.count; i++) {
        uint32_t source = scan->scan.sources.items[i];
        if (!type_is_nested(table->columns.items[source].type) ||
            pq_table_constant(table, group_ref.file, source))
            continue;
        uint64_t values = most_values(scan, table, group_ref, source);
        most = values > most ? values : most;
    }
    return most > rows ? (uint64_t)((double)SLICE_ELEMENTS / (double)most * (double)rows)
                       : UINT64_MAX / 2;
}

/* Packs rows of the row group: a chunk of one column on the host, added to the list. */
static status pack_rows(dev_stream *host, pq_nested_column *column, pq_row_range rows,
                        chunk_list *to)
{
    tensor *values, *packed;
    chunk *c;
    uint64_t count = rows.end - rows.first;
    TRY(pq_nested_slice(column, rows.first, count, &values));
    status st = nested_pack(host->dev, values, 0, count, NESTED_EXACT, WHO, &packed);
    tensor_unref(values);
    TRY(st);
    st = chunk_new(1, dev_count_exact(count), &c);
    if (st) {
        tensor_unref(packed);
        return st;
    }
    c->columns[0] = packed;
    return chunk_list_push(to, c);
}

static status pack_ranges(dev_stream *host, const scan_nested_rows *rows, chunk_list *to)
{
    uint64_t first = rows->first, end = first + rows->count, at = 0;
    if (!rows->ranges)
        return pack_rows(host, rows->column, (pq_row_range){first, end}, to);
    for (size_t i = 0; i < rows->ranges->count && at < end; i++) {
        pq_row_range range = rows->ranges->items[i];
        uint64_t behind = at + range.end - range.first;
        uint64_t from = first > at ? first : at, until = end < behind ? end : behind;
        if (from < until)
            TRY(pack_rows(host, rows->column,
                          (pq_row_range){range.first + from - at, range.first + until - at}, to));
        at = behind;
    }
    return STATUS_OK;
}

/* Moves the rows to the task's device. */
static status send_rows(exec_task *task, dev_stream *host, const chunk_list *list, tensor **out)
{
    chunk *all = list->items[0], *sent;
    if (list->count > 1)
        TRY(chunk_concat(host, list->items, list->count, WHO, &all));
    status st = chunk_to_device(task->stream, all, WHO, &sent);
    if (all != list->items[0])
        chunk_free(all);
    TRY(st);
    *out = tensor_ref(sent->columns[0]);
    chunk_free(sent);
    return STATUS_OK;
}

status scan_nested_slice(exec_task *task, dev_stream *host, const scan_nested_rows *rows,
                         tensor **out)
{
    chunk_list list = {0};
    *out = NULL;
    if (!rows->column) {
        value null = value_null(type_make(TYPE_BLOB));
        return tensor_new_constant(task->stream, &null, out);
    }
    status st = pack_ranges(host, rows, &list);
    if (!st)
        st = send_rows(task, host, &list, out);
    chunk_list_release(&list);
    return st;
}
