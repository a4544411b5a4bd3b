/* writer_chunk.c - one column of one row group to pages: dictionary, levels, values, codec. */
#include "parquet/write/writer_chunk.h"

#include "codec/checksum.h"
#include "parquet/format/bloom.h"
#include "parquet/format/thrift_write.h"
#include "parquet/write/compress.h"
#include "parquet/write/encode.h"
#include "parquet/write/encode_dictionary.h"
#include "parquet/write/encode_hybrid.h"
#include "parquet/write/encode_plain.h"
#include "parquet/write/writer_column.h"
#include "parquet/write/writer_stage.h"
#include "parquet/write/writer_statistics.h"

#include <limits.h>

typedef struct chunk_writer {
    const writer_column *column;
    const pq_writer_options *options;
    const uint64_t *validity; /* NULL: each row has a value, unless is_all_null */
    bool is_all_null;
    uint64_t row_count;
    pq_dense dense;
    pq_dictionary dictionary; /* codes NULL: none */
    pq_encoding encoding;     /* of the data pages */
    pq_chunk_scratch *scratch;
    pq_written_chunk *out;
} chunk_writer;

/* The parts of a page: levels, which version 2 does not compress, and the rest. */
typedef struct page_parts {
    pq_page_type type;
    pq_encoding encoding;
    uint64_t value_count, null_count;
    bool is_sorted; /* dictionary */
    const uint8_t *levels, *body;
    uint64_t level_bytes, body_bytes;
} page_parts;

static void write_header(const page_parts *page, uint64_t stored_bytes, bool has_checksum,
                         uint32_t checksum, bool is_compressed, pq_buffer *out)
{
    thrift_writer w = thrift_writer_make(out);
    thrift_put_i32(&w, 1, (int32_t)page->type);
    thrift_put_i32(&w, 2, (int32_t)(page->level_bytes + page->body_bytes));
    thrift_put_i32(&w, 3, (int32_t)(page->level_bytes + stored_bytes));
    if (has_checksum)
        thrift_put_i32(&w, 4, (int32_t)checksum);
    int32_t values = (int32_t)page->value_count, encoding = (int32_t)page->encoding;
    if (page->type == PQ_PAGE_DATA) {
        thrift_put_struct(&w, 5);
        thrift_put_i32(&w, 1, values);
        thrift_put_i32(&w, 2, encoding);
        thrift_put_i32(&w, 3, PQ_RLE);
        thrift_put_i32(&w, 4, PQ_RLE);
    } else if (page->type == PQ_PAGE_DICTIONARY) {
        thrift_put_struct(&w, 7);
        thrift_put_i32(&w, 1, values);
        thrift_put_i32(&w, 2, encoding);
        thrift_put_bool(&w, 3, page->is_sorted);
    } else {
        thrift_put_struct(&w, 8);
        thrift_put_i32(&w, 1, values);
        thrift_put_i32(&w, 2, (int32_t)page->null_count);
        thrift_put_i32(&w, 3, values);
        thrift_put_i32(&w, 4, encoding);
        thrift_put_i32(&w, 5, (int32_t)page->level_bytes);
        thrift_put_i32(&w, 6, 0);
        thrift_put_bool(&w, 7, is_compressed);
    }
    thrift_end(&w);
    thrift_end(&w);
}

