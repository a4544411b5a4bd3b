/* column.c - page by page: headers on the host, everything else by kernels. */
#include "parquet/column.h"

#include <zlib.h>

typedef struct page {
    pq_page_header header;
    const uint8_t *bytes; /* on the host */
    uint64_t at;          /* in the compressed chunk */
} page;

typedef struct decoding {
    dev_stream *stream;
    device *dev;
    const pq_leaf *leaf;
    const pq_column_chunk *chunk;
    dev_error *error;
    uint32_t place;
    uint64_t row_count;

    uint8_t *host_bytes;    /* the compressed chunk */
    dev_buffer *compressed; /* the same on the device; holds host_bytes on a host device */
    void *host_owned;       /* host_bytes elsewhere */
    ARRAY(page) pages;
    page dictionary_page;
    bool has_dictionary, has_plain, has_codes;

    tensor *dictionary;
    uint64_t dictionary_rows;
    dev_buffer *words; /* two per page */
    dev_buffer *validity;
    bool has_nulls;
    row_index *codes;
    tensor *flat;
    ARRAY(dev_buffer *) heaps; /* pages that strings point into */
} decoding;

static status load(decoding *d, const file *f)
{
    uint64_t bytes = d->chunk->compressed_bytes;
    TRY(dev_alloc(d->dev, bytes, "scan", &d->compressed));
    if (d->dev->is_host) {
        d->host_bytes = d->compressed->address;
        return file_read(f, d->chunk->offset, d->host_bytes, bytes);
    }
    d->host_bytes = d->host_owned = mem_new(bytes ? bytes : 1);
    if (!d->host_bytes)
        return status_no_memory("scan", bytes);
    TRY(file_read(f, d->chunk->offset, d->host_bytes, bytes));
    return d->dev->ops->copy_in(d->stream, d->compressed->address, d->host_bytes, bytes);
}

static bool encoding_is_known(pq_encoding encoding)
{
    return encoding == PQ_PLAIN || encoding == PQ_PLAIN_DICTIONARY || encoding == PQ_RLE_DICTIONARY;
}

/* Finds the pages; all sizes are checked against the chunk's bytes here. */
static status find_pages(decoding *d)
{
    uint64_t at = 0, end = d->chunk->compressed_bytes, rows = 0;
    while (rows < d->row_count) {
        page p = {.at = at};
        size_t header_bytes;
        status st = pq_page_header_parse(d->host_bytes + at, end - at, &p.header, &header_bytes);
        if (st)
            return status_context(st, "page at byte %llu",
                                  (unsigned long long)(d->chunk->offset + at));
        p.at = at + header_bytes;
        p.bytes = d->host_bytes + p.at;
        if (p.header.compressed_bytes > end - p.at)
            return status_new(
                STATUS_KIND_CORRUPT, "page at byte %llu has %u bytes, more than its column chunk",
                (unsigned long long)(d->chunk->offset + at), p.header.compressed_bytes);
        if (p.header.has_checksum &&
            (uint32_t)crc32(0, p.bytes, p.header.compressed_bytes) != p.header.checksum)
            return status_new(STATUS_KIND_CORRUPT, "page at byte %llu has a wrong checksum",
                              (unsigned long long)(d->chunk->offset + at));
        at = p.at + p.header.compressed_bytes;
        if (p.header.type == PQ_PAGE_DICTIONARY) {
            d->dictionary_page = p;
            d->has_dictionary = true;
            continue;
        }
        if (p.header.type != PQ_PAGE_DATA && p.header.type != PQ_PAGE_DATA_V2)
            continue;
        if (p.header.value_count > d->row_count - rows)
            return status_new(STATUS_KIND_CORRUPT,
                              "page at byte %llu has %u values, more than its row group has left",
                              (unsigned long long)(d->chunk->offset + p.at), p.header.value_count);
        if (!encoding_is_known(p.header.encoding))
            return status_new(STATUS_KIND_UNSUPPORTED, "encoding %d is not supported",
                              (int)p.header.encoding);
        bool is_coded = p.header.encoding != PQ_PLAIN;
        d->has_codes |= is_coded;
        d->has_plain |= !is_coded;
        if (is_coded && !d->has_dictionary)
            return status_new(STATUS_KIND_CORRUPT, "page at byte %llu has no dictionary before it",
                              (unsigned long long)(d->chunk->offset + p.at));
        rows += p.header.value_count;
        TRY(array_push(NULL, &d->pages, p));
    }
    return STATUS_OK;
}

