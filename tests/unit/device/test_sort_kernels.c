/* test_sort_kernels.c - sort_rows of every ISA and of the CUDA device, by merging and digit by digit,
 * against the C library's sort.
 * test_label: not-tsan release */
#include "device/value/sort_key.h"
#include "kernel_tables.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

#define ROWS 34000 /* twelve tiles of the radix sort */
#define KEYS 9     /* more than the radix sort takes */

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
        key_count = kind == 4 ? KEYS : kind == 6 ? 5 : 1 + kind % 2;
        fill(kind);
        uint32_t count = counts[kind % 7];
        check_sorted(count, kind % 2 ? count : ROWS, false);
    }
}

/* Makes a key of numbers of so many bits and both signs, of which some are NULL. */
static void fill_signed(unsigned bits)
{
    for (size_t i = 0; i < ROWS; i++) {
        uint64_t number = word_of(0, i) >> (64 - bits), sign = i % 2 ? UINT64_MAX : 0;
        bool is_null = bits % 2 && i % 100 == 0;
        rows[3 * i] = is_null;
        rows[3 * i + 1] = is_null ? 0 : sign ^ (UINT64_C(1) << 63);
        rows[3 * i + 2] = is_null ? 0 : number ^ sign;
    }
}

/* Words of 4 and of 8 bytes, and two of them; numbers of whose bits every third one varies. */
TEST(signed_numbers)
{
    static const unsigned bits[] = {3, 31, 32, 33, 39, 63, 64};
    key_count = 1;
    for (unsigned i = 0; i < sizeof bits / sizeof *bits; i++) {
        fill_signed(bits[i]);
        check_sorted(ROWS - i, ROWS, false);
    }
    for (size_t i = 0; i < (size_t)ROWS * 3; i++)
        rows[i] &= UINT64_C(0x9249249249249249);
    check_sorted(ROWS, ROWS, false);
}

/* ---- texts ---- */

#define POOL 4000
#define TEXT_BYTES 48

/* Texts in their order; numbers[i]: of the first that is as text i. */
static struct {
    char texts[POOL][TEXT_BYTES];
    string_view views[POOL];
    uint64_t numbers[POOL];
    uint32_t count;
} pool;

static int by_bytes(const void *left, const void *right)
{
    const string_view *l = left, *r = right;
    uint32_t shorter = l->bytes < r->bytes ? l->bytes : r->bytes;
    int order = memcmp(string_data(l), string_data(r), shorter);
    return order ? order : (l->bytes > r->bytes) - (l->bytes < r->bytes);
}

/* Kinds of texts: of few bytes, zeros among them; of a number behind a beginning; about as long as what digits
 * tell; of which digits tell the beginning, that few rows share; that all share. */
static uint32_t write_text(unsigned kind, uint32_t i, char *text)
{
    uint32_t bytes = (uint32_t)test_random_below(14);
    switch (kind) {
    case 0:
        for (uint32_t k = 0; k < bytes; k++)
            text[k] = "\0a\xff"[test_random_below(3)];
        return bytes;
    case 1:
        return (uint32_t)snprintf(text, TEXT_BYTES, "Customer#%09u", i * 7);
    case 2:
        memset(text, test_random_below(50) ? 'x' : 'y', TEXT_BYTES);
        return 30 + (uint32_t)test_random_below(4);
    case 3:
        return (uint32_t)snprintf(text, TEXT_BYTES, "%032u%u", i / 4, i % 4);
    default:
        return (uint32_t)snprintf(text, TEXT_BYTES, "%034u", i);
    }
}

static void fill_pool(unsigned kind, uint32_t count)
{
    pool.count = count;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t bytes = write_text(kind, i, pool.texts[i]);
        pool.views[i] = string_view_make(pool.texts[i], bytes);
    }
    qsort(pool.views, count, sizeof *pool.views, by_bytes);
    for (uint32_t i = 0; i < count; i++)
        pool.numbers[i] =
            i && !by_bytes(&pool.views[i], &pool.views[i - 1]) ? pool.numbers[i - 1] : i;
}

/* Key `key` of each row: a text of the pool, or NULL. */
static void fill_texts(uint32_t key, bool is_descending, bool has_nulls)
{
    for (size_t i = 0; i < ROWS; i++) {
        size_t at = (i * key_count + key) * 3, text = test_random_below(pool.count);
        bool is_null = has_nulls && i % 5 == 0;
        rows[at] = SORT_KEY_TEXT | (is_descending ? SORT_KEY_DESCENDING : 0) | is_null;
        ranks[at] = rows[at];
        memset(&rows[at + 1], 0, 16);
        if (!is_null)
            memcpy(&rows[at + 1], &pool.views[text], 16);
        uint64_t number = is_descending ? POOL - pool.numbers[text] : pool.numbers[text];
        ranks[at + 1] = is_null ? 0 : number;
        ranks[at + 2] = 0;
    }
}

/* The first key is a text, a second one a number, or the other way round. */
TEST(texts)
{
    for (unsigned kind = 0; kind < 5; kind++) {
        uint32_t text_key = kind % 2;
        key_count = kind == 3 ? 1 : 2;
        fill(1);
        memcpy(ranks, rows, sizeof ranks);
        fill_pool(kind, POOL - 7);
        fill_texts(kind == 3 ? 0 : text_key, kind > 2, kind != 3);
        keys = ranks;
        check_sorted(kind == 0 ? 3000 : ROWS, ROWS, true);
        keys = rows;
    }
}

TEST(several_texts)
{
    key_count = 3;
    fill(1);
    memcpy(ranks, rows, sizeof ranks);
    fill_pool(0, 200);
    fill_texts(0, true, true);
    fill_texts(2, false, false);
    keys = ranks;
    check_sorted(ROWS, ROWS, true);
    keys = rows;
}
