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

/* A part of a file. Text is followed by CSV_PADDING bytes. */
typedef struct text_sample {
    char *text;
    size_t bytes;
    bool is_whole; /* the file ends with it */
    text_source *source;
    char *first; /* the first part's text: it stays until the sample is closed */
    size_t room; /* of the text */
} text_sample;

/* Reads the first part, and sets path and length of the file that was found. Closed by text_sample_close, also on failure. */
CHECKED status text_sample_open(arena *a, const char *path, const text_options *options,
                                text_sniffed *found, text_sample *out);
/* Goes on after the first `used` bytes of the part. *is_there false: they were the last ones. */
CHECKED status text_sample_next(text_sample *sample, size_t used, bool *is_there);
void text_sample_close(text_sample *sample);

#endif
