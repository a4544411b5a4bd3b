/* join.h - the joins of "Effective, Scalable Multi-GPU Joins" (GTC 2019, S9557), ranks in the place of GPUs:
 * keys of 8 bytes, each rank has an equal share of both sides, tables are open addressing, half full.
 *
 *   REDUNDANT     all build keys go to all ranks; each makes the whole table, probes with its share
 *   PARALLEL      a build key goes to the rank of its hash, which makes that part of the table; the
 *                 parts go to all ranks, which put them one behind the other and probe likewise
 *   PARTITIONED   both sides' keys go to the rank of their hash: each has its part of the table alone
 *
 * REDUNDANT on one rank is the single table. */
#ifndef PISTACHIO_BENCH_JOIN_H
#define PISTACHIO_BENCH_JOIN_H

#include "bench/rank.h"

typedef enum bench_algorithm { BENCH_REDUNDANT, BENCH_PARALLEL, BENCH_PARTITIONED } bench_algorithm;

typedef struct bench_join_options {
    bench_algorithm algorithm;
    uint64_t build_rows, probe_rows; /* of all ranks; below ROW_NULL / 2 */
    double selectivity;              /* share of probe rows that have a partner, 0 to 1 */
    unsigned runs;                   /* the one of least time counts */
} bench_join_options;

typedef struct bench_join_result {
    double build, probe; /* seconds */
    double cpu_seconds;  /* of all ranks */
    uint64_t bytes_sent; /* between ranks */
    uint64_t matches;
    /* On one rank: values of 8 bytes that a core, or the device, reads in a second at random from as many bytes as
     * the table's slots have; else 0. */
    double reads;
} bench_join_result;

/* On all ranks alike; *out on each. A wrong number of matches is a failure. */
CHECKED status bench_join(bench_rank *r, const bench_join_options *options, bench_join_result *out);

#endif
