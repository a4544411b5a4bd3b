/* profile.h - how fast a machine reads and decodes, and what a scan of a column chunk takes by it.
 */
#ifndef PISTACHIO_PARQUET_WRITE_PROFILE_H
#define PISTACHIO_PARQUET_WRITE_PROFILE_H

#include "base/status.h"
#include "parquet/format/format.h"

#include <stdint.h>

#define PQ_ENCODING_COUNT 10
#define PQ_CODEC_COUNT 8

/* Values that are decoded alike. */
typedef enum pq_value_class {
    PQ_CLASS_BOOLEAN,
    PQ_CLASS_INT32, /* and FLOAT */
    PQ_CLASS_INT64, /* and DOUBLE, INT96 */
    PQ_CLASS_FIXED, /* long decimals */
    PQ_CLASS_TEXT,
    PQ_CLASS_COUNT
} pq_value_class;

typedef struct pq_profile {
    double bandwidth;                  /* storage: bytes per second */
    double cached;                     /* page cache: bytes per second and thread */
    double hot;                        /* share of the scans that find the file there, 0-1 */
    double threads;                    /* that decode at once */
    double decompress[PQ_CODEC_COUNT]; /* bytes that come out per second and thread */
    double decode[PQ_ENCODING_COUNT][PQ_CLASS_COUNT]; /* values per second and thread */
} pq_profile;

/* The form of a chunk, as far as its time depends on it. */
typedef struct pq_chunk_form {
    pq_encoding encoding;
    pq_codec codec;
    pq_value_class value_class;
    uint64_t encoded_bytes, stored_bytes; /* before and behind the codec */
    uint64_t value_count, dictionary_values;
} pq_chunk_form;

pq_value_class pq_class_of(pq_physical physical);
/* "int64", ... */
const char *pq_class_name(pq_value_class value_class);

/* A profile of a common machine, for where nothing was measured. */
pq_profile pq_profile_default(void);
/* Seconds until a scan has decoded the chunk: a mean of those that find it in the page cache and
 * those that read it from storage, where reading and decoding overlap. */
double pq_predict(const pq_profile *profile, const pq_chunk_form *form);

#endif
