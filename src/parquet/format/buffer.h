/* buffer.h - bytes that grow, for what is written.
 *
 * An allocation that fails sets has_failed, and from then on nothing is added, so that encoders
 * check once, at their end. Zeroed is empty. */
#ifndef PISTACHIO_PARQUET_FORMAT_BUFFER_H
#define PISTACHIO_PARQUET_FORMAT_BUFFER_H

#include "base/mem.h"

typedef struct pq_buffer {
    uint8_t *items;
    size_t count, capacity;
    bool has_failed;
} pq_buffer;

/* Returns where `bytes` bytes can be written after the last one, or NULL; the writer adds to count. */
uint8_t *pq_buffer_room(pq_buffer *buffer, size_t bytes);
void pq_buffer_add(pq_buffer *buffer, const void *data, size_t bytes);
void pq_buffer_add_byte(pq_buffer *buffer, uint8_t byte);
void pq_buffer_add_varint(pq_buffer *buffer, uint64_t number);
void pq_buffer_add_zigzag(pq_buffer *buffer, int64_t number);
/* Failed, if an allocation did; `what` names the contents. */
CHECKED status pq_buffer_check(const pq_buffer *buffer, const char *what);
void pq_buffer_clear(pq_buffer *buffer); /* keeps the memory */
void pq_buffer_release(pq_buffer *buffer);

#endif
