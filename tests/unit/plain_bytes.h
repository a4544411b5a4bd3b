/* plain_bytes.h - bytes that compress like those of columns, for tests of codecs. */
#ifndef PISTACHIO_PLAIN_BYTES_H
#define PISTACHIO_PLAIN_BYTES_H

#include <stddef.h>
#include <stdint.h>

/* Bytes of one kind or another: numbers with common high bytes, runs, short periods, noise; another kind every
 * 20,000 bytes. Kinds are those of `kind` modulo 8. */
void test_fill(uint8_t *out, size_t bytes, unsigned kind);

#endif
