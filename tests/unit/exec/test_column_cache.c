/* test_column_cache.c - what the column cache gives is what was decoded, for values of every type, however slices lie; what
 * it keeps, and gives back. */
#include "device/kernels/kernel_ops.h"
#include "device_test.h"
#include "exec/scan/column_cache.h"
#include "exec/scan/scan_cache.h"
#include "parquet_reader.h"
#include "parquet_sample.h"

#define LARGE_LIMIT ((uint64_t)1 << 30)

/* A column chunk of a file that nobody has. */
static column_key make_key(uint64_t number)
{
    column_key key;
    memset(&key, 0, sizeof key);
    key.version.file.inode = number;
    key.version.footer_hash = number * 7;
    key.offset = 4;
    return key;
}

static column_cache_use new_statement(uint64_t limit)
{
    return (column_cache_use){column_cache_statement(), limit, false};
}

/* The column chunk, which two statements ask for. */
static cached_column *open_twice(const column_key *key, uint64_t limit)
{
    cached_column *column;
    CHECK_OK(column_cache_open(key, new_statement(limit), &column));
    CHECK(!column);
    CHECK_OK(column_cache_open(key, new_statement(limit), &column));
    CHECK(column);
    return column;
}

static bool bit(const uint64_t *bits, uint64_t at)
{
    return bits[at / 64] >> at % 64 & 1;
}

static bool is_same_value(const tensor *a, const tensor *b, uint64_t row)
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

static void check_same(dev_stream *stream, tensor *got, tensor *expected, uint64_t count)
{
    tensor *a, *b;
    CHECK_OK(tensor_flatten(stream, got, dev_count_exact(count), &a));
    CHECK_OK(tensor_flatten(stream, expected, dev_count_exact(count), &b));
    CHECK(type_equal(a->type, b->type));
    CHECK_EQ(a->type.width, b->type.width);
    for (uint64_t row = 0; row < count; row++)
        CHECK(is_same_value(a, b, row));
    tensor_unref(a);
    tensor_unref(b);
}

/* ---- columns of files ---- */

static unsigned selected_straight; /* how many times */

static tensor *decode(parquet_reader *r, uint32_t number, uint64_t first, uint64_t count)
{
    tensor *t;
    pq_column *column = parquet_reader_column(r, number, (pq_column_use){0});
    CHECK_OK(pq_column_slice(column, first, count, &t));
    pq_column_close(column);
    return t;
}

/* Keeps the column in pieces of random sizes, in a random order of halves. */
static void keep_column(parquet_reader *r, uint32_t number, cached_column *kept,
                        column_cache_use use)
{
    for (uint64_t first = 0; first < SAMPLE_ROWS;) {
        uint64_t count = 64 * (1 + test_random_below(20));
        count = count < SAMPLE_ROWS - first ? count : SAMPLE_ROWS - first;
        tensor *t = decode(r, number, first, count);
        CHECK_OK(column_cache_add(kept, use, first, count, t, 1000));
        CHECK_OK(column_cache_add(kept, use, first, count, t, 1000)); /* again: nothing happens */
        tensor_unref(t);
        first += count;
    }
}

/* Some rows of the slice, as they are selected from it and straight from the cache, which may want the slice to be read. */
static void check_selected(parquet_reader *r, cached_column *kept, tensor *slice, uint64_t first,
                           uint64_t count)
{
    row_index *rows;
    tensor *got, *expected;
    uint64_t some = 0, step = test_random_below(2) ? 5 : 200;
    uint64_t *bits = calloc(count / 64 + 1, sizeof *bits);
    bool has_bits = test_random_below(2);
    CHECK_OK(row_index_new(r->dev, count, &rows));
    CHECK(bits != NULL);
    for (uint64_t i = test_random_below(3); i < count; i += 1 + test_random_below(step)) {
        rows->rows[some++] = (uint32_t)i;
        bits[i / 64] |= UINT64_C(1) << i % 64;
    }
    CHECK_OK(column_cache_select(
        kept, r->stream, (column_rows){first, count, rows, some, has_bits ? bits : NULL}, &got));
    free(bits);
    CHECK_OK(tensor_new_indexed(r->stream, slice, count, rows, dev_count_exact(some), &expected));
    if (got)
        check_same(r->stream, got, expected, some);
    selected_straight += got != NULL;
    tensor_unref(got);
    tensor_unref(expected);
    row_index_unref(rows);
}

static unsigned given_narrow; /* how many times */

