/* test_kernels_states.c - states of groups, of more rows than the CUDA device's blocks have at a time: every
 * ISA against plain loops. Groups that are few, many, none, and one that has most of the rows.
 * test_label: not-tsan release */
#include "device/cpu/tables.h"
#include "kernel_tables.h"
#include "test.h"

#include <math.h>

#define ROWS_MAX 17000
#define GROUPS_MAX_TEST 17000 /* so many that their states are fetched ahead */

static const char *const isas[] = {"scalar", "avx2", "avx512", "cuda"};
#define ISAS (sizeof isas / sizeof *isas)
static const size_t counts[] = {0, 1, 32, 33, 1024, ROWS_MAX};
#define COUNTS (sizeof counts / sizeof *counts)

typedef enum spread {
    NO_GROUPS,
    ONE_GROUP,
    FEW_GROUPS,
    MORE_THAN_SLOTS,
    MANY_GROUPS,
    ONE_HAS_MOST
} spread;
#define SPREADS (ONE_HAS_MOST + 1)

static struct {
    _Alignas(64) char values[ROWS_MAX * 24];
    uint64_t validity[ROWS_MAX / 64 + 9], mask[ROWS_MAX / 64 + 9];
    uint32_t groups[ROWS_MAX];
    size_t rows;  /* how many there are */
    bool all;     /* neither NULLs nor a mask */
    bool grouped; /* else all rows are group 0's */
    uint64_t actual;
} in;

static const dev_kernel_function *table_of(size_t isa)
{
    const char *name;
    return test_kernel_table(isas[isa], &name);
}

static uint32_t group_in(spread s)
{
    switch (s) {
    case FEW_GROUPS:
        return (uint32_t)test_random_below(4);
    case MORE_THAN_SLOTS:
        return (uint32_t)test_random_below(67);
    case MANY_GROUPS:
        return (uint32_t)test_random_below(GROUPS_MAX_TEST);
    case ONE_HAS_MOST:
        return test_random_below(10) ? 37 : (uint32_t)test_random_below(GROUPS_MAX_TEST);
    default:
        return 0;
    }
}

static void draw(size_t rows, spread s)
{
    in.rows = in.actual = rows;
    in.grouped = s != NO_GROUPS;
    in.all = test_random_below(2);
    for (size_t i = 0; i < rows; i++)
        in.groups[i] = group_in(s);
    for (size_t w = 0; w < ROWS_MAX / 64 + 9; w++) {
        in.validity[w] = test_random() | test_random();
        in.mask[w] = test_random() | test_random();
    }
}

static bool counts_row(size_t i)
{
    return in.all || (in.validity[i / 64] >> (i % 64) & in.mask[i / 64] >> (i % 64) & 1);
}

static size_t group_of(size_t i)
{
    return in.grouped ? in.groups[i] : 0;
}

/* A count of more rows than there are, as the host may know. */
static dev_count some_rows(void)
{
    return (dev_count){.bound = in.rows < ROWS_MAX ? in.rows + 1 : in.rows, .actual = &in.actual};
}

/* Arguments that all updates have. */
#define ROWS_OF_UPDATE                                                                             \
    .validity = in.all ? NULL : in.validity, .mask = in.all ? NULL : in.mask,                      \
    .groups = in.grouped ? in.groups : NULL, .count = some_rows()

/* body is run for each number of rows and each spread; draws come first. */
#define FOR_INPUTS(body)                                                                           \
    for (size_t c_ = 0; c_ < COUNTS; c_++)                                                         \
        for (spread s_ = NO_GROUPS; s_ < SPREADS; s_++) {                                          \
            draw(counts[c_], s_);                                                                  \
            body;                                                                                  \
        }

/* ---- counts and sums of integers ---- */

static void check_count(void)
{
    static uint64_t expected[GROUPS_MAX_TEST], states[GROUPS_MAX_TEST];
    memset(expected, 0, sizeof expected);
    for (size_t i = 0; i < in.rows; i++)
        expected[group_of(i)] += counts_row(i);
    EACH_TABLE (isa, 0, ISAS) {
        memset(states, 0, sizeof states);
        aggregate_count_arguments a = {
            ROWS_OF_UPDATE, .group_count = in.grouped ? GROUPS_MAX_TEST : 1, .states = states};
        table_of(isa)[DEV_KERNEL_aggregate_count](&a);
        CHECK(!memcmp(states, expected, sizeof states));
    }
}

