/* batch_decode.c - all pages of a column that a chunk needs, step by step, a launch for each.
 *
 *     pinned bytes ─ copies ─> stored ─ decompress ─> unpacked
 *          └ the host's ─┘                       where the device has neither kernel nor library for a page's codec
 *                              stored ─── checksums ─> an error, before anything else is done with the bytes
 *     descriptors  ─ copy ───> pages ──── levels ───> pages, validity
 *                              dictionaries ─ plain ─> dictionary
 *                              codes ────────────────> INDEXED over it
 *                              any other encoding ───> dense ─ spread, if there may be NULLs ─> FLAT
 *
 * The host asks for nothing that the device computes, so that pages which cannot have NULLs are known
 * from the footer, or from levels that are not compressed. */
#include "parquet/read/batch_decode.h"

#include "device/transfer.h"
#include "parquet/read/batch_place.h"
#include "parquet/read/text_check.h"

/* Every launch over the pages begins with these. */
#define PAGES(b) .pages = (b)->pages_owner->address, .page_count = (uint32_t)(b)->page_count

/* Uploads what the host knows of the pages, and checks the stored bytes' checksums. */
static status upload_pages(batch *b)
{
    dev_stream *stream = b->context->stream;
    size_t bytes = b->page_count * sizeof *b->described;
    TRY(dev_alloc(b->dev, bytes, "scan", &b->pages_owner));
    TRY(dev_upload(stream, b->pages_owner->address, b->described, bytes, "scan"));
    if (b->slices)
        TRY(DEV_LAUNCH(stream, parquet_batch_checksums, .stored = b->stored->address, PAGES(b),
                       .slice_count = b->slices, .error = b->context->error));
    return STATUS_OK;
}
#define BYTES(b)                                                                                   \
    .stored = (b)->stored->address, .unpacked = (b)->unpacked ? (b)->unpacked->address : NULL,     \
    PAGES(b)

static status batch_decode_decompress(batch *b)
{
    dev_stream *stream = b->context->stream;
    if (!b->unpacked_bytes)
        return STATUS_OK;
    TRY(dev_alloc(b->dev, b->unpacked_bytes, "scan", &b->unpacked));
    if (b->codecs)
        TRY(DEV_LAUNCH(stream, parquet_batch_decompress, BYTES(b), .codecs = b->codecs,
                       .part_count = b->parts, .most_tiles = b->tiles, .error = b->context->error));
    for (uint8_t codec = 0; codec < CODEC_COUNT; codec++) {
        const library_pages *l = &b->library[codec];
        if (b->library_codecs >> codec & 1)
            TRY(DEV_LAUNCH(stream, parquet_batch_library, BYTES(b), .codec = codec,
                           .library_pages = l->count, .largest = l->largest, .total = l->total,
                           .error = b->context->error));
    }
    return STATUS_OK;
}

static status batch_decode_read_levels(batch *b)
{
    uint64_t bytes = bitmap_bytes(b->row_count);
    if (b->has_nulls) {
        TRY(dev_alloc(b->dev, bytes, "scan", &b->validity));
        TRY(b->dev->ops->zero(b->context->stream, b->validity->address, bytes));
    }
    if (!b->has_levels)
        return STATUS_OK;
    return DEV_LAUNCH(b->context->stream, parquet_batch_levels, BYTES(b), .row_count = b->row_count,
                      .validity = b->validity ? b->validity->address : NULL,
                      .error = b->context->error);
}

/* ---- values ---- */

static status batch_decode_launch_plain(batch *b, const dev_buffer *dense, uint32_t plain_width,
                                        uint32_t kinds, void *out)
{
    const pq_leaf *leaf = b->context->leaf;
    return DEV_LAUNCH(b->context->stream, parquet_batch_plain, BYTES(b),
                      .dense = dense ? dense->address : NULL, .plain_width = plain_width,
                      .kinds = kinds, .physical = (uint8_t)leaf->physical,
                      .conversion = (uint8_t)leaf->conversion, .type_length = leaf->type_length,
                      .type = leaf->type, .out = out, .error = b->context->error);
}

static status batch_decode_launch_delta(batch *b, uint32_t kinds, bool is_second, uint8_t width,
                                        void *out)
{
    return DEV_LAUNCH(b->context->stream, parquet_batch_delta, BYTES(b), .kinds = kinds,
                      .is_second = is_second, .width = width, .out = out,
                      .error = b->context->error);
}

