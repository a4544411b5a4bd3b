/* test_kernels_aggregate.c - the grouping and aggregation kernels: every ISA against the scalar
 * one, and the scalar one against plain loops.
 * test_label: not-tsan release */
#include "device/cpu/tables.h"
#include "device/value/sort_key.h"
#include "kernel_tables.h"
#include "test.h"

#include <math.h>

#define ROWS_MAX 1100
#define GROUPS_MAX_TEST 1100
#define SLACK 64
#define SENTINEL 0xa5

static const size_t counts[] = {0, 1, 15, 16, 17, 63, 64, 65, 127, 1000, 1024, 1025};
#define COUNTS (sizeof counts / sizeof *counts)
static const char *const isas[] = {"scalar", "avx2", "avx512", "cuda"};
#define ISAS (sizeof isas / sizeof *isas)

static struct {
    _Alignas(64) char values[ROWS_MAX * 24 + SLACK];
    uint64_t validity[ROWS_MAX / 64 + 9], mask[ROWS_MAX / 64 + 9];
    uint32_t groups[ROWS_MAX + 16];
} in;

/* One per ISA. */
typedef struct outputs {
    _Alignas(64) char bytes[ROWS_MAX * 24 + SLACK];
    uint64_t words[16];
    dev_error error;
} outputs;
static outputs out[ISAS];

static void fill_bits(uint64_t *bits, size_t count, bool all)
{
    for (size_t w = 0; w < ROWS_MAX / 64 + 9; w++)
        bits[w] = all ? UINT64_MAX : test_random() | test_random();
    if (!all && count % 64)
        bits[count / 64] &= ((uint64_t)1 << (count % 64)) - 1;
}

static bool bit(const uint64_t *bits, size_t i)
{
    return bits[i / 64] >> (i % 64) & 1;
}

/* The tables that this machine has; NULL past them. */
static const dev_kernel_function *table_of(size_t isa)
{
    const char *name;
    return test_kernel_table(isas[isa], &name);
}

static void reset(outputs *o)
{
    memset(o, SENTINEL, sizeof *o);
    memset(&o->error, 0, sizeof o->error);
    memset(o->words, 0, sizeof o->words);
}

/* Same bytes as the scalar kernel made, and nothing written behind them. */
static void check_same(size_t isa, const char *kernel, size_t count, size_t bytes)
{
    if (memcmp(out[isa].bytes, out[0].bytes, bytes) ||
        memcmp(out[isa].words, out[0].words, sizeof out[0].words))
        test_fail(__FILE__, __LINE__, "%s: %s of %zu rows differs from scalar", isas[isa], kernel,
                  count);
    for (size_t i = bytes; i < bytes + SLACK; i++)
        if ((unsigned char)out[isa].bytes[i] != SENTINEL)
            test_fail(__FILE__, __LINE__, "%s: %s of %zu rows writes behind its output", isas[isa],
                      kernel, count);
}

static void fill_groups(size_t group_count)
{
    for (size_t i = 0; i < ROWS_MAX + 16; i++)
        in.groups[i] = (uint32_t)test_random_below(group_count);
}

static void fill_numbers(data_type type)
{
    for (size_t i = 0; i < ROWS_MAX; i++) {
        int128 number = (int64_t)test_random() >> (type.width == 4 ? 34 : 40);
        memcpy(in.values + i * type.width, &number, type.width);
    }
}

static int128 number_at(data_type type, size_t i)
{
    const char *at = in.values + i * type.width;
    int64_t wide;
    int128 widest;
    switch (type.id) {
    case TYPE_INT8:
        return (int8_t)*at;
    case TYPE_UINT16:
        return ((const uint16_t *)(const void *)in.values)[i];
    case TYPE_INT32:
        return ((const int32_t *)(const void *)in.values)[i];
    case TYPE_UINT32:
        return ((const uint32_t *)(const void *)in.values)[i];
    default:
        if (type.width == 16) {
            memcpy(&widest, at, sizeof widest);
            return widest;
        }
        memcpy(&wide, at, sizeof wide);
        return wide;
    }
}

static const size_t group_counts[] = {1, 4, 5, 8, 9, 64, 255, 256, 257, GROUPS_MAX_TEST};
#define GROUP_COUNTS (sizeof group_counts / sizeof *group_counts)

static uint64_t present_groups(size_t count)
{
    uint64_t present = 0;
    for (size_t i = 0; i < count; i++)
        present |= (uint64_t)1 << (in.groups[i] & 63);
    return present;
}

