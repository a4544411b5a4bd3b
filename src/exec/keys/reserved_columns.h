/* reserved_columns.h - rows that are from the start where they are wanted: a join's build rows, and
 * those of a sort.
 *
 * A table's columns are an array each, and so are those of rows that are sorted. Rows that tasks
 * collect in arrays of their own are moved there when all have come: into memory that was not used
 * before, while storage has nothing to do.
 * Where the device can reserve addresses, tasks write their rows there instead, side by side:
 *
 *     column   task 0 │ task 1 │ task 1 │ task 0 │ moved │ reserved, not used
 *              └──────── reserved_columns_take ────────┘   └ what was collected before, at the end
 *
 * Only values of fixed width; bitmaps are moved. Few rows do without: a place takes whole
 * pages. Once rows are written to a temporary file no more are placed. */
#ifndef PISTACHIO_EXEC_KEYS_RESERVED_COLUMNS_H
#define PISTACHIO_EXEC_KEYS_RESERVED_COLUMNS_H

#include "device/tensor.h"

/* Zeroed at first. While tasks collect it is under the operator's lock. */
typedef struct reserved_columns {
    bool is_made; /* or it was tried */
    uint32_t column_count;
    dev_buffer **columns; /* NULL: none; those whose rows are moved are NULL */
    uint64_t row_bytes;   /* of a row in all of them */
    uint64_t capacity;    /* rows */
    uint64_t rows;        /* that are placed, from the first on */
    uint64_t seen;        /* rows that were collected, placed or not */
} reserved_columns;

/* An operator's columns: what a place is made for when there are rows enough. */
typedef struct reserved_columns_want {
    device *dev;
    uint32_t column_count;
    const data_type *types;
    const bool *needed;
    tensor *const *bases; /* columns with one are not placed; or NULL */
    const char *who;      /* in a memory limit's error */
} reserved_columns_want;

/* The columns stay while tensors refer to them. */
void reserved_columns_release(reserved_columns *reserved);

/* Places for so many rows, by column, or for none of them: *is_placed. They are charged to the
 * memory's budget. After a failure not all that is placed has been written. */
CHECKED status reserved_columns_take(reserved_columns *reserved, const reserved_columns_want *want,
                                     uint64_t rows, tensor_target *out, bool *is_placed);
/* The rows of the chunk are needed nowhere any more: gives their memory back if they were placed.
 * Takes NULL. */
void reserved_columns_give(const reserved_columns *reserved, const chunk *c);

/* The first row of the chunk's place; false: it has none. */
bool reserved_columns_find(const reserved_columns *reserved, const chunk *c, uint64_t *out_row);
/* Whether the column's rows are placed, now or later. */
bool reserved_columns_have(const reserved_columns *reserved, uint32_t column);
/* Bytes of all placed rows. */
uint64_t reserved_columns_bytes(const reserved_columns *reserved);

#endif
