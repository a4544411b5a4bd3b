/* page.c - a page by kernels: decompress, levels, values, and NULLs spread among them.
 *
 *     compressed ─ decompress ─> levels | values ─┬ codes ─────────────────> INDEXED
 *                                        │        ├ PLAIN, no NULLs ─ in place ─> FLAT
 *                                        v        └ any other ─ decode ─┐
 *                                    validity ──────────── spread ──────┴> FLAT
 *
 * For host devices, which know the number of NULLs when the levels are decoded; others take many pages
 * at once (batch_decode.c).
 *
 * A large PLAIN page that is compressed by snappy is decompressed, and decoded, as far as rows are asked for: who
 * needs its first rows, or those up to a place, does not pay for the others. */
#include "parquet/read/page.h"

#include "codec/checksum.h"
#include "codec/snappy.h"
#include "parquet/read/column.h"
#include "parquet/read/text_check.h"

/* A page's words on the device. */
enum {
    WORD_COUNT,      /* values that are not NULL */
    WORD_START,      /* of the values in the page */
    WORD_NEXT_COUNT, /* the same for what comes from or after the first part: again the count, */
    WORD_NEXT_START, /* and where it starts */
    WORD_END,        /* behind the second part */
    WORD_BYTES,      /* of the values put together */
    WORDS_PER_PAGE
};

typedef struct decoding {
    const pq_page_context *context;
    const pq_page *page;
    device *dev;
    dev_buffer *owner; /* of the bytes */
    const uint8_t *bytes;
    uint32_t byte_count;
    dev_buffer *words_owner;
    uint64_t *words;
    dev_buffer *validity;
    bool has_nulls;
    ARRAY(dev_buffer *) heaps; /* what strings point into */
} decoding;

status pq_page_check_encoding(const pq_leaf *leaf, const pq_page_header *header)
{
    if (!pq_encoding_fits(header->encoding, leaf->physical))
        return status_new(STATUS_KIND_UNSUPPORTED,
                          "encoding %d for values of physical type %d is not supported",
                          (int)header->encoding, (int)leaf->physical);
    if (header->type == PQ_PAGE_DATA && leaf->max_definition &&
        header->definition_encoding != PQ_RLE && header->definition_encoding != PQ_BIT_PACKED)
        return status_new(STATUS_KIND_UNSUPPORTED,
                          "encoding %d of definition levels is not supported",
                          (int)header->definition_encoding);
    return STATUS_OK;
}

status pq_page_check_dictionary(const pq_page *page)
{
    const pq_page_header *h = &page->header;
    if (h->encoding != PQ_PLAIN && h->encoding != PQ_PLAIN_DICTIONARY)
        return status_new(STATUS_KIND_UNSUPPORTED, "a dictionary of encoding %d is not supported",
                          (int)h->encoding);
    /* A value takes a byte at least, but for those of length 0, of which one would do. */
    if (h->value_count > h->uncompressed_bytes && h->value_count > 1)
        return status_new(STATUS_KIND_CORRUPT, "the dictionary has more values than bytes");
    return STATUS_OK;
}

status pq_page_check_sum(const device *dev, const pq_page *page)
{
    const pq_page_header *h = &page->header;
    if (h->has_checksum &&
        codec_checksum(dev->host_isa, 0, page->host, h->compressed_bytes) != h->checksum)
        return status_hint(status_new(STATUS_KIND_CORRUPT, PQ_CHECKSUM_MESSAGE), PQ_CHECKSUM_HINT);
    return STATUS_OK;
}

/* ---- bytes ---- */

#define PAGE_ALIGNMENT 64

/* How far into its buffer a page must begin for its values to be aligned, if no row is NULL: then
 * the levels are a length and one run, in version 1 pages. */
static unsigned alignment_shift(const decoding *d)
{
    const pq_page_header *h = &d->page->header;
    unsigned levels = h->definition_bytes + h->repetition_bytes;
    if (d->context->leaf->max_definition && h->type == PQ_PAGE_DATA) {
        levels = 4 + 1 + 1;
        for (uint64_t run = (uint64_t)h->value_count << 1; run >= 0x80; run >>= 7)
            levels++;
    }
    return -levels % PAGE_ALIGNMENT;
}