static void check_sums(data_type type, size_t count, size_t group_count, uint32_t width, int flags)
{
    bool fits = width == 8 || type.width < 8 || test_random_below(2);
    bool has_groups = flags & 1, has_validity = flags & 2, has_mask = flags & 4;
    uint64_t present = present_groups(count);
    int128 sums[GROUPS_MAX_TEST] = {0};
    for (size_t i = 0; i < count; i++)
        if ((!has_validity || bit(in.validity, i)) && (!has_mask || bit(in.mask, i)))
            sums[has_groups ? in.groups[i] : 0] += number_at(type, i);
    EACH_TABLE (v, 0, ISAS) {
        reset(&out[v]);
        memset(out[v].bytes, 0, group_count * width);
        aggregate_sum_arguments a = {.type = type,
                                     .values = in.values,
                                     .validity = has_validity ? in.validity : NULL,
                                     .mask = has_mask ? in.mask : NULL,
                                     .groups = has_groups ? in.groups : NULL,
                                     .group_count = group_count,
                                     .present = has_groups && group_count <= 64 ? &present : NULL,
                                     .count = dev_count_exact(count),
                                     .state_width = width,
                                     .fits = fits,
                                     .states = out[v].bytes,
                                     .error = &out[v].error};
        table_of(v)[DEV_KERNEL_aggregate_sum](&a);
        check_same(v, "aggregate_sum", count, group_count * width);
    }
    for (size_t g = 0; g < group_count; g++) {
        int128 sum = width == 8 ? ((const int64_t *)(const void *)out[0].bytes)[g]
                                : ((const int128 *)(const void *)out[0].bytes)[g];
        CHECK(sum == sums[g]);
    }
}

TEST(aggregate_sum_adds_up)
{
    const data_type types[] = {type_make(TYPE_INT8),  type_make(TYPE_UINT16),
                               type_make(TYPE_INT32), type_make(TYPE_UINT32),
                               type_make(TYPE_INT64), type_decimal(15, 2),
                               type_decimal(38, 4)};
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        for (size_t c = 0; c < COUNTS; c++)
            for (size_t g = 0; g < GROUP_COUNTS; g++)
                for (int flags = 0; flags < 8; flags++) {
                    fill_groups(group_counts[g]);
                    fill_numbers(types[t]);
                    fill_bits(in.validity, counts[c], false);
                    fill_bits(in.mask, counts[c], test_random_below(2));
                    check_sums(types[t], counts[c], group_counts[g], 8, flags);
                    check_sums(types[t], counts[c], group_counts[g], 16, flags);
                }
}

TEST(aggregate_sum_of_128_bits_reports_overflow)
{
    int128 values[2] = {(int128)1 << 126, (int128)1 << 126}, state = 1;
    EACH_TABLE (v, 0, ISAS) {
        dev_error error = {0};
        aggregate_sum_arguments a = {.type = type_decimal(38, 0),
                                     .values = values,
                                     .count = dev_count_exact(2),
                                     .state_width = 16,
                                     .states = &state,
                                     .error = &error,
                                     .location = 7};
        state = 1;
        table_of(v)[DEV_KERNEL_aggregate_sum](&a);
        CHECK_EQ(error.code, DEV_ERROR_OVERFLOW);
        CHECK_EQ(error.location, 7);
    }
}

TEST(aggregate_magnitude_bounds)
{
    const data_type types[] = {type_make(TYPE_INT64), type_decimal(15, 2), type_decimal(38, 4)};
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        for (size_t c = 0; c < COUNTS; c++)
            for (int is_wide = 0; is_wide < 2; is_wide++) {
                fill_numbers(types[t]);
                int128 wide = (int128)INT64_MAX + 1;
                bool has_wide = is_wide && types[t].width == 16 && counts[c];
                if (has_wide)
                    memcpy(in.values + test_random_below(counts[c]) * 16, &wide, 16);
                EACH_TABLE (v, 0, ISAS) {
                    uint64_t bound = 0;
                    aggregate_magnitude_arguments a = {.type = types[t],
                                                       .values = in.values,
                                                       .count = dev_count_exact(counts[c]),
                                                       .out = &bound};
                    table_of(v)[DEV_KERNEL_aggregate_magnitude](&a);
                    CHECK_EQ(bound == UINT64_MAX, has_wide);
                    for (size_t i = 0; i < counts[c] && !has_wide; i++) {
                        int128 x = number_at(types[t], i);
                        CHECK(x <= (int128)bound && -x <= (int128)bound + 1);
                    }
                }
            }
}

TEST(aggregate_count_counts)
{
    for (size_t c = 0; c < COUNTS; c++)
        for (size_t g = 0; g < GROUP_COUNTS; g++)
            for (int flags = 0; flags < 8; flags++) {
                size_t count = counts[c], group_count = group_counts[g];
                bool has_groups = flags & 1;
                uint64_t totals[GROUPS_MAX_TEST] = {0}, present;
                fill_groups(group_count);
                fill_bits(in.validity, count, false);
                fill_bits(in.mask, count, false);
                present = present_groups(count);
                for (size_t i = 0; i < count; i++)
                    totals[has_groups ? in.groups[i] : 0] +=
                        (!(flags & 2) || bit(in.validity, i)) && (!(flags & 4) || bit(in.mask, i));
                EACH_TABLE (v, 0, ISAS) {
                    reset(&out[v]);
                    memset(out[v].bytes, 0, group_count * 8);
                    aggregate_count_arguments a = {
                        .validity = flags & 2 ? in.validity : NULL,
                        .mask = flags & 4 ? in.mask : NULL,
                        .groups = has_groups ? in.groups : NULL,
                        .group_count = group_count,
                        .present = has_groups && group_count <= 64 ? &present : NULL,
                        .count = dev_count_exact(count),
                        .states = (uint64_t *)(void *)out[v].bytes};
                    table_of(v)[DEV_KERNEL_aggregate_count](&a);
                    check_same(v, "aggregate_count", count, group_count * 8);
                }
                CHECK(!memcmp(out[0].bytes, totals, group_count * 8));
            }
}

