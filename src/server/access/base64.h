/* base64.h - bytes as letters (RFC 4648, with its padding), for SCRAM. */
#ifndef PISTACHIO_SERVER_ACCESS_BASE64_H
#define PISTACHIO_SERVER_ACCESS_BASE64_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Room for the letters of so many bytes, with a NUL. */
#define BASE64_ROOM(bytes) (((bytes) + 2) / 3 * 4 + 1)

void base64_write(const uint8_t *bytes, size_t count, char *text);
/* Reads the whole text; false: it is not base64, or of more than `room` bytes. */
bool base64_read(const char *text, size_t length, uint8_t *out, size_t room, size_t *out_count);

#endif
