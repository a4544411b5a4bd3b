/* writer_footer.c - the metadata of what was written: column chunks, page indexes, schema. */
#include "parquet/write/writer_footer.h"

#include "base/type/json_type.h"
#include "parquet/format/thrift_write.h"
#include "parquet/write/writer_column.h"
#include "parquet/write/writer_statistics.h"

#include <limits.h>

enum { /* ConvertedType, for readers that do not know LogicalType */
       CONVERTED_NONE = -1,
       CONVERTED_UTF8 = 0,
       CONVERTED_DECIMAL = 5,
       CONVERTED_DATE = 6,
       CONVERTED_INTERVAL = 21,
       CONVERTED_TIMESTAMP_MICROS = 10,
       CONVERTED_UINT_8 = 11,
       CONVERTED_INT_8 = 15,
       CONVERTED_JSON = 19
};
enum { /* members of LogicalType and TimeUnit */
       LOGICAL_STRING = 1,
       LOGICAL_DECIMAL = 5,
       LOGICAL_DATE = 6,
       LOGICAL_TIME = 7,
       LOGICAL_TIMESTAMP = 8,
       LOGICAL_INTEGER = 10,
       LOGICAL_UNKNOWN = 11,
       LOGICAL_JSON = 12,
       LOGICAL_UUID = 14,
       UNIT_MICROS = 2,
       UNIT_NANOS = 3
};

/* ---- column chunks ---- */

static void put_statistics(thrift_writer *w, int16_t id, const pq_written_statistics *s)
{
    thrift_put_struct(w, id);
    thrift_put_i64(w, 3, (int64_t)s->null_count);
    if (s->distinct_count)
        thrift_put_i64(w, 4, (int64_t)s->distinct_count);
    if (s->max.is_known)
        thrift_put_binary(w, 5, s->max.bytes, s->max.count);
    if (s->min.is_known)
        thrift_put_binary(w, 6, s->min.bytes, s->min.count);
    if (s->max.is_known)
        thrift_put_bool(w, 7, s->max.is_exact);
    if (s->min.is_known)
        thrift_put_bool(w, 8, s->min.is_exact);
    thrift_end(w);
}

static void put_encodings(thrift_writer *w, uint32_t encodings)
{
    thrift_put_list(w, 2, THRIFT_I32, (size_t)__builtin_popcount(encodings));
    for (int encoding = 0; encoding < 32; encoding++)
        if (encodings >> encoding & 1)
            thrift_item_int(w, encoding);
}

static void put_page_counts(thrift_writer *w, pq_page_type type, pq_encoding encoding, size_t count)
{
    thrift_item_struct(w);
    thrift_put_i32(w, 1, (int32_t)type);
    thrift_put_i32(w, 2, (int32_t)encoding);
    thrift_put_i32(w, 3, (int32_t)count);
    thrift_end(w);
}

static void put_schema_path(thrift_writer *w, const writer_column *column)
{
    const char *name = column->leaf.path;
    thrift_put_list(w, 3, THRIFT_BINARY, column->leaf.path_count);
    for (uint32_t i = 0; i < column->leaf.path_count; i++, name += strlen(name) + 1)
        thrift_item_binary(w, name, strlen(name));
}

static void write_chunk_metadata(const writer_column *column, const pq_writer_options *options,
                                 const pq_written_chunk *chunk, uint64_t offset,
                                 uint64_t bloom_offset, pq_buffer *out)
{
    thrift_writer w = thrift_writer_make(out);
    thrift_put_i32(&w, 1, (int32_t)column->physical);
    put_encodings(&w, chunk->encodings);
    put_schema_path(&w, column);
    thrift_put_i32(&w, 4, (int32_t)chunk->codec);
    thrift_put_i64(&w, 5, (int64_t)chunk->value_count);
    thrift_put_i64(&w, 6, (int64_t)chunk->uncompressed_bytes);
    thrift_put_i64(&w, 7, (int64_t)chunk->bytes.count);
    thrift_put_i64(&w, 9, (int64_t)(offset + chunk->data_offset));
    if (chunk->data_offset)
        thrift_put_i64(&w, 11, (int64_t)offset);
    if (!column->options.no_statistics)
        put_statistics(&w, 12, &chunk->statistics);
    thrift_put_list(&w, 13, THRIFT_STRUCT, 1 + (chunk->data_offset != 0));
    if (chunk->data_offset)
        put_page_counts(&w, PQ_PAGE_DICTIONARY, PQ_PLAIN, 1);
    put_page_counts(&w, options->page_v2 ? PQ_PAGE_DATA_V2 : PQ_PAGE_DATA, chunk->data_encoding,
                    chunk->pages.count);
    if (chunk->bloom.count) {
        thrift_put_i64(&w, 14, (int64_t)bloom_offset);
        thrift_put_i32(&w, 15, (int32_t)chunk->bloom.count);
    }
    thrift_end(&w);
}

