/* json_index.h - where the records of a JSON text begin and end: lines, or values one after another. */
#ifndef PISTACHIO_TEXTFILE_READ_JSON_INDEX_H
#define PISTACHIO_TEXTFILE_READ_JSON_INDEX_H

#include "textfile/read/csv_index.h"

/* Fills begins and ends of the index by record, and `used`; empty lines are skipped. The values stand in an array
 * or one behind another: brackets of the outermost level and commas are skipped. Unless is_last, a record that does not end
 * within the text is left out. */
CHECKED status json_index_make(bool are_lines, const char *text, size_t bytes, bool is_last,
                               csv_index *out);

#endif
