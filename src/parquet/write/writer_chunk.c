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
#include "parquet/write/writer_shred.h"
#include "parquet/write/writer_stage.h"
#include "parquet/write/writer_statistics.h"

#include <limits.h>

typedef struct chunk_writer {
    const writer_column *column;
    const pq_writer_options *options;
    const uint64_t *validity; /* NULL: each row has a value, unless is_all_null */
    bool is_all_null;
    uint64_t row_count;
    pq_shredded nested; /* of a nested column's leaf: its levels and values */
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
    uint64_t row_count, value_count, null_count;
    bool is_sorted; /* dictionary */
    const uint8_t *levels, *body;
    uint64_t level_bytes, body_bytes;
    uint64_t repetition_bytes; /* of the levels */
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
        thrift_put_i32(&w, 3, (int32_t)page->row_count);
        thrift_put_i32(&w, 4, encoding);
        thrift_put_i32(&w, 5, (int32_t)(page->level_bytes - page->repetition_bytes));
        thrift_put_i32(&w, 6, (int32_t)page->repetition_bytes);
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

/* ---- pages of a leaf ---- */

static unsigned level_width(unsigned most)
{
    unsigned width = 0;
    for (; most; most >>= 1)
        width++;
    return width;
}

/* Adds levels of entries, led by their length in pages of version 1. */
static status add_nested_levels(const chunk_writer *c, const uint8_t *levels, uint64_t count,
                                unsigned most, pq_buffer *body)
{
    pq_buffer *codes = &c->scratch->packed;
    uint32_t length = 0;
    if (!most)
        return STATUS_OK;
    pq_buffer_clear(codes);
    uint32_t *numbers = (uint32_t *)(void *)pq_buffer_room(codes, count * sizeof *numbers + 4);
    if (!numbers)
        return status_no_memory("levels", count * sizeof *numbers);
    for (uint64_t i = 0; i < count; i++)
        numbers[i] = levels[i];
    size_t start = body->count;
    if (!c->options->page_v2)
        pq_buffer_add(body, &length, 4);
    size_t first = body->count;
    pq_encode_hybrid(numbers, count, level_width(most), body);
    TRY(pq_buffer_check(body, "page"));
    length = (uint32_t)(body->count - first);
    if (!c->options->page_v2)
        memcpy(body->items + start, &length, 4);
    return STATUS_OK;
}

static bool is_value(const chunk_writer *c, uint64_t entry)
{
    return c->nested.definition.items[entry] == c->column->leaf.max_definition;
}

static bool begins_row(const chunk_writer *c, uint64_t entry)
{
    return !c->column->leaf.max_repetition || !c->nested.repetition.items[entry];
}

/* Bits that the entry's value takes, which is number `at` of the values. */
static uint64_t bits_of_value(const chunk_writer *c, uint64_t at)
{
    if (c->dictionary.codes)
        return pq_code_width(c->dictionary.distinct.count);
    if (c->dense.physical == PQ_BYTE_ARRAY)
        return 8 * (4 + (uint64_t)((const string_view *)c->dense.values)[at].bytes);
    return c->dense.physical == PQ_BOOLEAN ? 1 : 8 * pq_dense_stride(&c->dense);
}

/* The part of a chunk's entries that is one page. */
typedef struct entry_range {
    uint64_t first, count, rows, values;
} entry_range;

/* Finds the entries of the next page: of whole rows. */
static entry_range writer_chunk_next_page(const chunk_writer *c, uint64_t first, uint64_t at)
{
    entry_range page = {.first = first};
    uint64_t bits = 0, all = c->nested.definition.count;
    for (uint64_t i = first; i < all; i++) {
        bool is_row = begins_row(c, i);
        bool is_full = bits >= 8 * c->options->page_bytes ||
                       (c->options->page_rows && page.rows == c->options->page_rows) ||
                       page.count >= INT_MAX / 2;
        if (is_row && is_full && page.count)
            break;
        page.rows += is_row;
        page.count++;
        bits += level_width(c->column->leaf.max_definition);
        if (is_value(c, i))
            bits += bits_of_value(c, at + page.values++);
    }
    return page;
}

static void add_values(const chunk_writer *c, uint64_t at, uint64_t values, pq_buffer *body)
{
    if (c->dictionary.codes) {
        unsigned width = pq_code_width(c->dictionary.distinct.count);
        pq_buffer_add_byte(body, (uint8_t)width);
        pq_encode_hybrid(c->dictionary.codes + at, values, width, body);
    } else {
        pq_dense slice = pq_dense_slice(&c->dense, at, values);
        pq_encode(c->encoding, &slice, body);
    }
}

static status add_nested_page(chunk_writer *c, uint64_t row, entry_range range, uint64_t at)
{
    pq_buffer *body = &c->scratch->body;
    const pq_shredded *nested = &c->nested;
    page_parts page = {.type = c->options->page_v2 ? PQ_PAGE_DATA_V2 : PQ_PAGE_DATA,
                       .encoding = c->encoding,
                       .row_count = range.rows,
                       .value_count = range.count,
                       .null_count = range.count - range.values};
    pq_buffer_clear(body);
    TRY(add_nested_levels(c, nested->repetition.items + range.first, range.count,
                          c->column->leaf.max_repetition, body));
    page.repetition_bytes = body->count;
    TRY(add_nested_levels(c, nested->definition.items + range.first, range.count,
                          c->column->leaf.max_definition, body));
    page.level_bytes = c->options->page_v2 ? body->count : 0;
    add_values(c, at, range.values, body);
    TRY(pq_buffer_check(body, "page"));
    page.levels = body->items;
    page.body = body->items + page.level_bytes;
    page.body_bytes = body->count - page.level_bytes;
    pq_written_page record = {.offset = c->out->bytes.count,
                              .first_row = row,
                              .row_count = range.rows,
                              .value_count = range.count};
    TRY(writer_chunk_add_page(c, &page));
    record.bytes = c->out->bytes.count - record.offset;
    record.statistics.null_count = page.null_count;
    return array_push(NULL, &c->out->pages, record);
}

static status add_nested_pages(chunk_writer *c)
{
    uint64_t row = 0, at = 0;
    for (uint64_t first = 0; first < c->nested.definition.count;) {
        entry_range page = writer_chunk_next_page(c, first, at);
        TRY(add_nested_page(c, row, page, at));
        first += page.count;
        row += page.rows;
        at += page.values;
    }
    return STATUS_OK;
}

/* ---- pages of a column ---- */

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
    add_values(c, at, values, body);
    return pq_buffer_check(body, "page");
}

