/* aggregate_state.h - what one aggregate keeps of one group: 32 bytes, zeroed to begin with. */
#ifndef PISTACHIO_DEVICE_AGGREGATE_STATE_H
#define PISTACHIO_DEVICE_AGGREGATE_STATE_H

#include "base/type.h"

typedef struct aggregate_state {
    union {
        int128 integer;   /* sums of integers and decimals; minima and maxima of all but the next */
        double number[2]; /* sums, minima and maxima of floats; variance: mean and sum of squares */
        string_view text; /* points into a heap that the operator holds */
    };
    uint64_t count; /* values that were not NULL */
    uint64_t unused;
} aggregate_state;
_Static_assert(sizeof(aggregate_state) == 32, "half a cache line");

/* Kinds of states: how values are added. The executor maps SQL's functions to them. */
typedef enum aggregate_kind {
    AGGREGATE_KIND_COUNT, /* rows, or values that are not NULL */
    AGGREGATE_KIND_SUM,   /* sum and avg */
    AGGREGATE_KIND_MIN,   /* also bool_and */
    AGGREGATE_KIND_MAX,   /* also bool_or */
    AGGREGATE_KIND_ANY,
    AGGREGATE_KIND_VARIANCE /* stddev too; values are doubles (Welford; merged as by Chan et al.) */
} aggregate_kind;

/* How a state becomes a value. */
typedef enum aggregate_result {
    AGGREGATE_RESULT_COUNT,
    AGGREGATE_RESULT_VALUE, /* sum, min, max, any: NULL if nothing was added */
    AGGREGATE_RESULT_MEAN,
    AGGREGATE_RESULT_VAR_SAMP,
    AGGREGATE_RESULT_VAR_POP,
    AGGREGATE_RESULT_STDDEV_SAMP,
    AGGREGATE_RESULT_STDDEV_POP
} aggregate_result;

#endif
