/* json_sniff.h - what a sample says of a JSON file: whether its records are lines, their fields and types. */
#ifndef PISTACHIO_TEXTFILE_TABLE_JSON_SNIFF_H
#define PISTACHIO_TEXTFILE_TABLE_JSON_SNIFF_H

#include "textfile/table/csv_sniff.h"

CHECKED status json_sniff(arena *a, const char *path, const text_options *options,
                          text_sniffed *out);

#endif
