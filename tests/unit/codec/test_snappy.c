/* test_snappy.c - our decompression against the library's: what it compresses, and damaged blocks.
 * test_label: not-tsan release */
#include "plain_bytes.h"
#include "test.h"

#include "codec/snappy.h"

#include <snappy-c.h>

#define BYTES_MAX 70000

TEST(what_the_library_compresses)
{
    uint8_t *plain = mem_new(BYTES_MAX);
    CHECK(plain);
    for (unsigned round = 0; round < 300; round++) {
        size_t bytes = round < 60 ? round : test_random() % BYTES_MAX;
        size_t packed_bytes = snappy_max_compressed_length(bytes);
        uint8_t *packed = mem_new(packed_bytes + 1);
        test_fill(plain, bytes, round);
        CHECK_EQ(snappy_compress((char *)plain, bytes, (char *)packed, &packed_bytes), SNAPPY_OK);
        /* Blocks of just the right size: a byte too far is seen. */
        uint8_t *source = mem_resize(packed, packed_bytes), *target = mem_new(bytes ? bytes : 1);
        CHECK(source && target);
        CHECK(snappy_decode(cpu_isa_best(), source, packed_bytes, target, bytes));
        CHECK(!memcmp(target, plain, bytes));
        memset(target, 0, bytes);
        CHECK(snappy_decode(CPU_ISA_SCALAR, source, packed_bytes, target, bytes));
        CHECK(!memcmp(target, plain, bytes));
        CHECK(!snappy_decode(cpu_isa_best(), source, packed_bytes, target, bytes + 1));
        CHECK(!bytes || !snappy_decode(cpu_isa_best(), source, packed_bytes, target, bytes - 1));
        mem_free(source);
        mem_free(target);
    }
    mem_free(plain);
}

/* In steps, of which each leaves alone what is there. */
static bool decode_in_steps(cpu_isa isa, const uint8_t *source, size_t source_bytes,
                            uint8_t *target, const uint8_t *plain, size_t bytes)
{
    snappy_state state;
    if (!snappy_begin(&state, source, source_bytes, target, bytes))
        return false;
    for (size_t step = 0;; step += test_random() % (bytes / 4 + 2)) {
        step = step < bytes ? step : bytes;
        if (!snappy_continue(isa, &state, step))
            return false;
        CHECK((size_t)(state.out - target) >= step);
        CHECK(!plain || !memcmp(target, plain, (size_t)(state.out - target)));
        if (step == bytes)
            return true;
    }
}

TEST(blocks_are_decompressed_in_steps)
{
    uint8_t *plain = mem_new(BYTES_MAX);
    CHECK(plain);
    for (unsigned round = 0; round < 200; round++) {
        size_t bytes = round < 60 ? round : test_random() % BYTES_MAX;
        size_t packed_bytes = snappy_max_compressed_length(bytes);
        uint8_t *packed = mem_new(packed_bytes + 1), *target = mem_new(bytes ? bytes : 1);
        CHECK(packed && target);
        test_fill(plain, bytes, round);
        CHECK_EQ(snappy_compress((char *)plain, bytes, (char *)packed, &packed_bytes), SNAPPY_OK);
        uint8_t *source = mem_resize(packed, packed_bytes);
        CHECK(source);
        CHECK(decode_in_steps(cpu_isa_best(), source, packed_bytes, target, plain, bytes));
        CHECK(decode_in_steps(CPU_ISA_SCALAR, source, packed_bytes, target, plain, bytes));
        CHECK(!decode_in_steps(cpu_isa_best(), source, packed_bytes - 1, target, NULL, bytes));
        mem_free(source);
        mem_free(target);
    }
    mem_free(plain);
}

TEST(damaged_blocks_are_taken_as_by_the_library)
{
    uint8_t *plain = mem_new(4000), *expected = mem_new(4000);
    CHECK(plain && expected);
    for (unsigned round = 0; round < 3000; round++) {
        size_t bytes = 1 + test_random() % 4000, packed_bytes = snappy_max_compressed_length(bytes);
        uint8_t *packed = mem_new(packed_bytes), *target = mem_new(bytes);
        CHECK(packed && target);
        test_fill(plain, bytes, round);
        CHECK_EQ(snappy_compress((char *)plain, bytes, (char *)packed, &packed_bytes), SNAPPY_OK);
        for (unsigned i = 0; i <= test_random() % 4; i++)
            packed[test_random() % packed_bytes] ^= (uint8_t)(1 << test_random() % 8);
        if (round % 3 == 0)
            packed_bytes = test_random() % packed_bytes;
        packed = packed_bytes ? mem_resize(packed, packed_bytes) : packed;
        size_t length = 0;
        bool is_good =
            snappy_uncompressed_length((char *)packed, packed_bytes, &length) == SNAPPY_OK &&
            length == bytes &&
            snappy_uncompress((char *)packed, packed_bytes, (char *)expected, &length) == SNAPPY_OK;
        CHECK_EQ(snappy_decode(cpu_isa_best(), packed, packed_bytes, target, bytes), is_good);
        CHECK(!is_good || !memcmp(target, expected, bytes));
        CHECK_EQ(snappy_decode(CPU_ISA_SCALAR, packed, packed_bytes, target, bytes), is_good);
        CHECK(!is_good || !memcmp(target, expected, bytes));
        CHECK_EQ(decode_in_steps(cpu_isa_best(), packed, packed_bytes, target,
                                 is_good ? expected : NULL, bytes),
                 is_good);
        mem_free(packed);
        mem_free(target);
    }
    mem_free(plain);
    mem_free(expected);
}