/* Returns the bytes of a version 2 page's levels: before the values, and not compressed. */
static uint32_t level_bytes(const pq_page_header *h)
{
    return h->type == PQ_PAGE_DATA_V2 ? h->definition_bytes + h->repetition_bytes : 0;
}

/* Memory for a compressed page, with such levels in it. */
static status make_target(decoding *d, uint8_t **out)
{
    const pq_page_header *h = &d->page->header;
    unsigned shift = alignment_shift(d);
    TRY(dev_alloc(d->dev, (size_t)h->uncompressed_bytes + shift, "scan", &d->owner));
    dev_buffer_set_page(d->owner);
    *out = (uint8_t *)d->owner->address + shift;
    d->bytes = *out;
    d->byte_count = h->uncompressed_bytes;
    return d->dev->ops->copy(d->context->stream, *out, d->page->host, level_bytes(h));
}

static bool is_stored_plain(const decoding *d)
{
    return d->context->codec == PQ_CODEC_NONE || !d->page->header.is_compressed;
}

static status page_decompress(decoding *d)
{
    const pq_page_context *context = d->context;
    const pq_page_header *h = &d->page->header;
    const uint8_t *source = d->page->host;
    uint32_t levels = level_bytes(h);
    uint8_t *target;
    if (levels > h->compressed_bytes || levels > h->uncompressed_bytes)
        return status_new(STATUS_KIND_CORRUPT, "its levels are longer than the page");
    if (is_stored_plain(d)) {
        d->owner = dev_buffer_ref(d->page->owner);
        d->bytes = source;
        d->byte_count = h->compressed_bytes;
        return STATUS_OK;
    }
    TRY(make_target(d, &target));
    if (h->uncompressed_bytes == levels)
        return STATUS_OK;
    return DEV_LAUNCH(context->stream, parquet_decompress, .codec = (int)context->codec,
                      .source = source + levels, .source_bytes = h->compressed_bytes - levels,
                      .target = target + levels, .target_bytes = h->uncompressed_bytes - levels,
                      .error = context->error, .location = context->location);
}

/* ---- levels ---- */

/* The page's validity, and its words. */
static status decode_levels(decoding *d)
{
    const pq_page_header *h = &d->page->header;
    dev_stream *stream = d->context->stream;
    bool is_v2 = h->type == PQ_PAGE_DATA_V2;
    TRY(dev_words_new(stream, WORDS_PER_PAGE, &d->words_owner));
    d->words = d->words_owner->address;
    if (h->type == PQ_PAGE_DICTIONARY || !d->context->leaf->max_definition) {
        d->words[WORD_COUNT] = h->value_count;
        d->words[WORD_START] = is_v2 ? h->definition_bytes + h->repetition_bytes : 0;
        return STATUS_OK;
    }
    TRY(dev_alloc(d->dev, bitmap_bytes(h->value_count), "scan", &d->validity));
    TRY(DEV_LAUNCH(stream, parquet_levels, .page = d->bytes, .page_bytes = d->byte_count,
                   .with_length = !is_v2, .level_start = h->repetition_bytes,
                   .level_bytes = h->definition_bytes,
                   .is_bit_packed = !is_v2 && h->definition_encoding == PQ_BIT_PACKED,
                   .row_count = h->value_count, .validity = d->validity->address, .words = d->words,
                   .error = d->context->error, .location = d->context->location));
    d->has_nulls = d->words[WORD_COUNT] < h->value_count;
    return STATUS_OK;
}

/* ---- values, dense ---- */

static status keep_heap(decoding *d, dev_buffer *owner)
{
    if (!type_is_text(d->context->leaf->type))
        return STATUS_OK;
    TRY(array_push(NULL, &d->heaps, owner));
    dev_buffer_ref(owner);
    return STATUS_OK;
}

