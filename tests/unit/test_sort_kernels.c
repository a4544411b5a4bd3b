/* test_sort_kernels.c - sort_rows of every ISA and of the CUDA device, by merging and digit by digit,
 * against the C library's sort. */
#include "device/sort_key.h"
#include "kernel_tables.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

#define ROWS 34000 /* nine blocks of the radix sort */
#define KEYS 5

static const char *const isas[] = {"scalar", "avx2", "avx512", "cuda"};

static uint64_t rows[(size_t)ROWS * KEYS * 3];
static uint64_t ranks[(size_t)ROWS * KEYS * 3]; /* the same with a number in each text's place */
static uint32_t expected[ROWS], scratch[ROWS], found[ROWS];
static uint32_t key_count;
static const uint64_t *keys = rows; /* what is to be in order */

static int by_words(const void *left, const void *right)
{
    uint32_t l = *(const uint32_t *)left, r = *(const uint32_t *)right;
    for (size_t i = 0; i < (size_t)key_count * 3; i++) {
        uint64_t x = keys[l * (size_t)key_count * 3 + i], y = keys[r * (size_t)key_count * 3 + i];
        if (x != y)
            return x < y ? -1 : 1;
    }
    return l < r ? -1 : l > r;
}

/* Kinds of words: any, few, bytes here and there, negative and positive, in order, all the same. */
static uint64_t word_of(unsigned kind, size_t row)
{
    switch (kind % 6) {
    case 0:
        return test_random_below(UINT64_MAX);
    case 1:
        return test_random_below(3);
    case 2:
        return test_random_below(200) << 16 | test_random_below(2) << 63;
    case 3:
        return test_random_below(2) ? UINT64_MAX - test_random_below(1000)
                                    : test_random_below(1000);
    case 4:
        return row / 7;
    default:
        return 0x1234;
    }
}

static void check_sorted(uint32_t count, uint32_t bound, bool has_text)
{
    uint64_t actual = count;
    for (uint32_t i = 0; i < count; i++)
        expected[i] = i;
    qsort(expected, count, sizeof *expected, by_words);
    for (size_t isa = 0; isa < sizeof isas / sizeof *isas; isa++) {
        dev_kernel_function kernel = test_kernel(isas[isa], DEV_KERNEL_sort_rows);
        if (!kernel)
            continue;
        memset(found, 0xee, sizeof found);
        kernel(&(sort_rows_arguments){.rows = rows,
                                      .key_count = key_count,
                                      .has_text = has_text,
                                      .count = {.bound = bound, .actual = &actual},
                                      .scratch = scratch,
                                      .out = found});
        CHECK(memcmp(found, expected, count * sizeof *found) == 0);
    }
}

static void fill(unsigned kind)
{
    for (size_t i = 0; i < (size_t)ROWS * key_count; i++) {
        bool is_null = kind % 4 == 1 && i % 5 == 0;
        rows[3 * i] = is_null;
        rows[3 * i + 1] = is_null ? 0 : word_of(kind + i % key_count, i / key_count);
        rows[3 * i + 2] = is_null ? 0 : word_of(kind / 2 + i % key_count, i / key_count);
    }
}

TEST(numbers)
{
    static const uint32_t counts[] = {0, 1, 33, 4096, 32767, 32768, ROWS};
    for (unsigned kind = 0; kind < 9; kind++) {
        key_count = kind == 4 ? KEYS : 1 + kind % 2;
        fill(kind);
        uint32_t count = counts[kind % 7];
        check_sorted(count, kind % 2 ? count : ROWS, false);
    }
}

/* Short texts, and long ones with one beginning, which come behind them; the first key is a number. */
TEST(texts)
{
    static char texts[100][24];
    for (int i = 0; i < 100; i++)
        snprintf(texts[i], sizeof texts[i], i < 50 ? "%02d" : "the same beginning %02d", i);
    key_count = 2;
    fill(1);
    for (size_t i = 0; i < ROWS; i++) {
        size_t text = test_random_below(100);
        string_view view = string_view_make(texts[text], (uint32_t)strlen(texts[text]));
        rows[6 * i + 3] = SORT_KEY_TEXT;
        memcpy(&rows[6 * i + 4], &view, sizeof view);
        memcpy(&ranks[6 * i], &rows[6 * i], 4 * sizeof *rows);
        ranks[6 * i + 4] = text;
    }
    keys = ranks;
    check_sorted(ROWS, ROWS, true);
    keys = rows;
}
