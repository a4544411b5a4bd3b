/* arrow_row.h - values out of Arrow arrays that a client gives: flat types, of every layout.
 *
 * Lengths, offsets, numbers of buffers and what text offsets point to are checked as a file's are, as
 * far as the interface lets one see: how long a buffer is it does not say. */
#ifndef PISTACHIO_API_ARROW_ARROW_ROW_H
#define PISTACHIO_API_ARROW_ARROW_ROW_H

#include "base/status.h"
#include "base/type/type.h"
#include "pistachio/pistachio.h"

/* The SQL type of a column; UNSUPPORTED, with its name, for one that has none (nested ones). */
CHECKED status api_arrow_type(const struct ArrowSchema *column, data_type *out);
/* Checks what can be seen at once of a struct array: fields, lengths, buffers; but of columns that are nested (is_nested NULL:
 * none is). */
CHECKED status api_arrow_check(const struct ArrowSchema *schema, const struct ArrowArray *array,
                               const bool *is_nested);
/* The value of a row below the struct array's length, which was checked; text is borrowed from the
 * array. */
CHECKED status api_arrow_value(const struct ArrowSchema *schema, const struct ArrowArray *array,
                               int64_t column, int64_t row, value *out);

/* The location of a row's value: in the column, or in its dictionary. */
typedef struct api_arrow_place {
    const struct ArrowSchema *column;
    const struct ArrowArray *array; /* NULL: the value is NULL */
    int64_t at;                     /* its number in the buffers */
} api_arrow_place;

/* Finds the value with that number in the buffers of a column that was checked. */
CHECKED status api_arrow_find(const struct ArrowSchema *column, const struct ArrowArray *array,
                              int64_t at, api_arrow_place *out);
/* The value there, of the column's type; text is borrowed. */
CHECKED status api_arrow_read(const api_arrow_place *place, data_type type, value *out);
/* Whether the array, which was checked, has a NULL there. */
bool api_arrow_is_null(const struct ArrowArray *array, int64_t at);

#endif