/* Returns whether some page is not compressed: its texts point into what was read. */
static bool has_bytes_in_place(const batch *b)
{
    for (size_t i = 0; i < b->page_count; i++)
        if (!b->described[i].is_compressed)
            return true;
    return false;
}

/* Keeps those of the buffers that texts may point into. */
static status keep_heaps(batch *b, tensor *t, string_heap *more)
{
    ARRAY(dev_buffer *) all = {0};
    status st = STATUS_OK;
    if (!type_is_text(t->type))
        return STATUS_OK;
    dev_buffer *own[] = {has_bytes_in_place(b) ? b->stored : NULL, b->unpacked};
    for (size_t i = 0; i < 2 && !st; i++)
        if (own[i])
            st = array_push(NULL, &all, own[i]);
    for (size_t i = 0; i < b->heaps.count && !st; i++)
        st = array_push(NULL, &all, b->heaps.items[i]);
    for (uint32_t i = 0; more && i < more->buffer_count && !st; i++)
        st = array_push(NULL, &all, more->buffers[i]);
    if (!st && all.count) {
        for (size_t i = 0; i < all.count; i++)
            dev_buffer_ref(all.items[i]);
        st = string_heap_new(all.items, (uint32_t)all.count, &t->heap);
    }
    array_release(&all);
    return st;
}

/* A buffer that lives as long as the batch, and as texts that point into it. */
static status new_scratch(batch *b, uint64_t bytes, dev_buffer **out)
{
    TRY(dev_alloc(b->dev, bytes, "scan", out));
    status st = array_push(NULL, &b->heaps, *out);
    if (st)
        dev_buffer_unref(*out);
    return st;
}

/* DELTA_BINARY_PACKED and BYTE_STREAM_SPLIT: PLAIN bytes, then values. */
static status batch_decode_numbers(batch *b, uint32_t kinds, void *out)
{
    const pq_leaf *leaf = b->context->leaf;
    uint32_t width = pq_physical_width(leaf);
    dev_buffer *plain = NULL;
    if (!pq_is_in_place(leaf))
        TRY(new_scratch(b, b->row_count * width, &plain));
    void *target = plain ? plain->address : out;
    if (kinds & PARQUET_PAGE_KIND(DELTA))
        TRY(batch_decode_launch_delta(b, PARQUET_PAGE_KIND(DELTA), false, (uint8_t)width, target));
    if (kinds & PARQUET_PAGE_KIND(SPLIT))
        TRY(DEV_LAUNCH(b->context->stream, parquet_batch_split, BYTES(b), .width = width,
                       .out = target, .error = b->context->error));
    return plain ? batch_decode_launch_plain(b, plain, width, kinds, out) : STATUS_OK;
}

/* How long texts of shared prefixes are is known only when their lengths are: awaited, once for all
 * pages. */
static status batch_decode_put_together(batch *b, const dev_buffer *prefixes,
                                        const dev_buffer *lengths, dev_buffer **texts)
{
    dev_stream *stream = b->context->stream;
    dev_buffer *total;
    uint64_t bytes;
    TRY(dev_words_new(stream, 1, &total));
    status st = DEV_LAUNCH(stream, parquet_batch_prefix_bytes, PAGES(b),
                           .prefixes = prefixes->address, .lengths = lengths->address,
                           .out_bytes = total->address, .error = b->context->error);
    if (!st)
        st = dev_words_read(stream, total->address, &bytes, 1);
    dev_buffer_unref(total);
    TRY(st);
    TRY(new_scratch(b, bytes, texts));
    return DEV_LAUNCH(stream, parquet_batch_prefix_copy, BYTES(b), .prefixes = prefixes->address,
                      .lengths = lengths->address, .out = (*texts)->address);
}

