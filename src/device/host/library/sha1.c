/* sha1.c - see sha1.h. */
#include "device/host/library/sha1.h"

#include "device/host/digest.h"

#define ROUNDS 80

static uint32_t sha1_rotate(uint32_t x, unsigned by)
{
    return x << by | x >> (32 - by);
}

static void sha1_words(const unsigned char *at, uint32_t words[ROUNDS])
{
    for (int i = 0; i < 16; i++)
        words[i] = (uint32_t)at[4 * i] << 24 | (uint32_t)at[4 * i + 1] << 16 |
                   (uint32_t)at[4 * i + 2] << 8 | at[4 * i + 3];
    for (int i = 16; i < ROUNDS; i++)
        words[i] = sha1_rotate(words[i - 3] ^ words[i - 8] ^ words[i - 14] ^ words[i - 16], 1);
}

static void sha1_block(uint32_t state[5], const unsigned char *at)
{
    static const uint32_t constants[] = {0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6};
    uint32_t words[ROUNDS];
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3], e = state[4];
    sha1_words(at, words);
    for (int i = 0; i < ROUNDS; i++) {
        uint32_t mixed = i < 20              ? (b & c) | (~b & d)
                         : i >= 40 && i < 60 ? (b & c) | (b & d) | (c & d)
                                             : b ^ c ^ d;
        uint32_t next = sha1_rotate(a, 5) + mixed + e + constants[i / 20] + words[i];
        e = d;
        d = c;
        c = sha1_rotate(b, 30);
        b = a;
        a = next;
    }
    state[0] += a;
    state[1] += b;
    state[2] += c;
    state[3] += d;
    state[4] += e;
}

void sha1_digest(const char *bytes, size_t count, unsigned char out[SHA1_BYTES])
{
    uint32_t state[] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};
    digest_each_block(bytes, count, true, state, sha1_block);
    for (unsigned i = 0; i < SHA1_BYTES; i++)
        out[i] = (unsigned char)(state[i / 4] >> (24 - 8 * (i % 4)));
}
