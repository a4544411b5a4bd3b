/* test_parquet_writer.c - files of every type, encoding and codec; errors; failing writes.
 *
 * With PISTACHIO_WRITTEN=<folder> the files stay there, for tests/parquet/check_written.py.
 *
 * test_label: threads smoke */
#include "base/fault.h"
#include "parquet/write/writer_stage.h"
#include "parquet_sample.h"

#include <dirent.h>
#include <unistd.h>

static const char *path_of(const sample *s, const char *name)
{
    const char *folder = getenv("PISTACHIO_WRITTEN");
    return arena_format(s->memory, "%s/%s", folder ? folder : test_folder(), name);
}

static void write_sample(const sample *s, const char *name, const pq_writer_options *options)
{
    pq_writer *writer;
    CHECK_OK(pq_writer_open(path_of(s, name), s->schema, s->column_count, options, &writer));
    CHECK_OK(pq_writer_write(writer, s->values, SAMPLE_ROWS));
    CHECK_OK(pq_writer_write(writer, s->values, 77));
    CHECK_OK(pq_writer_finish(writer));
}

static unsigned count_files(const char *folder)
{
    unsigned count = 0;
    DIR *entries = opendir(folder);
    CHECK(entries);
    for (struct dirent *e; (e = readdir(entries));)
        count += e->d_name[0] != '.';
    closedir(entries);
    return count;
}

TEST(writes_every_type_and_codec)
{
    if (test_has_less_to_do())
        return; /* one thread */
    static const struct {
        const char *name;
        pq_codec codec;
        bool page_v2, no_checksums;
        uint32_t page_bytes, page_rows;
    } files[] = {
        {"none.parquet", PQ_CODEC_NONE, false, false, 0, 0},
        {"snappy.parquet", PQ_CODEC_SNAPPY, false, false, 0, 0},
        {"snappy_pages.parquet", PQ_CODEC_SNAPPY, false, true, 4096, 0},
        {"gzip_rows.parquet", PQ_CODEC_GZIP, false, false, 0, 100},
        {"brotli_v2.parquet", PQ_CODEC_BROTLI, true, false, 10000, 0},
        {"zstd_v2.parquet", PQ_CODEC_ZSTD, true, true, 0, 333},
        {"lz4_raw.parquet", PQ_CODEC_LZ4_RAW, false, false, 0, 0},
        {"lz4_hadoop.parquet", PQ_CODEC_LZ4, false, false, 0, 1000},
    };
    sample s;
    sample_make(&s);
    for (size_t f = 0; f < sizeof files / sizeof *files; f++) {
        pq_writer_options options = pq_writer_options_default();
        options.codec = files[f].codec;
        options.page_v2 = files[f].page_v2;
        options.checksums = !files[f].no_checksums;
        options.page_rows = files[f].page_rows;
        if (files[f].page_bytes)
            options.page_bytes = files[f].page_bytes;
        for (size_t c = 0; c < s.column_count; c++)
            s.schema[c].options.bloom_filter = f % 2;
        write_sample(&s, files[f].name, &options);
    }
    sample_free(&s);
}

TEST(writes_every_encoding)
{
    if (test_has_less_to_do())
        return; /* one thread */
    static const pq_encoding encodings[] = {PQ_PLAIN,
                                            PQ_RLE_DICTIONARY,
                                            PQ_RLE,
                                            PQ_DELTA_BINARY_PACKED,
                                            PQ_DELTA_LENGTH_BYTE_ARRAY,
                                            PQ_DELTA_BYTE_ARRAY,
                                            PQ_BYTE_STREAM_SPLIT};
    sample s;
    sample_make(&s);
    for (size_t e = 0; e < sizeof encodings / sizeof *encodings; e++) {
        pq_writer_options options = pq_writer_options_default();
        options.page_rows = 1234;
        for (size_t c = 0; c < s.column_count; c++) {
            pq_writer *writer;
            s.schema[c].options = (pq_column_options){.encoding = encodings[e]};
            s.schema[c].options.has_encoding = true;
            status st = pq_writer_open(path_of(&s, "probe"), &s.schema[c], 1, &options, &writer);
            if (st) /* the encoding is for other types */
                s.schema[c].options.has_encoding = false;
            status_free(st);
            pq_writer_abort(writer);
        }
        write_sample(&s, arena_format(s.memory, "encoding_%d.parquet", encodings[e]), &options);
    }
    sample_free(&s);
}

