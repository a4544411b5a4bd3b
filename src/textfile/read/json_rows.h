/* json_rows.h - records of JSON to the values of columns.
 *
 * A record is an object, whose fields are columns by name, or another value, of a column "json". Strings and numbers become
 * values as the fields of a csv file do; objects and arrays become lists, structs and maps, or their text. */
#ifndef PISTACHIO_TEXTFILE_READ_JSON_ROWS_H
#define PISTACHIO_TEXTFILE_READ_JSON_ROWS_H

#include "textfile/read/csv_index.h"
#include "textfile/read/json_nested.h"

#define JSON_COLUMN "json" /* of records that are not objects */

/* A column of the table. */
typedef struct json_column {
    data_type type;
    const char *format;
    json_part *parts; /* of a nested type; json_making_release frees them */
    bool is_wanted;   /* else its values are skipped */
    tensor *made;     /* if it is wanted: FLAT; the caller's */
    bool has_nulls;
    uint32_t rows; /* up to here it has values */
} json_column;

/* How records become rows. */
typedef struct json_making {
    device *host;
    json_memory *memory;
    json_column *columns;
    json_names names; /* of the columns */
    uint32_t column_count;
    bool has_whole_records; /* each is the value of the only column */
    bool refuses_others;    /* a field that is not a column is wrong */
} json_making;

/* Makes `rows` rows of the records from the first on, in memory of the host device. bad: as text_values_make. After a
 * failure, or if a record is wrong, no column is made. JSON_WALK_PADDING bytes after the text can be read. */
CHECKED status json_rows_make(const json_making *making, const csv_index *index, const char *text,
                              size_t first, uint32_t rows, uint64_t *bad, json_wrong *wrong);
/* Frees names and parts of the columns. */
void json_making_release(json_making *making);
/* The record's document, in the memory until the next one; numbers are raw. NULL: *out_error says why not. */
CHECKED status json_record_parse(const char *record, size_t bytes, json_memory *memory,
                                 yyjson_doc **out, yyjson_read_err *out_error);

#endif
