/* test_kernels_window.c - aggregates of ranges, on every ISA, against plain loops: sliding frames, frames of
 * any length whose ends never fall, frames in two parts. */
#include "device/cpu/tables.h"
#include "test.h"

enum { ROWS = 300 };

static const char *const isas[] = {"scalar", "avx2", "avx512"};

static int64_t values[ROWS];
static double reals[ROWS];
static uint64_t validity[(ROWS + 63) / 64];
static uint32_t from[2][ROWS], to[2][ROWS];

static bool is_valid(size_t i)
{
    return validity[i / 64] >> (i % 64) & 1;
}

/* Ranges of about so many rows, the second behind the first. */
static void make_ranges(size_t most)
{
    uint32_t at[4] = {0};
    for (size_t i = 0; i < ROWS; i++) {
        for (size_t k = 0; k < 4; k++) {
            uint32_t step = (uint32_t)test_random_below(3), least = k ? at[k - 1] : 0;
            at[k] = at[k] + step < least ? least : at[k] + step;
            at[k] = at[k] > ROWS ? ROWS : at[k];
            if (k % 2 && at[k] > at[k - 1] + most)
                at[k] = at[k] > at[k - 1] + (uint32_t)most + 3 ? at[k] : at[k - 1] + (uint32_t)most;
        }
        from[0][i] = at[0];
        to[0][i] = i && at[1] < to[0][i - 1] ? to[0][i - 1] : at[1];
        from[1][i] = at[2] < to[0][i] ? to[0][i] : at[2];
        to[1][i] = i && at[3] < to[1][i - 1] ? to[1][i - 1] : at[3];
    }
}

static void make_values(void)
{
    for (size_t i = 0; i < ROWS; i++) {
        values[i] = (int64_t)test_random_below(1000) - 500;
        reals[i] = (double)values[i] / 8;
        if (i % 64 == 0)
            validity[i / 64] = test_random() | test_random();
    }
}

typedef struct expected {
    uint64_t count;
    int128 sum;
    uint32_t least;
} expected;

/* Of the first `parts` ranges of row i. */
static expected of_row(size_t i, size_t parts)
{
    expected e = {.least = ROW_NULL};
    for (size_t p = 0; p < parts; p++)
        for (uint32_t k = from[p][i]; k < to[p][i]; k++) {
            if (!is_valid(k))
                continue;
            e.count++;
            e.sum += values[k];
            if (e.least == ROW_NULL || values[k] < values[e.least])
                e.least = k;
        }
    return e;
}

static struct {
    uint32_t sums[ROWS + 1], rows[ROWS], row_scratch[ROWS];
    uint64_t counts[ROWS];
    int128 totals[ROWS], scratch[ROWS];
    aggregate_number numbers[ROWS], number_scratch[ROWS];
} out;

static void run(const dev_kernel_function *table, size_t part)
{
    dev_count count = dev_count_exact(ROWS);
    dev_error error = {0};
    table[DEV_KERNEL_over_count](&(over_count_arguments){.validity = validity,
                                                         .from = from[part],
                                                         .to = to[part],
                                                         .count = count,
                                                         .combine = part > 0,
                                                         .sums = out.sums,
                                                         .states = out.counts});
    table[DEV_KERNEL_over_sum](&(over_sum_arguments){.type = type_make(TYPE_INT64),
                                                     .values = values,
                                                     .validity = validity,
                                                     .from = from[part],
                                                     .to = to[part],
                                                     .count = count,
                                                     .combine = part > 0,
                                                     .scratch = out.scratch,
                                                     .states = out.totals,
                                                     .error = &error});
    table[DEV_KERNEL_over_sum_number](&(over_sum_number_arguments){.values = reals,
                                                                   .validity = validity,
                                                                   .from = from[part],
                                                                   .to = to[part],
                                                                   .count = count,
                                                                   .combine = part > 0,
                                                                   .scratch = out.number_scratch,
                                                                   .states = out.numbers});
    table[DEV_KERNEL_over_pick](&(over_pick_arguments){.type = type_make(TYPE_INT64),
                                                       .values = values,
                                                       .validity = validity,
                                                       .from = from[part],
                                                       .to = to[part],
                                                       .count = count,
                                                       .combine = part > 0,
                                                       .scratch = out.row_scratch,
                                                       .states = out.rows});
    CHECK_EQ(error.code, DEV_ERROR_NONE);
}

static void check(size_t parts)
{
    for (size_t i = 0; i < ROWS; i++) {
        expected e = of_row(i, parts);
        CHECK_EQ(out.counts[i], e.count);
        CHECK(out.totals[i] == e.sum);
        CHECK(out.numbers[i].sum + out.numbers[i].error == (double)e.sum / 8);
        CHECK_EQ(out.rows[i] == ROW_NULL, e.least == ROW_NULL);
        if (e.least != ROW_NULL)
            CHECK_EQ(values[out.rows[i]], values[e.least]);
    }
}

TEST(ranges_have_the_aggregates_of_their_rows)
{
    for (size_t round = 0; round < 40; round++) {
        make_values();
        make_ranges(round * 4);
        for (size_t isa = 0; isa < sizeof isas / sizeof *isas; isa++) {
            const char *name;
            const dev_kernel_function *table = dev_kernel_table(isas[isa], &name);
            if (!table)
                continue;
            run(table, 0);
            check(1);
            run(table, 1);
            check(2);
        }
    }
}