static status decode_byte_arrays(batch *b, uint32_t kinds, void *out)
{
    const pq_leaf *leaf = b->context->leaf;
    const uint32_t prefixed = PARQUET_PAGE_KIND(PREFIXES);
    dev_buffer *prefixes = NULL, *lengths = NULL, *texts = NULL;
    status st = dev_alloc(b->dev, b->row_count * 4, "scan", &lengths);
    if (!st && kinds & prefixed)
        st = dev_alloc(b->dev, b->row_count * 4, "scan", &prefixes);
    if (!st && kinds & PARQUET_PAGE_KIND(LENGTHS))
        st = batch_decode_launch_delta(b, PARQUET_PAGE_KIND(LENGTHS), false, 4, lengths->address);
    if (!st && prefixes)
        st = batch_decode_launch_delta(b, prefixed, false, 4, prefixes->address);
    if (!st && prefixes)
        st = batch_decode_launch_delta(b, prefixed, true, 4, lengths->address);
    if (!st && prefixes)
        st = batch_decode_put_together(b, prefixes, lengths, &texts);
    if (!st)
        st = DEV_LAUNCH(b->context->stream, parquet_batch_strings, BYTES(b),
                        .texts = texts ? texts->address : NULL, .lengths = lengths->address,
                        .conversion = (uint8_t)leaf->conversion,
                        .type_length =
                            leaf->physical == PQ_FIXED_LEN_BYTE_ARRAY ? leaf->type_length : 0,
                        .type = leaf->type, .out = out, .error = b->context->error);
    dev_buffer_unref(prefixes);
    dev_buffer_unref(lengths);
    return st;
}

static status batch_decode_check_bounds(batch *b, uint32_t kinds, const void *values,
                                        const uint32_t *rows)
{
    const pq_batch_context *context = b->context;
    if (!context->check_bounds || !kinds)
        return STATUS_OK;
    return DEV_LAUNCH(context->stream, parquet_batch_bounds, PAGES(b), .kinds = kinds,
                      .type = context->leaf->type, .values = values, .rows = rows,
                      .minimum = context->minimum, .maximum = context->maximum,
                      .error = context->error);
}

/* Pages' dense texts are UTF-8, or become it: all `count` of them, as places that no page has are empty. */
static status batch_decode_check_text(batch *b, uint32_t kinds, void *values, uint64_t count)
{
    const pq_batch_context *context = b->context;
    dev_buffer *heap;
    if (!pq_is_checked_text(context->leaf) || !kinds || !count)
        return STATUS_OK;
    if (!context->replaces_text)
        return DEV_LAUNCH(context->stream, parquet_batch_text, PAGES(b), .kinds = kinds,
                          .values = values, .error = context->error);
    TRY(pq_texts_replace(context->stream, values, count, context->error, b->described[0].location,
                         &heap));
    if (!heap)
        return STATUS_OK;
    status st = array_push(NULL, &b->heaps, heap);
    if (st)
        dev_buffer_unref(heap);
    return st;
}

static status batch_decode_launch_spread(batch *b, uint8_t width, const void *dense, uint64_t fill,
                                         void *out)
{
    return DEV_LAUNCH(b->context->stream, parquet_batch_spread, PAGES(b), .width = width,
                      .dense = dense, .validity = b->validity->address, .row_count = b->row_count,
                      .fill_low = fill, .out = out);
}

/* ---- tensors ---- */

static status decode_dictionaries(batch *b)
{
    pq_batch_context *context = b->context;
    uint64_t rows = context->dictionary_rows;
    tensor *t;
    /* A row more, and zero, if there is none: codes of a damaged page say 0. */
    TRY(tensor_new_flat(b->dev, context->leaf->type, rows ? rows : 1, false, &t));
    status st = STATUS_OK;
    if (!rows || !t->type.width)
        st = b->dev->ops->zero(context->stream, t->values,
                               type_values_bytes(t->type, rows ? rows : 1));
    if (!st)
        st = batch_decode_launch_plain(b, NULL, 0, PARQUET_PAGE_KIND(DICTIONARY), t->values);
    if (!st)
        st = batch_decode_check_text(b, PARQUET_PAGE_KIND(DICTIONARY), t->values, rows);
    if (!st)
        st = keep_heaps(b, t, NULL);
    if (st)
        tensor_unref(t);
    else
        context->dictionary = t;
    return st;
}

/* The codes of those pages that have some, dense. */
static status batch_decode_codes(batch *b, row_index **out)
{
    const pq_batch_context *context = b->context;
    TRY(row_index_new(b->dev, b->row_count, out));
    status st = STATUS_OK;
    if (b->kinds != PARQUET_PAGE_KIND(CODES))
        st = b->dev->ops->zero(context->stream, (*out)->rows, b->row_count * sizeof(uint32_t));
    if (!st)
        st = DEV_LAUNCH(context->stream, parquet_batch_codes, BYTES(b), .out = (*out)->rows,
                        .error = context->error);
    if (!st)
        st = batch_decode_check_bounds(b, PARQUET_PAGE_KIND(CODES), context->dictionary->values,
                                       (*out)->rows);
    if (st) {
        row_index_unref(*out);
        *out = NULL;
    }
    return st;
}

