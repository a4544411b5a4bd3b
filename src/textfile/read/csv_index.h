/* csv_index.h - where the fields and the records of a csv text end.
 *
 * A first look at 64 bytes at a time makes masks of delimiters, line ends and quotes; what is between an odd and an
 * even quote is taken out of the other two, as simdjson does. That is right as long as quotes stand where RFC 4180
 * has them: at the beginning and end of a field, and twice within. Where one stands elsewhere (5" pipes, a space before
 * it), or where there are escapes or comments, a state machine goes byte by byte instead. It has the last word, and is
 * what both must agree on:
 *
 *     at the beginning of a field, and after spaces there, a quote opens
 *     in quotes, two quotes are one, an escape takes the next byte along, one quote closes
 *     after that come spaces, the delimiter or the line's end; anything else is text, quotes included
 *     a record ends with \n, \r\n or \r; a comment is a line that begins with its character
 */
#ifndef PISTACHIO_TEXTFILE_READ_CSV_INDEX_H
#define PISTACHIO_TEXTFILE_READ_CSV_INDEX_H

#include "base/mem.h"
#include "base/system/cpu_features.h"

/* '\0': there is none. */
typedef struct csv_form {
    char delimiter, quote, escape, comment;
} csv_form;

/* The delimiter of a file of one column: no byte of UTF-8. */
#define CSV_NO_DELIMITER ((char)0xff)

/* The reader may look at so many bytes behind a text. */
#define CSV_PADDING 64
#define CSV_TEXT_MAX ((size_t)1 << 30)

typedef struct csv_index {
    ARRAY(uint32_t) ends; /* of fields: the place of the delimiter or line end */
    ARRAY(uint32_t)
    firsts; /* by record: its first field, a place in ends; and one more, the number of ends */
    ARRAY(uint32_t) begins; /* by record */
    size_t record_count;
    size_t used;   /* bytes of whole records */
    bool is_ascii; /* all bytes of the text are */
    bool is_open;  /* the last record ends with the text, in quotes */
    bool is_odd;   /* text stands between a closing quote and the end of its field */
} csv_index;

/* The text begins as a record does. Unless is_last, a record that does not end within the text is left out. */
CHECKED status csv_index_make(const csv_form *form, cpu_isa isa, const char *text, size_t bytes,
                              bool is_last, csv_index *out);
void csv_index_release(csv_index *index);

#endif
