/* test_delta_kernels.c - DELTA_BINARY_PACKED of every width of differences, read by every ISA.
 *
 * test_label: release */
#include "device/cpu/tables.h"
#include "device/kernels/parquet_page.h"
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

/* ---- two pages at once, of many values ---- */

#define MANY 30000
#define NULLS 3 /* rows of a page that have no value */

static bool read_two(dev_kernel_function kernel, const uint8_t *bytes, size_t page_bytes,
                     uint32_t count, uint8_t width, uint64_t *out, uint64_t *out_end)
{
    static parquet_page pages[2];
    static dev_error error;
    memset(&error, 0, sizeof error);
    memset(out, 0xa5, (2 * (MANY + NULLS) + 3) * sizeof *out);
    for (uint32_t i = 0; i < 2; i++)
        pages[i] = (parquet_page){.unpacked_bytes = (uint32_t)page_bytes,
                                  .first_row = i * (count + NULLS),
                                  .row_count = count + NULLS,
                                  .valid_count = count,
                                  .values_at = 3,
                                  .kind = PARQUET_PAGE_DELTA};
    kernel(&(parquet_batch_delta_arguments){.stored = bytes,
                                            .pages = pages,
                                            .page_count = 2,
                                            .kinds = PARQUET_PAGE_KIND(DELTA),
                                            .width = width,
                                            .out = out,
                                            .error = &error});
    const uint8_t *after = (const uint8_t *)out + 2 * (size_t)(count + NULLS) * width;
    for (size_t i = 0; i < width; i++)
        CHECK_EQ(after[i], 0xa5);
    for (size_t i = 0; i < NULLS * width; i++)
        CHECK_EQ((after - NULLS * width)[i], 0);
    *out_end = pages[0].tail_at;
    CHECK_EQ(pages[0].tail_at, pages[1].tail_at);
    CHECK(*out_end <= page_bytes);
    return atomic_load(&error.code) == DEV_ERROR_NONE;
}

static void check_two(const char *isa, pq_buffer *page, const void *numbers, uint32_t count,
                      uint8_t width)
{
    static uint8_t bytes[MANY * 10 + SLACK];
    static uint64_t out[2 * (MANY + NULLS) + 3]; /* of one value more, too */
    dev_kernel_function kernel = test_kernel(isa, DEV_KERNEL_parquet_batch_delta);
    size_t page_bytes = page->count + 3;
    uint64_t end;
    if (!kernel)
        return;
    memset(bytes, 0xee, sizeof bytes);
    memcpy(bytes + 3, page->items, page->count);
    CHECK(read_two(kernel, bytes, page_bytes, count, width, out, &end));
    CHECK_EQ(end, page_bytes);
    for (size_t i = 0; i < 2; i++)
        CHECK(!memcmp((uint8_t *)out + i * (count + NULLS) * width, numbers, count * width));
    /* Fewer bytes than there must be; any byte, which is damage in a header alone. */
    if (count > 200)
        CHECK(!read_two(kernel, bytes, page_bytes - page_bytes / 3, count, width, out, &end));
    CHECK(!read_two(kernel, bytes, page_bytes, count + 1, width, out, &end));
    for (unsigned i = 0; i < 3; i++) {
        bytes[3 + test_random() % page->count] ^= (uint8_t)(1 + test_random() % 255);
        if (!read_two(kernel, bytes, page_bytes, count, width, out, &end))
            break;
    }
}

TEST(two_pages_of_many_values)
{
    static uint64_t numbers[MANY];
    static const uint32_t many[] = {1, 2, 129, 130, 1025, 9000, MANY};
    for (size_t c = 0; c < 3 * (sizeof many / sizeof *many); c++) {
        uint32_t count = many[c / 3];
        bool is_32 = c % 3 == 1;
        uint64_t mask = c % 3 == 2 ? UINT64_MAX : 0xfffff, value = 0;
        for (uint32_t i = 0; i < count; i++) {
            value += i / 300 % 4 ? test_random() & mask : 7;
            if (is_32)
                ((uint32_t *)numbers)[i] = (uint32_t)value;
            else
                numbers[i] = value;
        }
        pq_buffer page = {0};
        pq_dense dense = {
            .values = numbers, .count = count, .physical = is_32 ? PQ_INT32 : PQ_INT64};
        pq_encode_delta_binary(&dense, &page);
        CHECK(!page.has_failed);
        for (size_t i = 0; i < sizeof isas / sizeof *isas; i++)
            check_two(isas[i], &page, numbers, count, is_32 ? 4 : 8);
        pq_buffer_release(&page);
    }
}
