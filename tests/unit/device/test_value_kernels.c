/* test_value_kernels.c - PLAIN texts of every short length, and decimals of every length in bytes,
 * read by every ISA.
 *
 * test_label: release */
#include "device/cpu/tables.h"
#include "kernel_tables.h"
#include "parquet/format/format.h"
#include "test.h"

#define ROWS 600
#define LENGTH_MAX 40
#define SLACK 64 /* readable bytes that the kernels may count on */

static const char *const isas[] = {"scalar", "avx2", "avx512", "cuda"};
static uint8_t page[ROWS * (LENGTH_MAX + 4) + SLACK];

static bool run(const char *isa, parquet_plain_arguments *arguments, uint64_t count)
{
    const char *name;
    const dev_kernel_function *table = test_kernel_table(isa, &name);
    uint64_t words[2] = {count, 0};
    dev_error error = {.code = DEV_ERROR_NONE};
    if (!table)
        return false;
    arguments->page = page;
    arguments->words = words;
    arguments->error = &error;
    table[DEV_KERNEL_parquet_plain](arguments);
    CHECK_EQ(atomic_load(&error.code), DEV_ERROR_NONE);
    return true;
}

TEST(texts_of_every_length)
{
    static string_view expected[ROWS], out[ROWS];
    uint32_t at = 0;
    for (size_t i = 0; i < sizeof page; i++)
        page[i] = (uint8_t)test_random();
    for (uint32_t i = 0; i < ROWS; i++) {
        uint32_t length = i < 30 ? i : (uint32_t)test_random_below(LENGTH_MAX);
        memcpy(page + at, &length, 4);
        expected[i] = string_view_make((const char *)page + at + 4, length);
        at += 4 + length;
    }
    for (size_t i = 0; i < sizeof isas / sizeof *isas; i++) {
        memset(out, 0xee, sizeof out);
        parquet_plain_arguments arguments = {.page_bytes = at,
                                             .physical = PQ_BYTE_ARRAY,
                                             .type = type_make(TYPE_VARCHAR),
                                             .out = out};
        if (run(isas[i], &arguments, ROWS))
            CHECK(!memcmp(out, expected, sizeof out));
    }
}

static void check_decimals(uint32_t length, uint8_t width)
{
    static int128 expected[ROWS], out[ROWS];
    data_type type = type_decimal(width == 8 ? 18 : 38, 0);
    for (size_t i = 0; i < ROWS; i++) {
        uint8_t *bytes = page + i * length;
        uint32_t used = width < length ? width : length; /* the others repeat the sign */
        uint128 number = 0;
        for (uint32_t b = 0; b < used; b++) {
            uint8_t byte = (uint8_t)test_random();
            if (b == 0 && byte & 0x80)
                number = ~(uint128)0;
            bytes[length - used + b] = byte;
            number = number << 8 | byte;
        }
        memset(bytes, number >> 127 ? 0xff : 0, length - used);
        expected[i] = (int128)number;
    }
    for (size_t i = 0; i < sizeof isas / sizeof *isas; i++) {
        parquet_plain_arguments arguments = {.page_bytes = ROWS * length,
                                             .physical = PQ_FIXED_LEN_BYTE_ARRAY,
                                             .conversion = PQ_CONVERT_BIG,
                                             .type_length = length,
                                             .type = type,
                                             .out = out};
        CHECK_EQ(type.width, width);
        if (!run(isas[i], &arguments, ROWS))
            continue;
        for (size_t row = 0; row < ROWS; row++)
            CHECK(width == 8 ? ((int64_t *)(void *)out)[row] == (int64_t)expected[row]
                             : out[row] == expected[row]);
    }
}

TEST(decimals_of_every_length)
{
    for (uint32_t length = 1; length <= 20; length++) {
        check_decimals(length, 8);
        check_decimals(length, 16);
    }
}
