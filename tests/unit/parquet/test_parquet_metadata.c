/* test_parquet_metadata.c - footers, statistics and page indexes, of other engines' files (made by
 * tests/parquet/make_metadata_fixtures.py) and damaged in every byte.
 * test_label: not-tsan */
#include "parquet/format/bloom.h"
#include "parquet/format/page_index.h"
#include "parquet/format/thrift_write.h"
#include "parquet/inspect/inspect.h"
#include "parquet/table/table.h"
#include "parquet/write/writer.h"
#include "test.h"

typedef struct fixture {
    arena *memory;
    uint8_t *bytes; /* the whole file */
    size_t file_bytes, footer_at, footer_bytes;
    pq_metadata *metadata;
} fixture;

static void read_fixture(fixture *f, const char *path)
{
    file *opened;
    uint32_t footer_bytes;
    *f = (fixture){0};
    CHECK_OK(arena_new(&f->memory));
    CHECK_OK(file_open(path, &opened));
    f->file_bytes = opened->bytes;
    f->bytes = arena_alloc(f->memory, f->file_bytes);
    CHECK_OK(file_read(opened, 0, f->bytes, f->file_bytes));
    file_close(opened);
    memcpy(&footer_bytes, f->bytes + f->file_bytes - 8, 4);
    f->footer_bytes = footer_bytes;
    f->footer_at = f->file_bytes - 8 - footer_bytes;
    CHECK_OK(pq_metadata_parse(f->memory, f->bytes + f->footer_at, f->footer_bytes, f->file_bytes,
                               &f->metadata));
}

static void open_fixture(fixture *f, const char *name)
{
    char path[512];
    snprintf(path, sizeof path, "%s/tests/data/metadata/%s", test_source(), name);
    read_fixture(f, path);
}

static const pq_leaf *find_leaf(const fixture *f, const char *name, pq_statistics *out)
{
    for (uint32_t i = 0; i < f->metadata->leaf_count; i++)
        if (!strcmp(f->metadata->leaves[i].name, name)) {
            *out = f->metadata->row_groups[0].chunks[i].statistics;
            return &f->metadata->leaves[i];
        }
    test_fail(__FILE__, __LINE__, "there is no column %s", name);
}

static void check_value(bool is_known, const value *v, const char *expected)
{
    char text[128];
    if (is_known)
        value_format(v, text, sizeof text);
    CHECK_TEXT_EQ(is_known ? text : NULL, expected);
}

TEST(types_and_statistics_of_every_logical_type)
{
    static const struct {
        const char *name, *type, *min, *max;
    } expected[] = {
        {"boolean", "boolean", "false", "true"},
        {"int8", "tinyint", "-128", "127"},
        {"int16", "smallint", "-32768", "32767"},
        {"int32", "integer", "-2147483648", "2147483647"},
        {"int64", "bigint", "-9223372036854775808", "9223372036854775807"},
        {"uint8", "utinyint", "0", "255"},
        {"uint16", "usmallint", "1", "65535"},
        {"uint32", "uinteger", "2", "4294967295"},
        {"uint64", "ubigint", "3", "18446744073709551615"},
        {"float16", "float", "-1.5", "2.25"},
        {"float", "float", "-1.5", "2.25"},
        {"double", "double", "-1.5", "2.25"},
        {"float_nan", "float", "7", "7"},
        {"decimal_9", "decimal(9,2)", "-1234567.89", "0.01"},
        {"decimal_38", "decimal(38,10)", "-1.5000000000",
         "1000000000000000000000000000.0000000000"},
        {"date", "date", "1969-12-31", "2024-02-29"},
        {"time_ms", "time", "00:00:01", "23:59:59.999"},
        {"time_us", "time", "00:00:01", "23:59:59.999999"},
        {"time_ns", "time", "00:00:01", "23:59:59.999999"},
        {"timestamp_ms", "timestamp", "1969-01-01 00:00:00", "2024-01-01 00:00:00.001"},
        {"timestamp_us", "timestamp", "1969-01-01 00:00:00", "2024-01-01 00:00:00.000001"},
        {"timestamp_ns", "timestamp_ns", "1969-01-01 00:00:00", "2024-01-01 00:00:00.000001"},
        {"timestamp_utc", "timestamp with time zone", "1969-01-01 00:00:00+00",
         "2024-01-01 00:00:00+00"},
        {"string", "varchar", "", "h\xc3\xa9"},
        {"binary", "blob", "\\x00", "\\xff00"},
        {"fixed_5", "blob", "\\x6161616161", "\\xff62626262"},
    };
    fixture f;
    open_fixture(&f, "types.parquet");
    CHECK_EQ(f.metadata->leaf_count, sizeof expected / sizeof *expected);
    CHECK_EQ(f.metadata->row_count, 3);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        pq_statistics s;
        char type[TYPE_NAME_BYTES];
        const pq_leaf *leaf = find_leaf(&f, expected[i].name, &s);
        CHECK_TEXT_EQ(type_name(leaf->type, type), expected[i].type);
        CHECK_EQ(leaf->max_definition, 1);
        CHECK(!leaf->is_nested);
        check_value(s.has_min, &s.min, expected[i].min);
        check_value(s.has_max, &s.max, expected[i].max);
        CHECK_EQ(s.null_count, 1);
        CHECK(s.is_min_exact && s.is_max_exact);
    }
    arena_free(f.memory);
}