#define PAGE_ALIGNMENT 64

/* How far into its buffer a page must begin for its values to be aligned, if no row is NULL: then
 * the levels are a length and one run, in version 1 pages. */
static unsigned alignment_shift(const decoding *d, const page *p)
{
    unsigned levels = p->header.definition_bytes + p->header.repetition_bytes;
    if (d->leaf->max_definition && p->header.type == PQ_PAGE_DATA) {
        levels = 4 + 1 + 1;
        for (uint64_t run = (uint64_t)p->header.value_count << 1; run >= 0x80; run >>= 7)
            levels++;
    }
    return -levels % PAGE_ALIGNMENT;
}

/* The page's bytes, decompressed, on the device: *out_owner holds them (a reference). */
static status decompress(decoding *d, const page *p, dev_buffer **out_owner,
                         const uint8_t **out_bytes, uint32_t *out_count)
{
    const uint8_t *source = (uint8_t *)d->compressed->address + p->at;
    const pq_page_header *h = &p->header;
    uint32_t levels = h->type == PQ_PAGE_DATA_V2 ? h->definition_bytes + h->repetition_bytes : 0;
    bool is_stored = d->chunk->codec == PQ_CODEC_NONE || !h->is_compressed;
    if (levels > h->compressed_bytes || levels > h->uncompressed_bytes)
        return status_new(STATUS_KIND_CORRUPT, "a page's levels are longer than the page");
    *out_count = is_stored ? h->compressed_bytes : h->uncompressed_bytes;
    if (is_stored) {
        *out_owner = dev_buffer_ref(d->compressed);
        *out_bytes = source;
        return STATUS_OK;
    }
    unsigned shift = alignment_shift(d, p);
    TRY(dev_alloc(d->dev, (size_t)h->uncompressed_bytes + shift, "scan", out_owner));
    uint8_t *target = (uint8_t *)(*out_owner)->address + shift;
    *out_bytes = target;
    if (levels)
        TRY(d->dev->ops->copy(d->stream, target, source, levels));
    if (h->uncompressed_bytes == levels)
        return STATUS_OK;
    return DEV_LAUNCH(d->stream, parquet_decompress, .codec = (int)d->chunk->codec,
                      .source = source + levels, .source_bytes = h->compressed_bytes - levels,
                      .target = target + levels, .target_bytes = h->uncompressed_bytes - levels,
                      .error = d->error, .place = d->place);
}

static status keep_heap(decoding *d, dev_buffer *owner)
{
    if (!type_is_text(d->leaf->type))
        return STATUS_OK;
    TRY(array_push(NULL, &d->heaps, owner));
    dev_buffer_ref(owner);
    return STATUS_OK;
}

static status launch_plain(decoding *d, const uint8_t *bytes, uint32_t count, const uint64_t *words,
                           void *out)
{
    return DEV_LAUNCH(d->stream, parquet_plain, .page = bytes, .page_bytes = count, .words = words,
                      .physical = (uint8_t)d->leaf->physical,
                      .conversion = (uint8_t)d->leaf->conversion,
                      .type_length = d->leaf->type_length, .type = d->leaf->type, .out = out,
                      .error = d->error, .place = d->place);
}

static status take_heaps(decoding *d, tensor *t)
{
    if (!d->heaps.count)
        return STATUS_OK;
    uint32_t count = (uint32_t)d->heaps.count;
    d->heaps.count = 0;
    return string_heap_new(d->heaps.items, count, &t->heap);
}

