/* column.c - a column chunk: its bytes, its pages, slices over them. The bytes are one segment, the
 * whole chunk, or several where only some rows are wanted: the dictionary and runs of pages. */
#include "parquet/read/column.h"

#include "codec/codec.h"
#include "parquet/read/column_pages.h"
#include "parquet/read/text_check.h"

/* Bytes [span.start, span.end) of the file: the whole chunk, its dictionary, or a run of pages. */
typedef struct segment {
    pq_span span;
    pq_fetched_range *range; /* where they come from */
    const uint8_t *host;
    dev_buffer *owner; /* of it, where the device is the host */
} segment;

struct pq_column {
    const pq_table *table;
    pq_row_group_ref group_ref;
    uint32_t number; /* of the table's column */
    bool is_part;    /* of a nested column; then the number is the leaf's */
    const pq_column_chunk *chunk;
    pq_page_context context;
    device *dev;
    uint64_t row_count;
    bool ignores_checksums;

    ARRAY(segment) segments;
    bool is_parsed;
    uint64_t bytes, stored_bytes, cached_bytes; /* those last two: read by this column alone */
    ARRAY(pq_page) pages;
    pq_page dictionary_page;
    bool has_dictionary;
    size_t next_page; /* pages before it are over */
};

static const pq_leaf *column_leaf_of(const pq_column *c)
{
    return c->context.leaf;
}

/* Says where a failure of this column happened. */
static status with_location(const pq_column *c, status st)
{
    return status_context(st, "file \"%s\", row group %u, column \"%s\"",
                          c->table->files.items[c->group_ref.file].file->path,
                          c->group_ref.row_group, column_leaf_of(c)->name);
}

static status with_page(const pq_page *page, status st)
{
    return status_context(st, "page at byte %llu", (unsigned long long)page->at);
}

/* ---- opening ---- */

/* The bytes come, or are there, by somebody's foresight, or are read now. */
static status open_segment(pq_column *c, pq_span span, const pq_column_use *use)
{
    const file *f = c->table->files.items[c->group_ref.file].file;
    segment s = {.span = span, .range = pq_fetch_find(use->fetch, span)};
    c->bytes += span.end - span.start;
    if (!s.range)
        s.range = pq_fetch_find(use->gathered, span);
    if (!s.range)
        TRY(pq_fetched_read(c->dev, f, span, &s.range));
    if (pq_fetched_is_own(s.range)) {
        uint64_t stored = pq_fetched_stored_bytes(s.range);
        c->stored_bytes += stored;
        c->cached_bytes += span.end - span.start - stored;
    }
    s.host = pq_fetched_address(s.range, span.start);
    status st = array_push(NULL, &c->segments, s);
    if (st)
        pq_fetched_unref(s.range);
    return st;
}

static status open_segments(pq_column *c, const pq_column_use *use)
{
    if (!codec_is_known((int)c->chunk->codec))
        return status_new(STATUS_KIND_UNSUPPORTED, "codec %d is not supported",
                          (int)c->chunk->codec);
    if (c->row_count >= ROW_NULL)
        return status_new(STATUS_KIND_UNSUPPORTED, "a row group of %llu rows is too large",
                          (unsigned long long)c->row_count);
    pq_span_list spans = {0};
    status st = c->is_part ? array_push(NULL, &spans, pq_chunk_span(c->chunk))
                           : pq_column_spans(c->table, c->group_ref, c->number, use->rows, &spans);
    for (size_t i = 0; i < spans.count && !st; i++)
        st = open_segment(c, spans.items[i], use);
    array_release(&spans);
    return st;
}

/* As it is before its bytes are asked for. */
static status column_new(dev_stream *stream, const pq_table *table, pq_row_group_ref group_ref,
                         uint32_t leaf, const pq_column_use *use, pq_column **out)
{
    const pq_table_file *f = &table->files.items[group_ref.file];
    const pq_row_group *group = &f->metadata->row_groups[group_ref.row_group];
    pq_column *c = mem_new(sizeof *c);
    *out = c;
    if (!c)
        return status_no_memory("scan", sizeof *c);
    c->table = table;
    c->group_ref = group_ref;
    c->chunk = &group->chunks[leaf];
    c->dev = stream->dev;
    c->row_count = group->row_count;
    c->ignores_checksums = use->ignores_checksums;
    c->context = (pq_page_context){.stream = stream,
                                   .leaf = &f->metadata->leaves[leaf],
                                   .codec = c->chunk->codec,
                                   .error = use->error,
                                   .replaces_text = use->replaces_text};
    return STATUS_OK;
}