/* The slice as it lies in the cache, if it is one part of narrow values. */
static void check_narrow(parquet_reader *r, cached_column *kept, tensor *slice, uint64_t first,
                         uint64_t count)
{
    tensor *narrow, *wide;
    CHECK_OK(column_cache_narrow(kept, first, count, &narrow));
    if (!narrow)
        return;
    given_narrow++;
    check_same(r->stream, narrow, slice, count);
    CHECK_OK(tensor_widen(r->stream, narrow, dev_count_exact(count), &wide));
    check_same(r->stream, wide, slice, count);
    tensor_unref(narrow);
    tensor_unref(wide);
}

static void check_column(parquet_reader *r, uint32_t number)
{
    column_key key = make_key(1000 + number);
    cached_column *kept = open_twice(&key, LARGE_LIMIT);
    keep_column(r, number, kept, new_statement(LARGE_LIMIT));
    for (int i = 0; i < 20; i++) {
        uint64_t first = i ? test_random_below(SAMPLE_ROWS / 64) * 64 : 0;
        uint64_t count = i ? 1 + test_random_below(SAMPLE_ROWS - first) : SAMPLE_ROWS;
        tensor *got, *expected = decode(r, number, first, count);
        CHECK_OK(column_cache_slice(kept, r->stream, first, count, &got));
        CHECK(got);
        check_same(r->stream, got, expected, count);
        check_selected(r, kept, got, first, count);
        check_narrow(r, kept, got, first, count);
        check_narrow(r, kept, expected, first, 1);
        tensor_unref(got);
        tensor_unref(expected);
    }
    column_cache_close(kept);
}

static void check_sample(bool has_dictionaries, const char *isa)
{
    sample written;
    parquet_reader r;
    pq_writer *writer;
    char path[512];
    pq_writer_options options = pq_writer_options_default();
    options.page_rows = 300;
    sample_make(&written);
    for (size_t c = 0; c < written.column_count; c++)
        written.schema[c].options.no_dictionary = !has_dictionaries;
    snprintf(path, sizeof path, "%s/cached.parquet", test_folder());
    CHECK_OK(pq_writer_open(path, written.schema, written.column_count, &options, &writer));
    CHECK_OK(pq_writer_write(writer, written.values, SAMPLE_ROWS));
    CHECK_OK(pq_writer_finish(writer));
    parquet_reader_open(&r, path, isa);
    for (uint32_t c = 0; c < written.column_count; c++)
        check_column(&r, c);
    sample_free(&written);
    column_cache_clear();
    parquet_reader_close(&r);
}

TEST(column_cache_gives_values_of_every_type_as_they_were_decoded)
{
    selected_straight = given_narrow = 0;
    check_sample(true, "auto");
    check_sample(true, "scalar");
    check_sample(false, "auto");
    check_sample(false, "scalar");
    CHECK(selected_straight > 100);
    CHECK(given_narrow > 100);
}

/* ---- numbers ---- */

typedef struct bench {
    mem_budget *budget;
    device *dev;
    dev_stream stream;
} bench;

static void bench_open(bench *b, const char *isa)
{
    CHECK_OK(mem_budget_new(0, &b->budget));
    CHECK_OK(dev_open_cpu(isa, 0, b->budget, &b->dev));
    b->stream = (dev_stream){.dev = b->dev};
}

static void bench_close(bench *b)
{
    dev_close(b->dev);
    mem_budget_free(b->budget);
}

static void set_number(tensor *t, uint64_t row, int128 number)
{
    memcpy((char *)t->values + row * t->type.width, &number, t->type.width);
}

/* Numbers within 2^bits of `least`, modulo their width. */
static tensor *numbers(bench *b, data_type type, uint64_t rows, int128 least, unsigned bits,
                       bool has_nulls)
{
    tensor *t;
    uint128 mask = bits >= 128 ? ~(uint128)0 : ((uint128)1 << bits) - 1;
    CHECK_OK(tensor_new_flat(b->dev, type, rows, has_nulls, &t));
    if (has_nulls)
        memset(t->validity, 0, bitmap_bytes(rows));
    for (uint64_t row = 0; row < rows; row++) {
        uint128 more = ((uint128)test_random() << 64 | test_random()) & mask;
        bool is_null = has_nulls && test_random_below(5) == 0;
        set_number(t, row, is_null ? 0 : (int128)((uint128)least + more));
        if (has_nulls && !is_null)
            t->validity[row / 64] |= (uint64_t)1 << row % 64;
    }
    return t;
}

