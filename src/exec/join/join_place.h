/* join_place.h - inside the join: build rows that are from the start where the table wants them.
 *
 * A table's columns are an array each. Rows that lanes collect in arrays of their own are moved
 * there when all have come: into memory that was not used before, while storage has nothing to do.
 * Where the device can reserve addresses, lanes write their rows there instead, side by side:
 *
 *     column   lane 0 │ lane 1 │ lane 1 │ lane 0 │ moved │ reserved, not used
 *              └──────────── join_place_take ────┘   └ what was collected before, at the end
 *
 * Only values of fixed width; bitmaps are moved. Small build sides do without: a place takes whole
 * pages. Once rows are written to a temporary file no more are placed. */
#ifndef PISTACHIO_EXEC_JOIN_JOIN_PLACE_H
#define PISTACHIO_EXEC_JOIN_JOIN_PLACE_H

#include "device/tensor.h"

/* Zeroed at first. While lanes collect it is under the join's lock. */
typedef struct join_place {
    bool is_made; /* or it was tried */
    uint32_t column_count;
    dev_buffer **columns; /* NULL: none; those whose rows are moved are NULL */
    uint64_t row_bytes;   /* of a row in all of them */
    uint64_t capacity;    /* rows */
    uint64_t rows;        /* that are placed, from the first on */
    uint64_t seen;        /* rows that were collected, placed or not */
} join_place;

/* A join's build columns: what a place is made for when there are rows enough. */
typedef struct join_place_want {
    device *dev;
    uint32_t column_count;
    const data_type *types;
    const bool *needed;
    tensor *const *bases; /* columns with one are not placed */
} join_place_want;

/* The columns stay while tensors refer to them. */
void join_place_release(join_place *place);

/* Places for so many rows, by column, or for none of them: *is_placed. They are charged to the
 * memory's budget. After a failure no table can be made of what is placed. */
CHECKED status join_place_take(join_place *place, const join_place_want *want, uint64_t rows,
                               tensor_place *out, bool *is_placed);
/* The rows of the chunk are needed nowhere any more: gives their memory back if they were placed.
 * Takes NULL. */
void join_place_give(const join_place *place, const chunk *c);

/* The first row of the chunk's place; false: it has none. */
bool join_place_find(const join_place *place, const chunk *c, uint64_t *out_row);
/* Whether the column's rows are placed, now or later. */
bool join_place_has(const join_place *place, uint32_t column);
/* Bytes of all placed rows. */
uint64_t join_place_bytes(const join_place *place);

#endif
