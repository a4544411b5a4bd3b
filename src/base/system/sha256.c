/* sha256.c - see sha256.h. */
#include "base/system/sha256.h"

#include <endian.h>
#include <string.h>

static const uint32_t constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t sha256_rotate(uint32_t x, unsigned bits)
{
    return x >> bits | x << (32 - bits);
}

static void sha256_expand(const uint8_t block[SHA256_BLOCK_BYTES], uint32_t w[64])
{
    for (unsigned i = 0; i < 16; i++) {
        uint32_t word;
        memcpy(&word, block + 4 * i, sizeof word);
        w[i] = be32toh(word);
    }
    for (unsigned i = 16; i < 64; i++) {
        uint32_t a = w[i - 15], b = w[i - 2];
        w[i] = w[i - 16] + (sha256_rotate(a, 7) ^ sha256_rotate(a, 18) ^ a >> 3) + w[i - 7] +
               (sha256_rotate(b, 17) ^ sha256_rotate(b, 19) ^ b >> 10);
    }
}

/* s: the working variables a to h. */
static void compress(sha256 *hash)
{
    uint32_t w[64], s[8];
    sha256_expand(hash->block, w);
    memcpy(s, hash->state, sizeof s);
    for (unsigned i = 0; i < 64; i++) {
        uint32_t big1 = sha256_rotate(s[4], 6) ^ sha256_rotate(s[4], 11) ^ sha256_rotate(s[4], 25);
        uint32_t choice = (s[4] & s[5]) ^ (~s[4] & s[6]);
        uint32_t first = s[7] + big1 + choice + constants[i] + w[i];
        uint32_t big0 = sha256_rotate(s[0], 2) ^ sha256_rotate(s[0], 13) ^ sha256_rotate(s[0], 22);
        uint32_t majority = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);
        memmove(s + 1, s, 7 * sizeof *s);
        s[4] += first;
        s[0] = first + big0 + majority;
    }
    for (unsigned i = 0; i < 8; i++)
        hash->state[i] += s[i];
}

void sha256_begin(sha256 *hash)
{
    static const uint32_t start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    memcpy(hash->state, start, sizeof start);
    hash->bytes = 0;
}

void sha256_add(sha256 *hash, const void *bytes, size_t count)
{
    const uint8_t *from = bytes;
    while (count) {
        size_t used = hash->bytes % SHA256_BLOCK_BYTES, room = SHA256_BLOCK_BYTES - used;
        size_t part = count < room ? count : room;
        memcpy(hash->block + used, from, part);
        from += part;
        count -= part;
        hash->bytes += part;
        if (part == room)
            compress(hash);
    }
}

void sha256_end(sha256 *hash, uint8_t out[SHA256_BYTES])
{
    static const uint8_t padding[SHA256_BLOCK_BYTES] = {0x80};
    uint64_t bits = htobe64(hash->bytes * 8);
    size_t used = hash->bytes % SHA256_BLOCK_BYTES;
    sha256_add(hash, padding, used < 56 ? 56 - used : 120 - used);
    sha256_add(hash, &bits, sizeof bits);
    for (unsigned i = 0; i < 8; i++) {
        uint32_t word = htobe32(hash->state[i]);
        memcpy(out + 4 * i, &word, sizeof word);
    }
}

void hmac_sha256_begin(hmac_sha256 *mac, const void *key, size_t key_bytes)
{
    uint8_t block[SHA256_BLOCK_BYTES] = {0};
    if (key_bytes > sizeof block) {
        sha256_begin(&mac->inner);
        sha256_add(&mac->inner, key, key_bytes);
        sha256_end(&mac->inner, block);
    } else if (key_bytes) {
        memcpy(block, key, key_bytes);
    }
    for (unsigned i = 0; i < sizeof block; i++)
        block[i] ^= 0x36;
    sha256_begin(&mac->inner);
    sha256_add(&mac->inner, block, sizeof block);
    for (unsigned i = 0; i < sizeof block; i++)
        block[i] ^= 0x36 ^ 0x5c;
    sha256_begin(&mac->outer);
    sha256_add(&mac->outer, block, sizeof block);
}

void hmac_sha256_add(hmac_sha256 *mac, const void *bytes, size_t count)
{
    sha256_add(&mac->inner, bytes, count);
}

void hmac_sha256_end(hmac_sha256 *mac, uint8_t out[SHA256_BYTES])
{
    uint8_t inner[SHA256_BYTES];
    sha256_end(&mac->inner, inner);
    sha256_add(&mac->outer, inner, sizeof inner);
    sha256_end(&mac->outer, out);
}

bool sha256_is_equal(const uint8_t a[SHA256_BYTES], const uint8_t b[SHA256_BYTES])
{
    volatile uint8_t differences = 0;
    for (unsigned i = 0; i < SHA256_BYTES; i++)
        differences = (uint8_t)(differences | (a[i] ^ b[i]));
    return !differences;
}
