/* csv_sniff.h - what a sample says of a csv file: its dialect, names and types.
 *
 * Each delimiter, quote and escape that is not said is tried on the beginning of the sample. Of those with which all records
 * from some line on have as many fields, the one wins that has quotes where quotes belong, then the one that leaves out
 * the fewest lines, then the one with the most fields; if none has two, a record is one field. Types are those that
 * all values of the sample have, and the first record is the header unless its values have them, too. */
#ifndef PISTACHIO_TEXTFILE_TABLE_CSV_SNIFF_H
#define PISTACHIO_TEXTFILE_TABLE_CSV_SNIFF_H

#include "textfile/table/text_sample.h"

CHECKED status csv_sniff(arena *a, const char *path, const text_options *options,
                         text_sniffed *out);

/* ---- csv_types.c ---- */

/* A guess at the type of a column, made of its values. Zeroed: it may be any, in the usual forms. */
typedef struct csv_guess {
    uint64_t refused; /* bits of csv_types.c's */
    char separator;   /* between the parts of dates; '\0': none was seen */
    bool has_values;
    const char *date_format, *timestamp_format; /* what the user says of them, or NULL */
} csv_guess;

void csv_guess_add(csv_guess *guess, const char *text, size_t bytes);
/* Adds a value whose class is known: only texts are times, and texts are neither numbers nor booleans. */
typedef enum csv_guess_class {
    GUESS_OF_BOOL,
    GUESS_OF_NUMBER,
    GUESS_OF_TEXT,
    GUESS_OF_OTHER
} csv_guess_class;
void csv_guess_add_of(csv_guess *guess, csv_guess_class class, const char *text, size_t bytes);
/* Adds what another guess has seen. */
void csv_guess_unite(csv_guess *guess, const csv_guess *from);
/* The type, and the format of its values (NULL: the usual one); text in the arena. */
CHECKED status csv_guess_type(arena *a, const csv_guess *guess, data_type *out,
                              const char **out_format);
/* Whether a value can be one of the type that was found. */
bool csv_guess_fits(const csv_guess *guess, const char *text, size_t bytes);

#endif
