/* text_sample.h - the first bytes of a text file, of which its form, names and types are found. */
#ifndef PISTACHIO_TEXTFILE_TABLE_TEXT_SAMPLE_H
#define PISTACHIO_TEXTFILE_TABLE_TEXT_SAMPLE_H

#include "textfile/table/text_table.h"

/* A file, as the sample shows it. */
typedef struct text_sniffed {
    text_file file; /* but for fields */
    ARRAY(text_column) columns;
    double row_bytes; /* of a row, about */
} text_sniffed;

typedef struct text_sample {
    char *text; /* in the arena, CSV_PADDING bytes behind it */
    size_t bytes;
    bool is_whole; /* it is all of the file */
} text_sample;

/* Sets path and length of the file that was found. */
CHECKED status text_sample_read(arena *a, const char *path, const text_options *options,
                                text_sniffed *found, text_sample *out);

#endif
