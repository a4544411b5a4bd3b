/* metadata.c - parses footers: row groups, column chunks and what holds them together. */
#include "parquet/format/metadata.h"

#include "codec/codec.h"
#include "parquet/format/schema.h"
#include "parquet/format/statistics.h"

#include <inttypes.h>
#include <stdio.h>

/* ---- column chunks ---- */

/* A chunk's own words, until they are checked. */
typedef struct raw_chunk {
    bool has_metadata, is_elsewhere, is_encrypted;
    int64_t physical, codec, data_offset, dictionary_offset;
    int64_t value_count, compressed_bytes, uncompressed_bytes;
    int64_t column_index[2], offset_index[2], bloom[2]; /* offset, bytes */
} raw_chunk;

static void read_encodings(thrift_reader *r, const thrift_field *field, uint32_t *out)
{
    thrift_type type;
    uint32_t count = thrift_list(r, field, &type);
    thrift_field item = thrift_element(type);
    for (uint32_t i = 0; i < count && !r->is_broken; i++) {
        int64_t encoding = thrift_int(r, &item);
        if (encoding >= 0 && encoding < 32)
            *out |= 1u << encoding;
    }
}

static void read_chunk_metadata(arena *a, thrift_reader *r, const thrift_field *outer,
                                const pq_leaf *leaf, raw_chunk *raw, pq_column_chunk *chunk)
{
    thrift_field f = {0};
    if (!thrift_enter(r, outer))
        return;
    raw->has_metadata = true;
    while (thrift_next(r, &f)) {
        switch (f.id) {
        case 1:
            raw->physical = thrift_int(r, &f);
            break;
        case 2:
            read_encodings(r, &f, &chunk->encodings);
            break;
        case 4:
            raw->codec = thrift_int(r, &f);
            break;
        case 5:
            raw->value_count = thrift_int(r, &f);
            break;
        case 6:
            raw->uncompressed_bytes = thrift_int(r, &f);
            break;
        case 7:
            raw->compressed_bytes = thrift_int(r, &f);
            break;
        case 9:
            raw->data_offset = thrift_int(r, &f);
            break;
        case 11:
            raw->dictionary_offset = thrift_int(r, &f);
            break;
        case 12:
            pq_statistics_read(a, r, &f, leaf, &chunk->statistics);
            break;
        case 14:
            raw->bloom[0] = thrift_int(r, &f);
            break;
        case 15:
            raw->bloom[1] = thrift_int(r, &f);
            break;
        default:
            thrift_skip(r, &f);
        }
    }
    thrift_leave(r);
}

static void metadata_read_chunk(arena *a, thrift_reader *r, const thrift_field *outer,
                                const pq_leaf *leaf, raw_chunk *raw, pq_column_chunk *chunk)
{
    thrift_field f = {0};
    if (!thrift_enter(r, outer))
        return;
    while (thrift_next(r, &f)) {
        switch (f.id) {
        case 1:
            raw->is_elsewhere = *pq_text_read(a, r, &f) != 0;
            break;
        case 3:
            read_chunk_metadata(a, r, &f, leaf, raw, chunk);
            break;
        case 4:
            raw->offset_index[0] = thrift_int(r, &f);
            break;
        case 5:
            raw->offset_index[1] = thrift_int(r, &f);
            break;
        case 6:
            raw->column_index[0] = thrift_int(r, &f);
            break;
        case 7:
            raw->column_index[1] = thrift_int(r, &f);
            break;
        case 8:
            raw->is_encrypted = true;
            thrift_skip(r, &f);
            break;
        default:
            thrift_skip(r, &f);
        }
    }
    thrift_leave(r);
}

/* An index that lies outside the file is passed over: it only saves work. */
static pq_range range_within(const int64_t stored[2], uint64_t file_bytes)
{
    uint64_t offset = (uint64_t)stored[0], bytes = (uint64_t)stored[1];
    if (stored[0] <= 0 || stored[1] < 0 || offset > file_bytes || bytes > file_bytes - offset)
        return (pq_range){0};
    return (pq_range){offset, bytes};
}

