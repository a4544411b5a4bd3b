/* partition.h - which rank each row of a chunk goes to. */
#ifndef PISTACHIO_BENCH_PARTITION_H
#define PISTACHIO_BENCH_PARTITION_H

#include "bench/rank.h"

#define BENCH_OFFSET_WORDS(ranks) ((ranks) / 2 + 1) /* of 8 bytes, two offsets each */

/* A partitioning of one chunk at a time. */
typedef struct bench_partition {
    dev_buffer *hashes;
    dev_buffer *order;   /* uint32_t: the rows, rank by rank; */
    dev_buffer *offsets; /* uint32_t: where each rank's begin, and the end */
    dev_buffer *sorted;  /* uint64_t: room for columns of a chunk, one behind the other */
} bench_partition;

/* With room for so many columns. Released also after a failure. */
CHECKED status bench_partition_new(const bench_rank *r, unsigned columns, bench_partition *out);
void bench_partition_release(bench_partition *p);
/* By the hashes of the numbers. */
CHECKED status bench_partition_rows(const bench_rank *r, bench_partition *p, const void *numbers,
                                    uint64_t rows);
/* A column's values, of 8 bytes, in that order. */
CHECKED status bench_partition_column(const bench_rank *r, const bench_partition *p,
                                      const void *values, uint64_t rows, uint64_t *out);

#endif