TEST(writes_an_empty_table)
{
    sample s;
    pq_writer *writer;
    sample_make(&s);
    CHECK_OK(pq_writer_open(path_of(&s, "empty.parquet"), s.schema, s.column_count, NULL, &writer));
    CHECK_OK(pq_writer_write(writer, s.values, 0));
    CHECK_OK(pq_writer_finish(writer));
    sample_free(&s);
}

TEST(refuses_what_parquet_cannot_hold)
{
    pq_writer *writer;
    pq_column_schema column = {.name = "x", .type = type_make(TYPE_INT32)};
    CHECK(!pq_writer_can_hold(type_make(TYPE_INTERVAL))); /* with microseconds, and signs */
    CHECK_FAILS(pq_writer_open("/nonexistent/t.parquet", &column, 1, NULL, &writer),
                STATUS_KIND_NOT_FOUND, "could not create file");
    column.options = (pq_column_options){.has_codec = true, .codec = PQ_CODEC_LZO};
    CHECK_FAILS(pq_writer_open("/nonexistent/t.parquet", &column, 1, NULL, &writer),
                STATUS_KIND_UNSUPPORTED, "codec lzo");
}

TEST(a_negative_interval_is_an_error)
{
    char path[512];
    interval_value values[2] = {{1, 2, 3000}, {0, -1, 0}};
    pq_column_schema column = {.name = "x", .type = type_make(TYPE_INTERVAL)};
    pq_writer *writer;
    snprintf(path, sizeof path, "%s/negative.parquet", test_folder());
    CHECK_OK(pq_writer_open(path, &column, 1, NULL, &writer));
    CHECK_FAILS(pq_writer_write(writer, &(pq_column_values){.values = values}, 2), STATUS_KIND_DATA,
                "row 1 of the row group is an interval with a negative part");
    pq_writer_abort(writer);
}

TEST(a_value_too_long_for_its_type_is_an_error)
{
    char path[512];
    int64_t values[2] = {5, 1000};
    pq_column_schema column = {.name = "price", .type = type_decimal(3, 1)};
    pq_writer *writer;
    snprintf(path, sizeof path, "%s/t.parquet", test_folder());
    CHECK_OK(pq_writer_open(path, &column, 1, NULL, &writer));
    CHECK_FAILS(pq_writer_write(writer, &(pq_column_values){values, NULL}, 2), STATUS_KIND_DATA,
                "column \"price\": row 1 of the row group has more than 3 digits");
    pq_writer_abort(writer);
    CHECK_EQ(count_files(test_folder()), 0);
}

/* Row groups of `rows` rows each, all of them begun before the first is ended where there are several threads. */
static char *write_groups(const sample *s, const char *name, unsigned threads, uint64_t rows,
                          size_t *out_bytes)
{
    pq_writer *writer;
    pq_writer_options options = pq_writer_options_default();
    const char *path = path_of(s, name);
    options.threads = threads;
    CHECK_OK(pq_writer_open(path, s->schema, s->column_count, &options, &writer));
    for (unsigned g = 0; g < 7; g++) {
        CHECK_OK(pq_writer_begin(writer, s->values, g == 3 ? 1 : rows));
        CHECK_EQ(pq_writer_begun(writer), threads ? g + 1 : 1);
        if (!threads)
            CHECK_OK(pq_writer_end(writer));
    }
    if (threads)
        CHECK_OK(pq_writer_end(writer));
    CHECK_OK(pq_writer_finish(writer)); /* the others */
    FILE *f = fopen(path, "rb");
    CHECK(f);
    char *bytes = arena_alloc(s->memory, 64 << 20);
    CHECK(bytes);
    *out_bytes = fread(bytes, 1, 64 << 20, f);
    fclose(f);
    return bytes;
}

