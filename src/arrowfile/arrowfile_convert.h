/* arrowfile_convert.h - values of fixed width that Arrow has and SQL's values lie otherwise. */
#ifndef PISTACHIO_ARROWFILE_ARROWFILE_CONVERT_H
#define PISTACHIO_ARROWFILE_ARROWFILE_CONVERT_H

#include "arrowfile/arrowfile_schema.h"

/* Rows of a field: `stored` as they lie in a file, `valid` a bit for each that has a value, or NULL: all have. */
typedef struct arrowfile_rows {
    const arrowfile_field *field;
    const void *stored;
    const uint64_t *valid;
    uint64_t count;
} arrowfile_rows;

/* Makes values of the field's type, for conversions but FIXED_TEXT. Fails on one that the type cannot have. */
CHECKED status arrowfile_convert(const arrowfile_rows *rows, void *target);

#endif
