/* csv_types.h - the type of a column, guessed from the texts of its values. */
#ifndef PISTACHIO_TEXTFILE_TABLE_CSV_TYPES_H
#define PISTACHIO_TEXTFILE_TABLE_CSV_TYPES_H

#include "base/mem.h"
#include "base/type/type.h"

/* A guess at the type of a column, made of its values. Zeroed: it may be any, in the usual forms. */
typedef struct csv_guess {
    uint64_t refused; /* bits, one a kind */
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
