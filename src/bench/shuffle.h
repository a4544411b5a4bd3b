/* shuffle.h - the micro benchmark of the paper (PystachIO, section 3; figures 5 and 7): two tables of columns
 * of 8 bytes are partitioned by a key, sent to the ranks of their hashes, and joined there. */
#ifndef PISTACHIO_BENCH_SHUFFLE_H
#define PISTACHIO_BENCH_SHUFFLE_H

#include "bench/rank.h"

#define BENCH_COLUMNS_MAX 64u

/* How partitioning, the network and the join follow each other. */
typedef enum bench_variant {
    BENCH_BLOCKING, /* a whole table at a time, one step after the other; messages' memory is given back */
    BENCH_POOLED, /* the same; messages' memory is kept (net_options of whoever starts the ranks) */
    BENCH_CHUNKING, /* a piece of a table at a time, its steps one after the other */
    BENCH_DEFERRED  /* rows are sent as they are partitioned, and joined as they come */
} bench_variant;

/* Steps of a shuffle; each with what stands before it. */
typedef enum bench_shuffle_work {
    BENCH_ALL_TO_ALL, /* rows go to ranks in turns, and are dropped there */
    BENCH_PARTITION,  /* to the ranks of their hashes */
    BENCH_JOIN, /* the left ones become a table, the right ones are probed, all columns are given out */
    BENCH_SHUFFLE_WORKS
} bench_shuffle_work;

typedef struct bench_shuffle_options {
    uint64_t left_rows, right_rows; /* of all ranks; build, probe; below ROW_NULL / 2 */
    unsigned columns; /* of each table, the key among them; at most BENCH_COLUMNS_MAX */
    double hit_ratio; /* share of right rows that have a partner */
    bench_variant variant;
    unsigned runs; /* the one of least time counts */
} bench_shuffle_options;

typedef struct bench_shuffle_result {
    double seconds;
    uint64_t bytes_sent; /* between ranks, by all */
    uint64_t matches;
} bench_shuffle_result;

/* On all ranks alike; out, of BENCH_SHUFFLE_WORKS, on each. Rows that are missing, or a wrong number of
 * matches, are a failure. */
CHECKED status bench_shuffle(bench_rank *r, const bench_shuffle_options *options,
                             bench_shuffle_result *out);

#endif