/* ---- page indexes ---- */

static bool is_null_page(const pq_written_page *page)
{
    return page->statistics.null_count == page->value_count;
}

/* A page with values and without bounds (all NaN, say) leaves its chunk without column index. */
static bool has_all_bounds(const pq_written_chunk *chunk)
{
    for (size_t i = 0; i < chunk->pages.count; i++) {
        const pq_written_page *page = &chunk->pages.items[i];
        if (!is_null_page(page) &&
            (!page->statistics.min.is_known || !page->statistics.max.is_known))
            return false;
    }
    return true;
}

/* 1: ascending, 2: descending, 0: neither; NULL pages do not count. */
static int32_t boundary_order(const writer_column *column, const pq_written_chunk *chunk)
{
    bool is_ascending = true, is_descending = true;
    const pq_written_statistics *last = NULL;
    for (size_t i = 0; i < chunk->pages.count; i++) {
        const pq_written_statistics *s = &chunk->pages.items[i].statistics;
        if (is_null_page(&chunk->pages.items[i]))
            continue;
        if (last) {
            int low = pq_bound_compare(column, &last->min, &s->min);
            int high = pq_bound_compare(column, &last->max, &s->max);
            is_ascending &= low <= 0 && high <= 0;
            is_descending &= low >= 0 && high >= 0;
        }
        last = s;
    }
    return is_ascending ? 1 : is_descending ? 2 : 0;
}

static void write_column_index(const writer_column *column, const pq_written_chunk *chunk,
                               pq_buffer *out)
{
    thrift_writer w = thrift_writer_make(out);
    size_t count = chunk->pages.count;
    const pq_written_page *pages = chunk->pages.items;
    thrift_put_list(&w, 1, THRIFT_TRUE, count);
    for (size_t i = 0; i < count; i++)
        thrift_item_bool(&w, is_null_page(&pages[i]));
    thrift_put_list(&w, 2, THRIFT_BINARY, count);
    for (size_t i = 0; i < count; i++)
        thrift_item_binary(&w, pages[i].statistics.min.bytes,
                           is_null_page(&pages[i]) ? 0 : pages[i].statistics.min.count);
    thrift_put_list(&w, 3, THRIFT_BINARY, count);
    for (size_t i = 0; i < count; i++)
        thrift_item_binary(&w, pages[i].statistics.max.bytes,
                           is_null_page(&pages[i]) ? 0 : pages[i].statistics.max.count);
    thrift_put_i32(&w, 4, boundary_order(column, chunk));
    thrift_put_list(&w, 5, THRIFT_I64, count);
    for (size_t i = 0; i < count; i++)
        thrift_item_int(&w, (int64_t)pages[i].statistics.null_count);
    thrift_end(&w);
}

static void write_offset_index(const pq_written_chunk *chunk, uint64_t offset, pq_buffer *out)
{
    thrift_writer w = thrift_writer_make(out);
    thrift_put_list(&w, 1, THRIFT_STRUCT, chunk->pages.count);
    for (size_t i = 0; i < chunk->pages.count; i++) {
        const pq_written_page *page = &chunk->pages.items[i];
        thrift_item_struct(&w);
        thrift_put_i64(&w, 1, (int64_t)(offset + page->offset));
        thrift_put_i32(&w, 2, (int32_t)page->bytes);
        thrift_put_i64(&w, 3, (int64_t)page->first_row);
        thrift_end(&w);
    }
    thrift_end(&w);
}

status pq_footer_add(pq_footer *footer, const writer_column *column,
                     const pq_writer_options *options, const pq_written_chunk *chunk,
                     uint64_t offset, uint64_t bloom_offset)
{
    pq_chunk_record record = {.column_index = footer->column_indexes.count,
                              .offset_index = footer->offset_indexes.count,
                              .metadata = footer->metadata.count};
    write_chunk_metadata(column, options, chunk, offset, bloom_offset, &footer->metadata);
    if (options->page_index) {
        write_offset_index(chunk, offset, &footer->offset_indexes);
        if (!column->options.no_statistics && has_all_bounds(chunk))
            write_column_index(column, chunk, &footer->column_indexes);
    }
    record.metadata_bytes = (uint32_t)(footer->metadata.count - record.metadata);
    record.column_index_bytes = (uint32_t)(footer->column_indexes.count - record.column_index);
    record.offset_index_bytes = (uint32_t)(footer->offset_indexes.count - record.offset_index);
    if (footer->metadata.has_failed || footer->column_indexes.has_failed ||
        footer->offset_indexes.has_failed)
        return status_no_memory("footer", footer->metadata.count);
    return array_push(NULL, &footer->chunks, record);
}

