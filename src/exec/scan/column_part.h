/* column_part.h - rows of a column chunk in the form in which the column cache keeps them, and back.
 *
 *   NUMBERS  integers, dates, times, decimals: differences to the least value in 1, 2, 4, 8 or 16 bytes; such that need all
 *            bytes of their type as they are
 *   CODES    a dictionary's row numbers in 1, 2 or 4 bytes; the dictionary is the column chunk's. Numbers of a long dictionary
 *            that need no more bytes than its codes are NUMBERS
 *   PLAIN    everything else: as it was decoded, the bytes of texts in one heap
 *
 * For host devices. Memory is of the cache's own device, never of a query's. */
#ifndef PISTACHIO_EXEC_SCAN_COLUMN_PART_H
#define PISTACHIO_EXEC_SCAN_COLUMN_PART_H

#include "device/tensor.h"

typedef enum column_part_form { COLUMN_NUMBERS, COLUMN_CODES, COLUMN_PLAIN } column_part_form;

/* A column chunk's dictionary. */
typedef struct column_dictionary {
    tensor *values; /* FLAT; NULL: there is none */
    uint64_t rows;
    bool has_range; /* of numbers: */
    int128 least, most;
    uint64_t bytes;
} column_dictionary;

/* Rows [first, end) of a column chunk. Never changes once it is made. */
typedef struct column_part {
    uint64_t first, end;
    column_part_form form;
    data_type type;
    uint8_t width;        /* NUMBERS, CODES: bytes of a value */
    bool has_nulls;       /* CODES: some numbers are ROW_NULL */
    bool has_range;       /* of the values that are not NULL, or of the whole dictionary: */
    int128 least, most;   /* least > most: there is none */
    int128 origin;        /* NUMBERS */
    dev_buffer *values;   /* NUMBERS, CODES */
    dev_buffer *validity; /* NUMBERS: bit 0 is row `first`; or NULL */
    dev_buffer *bounds;   /* NUMBERS, CODES of at most 4 bytes: of narrow_bounds; or NULL */
    tensor *plain;        /* PLAIN */
    tensor *dictionary;   /* CODES: a reference */
    uint64_t dictionary_rows;
    uint64_t bytes;       /* what it takes, without the dictionary */
    uint64_t nanoseconds; /* that its rows took to decode */
} column_part;

/* A copy of a coded tensor's dictionary in memory of `dev`. */
CHECKED status column_dictionary_make(device *dev, const tensor *coded, column_dictionary *out);
void column_dictionary_release(column_dictionary *dictionary); /* takes a zeroed one */

/* Returns whether the values are numbers of rows of a dictionary of their column chunk. */
static inline bool column_is_coded(const tensor *values)
{
    return values->form == TENSOR_INDEXED && values->is_dictionary;
}

/* Makes a part of the rows [first, first + count) that `values` has, in memory of `dev`. `dictionary`: the column chunk's,
 * for values that are coded. It is freed with column_part_free. */
CHECKED status column_part_new(device *dev, const tensor *values, uint64_t first, uint64_t count,
                               const column_dictionary *dictionary, column_part **out);
void column_part_free(column_part *part); /* takes NULL */

/* Returns whether the part's rows from `first` on, or from its beginning if that comes later, can be read: bits begin with a
 * word. */
bool column_part_can_read(const column_part *part, uint64_t first);
/* Makes a tensor of the rows [first, first + count), which the parts, in their order, have without a gap and can read; a
 * reference for the caller. */
CHECKED status column_parts_read(dev_stream *stream, column_part *const *parts, size_t part_count,
                                 uint64_t first, uint64_t count, tensor **out);

/* Gives the rows [first, first + count), which the part has, as a NARROW tensor over its own memory, with a reference for the
 * caller; *out NULL: they are not to be had in that form. */
CHECKED status column_part_narrow(const column_part *part, uint64_t first, tensor **out);

/* Rows of a slice. */
typedef struct column_rows {
    uint64_t first, count;     /* the slice's */
    const row_index *selected; /* numbers of rows in the slice, */
    uint64_t selected_count;   /* as many */
    const uint64_t *bits;      /* those of the slice's rows that are selected; NULL: not known */
} column_rows;

/* Makes a tensor of the selected rows, all of whose slice the part has; a reference for the caller. *out NULL: this part's rows
 * are to be read before they are selected. */
CHECKED status column_part_read_some(dev_stream *stream, const column_part *part,
                                     const column_rows *rows, tensor **out);

#endif
