/* test_result_kernels.c - kernels that lay results out as Arrow has them: every ISA and the CUDA device against plain
 * loops.
 *
 * test_label: release */
#include "kernel_tables.h"
#include "test.h"

#define ROWS_MAX 5000 /* three tiles of the CUDA device */
#define TEXT_MAX 300
#define SHORT_TEXT_MAX 40 /* most of them */

static const size_t counts[] = {1, 7, 8, 63, 64, 65, 2047, 2048, 2049, ROWS_MAX};
#define COUNTS (sizeof counts / sizeof *counts)
static const char *const isas[] = {"scalar", "avx2", "avx512", "cuda"};
#define ISAS (sizeof isas / sizeof *isas)

static uint64_t validity[ROWS_MAX / 64 + 1];

static const dev_kernel_function *table_of(size_t isa)
{
    const char *name;
    return test_kernel_table(isas[isa], &name);
}

static bool is_valid(bool has_nulls, size_t i)
{
    return !has_nulls || (validity[i / 64] >> (i % 64) & 1);
}

static void fill_validity(void)
{
    for (size_t i = 0; i < sizeof validity / sizeof *validity; i++)
        validity[i] = test_random() | test_random();
}

/* ---- texts ---- */

static string_view views[ROWS_MAX];
static char texts[ROWS_MAX][TEXT_MAX];

static void fill_texts(void)
{
    for (size_t i = 0; i < ROWS_MAX; i++) {
        bool is_short = test_random_below(4) > 0;
        uint32_t bytes = (uint32_t)test_random_below((is_short ? SHORT_TEXT_MAX : TEXT_MAX) + 1);
        for (size_t k = 0; k < TEXT_MAX; k++)
            texts[i][k] = (char)('a' + test_random_below(26));
        views[i] = string_view_make(texts[i], i % 7 ? bytes : 0);
    }
}

static void check_texts(const dev_kernel_function *table, dev_count count, size_t rows,
                        bool has_nulls)
{
    static int64_t offsets[ROWS_MAX + 2];
    static char bytes[ROWS_MAX * TEXT_MAX + 1];
    const uint64_t *valid = has_nulls ? validity : NULL;
    int64_t at = 0;
    memset(offsets, 0xa5, sizeof offsets);
    memset(bytes, '#', sizeof bytes);
    string_offsets_arguments o = {
        .values = views, .validity = valid, .count = count, .out = offsets};
    table[DEV_KERNEL_string_offsets](&o);
    string_place_arguments p = {
        .values = views, .validity = valid, .count = count, .offsets = offsets, .out = bytes};
    table[DEV_KERNEL_string_place](&p);
    for (size_t i = 0; i < rows; i++) {
        uint32_t length = is_valid(has_nulls, i) ? views[i].bytes : 0;
        CHECK_EQ(offsets[i], at);
        CHECK(!memcmp(bytes + at, texts[i], length));
        at += length;
    }
    CHECK_EQ(offsets[rows], at);
    CHECK_EQ(bytes[at], '#');
}

TEST(texts_side_by_side)
{
    fill_texts();
    fill_validity();
    EACH_TABLE (v, 0, ISAS)
        for (size_t c = 0; c < COUNTS; c++)
            for (int has_nulls = 0; has_nulls < 2; has_nulls++)
                check_texts(table_of(v), dev_count_exact(counts[c]), counts[c], has_nulls);
}

/* Long ones go to a heap of which some bytes are in use, each to a place of its own. */
TEST(texts_in_a_heap)
{
    enum { USED = 13 };
    static string_view copies[ROWS_MAX];
    static char heap[USED + ROWS_MAX * TEXT_MAX + 1];
    fill_texts();
    fill_validity();
    EACH_TABLE (v, 0, ISAS)
        for (size_t c = 0; c < COUNTS; c++) {
            uint64_t used = USED, wanted = USED, wrong = 0;
            memset(heap, '#', sizeof heap);
            string_copy_arguments a = {.values = views,
                                       .validity = validity,
                                       .count = dev_count_exact(counts[c]),
                                       .heap = heap,
                                       .heap_used = &used,
                                       .out = copies};
            table_of(v)[DEV_KERNEL_string_copy](&a);
            for (size_t i = 0; i < counts[c]; i++) {
                if (!is_valid(true, i))
                    continue;
                const char *text = string_data(&copies[i]);
                bool is_long = views[i].bytes > STRING_INLINE_BYTES;
                wanted += is_long ? views[i].bytes : 0;
                wrong += copies[i].bytes != views[i].bytes ||
                         memcmp(text, texts[i], views[i].bytes) != 0 ||
                         (is_long && (text < heap + USED || text >= heap + used));
            }
            CHECK_EQ(wrong, 0);
            CHECK_EQ(used, wanted);
            for (size_t k = 0; k < USED; k++)
                CHECK_EQ(heap[k], '#');
            CHECK_EQ(heap[used], '#');
        }
}