TEST(counts_of_groups)
{
    FOR_INPUTS(check_count());
}

static void check_sum(uint32_t state_width)
{
    static int128 expected[GROUPS_MAX_TEST], states[GROUPS_MAX_TEST];
    int64_t *values = (int64_t *)(void *)in.values;
    memset(expected, 0, sizeof expected);
    for (size_t i = 0; i < in.rows; i++) {
        values[i] = (int64_t)test_random() >> 20;
        expected[group_of(i)] += counts_row(i) ? values[i] : 0;
    }
    EACH_TABLE (isa, 0, ISAS) {
        dev_error error = {0};
        memset(states, 0, sizeof states);
        aggregate_sum_arguments a = {ROWS_OF_UPDATE,
                                     .type = type_make(TYPE_INT64),
                                     .values = values,
                                     .group_count = in.grouped ? GROUPS_MAX_TEST : 1,
                                     .state_width = state_width,
                                     .fits = true,
                                     .states = states,
                                     .error = &error};
        table_of(isa)[DEV_KERNEL_aggregate_sum](&a);
        CHECK_EQ(error.code, DEV_ERROR_NONE);
        for (size_t g = 0; g < GROUPS_MAX_TEST; g++) {
            int128 got = state_width == 16 ? states[g] : ((const int64_t *)(const void *)states)[g];
            CHECK_EQ(got, expected[g]);
        }
    }
}

TEST(sums_of_groups)
{
    FOR_INPUTS(check_sum(8); check_sum(16));
}

/* ---- sums of doubles ---- */

/* Numbers of very different sizes, so that plain additions would lose a lot: 2^-20 times an integer. */
static void check_numbers(void)
{
    static int128 expected[GROUPS_MAX_TEST];
    static aggregate_number states[GROUPS_MAX_TEST], merged[GROUPS_MAX_TEST];
    double *values = (double *)(void *)in.values;
    memset(expected, 0, sizeof expected);
    for (size_t i = 0; i < in.rows; i++) {
        int64_t whole = (int64_t)test_random() >> 30;
        int128 exact = (int128)whole * ((int128)1 << test_random_below(30));
        values[i] = ldexp((double)exact, -20);
        expected[group_of(i)] += counts_row(i) ? exact : 0;
    }
    EACH_TABLE (isa, 0, ISAS) {
        memset(states, 0, sizeof states);
        memset(merged, 0, sizeof merged);
        aggregate_sum_number_arguments a = {ROWS_OF_UPDATE, .type = type_make(TYPE_DOUBLE),
                                            .values = values, .group_count = GROUPS_MAX_TEST,
                                            .states = states};
        table_of(isa)[DEV_KERNEL_aggregate_sum_number](&a);
        aggregate_sum_number_arguments m = {.is_state = true,
                                            .values = states,
                                            .count = dev_count_exact(GROUPS_MAX_TEST),
                                            .states = merged};
        table_of(isa)[DEV_KERNEL_aggregate_sum_number](&m);
        int128 all = 0;
        for (size_t g = 0; g < GROUPS_MAX_TEST; g++) {
            CHECK_EQ(states[g].sum + states[g].error, ldexp((double)expected[g], -20));
            all += expected[g];
        }
        CHECK_EQ(merged[0].sum + merged[0].error, ldexp((double)all, -20));
    }
}

TEST(sums_of_doubles_are_rounded_once)
{
    FOR_INPUTS(check_numbers());
}

TEST(sums_of_what_is_no_number)
{
    double values[300];
    uint32_t groups[300];
    for (size_t i = 0; i < 300; i++) {
        values[i] = 0.5;
        groups[i] = i % 4;
    }
    values[41] = (double)INFINITY;
    values[101] = (double)INFINITY;
    values[42] = (double)INFINITY;
    values[142] = -(double)INFINITY;
    values[43] = (double)NAN;
    EACH_TABLE (isa, 0, ISAS) {
        aggregate_number states[4] = {{0, 0}};
        aggregate_sum_number_arguments a = {.type = type_make(TYPE_DOUBLE),
                                            .values = values,
                                            .groups = groups,
                                            .count = dev_count_exact(300),
                                            .states = states};
        table_of(isa)[DEV_KERNEL_aggregate_sum_number](&a);
        CHECK_EQ(states[0].sum + states[0].error, 37.5);
        CHECK(isinf(states[1].sum) && states[1].sum > 0);
        CHECK(isnan(states[2].sum));
        CHECK(isnan(states[3].sum));
    }
}