static uint64_t put_bits(char op, uint64_t x, uint64_t y)
{
    return op == '&' ? x & y : op == '|' ? x | y : x ^ y;
}

TEST(aggregate_bits_puts_bits_together)
{
    const data_type types[] = {type_make(TYPE_INT8), type_make(TYPE_UINT16), type_make(TYPE_INT32),
                               type_make(TYPE_INT64)};
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        for (size_t c = 0; c < COUNTS; c++)
            for (int flags = 0; flags < 6; flags++) {
                data_type type = types[t];
                size_t count = counts[c], group_count = 37;
                char op = "&|^"[flags / 2];
                bool has_groups = flags & 1;
                uint64_t made[37], begin = op == '&' ? UINT64_MAX : 0;
                fill_groups(group_count);
                fill_numbers(type);
                fill_bits(in.validity, count, false);
                for (size_t g = 0; g < group_count; g++)
                    made[g] = begin;
                EACH_TABLE (v, 0, ISAS) {
                    reset(&out[v]);
                    for (size_t g = 0; g < group_count; g++)
                        memcpy(out[v].bytes + g * type.width, &begin, type.width);
                    aggregate_bits_arguments a = {.op = op,
                                                  .width = type.width,
                                                  .values = in.values,
                                                  .validity = in.validity,
                                                  .groups = has_groups ? in.groups : NULL,
                                                  .count = dev_count_exact(count),
                                                  .states = out[v].bytes};
                    table_of(v)[DEV_KERNEL_aggregate_bits](&a);
                    check_same(v, "aggregate_bits", count, group_count * type.width);
                }
                for (size_t i = 0; i < count; i++) {
                    uint64_t *m = &made[has_groups ? in.groups[i] : 0];
                    if (bit(in.validity, i))
                        *m = put_bits(op, *m, (uint64_t)number_at(type, i));
                }
                for (size_t g = 0; g < group_count; g++)
                    CHECK(!memcmp(out[0].bytes + g * type.width, &made[g], type.width));
            }
}

/* ---- pairs ---- */

static const size_t pair_groups[] = {0, 1, 3, 1000}; /* 0: no groups */

static void launch_pairs(const dev_kernel_function *kernels, size_t count, size_t groups, bool all,
                         aggregate_pair *states)
{
    const double *y = (const double *)(const void *)in.values;
    aggregate_add_pair_arguments a = {.values = y,
                                      .second = y + ROWS_MAX,
                                      .validity = all ? NULL : in.validity,
                                      .second_validity = all ? NULL : in.mask,
                                      .groups = groups ? in.groups : NULL,
                                      .group_count = groups,
                                      .count = dev_count_exact(count),
                                      .states = states};
    memset(states, 0, 1000 * sizeof *states);
    kernels[DEV_KERNEL_aggregate_add_pair](&a);
}

/* By the definition, of large numbers that differ little. */
static aggregate_pair plain_pairs(size_t count, size_t groups, bool all, size_t group)
{
    const double *y = (const double *)(const void *)in.values, *x = y + ROWS_MAX;
    long double sum_x = 0, sum_y = 0, xx = 0, yy = 0, xy = 0;
    uint64_t n = 0;
    for (int pass = 0; pass < 2; pass++) {
        long double mean_x = n ? sum_x / (long double)n : 0,
                    mean_y = n ? sum_y / (long double)n : 0;
        for (size_t i = 0; i < count; i++) {
            if ((!all && (!bit(in.validity, i) || !bit(in.mask, i))) ||
                (groups && in.groups[i] != group))
                continue;
            long double dx = x[i] - mean_x, dy = y[i] - mean_y;
            sum_x += pass ? 0 : x[i];
            sum_y += pass ? 0 : y[i];
            n += !pass;
            xx += pass ? dx * dx : 0;
            yy += pass ? dy * dy : 0;
            xy += pass ? dx * dy : 0;
        }
    }
    return (aggregate_pair){0,
                            0,
                            n ? (double)(sum_x / n) : 0,
                            n ? (double)(sum_y / n) : 0,
                            (double)xx,
                            (double)yy,
                            (double)xy,
                            n};
}

static void check_pair(const aggregate_pair *got, const aggregate_pair *expected, size_t count)
{
    double scale = sqrt(expected->xx * expected->yy) + 1e-9;
    CHECK_EQ(got->count, expected->count);
    if (fabs(got->first_x + got->mean_x - expected->mean_x) > 1e-6 ||
        fabs(got->xx - expected->xx) > 1e-6 * scale ||
        fabs(got->yy - expected->yy) > 1e-6 * scale || fabs(got->xy - expected->xy) > 1e-6 * scale)
        test_fail(__FILE__, __LINE__, "pairs of %zu rows: xx %g, yy %g, xy %g, not %g, %g, %g",
                  count, got->xx, got->yy, got->xy, expected->xx, expected->yy, expected->xy);
}