/* Compresses the page and adds it to the chunk. */
static status writer_chunk_add_page(chunk_writer *c, const page_parts *page)
{
    pq_codec codec = c->column->codec;
    if (page->body_bytes > INT_MAX / 2 || page->level_bytes > INT_MAX / 2)
        return status_new(STATUS_KIND_LIMIT, "a page of %llu bytes is too large for Parquet",
                          (unsigned long long)page->body_bytes);
    const uint8_t *stored = page->body;
    uint64_t stored_bytes = page->body_bytes;
    bool is_compressed = codec != PQ_CODEC_NONE;
    if (is_compressed) {
        pq_buffer *packed = &c->scratch->packed;
        pq_buffer_clear(packed);
        TRY(pq_compress(codec, c->column->codec_level, page->body, page->body_bytes, packed));
        if (page->type == PQ_PAGE_DATA_V2 && packed->count >= page->body_bytes) {
            is_compressed = false;
        } else {
            stored = packed->items;
            stored_bytes = packed->count;
        }
    }
    uint32_t checksum = 0;
    if (c->options->checksums) {
        if (page->level_bytes)
            checksum = codec_checksum(c->options->isa, checksum, page->levels, page->level_bytes);
        if (stored_bytes)
            checksum = codec_checksum(c->options->isa, checksum, stored, stored_bytes);
    }
    pq_buffer *out = &c->out->bytes;
    size_t start = out->count;
    write_header(page, stored_bytes, c->options->checksums, checksum, is_compressed, out);
    c->out->uncompressed_bytes += out->count - start + page->level_bytes + page->body_bytes;
    pq_buffer_add(out, page->levels, page->level_bytes);
    pq_buffer_add(out, stored, stored_bytes);
    return pq_buffer_check(out, "column chunk");
}

/* ---- dictionary ---- */

static status choose_encoding(chunk_writer *c)
{
    const pq_column_options *options = &c->column->options;
    bool is_demanded = options->has_encoding && (options->encoding == PQ_RLE_DICTIONARY ||
                                                 options->encoding == PQ_PLAIN_DICTIONARY);
    bool may_try = !options->no_dictionary && (!options->has_encoding || is_demanded) &&
                   c->dense.count && pq_encoding_fits(PQ_RLE_DICTIONARY, c->dense.physical);
    bool pays = false;
    if (may_try)
        TRY(pq_dictionary_build(&c->dense, c->options->page_bytes, is_demanded, &c->dictionary,
                                &pays));
    c->encoding = pays                                    ? PQ_RLE_DICTIONARY
                  : options->has_encoding && !is_demanded ? options->encoding
                                                          : PQ_PLAIN;
    return STATUS_OK;
}

static status add_dictionary_page(chunk_writer *c)
{
    pq_buffer *body = &c->scratch->body;
    pq_buffer_clear(body);
    pq_encode_plain(&c->dictionary.distinct, body);
    TRY(pq_buffer_check(body, "dictionary page"));
    page_parts page = {.type = PQ_PAGE_DICTIONARY,
                       .encoding = PQ_PLAIN,
                       .value_count = c->dictionary.distinct.count,
                       .is_sorted = c->dictionary.is_sorted,
                       .body = body->items,
                       .body_bytes = body->count};
    TRY(writer_chunk_add_page(c, &page));
    c->out->data_offset = c->out->bytes.count;
    c->out->encodings |= 1u << PQ_PLAIN;
    return STATUS_OK;
}

/* ---- data pages ---- */

static uint64_t count_bits(const uint64_t *bits, uint64_t first, uint64_t count)
{
    uint64_t total = 0;
    for (uint64_t at = first, end = first + count; at < end;) {
        unsigned skip = at % 64, width = 64 - skip < end - at ? 64 - skip : (unsigned)(end - at);
        uint64_t word = bits[at / 64] >> skip;
        total +=
            (uint64_t)__builtin_popcountll(width < 64 ? word & (((uint64_t)1 << width) - 1) : word);
        at += width;
    }
    return total;
}

/* Values among rows [row, row + count). */
static uint64_t values_among(const chunk_writer *c, uint64_t row, uint64_t count)
{
    if (c->is_all_null)
        return 0;
    return c->validity ? count_bits(c->validity, row, count) : count;
}

/* How many rows from `row` on make a page; the first of them has dense value `at`. */
static uint64_t page_row_count(const chunk_writer *c, uint64_t row, uint64_t at)
{
    uint64_t most = c->row_count - row, bytes = 0, rows = 0;
    if (c->options->page_rows && c->options->page_rows < most)
        most = c->options->page_rows;
    if (most > INT_MAX / 2)
        most = INT_MAX / 2;
    if (c->dense.physical != PQ_BYTE_ARRAY || c->dictionary.codes) {
        uint64_t bits = c->dictionary.codes ? pq_code_width(c->dictionary.distinct.count)
                        : c->dense.physical == PQ_BOOLEAN ? 1
                                                          : 8 * pq_dense_stride(&c->dense);
        rows = c->options->page_bytes * 8 / bits;
        return rows < 1 ? 1 : rows < most ? rows : most;
    }
    const string_view *views = c->dense.values;
    for (; rows < most && bytes < c->options->page_bytes; rows++)
        if (!c->validity || (c->validity[(row + rows) / 64] >> (row + rows) % 64 & 1))
            bytes += 4 + (uint64_t)views[at++].bytes;
    return rows ? rows : 1;
}

