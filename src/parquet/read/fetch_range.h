/* fetch_range.h - inside the reader: bytes of a file that are being read, or have been. */
#ifndef PISTACHIO_PARQUET_READ_FETCH_RANGE_H
#define PISTACHIO_PARQUET_READ_FETCH_RANGE_H

#include "parquet/read/fetch.h"
#include "storage/read.h"

struct pq_fetched_range {
    uint32_t references;
    uint64_t start, end; /* in the file, whole blocks if they are read past the page cache */
    uint8_t *address;    /* of byte `start` */
    pq_memory *memory;
    read_request *reading; /* NULL: finished */
    uint64_t stored_bytes;
    bool has_failed;
    bool is_kept; /* somebody else read it */
    bool is_own;  /* read for the column that needs it, not ahead */
};

struct pq_fetch {
    uint64_t bytes, kept_bytes;
    size_t range_count;
    pq_fetched_range *ranges[];
};

/* A range whose bytes are nowhere yet. */
CHECKED status pq_fetched_range_new(pq_span span, pq_fetched_range **out);
/* Memory with one reference, the caller's: the device's, or what that can copy from. *address: where it begins. */
CHECKED status pq_memory_new(device *dev, uint64_t bytes, pq_memory **out, uint8_t **address);

#endif