/* ---- the schema ---- */

static int32_t converted_type(data_type type)
{
    switch ((type_id)type.id) {
    case TYPE_VARCHAR:
        return type_is_json(type) ? CONVERTED_JSON : CONVERTED_UTF8;
    case TYPE_DECIMAL:
        return CONVERTED_DECIMAL;
    case TYPE_DATE:
        return CONVERTED_DATE;
    case TYPE_INTERVAL:
        return CONVERTED_INTERVAL;
    case TYPE_TIMESTAMP_TZ:
        return type.precision == 6 ? CONVERTED_TIMESTAMP_MICROS : CONVERTED_NONE;
    case TYPE_UINT8:
    case TYPE_UINT16:
    case TYPE_UINT32:
    case TYPE_UINT64:
        return CONVERTED_UINT_8 + (type.id - TYPE_UINT8);
    case TYPE_INT8:
    case TYPE_INT16:
        return CONVERTED_INT_8 + (type.id - TYPE_INT8);
    default: /* the converted times are in UTC */
        return CONVERTED_NONE;
    }
}

static void writer_footer_put_time(thrift_writer *w, int16_t member, bool is_utc, int16_t unit)
{
    thrift_put_struct(w, member);
    thrift_put_bool(w, 1, is_utc);
    thrift_put_struct(w, 2);
    thrift_put_empty(w, unit);
    thrift_end(w);
    thrift_end(w);
}

static void put_logical(thrift_writer *w, data_type type)
{
    if (type.id == TYPE_BOOL || type.id == TYPE_INT32 || type.id == TYPE_INT64 ||
        type.id == TYPE_FLOAT || type.id == TYPE_DOUBLE || type.id == TYPE_BLOB ||
        type.id == TYPE_INTERVAL)
        return;
    thrift_put_struct(w, 10);
    switch ((type_id)type.id) {
    case TYPE_NULL:
        thrift_put_empty(w, LOGICAL_UNKNOWN);
        break;
    case TYPE_VARCHAR:
        thrift_put_empty(w, type_is_json(type) ? LOGICAL_JSON : LOGICAL_STRING);
        break;
    case TYPE_DATE:
        thrift_put_empty(w, LOGICAL_DATE);
        break;
    case TYPE_UUID:
        thrift_put_empty(w, LOGICAL_UUID);
        break;
    case TYPE_DECIMAL:
        thrift_put_struct(w, LOGICAL_DECIMAL);
        thrift_put_i32(w, 1, type.scale);
        thrift_put_i32(w, 2, type.precision);
        thrift_end(w);
        break;
    case TYPE_TIME:
        writer_footer_put_time(w, LOGICAL_TIME, false, UNIT_MICROS);
        break;
    case TYPE_TIMESTAMP:
    case TYPE_TIMESTAMP_TZ:
        writer_footer_put_time(w, LOGICAL_TIMESTAMP, type.id == TYPE_TIMESTAMP_TZ,
                               type.precision == 9 ? UNIT_NANOS : UNIT_MICROS);
        break;
    default: /* 8 to 64 bits */
        thrift_put_struct(w, LOGICAL_INTEGER);
        thrift_put_i8(w, 1, (int8_t)(type.width * 8));
        thrift_put_bool(w, 2, type_is_signed(type));
        thrift_end(w);
    }
    thrift_end(w);
}

static void put_element(thrift_writer *w, const writer_column *column, const char *name,
                        bool is_nullable)
{
    int32_t converted = converted_type(column->type);
    thrift_item_struct(w);
    thrift_put_i32(w, 1, (int32_t)column->physical);
    if (column->type_length)
        thrift_put_i32(w, 2, (int32_t)column->type_length);
    thrift_put_i32(w, 3, is_nullable);
    thrift_put_text(w, 4, name);
    if (converted != CONVERTED_NONE)
        thrift_put_i32(w, 6, converted);
    if (column->type.id == TYPE_DECIMAL) {
        thrift_put_i32(w, 7, column->type.scale);
        thrift_put_i32(w, 8, column->type.precision);
    }
    put_logical(w, column->type);
    thrift_end(w);
}

/* The column after those of the same column of the caller's. */
static size_t next_source(const writer_column *columns, size_t column_count, size_t c)
{
    uint32_t source = columns[c].source;
    while (c < column_count && columns[c].source == source)
        c++;
    return c;
}

/* Writes the element of the next column. */
static void put_next(thrift_writer *w, const char *name, bool is_nullable, void *context)
{
    const writer_column **column = context;
    put_element(w, (*column)++, name, is_nullable);
}

