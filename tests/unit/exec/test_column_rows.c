/* test_column_rows.c - parts of a column chunk: which bytes hold given rows, and that the values
 * read from them are those of the whole chunk. Pieces of row groups. */
#include "exec/scan/scan_split.h"
#include "parquet_reader.h"
#include "parquet_sample.h"

enum { PAGE_ROWS = 100 };

static const pq_row_group_ref first_morsel;

static void start(parquet_reader *r, bool has_page_index)
{
    sample written;
    char path[512];
    pq_writer *writer;
    pq_writer_options options = pq_writer_options_default();
    options.page_rows = PAGE_ROWS;
    options.page_index = has_page_index;
    sample_make(&written);
    snprintf(path, sizeof path, "%s/rows.parquet", test_folder());
    CHECK_OK(pq_writer_open(path, written.schema, written.column_count, &options, &writer));
    CHECK_OK(pq_writer_write(writer, written.values, SAMPLE_ROWS));
    CHECK_OK(pq_writer_finish(writer));
    sample_free(&written);
    parquet_reader_open(r, path, "auto");
}

static pq_column *open_column(parquet_reader *r, uint32_t number, pq_fetch *fetch,
                              const pq_row_list *rows)
{
    return parquet_reader_column(r, number, (pq_column_use){.fetch = fetch, .rows = rows});
}

static tensor *slice(parquet_reader *r, pq_column *column, pq_row_range rows)
{
    tensor *t, *flat;
    CHECK_OK(pq_column_slice(column, rows.first, rows.end - rows.first, &t));
    CHECK_OK(tensor_flatten(r->stream, t, dev_count_exact(rows.end - rows.first), &flat));
    tensor_unref(t);
    return flat;
}

static bool bit(const uint64_t *bits, uint64_t at)
{
    return bits[at / 64] >> at % 64 & 1;
}

static bool same_value(const tensor *a, const tensor *b, uint64_t row)
{
    bool is_valid = !a->validity || bit(a->validity, row);
    if (is_valid != (!b->validity || bit(b->validity, row)))
        return false;
    if (!is_valid)
        return true;
    if (!a->type.width)
        return bit(a->values, row) == bit(b->values, row);
    if (!type_is_text(a->type))
        return !memcmp((char *)a->values + row * a->type.width,
                       (char *)b->values + row * a->type.width, a->type.width);
    const string_view *x = (string_view *)a->values + row, *y = (string_view *)b->values + row;
    return x->bytes == y->bytes && !memcmp(string_data(x), string_data(y), x->bytes);
}

static void check_rows(parquet_reader *r, uint32_t number, pq_fetch *fetch, const pq_row_list *rows)
{
    pq_column *all = open_column(r, number, NULL, NULL);
    pq_column *some = open_column(r, number, fetch, rows);
    for (size_t i = 0; i < rows->count; i++) {
        tensor *expected = slice(r, all, rows->items[i]), *got = slice(r, some, rows->items[i]);
        for (uint64_t row = 0; row < rows->items[i].end - rows->items[i].first; row++)
            CHECK(same_value(expected, got, row));
        tensor_unref(expected);
        tensor_unref(got);
    }
    if (fetch)
        CHECK_EQ(pq_column_stored_bytes(some) + pq_column_cached_bytes(some), 0);
    pq_column_close(all);
    pq_column_close(some);
}

static pq_row_range lists[][3] = {{{0, 5000}},
                                  {{0, 1}},
                                  {{4999, 5000}},
                                  {{100, 200}},
                                  {{1099, 1101}},
                                  {{64, 300}, {320, 330}, {4000, 4990}},
                                  {{0, 100}, {200, 300}, {4900, 5000}}};
enum { LISTS = sizeof lists / sizeof *lists };

static pq_row_list list_of(unsigned number)
{
    size_t count = 0;
    while (count < 3 && lists[number][count].end)
        count++;
    return (pq_row_list){lists[number], count, count};
}

TEST(rows_of_every_type_read_alone)
{
    parquet_reader r;
    start(&r, true);
    for (unsigned n = 0; n < LISTS; n++)
        for (uint32_t c = 0; c < r.table->columns.count; c++) {
            pq_row_list rows = list_of(n);
            check_rows(&r, c, NULL, &rows);
        }
    parquet_reader_close(&r);
}

