/* nested_scan.h - the parts of a text that spells a list, struct or map.
 *
 *     list    [a, 'b', NULL], or as PostgreSQL has it {a,"b",NULL}
 *     struct  {name: a, 'other': b}, (a, b)
 *     map     {key=value}, {key: value}
 *
 * Parts are trimmed; in quotes a backslash goes before a quote or a backslash that belongs to the text. A part that is a list,
 * struct or map itself is a text to be scanned again. */
#ifndef PISTACHIO_BASE_TEXT_NESTED_SCAN_H
#define PISTACHIO_BASE_TEXT_NESTED_SCAN_H

#include "base/type/type.h"

typedef struct nested_part {
    const char *text; /* with its quotes */
    size_t bytes;
    bool is_quoted, is_of_array; /* of {a,"b"}: quotes and backslashes may stand anywhere */
    bool is_null;
} nested_part;

typedef struct nested_parts {
    /* Takes a list's elements (field 0), a struct's fields, or a map's keys (0), each before its value (1). */
    status (*add)(void *context, uint32_t field, const nested_part *part);
    void *context;
} nested_parts;

/* Scans a text as a value of a nested type. A failure of kind DATA says that it is not one. */
CHECKED status nested_scan_parts(data_type type, const char *text, size_t bytes,
                                 nested_parts parts);
/* Writes the part's text without quotes, or whole if it will be scanned again; at most part->bytes. Returns how many. */
size_t nested_part_text(const nested_part *part, bool is_nested, char *out);

#endif
