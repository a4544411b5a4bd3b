/* wire.h - messages of PostgreSQL's protocol 3 as bytes: fields of one that came, and messages that are to be sent.
 *
 *     a message      type, 1 byte │ length of what follows with itself, 4 bytes │ fields
 *     the first one               │ length                                      │ code │ fields
 *
 * Numbers are big-endian. What a client sends is hostile: a field beyond its message's end, or a text without its NUL,
 * is an error (wire_end), never read. */
#ifndef PISTACHIO_SERVER_PROTOCOL_WIRE_H
#define PISTACHIO_SERVER_PROTOCOL_WIRE_H

#include "base/mem.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Codes in the place of a version of the first message. */
#define WIRE_VERSION_3 (3u << 16)
#define WIRE_CANCEL_REQUEST (1234u << 16 | 5678)
#define WIRE_TLS_REQUEST (1234u << 16 | 5679)
#define WIRE_GSS_REQUEST (1234u << 16 | 5680)

/* ---- reading ---- */

/* Fields of one message. Once a field is not whole, it and all after it read as 0 or "", and wire_end fails. */
typedef struct wire_reader {
    const char *at, *end;
    bool is_broken;
} wire_reader;

uint8_t wire_read_byte(wire_reader *reader);
uint16_t wire_read_16(wire_reader *reader);
uint32_t wire_read_32(wire_reader *reader);
/* Reads a text that ends with a NUL; valid as long as the message. */
const char *wire_read_text(wire_reader *reader);
/* Reads so many bytes; NULL: there are fewer. */
const char *wire_read_bytes(wire_reader *reader, size_t count);
/* Fails unless the fields were whole and nothing is left after them. `message` names the message. */
CHECKED status wire_end(const wire_reader *reader, const char *message);

/* ---- writing ---- */

/* Most bytes that a writer holds: a client takes no longer message, as PostgreSQL sends none. */
#define WIRE_BYTES_MAX ((size_t)1 << 30)

/* Messages one after another. A failure, of memory or of their length, is kept and told by wire_status. */
typedef struct wire_writer {
    ARRAY(char) bytes;
    size_t begun; /* where the length of the message that is written stands */
    bool is_failed, is_too_long;
} wire_writer;

void wire_begin(wire_writer *writer, char type);
/* Ends the message: sets its length. */
void wire_finish(wire_writer *writer);
void wire_byte(wire_writer *writer, char byte);
void wire_16(wire_writer *writer, uint16_t number);
void wire_32(wire_writer *writer, uint32_t number);
void wire_64(wire_writer *writer, uint64_t number);
void wire_bytes(wire_writer *writer, const void *bytes, size_t count);
void wire_text(wire_writer *writer, const char *text); /* with its NUL */
/* Returns room for `count` bytes that the caller fills, then adds by wire_fill; NULL: the writer has failed. */
char *wire_room(wire_writer *writer, size_t count);
void wire_fill(wire_writer *writer, size_t count);
/* Sets four bytes that were written at this offset. */
void wire_set_32(wire_writer *writer, size_t offset, uint32_t number);
/* Drops what was written from this offset on, and a failure after it. */
void wire_cut(wire_writer *writer, size_t offset);
CHECKED status wire_status(const wire_writer *writer);
void wire_release(wire_writer *writer);

#endif