static status column_open(pq_column *c, const pq_column_use *use, pq_column **out)
{
    status st = open_segments(c, use);
    if (st) {
        st = with_location(c, st);
        pq_column_close(c);
        return st;
    }
    *out = c;
    return STATUS_OK;
}

status pq_column_open(dev_stream *stream, const pq_table *table, pq_row_group_ref group_ref,
                      uint32_t column, pq_column_use use, pq_column **out)
{
    *out = NULL;
    const pq_table_column *described = &table->columns.items[column];
    pq_column *c;
    TRY(column_new(stream, table, group_ref, described->leaf, &use, &c));
    c->number = column;
    if (use.check_bounds) {
        c->context.check_bounds = true;
        c->context.minimum = (int64_t)described->min;
        c->context.maximum = (int64_t)described->max;
    }
    return column_open(c, &use, out);
}

bool pq_column_wait(pq_column *c, void (*wake)(void *argument), void *argument)
{
    for (size_t i = 0; i < c->segments.count; i++)
        if (pq_fetched_wait(c->segments.items[i].range, wake, argument))
            return true;
    return false;
}

/* ---- pages ---- */

/* The page whose header is at byte `at` of the file. All sizes are checked against the segment's
 * bytes here. */
static status column_read_header(const pq_column *c, const segment *s, uint64_t at, pq_page *page)
{
    size_t header_bytes;
    *page = (pq_page){.at = at};
    status st = pq_page_header_parse(s->host + (at - s->span.start), s->span.end - at,
                                     &page->header, &header_bytes);
    if (st)
        return st;
    page->at = at + header_bytes;
    page->header.has_checksum &= !c->ignores_checksums;
    if (page->header.compressed_bytes > s->span.end - page->at)
        return status_new(STATUS_KIND_CORRUPT, "it has %u bytes, more than its column chunk",
                          page->header.compressed_bytes);
    page->host = s->host + (page->at - s->span.start);
    page->block = pq_fetched_block(s->range);
    page->owner = s->owner;
    return STATUS_OK;
}

static status column_add_data_page(pq_column *c, pq_page *page, uint64_t first_row)
{
    const pq_page_header *h = &page->header;
    page->first_row = first_row;
    if (h->value_count > c->row_count - first_row)
        return status_new(STATUS_KIND_CORRUPT, "it has %u values, more than its row group has left",
                          h->value_count);
    TRY(pq_page_check_encoding(column_leaf_of(c), h));
    if (pq_page_is_coded(page) && !c->has_dictionary)
        return status_new(STATUS_KIND_CORRUPT, "no dictionary is before it");
    if (!h->value_count)
        return STATUS_OK;
    return array_push(NULL, &c->pages, *page);
}

/* One page, and where the next one begins. */
static status column_add_page(pq_column *c, const segment *s, uint64_t *at, uint64_t first_row,
                              uint64_t *out_rows)
{
    pq_page page;
    status st = column_read_header(c, s, *at, &page);
    *out_rows = 0;
    if (!st && page.header.type == PQ_PAGE_DICTIONARY && !c->has_dictionary) {
        c->dictionary_page = page;
        c->has_dictionary = true;
    } else if (!st && (page.header.type == PQ_PAGE_DATA || page.header.type == PQ_PAGE_DATA_V2)) {
        st = column_add_data_page(c, &page, first_row);
        *out_rows = page.header.value_count;
    }
    if (st)
        return with_page(&page, st);
    *at = page.at + page.header.compressed_bytes;
    return STATUS_OK;
}

/* Finds the pages of a whole chunk: one after the other. */
static status find_pages(pq_column *c)
{
    const segment *s = &c->segments.items[0];
    uint64_t at = s->span.start, rows = 0, more;
    while (rows < c->row_count) {
        TRY(column_add_page(c, s, &at, rows, &more));
        rows += more;
    }
    return STATUS_OK;
}

