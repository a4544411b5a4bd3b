/* exchange_sample.h - samples of rows' keys, of which ranks compute their ranges. */
#ifndef PISTACHIO_EXEC_EXCHANGE_EXCHANGE_SAMPLE_H
#define PISTACHIO_EXEC_EXCHANGE_EXCHANGE_SAMPLE_H

#include "exec/exchange/exchange_ranges.h"

/* Keys of a sample are RANGES_KEY_WORDS words each, or of texts two and at most these bytes. */
#define RANGES_TEXT_BYTES 128
/* Samples of a task, at most. */
#define RANGES_SAMPLES 1024

/* An operator that passes rows on and draws samples of them. */
CHECKED status op_exchange_sample_open(exec_query *query, exchange_ranges *ranges,
                                       exec_operator **out);

/* Writes the keys of a sample behind others. */
CHECKED status ranges_sample_write(const uint64_t *keys, uint32_t key_count, ranges_words *out);
/* Returns the words that the sample at `at` has there; 0: it does not end before `end`. */
size_t ranges_sample_words(const uint64_t *at, const uint64_t *end, uint32_t key_count);
/* Reads it, of that many words: texts stay where they are. */
void ranges_sample_read(const uint64_t *at, uint32_t key_count, uint64_t *out_keys);

#endif