TEST(aggregate_add_pair_adds_up)
{
    static aggregate_pair states[ISAS][1000], together[1000];
    double *y = (double *)(void *)in.values;
    for (size_t i = 0; i < 2 * ROWS_MAX; i++)
        y[i] = 1e6 + (double)test_random_below(1000) / 7;
    fill_bits(in.validity, ROWS_MAX, false);
    fill_bits(in.mask, ROWS_MAX, false);
    for (size_t c = 0; c < COUNTS; c++)
        for (size_t g = 0; g < sizeof pair_groups / sizeof *pair_groups; g++)
            for (int all = 0; all < 2; all++)
                EACH_TABLE (isa, 0, ISAS) {
                    size_t groups = pair_groups[g];
                    fill_groups(groups ? groups : 1);
                    launch_pairs(table_of(isa), counts[c], groups, all, states[isa]);
                    aggregate_pair expected = plain_pairs(counts[c], groups, all, 0);
                    check_pair(&states[isa][0], &expected, counts[c]);
                    /* Two halves, added as states. */
                    memset(together, 0, sizeof together);
                    for (int half = 0; half < 2; half++) {
                        aggregate_add_pair_arguments a = {.is_state = true,
                                                          .values = states[isa],
                                                          .count = dev_count_exact(1),
                                                          .states = together};
                        table_of(isa)[DEV_KERNEL_aggregate_add_pair](&a);
                    }
                    CHECK_EQ(together->count, 2 * expected.count);
                }
}

TEST(aggregate_pick_finds_least_and_greatest)
{
    const data_type types[] = {type_make(TYPE_INT8), type_make(TYPE_INT32), type_make(TYPE_INT64),
                               type_decimal(38, 2)};
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        for (size_t c = 0; c < COUNTS; c++)
            for (int flags = 0; flags < 4; flags++) {
                data_type type = types[t];
                size_t count = counts[c], group_count = 37;
                bool is_greatest = flags & 1, has_groups = flags & 2;
                int128 best[37];
                fill_groups(group_count);
                fill_numbers(type);
                fill_bits(in.validity, count, false);
                int128 limit = (int128)1 << (type.width * 8 - 2);
                for (size_t g = 0; g < group_count; g++)
                    best[g] = is_greatest ? -limit : limit;
                EACH_TABLE (v, 0, ISAS) {
                    reset(&out[v]);
                    for (size_t g = 0; g < group_count; g++)
                        memcpy(out[v].bytes + g * type.width, &best[g], type.width);
                    aggregate_pick_arguments a = {.is_greatest = is_greatest,
                                                  .type = type,
                                                  .values = in.values,
                                                  .validity = in.validity,
                                                  .groups = has_groups ? in.groups : NULL,
                                                  .count = dev_count_exact(count),
                                                  .states = out[v].bytes};
                    table_of(v)[DEV_KERNEL_aggregate_pick](&a);
                    check_same(v, "aggregate_pick", count, group_count * type.width);
                }
                for (size_t i = 0; i < count; i++) {
                    int128 x = number_at(type, i), *b = &best[has_groups ? in.groups[i] : 0];
                    if (bit(in.validity, i) && (is_greatest ? x > *b : x < *b))
                        *b = x;
                }
                for (size_t g = 0; g < group_count; g++)
                    CHECK(!memcmp(out[0].bytes + g * type.width, &best[g], type.width));
            }
}

/* ---- packed rows ---- */

static const uint32_t strides[] = {8, 16, 24, 32, 56};
#define STRIDES (sizeof strides / sizeof *strides)
#define SLOTS_LARGE (1u << 15)

static char rows[ROWS_MAX * 56];

/* Rows of few different words, ordered or not. */
static void fill_rows(uint32_t stride, bool is_ordered)
{
    uint64_t value = 5;
    for (size_t i = 0; i < ROWS_MAX; i++) {
        value = is_ordered ? value + !test_random_below(4) : test_random_below(200);
        for (size_t w = 0; w < stride / 8; w++) {
            uint64_t word = w ? value / 3 : value;
            memcpy(rows + i * stride + w * 8, &word, 8);
        }
    }
}

/* Checks that each row's group has its key, and that the first group's key belongs to no other group. */
static void check_groups(const void *rows, size_t count, size_t stride, const uint8_t *group_rows,
                         uint64_t group_count, const uint32_t *found)
{
    for (size_t i = 0; i < count; i++) {
        CHECK(found[i] < group_count);
        CHECK(!memcmp((const uint8_t *)rows + i * stride, group_rows + found[i] * stride, stride));
    }
    for (size_t g = 1; g < group_count; g++)
        CHECK(memcmp(group_rows, group_rows + g * stride, stride));
}

/* Small directories stay in the cache, large ones are fetched ahead. Hashes of `hash_bits`: with few, rows
 * that are not equal have the same. */
