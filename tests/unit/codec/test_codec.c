/* test_codec.c - pages that take long to decompress: what comes out, damaged ones, and that they are left once their
 * statement is cancelled. test_label: not-tsan release */
#include "plain_bytes.h"
#include "test.h"

#include "base/cancel.h"
#include "base/fault.h"
#include "codec/codec.h"
#include "codec/lz4_long.h"
#include "parquet/write/compress.h"

#include <lz4.h>

#define LONG_BYTES ((size_t)40 << 20)
#define LOOKS_MIN 2 /* of snappy, which looks every 16 MiB */

static void check_long(pq_codec codec, const uint8_t *plain)
{
    pq_buffer packed = {0};
    cancel_flag flag = false, *before = cancel_set(&flag);
    uint8_t *target = mem_new(LONG_BYTES);
    CHECK(target);
    CHECK_OK(pq_compress(codec, 1, plain, LONG_BYTES, &packed));
    fault_arm(FAULT_CANCEL, UINT64_MAX, FAULT_ONCE);
    CHECK(codec_decompress(cpu_isa_best(), codec, packed.items, packed.count, target, LONG_BYTES));
    fault_disarm(FAULT_CANCEL);
    CHECK(fault_checks(FAULT_CANCEL) >= LOOKS_MIN);
    CHECK(!memcmp(target, plain, LONG_BYTES));
    CHECK(!codec_decompress(cpu_isa_best(), codec, packed.items, packed.count, target,
                            LONG_BYTES - 1));
    CHECK(!codec_decompress(cpu_isa_best(), codec, packed.items, packed.count - 1, target,
                            LONG_BYTES));
    fault_arm(FAULT_CANCEL, 2, FAULT_ONCE);
    CHECK(!codec_decompress(cpu_isa_best(), codec, packed.items, packed.count, target, LONG_BYTES));
    CHECK(fault_disarm(FAULT_CANCEL));
    CHECK(fault_checks(FAULT_CANCEL) <= 4);
    cancel_set(before);
    pq_buffer_release(&packed);
    mem_free(target);
}

TEST(long_pages_are_left_when_cancelled)
{
    static const pq_codec codecs[] = {PQ_CODEC_SNAPPY, PQ_CODEC_GZIP,    PQ_CODEC_BROTLI,
                                      PQ_CODEC_ZSTD,   PQ_CODEC_LZ4_RAW, PQ_CODEC_LZ4};
    uint8_t *plain = mem_new(LONG_BYTES);
    CHECK(plain);
    test_fill(plain, LONG_BYTES, 0);
    for (size_t c = 0; c < sizeof codecs / sizeof *codecs; c++)
        check_long(codecs[c], plain);
    mem_free(plain);
}

/* Blocks in memory of just the right size: a byte too far is seen. */
TEST(lz4_blocks_are_what_the_library_makes_of_them)
{
    enum { MOST = 3000 };
    uint8_t *plain = mem_new(MOST), *expected = mem_new(MOST);
    CHECK(plain && expected);
    int taken = 0;
    for (unsigned round = 0; round < 2000; round++) {
        int bytes = 1 + (int)test_random_below(MOST - 1);
        uint8_t *packed = mem_new((size_t)LZ4_compressBound(bytes));
        test_fill(plain, (size_t)bytes, round);
        int count =
            LZ4_compress_default((char *)plain, (char *)packed, bytes, LZ4_compressBound(bytes));
        uint8_t *source = mem_resize(packed, (size_t)count), *target = mem_new((size_t)bytes);
        CHECK(count > 0 && source && target);
        CHECK(lz4_decode_long(source, (size_t)count, target, (size_t)bytes));
        CHECK(!memcmp(target, plain, (size_t)bytes));
        CHECK(!lz4_decode_long(source, (size_t)count, target, (size_t)bytes - 1));
        for (int damage = 0; damage < 4; damage++)
            source[test_random_below((uint64_t)count)] = (uint8_t)test_random();
        bool is_right =
            LZ4_decompress_safe((char *)source, (char *)expected, count, bytes) == bytes;
        bool is_taken = lz4_decode_long(source, (size_t)count, target, (size_t)bytes);
        CHECK(!is_right || !is_taken || !memcmp(target, expected, (size_t)bytes));
        taken += is_right && is_taken;
        mem_free(source);
        mem_free(target);
    }
    CHECK(taken > 100);
    mem_free(plain);
    mem_free(expected);
}