static status decode_indexed(batch *b, tensor **out)
{
    const pq_batch_context *context = b->context;
    row_index *dense, *codes = NULL;
    TRY(batch_decode_codes(b, &dense));
    status st = STATUS_OK;
    if (b->has_nulls) {
        st = row_index_new(b->dev, b->row_count, &codes);
        if (!st)
            st = batch_decode_launch_spread(b, 4, dense->rows, ROW_NULL, codes->rows);
        if (!st)
            codes->has_nulls = true;
    } else {
        codes = row_index_ref(dense);
    }
    if (!st)
        st = tensor_new_indexed(context->stream, context->dictionary, context->dictionary_rows,
                                codes, dev_count_exact(b->row_count), out);
    if (!st)
        (*out)->is_dictionary = true;
    row_index_unref(dense);
    row_index_unref(codes);
    return st;
}

/* Values of coded pages among others; theirs come afterwards. */
static status look_codes_up(batch *b, void *out)
{
    const pq_batch_context *context = b->context;
    row_index *codes;
    TRY(batch_decode_codes(b, &codes));
    status st =
        DEV_LAUNCH(context->stream, gather, .width = context->leaf->type.width,
                   .base_rows = context->dictionary_rows, .base = context->dictionary->values,
                   .index = codes->rows, .count = dev_count_exact(b->row_count), .out = out);
    row_index_unref(codes);
    return st;
}

/* All values that are not NULL, each page's from its first row on. */
static status batch_decode_values(batch *b, void *out)
{
    const uint32_t plain = PARQUET_PAGE_KIND(PLAIN) | PARQUET_PAGE_KIND(RLE);
    const uint32_t numbers = PARQUET_PAGE_KIND(DELTA) | PARQUET_PAGE_KIND(SPLIT);
    const uint32_t arrays = PARQUET_PAGE_KIND(LENGTHS) | PARQUET_PAGE_KIND(PREFIXES);
    if (!b->context->leaf->type.width)
        TRY(b->dev->ops->zero(b->context->stream, out, bitmap_bytes(b->row_count)));
    if (b->kinds & PARQUET_PAGE_KIND(CODES))
        TRY(look_codes_up(b, out));
    if (b->kinds & plain)
        TRY(batch_decode_launch_plain(b, NULL, 0, plain, out));
    if (b->kinds & numbers)
        TRY(batch_decode_numbers(b, b->kinds & numbers, out));
    if (b->kinds & arrays)
        TRY(decode_byte_arrays(b, b->kinds & arrays, out));
    TRY(batch_decode_check_text(b, b->kinds & ~PARQUET_PAGE_KIND(CODES), out, b->row_count));
    return batch_decode_check_bounds(b, b->kinds & ~PARQUET_PAGE_KIND(CODES), out, NULL);
}

static status batch_decode_flat(batch *b, tensor **out)
{
    const pq_batch_context *context = b->context;
    data_type type = context->leaf->type;
    tensor *t, *dense = NULL;
    TRY(tensor_new_flat(b->dev, type, b->row_count, false, &t));
    status st = STATUS_OK;
    if (b->has_nulls) {
        t->validity_owner = dev_buffer_ref(b->validity);
        t->validity = b->validity->address;
        st = tensor_new_flat(b->dev, type, b->row_count, false, &dense);
    }
    if (!st)
        st = batch_decode_values(b, dense ? dense->values : t->values);
    if (!st && dense && !type.width)
        st = b->dev->ops->zero(context->stream, t->values, bitmap_bytes(b->row_count));
    if (!st && dense)
        st = batch_decode_launch_spread(b, type.width, dense->values, 0, t->values);
    if (!st)
        st = keep_heaps(b, t, context->dictionary ? context->dictionary->heap : NULL);
    tensor_unref(dense);
    if (st) {
        tensor_unref(t);
        return st;
    }
    *out = t;
    return STATUS_OK;
}

