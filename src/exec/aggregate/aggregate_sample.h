/* aggregate_sample.h - how often equal keys come among rows that are kept as they are: of one hash in some hundred all
 * rows are counted, and how many hashes they have. */
#ifndef PISTACHIO_EXEC_AGGREGATE_AGGREGATE_SAMPLE_H
#define PISTACHIO_EXEC_AGGREGATE_AGGREGATE_SAMPLE_H

#include "base/status.h"

/* Zeroed: empty. */
typedef struct hash_sample {
    uint32_t *slots; /* hashes, open addressing; 0: free */
    uint64_t slot_count;
    uint64_t rows, distinct; /* in the sample */
} hash_sample;

/* One hash of so many. */
#define HASH_SAMPLE_SHARE 512

void hash_sample_release(hash_sample *sample);
CHECKED status hash_sample_add(hash_sample *sample, const uint32_t *hashes, uint64_t count);
/* How many different hashes all rows have, about. */
static inline uint64_t hash_sample_estimate(const hash_sample *sample)
{
    return sample->distinct * HASH_SAMPLE_SHARE;
}

#endif
