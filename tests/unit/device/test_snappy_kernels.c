/* test_snappy_kernels.c - pages of snappy that have several parts, of every ISA and the CUDA device, against the library:
 * what it compresses, streams that it does not write, and damaged ones.
 * test_label: not-tsan release */
#include "kernel_tables.h"
#include "plain_bytes.h"
#include "test.h"

#include "parquet/format/format.h"

#include <snappy-c.h>

#define PAGES 3
#define LOCATION 40

static const char *const isas[] = {"scalar", "avx2", "avx512", "cuda"};
#define ISAS (sizeof isas / sizeof *isas)

typedef struct bytes {
    uint8_t *at;
    size_t count, room;
} bytes;

static void add(bytes *b, const void *source, size_t count)
{
    if (b->room < b->count + count || !b->at) {
        b->room = 2 * (b->count + count) + 16;
        b->at = mem_resize(b->at, b->room);
        CHECK(b->at);
    }
    if (count)
        memcpy(b->at + b->count, source, count);
    b->count += count;
}

static void add_byte(bytes *b, uint64_t byte)
{
    add(b, &(uint8_t){(uint8_t)byte}, 1);
}

static void add_number(bytes *b, uint64_t number, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        add_byte(b, number >> (8 * i) & 255);
}

static void add_varint(bytes *b, uint64_t number)
{
    for (; number > 127; number >>= 7)
        add_byte(b, (number & 127) | 128);
    add_byte(b, number);
}

/* A page: the stream, and what it makes. */
typedef struct page {
    bytes stream;
    uint32_t plain_bytes;
} page;

static bool is_right(const page *p, uint8_t *plain)
{
    size_t count;
    return snappy_uncompressed_length((char *)p->stream.at, p->stream.count, &count) == SNAPPY_OK &&
           count == p->plain_bytes &&
           snappy_uncompress((char *)p->stream.at, p->stream.count, (char *)plain, &count) ==
               SNAPPY_OK;
}

static page compressed(const uint8_t *plain, size_t count)
{
    page p = {.plain_bytes = (uint32_t)count};
    size_t room = snappy_max_compressed_length(count);
    p.stream = (bytes){mem_new(room), 0, room};
    CHECK(p.stream.at);
    p.stream.count = room;
    CHECK_EQ(snappy_compress((const char *)plain, count, (char *)p.stream.at, &p.stream.count),
             SNAPPY_OK);
    return p;
}

static page filled(size_t count, unsigned kind)
{
    uint8_t *plain = mem_new(count + 1);
    CHECK(plain);
    test_fill(plain, count, kind);
    page p = compressed(plain, count);
    mem_free(plain);
    return p;
}

/* ---- the kernels' answer ---- */

/* Checks that right pages' bytes are there, else zero, and that one of the wrong pages is named. */
static void check_answer(const page *pages, const parquet_page *list, const dev_error *error,
                         const uint8_t *unpacked)
{
    uint32_t code = atomic_load(&((dev_error *)error)->code);
    bool any_wrong = false, is_named = false;
    for (uint32_t i = 0; i < PAGES; i++) {
        const uint8_t *found = unpacked + list[i].unpacked_at;
        uint8_t *plain = mem_new(pages[i].plain_bytes + 1);
        CHECK(plain);
        bool is_wrong = pages[i].plain_bytes && !is_right(&pages[i], plain);
        if (is_wrong)
            memset(plain, 0, pages[i].plain_bytes);
        any_wrong |= is_wrong;
        is_named |= is_wrong && error->location == LOCATION + i;
        bool is_same = !memcmp(found + list[i].head_bytes, plain, pages[i].plain_bytes);
        mem_free(plain);
        CHECK(is_same);
        for (uint32_t k = 0; k < list[i].head_bytes; k++)
            CHECK_EQ(found[k], 'L');
    }
    CHECK_EQ(code, any_wrong ? DEV_ERROR_CORRUPT : DEV_ERROR_NONE);
    CHECK(!any_wrong || is_named);
}