TEST(int96_is_a_timestamp_without_statistics)
{
    fixture f;
    pq_statistics s;
    open_fixture(&f, "int96.parquet");
    const pq_leaf *leaf = find_leaf(&f, "t", &s);
    CHECK_EQ(leaf->type.id, TYPE_TIMESTAMP);
    CHECK_EQ(leaf->conversion, PQ_CONVERT_INT96);
    CHECK(!s.has_min && !s.has_max);
    arena_free(f.memory);
}

TEST(decimals_in_their_physical_forms)
{
    static const struct {
        const char *name;
        pq_physical physical;
        uint32_t type_length;
    } expected[] = {
        {"d5", PQ_INT32, 0}, {"d15", PQ_INT64, 0}, {"d25", PQ_FIXED_LEN_BYTE_ARRAY, 11}};
    fixture f;
    open_fixture(&f, "decimals.parquet");
    for (size_t i = 0; i < 3; i++) {
        pq_statistics s;
        const pq_leaf *leaf = find_leaf(&f, expected[i].name, &s);
        CHECK_EQ(leaf->physical, expected[i].physical);
        CHECK_EQ(leaf->type_length, expected[i].type_length);
        CHECK_EQ(leaf->type.id, TYPE_DECIMAL);
        check_value(s.has_min, &s.min, "-1.23");
        check_value(s.has_max, &s.max, "4.56");
    }
    arena_free(f.memory);
}

TEST(nested_columns_are_marked)
{
    static const struct {
        const char *name;
        unsigned definition, repetition;
        bool is_nested;
    } expected[] = {
        {"id", 0, 0, false},
        {"required_point.x", 0, 0, true},
        {"required_point.y", 1, 0, true},
        {"optional_point.x", 1, 0, true},
        {"optional_point.y", 2, 0, true},
        {"numbers.list.element", 3, 1, true},
        {"words.key_value.key", 2, 1, true},
        {"words.key_value.value", 3, 1, true},
    };
    fixture f;
    open_fixture(&f, "nested.parquet");
    CHECK_EQ(f.metadata->leaf_count, 8);
    for (size_t i = 0; i < 8; i++) {
        const pq_leaf *leaf = &f.metadata->leaves[i];
        CHECK_TEXT_EQ(leaf->name, expected[i].name);
        CHECK_EQ(leaf->max_definition, expected[i].definition);
        CHECK_EQ(leaf->max_repetition, expected[i].repetition);
        CHECK_EQ(leaf->is_nested, expected[i].is_nested);
    }
    arena_free(f.memory);
}