TEST(rows_of_every_type_read_ahead)
{
    parquet_reader r;
    uint32_t columns[SAMPLE_COLUMNS_MAX];
    start(&r, true);
    for (uint32_t c = 0; c < r.table->columns.count; c++)
        columns[c] = c;
    for (unsigned n = 0; n < LISTS; n++) {
        pq_row_list rows = list_of(n);
        pq_fetch *fetch;
        pq_fetch_want want = {.table = r.table,
                              .rows = &rows,
                              .columns = columns,
                              .column_count = (uint32_t)r.table->columns.count,
                              .policy = PQ_FETCH_ALL,
                              .is_merged = n % 2};
        CHECK_OK(pq_fetch_start(r.dev, &want, &fetch));
        for (uint32_t c = 0; c < r.table->columns.count; c++)
            check_rows(&r, c, fetch, &rows);
        pq_fetch_close(fetch);
    }
    parquet_reader_close(&r);
}

TEST(only_pages_with_wanted_rows_are_read)
{
    parquet_reader r;
    start(&r, true);
    pq_row_list one = list_of(3); /* exactly the second page */
    pq_column *all = open_column(&r, 0, NULL, NULL), *some = open_column(&r, 0, NULL, &one);
    CHECK(pq_column_bytes(some) > 0 && pq_column_bytes(some) * 10 < pq_column_bytes(all));
    pq_column_close(all);
    pq_column_close(some);
    parquet_reader_close(&r);
}

TEST(without_a_page_index_the_chunk_is_read)
{
    parquet_reader r;
    start(&r, false);
    pq_row_list rows = list_of(5);
    pq_column *all = open_column(&r, 0, NULL, NULL), *some = open_column(&r, 0, NULL, &rows);
    CHECK_EQ(pq_column_bytes(some), pq_column_bytes(all));
    pq_column_close(all);
    pq_column_close(some);
    check_rows(&r, 0, NULL, &rows);
    parquet_reader_close(&r);
}

/* The index says that the first data page ends a row earlier than it does. */
TEST(a_lying_page_index_is_an_error)
{
    parquet_reader r;
    tensor *t;
    start(&r, true);
    pq_row_list rows = list_of(3);
    pq_offset_index *index = (pq_offset_index *)pq_column_pages(r.table, first_morsel, 0);
    index->pages[1].first_row--;
    pq_column *column = open_column(&r, 0, NULL, &rows);
    status st = pq_column_slice(column, 150, 10, &t);
    pq_column_close(column);
    CHECK(st && status_get_kind(st) == STATUS_KIND_CORRUPT);
    CHECK(strstr(status_message(st), "page index") &&
          strstr(status_message(st), r.table->files.items[0].file->path));
    status_free(st);
    parquet_reader_close(&r);
}

/* Every row of the list is in one piece, in order, and pieces end where pages do. */
TEST(pieces_of_a_row_group)
{
    parquet_reader r;
    uint32_t columns[2] = {0, 1};
    start(&r, true);
    for (unsigned n = 0; n < LISTS; n++) {
        pq_row_list rows = {0}, given = list_of(n);
        uint64_t at = given.items[0].first, bytes = 0;
        size_t range = 0, pieces = 0;
        scan_split split;
        for (size_t i = 0; i < given.count; i++)
            CHECK_OK(array_push(NULL, &rows, given.items[i]));
        scan_split_start(&split, r.table, first_morsel, columns, 2, 10000, 1000, &rows);
        while (scan_split_has_more(&split)) {
            pq_row_list piece = {0};
            uint64_t piece_bytes;
            CHECK_OK(scan_split_next(&split, &piece, &piece_bytes));
            CHECK(piece.count > 0);
            for (size_t i = 0; i < piece.count; i++) {
                CHECK_EQ(piece.items[i].first, at);
                at = piece.items[i].end;
                if (at == given.items[range].end)
                    at = ++range < given.count ? given.items[range].first : 0;
                else
                    CHECK_EQ(at % PAGE_ROWS, 0);
            }
            bytes += piece_bytes;
            pieces++;
            array_release(&piece);
        }
        CHECK_EQ(range, given.count);
        CHECK_EQ(bytes, 10000);
        if (n == 0)
            CHECK(pieces >= 9 && pieces <= 10);
        scan_split_release(&split);
    }
    parquet_reader_close(&r);
}

TEST(small_row_groups_are_one_piece)
{
    parquet_reader r;
    uint32_t column = 0;
    start(&r, true);
    pq_row_list rows = {0}, piece = {0};
    uint64_t bytes;
    scan_split split;
    CHECK_OK(array_push(NULL, &rows, ((pq_row_range){0, SAMPLE_ROWS})));
    scan_split_start(&split, r.table, first_morsel, &column, 1, 1999, 1000, &rows);
    CHECK_OK(scan_split_next(&split, &piece, &bytes));
    CHECK_EQ(piece.count, 1);
    CHECK_EQ(piece.items[0].end, SAMPLE_ROWS);
    CHECK(!scan_split_has_more(&split));
    array_release(&piece);
    scan_split_release(&split);
    parquet_reader_close(&r);
}
