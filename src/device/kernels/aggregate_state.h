/* aggregate_state.h - what aggregates keep of a group, one array per aggregate
 * (kernels_aggregate.def).
 *
 *   count           uint64_t
 *   sum             int64_t while that cannot overflow, then int128; of floats aggregate_number
 *   min, max        a value of the type; booleans a byte
 *   variance        aggregate_variance
 *   pair            aggregate_pair
 *   values          aggregate_values */
#ifndef PISTACHIO_DEVICE_KERNELS_AGGREGATE_STATE_H
#define PISTACHIO_DEVICE_KERNELS_AGGREGATE_STATE_H

#include "base/type/type.h"

/* A sum of floats and what rounding has lost of it so far: nearly always the sum comes out as if it
 * had been rounded once, in whatever order the values come. (Ogita, Rump, Oishi: Accurate sum and
 * dot product, 2005) */
typedef struct aggregate_number {
    double sum, error;
} aggregate_number;

/* Welford's; merged as by Chan, Golub, LeVeque. */
typedef struct aggregate_variance {
    double mean, squares; /* squares: the sum of squared distances from the mean */
    uint64_t count;
} aggregate_variance;

/* The state of pairs: squared distances from the means, and their products, added up. Means are distances from the
 * first pair, so that large numbers which differ little lose nothing. */
typedef struct aggregate_pair {
    double first_x, first_y, mean_x, mean_y, xx, yy, xy;
    uint64_t count;
} aggregate_pair;

/* Values of a group, as codes in their order (value_code.h), in a list of blocks: addresses as string views have
 * them. Zeroed: none. */
typedef struct aggregate_values {
    uint64_t first, last; /* blocks */
    uint64_t count;
} aggregate_values;

/* The head of a block of values. */
typedef struct aggregate_values_block {
    uint64_t next; /* 0: it is the last one */
    uint64_t count;
    uint64_t front; /* of them, while one is looked for: the first ones, which it is among */
} aggregate_values_block;

/* In `bytes` of a text minimum or maximum: no value yet. */
#define AGGREGATE_NO_TEXT UINT32_MAX

/* Which value is kept of a group's. */
typedef enum aggregate_pick_op { AGGREGATE_PICK_LEAST, AGGREGATE_PICK_GREATEST } aggregate_pick_op;

/* How a state becomes a value. */
typedef enum aggregate_result {
    AGGREGATE_RESULT_COUNT,
    AGGREGATE_RESULT_SUM,
    AGGREGATE_RESULT_MEAN,
    AGGREGATE_RESULT_PICK,
    AGGREGATE_RESULT_VAR_SAMP,
    AGGREGATE_RESULT_VAR_POP,
    AGGREGATE_RESULT_STDDEV_SAMP,
    AGGREGATE_RESULT_STDDEV_POP,
    AGGREGATE_RESULT_CORR,
    AGGREGATE_RESULT_COVAR_POP,
    AGGREGATE_RESULT_COVAR_SAMP,
    AGGREGATE_RESULT_PAIRS,
    AGGREGATE_RESULT_REGR_AVGX,
    AGGREGATE_RESULT_REGR_AVGY,
    AGGREGATE_RESULT_REGR_SXX,
    AGGREGATE_RESULT_REGR_SYY,
    AGGREGATE_RESULT_REGR_SXY,
    AGGREGATE_RESULT_REGR_SLOPE,
    AGGREGATE_RESULT_REGR_INTERCEPT,
    AGGREGATE_RESULT_REGR_R2,
    AGGREGATE_RESULT_QUANTILE,
    AGGREGATE_RESULT_QUANTILE_VALUE,
    AGGREGATE_RESULT_LIST
} aggregate_result;

/* Words that key_statistics writes. */
typedef enum key_statistic {
    KEY_HAS_NULLS, /* 1: then only MINIMUM and MAXIMUM mean something */
    KEY_VALUES,    /* how many are not NULL */
    KEY_MINIMUM,
    KEY_MAXIMUM,
    KEY_IS_ASCENDING, /* none is less than the one before */
    KEY_FIRST,
    KEY_LAST,
    KEY_CHANGES, /* values that differ from the one before */
    KEY_STATISTICS
} key_statistic;

#endif
