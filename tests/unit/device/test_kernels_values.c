/* test_kernels_values.c - values that groups keep: every ISA against sorted copies.
 * test_label: not-tsan release */
#include "device/cpu/tables.h"
#include "device/value/value_code.h"
#include "kernel_tables.h"
#include "test.h"

#define ROWS_MAX 5000
#define GROUPS_MAX_TEST 70

static const char *const isas[] = {"scalar", "avx2", "avx512", "cuda"};
#define ISAS (sizeof isas / sizeof *isas)

static double values[ROWS_MAX];
static uint64_t validity[ROWS_MAX / 64 + 9], mask[ROWS_MAX / 64 + 9];
static uint32_t groups[ROWS_MAX];
static uint64_t codes[ROWS_MAX], counted[GROUPS_MAX_TEST];
static uint32_t code_groups[ROWS_MAX];
static aggregate_values states[2][GROUPS_MAX_TEST], merged[GROUPS_MAX_TEST];
static _Alignas(64) char heaps[4][ROWS_MAX * 8 + GROUPS_MAX_TEST * sizeof(aggregate_values_block)];

static const dev_kernel_function *table_of(size_t isa)
{
    const char *name;
    return test_kernel_table(isas[isa], &name);
}

static bool counts_row(size_t i, bool all)
{
    return all || (validity[i / 64] >> (i % 64) & mask[i / 64] >> (i % 64) & 1);
}

static void draw(size_t group_count)
{
    for (size_t i = 0; i < ROWS_MAX; i++) {
        uint64_t kind = test_random_below(20);
        values[i] = kind == 0   ? (double)NAN
                    : kind == 1 ? -0.0
                    : kind < 12 ? (double)test_random_below(50) - 25
                                : ldexp((double)test_random_below(1u << 20) - 5e5,
                                        (int)test_random_below(60) - 30);
        groups[i] = (uint32_t)test_random_below(group_count);
    }
    for (size_t w = 0; w < ROWS_MAX / 64 + 9; w++) {
        validity[w] = test_random() | test_random();
        mask[w] = test_random() | test_random();
    }
}

/* Rows [first, end) into the lists of `to`. */
static void put(const dev_kernel_function *table, size_t first, size_t end, size_t group_count,
                bool all, aggregate_values *to, char *heap)
{
    uint64_t found = 0, used = 0;
    bool grouped = group_count > 0;
    values_add_arguments add = {.type = type_make(TYPE_DOUBLE),
                                .values = values + first,
                                .validity = all ? NULL : validity + first / 64,
                                .mask = all ? NULL : mask + first / 64,
                                .groups = grouped ? groups + first : NULL,
                                .count = dev_count_exact(end - first),
                                .out = codes,
                                .out_groups = grouped ? code_groups : NULL,
                                .out_count = &found};
    table[DEV_KERNEL_values_add](&add);
    memset(counted, 0, sizeof counted);
    values_count_arguments count = {
        .groups = grouped ? code_groups : NULL, .count = dev_count_exact(found), .counts = counted};
    table[DEV_KERNEL_values_count](&count);
    values_place_arguments place = {.counts = counted,
                                    .count = dev_count_exact(grouped ? group_count : 1),
                                    .states = to,
                                    .heap = heap,
                                    .heap_used = &used};
    table[DEV_KERNEL_values_place](&place);
    values_move_arguments move = {.values = codes,
                                  .groups = grouped ? code_groups : NULL,
                                  .count = dev_count_exact(found),
                                  .places = counted,
                                  .heap = heap};
    table[DEV_KERNEL_values_move](&move);
}

static int compare(const void *left, const void *right)
{
    const uint64_t *l = left, *r = right;
    return (*l > *r) - (*l < *r);
}

static size_t sorted_codes(size_t count, size_t group_count, size_t group, bool all, uint64_t *to)
{
    size_t n = 0;
    for (size_t i = 0; i < count; i++)
        if (counts_row(i, all) && (!group_count || groups[i] == group))
            to[n++] = value_code_of_double(values[i]);
    qsort(to, n, sizeof *to, compare);
    return n;
}

