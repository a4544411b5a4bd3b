/* test_hybrid_kernels.c - dictionary codes and bits in runs and packed: by hand, and what the
 * encoder makes of every width, read by every ISA.
 *
 * test_label: release */
#include "device/cpu/tables.h"
#include "kernel_tables.h"
#include "parquet/format/buffer.h"
#include "parquet/write/encode_hybrid.h"
#include "test.h"

#define ROWS_MAX 1100
#define SLACK 64 /* readable bytes that the kernels may count on */
#define SENTINEL 0xa5a5a5a5u

static const char *const isas[] = {"scalar", "avx2", "avx512", "cuda"};

/* Reads `count` codes below `dictionary_rows`; false: the page is refused. Nothing may be written
 * behind them. */
static bool read_codes(const dev_kernel_function *table, const pq_buffer *page, size_t count,
                       uint64_t dictionary_rows, uint32_t *out)
{
    uint8_t *bytes = mem_new(page->count + 3 + SLACK);
    uint64_t words[2] = {count, 3};
    dev_error error = {.code = DEV_ERROR_NONE};
    CHECK(bytes);
    memset(bytes, 0xee, page->count + 3 + SLACK);
    memcpy(bytes + 3, page->items, page->count);
    for (size_t i = 0; i <= ROWS_MAX; i++)
        out[i] = SENTINEL;
    table[DEV_KERNEL_parquet_codes](
        &(parquet_codes_arguments){.page = bytes,
                                   .page_bytes = (uint32_t)page->count + 3,
                                   .words = words,
                                   .dictionary_rows = dictionary_rows,
                                   .out = out,
                                   .error = &error});
    for (size_t i = count; i <= ROWS_MAX; i++)
        CHECK_EQ(out[i], SENTINEL);
    mem_free(bytes);
    return atomic_load(&error.code) == DEV_ERROR_NONE;
}

static const dev_kernel_function *table_of(size_t isa)
{
    const char *name;
    return test_kernel_table(isas[isa], &name);
}

#define EACH_ISA(table)                                                                            \
    for (size_t isa = 0; isa < sizeof isas / sizeof *isas; isa++)                                  \
        for (const dev_kernel_function *table = table_of(isa); table; table = NULL)

/* Codes of `width` bits in runs of up to `run_max`; returns the largest. */
static uint32_t fill(unsigned width, size_t run_max, uint32_t *codes)
{
    uint32_t mask = UINT32_MAX >> (32 - width), largest = 0;
    for (size_t i = 0; i < ROWS_MAX;) {
        uint32_t code = (uint32_t)test_random() & mask;
        for (size_t run = 1 + test_random() % run_max; run && i < ROWS_MAX; run--)
            codes[i++] = code;
        largest = code > largest ? code : largest;
    }
    return largest;
}

static void check_width(unsigned width, size_t run_max)
{
    static const size_t counts[] = {0, 1, 7, 8, 9, 15, 16, 17, 31, 64, 100, 1024, ROWS_MAX};
    uint32_t codes[ROWS_MAX], out[ROWS_MAX + 1];
    uint64_t behind = (uint64_t)fill(width, run_max, codes) + 1;
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        pq_buffer page = {0};
        pq_buffer_add_byte(&page, (uint8_t)width);
        pq_encode_hybrid(codes, counts[c], width, &page);
        CHECK(!page.has_failed);
        EACH_ISA(table)
        {
            CHECK(read_codes(table, &page, counts[c], behind, out));
            CHECK(!memcmp(out, codes, counts[c] * sizeof *codes));
        }
        pq_buffer_release(&page);
    }
}

TEST(codes_of_every_width)
{
    static const size_t runs[] = {1, 12, 40, 400};
    for (unsigned width = 1; width <= 32; width++)
        for (size_t r = 0; r < sizeof runs / sizeof *runs; r++)
            check_width(width, runs[r]);
}

