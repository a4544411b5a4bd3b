/* json_rows.h - records of JSON to the values of columns.
 *
 * A record is an object, whose fields are columns by name, or another value, of a column "json". Strings and numbers become
 * values as the fields of a csv file do; objects and arrays become their text. */
#ifndef PISTACHIO_TEXTFILE_READ_JSON_ROWS_H
#define PISTACHIO_TEXTFILE_READ_JSON_ROWS_H

#include "device/host/json/json_memory.h"
#include "textfile/read/csv_index.h"
#include "textfile/read/json_walk.h"
#include "textfile/read/text_values.h"

#define JSON_COLUMN "json" /* of records that are not objects */

/* A column of the table. */
typedef struct json_column {
    const char *name;
    size_t name_bytes;
    data_type type;
    const char *format;
    bool is_wanted; /* else its values are skipped */
    tensor *made;   /* if it is wanted: FLAT; the caller's */
    bool has_nulls;
    uint32_t rows; /* up to here it has values */
} json_column;

typedef enum json_wrong_kind {
    JSON_WRONG_RECORD, /* it is not JSON */
    JSON_WRONG_VALUE,  /* it is not of its column's type */
    JSON_WRONG_FIELD,  /* it is not a column */
    JSON_WRONG_TWICE,  /* the field was there before */
    JSON_WRONG_SHAPE   /* the record is not an object, and no column is for it */
} json_wrong_kind;

/* A record that cannot be read. */
typedef struct json_wrong {
    bool is_there;
    uint32_t row;
    uint32_t offset; /* of the place in the text */
    json_wrong_kind kind;
    uint32_t column;     /* of JSON_WRONG_VALUE */
    const char *message; /* of JSON_WRONG_RECORD: static text */
    char value[64];      /* the value, or the field's name */
} json_wrong;

/* How records become rows. */
typedef struct json_making {
    device *host;
    json_memory *memory;
    json_column *columns;
    uint32_t column_count;
    bool refuses_others; /* a field that is not a column is wrong */
} json_making;

typedef void json_visit(void *context, const char *name, size_t name_bytes, json_kind kind,
                        const char *text, size_t bytes);

/* Makes `rows` rows of the records from the first on, in memory of the host device. bad: as text_values_make. After a
 * failure, or if a record is wrong, no column is made. JSON_WALK_PADDING bytes after the text can be read. */
CHECKED status json_rows_make(const json_making *making, const csv_index *index, const char *text,
                              size_t first, uint32_t rows, uint64_t *bad, json_wrong *wrong);
/* Calls visit for each field of the record; *out_message: why it is not JSON, or NULL. */
CHECKED status json_record_visit(const char *record, size_t bytes, json_memory *memory,
                                 json_visit *visit, void *context, const char **out_message);

#endif
