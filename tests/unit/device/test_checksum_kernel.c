/* test_checksum_kernel.c - checksums of many pages in one launch, of every ISA and the CUDA device, against
 * zlib's.
 * test_label: not-tsan release */
#include "kernel_tables.h"
#include "test.h"

#include <zlib.h>

#define PAGES 40
#define PLACE 100 /* of the first page in its file */
#define LOCATION 7

static const char *const isas[] = {"scalar", "avx2", "avx512", "cuda"};

/* Lengths around those of a word, of a block's words and of a slice. */
static const uint32_t lengths[] = {0,     1,     2,     3,      4,     5,     7,     8,
                                   9,     63,    1023,  1024,   1025,  1027,  1028,  2048,
                                   4099,  65532, 65533, 65534,  65535, 65536, 65537, 65539,
                                   65540, 66560, 66561, 131071, 200003};
#define LENGTHS (sizeof lengths / sizeof *lengths)

typedef struct pages {
    uint8_t *stored;
    parquet_page list[PAGES];
    uint32_t slices;
} pages;

/* Pages of any of the lengths, from any byte on; each fifth has no checksum but a wrong one's number. */
static void make_pages(pages *p, size_t round)
{
    uint64_t at = round % 4;
    *p = (pages){.stored = mem_new((size_t)PAGES * (200003 + 8))};
    CHECK(p->stored);
    for (uint32_t i = 0; i < PAGES; i++) {
        uint32_t bytes =
            i < LENGTHS ? lengths[(i + round) % LENGTHS] : (uint32_t)test_random() % 3000;
        for (uint32_t k = 0; k < bytes; k++)
            p->stored[at + k] = (uint8_t)test_random();
        p->list[i] = (parquet_page){.stored_at = at,
                                    .stored_bytes = bytes,
                                    .unpacked_bytes = bytes,
                                    .location = LOCATION + i,
                                    .kind = (uint8_t)(i % 8),
                                    .is_compressed = i % 2,
                                    .has_checksum = i % 5 != 4,
                                    .checksum = (uint32_t)crc32_z(0, p->stored + at, bytes),
                                    .first_slice = p->slices,
                                    .file_at = PLACE + at};
        p->list[i].checksum ^= !p->list[i].has_checksum;
        p->slices += p->list[i].has_checksum ? PARQUET_SLICES(bytes) : 0;
        at += bytes + (uint32_t)test_random() % 5;
    }
}

/* The first `count` pages. */
static dev_error launch(const dev_kernel_function *table, const pages *p, uint32_t count)
{
    dev_error error = {.code = DEV_ERROR_NONE};
    uint32_t slices = count < PAGES ? p->list[count].first_slice : p->slices;
    table[DEV_KERNEL_parquet_batch_checksums](
        &(parquet_batch_checksums_arguments){.stored = p->stored,
                                             .pages = p->list,
                                             .page_count = count,
                                             .slice_count = slices,
                                             .error = &error});
    return error;
}

static void check_right(const dev_kernel_function *table, const pages *p)
{
    for (uint32_t count = 0; count <= PAGES; count += count < 3 ? 1 : 37) {
        dev_error error = launch(table, p, count);
        CHECK_EQ(atomic_load(&error.code), DEV_ERROR_NONE);
    }
}

/* A bit of page i is another one. */
static void check_damaged(const dev_kernel_function *table, pages *p, uint32_t i)
{
    const parquet_page *page = &p->list[i];
    uint64_t bit = page->stored_bytes ? test_random() % (page->stored_bytes * (uint64_t)8) : 0;
    if (!page->stored_bytes || !page->has_checksum)
        return;
    p->stored[page->stored_at + bit / 8] ^= (uint8_t)(1 << bit % 8);
    dev_error error = launch(table, p, PAGES);
    p->stored[page->stored_at + bit / 8] ^= (uint8_t)(1 << bit % 8);
    CHECK_EQ(atomic_load(&error.code), DEV_ERROR_CHECKSUM);
    CHECK_EQ(error.location, LOCATION + i);
    CHECK_EQ(error.detail, page->file_at);
}

TEST(many_pages)
{
    for (size_t isa = 0; isa < sizeof isas / sizeof *isas; isa++) {
        const char *name;
        const dev_kernel_function *table = test_kernel_table(isas[isa], &name);
        for (size_t round = 0; table && round < 4; round++) {
            pages p;
            make_pages(&p, round);
            check_right(table, &p);
            for (uint32_t i = (uint32_t)round; i < PAGES; i += 4)
                check_damaged(table, &p, i);
            mem_free(p.stored);
        }
    }
}