static status decode_dictionary(decoding *d)
{
    const page *p = &d->dictionary_page;
    const uint8_t *bytes;
    uint32_t byte_count;
    dev_buffer *owner = NULL, *words = NULL;
    d->dictionary_rows = p->header.value_count;
    /* A value takes a bit at least. */
    if (d->dictionary_rows > (uint64_t)p->header.uncompressed_bytes * 8)
        return status_new(STATUS_KIND_CORRUPT, "the dictionary has more values than bytes");
    TRY(tensor_new_flat(d->dev, d->leaf->type, d->dictionary_rows, false, &d->dictionary));
    status st = decompress(d, p, &owner, &bytes, &byte_count);
    if (!st)
        st = dev_words_new(d->stream, 2, &words);
    if (!st)
        st = DEV_LAUNCH(d->stream, fill, .width = 8, .value_low = d->dictionary_rows,
                        .count = dev_count_exact(1), .out = words->address);
    if (!st)
        st = launch_plain(d, bytes, byte_count, words->address, d->dictionary->values);
    if (!st)
        st = keep_heap(d, owner);
    if (!st)
        st = take_heaps(d, d->dictionary);
    dev_buffer_unref(owner);
    dev_buffer_unref(words);
    return st;
}

/* A page's validity; its words say where the values are. */
static status decode_levels(decoding *d, const page *p, const uint8_t *bytes, uint32_t byte_count,
                            uint64_t row_at, uint64_t *words)
{
    bool is_v2 = p->header.type == PQ_PAGE_DATA_V2;
    if (!d->leaf->max_definition) {
        uint32_t skip = is_v2 ? p->header.definition_bytes + p->header.repetition_bytes : 0;
        TRY(DEV_LAUNCH(d->stream, fill, .width = 8, .value_low = p->header.value_count,
                       .count = dev_count_exact(1), .out = words));
        return DEV_LAUNCH(d->stream, fill, .width = 8, .value_low = skip,
                          .count = dev_count_exact(1), .out = words + 1);
    }
    return DEV_LAUNCH(d->stream, parquet_levels, .page = bytes, .page_bytes = byte_count,
                      .with_length = !is_v2, .level_bytes = p->header.definition_bytes,
                      .is_bit_packed = p->header.definition_encoding == PQ_BIT_PACKED && !is_v2,
                      .row_count = p->header.value_count, .validity = d->validity->address,
                      .row_at = row_at, .words = words, .error = d->error, .place = d->place);
}

/* The stored bytes are the values in memory. */
static bool is_in_place(const pq_leaf *leaf)
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

static status decode_codes(decoding *d, const uint8_t *bytes, uint32_t byte_count,
                           const uint64_t *words, uint32_t *out)
{
    return DEV_LAUNCH(d->stream, parquet_codes, .page = bytes, .page_bytes = byte_count,
                      .words = words, .dictionary_rows = d->dictionary_rows, .out = out,
                      .error = d->error, .place = d->place);
}

/* Values of one page, dense, then spread over its rows if some are NULL. `width` 4 and codes: into
 * the index; else into the flat tensor. */
static status decode_values(decoding *d, const page *p, const uint8_t *bytes, uint32_t byte_count,
                            uint64_t row_at, const uint64_t *words, bool page_has_nulls)
{
    uint32_t rows = p->header.value_count;
    uint8_t width = d->leaf->type.width;
    bool is_coded = p->header.encoding != PQ_PLAIN, to_index = d->codes;
    row_index *codes = NULL;
    tensor *dense = NULL;
    status st = STATUS_OK;
    bool is_direct = !page_has_nulls && (width || row_at % 64 == 0);
    char *target = to_index ? (char *)(d->codes->rows + row_at)
                            : (char *)d->flat->values + (width ? row_at * width : row_at / 8);
    if (to_index && is_direct)
        return decode_codes(d, bytes, byte_count, words, (uint32_t *)target);
    if (is_coded) {
        st = row_index_new(d->dev, rows, &codes);
        if (!st)
            st = decode_codes(d, bytes, byte_count, words, codes->rows);
    }
    if (!st && !to_index && !(is_direct && !is_coded))
        st = tensor_new_flat(d->dev, d->leaf->type, rows, false, &dense);
    void *out = dense ? dense->values : target;
    if (!st && is_coded && !to_index)
        st = DEV_LAUNCH(d->stream, gather, .width = width, .base = d->dictionary->values,
                        .index = codes->rows, .count = {rows, words}, .out = out);
    else if (!st && !is_coded)
        st = launch_plain(d, bytes, byte_count, words, out);
    if (!st && to_index)
        st = DEV_LAUNCH(d->stream, parquet_spread, .width = 4, .dense = codes->rows,
                        .validity = d->validity->address, .row_at = row_at, .row_count = rows,
                        .fill_low = ROW_NULL, .out = d->codes->rows);
    else if (!st && dense && d->validity)
        st = DEV_LAUNCH(d->stream, parquet_spread, .width = width, .dense = out,
                        .validity = d->validity->address, .row_at = row_at, .row_count = rows,
                        .out = d->flat->values);
    else if (!st && dense && width)
        st = d->dev->ops->copy(d->stream, target, out, (uint64_t)rows * width);
    else if (!st && dense)
        st = DEV_LAUNCH(d->stream, copy_bits, .source = out, .count = dev_count_exact(rows),
                        .target = d->flat->values, .target_at = row_at);
    row_index_unref(codes);
    tensor_unref(dense);
    return st;
}

