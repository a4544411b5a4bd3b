/* page_index.c - parses offset and column indexes. */
#include "parquet/format/page_index.h"

#include "parquet/format/statistics.h"
#include "parquet/format/thrift.h"

#include <limits.h>

/* ---- offset index ---- */

static void read_location(thrift_reader *r, const thrift_field *outer, pq_page_location *page)
{
    int64_t offset = -1, bytes = -1, first_row = -1;
    thrift_field f = {0};
    if (!thrift_enter(r, outer))
        return;
    while (thrift_next(r, &f)) {
        if (f.id == 1)
            offset = thrift_int(r, &f);
        else if (f.id == 2)
            bytes = thrift_int(r, &f);
        else if (f.id == 3)
            first_row = thrift_int(r, &f);
        else
            thrift_skip(r, &f);
    }
    thrift_leave(r);
    if (offset < 0 || bytes < 0 || bytes > INT32_MAX || first_row < 0)
        r->is_broken = true;
    *page = (pq_page_location){(uint64_t)offset, (uint32_t)bytes, (uint64_t)first_row};
}

static bool are_right(const pq_offset_index *index, const pq_column_chunk *chunk,
                      uint64_t row_count)
{
    uint64_t end = chunk->offset + chunk->compressed_bytes;
    if (!index->page_count)
        return !row_count;
    for (uint32_t i = 0; i < index->page_count; i++) {
        const pq_page_location *page = &index->pages[i];
        uint64_t least_row = i ? page[-1].first_row + 1 : 0;
        uint64_t least_offset = i ? page[-1].offset + page[-1].bytes : chunk->offset;
        if (page->offset < least_offset || page->offset > end || page->bytes > end - page->offset ||
            page->first_row < least_row || page->first_row >= row_count || (!i && page->first_row))
            return false;
    }
    return true;
}

status pq_offset_index_parse(arena *a, const pq_column_chunk *chunk, uint64_t row_count,
                             const void *bytes, size_t length, pq_offset_index *out)
{
    *out = (pq_offset_index){0};
    thrift_reader r = thrift_reader_make(bytes, length);
    thrift_field f = {0};
    thrift_type type;
    while (thrift_next(&r, &f)) {
        if (f.id != 1) {
            thrift_skip(&r, &f);
            continue;
        }
        out->page_count = thrift_list(&r, &f, &type);
        out->pages = arena_alloc_array(a, (size_t)out->page_count + 1, sizeof *out->pages);
        if (!out->pages)
            return status_no_memory("offset index", out->page_count * sizeof *out->pages);
        for (uint32_t i = 0; i < out->page_count && !r.is_broken; i++) {
            thrift_field item = thrift_element(type);
            read_location(&r, &item, &out->pages[i]);
        }
    }
    if (r.is_broken || !are_right(out, chunk, row_count))
        return status_new(STATUS_KIND_CORRUPT, "the offset index is damaged");
    return STATUS_OK;
}

/* ---- column index ---- */

/* The list's length, which is the same for every list of the index. */
static uint32_t read_count(arena *a, thrift_reader *r, const thrift_field *field, thrift_type *type,
                           pq_column_index *out)
{
    uint32_t count = thrift_list(r, field, type);
    if (r->is_broken)
        return 0;
    if (!out->pages) {
        out->page_count = count;
        out->is_null = arena_alloc(a, (size_t)count + 1);
        out->pages = arena_alloc_array(a, (size_t)count + 1, sizeof *out->pages);
        for (uint32_t i = 0; out->pages && i < count; i++)
            out->pages[i].null_count = out->pages[i].distinct_count = -1;
    }
    if (count != out->page_count || !out->is_null || !out->pages) {
        r->is_broken = true;
        return 0;
    }
    return count;
}

static void page_index_read_item(arena *a, thrift_reader *r, const pq_leaf *leaf, int16_t list,
                                 const thrift_field *item, uint32_t page, pq_column_index *out)
{
    pq_statistics *s = &out->pages[page];
    const uint8_t *bytes;
    uint32_t length;
    switch (list) {
    case 1: /* in lists a boolean is a byte of the value's field type */
        out->is_null[page] = r->at < r->end && *r->at == THRIFT_TRUE;
        r->is_broken |= r->at == r->end;
        r->at += r->at < r->end;
        break;
    case 2: /* of a page with nothing but NULLs it is empty */
        bytes = thrift_binary(r, item, &length);
        s->has_min = bytes && (length || !out->is_null[page]) &&
                     pq_bound_value(a, leaf, bytes, length, &s->min);
        break;
    case 3:
        bytes = thrift_binary(r, item, &length);
        s->has_max = bytes && (length || !out->is_null[page]) &&
                     pq_bound_value(a, leaf, bytes, length, &s->max);
        break;
    default:
        s->null_count = thrift_int(r, item);
        if (s->null_count < 0)
            s->null_count = -1;
    }
}