/* Finds a run of pages: where the offset index says. */
static status column_find_run(pq_column *c, const segment *s, const pq_offset_index *index)
{
    for (uint32_t p = 0; p < index->page_count; p++) {
        const pq_page_location *page = &index->pages[p];
        uint64_t end = p + 1 < index->page_count ? page[1].first_row : c->row_count;
        uint64_t at = page->offset, rows;
        if (at < s->span.start || at >= s->span.end)
            continue;
        TRY(column_add_page(c, s, &at, page->first_row, &rows));
        if (rows != end - page->first_row)
            return with_page(
                &(pq_page){.at = page->offset},
                status_new(STATUS_KIND_CORRUPT, "it has %llu rows, by the file's page index %llu",
                           (unsigned long long)rows, (unsigned long long)(end - page->first_row)));
    }
    return STATUS_OK;
}

static status find_some_pages(pq_column *c)
{
    const pq_offset_index *index = pq_column_pages(c->table, c->group_ref, c->number);
    uint64_t at, rows;
    if (!index) /* it was there when the spans were made, and is kept */
        return status_new(STATUS_KIND_INTERNAL, "its page index is gone");
    for (size_t i = 0; i < c->segments.count; i++) {
        const segment *s = &c->segments.items[i];
        if (s->span.start >= index->pages[0].offset) {
            TRY(column_find_run(c, s, index));
            continue;
        }
        for (at = s->span.start; at < s->span.end && !c->has_dictionary;)
            TRY(column_add_page(c, s, &at, 0, &rows));
    }
    return STATUS_OK;
}

static bool column_is_whole(const pq_column *c)
{
    return c->segments.count == 1 &&
           c->segments.items[0].span.end - c->segments.items[0].span.start ==
               c->chunk->compressed_bytes + c->chunk->spare_bytes;
}

/* Returns whether values are converted to microseconds, whose range may not have them. Kernels report such a value as they
 * report bytes that break the format. */
static bool has_ranged_times(const pq_leaf *leaf)
{
    return leaf->physical == PQ_INT96 ||
           (leaf->physical == PQ_INT64 && leaf->conversion == PQ_CONVERT_MILLIS);
}

static status page_is_corrupt(const pq_column *c, uint64_t place)
{
    if (has_ranged_times(column_leaf_of(c)))
        return status_hint(status_new(STATUS_KIND_CORRUPT,
                                      "a timestamp is out of the range of microseconds, or the "
                                      "page's bytes break the format"),
                           "some writers store the least integer for a missing time");
    return status_new(STATUS_KIND_CORRUPT, "its bytes break the format at its byte %llu",
                      (unsigned long long)place);
}

/* Checks what kernels reported about this page. */
static status check_page(const pq_column *c)
{
    dev_error *error = c->context.error;
    if (atomic_load_explicit(&error->code, memory_order_relaxed) == DEV_ERROR_NONE)
        return STATUS_OK;
    uint32_t code = atomic_load_explicit(&error->code, memory_order_relaxed);
    atomic_store_explicit(&error->code, DEV_ERROR_NONE, memory_order_relaxed);
    if (code == DEV_ERROR_BOUNDS)
        return status_new(STATUS_KIND_CORRUPT, PQ_BOUNDS_MESSAGE);
    if (code == DEV_ERROR_TEXT)
        return pq_text_error(error->detail);
    return page_is_corrupt(c, error->detail);
}

static status decode_dictionary(pq_column *c)
{
    if (c->context.dictionary)
        return STATUS_OK;
    status st = pq_page_check_sum(c->dev, &c->dictionary_page);
    if (!st)
        st = pq_page_decode_dictionary(&c->context, &c->dictionary_page);
    if (!st)
        st = check_page(c);
    return with_page(&c->dictionary_page, st);
}

/* At least its first rows, so many. */
static status decode_page(pq_column *c, pq_page *page, uint64_t rows)
{
    status st = STATUS_OK;
    if (page->values && !page->part)
        return STATUS_OK;
    if (!page->values) {
        if (pq_page_is_coded(page))
            TRY(decode_dictionary(c));
        st = pq_page_check_sum(c->dev, page);
        if (!st && rows < page->header.value_count)
            st = pq_page_part_begin(&c->context, page);
    }
    if (!st && page->part)
        st = pq_page_part_reach(page, rows);
    else if (!st)
        st = pq_page_decode(&c->context, page, &page->values);
    if (!st)
        st = check_page(c);
    return with_page(page, st);
}