static void check_groups_find(uint64_t slot_count, uint32_t hash_bits)
{
    static uint64_t slots[ISAS][SLOTS_LARGE];
    static char group_rows[ISAS][ROWS_MAX * 56];
    static uint32_t hashes[ROWS_MAX], found[ISAS][ROWS_MAX];
    for (size_t s = 0; s < STRIDES; s++)
        for (size_t c = 0; c < COUNTS; c++) {
            uint32_t stride = strides[s];
            size_t count = counts[c];
            uint64_t group_count[ISAS] = {0};
            fill_rows(stride, false);
            EACH_TABLE (v, 0, ISAS) {
                keys_hash_arguments h = {.rows = (uint8_t *)rows,
                                         .count = dev_count_exact(count),
                                         .stride = stride,
                                         .out = found[v]};
                table_of(v)[DEV_KERNEL_keys_hash](&h);
                CHECK(!memcmp(found[v], found[0], count * sizeof *hashes));
            }
            for (size_t i = 0; i < count; i++)
                hashes[i] = found[0][i] >> (32 - hash_bits);
            EACH_TABLE (v, 0, ISAS) {
                memset(slots[v], 0, slot_count * sizeof **slots);
                groups_find_arguments f = {.rows = (uint8_t *)rows,
                                           .hashes = hashes,
                                           .count = dev_count_exact(count),
                                           .stride = stride,
                                           .slots = slots[v],
                                           .slot_count = slot_count,
                                           .group_rows = (uint8_t *)group_rows[v],
                                           .group_count = &group_count[v],
                                           .out = found[v]};
                table_of(v)[DEV_KERNEL_groups_find](&f);
                CHECK_EQ(group_count[v], group_count[0]);
                CHECK(test_is_cuda(isas[v]) || !memcmp(found[v], found[0], count * sizeof *hashes));
                check_groups(rows, count, stride, (uint8_t *)group_rows[v], group_count[v],
                             found[v]);
            }
        }
}

TEST(groups_find_gives_equal_rows_one_number)
{
    for (uint64_t slot_count = 4096; slot_count <= SLOTS_LARGE; slot_count *= SLOTS_LARGE / 4096)
        for (uint32_t hash_bits = 4; hash_bits <= 32; hash_bits += 28)
            check_groups_find(slot_count, hash_bits);
}

/* Tests the host's kernel: CUDA devices have none. */
TEST(groups_pass_gives_each_row_an_equal_group)
{
    static uint64_t slots[ISAS][256];
    static char group_rows[ISAS][ROWS_MAX * 56];
    static uint32_t hashes[ROWS_MAX], group_hashes[ROWS_MAX], found[ROWS_MAX];
    for (size_t s = 0; s < STRIDES; s++)
        for (size_t c = 0; c < COUNTS; c++)
            for (uint64_t slot_count = 1; slot_count <= 256; slot_count *= 16) {
                uint32_t stride = strides[s];
                size_t count = counts[c], first = count / 3;
                uint64_t group_count[ISAS] = {0};
                fill_rows(stride, false);
                for (size_t i = 0; i < count; i++) /* many with the same one */
                    hashes[i] = (uint32_t)((uint8_t *)rows)[i * stride] * 0x9e3779b9u;
                EACH_TABLE (v, 0, ISAS) {
                    if (test_is_cuda(isas[v]))
                        continue;
                    memset(slots[v], 0, sizeof slots[v]);
                    groups_pass_arguments p = {.rows = (uint8_t *)rows,
                                               .hashes = hashes,
                                               .count = dev_count_exact(first),
                                               .stride = stride,
                                               .slots = slots[v],
                                               .slot_count = slot_count,
                                               .group_rows = (uint8_t *)group_rows[v],
                                               .group_hashes = group_hashes,
                                               .group_count = &group_count[v],
                                               .out = found};
                    table_of(v)[DEV_KERNEL_groups_pass](&p);
                    p.rows += first * stride;
                    p.hashes += first;
                    p.count = dev_count_exact(count - first);
                    p.out += first;
                    table_of(v)[DEV_KERNEL_groups_pass](&p);
                    CHECK(group_count[v] <= count);
                    CHECK_EQ(group_count[v], group_count[0]);
                    for (size_t i = 0; i < count; i++) {
                        CHECK(found[i] < group_count[v]);
                        CHECK_EQ(group_hashes[found[i]], hashes[i]);
                        CHECK(!memcmp((uint8_t *)rows + i * stride,
                                      group_rows[v] + found[i] * stride, stride));
                    }
                }
            }
}

/* ---- the first rows of groups ---- */

static const type_id ordered_types[] = {TYPE_INT8,  TYPE_UINT8,  TYPE_INT16,  TYPE_UINT16,
                                        TYPE_INT32, TYPE_UINT32, TYPE_INT64,  TYPE_UINT64,
                                        TYPE_DATE,  TYPE_FLOAT,  TYPE_DOUBLE, TYPE_BOOL};

