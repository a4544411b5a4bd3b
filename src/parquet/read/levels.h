/* levels.h - inside the reader: the repetition and definition levels of a page of a nested column, on host devices. */
#ifndef PISTACHIO_PARQUET_READ_LEVELS_H
#define PISTACHIO_PARQUET_READ_LEVELS_H

#include "device/tensor.h"
#include "parquet/format/metadata.h"

/* A page's levels: one of each for each value, NULLs and empty lists included. Zeroed: none. */
typedef struct pq_levels {
    dev_buffer *owner;
    uint8_t *repetition, *definition;
    uint32_t count;
    uint32_t slots;  /* places of values: what is left without those of empty and missing lists */
    uint32_t values; /* slots that are not NULL: what the page stores */
    uint32_t values_at;
} pq_levels;

/* Reads them from the page's bytes, decompressed. slot_definition: as in pq_node. Levels that cannot be are an error. */
CHECKED status pq_levels_read(device *dev, const pq_leaf *leaf, unsigned slot_definition,
                              const pq_page_header *header, const uint8_t *page,
                              uint32_t page_bytes, pq_levels *out);
/* The slots that are not NULL, a bit each. */
void pq_levels_set_validity(const pq_levels *levels, const pq_leaf *leaf, unsigned slot_definition,
                            uint64_t *validity);
void pq_levels_release(pq_levels *levels);

/* The number of the first value from `from` on that begins a row, or `count`. Most lists are short. */
static inline uint64_t pq_levels_next_row(const uint8_t *repetition, uint64_t from, uint64_t count)
{
    uint64_t near = count - from < 16 ? count : from + 16;
    for (; from < near; from++)
        if (!repetition[from])
            return from;
    const uint8_t *next = from < count ? memchr(repetition + from, 0, count - from) : NULL;
    return next ? (uint64_t)(next - repetition) : count;
}

#endif
