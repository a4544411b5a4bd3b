/* span.c - rows to pages to bytes, by the offset index. */
#include "parquet/read/span.h"

static const pq_row_group *span_group_of(const pq_table *table, pq_row_group_ref group_ref)
{
    return &table->files.items[group_ref.file].metadata->row_groups[group_ref.row_group];
}

const pq_offset_index *pq_column_pages(const pq_table *table, pq_row_group_ref group_ref,
                                       uint32_t column)
{
    const pq_table_file *f = &table->files.items[group_ref.file];
    uint32_t number = f->metadata->leaves[table->columns.items[column].leaf].number;
    const pq_offset_index *index =
        pq_footer_offset_index(f->footer, f->file, group_ref.row_group, number);
    return index && index->page_count > 1 ? index : NULL;
}

static bool span_are_all(const pq_row_list *rows, uint64_t row_count)
{
    return !rows ||
           (rows->count == 1 && rows->items[0].first == 0 && rows->items[0].end == row_count);
}

pq_span pq_chunk_span(const pq_column_chunk *chunk)
{
    return (pq_span){chunk->offset, chunk->offset + chunk->compressed_bytes + chunk->spare_bytes};
}

/* The chunks of a nested column's leaves, whole. */
static status spans_of_leaves(const pq_row_group *group, const pq_table_column *column,
                              pq_span_list *out)
{
    for (uint32_t i = 0; i < column->leaf_count; i++)
        if (group->chunks[column->leaf + i].compressed_bytes)
            TRY(array_push(NULL, out, pq_chunk_span(&group->chunks[column->leaf + i])));
    return STATUS_OK;
}

status pq_column_spans(const pq_table *table, pq_row_group_ref group_ref, uint32_t column,
                       const pq_row_list *rows, pq_span_list *out)
{
    const pq_row_group *group = span_group_of(table, group_ref);
    const pq_column_chunk *chunk = &group->chunks[table->columns.items[column].leaf];
    if (pq_table_constant(table, group_ref.file, column))
        return STATUS_OK;
    if (type_is_nested(table->columns.items[column].type))
        return spans_of_leaves(group, &table->columns.items[column], out);
    const pq_offset_index *index =
        span_are_all(rows, group->row_count) ? NULL : pq_column_pages(table, group_ref, column);
    if (!index)
        return array_push(NULL, out, pq_chunk_span(chunk));
    if (index->pages[0].offset > chunk->offset)
        TRY(array_push(NULL, out, ((pq_span){chunk->offset, index->pages[0].offset})));
    size_t before = out->count, range = 0;
    for (uint32_t p = 0; p < index->page_count && range < rows->count; p++) {
        const pq_page_location *page = &index->pages[p];
        uint64_t page_end = p + 1 < index->page_count ? page[1].first_row : group->row_count;
        pq_span span = {page->offset, page->offset + page->bytes};
        while (range < rows->count && rows->items[range].end <= page->first_row)
            range++;
        if (range == rows->count || rows->items[range].first >= page_end)
            continue;
        if (out->count > before && out->items[out->count - 1].end == span.start)
            out->items[out->count - 1].end = span.end;
        else
            TRY(array_push(NULL, out, span));
    }
    return STATUS_OK;
}

status pq_rows_intersect(const pq_row_list *a, const pq_row_list *b, pq_row_list *out)
{
    for (size_t i = 0, k = 0; i < a->count && k < b->count;) {
        const pq_row_range *x = &a->items[i], *y = &b->items[k];
        uint64_t first = x->first > y->first ? x->first : y->first;
        uint64_t end = x->end < y->end ? x->end : y->end;
        if (first < end)
            TRY(array_push(NULL, out, ((pq_row_range){first, end})));
        i += x->end == end;
        k += y->end == end;
    }
    return STATUS_OK;
}
