/* test_delta_kernels.c - DELTA_BINARY_PACKED of every width of differences, read by every ISA.
 *
 * test_label: release */
#include "device/cpu/tables.h"
#include "kernel_tables.h"
#include "parquet/write/encode.h"
#include "parquet/write/encode_delta.h"
#include "test.h"

#define ROWS_MAX 1100
#define SLACK 64 /* readable bytes that the kernels may count on */
#define SENTINEL 0xa5a5a5a5a5a5a5a5u

static const size_t counts[] = {0, 1, 2, 8, 9, 16, 17, 32, 33, 34, 65, 128, 129, 130, 1000, 1025};
static const char *const isas[] = {"scalar", "avx2", "avx512", "cuda"};

/* Numbers whose differences take some `bits`, up and down, and now and then none. */
static void fill(unsigned bits, bool is_32, void *out)
{
    uint64_t value = test_random(), mask = bits ? ~(uint64_t)0 >> (64 - bits) : 0;
    for (size_t i = 0; i < ROWS_MAX; i++) {
        value += (i / 200 % 3 ? test_random() & mask : 0) - mask / 2;
        if (is_32)
            ((uint32_t *)out)[i] = (uint32_t)value;
        else
            ((uint64_t *)out)[i] = value;
    }
}

static void check_page(const char *isa, const pq_buffer *page, const void *expected, size_t count,
                       uint8_t width)
{
    static uint8_t bytes[ROWS_MAX * 20 + SLACK];
    static uint64_t out[ROWS_MAX + 1];
    const char *name;
    const dev_kernel_function *table = test_kernel_table(isa, &name);
    uint64_t words[2] = {count, 3}, end = 0, behind;
    dev_error error = {.code = DEV_ERROR_NONE};
    if (!table)
        return;
    memset(bytes, 0xee, sizeof bytes);
    memcpy(bytes + 3, page->items, page->count);
    for (size_t i = 0; i <= ROWS_MAX; i++)
        out[i] = SENTINEL;
    table[DEV_KERNEL_parquet_delta](
        &(parquet_delta_arguments){.page = bytes,
                                   .page_bytes = (uint32_t)page->count + 3,
                                   .words = words,
                                   .width = width,
                                   .out = out,
                                   .out_end = &end,
                                   .error = &error});
    CHECK_EQ(atomic_load(&error.code), DEV_ERROR_NONE);
    CHECK_EQ(end, page->count + 3);
    CHECK(!memcmp(out, expected, count * width));
    behind = SENTINEL;
    CHECK(!memcmp((uint8_t *)out + count * width, &behind, width));
}

static void check_width(unsigned bits, bool is_32)
{
    static uint64_t numbers[ROWS_MAX];
    fill(bits, is_32, numbers);
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        pq_buffer page = {0};
        pq_dense dense = {
            .values = numbers, .count = counts[c], .physical = is_32 ? PQ_INT32 : PQ_INT64};
        pq_encode_delta_binary(&dense, &page);
        CHECK(!page.has_failed);
        for (size_t i = 0; i < sizeof isas / sizeof *isas; i++)
            check_page(isas[i], &page, numbers, counts[c], is_32 ? 4 : 8);
        pq_buffer_release(&page);
    }
}

TEST(differences_of_every_width_in_64_bits)
{
    for (unsigned bits = 0; bits <= 64; bits++)
        check_width(bits, false);
}

TEST(differences_of_every_width_in_32_bits)
{
    for (unsigned bits = 0; bits <= 32; bits++)
        check_width(bits, true);
}
