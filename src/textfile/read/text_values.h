/* text_values.h - fields of rows to the values of a column.
 *
 * A field is NULL if it is one of the texts for NULL, and, but for texts, if it is empty. Quotes around it do not
 * belong to it. Numbers, dates and timestamps of the common forms are read where they stand; others by base/type/type.h. */
#ifndef PISTACHIO_TEXTFILE_READ_TEXT_VALUES_H
#define PISTACHIO_TEXTFILE_READ_TEXT_VALUES_H

#include "device/tensor.h"

typedef struct text_nulls {
    const char *const *texts;
    size_t count;
} text_nulls;

/* How fields are read. */
typedef struct text_rules {
    char quote, escape; /* '\0': there is none */
    char decimal;       /* in numbers; '\0': a point */
    char thousands;     /* in numbers; '\0': nothing */
    text_nulls nulls;
} text_rules;

/* Rows of fields, as csv_index and csv_rows have them; `rows` of them from the first on. */
typedef struct text_fields {
    const text_rules *rules;
    const char *text;
    const uint32_t *ends, *firsts, *begins;
    uint32_t rows;
    bool is_ascii;
} text_fields;

/* A field without its quotes. */
typedef struct text_field {
    const char *text;
    uint32_t bytes;
    bool is_null, is_quoted;
} text_field;

/* A value that is not of its column's type. */
typedef struct text_wrong_value {
    bool is_there;
    uint32_t row;
    bool has_wrong_bytes; /* they are not UTF-8 */
} text_wrong_value;

text_field text_field_of(const text_fields *fields, uint32_t column, uint32_t row);
/* Copies the text of a field with its escapes undone; returns its bytes, at most the field's. */
uint32_t text_field_copy(const text_rules *rules, text_field field, char *target);
/* One value; format NULL: the forms of base/type/type.h. Not of texts. False: it is not of the type. */
bool text_parse_value(const text_rules *rules, const char *text, size_t bytes, data_type type,
                      const char *format, void *target);
/* The column of `column`-th fields, FLAT, in memory of the host device. bad, if not NULL: a bit is set for each row whose
 * value is not of the type; NULL: the first one is *wrong, and *out NULL. */
CHECKED status text_values_make(const text_fields *fields, uint32_t column, data_type type,
                                const char *format, device *host, uint64_t *bad,
                                text_wrong_value *wrong, tensor **out);

#endif
