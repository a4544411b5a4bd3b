/* digest.c - SHA-256 as base/system/sha256.h has it, and MD5: blocks of 64 bytes; the last ones carry a bit, zeros and the length. */
#include "device/host/digest.h"

#include <stdint.h>
#include <string.h>

#define BLOCK_BYTES 64

static uint32_t rotate_left(uint32_t x, unsigned by)
{
    return x << by | x >> (32 - by);
}

static uint32_t load_little(const unsigned char *at)
{
    return (uint32_t)at[3] << 24 | (uint32_t)at[2] << 16 | (uint32_t)at[1] << 8 | at[0];
}

void digest_each_block(const char *bytes, size_t count, bool is_big_endian, uint32_t *state,
                       digest_block *block)
{
    unsigned char last[2 * BLOCK_BYTES] = {0};
    size_t whole = count / BLOCK_BYTES * BLOCK_BYTES, rest = count - whole;
    size_t closing = rest < BLOCK_BYTES - 8 ? BLOCK_BYTES : 2 * BLOCK_BYTES;
    uint64_t bits = (uint64_t)count * 8;
    for (size_t at = 0; at < whole; at += BLOCK_BYTES)
        block(state, (const unsigned char *)bytes + at);
    if (rest)
        memcpy(last, bytes + whole, rest);
    last[rest] = 0x80;
    for (unsigned i = 0; i < 8; i++)
        last[is_big_endian ? closing - 1 - i : closing - 8 + i] = (unsigned char)(bits >> 8 * i);
    for (size_t at = 0; at < closing; at += BLOCK_BYTES)
        block(state, last + at);
}

/* ---- MD5 ---- */

static void md5_block(uint32_t *state, const unsigned char *at)
{
    static const unsigned char turns[4][4] = {
        {7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};
    /* The absolute sines of 1 to 64, as fractions of 2^32. */
    static const uint32_t sines[64] = {
        0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613,
        0xfd469501, 0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193,
        0xa679438e, 0x49b40821, 0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d,
        0x02441453, 0xd8a1e681, 0xe7d3fbc8, 0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed,
        0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a, 0xfffa3942, 0x8771f681, 0x6d9d6122,
        0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70, 0x289b7ec6, 0xeaa127fa,
        0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665, 0xf4292244,
        0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
        0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb,
        0xeb86d391};
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
    for (unsigned i = 0; i < 64; i++) {
        uint32_t mixed, word;
        switch (i / 16) {
        case 0:
            mixed = (b & c) | (~b & d);
            word = i;
            break;
        case 1:
            mixed = (d & b) | (~d & c);
            word = (5 * i + 1) % 16;
            break;
        case 2:
            mixed = b ^ c ^ d;
            word = (3 * i + 5) % 16;
            break;
        default:
            mixed = c ^ (b | ~d);
            word = 7 * i % 16;
        }
        uint32_t sum = a + mixed + sines[i] + load_little(at + 4 * word);
        a = d;
        d = c;
        c = b;
        b += rotate_left(sum, turns[i / 16][i % 4]);
    }
    state[0] += a;
    state[1] += b;
    state[2] += c;
    state[3] += d;
}

void digest_md5(const char *bytes, size_t count, unsigned char out[MD5_BYTES])
{
    uint32_t state[4] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
    digest_each_block(bytes, count, false, state, md5_block);
    for (unsigned i = 0; i < MD5_BYTES; i++)
        out[i] = (unsigned char)(state[i / 4] >> 8 * (i % 4));
}

/* ---- SHA-256 ---- */

void digest_sha256(const char *bytes, size_t count, unsigned char out[SHA256_BYTES])
{
    sha256 hash;
    sha256_begin(&hash);
    sha256_add(&hash, bytes, count);
    sha256_end(&hash, out);
}
