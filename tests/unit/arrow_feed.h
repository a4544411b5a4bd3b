/* arrow_feed.h - Arrow streams made by hand, for tests: columns in static memory, given out as arrays. */
#ifndef PISTACHIO_ARROW_FEED_H
#define PISTACHIO_ARROW_FEED_H

#include "pistachio/pistachio.h"

#define ARROW_FEED_COLUMNS 8
#define ARROW_FEED_NESTED 16 /* children of all columns */

typedef struct arrow_feed_column {
    const char *format, *name;
    const void *buffers[5];
    int64_t buffer_count, length, offset, null_count;
    const struct arrow_feed_column *
        dictionary; /* or NULL; of lists, structs and maps their children, behind which is one without a name */
} arrow_feed_column;

/* Rows to be given out; zero what is not wanted. It outlives its stream and arrays. */
typedef struct arrow_feed {
    const arrow_feed_column *columns;
    int64_t column_count;
    int64_t length, offset, null_count; /* of each array */
    const void *validity;               /* of its rows */
    unsigned arrays;                    /* so many */
    unsigned fails_at;                  /* the call of get_next that fails, from 1; 0: none */
    int64_t array_columns;              /* told of each array instead of column_count; 0: that */
    unsigned calls, open;               /* calls of get_next; what is not released */
    struct ArrowSchema fields[ARROW_FEED_COLUMNS], dictionaries[ARROW_FEED_COLUMNS];
    struct ArrowSchema *field_list[ARROW_FEED_COLUMNS];
    struct ArrowArray children[ARROW_FEED_COLUMNS], entries[ARROW_FEED_COLUMNS];
    struct ArrowArray *child_list[ARROW_FEED_COLUMNS];
    const void *row_buffers[1];
    struct ArrowSchema nested_fields[ARROW_FEED_NESTED];
    struct ArrowSchema *nested_field_list[ARROW_FEED_NESTED];
    struct ArrowArray nested_arrays[ARROW_FEED_NESTED];
    struct ArrowArray *nested_array_list[ARROW_FEED_NESTED];
    int64_t nested_schemas_used, nested_arrays_used;
} arrow_feed;

struct ArrowArrayStream arrow_feed_open(arrow_feed *feed);

#endif