/* Codes as other writers make them: runs of any length, one of them among packed values. */
TEST(codes_in_short_runs)
{
    static const uint8_t bytes[] = {3,                                      /* bits a code */
                                    3,  0x88, 0xc6, 0xfa,                   /* 0 to 7 */
                                    2,  5,                                  /* one 5 */
                                    34, 2,                                  /* 17 times 2 */
                                    5,  0x88, 0xc6, 0xfa, 0x77, 0x39, 0x05, /* 0-7, 7-0 */
                                    6,  1};                                 /* three times 1 */
    static const uint32_t expected[] = {0, 1, 2, 3, 4, 5, 6, 7, 5, 2, 2, 2, 2, 2, 2,
                                        2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 0, 1, 2, 3,
                                        4, 5, 6, 7, 7, 6, 5, 4, 3, 2, 1, 0, 1, 1, 1};
    size_t count = sizeof expected / sizeof *expected;
    uint32_t out[ROWS_MAX + 1];
    pq_buffer page = {0};
    pq_buffer_add(&page, bytes, sizeof bytes);
    EACH_ISA(table)
    {
        CHECK(read_codes(table, &page, count, 8, out));
        CHECK(!memcmp(out, expected, sizeof expected));
        CHECK(!read_codes(table, &page, count + 1, 8, out)); /* there are no more */
    }
    pq_buffer_release(&page);
}

/* The one that the dictionary does not have is in a vector, behind the last whole one, in a run. */
TEST(codes_past_the_dictionary)
{
    static const size_t places[] = {3, 17, 33};
    uint32_t codes[200], out[ROWS_MAX + 1];
    for (size_t p = 0; p <= sizeof places / sizeof *places; p++) {
        pq_buffer page = {0};
        for (size_t i = 0; i < 200; i++)
            codes[i] = i < 40 ? i % 7 : p == sizeof places / sizeof *places ? 7 : 6;
        if (p < sizeof places / sizeof *places)
            codes[places[p]] = 7;
        pq_buffer_add_byte(&page, 3);
        pq_encode_hybrid(codes, 200, 3, &page);
        EACH_ISA(table)
        {
            CHECK(read_codes(table, &page, 200, 8, out));
            CHECK(!read_codes(table, &page, 200, 7, out));
        }
        pq_buffer_release(&page);
    }
}

static size_t size_of_runs(unsigned width, size_t run, size_t count)
{
    pq_buffer out = {0};
    uint32_t *codes = mem_new(count * sizeof *codes);
    CHECK(codes);
    for (size_t i = 0; i < count; i++)
        codes[i] = i / run & 1;
    pq_encode_hybrid(codes, count, width, &out);
    CHECK(!out.has_failed);
    size_t bytes = out.count;
    pq_buffer_release(&out);
    mem_free(codes);
    return bytes;
}

/* Packed: a header of two bytes and the bits. Runs: header and value each. */
TEST(runs_must_save_bytes)
{
    CHECK_EQ(size_of_runs(1, 16, 4096), 2 + 512);
    CHECK_EQ(size_of_runs(1, 128, 4096), 2 + 512);
    CHECK_EQ(size_of_runs(1, 256, 4096), 16 * (2 + 1));
    CHECK_EQ(size_of_runs(4, 16, 4096), 2 + 2048);
    CHECK_EQ(size_of_runs(4, 64, 4096), 64 * (2 + 1));
    CHECK_EQ(size_of_runs(16, 8, 4096), 2 + 8192);
    CHECK_EQ(size_of_runs(16, 16, 4096), 256 * (1 + 2));
}

TEST(bits_are_encoded_as_codes_of_one_bit)
{
    static const size_t runs[] = {1, 12, 200, 400};
    uint32_t codes[ROWS_MAX];
    for (size_t r = 0; r < sizeof runs / sizeof *runs; r++) {
        uint64_t bits[ROWS_MAX / 64 + 1] = {0};
        fill(1, runs[r], codes);
        for (size_t i = 0; i < ROWS_MAX; i++)
            bits[i / 64] |= (uint64_t)codes[i] << i % 64;
        for (size_t first = 0; first < 70; first++) {
            pq_buffer by_codes = {0}, by_bits = {0};
            pq_encode_hybrid(codes + first, ROWS_MAX - first, 1, &by_codes);
            pq_encode_hybrid_bits(bits, first, ROWS_MAX - first, &by_bits);
            CHECK_EQ(by_bits.count, by_codes.count);
            CHECK(!memcmp(by_bits.items, by_codes.items, by_bits.count));
            pq_buffer_release(&by_codes);
            pq_buffer_release(&by_bits);
        }
    }
}
