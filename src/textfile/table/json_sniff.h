/* json_sniff.h - what samples say of JSON files: whether records are lines, their fields and types.
 *
 * A sniffer takes files one after another, and gives the fields of all. */
#ifndef PISTACHIO_TEXTFILE_TABLE_JSON_SNIFF_H
#define PISTACHIO_TEXTFILE_TABLE_JSON_SNIFF_H

#include "textfile/table/text_sample.h"

typedef struct json_sniffer json_sniffer;

/* The sniffer is in the arena. */
CHECKED status json_sniffer_new(arena *a, const text_options *options, json_sniffer **out);
/* Returns whether as many records have been looked at as a sample has. */
bool json_sniffer_has_enough(const json_sniffer *s);
/* Looks at a file; *out gets no columns. */
CHECKED status json_sniffer_add(json_sniffer *s, const char *path, text_sniffed *out);
/* Gives the columns of all files. *has_whole_records: there is one, whose values are the records. */
CHECKED status json_sniffer_finish(json_sniffer *s, text_sniffed *out, bool *has_whole_records);

#endif
