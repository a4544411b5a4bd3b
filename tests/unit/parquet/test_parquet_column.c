/* test_parquet_column.c - footers and pages of files that others wrote, decoded on the CPU device.
 */
#include "device/transfer.h"
#include "parquet/read/batch.h"
#include "parquet_reader.h"

/* False: the test files are not there. */
static bool open_shared(parquet_reader *r, const char *path, const char *device)
{
    path = test_shared(path);
    if (path)
        parquet_reader_open(r, path, device);
    return path;
}

static tensor *read_tensor(parquet_reader *r, uint32_t number)
{
    pq_row_group_ref group_ref = r->table->row_groups.items[0];
    uint64_t rows = r->table->row_count;
    tensor *t = NULL;
    if (r->dev->is_host) {
        pq_column *column = parquet_reader_column(r, number, (pq_column_use){0});
        CHECK_OK(pq_column_slice(column, 0, rows, &t));
        pq_column_close(column);
        return t;
    }
    pq_batch *batch;
    pq_row_list all = {.items = &(pq_row_range){0, rows}, .count = 1};
    pq_batch_part part = {.group_ref = group_ref, .rows = &all};
    pq_batch_use use = {.error = r->error->address, .parts = &part, .part_count = 1};
    CHECK_OK(pq_batch_open(r->stream, r->table, number, use, &batch));
    CHECK_OK(pq_batch_slice(batch, 0, rows, &t));
    pq_batch_close(batch);
    return t;
}

/* The whole first row group's values of a column, on the host: to be freed. */
static void *read_column(parquet_reader *r, const char *name)
{
    tensor *t = NULL, *flat = NULL;
    uint64_t error[2];
    for (uint32_t c = 0; c < r->table->columns.count; c++)
        if (!strcmp(r->table->columns.items[c].name, name))
            t = read_tensor(r, c);
    CHECK(t != NULL);
    CHECK_OK(tensor_flatten(r->stream, t, dev_count_exact(r->table->row_count), &flat));
    size_t values_bytes = r->table->row_count * flat->type.width;
    void *values = test_to_host(r->stream, flat->values, values_bytes);
    CHECK_OK(dev_words_read(r->stream, r->error->address, error, 2));
    CHECK_EQ(error[0], 0);
    tensor_unref(t);
    tensor_unref(flat);
    return values;
}

/* The values are those that the test files' own documentation gives for alltypes_plain. */
TEST(plain_and_dictionary_pages_of_another_writer)
{
    static const char *const files[] = {"alltypes_plain.parquet", "alltypes_dictionary.parquet"};
    static const int32_t ids[2][8] = {{4, 5, 6, 7, 2, 3, 0, 1}, {0, 1}};
    static const char *const devices[] = {"scalar", "auto", "simulated"};
    for (int f = 0; f < 2; f++)
        for (int d = 0; d < 3; d++) {
            parquet_reader r;
            char path[512];
            snprintf(path, sizeof path, "data/parquet-testing/%s", files[f]);
            if (!open_shared(&r, path, devices[d]))
                SKIP("the Parquet test files are not there");
            CHECK_EQ(r.table->row_count, f ? 2 : 8);
            int32_t *id = read_column(&r, "id");
            string_view *text = read_column(&r, "string_col");
            double *number = read_column(&r, "double_col");
            for (uint64_t row = 0; row < r.table->row_count; row++) {
                CHECK_EQ(id[row], ids[f][row]);
                CHECK_EQ(text[row].bytes, 1);
                CHECK_EQ(text[row].inlined[0], '0' + ids[f][row] % 2);
                CHECK(number[row] == (ids[f][row] % 2 ? 10.1 : 0));
            }
            mem_free(id);
            mem_free(text);
            mem_free(number);
            parquet_reader_close(&r);
        }
}

TEST(a_wrong_checksum_is_an_error_that_names_the_place)
{
    parquet_reader r;
    tensor *t = NULL;
    if (!open_shared(&r, "data/parquet-testing/datapage_v1-corrupt-checksum.parquet", "auto"))
        SKIP("the Parquet test files are not there");
    pq_column *column = parquet_reader_column(&r, 0, (pq_column_use){0});
    status st = pq_column_slice(column, 0, r.table->row_count, &t);
    pq_column_close(column);
    CHECK(st && status_get_kind(st) == STATUS_KIND_CORRUPT);
    CHECK(strstr(status_message(st), "checksum") && strstr(status_message(st), "column \"a\""));
    status_free(st);
    parquet_reader_close(&r);
}

/* A footer cut or changed anywhere is an error or another table, never a crash. */
TEST(each_byte_of_a_footer_changed)
{
    parquet_reader r;
    if (!open_shared(&r, "data/parquet-testing/alltypes_plain.parquet", "auto"))
        SKIP("the Parquet test files are not there");
    const file *f = r.table->files.items[0].file;
    uint8_t *bytes = mem_new(f->bytes);
    uint32_t length;
    CHECK(!file_read(f, 0, bytes, f->bytes));
    memcpy(&length, bytes + f->bytes - 8, 4);
    uint8_t *footer = bytes + f->bytes - 8 - length;
    for (uint32_t i = 0; i < length; i++)
        for (int bit = 0; bit < 8; bit++) {
            arena *a;
            pq_metadata *m;
            CHECK(!arena_new(&a));
            footer[i] ^= (uint8_t)(1 << bit);
            status_free(pq_metadata_parse(a, footer, length, f->bytes, &m));
            status_free(pq_metadata_parse(a, footer, i, f->bytes, &m));
            footer[i] ^= (uint8_t)(1 << bit);
            arena_free(a);
        }
    mem_free(bytes);
    parquet_reader_close(&r);
}