/* The stored bytes end where the allocation does. */
static void check_pages(dev_kernel_function kernel, const page *pages)
{
    parquet_page list[PAGES] = {0};
    bytes stored = {0};
    uint64_t at = 0;
    uint32_t parts = 0, tiles = 0;
    for (uint32_t i = 0; i < PAGES; i++) {
        uint32_t head = (uint32_t)test_random() % 3 * 5;
        list[i] = (parquet_page){.stored_at = stored.count,
                                 .unpacked_at = at,
                                 .stored_bytes = (uint32_t)pages[i].stream.count + head,
                                 .unpacked_bytes = pages[i].plain_bytes + head,
                                 .head_bytes = head,
                                 .location = LOCATION + i,
                                 .codec = PQ_CODEC_SNAPPY,
                                 .is_compressed = true,
                                 .first_part = parts};
        parts += PARQUET_PARTS(pages[i].plain_bytes);
        uint32_t its = PARQUET_TILES((uint32_t)pages[i].stream.count);
        tiles = its > tiles && PARQUET_PARTS(pages[i].plain_bytes) > 1 ? its : tiles;
        at += list[i].unpacked_bytes;
        add(&stored, "LLLLLLLLLL", head);
        add(&stored, pages[i].stream.at, pages[i].stream.count);
    }
    uint8_t *exact = mem_new(stored.count), *unpacked = mem_new(at + 1);
    dev_error error = {.code = DEV_ERROR_NONE};
    CHECK(exact && unpacked);
    memcpy(exact, stored.at, stored.count);
    memset(unpacked, 0xa5, at + 1);
    kernel(&(parquet_batch_decompress_arguments){.codecs = 1u << PQ_CODEC_SNAPPY,
                                                 .stored = exact,
                                                 .unpacked = unpacked,
                                                 .pages = list,
                                                 .page_count = PAGES,
                                                 .part_count = parts,
                                                 .most_tiles = tiles,
                                                 .error = &error});
    mem_free(exact);
    mem_free(stored.at);
    CHECK_EQ(unpacked[at], 0xa5);
    check_answer(pages, list, &error, unpacked);
    mem_free(unpacked);
}

static void release(page *pages)
{
    for (uint32_t i = 0; i < PAGES; i++)
        mem_free(pages[i].stream.at);
}

TEST(what_the_library_compresses)
{
    static const size_t sizes[] = {1,      100,    65535,  65536,  65537, 70000,
                                   131071, 131072, 131073, 200000, 0,     262144};
    const size_t size_count = sizeof sizes / sizeof *sizes;
    for (size_t isa = 0; isa < ISAS; isa++) {
        dev_kernel_function kernel = test_kernel(isas[isa], DEV_KERNEL_parquet_batch_decompress);
        for (unsigned round = 0; kernel && round < 12; round++) {
            page pages[PAGES];
            for (unsigned i = 0; i < PAGES; i++)
                pages[i] = filled(sizes[(round * 5 + i * 7) % size_count], round + i);
            check_pages(kernel, pages);
            release(pages);
        }
    }
}

/* ---- streams that it does not write ---- */

/* Elements that may be in a stream, bit by bit of `ways`. */
enum {
    OVER_BACK = 1,    /* copies from before their part */
    OVER_ELEMENT = 2, /* elements of two parts */
    FAR = 4,          /* offsets of four bytes */
    LONG = 8,         /* literals whose length needs up to four bytes, also where fewer would do */
    ALL_WAYS = 16
};

static void add_literal(bytes *stream, uint64_t count, bool is_long)
{
    uint64_t length = count - 1;
    unsigned more = length < 60 ? 0 : length < 256 ? 1 : length < 65536 ? 2 : 3;
    if (is_long)
        more += (unsigned)test_random() % (5 - more);
    add_byte(stream, (more ? 59 + more : length) << 2);
    add_number(stream, length, more);
    for (uint64_t i = 0; i < count; i++)
        add_byte(stream, test_random() & 255);
}

static void add_copy(bytes *stream, uint64_t offset, uint64_t count, bool is_far)
{
    if (!is_far && offset < 2048 && count >= 4 && count < 12 && test_random() % 2) {
        add_byte(stream, 1 | (count - 4) << 2 | offset >> 8 << 5);
        add_byte(stream, offset & 255);
        return;
    }
    is_far |= offset > 65535;
    add_byte(stream, (is_far ? 3u : 2u) | (count - 1) << 2);
    add_number(stream, offset, is_far ? 4 : 2);
}

/* Short elements, now and then a long literal, mostly short offsets. */
static page hand_made(uint64_t bytes_wanted, unsigned ways)
{
    page p = {.plain_bytes = (uint32_t)bytes_wanted};
    add_varint(&p.stream, bytes_wanted);
    for (uint64_t done = 0, count; done < bytes_wanted; done += count) {
        uint64_t of_part = done % PARQUET_PART_BYTES;
        uint64_t back = ways & OVER_BACK && test_random() % 8 == 0 ? done : of_part;
        uint64_t left = bytes_wanted - done;
        if (!(ways & OVER_ELEMENT) && left > PARQUET_PART_BYTES - of_part)
            left = PARQUET_PART_BYTES - of_part;
        bool is_copy = back && test_random() % 3;
        uint64_t most = is_copy ? 64 : test_random() % 100 == 0 ? 10000 : 1 + test_random() % 70;
        count = 1 + test_random() % most;
        count = count < left ? count : left;
        uint64_t near = test_random() % 2 ? 70 : back;
        if (is_copy)
            add_copy(&p.stream, 1 + test_random() % (near < back ? near : back), count,
                     ways & FAR && test_random() % 4 == 0);
        else
            add_literal(&p.stream, count, ways & LONG && test_random() % 4 == 0);
    }
    return p;
}