static status page_launch_plain(const decoding *d, const uint8_t *bytes, uint32_t byte_count,
                                const uint64_t *words, void *out)
{
    const pq_leaf *leaf = d->context->leaf;
    return DEV_LAUNCH(d->context->stream, parquet_plain, .page = bytes, .page_bytes = byte_count,
                      .words = words, .physical = (uint8_t)leaf->physical,
                      .conversion = (uint8_t)leaf->conversion, .type_length = leaf->type_length,
                      .type = leaf->type, .out = out, .error = d->context->error,
                      .location = d->context->location);
}

static status launch_strings(const decoding *d, const uint8_t *source, const uint64_t *source_bytes,
                             const uint64_t *start, const int32_t *lengths, void *out)
{
    const pq_leaf *leaf = d->context->leaf;
    bool is_fixed = leaf->physical == PQ_FIXED_LEN_BYTE_ARRAY;
    return DEV_LAUNCH(d->context->stream, parquet_strings, .source = source,
                      .source_bytes = source_bytes, .page_bytes = d->byte_count, .words = d->words,
                      .start = start, .lengths = lengths, .conversion = (uint8_t)leaf->conversion,
                      .type_length = is_fixed ? leaf->type_length : 0, .type = leaf->type,
                      .out = out, .error = d->context->error, .location = d->context->location);
}

static status page_launch_delta(const decoding *d, const uint64_t *words, uint8_t width, void *out,
                                uint64_t *out_end)
{
    return DEV_LAUNCH(d->context->stream, parquet_delta, .page = d->bytes,
                      .page_bytes = d->byte_count, .words = words, .width = width, .out = out,
                      .out_end = out_end, .error = d->context->error,
                      .location = d->context->location);
}

bool pq_is_in_place(const pq_leaf *leaf)
{
    if (leaf->conversion != PQ_CONVERT_NONE)
        return false;
    switch (leaf->physical) {
    case PQ_INT32:
    case PQ_FLOAT:
        return leaf->type.width == 4;
    case PQ_INT64:
    case PQ_DOUBLE:
        return leaf->type.width == 8;
    default:
        return false;
    }
}

uint32_t pq_physical_width(const pq_leaf *leaf)
{
    switch (leaf->physical) {
    case PQ_INT32:
    case PQ_FLOAT:
        return 4;
    case PQ_FIXED_LEN_BYTE_ARRAY:
        return leaf->type_length;
    default:
        return 8;
    }
}

/* DELTA_BINARY_PACKED and BYTE_STREAM_SPLIT: PLAIN bytes, then values. */
static status page_decode_numbers(decoding *d, void *out)
{
    const pq_leaf *leaf = d->context->leaf;
    dev_stream *stream = d->context->stream;
    bool is_delta = d->page->header.encoding == PQ_DELTA_BINARY_PACKED;
    uint32_t width = pq_physical_width(leaf);
    uint64_t bytes = (uint64_t)d->page->header.value_count * width;
    dev_buffer *plain = NULL;
    void *target = out;
    if (!pq_is_in_place(leaf)) {
        if (bytes > UINT32_MAX)
            return status_new(STATUS_KIND_UNSUPPORTED, "a page of %llu bytes is too large",
                              (unsigned long long)bytes);
        TRY(dev_alloc(d->dev, bytes, "scan", &plain));
        target = plain->address;
    }
    status st =
        is_delta ? page_launch_delta(d, d->words, (uint8_t)width, target, NULL)
                 : DEV_LAUNCH(stream, parquet_split, .page = d->bytes, .page_bytes = d->byte_count,
                              .words = d->words, .width = width, .out = target,
                              .error = d->context->error, .location = d->context->location);
    if (!st && plain)
        st = d->dev->ops->copy(stream, d->words + WORD_NEXT_COUNT, d->words + WORD_COUNT,
                               sizeof(uint64_t));
    if (!st && plain)
        st = page_launch_plain(d, plain->address, (uint32_t)bytes, d->words + WORD_NEXT_COUNT, out);
    /* Byte arrays of fixed length are views into these bytes. */
    if (!st && plain)
        st = keep_heap(d, plain);
    dev_buffer_unref(plain);
    return st;
}

