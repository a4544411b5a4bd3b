/* flat_read.h - reads FlatBuffers (https://flatbuffers.dev/internals): tables, whose fields may be absent, vectors, texts.
 *
 * The buffer may hold anything. A position outside of it marks the buffer as damaged and gives the default, so that callers
 * ask once, at the end. */
#ifndef PISTACHIO_ARROWFILE_FLAT_READ_H
#define PISTACHIO_ARROWFILE_FLAT_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct flat_buffer {
    const uint8_t *bytes;
    size_t count;
    bool is_damaged;
} flat_buffer;

/* A table of the buffer. Zeroed: absent, and so are all its fields. */
typedef struct flat_object {
    flat_buffer *in;
    size_t at, vtable;
    uint16_t vtable_bytes;
} flat_object;

/* A vector's elements, which may lie at any address. */
typedef struct flat_span {
    flat_buffer *in;
    size_t at, count;
} flat_span;

flat_object flat_root(flat_buffer *buffer);
/* Returns a number of 1, 2, 4 or 8 bytes with its sign; `absent` if the table does not have the field. */
int64_t flat_number(const flat_object *table, unsigned field, unsigned bytes, int64_t absent);
bool flat_bool(const flat_object *table, unsigned field);
flat_object flat_child(const flat_object *table, unsigned field);
/* Returns the text, which no NUL ends, or NULL. */
const char *flat_string(const flat_object *table, unsigned field, size_t *out_bytes);
flat_span flat_list(const flat_object *table, unsigned field, size_t element_bytes);
/* Returns an element of a vector of tables. */
flat_object flat_list_table(const flat_span *items, size_t index);
/* Returns a number within an element of a vector of structs of `element_bytes` bytes. */
int64_t flat_list_number(const flat_span *items, size_t element_bytes, size_t index,
                         unsigned offset, unsigned bytes);

#endif