static status check_chunk(const raw_chunk *raw, const pq_leaf *leaf, uint64_t row_count,
                          uint64_t file_bytes, pq_column_chunk *chunk)
{
    if (raw->is_encrypted)
        return status_new(STATUS_KIND_UNSUPPORTED, "it is encrypted");
    if (raw->is_elsewhere)
        return status_new(STATUS_KIND_UNSUPPORTED, "its data is in another file");
    if (!raw->has_metadata)
        return status_new(STATUS_KIND_CORRUPT, "it has no metadata");
    if (raw->physical != (int64_t)leaf->physical)
        return status_new(STATUS_KIND_CORRUPT,
                          "it has physical type %" PRId64 ", the schema says %d", raw->physical,
                          (int)leaf->physical);
    if (raw->codec < 0 || raw->codec > INT32_MAX || !codec_is_known((int)raw->codec))
        return status_new(STATUS_KIND_UNSUPPORTED, "codec %" PRId64 " (%s) is not supported",
                          raw->codec, codec_name((int)raw->codec));
    if (raw->value_count < 0 || (!leaf->max_repetition && (uint64_t)raw->value_count != row_count))
        return status_new(STATUS_KIND_CORRUPT, "it has %" PRId64 " values for %" PRIu64 " rows",
                          raw->value_count, row_count);
    /* Some writers store a dictionary alone for an empty row group, and 0 as the data pages' place. */
    bool has_dictionary = raw->dictionary_offset > 0 &&
                          (raw->dictionary_offset < raw->data_offset || !raw->data_offset);
    int64_t start = has_dictionary ? raw->dictionary_offset : raw->data_offset;
    if (start < 0 || raw->compressed_bytes < 0 || raw->uncompressed_bytes < 0 ||
        (uint64_t)start > file_bytes ||
        (uint64_t)raw->compressed_bytes > file_bytes - (uint64_t)start)
        return status_new(STATUS_KIND_CORRUPT,
                          "its %" PRId64 " bytes from byte %" PRId64
                          " on lie outside the file, which has %" PRIu64,
                          raw->compressed_bytes, start, file_bytes);
    chunk->codec = (pq_codec)raw->codec;
    chunk->value_count = (uint64_t)raw->value_count;
    chunk->offset = (uint64_t)start;
    chunk->compressed_bytes = (uint64_t)raw->compressed_bytes;
    chunk->uncompressed_bytes = (uint64_t)raw->uncompressed_bytes;
    chunk->has_dictionary = raw->dictionary_offset > 0;
    chunk->column_index = range_within(raw->column_index, file_bytes);
    chunk->offset_index = range_within(raw->offset_index, file_bytes);
    chunk->bloom = range_within(raw->bloom, file_bytes);
    pq_statistics_settle(leaf, chunk->value_count, &chunk->statistics);
    return STATUS_OK;
}

/* ---- row groups ---- */

/* The chunks before their checks, which need the row count behind them. */
static status read_chunks(arena *a, thrift_reader *r, const thrift_field *field,
                          const pq_metadata *m, pq_row_group *group, raw_chunk *raw)
{
    thrift_type type;
    uint32_t count = thrift_list(r, field, &type);
    if (r->is_broken)
        return STATUS_OK; /* reported by the caller */
    if (count != m->leaf_count)
        return status_new(STATUS_KIND_CORRUPT, "it has %u columns, the schema has %u", count,
                          m->leaf_count);
    group->chunks = arena_alloc_array(a, (size_t)count + 1, sizeof *group->chunks);
    if (!group->chunks)
        return status_no_memory("row group", count * sizeof *group->chunks);
    for (uint32_t i = 0; i < count && !r->is_broken; i++) {
        thrift_field item = thrift_element(type);
        raw[i] = (raw_chunk){0};
        group->chunks[i].statistics = (pq_statistics){.null_count = -1, .distinct_count = -1};
        metadata_read_chunk(a, r, &item, &m->leaves[i], &raw[i], &group->chunks[i]);
    }
    return STATUS_OK;
}

static status check_row_group(const pq_metadata *m, int64_t row_count, uint64_t file_bytes,
                              const raw_chunk *raw, pq_row_group *group)
{
    if (!group->chunks)
        return status_new(STATUS_KIND_CORRUPT, "it has no columns");
    if (row_count < 0)
        return status_new(STATUS_KIND_CORRUPT, "it has %" PRId64 " rows", row_count);
    group->row_count = (uint64_t)row_count;
    group->offset = m->leaf_count ? UINT64_MAX : 0;
    for (uint32_t c = 0; c < m->leaf_count; c++) {
        pq_column_chunk *chunk = &group->chunks[c];
        status st = check_chunk(&raw[c], &m->leaves[c], group->row_count, file_bytes, chunk);
        if (st)
            return status_context(st, "column \"%s\"", m->leaves[c].name);
        group->offset = chunk->offset < group->offset ? chunk->offset : group->offset;
        group->compressed_bytes += chunk->compressed_bytes;
        group->uncompressed_bytes += chunk->uncompressed_bytes;
    }
    return STATUS_OK;
}

