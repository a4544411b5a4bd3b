/* arrowfile_schema.h - the fields of an Arrow schema: SQL type, and how their values lie in buffers (Schema.fbs). */
#ifndef PISTACHIO_ARROWFILE_ARROWFILE_SCHEMA_H
#define PISTACHIO_ARROWFILE_ARROWFILE_SCHEMA_H

#include "arrowfile/flat_read.h"
#include "base/type/type.h"

/* Layouts of a column's buffers; each but that of NULLs begins with a bit a row: it has a value. */
typedef enum arrowfile_layout {
    ARROWFILE_NULLS,      /* no buffers */
    ARROWFILE_BITS,       /* a bit a row */
    ARROWFILE_FIXED,      /* `width` bytes a row */
    ARROWFILE_OFFSETS,    /* offsets of `width` bytes, then bytes */
    ARROWFILE_VIEWS,      /* 16 bytes a row, then any number of buffers */
    ARROWFILE_LIST,       /* offsets of `width` bytes, then a child */
    ARROWFILE_LIST_VIEW,  /* offsets and lengths of `width` bytes, then a child */
    ARROWFILE_FIXED_LIST, /* `width` rows of a child a row */
    ARROWFILE_STRUCT      /* children of as many rows */
} arrowfile_layout;

/* Ways to make SQL's values of those of fixed width. */
typedef enum arrowfile_conversion {
    ARROWFILE_AS_IT_IS,
    ARROWFILE_HALF,     /* floats of 2 bytes */
    ARROWFILE_TIMES,    /* integers by `factor` */
    ARROWFILE_DIVIDED,  /* integers of 8 bytes over `factor`, rounded down */
    ARROWFILE_DECIMAL,  /* integers of 4, 8 or 16 bytes to 8 or 16 */
    ARROWFILE_DURATION, /* integers of 8 bytes by or over `factor` to intervals */
    ARROWFILE_MONTHS,   /* 4 bytes to intervals */
    ARROWFILE_DAYS,     /* days and milliseconds of 4 bytes each */
    ARROWFILE_MONTHS_DAYS_NANOSECONDS,
    ARROWFILE_UUID,      /* 16 bytes */
    ARROWFILE_FIXED_TEXT /* `width` bytes each */
} arrowfile_conversion;

typedef struct arrowfile_field {
    const char *name;
    data_type type; /* held by the arena */
    arrowfile_layout layout;
    arrowfile_conversion conversion;
    uint32_t width;
    int64_t factor;
    bool is_divided; /* DURATION: over the factor */
    /* Rows are codes of a dictionary, which has values of the type. */
    bool has_dictionary, has_signed_codes;
    uint32_t code_width;
    int64_t dictionary;
    uint32_t child_count;
    struct arrowfile_field *children;
} arrowfile_field;

/* Makes the field, which has its children, one of lists, structs or maps. Fails if they are not as many as such a type has. */
CHECKED status arrowfile_field_nest(arena *a, arrowfile_field *f, type_id id,
                                    arrowfile_layout layout, int64_t width);
/* Reads a table Schema; everything is the arena's. Fails on a type that is not supported, with its name. */
CHECKED status arrowfile_schema_read(arena *a, const flat_object *schema, arrowfile_field **out,
                                     uint32_t *out_count);

#endif
