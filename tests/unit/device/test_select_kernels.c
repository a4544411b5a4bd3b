/* test_select_kernels.c - narrow values selected by a mask and by row numbers, looked up in a set and added up, of every ISA,
 * against a plain loop.
 * test_label: not-tsan release */
#include "device/cpu/tables.h"
#include "kernel_tables.h"
#include "test.h"

#define ROWS_MAX 3000
#define SENTINEL 0x5a

static const char *const isas[] = {"scalar", "avx2", "avx512"};
static const size_t counts[] = {0, 1, 63, 64, 65, 700, ROWS_MAX};
static const uint8_t widths[][2] = {{1, 1}, {1, 2}, {1, 4}, {1, 8}, {2, 2},
                                    {2, 4}, {2, 8}, {4, 4}, {4, 8}};

static uint8_t values[ROWS_MAX * 4], out[ROWS_MAX * 8 + 64], expected[ROWS_MAX * 8];
static uint64_t mask[ROWS_MAX / 64 + 1];
static uint32_t rows[ROWS_MAX];

/* Selects about one row of each `rows_each`; returns how many. */
static size_t draw_rows(size_t count, uint32_t rows_each)
{
    size_t selected = 0;
    memset(mask, 0xff, sizeof mask); /* bits past the rows say nothing */
    for (size_t i = 0; i < count; i++) {
        bool is_selected = test_random_below(rows_each) == 0;
        if (is_selected)
            rows[selected++] = (uint32_t)i;
        else
            mask[i / 64] &= ~(UINT64_C(1) << i % 64);
    }
    return selected;
}

static void expect(const uint8_t width[2], size_t selected, uint64_t origin)
{
    for (size_t i = 0; i < selected; i++) {
        uint64_t value = 0;
        memcpy(&value, values + (size_t)rows[i] * width[0], width[0]);
        value += origin;
        memcpy(expected + i * width[1], &value, width[1]);
    }
}

static void check_out(size_t bytes)
{
    CHECK(!memcmp(out, expected, bytes));
    for (size_t i = bytes; i < bytes + 64; i++)
        CHECK_EQ(out[i], SENTINEL);
}

static void check_kernels(const dev_kernel_function *table, const uint8_t width[2], size_t count,
                          size_t selected)
{
    uint64_t origin = test_random();
    expect(width, selected, origin);
    memset(out, SENTINEL, sizeof out);
    table[DEV_KERNEL_widen_selected](&(widen_selected_arguments){.width = width[0],
                                                                 .out_width = width[1],
                                                                 .origin = origin,
                                                                 .values = values,
                                                                 .mask = mask,
                                                                 .count = dev_count_exact(count),
                                                                 .selected = selected,
                                                                 .out = out});
    check_out(selected * width[1]);
    memset(out, SENTINEL, sizeof out);
    table[DEV_KERNEL_widen_some](&(widen_some_arguments){.width = width[0],
                                                         .out_width = width[1],
                                                         .origin_low = origin,
                                                         .values = values,
                                                         .rows = rows,
                                                         .count = dev_count_exact(selected),
                                                         .out = out});
    check_out(selected * width[1]);
}

TEST(selected_values_agree)
{
    static const uint32_t shares[] = {1, 2, 7, 40, 300, 100000};
    for (size_t i = 0; i < sizeof values; i++)
        values[i] = (uint8_t)test_random();
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
        for (size_t s = 0; s < sizeof shares / sizeof *shares; s++) {
            size_t selected = draw_rows(counts[c], shares[s]);
            for (size_t k = 0; k < sizeof isas / sizeof *isas; k++) {
                const char *name;
                const dev_kernel_function *table = test_kernel_table(isas[k], &name);
                for (size_t w = 0; table && w < sizeof widths / sizeof *widths; w++)
                    check_kernels(table, widths[w], counts[c], selected);
            }
        }
}

/* ---- sets and sums ---- */

static void check_in(const dev_kernel_function *table, size_t count, const uint64_t *set,
                     uint64_t set_rows)
{
    uint64_t found[ROWS_MAX / 64 + 1];
    memset(found, SENTINEL, sizeof found);
    table[DEV_KERNEL_narrow_in](&(narrow_in_arguments){.width = 1,
                                                       .set = set,
                                                       .set_rows = set_rows,
                                                       .values = values,
                                                       .count = dev_count_exact(count),
                                                       .out = found});
    for (size_t i = 0; i < count; i++) {
        bool is_in = values[i] < set_rows && set[values[i] / 64] >> values[i] % 64 & 1;
        CHECK_EQ(found[i / 64] >> i % 64 & 1, is_in);
    }
}

TEST(bytes_in_a_set_agree)
{
    uint64_t set[4];
    for (size_t i = 0; i < sizeof values; i++)
        values[i] = (uint8_t)test_random();
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
        for (uint64_t set_rows = 1; set_rows <= 256; set_rows += 15)
            for (size_t k = 0; k < sizeof isas / sizeof *isas; k++) {
                const char *name;
                const dev_kernel_function *table = test_kernel_table(isas[k], &name);
                for (size_t w = 0; w < 4; w++) /* bits past the set's rows say nothing */
                    set[w] = test_random() & test_random();
                if (table)
                    check_in(table, counts[c], set, set_rows);
            }
}

static void check_sum(const dev_kernel_function *table, uint8_t width, size_t count)
{
    int128 sum = 5, wanted = 5;
    for (size_t i = 0; i < count; i++) {
        uint32_t value = 0;
        memcpy(&value, values + i * width, width);
        wanted += (int128)value - 3;
    }
    table[DEV_KERNEL_narrow_sum](&(narrow_sum_arguments){.width = width,
                                                         .origin_low = (uint64_t)-3,
                                                         .origin_high = UINT64_MAX,
                                                         .values = values,
                                                         .count = dev_count_exact(count),
                                                         .sum = &sum});
    CHECK(sum == wanted);
}

TEST(sums_of_narrow_values_agree)
{
    for (int is_great = 0; is_great < 2; is_great++) {
        for (size_t i = 0; i < sizeof values; i++)
            values[i] = is_great ? 0xff : (uint8_t)test_random();
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
            for (size_t k = 0; k < sizeof isas / sizeof *isas; k++) {
                const char *name;
                const dev_kernel_function *table = test_kernel_table(isas[k], &name);
                for (uint8_t width = 1; table && width <= 4; width *= 2)
                    check_sum(table, width, counts[c]);
            }
    }
}
