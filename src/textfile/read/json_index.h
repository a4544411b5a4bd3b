/* json_index.h - where the records of a JSON text begin and end: lines, or values one after another. */
#ifndef PISTACHIO_TEXTFILE_READ_JSON_INDEX_H
#define PISTACHIO_TEXTFILE_READ_JSON_INDEX_H

#include "textfile/read/csv_index.h"

typedef struct json_form {
    bool are_lines; /* else values, in an array or one after another */
    bool is_first;  /* the text begins the file: a bracket there is the array's around the values */
    bool is_last;   /* the text ends the file */
} json_form;

/* Fills begins and ends of the index by record, and `used`; empty lines, and commas between values, are skipped. Unless
 * is_last, a record that does not end within the text is left out. */
CHECKED status json_index_make(json_form form, const char *text, size_t bytes, csv_index *out);

#endif