/* ---- variances ---- */

static void check_variances(void)
{
    static aggregate_variance states[GROUPS_MAX_TEST];
    static long double sums[GROUPS_MAX_TEST], squares[GROUPS_MAX_TEST];
    static uint64_t found[GROUPS_MAX_TEST];
    double *values = (double *)(void *)in.values;
    memset(sums, 0, sizeof sums);
    memset(squares, 0, sizeof squares);
    memset(found, 0, sizeof found);
    for (size_t i = 0; i < in.rows; i++) {
        values[i] = 1e6 + (double)test_random_below(1000) / 7;
        found[group_of(i)] += counts_row(i);
        sums[group_of(i)] += counts_row(i) ? (long double)values[i] : 0;
    }
    for (size_t i = 0; i < in.rows; i++) {
        long double away = values[i] - sums[group_of(i)] / (long double)found[group_of(i)];
        squares[group_of(i)] += counts_row(i) ? away * away : 0;
    }
    EACH_TABLE (isa, 0, ISAS) {
        memset(states, 0, sizeof states);
        aggregate_vary_arguments a = {ROWS_OF_UPDATE, .values = values,
                                      .group_count = GROUPS_MAX_TEST, .states = states};
        table_of(isa)[DEV_KERNEL_aggregate_vary](&a);
        for (size_t g = 0; g < GROUPS_MAX_TEST; g++) {
            double expected = (double)squares[g];
            CHECK_EQ(states[g].count, found[g]);
            CHECK(fabs(states[g].squares - expected) <= 1e-9 * expected + 1e-9);
            CHECK(!found[g] || fabs(states[g].mean * (double)found[g] - (double)sums[g]) <=
                                   1e-12 * (double)sums[g]);
        }
        /* As states: those of all groups, and of groups without rows. */
        aggregate_variance merged = {0};
        aggregate_vary_arguments m = {.is_state = true,
                                      .values = states,
                                      .count = dev_count_exact(GROUPS_MAX_TEST),
                                      .states = &merged};
        table_of(isa)[DEV_KERNEL_aggregate_vary](&m);
        uint64_t all = 0;
        for (size_t g = 0; g < GROUPS_MAX_TEST; g++)
            all += found[g];
        CHECK_EQ(merged.count, all);
    }
}

TEST(variances_of_groups)
{
    FOR_INPUTS(check_variances());
}

/* A number whose square is beyond all numbers does not vary alone. */
TEST(variances_of_large_numbers)
{
    double value = 1e200;
    aggregate_variance large = {1e200, 0, 1};
    EACH_TABLE (isa, 0, ISAS)
        for (int is_state = 0; is_state < 2; is_state++) {
            aggregate_variance state = {0};
            aggregate_vary_arguments a = {.is_state = is_state,
                                          .values = is_state ? (const void *)&large : &value,
                                          .count = dev_count_exact(1),
                                          .states = &state};
            table_of(isa)[DEV_KERNEL_aggregate_vary](&a);
            CHECK_EQ(state.mean, 1e200);
            CHECK_EQ(state.squares, 0.0);
        }
}

/* ---- extremes ---- */

static int text_order(const string_view *left, const string_view *right)
{
    uint32_t shorter = left->bytes < right->bytes ? left->bytes : right->bytes;
    int order = memcmp(string_data(left), string_data(right), shorter);
    return order ? order : (left->bytes > right->bytes) - (left->bytes < right->bytes);
}