/* The bytes have come: what the file says is found. */
static status column_prepare(pq_column *c)
{
    if (c->is_parsed)
        return STATUS_OK;
    for (size_t i = 0; i < c->segments.count; i++) {
        segment *s = &c->segments.items[i];
        TRY(pq_fetched_finish(s->range));
        if (c->dev->is_host && !s->owner)
            s->owner = dev_buffer_ref(pq_fetched_buffer(s->range));
    }
    TRY(column_is_whole(c) ? find_pages(c) : find_some_pages(c));
    c->is_parsed = true;
    return STATUS_OK;
}

status pq_column_parse(pq_column *c, pq_parsed_column *out)
{
    status st = column_prepare(c);
    *out = (pq_parsed_column){.leaf = column_leaf_of(c),
                              .chunk = c->chunk,
                              .items = c->pages.items,
                              .count = c->pages.count,
                              .dictionary = c->has_dictionary ? &c->dictionary_page : NULL};
    return with_location(c, st);
}

status pq_column_fail(const pq_column *c, status st)
{
    return with_location(c, st);
}

/* ---- leaves of nested columns ---- */

status pq_leaf_open(dev_stream *stream, const pq_table *table, pq_row_group_ref group_ref,
                    uint32_t leaf, pq_column_use use, pq_column **out)
{
    *out = NULL;
    pq_column *c;
    TRY(column_new(stream, table, group_ref, leaf, &use, &c));
    c->number = leaf;
    c->is_part = true;
    c->row_count = c->chunk->value_count;
    return column_open(c, &use, out);
}

status pq_leaf_pages(pq_column *c, pq_page **out, size_t *out_count)
{
    status st = column_prepare(c);
    *out = c->pages.items;
    *out_count = c->pages.count;
    return with_location(c, st);
}

status pq_leaf_decode(pq_column *c, unsigned slot_definition, pq_page *page)
{
    status st = STATUS_OK;
    if (page->values)
        return STATUS_OK;
    if (pq_page_is_coded(page))
        TRY(with_location(c, decode_dictionary(c)));
    st = pq_page_check_sum(c->dev, page);
    if (!st)
        st = pq_page_decode_nested(&c->context, slot_definition, page);
    if (!st)
        st = check_page(c);
    return with_location(c, with_page(page, st));
}

/* ---- slices ---- */

/* Part of a page. */
typedef pq_part page_slice;

static status bits_from(dev_stream *stream, const uint64_t *source, uint64_t first, uint64_t count,
                        uint64_t *target, uint64_t target_at)
{
    return DEV_LAUNCH(stream, copy_bits, .source = source, .source_at = first,
                      .count = dev_count_exact(count), .target = target, .target_at = target_at);
}

/* Bits from one that does not begin a word, in a buffer of their own. */
static status shift_bits(dev_stream *stream, const uint64_t *source, const page_slice *p,
                         dev_buffer **owner)
{
    dev_buffer *shifted;
    uint64_t bytes = bitmap_bytes(p->count);
    TRY(dev_alloc(stream->dev, bytes, "scan", &shifted));
    status st = stream->dev->ops->zero(stream, shifted->address, bytes);
    if (!st)
        st = bits_from(stream, source, p->first, p->count, shifted->address, 0);
    if (st) {
        dev_buffer_unref(shifted);
        return st;
    }
    dev_buffer_unref(*owner);
    *owner = shifted;
    return STATUS_OK;
}

static status slice_flat(dev_stream *stream, const page_slice *p, tensor *slice)
{
    const tensor *t = p->values;
    bool is_shifted = p->first % 64;
    slice->values = (char *)t->values + (t->type.width ? p->first * t->type.width : p->first / 8);
    if (t->validity)
        slice->validity = t->validity + p->first / 64;
    if (is_shifted && !t->type.width) {
        TRY(shift_bits(stream, t->values, p, &slice->values_owner));
        slice->values = slice->values_owner->address;
    }
    if (is_shifted && t->validity) {
        TRY(shift_bits(stream, t->validity, p, &slice->validity_owner));
        slice->validity = slice->validity_owner->address;
    }
    return STATUS_OK;
}