TEST(streams_of_other_writers)
{
    for (size_t isa = 0; isa < ISAS; isa++) {
        dev_kernel_function kernel = test_kernel(isas[isa], DEV_KERNEL_parquet_batch_decompress);
        for (unsigned round = 0; kernel && round < 2 * ALL_WAYS; round++) {
            page pages[PAGES];
            for (unsigned i = 0; i < PAGES; i++) {
                pages[i] = hand_made(1 + test_random() % (round % 2 ? 150000 : 3000), round / 2);
                uint8_t *plain = mem_new(pages[i].plain_bytes);
                bool is_good = plain && is_right(&pages[i], plain);
                mem_free(plain);
                CHECK(is_good);
            }
            check_pages(kernel, pages);
            release(pages);
        }
    }
}

/* Long copies of few bytes, and literals of whole parts. */
TEST(streams_of_one_kind)
{
    for (size_t isa = 0; isa < ISAS; isa++) {
        dev_kernel_function kernel = test_kernel(isas[isa], DEV_KERNEL_parquet_batch_decompress);
        for (unsigned round = 0; kernel && round < 3; round++) {
            page pages[PAGES];
            for (unsigned i = 0; i < PAGES; i++) {
                static const uint64_t offsets[] = {1, 2, 3, 7, 31, 32, 33, 63, 64};
                page p = {.plain_bytes = 100000};
                add_varint(&p.stream, p.plain_bytes);
                uint64_t done = 70;
                add_literal(&p.stream, done, false);
                for (uint64_t more; done < p.plain_bytes; done += more) {
                    more = p.plain_bytes - done < 64 ? p.plain_bytes - done : 64;
                    if (round < 2)
                        add_copy(&p.stream, offsets[(done / 3000 + i) % 9], more, false);
                    else
                        add_literal(&p.stream, more = p.plain_bytes - done, true);
                }
                pages[i] = p;
            }
            check_pages(kernel, pages);
            release(pages);
        }
    }
}

/* ---- damaged ---- */

static void damage(page *p)
{
    bytes *b = &p->stream;
    for (uint64_t i = test_random() % 3; i; i--)
        b->at[test_random() % b->count] ^= (uint8_t)(1 << test_random() % 8);
    uint64_t at = test_random() % b->count;
    switch (test_random() % 6) {
    case 0:
        b->count = 1 + at;
        break;
    case 1:
        add_byte(b, test_random() & 255);
        break;
    case 2: /* a length of four bytes, and such an offset */
        memset(b->at + at, test_random() % 2 ? 0xfc : 0xff, b->count - at < 5 ? b->count - at : 5);
        break;
    case 3: /* an offset of 0 */
        memset(b->at + at, 0, b->count - at < 4 ? b->count - at : 4);
        break;
    case 4:
        p->plain_bytes += test_random() % 2 ? 1 : PARQUET_PART_BYTES;
        break;
    default:
        break;
    }
}

TEST(damaged_streams)
{
    for (size_t isa = 0; isa < ISAS; isa++) {
        dev_kernel_function kernel = test_kernel(isas[isa], DEV_KERNEL_parquet_batch_decompress);
        unsigned rounds = test_is_cuda(isas[isa]) ? 60 : 300;
        for (unsigned round = 0; kernel && round < rounds; round++) {
            page pages[PAGES];
            for (unsigned i = 0; i < PAGES; i++) {
                uint64_t count = 1 + test_random() % (test_random() % 2 ? 140000 : 2000);
                pages[i] =
                    round % 2 ? filled(count, round) : hand_made(count, round / 2 % ALL_WAYS);
                if (i != round % PAGES)
                    damage(&pages[i]);
            }
            check_pages(kernel, pages);
            release(pages);
        }
    }
}

/* Offsets and lengths at the very edge, at the beginning of the second part. */
TEST(edges_of_parts)
{
    for (size_t isa = 0; isa < ISAS; isa++) {
        dev_kernel_function kernel = test_kernel(isas[isa], DEV_KERNEL_parquet_batch_decompress);
        for (uint64_t offset = 0; kernel && offset < 12; offset++) {
            page pages[PAGES];
            for (unsigned i = 0; i < PAGES; i++) {
                /* A literal up to where the page has offset / 2 bytes more or less than a part, then a copy. */
                uint64_t literal = PARQUET_PART_BYTES - 3 + offset / 2;
                uint64_t from = offset % 2 ? i : i == 0 ? literal : i == 1 ? literal + 1 : 65535;
                page p = {.plain_bytes = (uint32_t)literal + 6};
                add_varint(&p.stream, p.plain_bytes);
                add_literal(&p.stream, literal, false);
                add_copy(&p.stream, from, 6, true);
                pages[i] = p;
            }
            check_pages(kernel, pages);
            release(pages);
        }
    }
}
