/* flat.h - FlatBuffers, in which Arrow's messages have their metadata: tables, vectors and texts one after the other.
 *
 *     root │ pad │ vtable │ table: slots of 8 bytes │ text │ pad │ vtable │ table │ ...
 *       └───────────────────^        └──────────────^
 *
 * A reference is a distance forward, so a parent is made before its children, and linked once they are made. Each field has
 * a slot of 8 bytes, whatever its type: the format allows the padding, and everything is aligned by that. */
#ifndef PISTACHIO_API_IPC_FLAT_H
#define PISTACHIO_API_IPC_FLAT_H

#include "base/mem.h"

/* A failure to get memory is kept; what is written after it is dropped. */
typedef struct flat {
    ARRAY(char) bytes;
    bool is_failed;
} flat;

/* Begins a buffer, whose root is the first table. */
void flat_begin(flat *f);
/* The functions that make something return its position, for flat_link and flat_set. */
uint32_t flat_table(flat *f, unsigned field_count);
uint32_t flat_text(flat *f, const char *text, size_t bytes);
/* Elements are zero, and those of 8 bytes are aligned; flat_items returns where they lie, until something else is made. */
uint32_t flat_vector(flat *f, size_t count, size_t element_bytes);
char *flat_items(flat *f, uint32_t vector);
/* Sets a number or boolean of a table. One that is not set has its schema's default. */
void flat_set(flat *f, uint32_t table, unsigned field, uint64_t number);
/* Lets the table's field, or the vector's item, refer to what lies at `target`. */
void flat_link(flat *f, uint32_t table, unsigned field, uint32_t target);
void flat_link_item(flat *f, uint32_t vector, size_t index, uint32_t target);
/* Pads the buffer to a multiple of 8 bytes; fails if memory was missing. */
CHECKED status flat_end(flat *f);
void flat_release(flat *f);

#endif