static status batch_decode_decode(batch *b, tensor **out)
{
    TRY(upload_pages(b));
    TRY(batch_decode_decompress(b));
    if (b->kinds & PARQUET_PAGE_KIND(CODES) && !b->context->dictionary)
        TRY(decode_dictionaries(b));
    TRY(batch_decode_read_levels(b));
    return b->kinds == PARQUET_PAGE_KIND(CODES) ? decode_indexed(b, out)
                                                : batch_decode_flat(b, out);
}

/* ---- a batch, from its pages to a tensor ---- */

/* Host memory by page. */
static status batch_decode_open_batch(batch *b)
{
    size_t count = b->page_count;
    b->described = mem_new_array(count, sizeof *b->described);
    b->by_host = mem_new_array(count, sizeof *b->by_host);
    return b->described && b->by_host
               ? STATUS_OK
               : status_no_memory("scan", count * (sizeof *b->described + sizeof *b->by_host));
}

/* Closes the pages in the host's memory: copies from there may still be under way. */
static void close_host_pages(batch *b)
{
    for (size_t i = 0; b->by_host && i < b->page_count; i++)
        dev_host_free(b->dev, b->by_host[i], b->pages->items[i].page->header.uncompressed_bytes);
    mem_free(b->by_host);
    b->by_host = NULL;
    b->pages = NULL;
}

static void close_placed(batch *b)
{
    mem_free(b->described);
    dev_buffer_unref(b->stored);
}

static void close_decoded(batch *b)
{
    dev_buffer_unref(b->unpacked);
    dev_buffer_unref(b->pages_owner);
    dev_buffer_unref(b->validity);
    for (size_t i = 0; i < b->heaps.count; i++)
        dev_buffer_unref(b->heaps.items[i]);
    array_release(&b->heaps);
}

static batch batch_decode_batch_of(pq_batch_context *context, const pq_batch_page_list *pages)
{
    return (batch){.context = context,
                   .pages = pages,
                   .page_count = pages->count,
                   .dev = context->stream->dev};
}

/* Values are kept if they can be, else the pages. */
static void batch_decode_keep(const batch *b, tensor *values)
{
    const pq_keeper *keeper = &b->context->keeper;
    pq_decoded *whole = b->context->whole;
    if (whole)
        whole->values = values;
    if (!whole || !keeper->keep_values || !keeper->keep_values(keeper->argument, whole))
        pq_batch_keep_pages(b);
}

status pq_batch_decode(pq_batch_context *context, const pq_batch_page_list *pages, tensor **out)
{
    *out = NULL;
    batch b = batch_decode_batch_of(context, pages);
    status st = batch_decode_open_batch(&b);
    if (!st)
        st = pq_batch_place_pages(&b);
    if (!st)
        st = batch_decode_decode(&b, out);
    if (!st)
        batch_decode_keep(&b, *out);
    close_host_pages(&b);
    close_decoded(&b);
    close_placed(&b);
    return st;
}

struct pq_placed_pages {
    batch batch;
    pq_batch_context context; /* without a dictionary */
};

status pq_placed_pages_new(const pq_batch_context *context, const pq_batch_page_list *pages,
                           pq_placed_pages **out)
{
    *out = NULL;
    pq_placed_pages *placed = mem_new(sizeof *placed);
    if (!placed)
        return status_no_memory("scan", sizeof *placed);
    placed->context = *context;
    placed->context.dictionary = NULL;
    placed->batch = batch_decode_batch_of(&placed->context, pages);
    status st = batch_decode_open_batch(&placed->batch);
    if (!st)
        st = pq_batch_place_pages(&placed->batch);
    close_host_pages(&placed->batch);
    if (st) {
        pq_placed_pages_free(placed);
        return st;
    }
    *out = placed;
    return STATUS_OK;
}

status pq_placed_pages_decode(const pq_placed_pages *placed, tensor **out)
{
    pq_batch_context context = placed->context;
    batch b = placed->batch;
    *out = NULL;
    b.context = &context;
    status st = batch_decode_decode(&b, out);
    close_decoded(&b);
    tensor_unref(context.dictionary);
    return st;
}

uint64_t pq_placed_pages_bytes(const pq_placed_pages *placed)
{
    return placed->batch.stored_bytes;
}

void pq_placed_pages_free(pq_placed_pages *placed)
{
    if (!placed)
        return;
    close_placed(&placed->batch);
    mem_free(placed);
}