status pq_part_view(dev_stream *stream, const pq_part *p, tensor **out)
{
    tensor *slice;
    *out = NULL;
    TRY(tensor_new_view(p->values->type, p->values->values_owner, NULL, &slice));
    slice->form = p->values->form;
    slice->is_dictionary = p->values->is_dictionary;
    slice->validity_owner = dev_buffer_ref(p->values->validity_owner);
    slice->heap = string_heap_ref(p->values->heap);
    slice->base = tensor_ref(p->values->base);
    slice->base_rows = p->values->base_rows;
    status st = slice->form == TENSOR_FLAT
                    ? slice_flat(stream, p, slice)
                    : row_index_view(p->values->index, p->first, &slice->index);
    if (st) {
        tensor_unref(slice);
        return st;
    }
    *out = slice;
    return STATUS_OK;
}

typedef pq_part_list page_slice_list;

/* Codes of one dictionary, one after another. */
static status join_codes(pq_column *c, const page_slice_list *page_slices, uint64_t count,
                         tensor **out)
{
    dev_stream *stream = c->context.stream;
    row_index *codes;
    uint64_t at = 0;
    TRY(row_index_new(c->dev, count, &codes));
    status st = STATUS_OK;
    for (size_t i = 0; i < page_slices->count && !st; i++) {
        const page_slice *p = &page_slices->items[i];
        codes->has_nulls |= p->values->index->has_nulls;
        st = c->dev->ops->copy(stream, codes->rows + at, p->values->index->rows + p->first,
                               p->count * sizeof *codes->rows);
        at += p->count;
    }
    if (!st)
        st = tensor_new_indexed(stream, c->context.dictionary, c->context.dictionary_rows, codes,
                                dev_count_exact(count), out);
    if (!st)
        (*out)->is_dictionary = true;
    row_index_unref(codes);
    return st;
}

/* Copies a flat slice to rows from `at` on. */
static status copy_page_slice(dev_stream *stream, const page_slice *p, uint64_t at, tensor *target)
{
    uint8_t width = target->type.width;
    if (width)
        TRY(stream->dev->ops->copy(stream, (char *)target->values + at * width,
                                   (char *)p->values->values + p->first * width, p->count * width));
    else
        TRY(bits_from(stream, p->values->values, p->first, p->count, target->values, at));
    if (!target->validity)
        return STATUS_OK;
    return bits_from(stream, p->values->validity, p->first, p->count, target->validity, at);
}

static status merge_heaps(const page_slice_list *page_slices, tensor *target)
{
    ARRAY(dev_buffer *) buffers = {0};
    status st = STATUS_OK;
    for (size_t i = 0; i < page_slices->count && !st; i++) {
        const string_heap *heap = page_slices->items[i].values->heap;
        for (uint32_t b = 0; heap && b < heap->buffer_count && !st; b++) {
            st = array_push(NULL, &buffers, heap->buffers[b]);
            if (!st)
                dev_buffer_ref(heap->buffers[b]);
        }
    }
    if (!st && buffers.count)
        st = string_heap_new(buffers.items, (uint32_t)buffers.count, &target->heap);
    else
        for (size_t i = 0; i < buffers.count; i++)
            dev_buffer_unref(buffers.items[i]);
    array_release(&buffers);
    return st;
}

static status join_flat(pq_column *c, const page_slice_list *page_slices, uint64_t count,
                        tensor **out)
{
    dev_stream *stream = c->context.stream;
    bool has_nulls = false;
    for (size_t i = 0; i < page_slices->count; i++)
        has_nulls |= page_slices->items[i].values->validity != NULL;
    tensor *t;
    TRY(tensor_new_flat(c->dev, column_leaf_of(c)->type, count, has_nulls, &t));
    uint64_t at = 0, bits = bitmap_bytes(count);
    status st = STATUS_OK;
    if (!t->type.width)
        st = c->dev->ops->zero(stream, t->values, bits);
    if (!st && has_nulls)
        st = c->dev->ops->zero(stream, t->validity, bits);
    for (size_t i = 0; i < page_slices->count && !st; i++) {
        st = copy_page_slice(stream, &page_slices->items[i], at, t);
        at += page_slices->items[i].count;
    }
    if (!st)
        st = merge_heaps(page_slices, t);
    if (st) {
        tensor_unref(t);
        return st;
    }
    *out = t;
    return STATUS_OK;
}

