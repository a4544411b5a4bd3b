/* test_checksum.c - the pages' checksum against zlib's, at all lengths and cuts.
 *
 * test_label: release */
#include "test.h"

#include "codec/checksum.h"

#include <zlib.h>

#define BYTES_MAX 5000

/* By the best of the instructions, after it gave the same by every other set. */
static uint32_t sum(uint32_t before, const void *data, size_t bytes)
{
    uint32_t best = codec_checksum(cpu_isa_best(), before, data, bytes);
    for (cpu_isa isa = CPU_ISA_SCALAR; isa < cpu_isa_best(); isa++)
        CHECK_EQ(codec_checksum(isa, before, data, bytes), best);
    return best;
}

TEST(known_values)
{
    CHECK_EQ(sum(0, "", 0), 0);
    CHECK_EQ(sum(0, "123456789", 9), 0xcbf43926u);
}

TEST(every_length)
{
    uint8_t bytes[BYTES_MAX];
    for (size_t i = 0; i < BYTES_MAX; i++)
        bytes[i] = (uint8_t)test_random();
    for (size_t length = 0; length <= 1500; length++)
        CHECK_EQ(sum(0, bytes + length % 16, length), crc32_z(0, bytes + length % 16, length));
    CHECK_EQ(sum(0, bytes, BYTES_MAX), crc32_z(0, bytes, BYTES_MAX));
}

TEST(in_pieces)
{
    uint8_t bytes[BYTES_MAX];
    for (size_t i = 0; i < BYTES_MAX; i++)
        bytes[i] = (uint8_t)(i * i);
    uint32_t whole = (uint32_t)crc32_z(0, bytes, BYTES_MAX);
    for (size_t cut = 0; cut <= BYTES_MAX; cut += 37)
        CHECK_EQ(sum(sum(0, bytes, cut), bytes + cut, BYTES_MAX - cut), whole);
}
