/* choice.h - choosing how a column chunk is stored, by trying: what may be tried, and what is best.
 *
 * The idea is that of ParquetRewriter (arXiv 2602.17335): encodings and codecs are tried on the
 * values themselves, chunk by chunk, and one rule says which result is kept. Large chunks are tried
 * by samples; what is kept is then made of all rows. */
#ifndef PISTACHIO_PARQUET_WRITE_CHOICE_H
#define PISTACHIO_PARQUET_WRITE_CHOICE_H

#include "parquet/write/profile.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum pq_choice_rule {
    PQ_CHOOSE_SMALLEST,  /* fewest bytes */
    PQ_CHOOSE_THRESHOLD, /* the smallest encoding, compressed if that saves enough */
    PQ_CHOOSE_FASTEST    /* least predicted time of a scan */
} pq_choice_rule;

typedef struct pq_codec_level {
    pq_codec codec;
    int level; /* 0: the codec's own default */
} pq_codec_level;

typedef struct pq_choice {
    pq_choice_rule rule;
    double threshold;   /* of PQ_CHOOSE_THRESHOLD: the least share of the bytes to be saved, 0-1 */
    uint32_t encodings; /* a bit per pq_encoding; those that cannot hold the type are left out, and
                           PLAIN stands in where none is left */
    unsigned codec_count;
    pq_codec_level codecs[16]; /* none: uncompressed */
    pq_profile profile;        /* of PQ_CHOOSE_FASTEST */
} pq_choice;

/* A form that was tried on a chunk. */
typedef struct pq_trial {
    pq_encoding encoding;
    pq_codec_level codec;
    uint64_t encoded_bytes, stored_bytes; /* before and behind the codec; of all rows */
    uint64_t dictionary_values;
    uint64_t tried_rows; /* fewer than the chunk has: the bytes are estimated from them */
    double seconds;      /* predicted; 0 but for PQ_CHOOSE_FASTEST */
    bool is_chosen;      /* then the bytes are those in the file */
} pq_trial;

/* Told of every trial of a chunk, in the order of the file. */
typedef void (*pq_report)(void *context, uint64_t row_group, const char *column,
                          const pq_trial *trial);

/* "RLE_DICTIONARY", ...: parquet.thrift's name. */
const char *pq_encoding_name(pq_encoding encoding);

#endif