/* NULLs, numbers and extremes have codes in the order of the sort's keys. */
TEST(order_codes_stand_in_the_order_of_keys)
{
    static uint64_t codes[ISAS][ROWS_MAX + 16], keys[(ROWS_MAX + 16) * 3];
    size_t count = 300;
    for (size_t t = 0; t < sizeof ordered_types / sizeof *ordered_types; t++)
        for (int form = 0; form < 4; form++) {
            data_type type = type_make(ordered_types[t]);
            bool is_descending = form & 1, nulls_first = form & 2;
            for (size_t i = 0; i < count * 8; i++)
                in.values[i] = (char)(i % 24 < 8 ? test_random() : i % 24 < 16 ? -1 : 0);
            fill_bits(in.validity, ROWS_MAX, false);
            sort_pack_arguments pack = {.type = type,
                                        .values = in.values,
                                        .validity = in.validity,
                                        .count = dev_count_exact(count),
                                        .key_count = 1,
                                        .is_descending = is_descending,
                                        .nulls_first = nulls_first,
                                        .rows = keys};
            table_of(0)[DEV_KERNEL_sort_pack](&pack);
            EACH_TABLE (isa, 0, ISAS - 1) {
                order_codes_arguments a = {.type = type,
                                           .values = in.values,
                                           .validity = in.validity,
                                           .count = dev_count_exact(count),
                                           .is_descending = is_descending,
                                           .nulls_first = nulls_first,
                                           .out = codes[isa]};
                table_of(isa)[DEV_KERNEL_order_codes](&a);
                CHECK(!memcmp(codes[isa], codes[0], count * sizeof(uint64_t)));
            }
            bool is_exact = type.width <= 4;
            for (size_t i = 0; i < count; i++)
                for (size_t k = 0; k < count; k++) {
                    int order = sort_key_compare(keys + i * 3, keys + k * 3, 1, NULL);
                    if ((order < 0 && codes[0][i] > codes[0][k]) ||
                        (is_exact && order < 0 && codes[0][i] == codes[0][k]) ||
                        (!order && codes[0][i] != codes[0][k]))
                        test_fail(__FILE__, __LINE__, "type %u, form %d: rows %zu and %zu",
                                  (unsigned)type.id, form, i, k);
                }
        }
}

/* How many rows of the group before row i have a lower code, or the same. */
static size_t rows_before(const uint64_t *codes, size_t i, bool ties)
{
    size_t before = 0;
    for (size_t k = 0; k < i; k++)
        before +=
            in.groups[k] == in.groups[i] && (codes[k] < codes[i] || (ties && codes[k] == codes[i]));
    return before;
}

TEST(groups_limit_lets_the_first_rows_pass)
{
    static uint64_t codes[ROWS_MAX], first[64 * 9], bits[ROWS_MAX / 64 + 9];
    for (size_t c = 0; c < COUNTS; c++)
        for (uint32_t limit = 1; limit <= 9; limit += 4)
            for (int ties = 0; ties < 2; ties++)
                EACH_TABLE (isa, 0, ISAS - 1) {
                    fill_groups(1 + c * 5);
                    for (size_t i = 0; i < ROWS_MAX; i++)
                        codes[i] = test_random_below(20);
                    memset(first, 0xff, sizeof first);
                    groups_limit_arguments a = {.groups = in.groups,
                                                .codes = codes,
                                                .count = dev_count_exact(counts[c]),
                                                .limit = limit,
                                                .drops_ties = ties,
                                                .first = first,
                                                .out = bits};
                    table_of(isa)[DEV_KERNEL_groups_limit](&a);
                    for (size_t i = 0; i < counts[c]; i++)
                        CHECK_EQ(bit(bits, i), rows_before(codes, i, ties) < limit);
                }
}

TEST(runs_are_marked_and_numbered)
{
    static uint32_t numbers[ISAS][ROWS_MAX + 16];
    for (size_t s = 0; s < STRIDES; s++)
        for (size_t c = 0; c < COUNTS; c++)
            for (int has_previous = 0; has_previous < 2; has_previous++) {
                uint32_t stride = strides[s], number = 41;
                size_t count = counts[c];
                fill_rows(stride, true);
                const uint8_t *at = (uint8_t *)rows + stride;
                EACH_TABLE (v, 0, ISAS) {
                    reset(&out[v]);
                    runs_mark_arguments m = {.rows = at,
                                             .count = dev_count_exact(count),
                                             .stride = stride,
                                             .previous = has_previous ? (uint8_t *)rows : NULL,
                                             .out = (uint64_t *)(void *)out[v].bytes};
                    table_of(v)[DEV_KERNEL_runs_mark](&m);
                    check_same(v, "runs_mark", count, (count + 63) / 64 * 8);
                    memset(numbers[v], SENTINEL, sizeof numbers[v]);
                    runs_number_arguments n = {.bits = (uint64_t *)(void *)out[v].bytes,
                                               .count = dev_count_exact(count),
                                               .first = number,
                                               .out = numbers[v]};
                    table_of(v)[DEV_KERNEL_runs_number](&n);
                    CHECK(!memcmp(numbers[v], numbers[0], sizeof numbers[v]));
                }
                for (size_t i = 0; i < count; i++) {
                    const uint8_t *row = at + i * stride;
                    bool differs = (!i && !has_previous) || memcmp(row, row - stride, stride);
                    CHECK_EQ(bit((uint64_t *)(void *)out[0].bytes, i), differs);
                    number += differs;
                    CHECK_EQ(numbers[0][i], number);
                }
            }
}

