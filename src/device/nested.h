/* nested.h - lists, structs and maps on a host device: their children in the order of their rows.
 *
 *     values     {0,2} {5,1} NULL  {7,2}           {0,2} {2,1} NULL  {3,2}
 *     children   a b c d e f g h i          ->      a b f h i
 *
 * Selecting and joining move values alone. Who needs the children themselves, to put rows of several chunks together or
 * to give them away, brings them into order first. */
#ifndef PISTACHIO_DEVICE_NESTED_H
#define PISTACHIO_DEVICE_NESTED_H

#include "device/tensor.h"

/* A FLAT tensor of the rows of a FLAT one whose values follow one another from row 0 of its children on, which have no
 * other rows; t itself, with a reference, if it is one. Children of a struct have a row for each of its rows, NULL where it
 * is NULL, and those of a list of a fixed size have as many rows for each of its rows. Those that are moved become INDEXED. */
CHECKED status nested_put_in_order(dev_stream *stream, tensor *t, uint64_t rows, tensor **out);
/* Whether the row of a FLAT tensor is not NULL. */
static inline bool nested_is_valid(const tensor *t, uint64_t row)
{
    return !t->validity || (t->validity[row / 64] >> (row % 64) & 1);
}

#endif
