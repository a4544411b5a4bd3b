/* arrowfile_values.h - a column's values for a range of a batch's rows. */
#ifndef PISTACHIO_ARROWFILE_ARROWFILE_VALUES_H
#define PISTACHIO_ARROWFILE_ARROWFILE_VALUES_H

#include "arrowfile/arrowfile_body.h"
#include "arrowfile/arrowfile_schema.h"
#include "device/tensor.h"

/* The place of a column's parts in a body's lists: columns lie one after the other, children after their parent. */
typedef struct arrowfile_cursor {
    size_t node, buffer, views;
} arrowfile_cursor;

typedef struct arrowfile_range {
    uint64_t first, count;
} arrowfile_range;

typedef struct arrowfile_maker {
    arrowfile_body *body;
    device *host;
    /* Gives the values of a dictionary, FLAT, with a reference; and how many. */
    status (*dictionary)(void *context, const arrowfile_field *field, tensor **out,
                         uint64_t *out_rows);
    void *context;
} arrowfile_maker;

/* Moves over a column. */
void arrowfile_skip(const arrowfile_body *body, const arrowfile_field *field,
                    arrowfile_cursor *cursor);
/* Makes the column at the cursor, in the host's memory, and moves over it. */
CHECKED status arrowfile_values_make(const arrowfile_maker *maker, const arrowfile_field *field,
                                     arrowfile_cursor *cursor, arrowfile_range rows, tensor **out);
/* Makes the values of a dictionary: the field's, but for its codes. */
CHECKED status arrowfile_dictionary_make(const arrowfile_maker *maker, const arrowfile_field *field,
                                         arrowfile_range rows, tensor **out);

#endif