TEST(groups_partition_orders_by_bits)
{
    static uint32_t hashes[ROWS_MAX], order[ROWS_MAX], offsets[66];
    for (size_t c = 0; c < COUNTS; c++)
        for (uint32_t bits = 0; bits <= 6; bits++)
            EACH_TABLE (v, 0, ISAS) {
                size_t count = counts[c], parts = (size_t)1 << bits;
                for (size_t i = 0; i < count; i++)
                    hashes[i] = (uint32_t)test_random();
                uint32_t skip = (uint32_t)test_random_below(26);
                groups_partition_arguments a = {.hashes = hashes,
                                                .count = dev_count_exact(count),
                                                .skip = skip,
                                                .bits = bits,
                                                .first = 3,
                                                .out = order,
                                                .offsets = offsets};
                table_of(v)[DEV_KERNEL_groups_partition](&a);
                CHECK_EQ(offsets[0], 0);
                CHECK_EQ(offsets[parts], count);
                for (size_t p = 0; p < parts; p++)
                    for (uint32_t i = offsets[p]; i < offsets[p + 1]; i++) {
                        CHECK_EQ(
                            (uint64_t)hashes[order[i] - 3] << skip >> (32 - bits) & (parts - 1), p);
                        CHECK(i == offsets[p] || order[i - 1] < order[i] || test_is_cuda(isas[v]));
                    }
            }
}

TEST(ranks_partition_gives_each_rank_its_rows)
{
    static uint64_t hashes[ROWS_MAX];
    static uint32_t order[ROWS_MAX], offsets[72], expected[ROWS_MAX];
    static const uint32_t ranks[] = {1, 2, 3, 5, 64, 71};
    for (size_t c = 0; c < COUNTS; c++)
        for (size_t n = 0; n < sizeof ranks / sizeof *ranks; n++)
            EACH_TABLE (v, 0, ISAS) {
                for (size_t i = 0; i < counts[c]; i++) {
                    hashes[i] = test_random() << test_random_below(60);
                    uint64_t upper = hashes[i] * UINT64_C(0x9e3779b97f4a7c15) >> 32;
                    expected[i] = (uint32_t)(upper * ranks[n] >> 32);
                }
                ranks_partition_arguments a = {.hashes = hashes,
                                               .count = dev_count_exact(counts[c]),
                                               .ranks = ranks[n],
                                               .out = order,
                                               .offsets = offsets};
                table_of(v)[DEV_KERNEL_ranks_partition](&a);
                CHECK_EQ(offsets[0], 0);
                CHECK_EQ(offsets[ranks[n]], counts[c]);
                for (uint32_t r = 0; r < ranks[n]; r++)
                    for (uint32_t i = offsets[r]; i < offsets[r + 1]; i++) {
                        CHECK_EQ(expected[order[i]], r);
                        expected[order[i]] = UINT32_MAX; /* each once */
                    }
            }
}

/* ---- codes ---- */

TEST(codes_are_digits_and_back)
{
    static uint32_t codes[ISAS][ROWS_MAX + 16];
    static int64_t back[ROWS_MAX];
    static uint64_t back_validity[ROWS_MAX / 64 + 9];
    for (size_t c = 0; c < COUNTS; c++)
        for (int flags = 0; flags < 4; flags++) {
            size_t count = counts[c];
            int64_t *values = (int64_t *)(void *)in.values;
            bool combine = flags & 1;
            uint64_t expected_violations = 0, violations[ISAS] = {0};
            fill_bits(in.validity, count, !(flags & 2));
            for (size_t i = 0; i < count; i++) {
                values[i] = (int64_t)test_random_below(12) - 6; /* codes of -5 to 4: 1 to 10 */
                expected_violations += bit(in.validity, i) && (values[i] < -5 || values[i] > 4);
            }
            EACH_TABLE (v, 0, ISAS) {
                for (size_t i = 0; i < ROWS_MAX + 16; i++)
                    codes[v][i] = 2;
                codes_number_arguments a = {.type = type_make(TYPE_INT64),
                                            .values = values,
                                            .validity = flags & 2 ? in.validity : NULL,
                                            .count = dev_count_exact(count),
                                            .minimum = -5,
                                            .radix = 11,
                                            .digit = 3,
                                            .combine = combine,
                                            .violations = &violations[v],
                                            .out = codes[v]};
                table_of(v)[DEV_KERNEL_codes_number](&a);
                CHECK_EQ(violations[v], expected_violations);
                CHECK(!memcmp(codes[v], codes[0], sizeof codes[0]));
                codes_to_number_arguments b = {.type = type_make(TYPE_INT64),
                                               .codes = codes[v],
                                               .count = dev_count_exact(count),
                                               .minimum = -5,
                                               .radix = 11,
                                               .digit = 3,
                                               .out = back,
                                               .out_validity = back_validity};
                table_of(v)[DEV_KERNEL_codes_to_number](&b);
                for (size_t i = 0; i < count; i++) {
                    bool has_code = bit(in.validity, i) && values[i] >= -5 && values[i] <= 4;
                    CHECK_EQ(bit(back_validity, i), has_code);
                    CHECK(!has_code || back[i] == values[i]);
                }
            }
        }
}