static status read_row_group(arena *a, thrift_reader *r, const thrift_field *outer,
                             const pq_metadata *m, uint64_t file_bytes, raw_chunk *raw,
                             pq_row_group *group)
{
    int64_t row_count = -1;
    thrift_field f = {0};
    if (!thrift_enter(r, outer))
        return STATUS_OK;
    while (thrift_next(r, &f)) {
        if (f.id == 3)
            row_count = thrift_int(r, &f);
        else if (f.id == 1)
            TRY(read_chunks(a, r, &f, m, group, raw));
        else
            thrift_skip(r, &f);
    }
    thrift_leave(r);
    return r->is_broken ? STATUS_OK : check_row_group(m, row_count, file_bytes, raw, group);
}

static status read_row_groups(arena *a, thrift_reader *r, const thrift_field *field,
                              uint64_t file_bytes, pq_metadata *m)
{
    thrift_type type;
    uint32_t count = thrift_list(r, field, &type);
    m->row_groups = arena_alloc_array(a, (size_t)count + 1, sizeof *m->row_groups);
    raw_chunk *raw = mem_new_array((size_t)m->leaf_count + 1, sizeof *raw);
    status st =
        m->row_groups && raw ? STATUS_OK : status_no_memory("row groups", count * sizeof *raw);
    for (uint32_t i = 0; i < count && !st && !r->is_broken; i++) {
        thrift_field item = thrift_element(type);
        st = read_row_group(a, r, &item, m, file_bytes, raw, &m->row_groups[i]);
        st = status_context(st, "row group %u", i);
    }
    mem_free(raw);
    m->row_group_count = count;
    return st;
}

/* Once all fields are read: hostile footers repeat them. */
static status check_row_count(const pq_metadata *m)
{
    uint64_t rows = 0;
    for (uint32_t i = 0; i < m->row_group_count; i++)
        if (__builtin_add_overflow(rows, m->row_groups[i].row_count, &rows))
            return status_new(STATUS_KIND_CORRUPT, "row group %u has an impossible row count", i);
    if (rows != m->row_count)
        return status_new(STATUS_KIND_CORRUPT,
                          "the row groups have %" PRIu64 " rows, the footer says %" PRIu64, rows,
                          m->row_count);
    return STATUS_OK;
}

/* ---- the rest ---- */

static status read_key_values(arena *a, thrift_reader *r, const thrift_field *field, pq_metadata *m)
{
    thrift_type type;
    uint32_t count = thrift_list(r, field, &type);
    m->key_values = arena_alloc_array(a, (size_t)count + 1, sizeof *m->key_values);
    if (!m->key_values)
        return status_no_memory("key-value metadata", count * sizeof *m->key_values);
    for (uint32_t i = 0; i < count && !r->is_broken; i++) {
        thrift_field item = thrift_element(type), f = {0};
        m->key_values[i].key = "";
        if (!thrift_enter(r, &item))
            break;
        while (thrift_next(r, &f)) {
            if (f.id == 1)
                m->key_values[i].key = pq_text_read(a, r, &f);
            else if (f.id == 2)
                thrift_binary(r, &f, &m->key_values[i].value_bytes);
            else
                thrift_skip(r, &f);
        }
        thrift_leave(r);
    }
    m->key_value_count = count;
    return STATUS_OK;
}

/* Drops bounds whose order is not declared to be the type's own. */
static void drop_unordered(pq_metadata *m, uint32_t leaf)
{
    for (uint32_t g = 0; g < m->row_group_count; g++) {
        pq_column_chunk *chunk = &m->row_groups[g].chunks[leaf];
        pq_statistics_forget_bounds(&chunk->statistics);
        chunk->column_index = (pq_range){0};
    }
}

typedef enum column_order {
    ORDER_NOT_SAID,
    ORDER_OF_TYPE,
    ORDER_UNKNOWN, /* one that came after this program, or there are not as many orders as leaves */
} column_order;

