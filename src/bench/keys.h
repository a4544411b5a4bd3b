/* keys.h - the keys of a measured join: random, distinct on the build side. */
#ifndef PISTACHIO_BENCH_KEYS_H
#define PISTACHIO_BENCH_KEYS_H

#include "bench/rank.h"
#include "exec/join/join_table.h"

/* A rank's share of a side. */
typedef struct bench_keys {
    dev_buffer *buffer; /* int64_t each */
    uint64_t rows;
} bench_keys;

/* Makes the rank's share of build_rows distinct keys. */
CHECKED status bench_build_keys(bench_rank *r, uint64_t build_rows, bench_keys *out);
/* Makes the rank's share of probe_rows keys, of which about `selectivity` are build keys: *out_matches of the
 * rank's. */
CHECKED status bench_probe_keys(bench_rank *r, uint64_t build_rows, uint64_t probe_rows,
                                double selectivity, bench_keys *out, uint64_t *out_matches);
void bench_keys_release(bench_keys *keys);

/* Rows [first, first + rows) as a chunk of one column. */
CHECKED status bench_keys_view(const bench_keys *keys, uint64_t first, uint64_t rows, chunk **out);
/* All of it in chunks of the device's size, behind those of the list. */
CHECKED status bench_keys_chunks(bench_rank *r, const bench_keys *keys, chunk_list *out);

/* The least and greatest of all ranks' keys. */
CHECKED status bench_keys_range(bench_rank *r, const bench_keys *keys, join_key_range *out);

#endif
