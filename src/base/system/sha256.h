/* sha256.h - SHA-256 (FIPS 180-4) and HMAC with it (RFC 2104): the SQL function, and proofs among ranks.
 *
 * HMAC-SHA-256 because it needs nothing but a key that both sides have, because its security does not rest on
 * the hash being free of collisions, and because it is short enough to be read and tested against published
 * vectors; the program links no cryptographic library. */
#ifndef PISTACHIO_BASE_SYSTEM_SHA256_H
#define PISTACHIO_BASE_SYSTEM_SHA256_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SHA256_BYTES 32
#define SHA256_BLOCK_BYTES 64

typedef struct sha256 {
    uint32_t state[8];
    uint64_t bytes; /* so far */
    uint8_t block[SHA256_BLOCK_BYTES];
} sha256;

void sha256_begin(sha256 *hash);
void sha256_add(sha256 *hash, const void *bytes, size_t count);
void sha256_end(sha256 *hash, uint8_t out[SHA256_BYTES]);

typedef struct hmac_sha256 {
    sha256 inner, outer;
} hmac_sha256;

void hmac_sha256_begin(hmac_sha256 *mac, const void *key, size_t key_bytes);
void hmac_sha256_add(hmac_sha256 *mac, const void *bytes, size_t count);
void hmac_sha256_end(hmac_sha256 *mac, uint8_t out[SHA256_BYTES]);

/* In a time that does not depend on where the bytes differ. */
bool sha256_is_equal(const uint8_t a[SHA256_BYTES], const uint8_t b[SHA256_BYTES]);

#endif