static void check_numbers(bench *b, uint64_t number, data_type type, int128 least, unsigned bits,
                          bool has_nulls)
{
    uint64_t rows = 1 + test_random_below(500);
    column_key key = make_key(number);
    cached_column *kept = open_twice(&key, LARGE_LIMIT);
    tensor *t = numbers(b, type, rows, least, bits, has_nulls), *got;
    CHECK_OK(column_cache_add(kept, new_statement(LARGE_LIMIT), 64, rows, t, 1));
    CHECK_OK(column_cache_slice(kept, &b->stream, 64, rows, &got));
    CHECK(got);
    check_same(&b->stream, got, t, rows);
    tensor_unref(got);
    CHECK_OK(column_cache_slice(kept, &b->stream, 64, rows + 1, &got));
    CHECK(!got);
    CHECK_OK(column_cache_slice(kept, &b->stream, 63, 1, &got));
    CHECK(!got);
    tensor_unref(t);
    column_cache_close(kept);
}

TEST(column_cache_keeps_numbers_of_every_width)
{
    const data_type types[] = {
        type_make(TYPE_INT8),   type_make(TYPE_INT16),  type_make(TYPE_INT32),
        type_make(TYPE_INT64),  type_make(TYPE_UINT8),  type_make(TYPE_UINT16),
        type_make(TYPE_UINT32), type_make(TYPE_UINT64), type_make(TYPE_DATE),
        type_decimal(18, 2),    type_decimal(38, 4),    type_make(TYPE_TIMESTAMP)};
    const char *const isas[] = {"scalar", "auto"};
    uint64_t number = 0;
    for (size_t i = 0; i < 2; i++) {
        bench b;
        bench_open(&b, isas[i]);
        for (size_t k = 0; k < sizeof types / sizeof *types; k++)
            for (unsigned bits = 0; bits <= types[k].width * 8u; bits += 1 + bits / 4) {
                int128 least = (int128)test_random() - ((int128)1 << 62);
                check_numbers(&b, ++number, types[k], least, bits, false);
                check_numbers(&b, ++number, types[k], least, bits, true);
            }
        column_cache_clear();
        bench_close(&b);
    }
}

static bool covers(cached_column *kept, uint64_t count, const int128 *range)
{
    column_cache_gain gain;
    return column_cache_covers(kept, 0, count, range, &gain);
}

TEST(column_cache_gives_no_values_out_of_a_range)
{
    bench b;
    const int128 fits[] = {-5, 5}, too_low[] = {-4, 5}, too_high[] = {-5, 4};
    const column_key key = make_key(77);
    bench_open(&b, "auto");
    cached_column *kept = open_twice(&key, LARGE_LIMIT);
    tensor *t = numbers(&b, type_make(TYPE_INT32), 3, 0, 0, true);
    t->validity[0] = 6; /* NULL, -5, 5 */
    set_number(t, 0, 0);
    set_number(t, 1, -5);
    set_number(t, 2, 5);
    CHECK_OK(column_cache_add(kept, new_statement(LARGE_LIMIT), 0, 3, t, 1));
    CHECK(!covers(kept, 3, too_low));
    CHECK(!covers(kept, 3, too_high));
    CHECK(covers(kept, 3, fits));
    CHECK(covers(kept, 3, NULL));
    CHECK(!covers(kept, 4, NULL));
    tensor_unref(t);
    column_cache_close(kept);
    column_cache_clear();
    bench_close(&b);
}

/* ---- narrow values ---- */

/* The mask of low <= value <= high that a kernel makes of rows [first, first + count). */
static void check_between(bench *b, const tensor *narrow, const tensor *t, uint64_t first,
                          uint64_t count, int128 low, int128 high)
{
    uint64_t bits[8192 / 64 + 1], span[2] = {(uint64_t)(low - narrow->narrow.origin),
                                             (uint64_t)(high - narrow->narrow.origin)};
    CHECK_OK(DEV_LAUNCH(&b->stream, narrow_between, .width = narrow->narrow.width, .low = span[0],
                        .high = span[1], .values = narrow->values, .bounds = narrow->narrow.bounds,
                        .count = dev_count_exact(count), .out = bits));
    for (uint64_t row = 0; row < count; row++) {
        int128 v = ((const int32_t *)t->values)[first + row];
        CHECK_EQ(bit(bits, row), v >= low && v <= high);
    }
}

