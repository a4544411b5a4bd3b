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

/* A range of levels, both ends included. */
typedef struct pq_level_range {
    unsigned low, high;
} pq_level_range;
#define PQ_LEVEL_MOST 255u

/* Returns how many of the levels are in the range. */
uint64_t pq_levels_within(const uint8_t *levels, uint64_t count, pq_level_range range);
/* Returns how many values have both levels in the ranges. */
uint64_t pq_levels_both(const uint8_t *repetition, pq_level_range repetitions,
                        const uint8_t *definition, pq_level_range definitions, uint64_t count);

enum { PQ_LEVEL_BITS = 64 };
/* Returns a bit for each of up to PQ_LEVEL_BITS levels: whether it is in the range. */
uint64_t pq_levels_mask(const uint8_t *levels, uint64_t count, pq_level_range range);

#endif