static status decode_delta_lengths(decoding *d, void *out)
{
    dev_buffer *lengths;
    TRY(dev_alloc(d->dev, (uint64_t)d->page->header.value_count * 4, "scan", &lengths));
    status st = page_launch_delta(d, d->words, 4, lengths->address, d->words + WORD_END);
    if (!st)
        st = launch_strings(d, d->bytes, NULL, d->words + WORD_END, lengths->address, out);
    if (!st)
        st = keep_heap(d, d->owner);
    dev_buffer_unref(lengths);
    return st;
}

/* Prefixes, suffixes' lengths, suffixes. */
static status page_put_together(decoding *d, const int32_t *prefixes, int32_t *lengths, void *out)
{
    dev_stream *stream = d->context->stream;
    uint64_t *words = d->words;
    TRY(DEV_LAUNCH(stream, parquet_prefix_bytes, .page_bytes = d->byte_count, .words = words,
                   .start = words + WORD_END, .prefixes = prefixes, .suffixes = lengths,
                   .out_bytes = words + WORD_BYTES, .error = d->context->error,
                   .location = d->context->location));
    dev_buffer *heap;
    TRY(dev_alloc(d->dev, words[WORD_BYTES], "scan", &heap));
    status st = DEV_LAUNCH(stream, parquet_prefix_copy, .page = d->bytes, .words = words,
                           .start = words + WORD_END, .bytes = words + WORD_BYTES,
                           .prefixes = prefixes, .lengths = lengths, .out = heap->address);
    if (!st)
        st = launch_strings(d, heap->address, words + WORD_BYTES, NULL, lengths, out);
    if (!st)
        st = keep_heap(d, heap);
    dev_buffer_unref(heap);
    return st;
}

static status decode_delta_bytes(decoding *d, void *out)
{
    dev_buffer *prefixes = NULL, *lengths = NULL;
    uint64_t bytes = (uint64_t)d->page->header.value_count * 4, *words = d->words;
    status st = dev_alloc(d->dev, bytes, "scan", &prefixes);
    if (!st)
        st = dev_alloc(d->dev, bytes, "scan", &lengths);
    if (!st)
        st = page_launch_delta(d, words, 4, prefixes->address, words + WORD_NEXT_START);
    if (!st)
        st = d->dev->ops->copy(d->context->stream, words + WORD_NEXT_COUNT, words + WORD_COUNT,
                               sizeof(uint64_t));
    if (!st)
        st = page_launch_delta(d, words + WORD_NEXT_COUNT, 4, lengths->address, words + WORD_END);
    if (!st)
        st = page_put_together(d, prefixes->address, lengths->address, out);
    dev_buffer_unref(prefixes);
    dev_buffer_unref(lengths);
    return st;
}

/* The page's values that are not NULL, converted, to `out`. */
static status page_decode_values(decoding *d, void *out)
{
    const pq_page_context *context = d->context;
    switch (d->page->header.encoding) {
    case PQ_RLE:
        return DEV_LAUNCH(context->stream, parquet_booleans, .page = d->bytes,
                          .page_bytes = d->byte_count, .words = d->words, .out = out,
                          .error = context->error, .location = context->location);
    case PQ_DELTA_BINARY_PACKED:
    case PQ_BYTE_STREAM_SPLIT:
        return page_decode_numbers(d, out);
    case PQ_DELTA_LENGTH_BYTE_ARRAY:
        return decode_delta_lengths(d, out);
    case PQ_DELTA_BYTE_ARRAY:
        return decode_delta_bytes(d, out);
    default: /* PLAIN; a dictionary's page may call it PLAIN_DICTIONARY */
        TRY(page_launch_plain(d, d->bytes, d->byte_count, d->words, out));
        return keep_heap(d, d->owner);
    }
}

/* ---- bounds ---- */

static status page_check_bounds(const decoding *d, const void *values, const uint32_t *rows)
{
    const pq_page_context *context = d->context;
    if (!context->check_bounds || (rows && context->is_dictionary_within))
        return STATUS_OK;
    return DEV_LAUNCH(context->stream, parquet_check_bounds, .type = context->leaf->type,
                      .values = values, .rows = rows, .words = d->words,
                      .minimum = context->minimum, .maximum = context->maximum,
                      .error = context->error, .location = context->location);
}

/* ---- UTF-8 ---- */