static void put_schema(thrift_writer *w, const writer_column *columns, size_t column_count)
{
    size_t elements = 1, tops = 0;
    for (size_t c = 0; c < column_count; c = next_source(columns, column_count, c), tops++)
        elements += pq_schema_elements(columns[c].leaf.top);
    thrift_put_list(w, 2, THRIFT_STRUCT, elements);
    thrift_item_struct(w);
    thrift_put_text(w, 4, "schema");
    thrift_put_i32(w, 5, (int32_t)tops);
    thrift_end(w);
    for (const writer_column *column = columns; column < columns + column_count;) {
        const pq_leaf_place *leaf = &column->leaf;
        if (type_is_nested(leaf->top))
            pq_schema_put(w, leaf->path, leaf->top, put_next, &column);
        else
            put_next(w, leaf->path, column->is_nullable, &column);
    }
}

/* ---- the footer ---- */

static void put_row_group(thrift_writer *w, const pq_footer *footer, size_t group,
                          size_t column_count, uint64_t column_indexes_at,
                          uint64_t offset_indexes_at)
{
    const pq_group_record *g = &footer->groups.items[group];
    thrift_item_struct(w);
    thrift_put_list(w, 1, THRIFT_STRUCT, column_count);
    for (size_t c = 0; c < column_count; c++) {
        const pq_chunk_record *record = &footer->chunks.items[group * column_count + c];
        thrift_item_struct(w);
        thrift_put_i64(w, 2, 0); /* file_offset: deprecated, and required */
        thrift_put_encoded(w, 3, footer->metadata.items + record->metadata, record->metadata_bytes);
        if (record->offset_index_bytes) {
            thrift_put_i64(w, 4, (int64_t)(offset_indexes_at + record->offset_index));
            thrift_put_i32(w, 5, (int32_t)record->offset_index_bytes);
        }
        if (record->column_index_bytes) {
            thrift_put_i64(w, 6, (int64_t)(column_indexes_at + record->column_index));
            thrift_put_i32(w, 7, (int32_t)record->column_index_bytes);
        }
        thrift_end(w);
    }
    thrift_put_i64(w, 2, (int64_t)g->uncompressed_bytes);
    thrift_put_i64(w, 3, (int64_t)g->row_count);
    thrift_put_i64(w, 5, (int64_t)g->offset);
    thrift_put_i64(w, 6, (int64_t)g->compressed_bytes);
    if (group <= INT16_MAX)
        thrift_put_i16(w, 7, (int16_t)group);
    thrift_end(w);
}

status pq_footer_write(const pq_footer *footer, const writer_column *columns, size_t column_count,
                       const char *created_by, uint64_t offset, pq_buffer *out)
{
    uint64_t rows = 0, offset_indexes_at = offset + footer->column_indexes.count;
    for (size_t g = 0; g < footer->groups.count; g++)
        rows += footer->groups.items[g].row_count;
    pq_buffer_add(out, footer->column_indexes.items, footer->column_indexes.count);
    pq_buffer_add(out, footer->offset_indexes.items, footer->offset_indexes.count);
    size_t start = out->count;

    thrift_writer w = thrift_writer_make(out);
    thrift_put_i32(&w, 1, 2);
    put_schema(&w, columns, column_count);
    thrift_put_i64(&w, 3, (int64_t)rows);
    thrift_put_list(&w, 4, THRIFT_STRUCT, footer->groups.count);
    for (size_t g = 0; g < footer->groups.count; g++)
        put_row_group(&w, footer, g, column_count, offset, offset_indexes_at);
    thrift_put_text(&w, 6, created_by);
    thrift_put_list(&w, 7, THRIFT_STRUCT, column_count);
    for (size_t c = 0; c < column_count; c++) { /* statistics are in the type's own order */
        thrift_item_struct(&w);
        thrift_put_empty(&w, 1);
        thrift_end(&w);
    }
    thrift_end(&w);

    TRY(pq_buffer_check(out, "footer"));
    if (out->count - start > INT_MAX)
        return status_new(STATUS_KIND_LIMIT, "the footer of %zu bytes is too large for Parquet",
                          out->count - start);
    uint32_t bytes = (uint32_t)(out->count - start);
    pq_buffer_add(out, &bytes, 4);
    pq_buffer_add(out, "PAR1", 4);
    return pq_buffer_check(out, "footer");
}

void pq_footer_release(pq_footer *footer)
{
    pq_buffer_release(&footer->column_indexes);
    pq_buffer_release(&footer->offset_indexes);
    pq_buffer_release(&footer->metadata);
    array_release(&footer->chunks);
    array_release(&footer->groups);
}
