/* batch_place.c - what the host knows of a batch's pages, and their bytes' way to the device.
 *
 * A page whose bytes stay in the device's memory (stored.h) is not looked at again: what the host saw in it is kept with it.
 * If all pages of a batch are of one such piece, they are decoded where they lie; else they are copied together. */
#include "parquet/read/batch_place.h"

#include "device/transfer.h"
#include "parquet/read/stored.h"

#define ALIGNMENT 64
/* Pages with at most this between them are one copy. */
#define GAP_BYTES 4096

/* ---- what the host knows ---- */

static uint64_t batch_place_round_up(uint64_t bytes)
{
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static const uint8_t *batch_place_page_bytes(const batch *b, size_t number)
{
    return b->by_host[number] ? b->by_host[number] : b->pages->items[number].page->host;
}

/* Finds how far after the one before it the page begins in the same block, or the same piece; 0: it is of another one. */
static uint64_t distance(const batch *b, size_t number)
{
    const pq_batch_page *p = &b->pages->items[number];
    const pq_page *before = p[-1].page, *page = p->page;
    if (page->stored && before->stored)
        return page->stored->piece == before->stored->piece && page->stored->at > before->stored->at
                   ? page->stored->at - before->stored->at
                   : 0;
    if (page->stored || before->stored || b->by_host[number] || b->by_host[number - 1])
        return 0;
    return before->block == page->block && page->host > before->host
               ? (uint64_t)(page->host - before->host)
               : 0;
}

/* Returns whether the page goes on right behind the one before it. Parts lie side by side as they were read (gather.h), not as they
 * are kept. */
static bool follows(const batch *b, size_t number)
{
    const pq_batch_page *p = &b->pages->items[number];
    if (!number || (p[-1].part != p->part && p->page->stored))
        return false;
    uint64_t bytes = b->described[number - 1].stored_bytes, far = distance(b, number);
    return far >= bytes && far && far - bytes <= GAP_BYTES;
}

/* The checksum is the device's work where it has the bytes that it is of. */
static void describe_checksum(batch *b, size_t number)
{
    parquet_page *d = &b->described[number];
    d->first_slice = b->slices;
    if (d->has_checksum)
        b->slices += PARQUET_SLICES(d->stored_bytes);
}

/* The device has a kernel for the page's codec, or a library that takes what it finds in the page. */
static bool is_devices(const batch *b, size_t number)
{
    const pq_page *page = b->pages->items[number].page;
    const parquet_page *d = &b->described[number];
    const dev_codecs *codecs = &b->dev->codecs;
    if (!(codecs->library >> d->codec & 1))
        return codecs->all >> d->codec & 1;
    return codec_is_one_stream(d->codec, page->host + d->head_bytes,
                               d->stored_bytes - d->head_bytes, d->unpacked_bytes - d->head_bytes);
}

/* It has not. */
static status batch_place_unpack(batch *b, size_t number)
{
    const pq_batch_page *p = &b->pages->items[number];
    parquet_page *d = &b->described[number];
    uint32_t head = d->head_bytes, bytes = p->page->header.uncompressed_bytes;
    void *target;
    TRY(pq_page_check_sum(b->dev, p->page));
    TRY(dev_host_alloc(b->dev, bytes, "scan", &target));
    b->by_host[number] = target;
    DEV_WORK_NOTE(host_pages);
    memcpy(target, p->page->host, head);
    if (bytes > head &&
        !codec_decompress(b->dev->host_isa, (int)p->codec, p->page->host + head,
                          d->stored_bytes - head, (uint8_t *)target + head, bytes - head))
        return status_new(STATUS_KIND_CORRUPT, "its bytes are damaged");
    d->is_compressed = d->has_checksum = false;
    d->stored_bytes = d->unpacked_bytes = bytes;
    return STATUS_OK;
}

/* Notes the codec of a page that the device decompresses. */
static void note_codec(batch *b, const parquet_page *d)
{
    library_pages *l = &b->library[d->codec];
    uint32_t bytes = d->unpacked_bytes - d->head_bytes;
    uint32_t tiles = PARQUET_TILES(d->stored_bytes - d->head_bytes);
    if (!(b->dev->codecs.library >> d->codec & 1)) {
        DEV_WORK_NOTE(device_pages);
        b->codecs |= 1u << d->codec;
        b->parts += PARQUET_PARTS(bytes);
        if (d->codec == PQ_CODEC_SNAPPY && PARQUET_PARTS(bytes) > 1 && tiles > b->tiles)
            b->tiles = tiles;
        return;
    }
    DEV_WORK_NOTE(library_pages);
    b->library_codecs |= 1u << d->codec;
    l->count += bytes > 0;
    l->largest = bytes > l->largest ? bytes : l->largest;
    l->total += bytes;
}

/* Finds the places of a page's bytes, of which is known how many there are. */
static void place_bytes(batch *b, size_t number)
{
    parquet_page *d = &b->described[number];
    describe_checksum(b, number);
    if (follows(b, number))
        d->stored_at = d[-1].stored_at + distance(b, number);
    else
        d->stored_at = batch_place_round_up(b->stored_bytes);
    b->stored_bytes = d->stored_at + d->stored_bytes;
    d->first_part = b->parts;
    if (d->is_compressed) {
        note_codec(b, d);
        d->unpacked_at = b->unpacked_bytes;
        b->unpacked_bytes =
            batch_place_round_up(b->unpacked_bytes + d->unpacked_bytes + !d->unpacked_bytes);
    }
}

static status describe_bytes(batch *b, size_t number)
{
    const pq_batch_page *p = &b->pages->items[number];
    const pq_page_header *h = &p->page->header;
    parquet_page *d = &b->described[number];
    uint32_t head = h->type == PQ_PAGE_DATA_V2 ? h->definition_bytes + h->repetition_bytes : 0;
    if (h->type == PQ_PAGE_DATA_V2 &&
        (head < h->definition_bytes || head > h->compressed_bytes || head > h->uncompressed_bytes))
        return status_new(STATUS_KIND_CORRUPT, "its levels are longer than the page");
    d->is_compressed = p->codec != PQ_CODEC_NONE && h->is_compressed;
    d->codec = (uint8_t)p->codec;
    d->head_bytes = head;
    d->stored_bytes = h->compressed_bytes;
    d->unpacked_bytes = d->is_compressed ? h->uncompressed_bytes : h->compressed_bytes;
    d->row_count = d->valid_count = h->value_count;
    d->values_at = head;
    d->has_checksum = h->has_checksum;
    d->checksum = h->checksum;
    d->file_at = p->page->at;
    return d->is_compressed && !is_devices(b, number) ? batch_place_unpack(b, number) : STATUS_OK;
}

/* The levels, as far as the host can see them, are one run of ones for all rows. */
static bool are_all_set(const uint8_t *levels, uint64_t bytes, uint32_t row_count)
{
    uint64_t header = 0, at = 0;
    unsigned shift = 0;
    do {
        if (at == bytes || shift > 35)
            return false;
        header |= (uint64_t)(levels[at] & 0x7f) << shift;
        shift += 7;
    } while (levels[at++] & 0x80);
    return !(header & 1) && header >> 1 >= row_count && at < bytes && levels[at] == 1;
}

static bool see_levels(const batch *b, size_t number)
{
    const pq_page_header *h = &b->pages->items[number].page->header;
    const uint8_t *page = batch_place_page_bytes(b, number);
    parquet_page *d = &b->described[number];
    uint32_t bytes;
    if (h->type == PQ_PAGE_DATA_V2)
        return are_all_set(page + h->repetition_bytes, h->definition_bytes, d->row_count);
    if (d->is_compressed || d->level_form != PARQUET_LEVEL_LENGTH_RUNS || d->stored_bytes < 4)
        return false;
    memcpy(&bytes, page, 4);
    if (bytes > d->stored_bytes - 4 || !are_all_set(page + 4, bytes, d->row_count))
        return false;
    d->values_at = 4 + bytes;
    return true;
}

static void describe_levels(batch *b, size_t number)
{
    const pq_batch_page *p = &b->pages->items[number];
    parquet_page *d = &b->described[number];
    const pq_page_header *h = &p->page->header;
    if (p->is_dictionary || !b->context->leaf->max_definition)
        return;
    d->level_start = h->repetition_bytes;
    d->level_bytes = h->definition_bytes;
    d->level_form = h->type == PQ_PAGE_DATA_V2                ? PARQUET_LEVEL_RUNS
                    : h->definition_encoding == PQ_BIT_PACKED ? PARQUET_LEVEL_BITS
                                                              : PARQUET_LEVEL_LENGTH_RUNS;
    if (!see_levels(b, number))
        d->levels = p->has_no_nulls ? PARQUET_LEVELS_CHECK : PARQUET_LEVELS_READ;
}

static parquet_page_kind batch_place_kind_of(const pq_batch_page *p)
{
    if (p->is_dictionary)
        return PARQUET_PAGE_DICTIONARY;
    switch (p->page->header.encoding) {
    case PQ_PLAIN_DICTIONARY:
    case PQ_RLE_DICTIONARY:
        return PARQUET_PAGE_CODES;
    case PQ_RLE:
        return PARQUET_PAGE_RLE;
    case PQ_DELTA_BINARY_PACKED:
        return PARQUET_PAGE_DELTA;
    case PQ_BYTE_STREAM_SPLIT:
        return PARQUET_PAGE_SPLIT;
    case PQ_DELTA_LENGTH_BYTE_ARRAY:
        return PARQUET_PAGE_LENGTHS;
    case PQ_DELTA_BYTE_ARRAY:
        return PARQUET_PAGE_PREFIXES;
    default:
        return PARQUET_PAGE_PLAIN;
    }
}

static status batch_place_describe(batch *b, size_t number)
{
    const pq_batch_page *p = &b->pages->items[number];
    parquet_page *d = &b->described[number];
    if (p->page->stored) {
        *d = p->page->stored->described;
    } else {
        TRY(describe_bytes(b, number));
        d->kind = (uint8_t)batch_place_kind_of(p);
        describe_levels(b, number);
    }
    d->location = p->location;
    place_bytes(b, number);
    d->dictionary_first = d->first_row = p->dictionary_first;
    d->dictionary_rows = p->dictionary_rows;
    if (p->is_dictionary)
        return STATUS_OK;
    d->first_row = b->row_count;
    b->row_count += d->row_count;
    b->kinds |= 1u << d->kind;
    b->has_levels |= d->levels != PARQUET_LEVELS_NONE;
    b->has_nulls |= d->levels == PARQUET_LEVELS_READ;
    return STATUS_OK;
}

/* ---- bytes to the device ---- */

static status copy_run(const batch *b, size_t first, void *target, uint64_t bytes)
{
    const dev_ops *ops = b->dev->ops;
    dev_stream *stream = b->context->stream;
    const pq_stored_page *stored = b->pages->items[first].page->stored;
    if (!stored)
        return ops->copy_in(stream, target, batch_place_page_bytes(b, first), bytes);
    if (stored->piece->buffer) {
        DEV_WORK_ADD(bytes_kept, bytes);
        return ops->copy(stream, target, (char *)stored->piece->buffer->address + stored->at,
                         bytes);
    }
    return ops->copy_in(stream, target, (char *)stored->piece->pinned + stored->at, bytes);
}

static status batch_place_copy_pages(batch *b)
{
    uint8_t *target = b->stored->address;
    for (size_t first = 0, end; first < b->pages->count; first = end) {
        for (end = first + 1; end < b->pages->count && follows(b, end);)
            end++;
        const parquet_page *last = &b->described[end - 1];
        uint64_t at = b->described[first].stored_at;
        TRY(copy_run(b, first, target + at, last->stored_at + last->stored_bytes - at));
    }
    return STATUS_OK;
}

/* Returns the piece of the device's memory in which all of the pages lie; NULL: there is not one. */
static const pq_stored_piece *common_piece(const batch *b)
{
    const pq_stored_page *first = b->pages->items[0].page->stored;
    const pq_stored_piece *piece = first && first->piece->buffer ? first->piece : NULL;
    for (size_t i = 1; i < b->page_count && piece; i++) {
        const pq_stored_page *stored = b->pages->items[i].page->stored;
        piece = stored && stored->piece == piece ? piece : NULL;
    }
    return piece;
}

static void batch_place_use_piece(batch *b, const pq_stored_piece *piece)
{
    b->stored = dev_buffer_ref(piece->buffer);
    for (size_t i = 0; i < b->page_count; i++)
        DEV_WORK_ADD(bytes_kept, b->described[i].stored_bytes);
    for (size_t i = 0; i < b->page_count; i++)
        b->described[i].stored_at = b->pages->items[i].page->stored->at;
}

status pq_batch_place_pages(batch *b)
{
    for (size_t i = 0; i < b->page_count; i++) {
        status st = batch_place_describe(b, i);
        if (st)
            return status_context(st, "page at byte %llu",
                                  (unsigned long long)b->pages->items[i].page->at);
    }
    const pq_stored_piece *piece = common_piece(b);
    if (piece) {
        batch_place_use_piece(b, piece);
        return STATUS_OK;
    }
    TRY(dev_alloc(b->dev, b->stored_bytes, "scan", &b->stored));
    return batch_place_copy_pages(b);
}

/* ---- pages that stay ---- */

static bool is_all_kept(const batch *b)
{
    bool is_kept = true;
    for (size_t i = 0; i < b->page_count && is_kept; i++) {
        const pq_stored_page *stored = b->pages->items[i].page->stored;
        is_kept = stored && stored->piece->buffer;
    }
    return is_kept;
}

static const uint8_t *host_bytes(const batch *b, size_t number)
{
    const pq_stored_page *stored = b->pages->items[number].page->stored;
    if (!stored)
        return batch_place_page_bytes(b, number);
    return stored->piece->buffer ? NULL : (const uint8_t *)stored->piece->pinned + stored->at;
}

void pq_batch_keep_pages(const batch *b)
{
    const pq_keeper *keeper = &b->context->keeper;
    if (!keeper->keep || is_all_kept(b))
        return;
    pq_placed_page *pages = mem_new_array(b->page_count, sizeof *pages);
    if (!pages) /* without memory nothing is kept */
        return;
    for (size_t i = 0; i < b->page_count; i++) {
        const pq_batch_page *p = &b->pages->items[i];
        pages[i] = (pq_placed_page){.part = p->part,
                                    .host = host_bytes(b, i),
                                    .stored = {.page = *p->page,
                                               .described = b->described[i],
                                               .at = b->described[i].stored_at,
                                               .is_dictionary = p->is_dictionary}};
        pages[i].stored.page.stored = NULL;
    }
    keeper->keep(keeper->argument, &(pq_placed_window){.stored = b->stored,
                                                       .bytes = b->stored_bytes,
                                                       .pages = pages,
                                                       .count = b->page_count});
    mem_free(pages);
}