/* Start of the values' bytes among the page's, to be looked at together; NULL: they are elsewhere. */
static const uint64_t *text_start(const decoding *d)
{
    if (d->page->header.type == PQ_PAGE_DICTIONARY || d->page->header.encoding == PQ_PLAIN)
        return d->words + WORD_START;
    return d->page->header.encoding == PQ_DELTA_LENGTH_BYTE_ARRAY ? d->words + WORD_END : NULL;
}

static status launch_check_text(const decoding *d, uint64_t first, uint32_t end,
                                const uint64_t *start, const string_view *values)
{
    return DEV_LAUNCH(d->context->stream, parquet_check_text, .page = start ? d->bytes : NULL,
                      .page_bytes = end, .start = start, .values = values, .words = d->words,
                      .first = first, .error = d->context->error, .location = d->context->location);
}

/* Dense texts are UTF-8, or become it. */
static status page_check_text(decoding *d, tensor *t)
{
    const pq_page_context *context = d->context;
    dev_buffer *heap;
    if (!pq_is_checked_text(context->leaf))
        return STATUS_OK;
    if (!context->replaces_text)
        return launch_check_text(d, 0, d->byte_count, text_start(d), t->values);
    TRY(pq_texts_replace(context->stream, t->values, d->words[WORD_COUNT], context->error,
                         context->location, &heap));
    status st = heap ? keep_heap(d, heap) : STATUS_OK;
    dev_buffer_unref(heap);
    return st;
}

/* ---- tensors ---- */

static status page_launch_spread(const decoding *d, uint8_t width, const void *dense, uint64_t fill,
                                 void *out)
{
    return DEV_LAUNCH(d->context->stream, parquet_spread, .width = width, .dense = dense,
                      .validity = d->validity->address, .row_count = d->page->header.value_count,
                      .fill_low = fill, .out = out);
}

static status page_decode_codes(decoding *d, tensor **out)
{
    const pq_page_context *context = d->context;
    uint64_t rows = d->page->header.value_count;
    row_index *dense = NULL, *codes = NULL;
    status st = row_index_new(d->dev, rows, &dense);
    if (!st)
        st = DEV_LAUNCH(context->stream, parquet_codes, .page = d->bytes,
                        .page_bytes = d->byte_count, .words = d->words,
                        .dictionary_rows = context->dictionary_rows, .out = dense->rows,
                        .error = context->error, .location = context->location);
    if (!st)
        st = page_check_bounds(d, context->dictionary->values, dense->rows);
    if (!st && d->has_nulls) {
        st = row_index_new(d->dev, rows, &codes);
        if (!st)
            st = page_launch_spread(d, 4, dense->rows, ROW_NULL, codes->rows);
        if (!st)
            codes->has_nulls = true;
    } else if (!st) {
        codes = row_index_ref(dense);
    }
    if (!st)
        st = tensor_new_indexed(context->stream, context->dictionary, context->dictionary_rows,
                                codes, dev_count_exact(rows), out);
    if (!st)
        (*out)->is_dictionary = true;
    row_index_unref(dense);
    row_index_unref(codes);
    return st;
}

static status take_heaps(decoding *d, tensor *t)
{
    if (!d->heaps.count)
        return STATUS_OK;
    uint32_t count = (uint32_t)d->heaps.count;
    d->heaps.count = 0;
    return string_heap_new(d->heaps.items, count, &t->heap);
}

static status page_decode_flat(decoding *d, tensor **out)
{
    data_type type = d->context->leaf->type;
    uint64_t rows = d->page->header.value_count;
    tensor *t, *dense = NULL;
    TRY(tensor_new_flat(d->dev, type, rows, false, &t));
    status st = STATUS_OK;
    if (d->has_nulls) {
        t->validity_owner = dev_buffer_ref(d->validity);
        t->validity = d->validity->address;
        st = tensor_new_flat(d->dev, type, rows, false, &dense);
    }
    if (!st)
        st = page_decode_values(d, dense ? dense->values : t->values);
    if (!st)
        st = page_check_text(d, dense ? dense : t);
    /* A dictionary counts only as far as codes refer to it. */
    if (!st && d->page->header.type != PQ_PAGE_DICTIONARY)
        st = page_check_bounds(d, dense ? dense->values : t->values, NULL);
    if (!st && dense)
        st = page_launch_spread(d, type.width, dense->values, 0, t->values);
    if (!st)
        st = take_heaps(d, t);
    tensor_unref(dense);
    if (st) {
        tensor_unref(t);
        return st;
    }
    *out = t;
    return STATUS_OK;
}

