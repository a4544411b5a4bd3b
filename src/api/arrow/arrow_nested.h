/* arrow_nested.h - columns of lists, structs and maps in a client's Arrow arrays: the decoder is that of Arrow files. */
#ifndef PISTACHIO_API_ARROW_ARROW_NESTED_H
#define PISTACHIO_API_ARROW_ARROW_NESTED_H

#include "base/mem.h"
#include "base/status.h"
#include "device/device.h"
#include "exec/operators/op_result.h"
#include "pistachio/pistachio.h"

/* Whether values are lists, structs or maps; also those of a dictionary. */
bool api_arrow_is_nested(const struct ArrowSchema *column);
/* Finds the SQL type, which the arena holds; UNSUPPORTED for a type that has none, of the column or within it. */
CHECKED status api_arrow_nested_type(arena *a, const struct ArrowSchema *column, data_type *out);

/* A nested column, and the array of it that is read. One thread. */
typedef struct api_arrow_nested api_arrow_nested;

CHECKED status api_arrow_nested_new(const struct ArrowSchema *column, device *dev,
                                    api_arrow_nested **out);
/* Takes the column's next array, whose lengths, buffers and children are checked as far as can be seen at once. It has at
 * least so many rows. */
CHECKED status api_arrow_nested_take(api_arrow_nested *n, const struct ArrowArray *array,
                                     uint64_t rows);
/* Rows [first, first + count) of the array, behind its offset, as a column of a batch of the device; `parent` is the struct
 * that has the column, whose row `parent_row` is the first: rows that are NULL there are NULL. Offsets, lengths and codes are
 * checked. */
CHECKED status api_arrow_nested_read(api_arrow_nested *n, uint64_t first, uint64_t count,
                                     const struct ArrowArray *parent, int64_t parent_row,
                                     exec_batch_column *out);
void api_arrow_nested_free(api_arrow_nested *n); /* takes NULL */

#endif
