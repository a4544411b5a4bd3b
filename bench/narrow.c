/* narrow.c - kernels on values of one byte, as the column cache has them, beside the rate at which one core reads memory.
 *
 *   narrow [BYTES]
 *
 * Over BYTES (1 GB) of bytes, one thread, in slices of 65,536 rows as scans take them. Prints GB a second, the best of the
 * runs, and its share of the rate of reading; seconds are the processor's. Of the comparisons masks are written as well, of the
 * selections values. Rows are selected at random, 1 in as many as the name says: by a mask, by row numbers, or by
 * row numbers that are made of a mask. */
#include "device/kernels/kernel_ops.h"
#include "device/tensor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SLICE_ROWS 65536
#define RUNS 7

static dev_stream stream;
static const uint8_t *slice; /* at work */
static uint64_t mask[SLICE_ROWS / 64], set[4] = {0x5555, 0, 1ull << 63, 7};
static uint64_t some[SLICE_ROWS / 64]; /* selected rows */
static uint32_t rows[SLICE_ROWS];
static uint64_t row_count;
static uint8_t selected[SLICE_ROWS];
static int128 sum;
static volatile uint64_t kept;

static double seconds(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
    return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

typedef uint64_t wide __attribute__((vector_size(64), aligned(1)));

#ifdef __x86_64__
__attribute__((target_clones("avx512f", "avx2", "default")))
#endif
static status
read_all(void)
{
    wide all[4] = {0};
    for (size_t i = 0; i < SLICE_ROWS; i += sizeof all)
        for (size_t k = 0; k < 4; k++)
            all[k] |= *(const wide *)(slice + i + k * sizeof *all);
    kept = (all[0] | all[1] | all[2] | all[3])[0];
    return STATUS_OK;
}

static status compare(void)
{
    return DEV_LAUNCH(&stream, narrow_between, .width = 1, .low = 3, .high = 90, .values = slice,
                      .count = dev_count_exact(SLICE_ROWS), .out = mask);
}

static status find_in_set(void)
{
    return DEV_LAUNCH(&stream, narrow_in, .width = 1, .set = set, .set_rows = 256, .values = slice,
                      .count = dev_count_exact(SLICE_ROWS), .out = mask);
}

static status add_up(void)
{
    return DEV_LAUNCH(&stream, narrow_sum, .width = 1, .values = slice,
                      .count = dev_count_exact(SLICE_ROWS), .sum = &sum);
}

static status select_by_mask(void)
{
    return DEV_LAUNCH(&stream, widen_selected, .width = 1, .out_width = 1, .values = slice,
                      .mask = some, .count = dev_count_exact(SLICE_ROWS), .selected = row_count,
                      .out = selected);
}

static status make_rows(void)
{
    return DEV_LAUNCH(&stream, mask_to_index, .mask = some, .count = dev_count_exact(SLICE_ROWS),
                      .rows = rows, .out_count = &row_count);
}

static status select_by_rows(void)
{
    return DEV_LAUNCH(&stream, widen_some, .width = 1, .out_width = 1, .values = slice,
                      .rows = rows, .count = dev_count_exact(row_count), .out = selected);
}

static status select_with_rows(void)
{
    TRY(make_rows());
    return select_by_rows();
}

/* Draws the rows to be selected, each with a chance of 1 in `rows_each`. */
static void draw_some(uint32_t rows_each)
{
    uint64_t random = 0x9e3779b97f4a7c15;
    memset(some, 0, sizeof some);
    for (size_t i = 0; i < SLICE_ROWS; i++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        some[i / 64] |= (uint64_t)((random >> 33) % rows_each == 0) << i % 64;
    }
}

/* Returns GB a second of the best run. */
static double rate_of(const uint8_t *values, size_t bytes, status (*run)(void))
{
    double best = 1e9;
    for (int i = 0; i < RUNS; i++) {
        double since = seconds();
        for (size_t at = 0; at + SLICE_ROWS <= bytes; at += SLICE_ROWS) {
            slice = values + at;
            status st = run();
            if (st) {
                fprintf(stderr, "%s\n", status_message(st));
                exit(1);
            }
        }
        double taken = seconds() - since;
        best = taken < best ? taken : best;
    }
    return (double)bytes / best / 1e9;
}

int main(int count, char **arguments)
{
    static const struct {
        const char *name;
        status (*run)(void);
    } plain[] = {{"comparison", compare}, {"set of values", find_in_set}, {"sum", add_up}},
      selections[] = {{"by mask", select_by_mask},
                      {"by rows", select_by_rows},
                      {"rows of a mask", make_rows},
                      {"both", select_with_rows}};
    static const uint32_t shares[] = {2, 4, 8, 16, 32, 64, 512, 4096};
    size_t bytes = count > 1 ? strtoull(arguments[1], NULL, 10) : 1000000000;
    mem_budget *budget;
    bytes = bytes / SLICE_ROWS * SLICE_ROWS;
    uint8_t *values = malloc(bytes ? bytes : 1);
    status st = mem_budget_new(0, &budget);
    if (!st)
        st = dev_open_cpu("auto", 0, budget, &stream.dev);
    if (!values || st) {
        fprintf(stderr, "%s\n", st ? status_message(st) : "no memory");
        return 1;
    }
    for (size_t i = 0; i < bytes; i++)
        values[i] = (uint8_t)(i * 2654435761u >> 13);
    double reading = rate_of(values, bytes, read_all);
    printf("reading        %6.1f GB/s\n", reading);
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) {
        double rate = rate_of(values, bytes, plain[i].run);
        printf("%-14s %6.1f GB/s  %.2f\n", plain[i].name, rate, rate / reading);
    }
    for (size_t k = 0; k < sizeof shares / sizeof *shares; k++) {
        draw_some(shares[k]);
        st = make_rows();
        if (st)
            return 1;
        for (size_t i = 0; i < sizeof selections / sizeof *selections; i++) {
            double rate = rate_of(values, bytes, selections[i].run);
            printf("1 in %-4u %-14s %6.1f GB/s  %.2f\n", shares[k], selections[i].name, rate,
                   rate / reading);
        }
    }
    dev_close(stream.dev);
    mem_budget_free(budget);
    free(values);
    return 0;
}