static void add_levels(const chunk_writer *c, uint64_t row, uint64_t rows, pq_buffer *out)
{
    if (c->validity) {
        pq_encode_hybrid_bits(c->validity, row, rows, out);
    } else {
        pq_buffer_add_varint(out, rows << 1);
        pq_buffer_add_byte(out, !c->is_all_null);
    }
}

/* Levels and values of a page into `body`; *out_level_bytes: what of it is levels. */
static status encode_page(const chunk_writer *c, uint64_t row, uint64_t rows, uint64_t at,
                          uint64_t values, pq_buffer *body, uint64_t *out_level_bytes)
{
    bool has_length = !c->options->page_v2;
    *out_level_bytes = 0;
    if (c->column->is_nullable) {
        uint32_t length = 0;
        if (has_length)
            pq_buffer_add(body, &length, 4);
        add_levels(c, row, rows, body);
        TRY(pq_buffer_check(body, "page"));
        *out_level_bytes = body->count;
        length = (uint32_t)body->count - 4;
        if (has_length)
            memcpy(body->items, &length, 4);
    }
    if (c->dictionary.codes) {
        unsigned width = pq_code_width(c->dictionary.distinct.count);
        pq_buffer_add_byte(body, (uint8_t)width);
        pq_encode_hybrid(c->dictionary.codes + at, values, width, body);
    } else {
        pq_dense slice = pq_dense_slice(&c->dense, at, values);
        pq_encode(c->encoding, &slice, body);
    }
    return pq_buffer_check(body, "page");
}

static status writer_chunk_add_data_page(chunk_writer *c, uint64_t row, uint64_t rows, uint64_t at,
                                         uint64_t values)
{
    pq_buffer *body = &c->scratch->body;
    page_parts page = {.type = c->options->page_v2 ? PQ_PAGE_DATA_V2 : PQ_PAGE_DATA,
                       .encoding = c->encoding,
                       .value_count = rows,
                       .null_count = rows - values};
    pq_buffer_clear(body);
    bool is_in_place = !c->column->is_nullable && c->encoding == PQ_PLAIN && c->dense.values &&
                       c->dense.physical != PQ_BOOLEAN && c->dense.physical != PQ_BYTE_ARRAY;
    uint64_t levels = 0;
    if (is_in_place) {
        pq_dense slice = pq_dense_slice(&c->dense, at, values);
        page.body = slice.values;
        page.body_bytes = values * pq_dense_stride(&slice);
    } else {
        TRY(encode_page(c, row, rows, at, values, body, &levels));
        page.level_bytes = c->options->page_v2 ? levels : 0;
        page.levels = body->items;
        page.body = body->items + page.level_bytes;
        page.body_bytes = body->count - page.level_bytes;
    }
    pq_written_page record = {.offset = c->out->bytes.count, .first_row = row, .row_count = rows};
    TRY(writer_chunk_add_page(c, &page));
    record.bytes = c->out->bytes.count - record.offset;
    record.statistics.null_count = rows - values;
    return array_push(NULL, &c->out->pages, record);
}

static status add_data_pages(chunk_writer *c)
{
    uint64_t row = 0, at = 0;
    while (row < c->row_count) {
        uint64_t rows = page_row_count(c, row, at);
        uint64_t values = values_among(c, row, rows);
        TRY(writer_chunk_add_data_page(c, row, rows, at, values));
        row += rows;
        at += values;
    }
    return STATUS_OK;
}

/* ---- statistics and filter ---- */