static status make_target(decoding *d)
{
    if (d->has_codes && !d->has_plain) {
        TRY(row_index_new(d->dev, d->row_count, &d->codes));
        d->codes->has_nulls = d->has_nulls;
        return STATUS_OK;
    }
    return tensor_new_flat(d->dev, d->leaf->type, d->row_count, false, &d->flat);
}

/* A single plain page whose bytes are the values: no copy. */
static status use_page(decoding *d, dev_buffer *owner, const uint8_t *bytes, uint32_t byte_count,
                       const uint64_t *words)
{
    uint64_t start = words[1];
    if (start > byte_count || (byte_count - start) / d->leaf->type.width < d->row_count)
        return status_new(STATUS_KIND_CORRUPT, "a page has fewer bytes than its values take");
    TRY(tensor_new_flat(d->dev, d->leaf->type, 1, false, &d->flat));
    dev_buffer_unref(d->flat->values_owner);
    d->flat->values_owner = dev_buffer_ref(owner);
    d->flat->values = (void *)(bytes + start);
    return STATUS_OK;
}

static status decode_page(decoding *d, const page *p, size_t number, uint64_t row_at)
{
    const uint8_t *bytes;
    uint32_t byte_count;
    dev_buffer *owner = NULL;
    uint64_t *words = (uint64_t *)d->words->address + number * 2;
    status st = decompress(d, p, &owner, &bytes, &byte_count);
    if (!st)
        st = decode_levels(d, p, bytes, byte_count, row_at, words);
    /* On a host device the words tell at once whether there are NULLs. */
    bool page_has_nulls = d->leaf->max_definition > 0;
    if (!st && page_has_nulls && d->dev->is_host)
        page_has_nulls = words[0] < p->header.value_count;
    if (!st && page_has_nulls)
        d->has_nulls = true;
    if (!st && d->dev->is_host && d->pages.count == 1 && !page_has_nulls && d->has_plain &&
        is_in_place(d->leaf) && (uintptr_t)(bytes + words[1]) % d->leaf->type.width == 0) {
        st = use_page(d, owner, bytes, byte_count, words);
        dev_buffer_unref(owner);
        return st;
    }
    if (!st && !d->codes && !d->flat)
        st = make_target(d);
    if (!st)
        st = decode_values(d, p, bytes, byte_count, row_at, words, page_has_nulls);
    if (!st && p->header.encoding == PQ_PLAIN)
        st = keep_heap(d, owner);
    dev_buffer_unref(owner);
    return st;
}

static status assemble(decoding *d, tensor **out)
{
    if (d->codes) {
        d->codes->has_nulls = d->has_nulls;
        TRY(tensor_new_indexed(d->stream, d->dictionary, d->dictionary_rows, d->codes,
                               dev_count_exact(d->row_count), out));
        (*out)->is_dictionary = true;
        return STATUS_OK;
    }
    tensor *t = d->flat;
    if (d->has_nulls) {
        t->validity_owner = dev_buffer_ref(d->validity);
        t->validity = d->validity->address;
    }
    /* Mixed pages: strings may point into the dictionary's page, too. */
    if (d->dictionary && d->dictionary->heap)
        for (uint32_t i = 0; i < d->dictionary->heap->buffer_count; i++)
            TRY(keep_heap(d, d->dictionary->heap->buffers[i]));
    TRY(take_heaps(d, t));
    *out = t;
    d->flat = NULL;
    return STATUS_OK;
}