TEST(row_groups_under_way_come_in_the_order_of_their_beginning)
{
    sample s;
    sample_make(&s);
    for (uint64_t rows = 10; rows <= SAMPLE_ROWS; rows += SAMPLE_ROWS - 10) {
        size_t one_bytes, many_bytes;
        char *one = write_groups(&s, "one.parquet", 0, rows, &one_bytes);
        for (unsigned threads = 1; threads <= 9; threads += 4) {
            char *many = write_groups(&s, "many.parquet", threads, rows, &many_bytes);
            CHECK_EQ(many_bytes, one_bytes);
            CHECK(!memcmp(one, many, one_bytes));
        }
    }
    sample_free(&s);
}

/* The row groups before it are whole, those behind it go with the writer. */
TEST(a_row_group_under_way_fails_when_it_is_ended)
{
    static int32_t numbers[5000];
    static uint64_t validity[5000 / 64 + 1] = {~(uint64_t)2};
    pq_column_schema columns[] = {{.name = "a", .type = type_make(TYPE_INT32)},
                                  {.name = "b", .type = type_make(TYPE_INT32)}};
    pq_column_values whole[] = {{numbers, NULL}, {numbers, NULL}},
                     broken[] = {{numbers, NULL}, {numbers, validity}};
    pq_writer_options options = pq_writer_options_default();
    char path[512];
    pq_writer *writer;
    uint64_t blocks = mem_in_use();
    snprintf(path, sizeof path, "%s/failing.parquet", test_folder());
    options.threads = 3;
    CHECK_OK(pq_writer_open(path, columns, 2, &options, &writer));
    CHECK_OK(pq_writer_begin(writer, whole, 5000));
    CHECK_OK(pq_writer_begin(writer, broken, 5000));
    CHECK_OK(pq_writer_begin(writer, whole, 5000));
    CHECK_OK(pq_writer_end(writer));
    CHECK_FAILS(pq_writer_end(writer), STATUS_KIND_DATA, "column \"b\"");
    CHECK_EQ(pq_writer_begun(writer), 1);
    pq_writer_abort(writer);
    CHECK_EQ(mem_in_use(), blocks);
    CHECK(access(path, F_OK));
}

/* A failing write or allocation leaves neither the file nor its temporary one. */
TEST(survives_each_failing_write_and_allocation)
{
    if (test_has_less_to_do())
        return; /* one thread */
    const char *folder = test_folder();
    char path[512];
    sample s;
    sample_make(&s);
    snprintf(path, sizeof path, "%s/t.parquet", folder);
    for (size_t c = 0; c < s.column_count; c++)
        s.schema[c].options.bloom_filter = true;
    uint64_t blocks = mem_in_use();
    for (int kind = 0; kind < 2; kind++)
        for (uint64_t nth = 1;; nth += nth < 40 ? 1 : 13) {
            fault_kind fault = kind ? FAULT_WRITE : FAULT_ALLOC;
            pq_writer *writer = NULL;
            fault_arm(fault, nth, false);
            status st = pq_writer_open(path, s.schema, s.column_count, NULL, &writer);
            if (!st) {
                st = pq_writer_write(writer, s.values, 500);
                if (st)
                    pq_writer_abort(writer);
                else
                    st = pq_writer_finish(writer);
            }
            bool has_fired = fault_disarm(fault);
            CHECK_EQ(st != NULL, has_fired);
            CHECK_EQ(count_files(folder), has_fired ? 0 : 1);
            if (has_fired)
                CHECK_EQ(status_get_kind(st), kind ? STATUS_KIND_IO : STATUS_KIND_NO_MEMORY);
            status_free(st);
            CHECK_EQ(mem_in_use(), blocks);
            unlink(path);
            if (!has_fired)
                break;
        }
    sample_free(&s);
}