static void writer_chunk_measure(chunk_writer *c)
{
    pq_written_statistics *s = &c->out->statistics;
    bool is_coded = c->dictionary.codes != NULL;
    pq_measure(c->column, is_coded ? &c->dictionary.distinct : &c->dense, s);
    s->null_count = c->row_count - c->dense.count;
    s->distinct_count = is_coded ? c->dictionary.distinct.count : 0;
    uint64_t at = 0;
    for (size_t i = 0; i < c->out->pages.count; i++) {
        pq_written_page *page = &c->out->pages.items[i];
        uint64_t nulls = page->statistics.null_count, values = page->row_count - nulls;
        if (c->out->pages.count == 1) {
            page->statistics = *s;
        } else if (c->options->page_index) {
            pq_dense slice = pq_dense_slice(&c->dense, at, values);
            pq_measure(c->column, &slice, &page->statistics);
        }
        at += values;
    }
}

static status writer_chunk_make_bloom(chunk_writer *c)
{
    const pq_dense *dense = c->dictionary.codes ? &c->dictionary.distinct : &c->dense;
    uint32_t bytes = pq_bloom_bytes(dense->count), stride = pq_dense_stride(dense);
    pq_buffer *out = &c->out->bloom;
    pq_bloom_header_write(out, bytes);
    uint8_t *blocks = pq_buffer_room(out, bytes);
    if (!blocks)
        return status_no_memory("Bloom filter", bytes);
    memset(blocks, 0, bytes);
    for (uint64_t i = 0; i < dense->count; i++) {
        const char *value = (const char *)dense->values + i * stride;
        const string_view *view = (const string_view *)dense->values + i;
        bool is_text = dense->physical == PQ_BYTE_ARRAY;
        pq_bloom_insert(blocks, bytes,
                        is_text ? pq_bloom_hash(string_data(view), view->bytes)
                                : pq_bloom_hash(value, stride));
    }
    out->count += bytes;
    return STATUS_OK;
}

static status encode(chunk_writer *c, const pq_column_values *values)
{
    TRY(pq_stage(c->column, values, c->row_count, &c->scratch->staged, &c->dense));
    if (c->dense.count < c->row_count && !c->column->is_nullable)
        return status_new(STATUS_KIND_DATA, "the column has a NULL and is declared without");
    TRY(choose_encoding(c));
    if (c->dictionary.codes)
        TRY(add_dictionary_page(c));
    TRY(add_data_pages(c));
    c->out->value_count = c->row_count;
    c->out->data_encoding = c->encoding;
    c->out->encodings |= 1u << c->encoding;
    if (c->column->is_nullable)
        c->out->encodings |= 1u << PQ_RLE;
    writer_chunk_measure(c);
    if (c->column->options.bloom_filter && c->dense.physical != PQ_BOOLEAN && c->dense.count)
        TRY(writer_chunk_make_bloom(c));
    return STATUS_OK;
}

status pq_chunk_encode(const writer_column *column, const pq_writer_options *options,
                       const pq_column_values *values, uint64_t row_count,
                       pq_chunk_scratch *scratch, pq_written_chunk *out)
{
    *out = (pq_written_chunk){.codec = column->codec};
    chunk_writer c = {.column = column,
                      .options = options,
                      .validity = values->validity,
                      .is_all_null = column->type.id == TYPE_NULL,
                      .row_count = row_count,
                      .scratch = scratch,
                      .out = out};
    if (c.is_all_null)
        c.validity = NULL;
    status st = encode(&c, values);
    pq_dictionary_release(&c.dictionary);
    if (st)
        pq_chunk_release(out);
    return status_context(st, "column \"%s\"", column->name);
}

void pq_chunk_release(pq_written_chunk *chunk)
{
    pq_buffer_release(&chunk->bytes);
    pq_buffer_release(&chunk->bloom);
    array_release(&chunk->pages);
    array_release(&chunk->trials);
}

void pq_chunk_scratch_release(pq_chunk_scratch *scratch)
{
    pq_buffer_release(&scratch->staged);
    pq_buffer_release(&scratch->body);
    pq_buffer_release(&scratch->packed);
}