static bool can_use_page(const decoding *d)
{
    const pq_leaf *leaf = d->context->leaf;
    return !d->has_nulls && d->page->header.encoding == PQ_PLAIN && pq_is_in_place(leaf) &&
           (uintptr_t)(d->bytes + d->words[WORD_START]) % leaf->type.width == 0;
}

/* The page's bytes are the values: no copy. */
static status use_page(decoding *d, tensor **out)
{
    data_type type = d->context->leaf->type;
    uint64_t start = d->words[WORD_START];
    if (start > d->byte_count || (d->byte_count - start) / type.width < d->page->header.value_count)
        return status_new(STATUS_KIND_CORRUPT, "it has fewer bytes than its values take");
    TRY(page_check_bounds(d, d->bytes + start, NULL));
    return tensor_new_view(type, d->owner, (void *)(d->bytes + start), out);
}

static void page_release(decoding *d)
{
    for (size_t i = 0; i < d->heaps.count; i++)
        dev_buffer_unref(d->heaps.items[i]);
    array_release(&d->heaps);
    dev_buffer_unref(d->owner);
    dev_buffer_unref(d->words_owner);
    dev_buffer_unref(d->validity);
}

/* Its rows, whose levels have been decoded. */
static status page_decode_rows(decoding *d, tensor **out)
{
    if (pq_page_is_coded(d->page))
        return page_decode_codes(d, out);
    return can_use_page(d) ? use_page(d, out) : page_decode_flat(d, out);
}

status pq_page_decode(const pq_page_context *context, const pq_page *page, tensor **out)
{
    *out = NULL;
    decoding d = {.context = context, .page = page, .dev = context->stream->dev};
    status st = page_decompress(&d);
    if (!st)
        st = decode_levels(&d);
    if (!st)
        st = page_decode_rows(&d, out);
    page_release(&d);
    return st;
}

/* The slots' validity, and the page's words. */
static status decode_nested_levels(decoding *d, unsigned slot_definition, pq_levels *levels)
{
    const pq_leaf *leaf = d->context->leaf;
    TRY(pq_levels_read(d->dev, leaf, slot_definition, &d->page->header, d->bytes, d->byte_count,
                       levels));
    TRY(dev_words_new(d->context->stream, WORDS_PER_PAGE, &d->words_owner));
    d->words = d->words_owner->address;
    d->words[WORD_COUNT] = levels->values;
    d->words[WORD_START] = levels->values_at;
    d->has_nulls = levels->values < levels->slots;
    if (!d->has_nulls)
        return STATUS_OK;
    TRY(dev_alloc(d->dev, bitmap_bytes(levels->slots), "scan", &d->validity));
    pq_levels_set_validity(levels, leaf, slot_definition, d->validity->address);
    return STATUS_OK;
}

/* Moves values of a decompressed page to where they are aligned, if they can then be used as they are: that is less than a copy
 * in new memory. */
static void align_values(decoding *d)
{
    const pq_leaf *leaf = d->context->leaf;
    uint64_t start = d->words[WORD_START];
    if (d->has_nulls || is_stored_plain(d) || d->page->header.encoding != PQ_PLAIN ||
        !pq_is_in_place(leaf) || start > d->byte_count)
        return;
    uint8_t *bytes = (uint8_t *)d->owner->address + (d->bytes - (uint8_t *)d->owner->address);
    uint32_t back = (uint32_t)((uintptr_t)(bytes + start) % leaf->type.width);
    if (!back || back > start)
        return;
    memmove(bytes + start - back, bytes + start, d->byte_count - start);
    d->words[WORD_START] = start - back;
    d->byte_count -= back;
}