static void check_text(bool is_greatest)
{
    static char texts[ROWS_MAX][24];
    static string_view states[GROUPS_MAX_TEST], best[GROUPS_MAX_TEST];
    static uint32_t changed[ROWS_MAX];
    string_view *values = (string_view *)(void *)in.values;
    memset(best, 0xff, sizeof best);
    for (size_t i = 0; i < in.rows; i++) {
        uint32_t bytes = (uint32_t)test_random_below(24);
        for (uint32_t k = 0; k < bytes; k++)
            texts[i][k] = (char)("\x01\x61\xff"[test_random_below(k < 2 ? 3 : 2)]);
        values[i] = string_view_make(texts[i], bytes);
        string_view *b = &best[group_of(i)];
        int order = b->bytes == AGGREGATE_NO_TEXT ? 0 : text_order(&values[i], b);
        if (counts_row(i) &&
            (b->bytes == AGGREGATE_NO_TEXT || (is_greatest ? order > 0 : order < 0)))
            *b = values[i];
    }
    EACH_TABLE (isa, 0, ISAS) {
        uint64_t changed_count = 0;
        static bool is_changed[GROUPS_MAX_TEST];
        memset(states, 0xff, sizeof states);
        memset(is_changed, 0, sizeof is_changed);
        aggregate_pick_text_arguments a = {ROWS_OF_UPDATE,     .is_greatest = is_greatest,
                                           .values = values,   .states = states,
                                           .changed = changed, .changed_count = &changed_count};
        table_of(isa)[DEV_KERNEL_aggregate_pick_text](&a);
        CHECK(changed_count <= in.rows);
        for (size_t i = 0; i < changed_count; i++)
            is_changed[changed[i]] = true;
        for (size_t g = 0; g < GROUPS_MAX_TEST; g++) {
            uint32_t bytes = best[g].bytes;
            CHECK_EQ(states[g].bytes, bytes);
            if (bytes == AGGREGATE_NO_TEXT)
                continue;
            CHECK(!text_order(&states[g], &best[g]));
            CHECK(bytes <= STRING_INLINE_BYTES || is_changed[g]);
        }
    }
}

TEST(least_and_greatest_texts_of_groups)
{
    FOR_INPUTS(check_text(false); check_text(true));
}

static int128 weight_of(const interval_value *x)
{
    return ((int128)x->months * 30 + x->days) * 86400000000 + x->microseconds;
}

static void check_intervals(bool is_greatest)
{
    static interval_value states[GROUPS_MAX_TEST];
    static int128 best[GROUPS_MAX_TEST];
    const interval_value begin = {.months = is_greatest ? INT32_MIN : INT32_MAX};
    interval_value *values = (interval_value *)(void *)in.values;
    for (size_t g = 0; g < GROUPS_MAX_TEST; g++)
        best[g] = weight_of(&begin);
    for (size_t i = 0; i < in.rows; i++) {
        values[i] = (interval_value){.months = (int32_t)test_random_below(100) - 50,
                                     .days = (int32_t)test_random_below(3000) - 1500,
                                     .microseconds = (int64_t)test_random_below(1000000)};
        int128 weight = weight_of(&values[i]), *b = &best[group_of(i)];
        if (counts_row(i) && (is_greatest ? weight > *b : weight < *b))
            *b = weight;
    }
    EACH_TABLE (isa, 0, ISAS) {
        for (size_t g = 0; g < GROUPS_MAX_TEST; g++)
            states[g] = begin;
        aggregate_pick_arguments a = {
            ROWS_OF_UPDATE,   .is_greatest = is_greatest,     .type = type_make(TYPE_INTERVAL),
            .values = values, .group_count = GROUPS_MAX_TEST, .states = states};
        table_of(isa)[DEV_KERNEL_aggregate_pick](&a);
        for (size_t g = 0; g < GROUPS_MAX_TEST; g++)
            CHECK_EQ(weight_of(&states[g]), best[g]);
    }
}

TEST(least_and_greatest_intervals_of_groups)
{
    FOR_INPUTS(check_intervals(false); check_intervals(true));
}

/* ---- bits ---- */

static void check_bits(char op)
{
    static uint16_t expected[GROUPS_MAX_TEST], states[GROUPS_MAX_TEST];
    uint16_t *values = (uint16_t *)(void *)in.values, begin = op == '&' ? UINT16_MAX : 0;
    for (size_t g = 0; g < GROUPS_MAX_TEST; g++)
        expected[g] = begin;
    for (size_t i = 0; i < in.rows; i++) {
        uint16_t *e = &expected[group_of(i)], bit = (uint16_t)(1u << test_random_below(16));
        values[i] = op == '&' ? (uint16_t)~bit : bit;
        if (counts_row(i))
            *e = (uint16_t)(op == '&'   ? *e & values[i]
                            : op == '|' ? *e | values[i]
                                        : *e ^ values[i]);
    }
    EACH_TABLE (isa, 0, ISAS) {
        for (size_t g = 0; g < GROUPS_MAX_TEST; g++)
            states[g] = begin;
        aggregate_bits_arguments a = {ROWS_OF_UPDATE, .op = op, .width = 2, .values = values,
                                      .states = states};
        table_of(isa)[DEV_KERNEL_aggregate_bits](&a);
        CHECK(!memcmp(states, expected, sizeof states));
    }
}

TEST(bits_of_groups)
{
    FOR_INPUTS(check_bits('&'); check_bits('|'); check_bits('^'));
}