/* Dates in order, so that bounds of blocks decide, of a width that `days` says. */
static void check_blocks(bench *b, uint64_t number, int32_t days)
{
    enum { ROWS = 8192 - 5 };
    column_key key = make_key(number);
    cached_column *kept = open_twice(&key, LARGE_LIMIT);
    tensor *t, *narrow;
    CHECK_OK(tensor_new_flat(b->dev, type_make(TYPE_DATE), ROWS, false, &t));
    for (int32_t row = 0; row < ROWS; row++)
        ((int32_t *)t->values)[row] = 8000 + (int32_t)((int64_t)row * days / ROWS);
    CHECK_OK(column_cache_add(kept, new_statement(LARGE_LIMIT), 0, ROWS, t, 1));
    for (uint64_t first = 0; first < ROWS; first += 1024) {
        CHECK_OK(column_cache_narrow(kept, first, ROWS - first, &narrow));
        CHECK(narrow);
        CHECK_EQ(narrow->narrow.bounds != NULL, first % DEV_NARROW_BLOCK == 0);
        for (int i = 0; i < 20; i++) {
            int32_t low = 8000 + (int32_t)test_random_below((uint64_t)days);
            int32_t high = low + (int32_t)test_random_below((uint64_t)(8000 + days - low));
            check_between(b, narrow, t, first, ROWS - first, low, high);
        }
        tensor_unref(narrow);
    }
    tensor_unref(t);
    column_cache_close(kept);
}

TEST(bounds_of_narrow_values_decide_for_their_rows)
{
    const char *const isas[] = {"scalar", "auto"};
    for (uint64_t i = 0; i < 2; i++) {
        bench b;
        bench_open(&b, isas[i]);
        check_blocks(&b, 1, 200);
        check_blocks(&b, 2, 20000);
        check_blocks(&b, 3, 2000000);
        column_cache_clear();
        bench_close(&b);
    }
}

/* ---- what is kept ---- */

TEST(column_cache_keeps_what_a_second_statement_asks_for)
{
    cached_column *column;
    column_key key = make_key(5);
    column_cache_use first = new_statement(LARGE_LIMIT);
    pq_row_range range = {0, 10};
    const pq_row_list rows = {.items = &range, .count = 1};
    CHECK_OK(column_cache_open(&key, first, &column));
    CHECK(!column);
    CHECK_OK(column_cache_open(&key, first, &column)); /* the same statement, again */
    CHECK(!column);
    CHECK_OK(column_cache_open(&key, new_statement(0), &column)); /* none may be kept */
    CHECK(!column);
    CHECK_OK(column_cache_open(&key, new_statement(LARGE_LIMIT), &column));
    CHECK(column);
    column_cache_close(column);
    CHECK(!column_cache_has(&key, first, &rows));
    key.replaces_text = true; /* other values may come of it */
    CHECK_OK(column_cache_open(&key, new_statement(LARGE_LIMIT), &column));
    CHECK(!column);
    key.replaces_text = false;
    key.version.file.modified++; /* the file was written to */
    CHECK_OK(column_cache_open(&key, new_statement(LARGE_LIMIT), &column));
    CHECK(!column);
    column_cache_clear();
}

static bool is_kept(uint64_t number)
{
    column_key key = make_key(number);
    pq_row_range range = {0, 1000};
    const pq_row_list rows = {.items = &range, .count = 1};
    return column_cache_has(&key, new_statement(LARGE_LIMIT), &rows);
}

static void keep_doubles(bench *b, uint64_t number, uint64_t limit, uint64_t nanoseconds)
{
    tensor *t;
    column_key key = make_key(number);
    cached_column *kept = open_twice(&key, limit);
    CHECK_OK(tensor_new_flat(b->dev, type_make(TYPE_DOUBLE), 1000, false, &t));
    memset(t->values, 0, 8000);
    CHECK_OK(column_cache_add(kept, new_statement(limit), 0, 1000, t, nanoseconds));
    tensor_unref(t);
    column_cache_close(kept);
}

/* Returns how many of the column chunks 1 to `count` the cache opens for one statement. */
static uint64_t count_opened(uint64_t count)
{
    column_cache_use use = new_statement(LARGE_LIMIT);
    uint64_t opened = 0;
    for (uint64_t i = 1; i <= count; i++) {
        column_key key = make_key(i);
        cached_column *column;
        CHECK_OK(column_cache_open(&key, use, &column));
        opened += column != NULL;
        column_cache_close(column);
    }
    return opened;
}

TEST(column_cache_knows_thousands_of_columns_that_a_statement_asked_for)
{
    CHECK_EQ(count_opened(10000), 0);
    CHECK_EQ(count_opened(10000), 10000);
    column_cache_clear();
    CHECK_EQ(count_opened(10000), 0);
    column_cache_clear();
}

