/* template.h - the words of PostgreSQL's formats of dates and times, as to_char and to_timestamp take
 * them: what of a format is a field, and what is plain text. */
#ifndef PISTACHIO_DEVICE_HOST_TEMPLATE_H
#define PISTACHIO_DEVICE_HOST_TEMPLATE_H

#include "device/host/host.h"

typedef enum template_field {
    TEMPLATE_TEXT, /* a character that stands for itself */
    TEMPLATE_HOUR_12,
    TEMPLATE_HOUR_24,
    TEMPLATE_MINUTE,
    TEMPLATE_SECOND,
    TEMPLATE_FRACTION, /* of `digits` digits */
    TEMPLATE_DAY_SECOND,
    TEMPLATE_NOON, /* AM, PM; with points: `digits` 1 */
    TEMPLATE_YEAR, /* its last `digits` digits */
    TEMPLATE_YEAR_COMMA,
    TEMPLATE_ISO_YEAR,
    TEMPLATE_ERA, /* BC, AD; with points: `digits` 1 */
    TEMPLATE_MONTH_NAME,
    TEMPLATE_MONTH_SHORT,
    TEMPLATE_MONTH,
    TEMPLATE_MONTH_ROMAN,
    TEMPLATE_DAY_NAME,
    TEMPLATE_DAY_SHORT,
    TEMPLATE_YEAR_DAY,
    TEMPLATE_ISO_YEAR_DAY,
    TEMPLATE_DAY,
    TEMPLATE_WEEK_DAY,
    TEMPLATE_ISO_WEEK_DAY,
    TEMPLATE_MONTH_WEEK,
    TEMPLATE_WEEK,
    TEMPLATE_ISO_WEEK,
    TEMPLATE_CENTURY,
    TEMPLATE_JULIAN,
    TEMPLATE_QUARTER,
    TEMPLATE_ZONE,
    TEMPLATE_ZONE_HOURS,
    TEMPLATE_ZONE_MINUTES,
    TEMPLATE_OFFSET,
    TEMPLATE_EXACT /* FX: from here on nothing is passed over */
} template_field;

typedef enum template_case { TEMPLATE_UPPER, TEMPLATE_CAPITAL, TEMPLATE_LOWER } template_case;

typedef struct template_word {
    template_field field;
    template_case letters; /* of names */
    unsigned digits;
    bool is_bare;     /* FM: without zeros and spaces that fill */
    char ordinal;     /* 'T', 't': with th behind it; 0: without */
    const char *text; /* what stands there */
    size_t bytes;
    bool is_quoted;
} template_word;

/* The words of a format that is the same for all rows. */
typedef struct template_words {
    size_t count;
    template_word items[];
} template_words;

/* A format being read. */
typedef struct template_scan {
    const char *format;
    size_t bytes, at;
    bool in_quotes;
    const template_words *words; /* or NULL */
    size_t number;               /* of the next one of these */
} template_scan;

/* The format of a row, the call's second argument. */
template_scan template_begin(const host_call *c, uint64_t row);

/* host_function_ops.plan: the words, where the format is a constant. */
CHECKED status template_plan(host_function function, host_constants args, uint32_t arg_count,
                             arena *memory, const void **out);

/* The next word; false: the format is over. */
bool template_next(template_scan *s, template_word *out);

#endif