/* Slices of several pages become one tensor; slices of codes among plain ones become values. */
static status join_page_slices(pq_column *c, const page_slice_list *page_slices, uint64_t count,
                               tensor **out)
{
    size_t coded = 0;
    for (size_t i = 0; i < page_slices->count; i++)
        coded += page_slices->items[i].values->form == TENSOR_INDEXED;
    if (coded == page_slices->count)
        return join_codes(c, page_slices, count, out);
    if (!coded)
        return join_flat(c, page_slices, count, out);
    page_slice_list flats = {0};
    status st = array_reserve(NULL, &flats, page_slices->count);
    for (size_t i = 0; i < page_slices->count && !st; i++) {
        tensor *flat;
        uint64_t rows = page_slices->items[i].first + page_slices->items[i].count;
        st = tensor_flatten(c->context.stream, page_slices->items[i].values, dev_count_exact(rows),
                            &flat);
        if (!st)
            flats.items[flats.count++] =
                (page_slice){flat, page_slices->items[i].first, page_slices->items[i].count};
    }
    if (!st)
        st = join_flat(c, &flats, count, out);
    for (size_t i = 0; i < flats.count; i++)
        tensor_unref(flats.items[i].values);
    array_release(&flats);
    return st;
}

static void forget_values(pq_page *page)
{
    tensor_unref(page->values);
    pq_page_part_free(page->part);
    pq_levels_release(&page->levels);
    page->values = NULL;
    page->part = NULL;
}

void pq_leaf_forget(pq_page *page)
{
    forget_values(page);
}

static uint64_t page_end(const pq_page *page)
{
    return page->first_row + page->header.value_count;
}

static status gather_page_slices(pq_column *c, uint64_t first, uint64_t count,
                                 page_slice_list *page_slices)
{
    while (page_end(&c->pages.items[c->next_page]) <= first) {
        pq_page *over = &c->pages.items[c->next_page++];
        forget_values(over);
    }
    for (size_t i = c->next_page; count; i++) {
        pq_page *page = &c->pages.items[i];
        page_slice p = {.first = first - page->first_row};
        uint64_t left = page_end(page) - first;
        p.count = left < count ? left : count;
        TRY(decode_page(c, page, p.first + p.count));
        p.values = page->values;
        TRY(array_push(NULL, page_slices, p));
        first += p.count;
        count -= p.count;
    }
    return STATUS_OK;
}

status pq_parts_join(pq_column *c, const pq_part_list *parts, uint64_t count, tensor **out)
{
    return parts->count == 1 ? pq_part_view(c->context.stream, parts->items, out)
                             : join_page_slices(c, parts, count, out);
}

status pq_column_slice(pq_column *c, uint64_t first, uint64_t count, tensor **out)
{
    *out = NULL;
    page_slice_list page_slices = {0};
    status st = column_prepare(c);
    if (!st)
        st = gather_page_slices(c, first, count, &page_slices);
    if (!st)
        st = pq_parts_join(c, &page_slices, count, out);
    array_release(&page_slices);
    return with_location(c, st);
}

uint64_t pq_column_bytes(const pq_column *c)
{
    return c->bytes;
}

uint64_t pq_column_stored_bytes(const pq_column *c)
{
    return c->stored_bytes;
}

uint64_t pq_column_cached_bytes(const pq_column *c)
{
    return c->cached_bytes;
}

void pq_column_close(pq_column *c)
{
    if (!c)
        return;
    for (size_t i = 0; i < c->pages.count; i++)
        forget_values(&c->pages.items[i]);
    array_release(&c->pages);
    tensor_unref(c->context.dictionary);
    for (size_t i = 0; i < c->segments.count; i++) {
        dev_buffer_unref(c->segments.items[i].owner);
        pq_fetched_unref(c->segments.items[i].range);
    }
    array_release(&c->segments);
    mem_free(c);
}