status pq_page_decode_nested(const pq_page_context *context, unsigned slot_definition,
                             pq_page *page)
{
    pq_page slots = *page; /* with a value for each slot */
    decoding d = {.context = context, .page = page, .dev = context->stream->dev};
    status st = page_decompress(&d);
    if (!st)
        st = decode_nested_levels(&d, slot_definition, &page->levels);
    if (!st)
        align_values(&d);
    slots.header.value_count = page->levels.slots;
    d.page = &slots;
    if (!st)
        st = page_decode_rows(&d, &page->values);
    page_release(&d);
    return st;
}

/* ---- pages in parts ---- */

#define PART_PAGE_BYTES                                                                            \
    (2u << 20) /* smaller pages are decoded at once, which is quicker if all rows are wanted */
#define PART_LEVEL_BYTES 64         /* levels without a NULL have fewer */
#define PART_STEP_BYTES (64u << 10) /* decompressed at a time, at least */

struct pq_page_part {
    decoding d;
    snappy_state block;
    uint64_t rows; /* decoded */
    uint64_t next; /* where the value behind them begins in the page */
};

void pq_page_part_free(pq_page_part *part)
{
    if (!part)
        return;
    page_release(&part->d);
    mem_free(part);
}

static bool suits_parts(const decoding *d)
{
    const pq_leaf *leaf = d->context->leaf;
    const pq_page_header *h = &d->page->header;
    bool is_text = leaf->physical == PQ_BYTE_ARRAY && type_is_text(leaf->type) &&
                   !d->context->check_bounds && !d->context->replaces_text;
    uint32_t levels = level_bytes(h);
    if (leaf->max_definition && h->type == PQ_PAGE_DATA && h->definition_encoding != PQ_RLE)
        return false;
    return d->dev->is_host && d->context->codec == PQ_CODEC_SNAPPY && h->is_compressed &&
           h->encoding == PQ_PLAIN && (is_text || pq_is_in_place(leaf)) &&
           h->uncompressed_bytes >= PART_PAGE_BYTES && levels <= PART_LEVEL_BYTES &&
           levels < h->compressed_bytes;
}

/* Bytes of the page that are there. */
static uint64_t bytes_there(const pq_page_part *part)
{
    return (uint64_t)(part->block.out - part->d.bytes);
}

/* At least so many of them, and a few more. */
static status page_go_on(pq_page_part *part, uint64_t bytes)
{
    uint64_t levels = level_bytes(&part->d.page->header), there = bytes_there(part);
    bytes = bytes > there + PART_STEP_BYTES ? bytes : there + PART_STEP_BYTES;
    bytes = bytes < part->d.byte_count ? bytes : part->d.byte_count;
    if (!snappy_continue(part->d.dev->host_isa, &part->block, bytes - levels))
        return status_new(STATUS_KIND_CORRUPT, "its bytes break the format at its byte 0");
    return STATUS_OK;
}

/* False: the page's levels may say that there are NULLs. */
static status page_begin_part(pq_page_part *part, bool *is_right)
{
    decoding *d = &part->d;
    const pq_page_header *h = &d->page->header;
    uint32_t levels = level_bytes(h), length = 0;
    uint8_t *target;
    TRY(make_target(d, &target));
    *is_right = snappy_begin(&part->block, d->page->host + levels, h->compressed_bytes - levels,
                             target + levels, h->uncompressed_bytes - levels);
    if (!*is_right)
        return STATUS_OK; /* decoding it all will say what is wrong */
    TRY(page_go_on(part, 0));
    if (d->context->leaf->max_definition && h->type == PQ_PAGE_DATA)
        memcpy(&length, d->bytes, sizeof length);
    *is_right = length <= PART_LEVEL_BYTES;
    if (!*is_right)
        return STATUS_OK;
    TRY(decode_levels(d));
    *is_right = !d->has_nulls && (type_is_text(d->context->leaf->type) || can_use_page(d));
    part->next = d->words[WORD_START];
    return STATUS_OK;
}