static status writer_chunk_add_data_page(chunk_writer *c, uint64_t row, uint64_t rows, uint64_t at,
                                         uint64_t values)
{
    pq_buffer *body = &c->scratch->body;
    page_parts page = {.type = c->options->page_v2 ? PQ_PAGE_DATA_V2 : PQ_PAGE_DATA,
                       .encoding = c->encoding,
                       .row_count = rows,
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
    pq_written_page record = {
        .offset = c->out->bytes.count, .first_row = row, .row_count = rows, .value_count = rows};
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
    s->null_count = c->out->value_count - c->dense.count;
    s->distinct_count = is_coded ? c->dictionary.distinct.count : 0;
    uint64_t at = 0;
    for (size_t i = 0; i < c->out->pages.count; i++) {
        pq_written_page *page = &c->out->pages.items[i];
        uint64_t nulls = page->statistics.null_count, values = page->value_count - nulls;
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

/* The values of a leaf, in their order, and its levels. */
static status stage_leaf(chunk_writer *c, const pq_column_values *rows)
{
    TRY(pq_shred(&c->column->leaf, rows->values, rows->validity, c->row_count, &c->nested));
    pq_column_values values = {.values = c->nested.values.items};
    return pq_stage(c->column, &values, c->nested.value_count, &c->scratch->staged, &c->dense);
}

static status writer_chunk_encode(chunk_writer *c, const pq_column_values *values)
{
    bool is_nested = type_is_nested(c->column->leaf.top);
    if (is_nested)
        TRY(stage_leaf(c, values));
    else
        TRY(pq_stage(c->column, values, c->row_count, &c->scratch->staged, &c->dense));
    if (c->dense.count < c->row_count && !c->column->is_nullable)
        return status_new(STATUS_KIND_DATA, "the column has a NULL and is declared without");
    TRY(choose_encoding(c));
    if (c->dictionary.codes)
        TRY(add_dictionary_page(c));
    TRY(is_nested ? add_nested_pages(c) : add_data_pages(c));
    c->out->value_count = is_nested ? c->nested.definition.count : c->row_count;
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
    status st = writer_chunk_encode(&c, values);
    pq_dictionary_release(&c.dictionary);
    pq_shredded_release(&c.nested);
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
