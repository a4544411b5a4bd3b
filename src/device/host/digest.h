/* digest.h - digests of bytes: MD5 (RFC 1321) and SHA-256 (FIPS 180-4). */
#ifndef PISTACHIO_DEVICE_HOST_DIGEST_H
#define PISTACHIO_DEVICE_HOST_DIGEST_H

#include "base/system/sha256.h"

#include <stdbool.h>
#include <stdint.h>

#define MD5_BYTES 16

/* Adds a block of 64 bytes to the state. */
typedef void digest_block(uint32_t *state, const unsigned char *at);

/* Adds all blocks of the bytes, then their padding: a bit, zeros, and the number of bits in the byte order of the digest. */
void digest_each_block(const char *bytes, size_t count, bool is_big_endian, uint32_t *state,
                       digest_block *block);
void digest_md5(const char *bytes, size_t count, unsigned char out[MD5_BYTES]);
void digest_sha256(const char *bytes, size_t count, unsigned char out[SHA256_BYTES]);

#endif