/* All rows' place, though only the first have values yet. */
static status page_make_values(decoding *d, tensor **out)
{
    data_type type = d->context->leaf->type;
    if (!type_is_text(type))
        return tensor_new_view(type, d->owner, (void *)(d->bytes + d->words[WORD_START]), out);
    TRY(tensor_new_flat(d->dev, type, d->page->header.value_count, false, out));
    status st = keep_heap(d, d->owner);
    if (!st)
        st = take_heaps(d, *out);
    if (st) {
        tensor_unref(*out);
        *out = NULL;
    }
    return st;
}

status pq_page_part_begin(const pq_page_context *context, pq_page *page)
{
    decoding d = {.context = context, .page = page, .dev = context->stream->dev};
    bool is_right = false;
    if (!suits_parts(&d))
        return STATUS_OK;
    pq_page_part *part = mem_new(sizeof *part);
    if (!part)
        return status_no_memory("scan", sizeof *part);
    part->d = d;
    status st = page_begin_part(part, &is_right);
    if (!st && is_right)
        st = page_make_values(&part->d, &page->values);
    if (!st && is_right)
        page->part = part;
    else
        pq_page_part_free(part);
    return st;
}

/* Finds where so many texts more end, of which all bytes are there then; less if the page has less. */
static status reach_texts(pq_page_part *part, uint64_t rows, uint64_t *out_end)
{
    uint64_t at = part->next, there = bytes_there(part);
    while (rows) {
        uint64_t end = at + 4;
        uint32_t length;
        if (end <= there) {
            memcpy(&length, part->d.bytes + at, sizeof length);
            end += length;
        }
        if (end <= there) {
            at = end;
            rows--;
            continue;
        }
        if (there == part->d.byte_count)
            break;
        TRY(page_go_on(part, end));
        there = bytes_there(part);
    }
    *out_end = at;
    return STATUS_OK;
}

/* Rows of their number, from part->rows on, are decoded. */
static status decode_part(pq_page_part *part, uint64_t rows, tensor *values)
{
    decoding *d = &part->d;
    uint8_t width = d->context->leaf->type.width;
    uint64_t end = part->next + rows * width;
    d->words[WORD_COUNT] = rows;
    d->words[WORD_START] = part->next;
    if (type_is_text(d->context->leaf->type)) {
        string_view *texts = (string_view *)values->values + part->rows;
        TRY(reach_texts(part, rows, &end));
        TRY(page_launch_plain(d, d->bytes, (uint32_t)bytes_there(part), d->words, texts));
        if (pq_is_checked_text(d->context->leaf))
            TRY(launch_check_text(d, part->rows, (uint32_t)end, d->words + WORD_START, texts));
    } else {
        if (end > d->byte_count)
            return status_new(STATUS_KIND_CORRUPT, "it has fewer bytes than its values take");
        if (end > bytes_there(part))
            TRY(page_go_on(part, end));
        TRY(page_check_bounds(d, d->bytes + part->next, NULL));
    }
    part->next = end;
    return STATUS_OK;
}

status pq_page_part_reach(pq_page *page, uint64_t rows)
{
    pq_page_part *part = page->part;
    if (rows <= part->rows)
        return STATUS_OK;
    TRY(decode_part(part, rows - part->rows, page->values));
    part->rows = rows;
    return STATUS_OK;
}

/* ---- dictionaries ---- */

/* Values that no code names may be outside: then each page's codes are checked. */
static status check_dictionary(const decoding *d, pq_page_context *context)
{
    dev_error error = {.code = DEV_ERROR_NONE}, *reported = context->error;
    context->error = &error;
    status st = page_check_bounds(d, context->dictionary->values, NULL);
    context->error = reported;
    context->is_dictionary_within = error.code == DEV_ERROR_NONE;
    return st;
}

status pq_page_decode_dictionary(pq_page_context *context, const pq_page *page)
{
    decoding d = {.context = context, .page = page, .dev = context->stream->dev};
    TRY(pq_page_check_dictionary(page));
    status st = page_decompress(&d);
    if (!st)
        st = decode_levels(&d);
    if (!st)
        st = page_decode_flat(&d, &context->dictionary);
    if (!st)
        context->dictionary_rows = page->header.value_count;
    if (!st && context->check_bounds)
        st = check_dictionary(&d, context);
    page_release(&d);
    return st;
}