TEST(page_indexes)
{
    fixture f;
    open_fixture(&f, "pages.parquet");
    const pq_row_group *group = &f.metadata->row_groups[0];
    for (uint32_t c = 0; c < 3; c++) {
        const pq_column_chunk *chunk = &group->chunks[c];
        pq_offset_index offsets;
        pq_column_index index;
        CHECK_OK(pq_offset_index_parse(f.memory, chunk, group->row_count,
                                       f.bytes + chunk->offset_index.offset,
                                       chunk->offset_index.bytes, &offsets));
        CHECK_OK(pq_column_index_parse(f.memory, &f.metadata->leaves[c],
                                       f.bytes + chunk->column_index.offset,
                                       chunk->column_index.bytes, &index));
        CHECK_EQ(offsets.page_count, 10);
        CHECK_EQ(index.page_count, 10);
        for (uint32_t p = 0; p < 10; p++) {
            pq_page_header header;
            size_t header_bytes;
            const pq_page_location *page = &offsets.pages[p];
            CHECK_EQ(page->first_row, 100 * p);
            CHECK_OK(
                pq_page_header_parse(f.bytes + page->offset, page->bytes, &header, &header_bytes));
            CHECK_EQ(header.value_count, 100);
            CHECK_EQ(header_bytes + header.compressed_bytes, page->bytes);
            CHECK(header.has_checksum);
            CHECK_EQ(index.is_null[p], c == 1 && p == 3);
            CHECK_EQ(index.pages[p].null_count, index.is_null[p] ? 100 : 0);
            CHECK_EQ(index.pages[p].has_min, !index.is_null[p]);
            if (c == 0) {
                CHECK_EQ(index.order, PQ_ASCENDING);
                CHECK_EQ(index.pages[p].min.i64, 100 * p);
                CHECK_EQ(index.pages[p].max.i64, 100 * p + 99);
            } else if (c == 2) {
                check_value(true, &index.pages[p].min, "key-0000");
                check_value(true, &index.pages[p].max, "key-0049");
            }
        }
    }
    arena_free(f.memory);
}

TEST(our_own_page_index_and_bloom_filter)
{
    char path[512];
    enum { ROWS = 1000 };
    static int64_t values[ROWS];
    for (int64_t i = 0; i < ROWS; i++)
        values[i] = (ROWS - i) * 10;
    snprintf(path, sizeof path, "%s/t.parquet", test_folder());
    pq_writer_options options = pq_writer_options_default();
    options.page_rows = 250;
    pq_column_schema column = {.name = "x", .type = type_make(TYPE_INT64)};
    column.options.bloom_filter = true;
    pq_writer *writer;
    CHECK_OK(pq_writer_open(path, &column, 1, &options, &writer));
    CHECK_OK(pq_writer_write(writer, &(pq_column_values){values, NULL}, ROWS));
    CHECK_OK(pq_writer_finish(writer));

    fixture f;
    read_fixture(&f, path);
    const pq_column_chunk *chunk = &f.metadata->row_groups[0].chunks[0];
    pq_offset_index offsets;
    pq_column_index index;
    CHECK_OK(pq_offset_index_parse(f.memory, chunk, ROWS, f.bytes + chunk->offset_index.offset,
                                   chunk->offset_index.bytes, &offsets));
    CHECK_OK(pq_column_index_parse(f.memory, &f.metadata->leaves[0],
                                   f.bytes + chunk->column_index.offset, chunk->column_index.bytes,
                                   &index));
    CHECK_EQ(offsets.page_count, 4);
    CHECK_EQ(index.order, PQ_DESCENDING);
    CHECK_EQ(index.pages[1].max.i64, 7500);
    CHECK_EQ(index.pages[1].min.i64, 5010);

    size_t header_bytes;
    uint32_t bytes, found = 0;
    const uint8_t *filter = f.bytes + chunk->bloom.offset;
    CHECK_OK(pq_bloom_header_parse(filter, chunk->bloom.bytes, &header_bytes, &bytes));
    CHECK_EQ(header_bytes + bytes, chunk->bloom.bytes);
    for (int64_t i = 0; i < ROWS; i++)
        CHECK(pq_bloom_contains(filter + header_bytes, bytes,
                                pq_bloom_hash(&values[i], sizeof values[i])));
    for (int64_t i = 1; i < 10000; i += 10)
        found += pq_bloom_contains(filter + header_bytes, bytes, pq_bloom_hash(&i, sizeof i));
    CHECK(found < 50); /* 1% of 1000 are expected */
    arena_free(f.memory);
}

