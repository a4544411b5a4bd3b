/* sha1.h - SHA-1 (FIPS 180-4), for the SQL function: nothing may rely on its strength. */
#ifndef PISTACHIO_DEVICE_HOST_LIBRARY_SHA1_H
#define PISTACHIO_DEVICE_HOST_LIBRARY_SHA1_H

#include <stddef.h>

#define SHA1_BYTES 20

void sha1_digest(const char *bytes, size_t count, unsigned char out[SHA1_BYTES]);

#endif
