/* arrow_row.h - values out of Arrow arrays that a client gives: flat types, of every layout.
 *
 * Lengths, offsets, numbers of buffers and what text offsets point to are checked as a file's are, as
 * far as the interface lets one see: how long a buffer is it does not say. */
#ifndef PISTACHIO_API_ARROW_ROW_H
#define PISTACHIO_API_ARROW_ROW_H

#include "api/internal.h"

/* The SQL type of a column; UNSUPPORTED, with its name, for one that has none (nested ones). */
CHECKED status api_arrow_type(const struct ArrowSchema *column, data_type *out);
/* Of a struct array, what can be seen at once: fields, lengths, buffers. */
CHECKED status api_arrow_check(const struct ArrowSchema *schema, const struct ArrowArray *array);
/* The value of a row below the struct array's length, which was checked; text is borrowed from the
 * array. */
CHECKED status api_arrow_value(const struct ArrowSchema *schema, const struct ArrowArray *array,
                               int64_t column, int64_t row, value *out);

#endif