/* One order per leaf; 1: the type's own. */
static void read_column_orders(thrift_reader *r, const thrift_field *field, const pq_metadata *m,
                               column_order *orders)
{
    thrift_type type;
    uint32_t count = thrift_list(r, field, &type);
    for (uint32_t i = 0; i < m->leaf_count; i++)
        orders[i] = ORDER_UNKNOWN;
    for (uint32_t i = 0; i < count && !r->is_broken; i++) {
        thrift_field item = thrift_element(type), f = {0};
        if (!thrift_enter(r, &item))
            return;
        while (thrift_next(r, &f)) {
            if (f.id == 1 && count == m->leaf_count)
                orders[i] = ORDER_OF_TYPE;
            thrift_skip(r, &f);
        }
        thrift_leave(r);
    }
}

static bool metadata_has_order(const pq_leaf *leaf, column_order order)
{
    return order == ORDER_OF_TYPE || (order == ORDER_NOT_SAID && !pq_needs_column_order(leaf));
}

/* Until version 1.2.8 parquet-mr left the dictionary page's header out of a chunk's bytes (PARQUET-816). */
static bool has_short_chunks(const char *created_by)
{
    unsigned major, minor, patch;
    return sscanf(created_by, "parquet-mr version %u.%u.%u", &major, &minor, &patch) == 3 &&
           major == 1 && (minor < 2 || (minor == 2 && patch <= 8));
}

/* More than such a header has. */
#define SHORT_BYTES 100

static void add_spare_bytes(pq_metadata *m, uint64_t file_bytes)
{
    for (uint32_t g = 0; g < m->row_group_count; g++)
        for (uint32_t c = 0; c < m->leaf_count; c++) {
            pq_column_chunk *chunk = &m->row_groups[g].chunks[c];
            uint64_t left = file_bytes - chunk->offset - chunk->compressed_bytes;
            chunk->spare_bytes = left < SHORT_BYTES ? (uint32_t)left : SHORT_BYTES;
        }
}

static status read_metadata(arena *a, thrift_reader *r, uint64_t file_bytes, pq_metadata *m)
{
    bool has_row_groups = false;
    column_order *orders = NULL;
    thrift_field f = {0};
    int64_t rows;
    while (thrift_next(r, &f)) {
        switch (f.id) {
        case 1:
            m->version = thrift_int(r, &f);
            break;
        case 2:
            if (m->leaves)
                return status_new(STATUS_KIND_CORRUPT, "the footer has two schemas");
            TRY(pq_schema_read(a, r, &f, m));
            orders = arena_alloc_array(a, (size_t)m->leaf_count + 1, sizeof *orders);
            if (!orders)
                return status_no_memory("schema", m->leaf_count * sizeof *orders);
            break;
        case 3:
            rows = thrift_int(r, &f);
            if (rows < 0)
                return status_new(STATUS_KIND_CORRUPT, "the footer says %" PRId64 " rows", rows);
            m->row_count = (uint64_t)rows;
            break;
        case 4:
            if (!m->leaves || has_row_groups)
                return status_new(STATUS_KIND_CORRUPT,
                                  "the footer's row groups are not behind its schema, once");
            has_row_groups = true;
            TRY(read_row_groups(a, r, &f, file_bytes, m));
            break;
        case 5:
            TRY(read_key_values(a, r, &f, m));
            break;
        case 6:
            m->created_by = pq_text_read(a, r, &f);
            break;
        case 7:
            if (orders)
                read_column_orders(r, &f, m, orders);
            else
                thrift_skip(r, &f);
            break;
        default:
            thrift_skip(r, &f);
        }
    }
    if (r->is_broken || !m->leaves || !has_row_groups)
        return status_new(STATUS_KIND_CORRUPT,
                          "the footer breaks off or is damaged at its byte %zu",
                          (size_t)(r->at - r->start));
    TRY(check_row_count(m));
    if (has_short_chunks(m->created_by))
        add_spare_bytes(m, file_bytes);
    for (uint32_t i = 0; i < m->leaf_count; i++)
        if (!metadata_has_order(&m->leaves[i], orders[i]))
            drop_unordered(m, i);
    return STATUS_OK;
}

status pq_metadata_parse(arena *a, const void *footer, size_t footer_bytes, uint64_t file_bytes,
                         pq_metadata **out)
{
    *out = NULL;
    thrift_reader r = thrift_reader_make(footer, footer_bytes);
    pq_metadata *m = arena_alloc(a, sizeof *m);
    if (!m)
        return status_no_memory("footer", sizeof *m);
    m->created_by = "";
    status st = read_metadata(a, &r, file_bytes, m);
    if (st && r.lacks_memory) {
        status_free(st);
        return status_no_memory("footer", footer_bytes);
    }
    TRY(st);
    *out = m;
    return STATUS_OK;
}
