/* digest.h - digests of bytes: MD5 (RFC 1321) and SHA-256 (FIPS 180-4). */
#ifndef PISTACHIO_DEVICE_HOST_DIGEST_H
#define PISTACHIO_DEVICE_HOST_DIGEST_H

#include "base/sha256.h"

#define MD5_BYTES 16

void digest_md5(const char *bytes, size_t count, unsigned char out[MD5_BYTES]);
void digest_sha256(const char *bytes, size_t count, unsigned char out[SHA256_BYTES]);

#endif