/* Dictionaries that fit in registers and those that do not; a fifth of the rows NULL, or none. */
static void check_codes_of_texts(size_t id_count, size_t count, bool combine, bool has_nulls)
{
    static uint32_t codes[ROWS_MAX + 16];
    uint32_t *ids = (uint32_t *)(void *)in.values, index[ROWS_MAX];
    for (size_t i = 0; i < id_count; i++)
        ids[i] = (uint32_t)test_random_below(1000);
    for (size_t i = 0; i < count; i++)
        index[i] = has_nulls && test_random_below(5) == 0 ? ROW_NULL
                                                          : (uint32_t)test_random_below(id_count);
    EACH_TABLE (v, 0, ISAS) {
        for (size_t i = 0; i < ROWS_MAX + 16; i++)
            codes[i] = (uint32_t)i;
        codes_index_arguments a = {.ids = ids,
                                   .id_count = id_count,
                                   .index = index,
                                   .count = dev_count_exact(count),
                                   .digit = 7,
                                   .combine = combine,
                                   .out = codes};
        table_of(v)[DEV_KERNEL_codes_index](&a);
        for (size_t i = 0; i < ROWS_MAX + 16; i++) {
            uint32_t before = i >= count || combine ? (uint32_t)i : 0, digits = 0;
            if (i < count && index[i] != ROW_NULL)
                digits = (ids[index[i]] + 1) * 7;
            CHECK_EQ(codes[i], before + digits);
        }
    }
}

TEST(codes_of_texts)
{
    static const size_t id_counts[] = {1, 3, 16, 17, 32, 33, 1000};
    for (size_t c = 0; c < COUNTS; c++)
        for (size_t d = 0; d < sizeof id_counts / sizeof *id_counts; d++)
            for (int flags = 0; flags < 4; flags++)
                check_codes_of_texts(id_counts[d], counts[c], flags & 1, flags & 2);
}

/* Ids that are too large are counted, one for each row or for each id; the others' codes are theirs. */
TEST(codes_of_too_many_texts)
{
    static const uint32_t ids[] = {3, 8, 9, 20, ROW_NULL};
    static uint32_t index[ROWS_MAX], codes[ROWS_MAX];
    for (size_t i = 0; i < ROWS_MAX; i++)
        index[i] = i % 7 == 6 ? ROW_NULL : (uint32_t)(i % 5);
    EACH_TABLE (v, 0, ISAS)
        for (uint32_t radix = 4; radix < 24; radix++) {
            uint64_t violations = 0, bad = 0;
            codes_index_arguments a = {.ids = ids,
                                       .id_count = 5,
                                       .index = index,
                                       .count = dev_count_exact(ROWS_MAX),
                                       .radix = radix,
                                       .digit = 1,
                                       .violations = &violations,
                                       .out = codes};
            table_of(v)[DEV_KERNEL_codes_index](&a);
            for (size_t i = 0; i < ROWS_MAX; i++) {
                uint32_t code = index[i] == ROW_NULL ? 0 : ids[index[i]] + 1;
                bad += code >= radix;
                CHECK(code >= radix || codes[i] == code);
            }
            CHECK_EQ(violations != 0, bad != 0);
        }
}

TEST(groups_that_are_present)
{
    for (size_t c = 0; c < COUNTS; c++)
        for (size_t groups = 1; groups <= 64; groups += 9) {
            uint64_t expected = 0, present;
            fill_groups(groups);
            for (size_t i = 0; i < counts[c]; i++)
                expected |= (uint64_t)1 << in.groups[i];
            EACH_TABLE (v, 0, ISAS) {
                codes_present_arguments a = {
                    .groups = in.groups, .count = dev_count_exact(counts[c]), .out = &present};
                table_of(v)[DEV_KERNEL_codes_present](&a);
                CHECK_EQ(present, expected);
            }
        }
}

TEST(key_statistics_see_order_and_bounds)
{
    for (size_t c = 1; c < COUNTS; c++)
        for (int flags = 0; flags < 4; flags++) {
            size_t count = counts[c], changes = 0, valid = 0;
            int64_t *values = (int64_t *)(void *)in.values, least = INT64_MAX, greatest = INT64_MIN;
            bool is_ascending = true, has_validity = flags & 2;
            fill_bits(in.validity, count, false);
            for (size_t i = 0; i < count; i++) {
                values[i] =
                    flags & 1 ? (int64_t)(i / 3) - 50 : (int64_t)test_random_below(100) - 50;
                if (has_validity && !bit(in.validity, i))
                    continue;
                valid++;
                least = values[i] < least ? values[i] : least;
                greatest = values[i] > greatest ? values[i] : greatest;
                changes += i && values[i] != values[i - 1];
                is_ascending &= !i || values[i] >= values[i - 1];
            }
            EACH_TABLE (v, 0, ISAS) {
                int64_t s[KEY_STATISTICS];
                key_statistics_arguments a = {.type = type_make(TYPE_INT64),
                                              .values = values,
                                              .validity = has_validity ? in.validity : NULL,
                                              .count = dev_count_exact(count),
                                              .out = s};
                table_of(v)[DEV_KERNEL_key_statistics](&a);
                CHECK_EQ(s[KEY_VALUES], valid);
                CHECK(!valid || (s[KEY_MINIMUM] == least && s[KEY_MAXIMUM] == greatest));
                CHECK_EQ(s[KEY_HAS_NULLS], valid < count);
                if (valid < count)
                    continue;
                CHECK_EQ(s[KEY_IS_ASCENDING], is_ascending);
                CHECK_EQ(s[KEY_CHANGES], changes);
                CHECK_EQ(s[KEY_FIRST], values[0]);
                CHECK_EQ(s[KEY_LAST], values[count - 1]);
            }
        }
}