/* The bytes of long texts are elsewhere, in the same order. */
TEST(texts_whose_heap_was_copied)
{
    static string_view copies[ROWS_MAX];
    fill_texts();
    EACH_TABLE (v, 0, ISAS)
        for (size_t c = 0; c < COUNTS; c++) {
            static char heap[sizeof texts];
            uint64_t wrong = 0;
            memcpy(heap, texts, sizeof texts);
            string_point_arguments a = {.values = views,
                                        .count = dev_count_exact(counts[c]),
                                        .from = (uintptr_t)texts,
                                        .heap = heap,
                                        .out = copies};
            table_of(v)[DEV_KERNEL_string_point](&a);
            for (size_t i = 0; i < counts[c]; i++) {
                bool is_long = views[i].bytes > STRING_INLINE_BYTES;
                const char *text = string_data(&copies[i]);
                wrong += copies[i].bytes != views[i].bytes ||
                         memcmp(text, texts[i], views[i].bytes) != 0 ||
                         (is_long && text != heap + (string_data(&views[i]) - (char *)texts));
            }
            CHECK_EQ(wrong, 0);
        }
}

TEST(texts_of_a_lazy_count)
{
    uint64_t actual[] = {0, 1, 2048, 3000};
    fill_texts();
    fill_validity();
    EACH_TABLE (v, 0, ISAS)
        for (size_t c = 0; c < sizeof actual / sizeof *actual; c++)
            check_texts(table_of(v), (dev_count){ROWS_MAX, &actual[c]}, actual[c], true);
}

/* ---- intervals and UUIDs ---- */

typedef struct month_day_nano {
    int32_t months, days;
    int64_t nanoseconds;
} month_day_nano;

static dev_error_code make_intervals(const dev_kernel_function *table, const interval_value *values,
                                     bool has_nulls, size_t rows, month_day_nano *out)
{
    dev_error error = {.code = DEV_ERROR_NONE};
    arrow_values_arguments a = {.type = type_make(TYPE_INTERVAL),
                                .values = values,
                                .validity = has_nulls ? validity : NULL,
                                .count = dev_count_exact(rows),
                                .out = out,
                                .error = &error,
                                .location = 5};
    table[DEV_KERNEL_arrow_values](&a);
    if (atomic_load(&error.code) != DEV_ERROR_NONE)
        CHECK_EQ(error.location, 5);
    return (dev_error_code)atomic_load(&error.code);
}

#define MICROSECONDS_MOST INT64_C(9223372036854775) /* of 2^63 - 1 nanoseconds */

TEST(intervals_of_nanoseconds)
{
    static interval_value values[ROWS_MAX];
    static month_day_nano out[ROWS_MAX];
    fill_validity();
    for (size_t i = 0; i < ROWS_MAX; i++)
        values[i] = (interval_value){(int32_t)test_random(), (int32_t)test_random(),
                                     i % 3 == 0   ? MICROSECONDS_MOST
                                     : i % 3 == 1 ? -MICROSECONDS_MOST
                                                  : (int64_t)test_random_below(1000000)};
    EACH_TABLE (v, 0, ISAS)
        for (size_t c = 0; c < COUNTS; c++)
            for (int has_nulls = 0; has_nulls < 2; has_nulls++) {
                memset(out, 0xa5, sizeof out);
                CHECK_EQ(make_intervals(table_of(v), values, has_nulls, counts[c], out), 0);
                for (size_t i = 0; i < counts[c]; i++) {
                    bool valid = is_valid(has_nulls, i);
                    CHECK_EQ(out[i].months, valid ? values[i].months : 0);
                    CHECK_EQ(out[i].days, valid ? values[i].days : 0);
                    CHECK_EQ(out[i].nanoseconds, valid ? values[i].microseconds * 1000 : 0);
                }
            }
}

TEST(intervals_that_are_too_long)
{
    static const int64_t microseconds[] = {MICROSECONDS_MOST + 1, -MICROSECONDS_MOST - 1, INT64_MAX,
                                           INT64_MIN};
    month_day_nano out[2];
    validity[0] = 1;
    EACH_TABLE (v, 0, ISAS)
        for (size_t i = 0; i < sizeof microseconds / sizeof *microseconds; i++) {
            interval_value values[2] = {{0, 0, 0}, {0, 0, microseconds[i]}};
            CHECK_EQ(make_intervals(table_of(v), values, false, 2, out), DEV_ERROR_NANOSECONDS);
            /* A value under a NULL does not fail. */
            CHECK_EQ(make_intervals(table_of(v), values, true, 2, out), DEV_ERROR_NONE);
        }
}

TEST(uuids_in_the_order_of_their_bytes)
{
    static int128 values[ROWS_MAX];
    static uint8_t bytes[ROWS_MAX][16], out[ROWS_MAX][16];
    static const uint8_t none[16];
    fill_validity();
    for (size_t i = 0; i < ROWS_MAX; i++) {
        uint128 number = 0;
        for (size_t k = 0; k < 16; k++) {
            bytes[i][k] = (uint8_t)test_random();
            number = number << 8 | bytes[i][k];
        }
        values[i] = (int128)(number ^ (uint128)1 << 127);
    }
    EACH_TABLE (v, 0, ISAS)
        for (int has_nulls = 0; has_nulls < 2; has_nulls++) {
            dev_error error = {.code = DEV_ERROR_NONE};
            arrow_values_arguments a = {.type = type_make(TYPE_UUID),
                                        .values = values,
                                        .validity = has_nulls ? validity : NULL,
                                        .count = dev_count_exact(ROWS_MAX),
                                        .out = out,
                                        .error = &error};
            memset(out, 0xa5, sizeof out);
            table_of(v)[DEV_KERNEL_arrow_values](&a);
            for (size_t i = 0; i < ROWS_MAX; i++)
                CHECK(!memcmp(out[i], is_valid(has_nulls, i) ? bytes[i] : none, 16));
        }
}
