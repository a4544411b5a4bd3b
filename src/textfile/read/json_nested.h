/* json_nested.h - arrays and objects of JSON into lists, structs and maps.
 *
 * A column of nested values has a tree of parts, one for each type within its type. A value adds rows to the columns of the parts
 * below it, whose lengths nobody knows before: they grow. The rows of a record that turns out wrong are taken back. */
#ifndef PISTACHIO_TEXTFILE_READ_JSON_NESTED_H
#define PISTACHIO_TEXTFILE_READ_JSON_NESTED_H

#include "base/type/nested_type.h"
#include "textfile/read/json_names.h"
#include "textfile/read/json_value.h"

/* How dates and timestamps within a nested value are written: for each field of its type. */
typedef struct json_format {
    const char *text; /* for strptime; NULL: the usual forms */
    const struct json_format *fields;
} json_format;

typedef struct json_part json_part;

/* The means by which values are made. */
typedef struct json_nesting {
    device *host;
    json_texts *texts;
    json_memory *memory;
    bool refuses_others; /* a field that is not one of the type is wrong */
    json_wrong *wrong;
} json_nesting;

/* Makes the parts of a column of the nested type, which the caller holds; formats, or NULL: all are the usual ones. */
CHECKED status json_part_new(data_type type, const json_format *format, json_part **out);
void json_part_free(json_part *part); /* takes NULL; all that was made goes, too */

/* Begins a record: json_part_undo takes back what comes after. */
void json_part_mark(json_part *part);
void json_part_undo(json_part *part);
/* Makes the value of a document, which is not null. If it is wrong, n->wrong says so, and json_part_undo is to be called. */
CHECKED status json_part_put(const json_nesting *n, json_part *part, yyjson_val *v,
                             nested_value *out);
/* Gives the column its children; the parts are empty again, also on failure. */
CHECKED status json_part_finish(const json_nesting *n, json_part *part, string_heap *texts,
                                tensor *column);
void json_part_drop(json_part *part);

#endif