/* The filter of another writer: parquet-mr's, of fourteen words. */
TEST(bloom_filter_of_another_writer)
{
    const char *path = test_shared("data/parquet-testing/data_index_bloom_encoding_stats.parquet");
    if (!path)
        SKIP("data/parquet-testing is not there");
    fixture f;
    read_fixture(&f, path);
    const pq_column_chunk *chunk = &f.metadata->row_groups[0].chunks[0];
    size_t header_bytes;
    uint32_t bytes;
    const uint8_t *filter = f.bytes + chunk->bloom.offset;
    CHECK(chunk->bloom.offset > 0);
    CHECK_OK(
        pq_bloom_header_parse(filter, f.file_bytes - chunk->bloom.offset, &header_bytes, &bytes));
    CHECK(bytes <= f.file_bytes - chunk->bloom.offset - header_bytes);
    CHECK(pq_bloom_contains(filter + header_bytes, bytes, pq_bloom_hash("Hello", 5)));
    CHECK(pq_bloom_contains(filter + header_bytes, bytes, pq_bloom_hash("today", 5)));
    CHECK(!pq_bloom_contains(filter + header_bytes, bytes, pq_bloom_hash("absent", 6)));
    arena_free(f.memory);
}

/* ---- damage ---- */

static void parse_damaged(const uint8_t *footer, size_t bytes, uint64_t file_bytes)
{
    arena *memory;
    pq_metadata *metadata;
    CHECK_OK(arena_new(&memory));
    status st = pq_metadata_parse(memory, footer, bytes, file_bytes, &metadata);
    CHECK_EQ(st != NULL, metadata == NULL);
    if (st)
        CHECK(status_get_kind(st) == STATUS_KIND_CORRUPT ||
              status_get_kind(st) == STATUS_KIND_UNSUPPORTED);
    status_free(st);
    arena_free(memory);
}

TEST(every_byte_of_a_footer_damaged)
{
    static const char *const names[] = {"types.parquet", "nested.parquet", "int96.parquet"};
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        fixture f;
        open_fixture(&f, names[n]);
        for (size_t i = 0; i < f.footer_bytes; i++) {
            uint8_t *copy = mem_new(f.footer_bytes); /* of the exact size, for the sanitizer */
            CHECK(copy);
            memcpy(copy, f.bytes + f.footer_at, f.footer_bytes);
            for (unsigned change = 1; change < 256; change = change * 3 + 1) {
                copy[i] = (uint8_t)(f.bytes[f.footer_at + i] ^ change);
                parse_damaged(copy, f.footer_bytes, f.file_bytes);
            }
            mem_free(copy);
        }
        arena_free(f.memory);
    }
}

TEST(a_footer_cut_short_anywhere_is_refused)
{
    fixture f;
    open_fixture(&f, "types.parquet");
    for (size_t length = 0; length < f.footer_bytes; length++) {
        uint8_t *copy = mem_new(length ? length : 1);
        pq_metadata *metadata;
        CHECK(copy);
        memcpy(copy, f.bytes + f.footer_at, length);
        CHECK_FAILS(pq_metadata_parse(f.memory, copy, length, f.file_bytes, &metadata),
                    STATUS_KIND_CORRUPT, NULL);
        mem_free(copy);
    }
    arena_free(f.memory);
}

static status parse_buffer(pq_buffer *footer)
{
    arena *memory;
    pq_metadata *metadata;
    CHECK_OK(arena_new(&memory));
    status st = pq_metadata_parse(memory, footer->items, footer->count, 1000, &metadata);
    arena_free(memory);
    pq_buffer_release(footer);
    return st;
}

static void put_group(thrift_writer *w, const char *name, int32_t children)
{
    thrift_item_struct(w);
    thrift_put_text(w, 4, name);
    thrift_put_i32(w, 5, children);
    thrift_end(w);
}

