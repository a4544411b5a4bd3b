/* window_sliding.h - the values of a frame while it moves from row to row: how often each is in it, and what is asked of
 * them by their order. Values are codes (window_codes.h). */
#ifndef PISTACHIO_EXEC_WINDOW_WINDOW_SLIDING_H
#define PISTACHIO_EXEC_WINDOW_WINDOW_SLIDING_H

#include "exec/window/window_codes.h"

/* The question that is answered, by what is kept in addition to counts. */
typedef enum sliding_kind {
    SLIDING_DISTINCT, /* how many different values there are: each change is a step */
    SLIDING_PLACES,   /* the value at a place: each change and question O(log n) steps */
    SLIDING_MODE,     /* the most frequent value: the same */
    SLIDING_NUMBERS,  /* the sum of the different values, exact: a step */
    SLIDING_DOUBLES   /* and of doubles: O(log n) steps, of those that are there alone */
} sliding_kind;

typedef struct sliding_values {
    sliding_kind kind;
    window_codes codes;
    const tensor *values; /* of sums */
    uint64_t total;       /* in the frame */
    uint32_t distinct;    /* and of these */
    uint32_t *counts;     /* of codes */
    uint32_t leaves;      /* of the tree: a power of two */
    uint32_t *
        places; /* SLIDING_PLACES: a node has the values below it; of its children the first is 2 i */
    uint32_t *most;  /* SLIDING_MODE: ... the greatest count below it */
    double *sums;    /* SLIDING_DOUBLES: ... the sum below it */
    int128 high_sum; /* SLIDING_NUMBERS: of the upper halves, */
    uint128 low_sum; /* and of the lower ones */
    dev_buffer *memory;
} sliding_values;

/* Takes over the codes, also on failure. */
CHECKED status sliding_open(device *host, sliding_kind kind, window_codes *codes,
                            const tensor *values, sliding_values *out);
void sliding_close(sliding_values *s);
void sliding_add(sliding_values *s, uint64_t row);
void sliding_remove(sliding_values *s, uint64_t row);
/* Returns the code of the `place`-th value, from 0, of less than `total`. */
uint32_t sliding_code_at(const sliding_values *s, uint64_t place);
/* Returns the least, or the greatest, of the most frequent values; there is one at least. */
uint32_t sliding_mode(const sliding_values *s, bool is_greatest);
/* False: it has more than 128 bits. */
bool sliding_sum(const sliding_values *s, int128 *out);
double sliding_double_sum(const sliding_values *s);

#endif