TEST(column_cache_stays_within_its_limit)
{
    bench b;
    const uint64_t limit = 100000;
    bench_open(&b, "auto");
    for (uint64_t i = 0; i < 200; i++) {
        keep_doubles(&b, i + 1, limit, 1000);
        CHECK(column_cache_bytes() <= limit);
    }
    CHECK(column_cache_bytes() > limit / 2);
    for (uint64_t i = 0; i < 5;
         i++) /* what took longer to decode takes the place of what did not */
        keep_doubles(&b, 1000 + i, limit, 1000000);
    for (uint64_t i = 0; i < 5; i++)
        CHECK(is_kept(1000 + i));
    column_cache_give_back(column_cache_bytes() / 2);
    CHECK(column_cache_bytes() <= limit / 2);
    for (uint64_t i = 0; i < 5; i++)
        CHECK(is_kept(1000 + i));
    column_cache_clear();
    CHECK_EQ(column_cache_bytes(), 0);
    bench_close(&b);
}

TEST(column_cache_gives_memory_back_to_a_budget)
{
    bench b;
    mem_budget *budget;
    bench_open(&b, "auto");
    for (uint64_t i = 0; i < 50; i++)
        keep_doubles(&b, i + 1, LARGE_LIMIT, 1000);
    uint64_t held = column_cache_bytes(), limit = 4 * held;
    CHECK_OK(mem_budget_new(limit, &budget));
    mem_budget_set_lender(budget, &scan_cache_lender, NULL);
    CHECK_OK(mem_budget_take(budget, 2 * held, "test"));
    CHECK_EQ(column_cache_bytes(), held); /* both fit */
    CHECK_OK(mem_budget_take(budget, held + held / 2, "test"));
    CHECK(column_cache_bytes() <= held / 2 - limit / 16); /* which nobody has */
    CHECK_OK(mem_budget_take(budget, held - held / 2,
                             "test")); /* all of the limit: nothing is left to the cache */
    CHECK_EQ(column_cache_bytes(), 0);
    mem_budget_give(budget, limit);
    mem_budget_free(budget);
    column_cache_clear();
    bench_close(&b);
}

/* ---- sums of narrow values ---- */

#define SUM_ROWS 1100000 /* two-byte values add up to more than 32 bits hold */

static uint64_t narrow_at(const void *values, uint8_t width, size_t i)
{
    return width == 1   ? ((const uint8_t *)values)[i]
           : width == 2 ? ((const uint16_t *)values)[i]
                        : ((const uint32_t *)values)[i];
}

static void check_sum(bench *b, uint8_t width, const void *values, const uint64_t *validity,
                      size_t count)
{
    int128 origin = -((int128)1 << 62), sum = 17, expected = 17;
    for (size_t i = 0; i < count; i++)
        expected += !validity || bit(validity, i) ? origin + narrow_at(values, width, i) : 0;
    CHECK_OK(DEV_LAUNCH(&b->stream, narrow_sum, .width = width, .origin_low = (uint64_t)origin,
                        .origin_high = (uint64_t)(origin >> 64), .values = values,
                        .validity = validity, .count = dev_count_exact(count), .sum = &sum));
    CHECK(sum == expected);
}

TEST(narrow_values_add_up)
{
    static const char *const isas[] = {"scalar", "avx2", "auto"};
    uint32_t *values = mem_new_array(SUM_ROWS, sizeof *values);
    uint64_t *validity = mem_new_array(SUM_ROWS / 64 + 1, sizeof *validity);
    CHECK(values && validity);
    memset(values, 0xff, SUM_ROWS * sizeof *values); /* the greatest, then any */
    for (int round = 0; round < 2; round++) {
        for (size_t k = 0; k < sizeof isas / sizeof *isas; k++) {
            bench b;
            bench_open(&b, isas[k]);
            for (uint8_t width = 1; width <= 4; width *= 2)
                for (size_t count = 0; count < 200; count += 33) {
                    check_sum(&b, width, values, NULL, count);
                    check_sum(&b, width, values, validity, count);
                }
            check_sum(&b, 2, values, NULL, SUM_ROWS);
            check_sum(&b, 2, values, validity, SUM_ROWS);
            bench_close(&b);
        }
        for (size_t i = 0; i < SUM_ROWS; i++)
            values[i] = (uint32_t)(i * 2654435761u);
        for (size_t i = 0; i < SUM_ROWS / 64 + 1; i++)
            validity[i] = i * 0x9e3779b97f4a7c15;
    }
    mem_free(values);
    mem_free(validity);
}