TEST(hostile_schemas_are_refused)
{
    pq_buffer out = {0};
    thrift_writer w = thrift_writer_make(&out);
    thrift_put_list(&w, 2, THRIFT_STRUCT, 1);
    put_group(&w, "root", INT32_MAX);
    thrift_end(&w);
    CHECK_FAILS(parse_buffer(&out), STATUS_KIND_CORRUPT, "fewer elements than its groups say");

    out = (pq_buffer){0};
    w = thrift_writer_make(&out);
    thrift_put_list(&w, 2, THRIFT_STRUCT, 1000);
    for (int i = 0; i < 1000; i++)
        put_group(&w, "g", 1);
    thrift_end(&w);
    CHECK_FAILS(parse_buffer(&out), STATUS_KIND_CORRUPT, "nested too deep");

    /* A long name above many leaves: their paths would take gigabytes. */
    out = (pq_buffer){0};
    char *name = mem_new(100000);
    CHECK(name);
    memset(name, 'x', 99999);
    w = thrift_writer_make(&out);
    thrift_put_list(&w, 2, THRIFT_STRUCT, 10002);
    put_group(&w, "root", 1);
    put_group(&w, name, 10000);
    for (int i = 0; i < 10000; i++) {
        thrift_item_struct(&w);
        thrift_put_i32(&w, 1, PQ_INT32);
        thrift_end(&w);
    }
    thrift_end(&w);
    mem_free(name);
    CHECK_FAILS(parse_buffer(&out), STATUS_KIND_CORRUPT, "names are too long");
}

TEST(a_value_wider_than_its_annotation_keeps_its_width)
{
    /* INT64 annotated as 8 bits: decoding it as a byte would write past the tensor. */
    pq_buffer out = {0};
    thrift_writer w = thrift_writer_make(&out);
    thrift_put_list(&w, 2, THRIFT_STRUCT, 2);
    put_group(&w, "root", 1);
    thrift_item_struct(&w);
    thrift_put_i32(&w, 1, PQ_INT64);
    thrift_put_text(&w, 4, "x");
    thrift_put_i32(&w, 6, 15); /* INT_8 */
    thrift_end(&w);
    thrift_put_i64(&w, 3, 0);
    thrift_put_list(&w, 4, THRIFT_STRUCT, 0);
    thrift_end(&w);
    arena *memory;
    pq_metadata *metadata;
    CHECK_OK(arena_new(&memory));
    CHECK_OK(pq_metadata_parse(memory, out.items, out.count, 1000, &metadata));
    CHECK_EQ(metadata->leaves[0].type.id, TYPE_INT64);
    arena_free(memory);
    pq_buffer_release(&out);
}

TEST(page_headers_need_their_members)
{
    pq_page_header header;
    size_t bytes;
    for (int type = 0; type < 4; type++) {
        pq_buffer out = {0};
        thrift_writer w = thrift_writer_make(&out);
        thrift_put_i32(&w, 1, type);
        thrift_put_i32(&w, 2, 10);
        thrift_put_i32(&w, 3, 10);
        thrift_end(&w);
        status st = pq_page_header_parse(out.items, out.count, &header, &bytes);
        CHECK_EQ(st == NULL, type == PQ_PAGE_INDEX);
        status_free(st);
        pq_buffer_release(&out);
    }
    CHECK_FAILS(pq_page_header_parse("", 0, &header, &bytes), STATUS_KIND_CORRUPT, NULL);
    CHECK_FAILS(pq_page_header_parse("\0", 1, &header, &bytes), STATUS_KIND_CORRUPT, NULL);
}

/* ---- inspect ---- */

TEST(inspect_prints_each_part)
{
    char path[512], *text = NULL;
    size_t bytes = 0;
    snprintf(path, sizeof path, "%s/tests/data/metadata/pages.parquet", test_source());
    FILE *out = open_memstream(&text, &bytes);
    CHECK(out);
    CHECK_OK(pq_inspect(path, &(pq_inspect_options){.with_pages = true}, out));
    fclose(out);
    CHECK(strstr(text, "1000 rows in 1 row group, 3 columns\n"));
    CHECK(strstr(text, "  2  n          integer  INT32"));
    CHECK(strstr(text, "column, offset\n"));
    CHECK(strstr(text, "key-0000  key-0049\n"));
    free(text);
}

/* Row groups without rows: each column has a dictionary's page there and no other. */
TEST(inspect_prints_the_pages_of_empty_row_groups)
{
    char path[512], *text = NULL;
    size_t bytes = 0, empty = 0;
    snprintf(path, sizeof path, "%s/tests/data/encodings/empty_row_groups.parquet", test_source());
    FILE *out = open_memstream(&text, &bytes);
    CHECK(out);
    CHECK_OK(pq_inspect(path, &(pq_inspect_options){.with_pages = true}, out));
    fclose(out);
    for (const char *at = text; (at = strstr(at, "dictionary  PLAIN                0")); at++)
        empty++;
    CHECK_EQ(empty, 8);
    free(text);
}
