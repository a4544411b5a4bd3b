/* test_page_part.c - large pages that are read from their beginning, slice by slice: values, NULLs, damage.
 * test_label: not-tsan */
#include "parquet/write/writer.h"
#include "parquet_reader.h"

enum { ROWS = 300000, COLUMNS = 5, TEXT_MOST = 40 };

/* A number, one that may be NULL, a text, one that may be NULL, and one that is NULL at row 50,000. */
typedef struct written {
    int64_t numbers[ROWS];
    string_view texts[ROWS];
    uint64_t validity[ROWS / 64 + 1];
    char letters[ROWS + TEXT_MOST];
    char path[512];
} written;

static void fill(written *w)
{
    for (size_t i = 0; i < sizeof w->letters; i++)
        w->letters[i] = "furious packages nag, "[(i + i / 97 * 5) % 22];
    for (size_t i = 0; i < ROWS; i++) {
        size_t bytes = i * 7919 % TEXT_MOST;
        w->numbers[i] = (int64_t)(i * i % 100000007);
        w->texts[i] = string_view_make(w->letters + i, (uint32_t)bytes);
    }
    memset(w->validity, 255, sizeof w->validity);
    w->validity[50000 / 64] &= ~((uint64_t)1 << 50000 % 64);
}

static written *write_file(bool page_v2)
{
    written *w = mem_new(sizeof *w);
    pq_writer *writer;
    pq_writer_options options = pq_writer_options_default();
    CHECK(w);
    fill(w);
    options.page_bytes = 64 << 20;
    options.page_v2 = page_v2;
    options.checksums = false;
    pq_column_options plain = {.no_dictionary = true, .has_encoding = true, .encoding = PQ_PLAIN};
    data_type number = type_make(TYPE_INT64), text = type_make(TYPE_VARCHAR);
    pq_column_schema schema[COLUMNS] = {
        {.name = "a", .type = number, .options = plain},
        {.name = "b", .type = number, .is_nullable = true, .options = plain},
        {.name = "c", .type = text, .options = plain},
        {.name = "d", .type = text, .is_nullable = true, .options = plain},
        {.name = "e", .type = text, .is_nullable = true, .options = plain}};
    pq_column_values values[COLUMNS] = {{w->numbers, NULL},
                                        {w->numbers, NULL},
                                        {w->texts, NULL},
                                        {w->texts, NULL},
                                        {w->texts, w->validity}};
    snprintf(w->path, sizeof w->path, "%s/pages.parquet", test_folder());
    CHECK_OK(pq_writer_open(w->path, schema, COLUMNS, &options, &writer));
    CHECK_OK(pq_writer_write(writer, values, ROWS));
    CHECK_OK(pq_writer_finish(writer));
    return w;
}

static bool is_valid(const tensor *t, uint64_t row)
{
    return !t->validity || (t->validity[row / 64] >> row % 64 & 1);
}

static void check_slice(const written *w, const tensor *t, uint32_t number, uint64_t first,
                        uint64_t count)
{
    bool is_same = true;
    for (uint64_t i = 0; i < count; i++) {
        const string_view *got = (const string_view *)t->values + i, *row = &w->texts[first + i];
        bool is_null = number == 4 && first + i == 50000;
        is_same &= is_valid(t, i) == !is_null;
        if (is_null)
            continue;
        if (number < 2)
            is_same &= ((const int64_t *)t->values)[i] == w->numbers[first + i];
        else
            is_same &=
                got->bytes == row->bytes && !memcmp(string_data(got), string_data(row), row->bytes);
    }
    CHECK(is_same);
}

/* Slices of any length, with gaps, of which some are held while later ones are made. */
static void check_column(parquet_reader *r, const written *w, uint32_t number)
{
    pq_column *column = parquet_reader_column(r, number, (pq_column_use){0});
    tensor *held = NULL;
    uint64_t held_first = 0, held_count = 0;
    for (uint64_t first = 0; first < ROWS;) {
        uint64_t count = 1 + test_random() % 40000;
        tensor *t;
        count = count < ROWS - first ? count : ROWS - first;
        CHECK_OK(pq_column_slice(column, first, count, &t));
        check_slice(w, t, number, first, count);
        if (held)
            check_slice(w, held, number, held_first, held_count);
        tensor_unref(held);
        held = t;
        held_first = first;
        held_count = count;
        first += count + (test_random() % 4 ? 0 : test_random() % 20000);
    }
    pq_column_close(column);
    check_slice(w, held, number, held_first, held_count);
    tensor_unref(held);
}

TEST(slices_of_large_pages)
{
    static const char *const isas[] = {"auto", "scalar"};
    for (int k = 0; k < 4; k++) {
        written *w = write_file(k / 2);
        parquet_reader r;
        parquet_reader_open(&r, w->path, isas[k % 2]);
        for (uint32_t c = 0; c < COLUMNS; c++)
            for (int round = 0; round < 3; round++)
                check_column(&r, w, c);
        parquet_reader_close(&r);
        mem_free(w);
    }
}

/* Bytes of the column's last part are another's. */
static void damage(const written *w, const parquet_reader *r, uint32_t number)
{
    const pq_column_chunk *chunk = &r->table->files.items[0].metadata->row_groups[0].chunks[number];
    char noise[256];
    FILE *f = fopen(w->path, "r+");
    CHECK(f);
    memset(noise, 255, sizeof noise);
    CHECK(!fseek(f, (long)(chunk->offset + chunk->compressed_bytes - 1000), SEEK_SET));
    CHECK_EQ(fwrite(noise, 1, sizeof noise, f), sizeof noise);
    CHECK(!fclose(f));
}

TEST(damage_behind_the_rows_is_met_with_them)
{
    for (uint32_t c = 0; c < COLUMNS - 1; c++) {
        written *w = write_file(false);
        parquet_reader r;
        tensor *t;
        parquet_reader_open(&r, w->path, "auto");
        damage(w, &r, c);
        pq_column *column = parquet_reader_column(&r, c, (pq_column_use){0});
        CHECK_OK(pq_column_slice(column, 100, 20000, &t));
        check_slice(w, t, c, 100, 20000);
        tensor_unref(t);
        CHECK_FAILS(pq_column_slice(column, 20100, ROWS - 20100, &t), STATUS_KIND_CORRUPT,
                    "its bytes break the format");
        pq_column_close(column);
        parquet_reader_close(&r);
        mem_free(w);
    }
}