static void check(const dev_kernel_function *table, size_t count, size_t group_count, bool all,
                  double share, bool between)
{
    static uint64_t sorted[ROWS_MAX];
    double got[GROUPS_MAX_TEST];
    uint64_t valid[GROUPS_MAX_TEST / 64 + 1];
    size_t lists = group_count ? group_count : 1;
    values_select_arguments a = {.type = type_make(TYPE_DOUBLE),
                                 .between = between,
                                 .share = share,
                                 .states = merged,
                                 .count = dev_count_exact(lists),
                                 .out = got,
                                 .out_validity = valid};
    table[DEV_KERNEL_values_select](&a);
    for (size_t g = 0; g < lists; g++) {
        size_t n = sorted_codes(count, group_count, g, all, sorted);
        CHECK_EQ(valid[g / 64] >> (g % 64) & 1, n > 0);
        if (!n)
            continue;
        size_t at = (size_t)value_code_rank(share, n, between);
        double low = value_code_double(sorted[at]), expected = low;
        if (between && at + 1 < n && sorted[at + 1] != sorted[at]) {
            double part = share * (double)(n - 1) - (double)at;
            expected = part > 0 ? low + (value_code_double(sorted[at + 1]) - low) * part : low;
        }
        CHECK(!memcmp(&got[g], &expected, sizeof expected) || (isnan(got[g]) && isnan(expected)));
    }
}

/* The lists as blobs and back, in other memory. */
static void move_through_blobs(const dev_kernel_function *table, size_t lists)
{
    static string_view views[GROUPS_MAX_TEST];
    uint64_t valid[GROUPS_MAX_TEST / 64 + 1], used = 0, total = 0;
    dev_error error = {0};
    values_bytes_arguments bytes = {
        .states = merged, .count = dev_count_exact(lists), .out_total = &total};
    table[DEV_KERNEL_values_bytes](&bytes);
    values_to_blob_arguments to = {.states = merged,
                                   .count = dev_count_exact(lists),
                                   .heap = heaps[2],
                                   .heap_used = &used,
                                   .out = views,
                                   .out_validity = valid,
                                   .error = &error};
    table[DEV_KERNEL_values_to_blob](&to);
    CHECK_EQ(total, used);
    used = 0;
    values_from_blob_arguments from = {.values = views,
                                       .validity = valid,
                                       .count = dev_count_exact(lists),
                                       .heap = heaps[3],
                                       .heap_used = &used,
                                       .states = merged};
    table[DEV_KERNEL_values_from_blob](&from);
}

TEST(values_are_kept_and_found)
{
    static const size_t counts[] = {0, 1, 2, 64, 65, 700, ROWS_MAX}, group_counts[] = {0, 1, 3, 70};
    static const double shares[] = {0, 0.1, 0.5, 0.73, 1};
    EACH_TABLE (isa, 0, ISAS)
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
            for (size_t g = 0; g < sizeof group_counts / sizeof *group_counts; g++)
                for (int all = 0; all < 2; all++) {
                    size_t count = counts[c], half = count / 128 * 64, lists = group_counts[g];
                    draw(lists ? lists : 1);
                    memset(states, 0, sizeof states);
                    memset(merged, 0, sizeof merged);
                    put(table_of(isa), 0, half, lists, all, states[0], heaps[0]);
                    put(table_of(isa), half, count, lists, all, states[1], heaps[1]);
                    for (int s = 0; s < 2; s++) {
                        uint32_t numbers[GROUPS_MAX_TEST];
                        for (uint32_t i = 0; i < GROUPS_MAX_TEST; i++)
                            numbers[i] = i;
                        values_merge_arguments merge = {.values = states[s],
                                                        .groups = lists ? numbers : NULL,
                                                        .count = dev_count_exact(lists ? lists : 1),
                                                        .states = merged};
                        table_of(isa)[DEV_KERNEL_values_merge](&merge);
                    }
                    for (size_t s = 0; s < sizeof shares / sizeof *shares; s++)
                        check(table_of(isa), count, lists, all, shares[s], s % 2);
                    move_through_blobs(table_of(isa), lists ? lists : 1);
                    for (size_t s = 0; s < sizeof shares / sizeof *shares; s++)
                        check(table_of(isa), count, lists, all, shares[s], !(s % 2));
                }
}

TEST(codes_stand_in_the_order_of_values)
{
    static const int64_t numbers[] = {INT64_MIN, -300, -2, -1, 0, 1, 2, 300, INT64_MAX};
    static const double reals[] = {-INFINITY, -1e300, -1, -1e-310, 0, 1e-310, 1, INFINITY, NAN};
    for (size_t i = 0; i < 9; i++) {
        int64_t back;
        double real;
        uint64_t code = value_code_at(type_make(TYPE_INT64), numbers, i);
        uint64_t code_of_real = value_code_at(type_make(TYPE_DOUBLE), reals, i);
        value_code_put(type_make(TYPE_INT64), code, &back, 0);
        value_code_put(type_make(TYPE_DOUBLE), code_of_real, &real, 0);
        CHECK_EQ(back, numbers[i]);
        CHECK(real == reals[i] || (isnan(real) && isnan(reals[i])));
        CHECK(!i || value_code_at(type_make(TYPE_INT64), numbers, i - 1) < code);
        CHECK(!i || value_code_at(type_make(TYPE_DOUBLE), reals, i - 1) < code_of_real);
    }
}
