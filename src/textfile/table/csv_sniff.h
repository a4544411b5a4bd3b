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

#endif