status pq_column_index_parse(arena *a, const pq_leaf *leaf, const void *bytes, size_t length,
                             pq_column_index *out)
{
    *out = (pq_column_index){0};
    thrift_reader r = thrift_reader_make(bytes, length);
    thrift_field f = {0};
    thrift_type type;
    uint32_t lists = 0;
    while (thrift_next(&r, &f)) {
        if (f.id == 4) {
            int64_t order = thrift_int(&r, &f);
            out->order = order == 1 ? PQ_ASCENDING : order == 2 ? PQ_DESCENDING : PQ_UNORDERED;
        } else if ((f.id >= 1 && f.id <= 3) || f.id == 5) {
            uint32_t count = read_count(a, &r, &f, &type, out);
            thrift_field item = thrift_element(type);
            for (uint32_t i = 0; i < count && !r.is_broken; i++)
                page_index_read_item(a, &r, leaf, f.id, &item, i, out);
            lists |= 1u << f.id;
        } else {
            thrift_skip(&r, &f);
        }
    }
    const uint32_t required = 1u << 1 | 1u << 2 | 1u << 3;
    if (r.is_broken || (lists & required) != required)
        return status_new(STATUS_KIND_CORRUPT, "the column index is damaged");
    return STATUS_OK;
}

/* ---- both, and the footer ---- */

/* The page's own numbers and bounds, and whether it is one of NULLs alone. */
static bool does_page_agree(const pq_leaf *leaf, const pq_column_index *index, uint32_t page,
                            uint64_t rows)
{
    const pq_statistics *s = &index->pages[page];
    bool is_counted = s->null_count >= 0;
    if (index->is_null[page])
        return leaf->max_definition && !s->has_min && !s->has_max &&
               (!is_counted || (uint64_t)s->null_count == rows);
    return !(is_counted && (uint64_t)s->null_count == rows) && pq_statistics_agree(leaf, s, rows);
}

/* Bounds of text may be cut, in the footer otherwise than in the index. */
static bool page_index_is_within(const pq_statistics *page, const pq_statistics *chunk)
{
    if (page->has_min && (type_is_text(page->min.type)))
        return true;
    return (!page->has_min || !chunk->has_min || value_compare(&page->min, &chunk->min) >= 0) &&
           (!page->has_max || !chunk->has_max || value_compare(&page->max, &chunk->max) <= 0);
}

/* The bounds of both pages lie as the index says that they do. */
static bool is_in_order(const pq_column_index *index, const pq_statistics *before,
                        const pq_statistics *page)
{
    if (!before || index->order == PQ_UNORDERED || !before->has_min || !page->has_min ||
        !before->has_max || !page->has_max)
        return true;
    int min = value_compare(&before->min, &page->min),
        max = value_compare(&before->max, &page->max);
    return index->order == PQ_ASCENDING ? min <= 0 && max <= 0 : min >= 0 && max >= 0;
}

bool pq_indexes_agree(const pq_leaf *leaf, const pq_statistics *chunk, uint64_t row_count,
                      const pq_offset_index *places, const pq_column_index *bounds)
{
    const pq_statistics *before = NULL;
    int64_t nulls = 0;
    if (bounds->page_count != places->page_count)
        return false;
    for (uint32_t p = 0; p < places->page_count; p++) {
        const pq_page_location *place = &places->pages[p];
        const pq_statistics *page = &bounds->pages[p];
        uint64_t end = p + 1 < places->page_count ? place[1].first_row : row_count;
        if (!does_page_agree(leaf, bounds, p, end - place->first_row) ||
            !page_index_is_within(page, chunk))
            return false;
        if (!bounds->is_null[p]) {
            if (!is_in_order(bounds, before, page))
                return false;
            before = page;
        }
        nulls = nulls < 0 || page->null_count < 0 ? -1 : nulls + page->null_count;
    }
    return nulls < 0 || chunk->null_count < 0 || nulls == chunk->null_count;
}

/* ---- from the file ---- */

/* To be freed; NULL: none. */
static uint8_t *page_index_read_range(const file *f, pq_range range)
{
    uint8_t *bytes = range.bytes ? mem_new(range.bytes) : NULL;
    if (!bytes)
        return NULL;
    status st = file_read(f, range.offset, bytes, range.bytes);
    if (!st)
        return bytes;
    status_free(st);
    mem_free(bytes);
    return NULL;
}

void pq_offset_index_read(arena *a, const file *f, const pq_column_chunk *chunk, uint64_t row_count,
                          pq_offset_index *out)
{
    *out = (pq_offset_index){0};
    uint8_t *bytes = page_index_read_range(f, chunk->offset_index);
    status st =
        bytes ? pq_offset_index_parse(a, chunk, row_count, bytes, chunk->offset_index.bytes, out)
              : STATUS_OK;
    if (st)
        *out = (pq_offset_index){0};
    status_free(st);
    mem_free(bytes);
}

void pq_column_index_read(arena *a, const file *f, const pq_leaf *leaf,
                          const pq_column_chunk *chunk, pq_column_index *out)
{
    *out = (pq_column_index){0};
    uint8_t *bytes = page_index_read_range(f, chunk->column_index);
    status st =
        bytes ? pq_column_index_parse(a, leaf, bytes, chunk->column_index.bytes, out) : STATUS_OK;
    if (st)
        *out = (pq_column_index){0};
    status_free(st);
    mem_free(bytes);
}