static status decode(decoding *d, const file *f, tensor **out)
{
    TRY(load(d, f));
    TRY(find_pages(d));
    if (d->has_codes)
        TRY(decode_dictionary(d));
    TRY(dev_words_new(d->stream, (uint32_t)d->pages.count * 2, &d->words));
    if (d->leaf->max_definition) {
        size_t bytes = (d->row_count + 63) / 64 * 8;
        TRY(dev_alloc(d->dev, bytes, "scan", &d->validity));
        TRY(d->dev->ops->zero(d->stream, d->validity->address, bytes));
    }
    uint64_t row_at = 0;
    for (size_t i = 0; i < d->pages.count; i++) {
        TRY(decode_page(d, &d->pages.items[i], i, row_at));
        row_at += d->pages.items[i].header.value_count;
    }
    return assemble(d, out);
}

/* What the host copied to the device must stay until the stream has passed it. */
static void wait_for_copy(decoding *d)
{
    dev_event *event;
    status st = d->dev->ops->event_record(d->stream, NULL, NULL, &event);
    if (!st) {
        d->dev->ops->event_wait(event);
        d->dev->ops->event_free(event);
    }
    status_free(st);
}

status pq_column_decode(dev_stream *stream, const pq_table *table, pq_morsel morsel,
                        uint32_t column, dev_error *error, uint32_t place, uint64_t *bytes_read,
                        tensor **out)
{
    *out = NULL;
    const pq_table_file *f = &table->files.items[morsel.file];
    uint32_t leaf = table->columns.items[column].leaf;
    const pq_row_group *group = &f->metadata->row_groups[morsel.row_group];
    decoding d = {.stream = stream,
                  .dev = stream->dev,
                  .leaf = &f->metadata->leaves[leaf],
                  .chunk = &group->chunks[leaf],
                  .error = error,
                  .place = place,
                  .row_count = group->row_count};
    status st = STATUS_OK;
    if (d.row_count >= ROW_NULL)
        st = status_new(STATUS_KIND_UNSUPPORTED, "a row group of %llu rows is too large",
                        (unsigned long long)d.row_count);
    if (!st)
        st = decode(&d, f->file, out);
    *bytes_read += d.chunk->compressed_bytes;
    if (d.host_owned)
        wait_for_copy(&d);
    mem_free(d.host_owned);
    for (size_t i = 0; i < d.heaps.count; i++)
        dev_buffer_unref(d.heaps.items[i]);
    array_release(&d.heaps);
    array_release(&d.pages);
    tensor_unref(d.dictionary);
    tensor_unref(d.flat);
    row_index_unref(d.codes);
    dev_buffer_unref(d.words);
    dev_buffer_unref(d.validity);
    dev_buffer_unref(d.compressed);
    if (st)
        return status_context(st, "file \"%s\", row group %u, column \"%s\"", f->file->path,
                              morsel.row_group, d.leaf->name);
    return STATUS_OK;
}

status pq_tensor_slice(tensor *t, uint64_t first, tensor **out)
{
    *out = NULL;
    tensor *slice = mem_new(sizeof *slice);
    if (!slice)
        return status_no_memory("tensor", sizeof *slice);
    *slice = *t;
    atomic_store(&slice->references, 1);
    dev_buffer_ref(t->values_owner);
    dev_buffer_ref(t->validity_owner);
    string_heap_ref(t->heap);
    tensor_ref(t->base);
    slice->index = NULL;
    if (t->form == TENSOR_FLAT) {
        slice->values = (char *)t->values + (t->type.width ? first * t->type.width : first / 8);
        if (t->validity)
            slice->validity = t->validity + first / 64;
    } else if (t->form == TENSOR_INDEXED) {
        status st = row_index_view(t->index, first, &slice->index);
        if (st) {
            tensor_unref(slice);
            return st;
        }
    }
    *out = slice;
    return STATUS_OK;
}
