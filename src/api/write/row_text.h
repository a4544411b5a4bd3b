/* row_text.h - rows as lines of csv or tsv, or as JSON objects. */
#ifndef PISTACHIO_API_WRITE_ROW_TEXT_H
#define PISTACHIO_API_WRITE_ROW_TEXT_H

#include "base/row/row_format.h"
#include "base/row/text_out.h"
#include "exec/operators/op_result.h"

typedef struct row_cell_name {
    char *text; /* json: what stands before a value: {"name":  or , "name":  */
    size_t bytes;
} row_cell_name;

/* How the rows of one result are written. Read by any thread once it is open. */
typedef struct api_row_text {
    row_style style;
    uint32_t column_count;
    row_cell_name *names;
    bool
        is_checked; /* csv: numbers too may need quotes, as a delimiter or NULL may look like one */
} api_row_text;

/* names: of the columns; copied. Zeroed before, closed also on failure. */
CHECKED status api_row_text_open(api_row_text *text, row_style style, const char *const *names,
                                 uint32_t column_count);
void api_row_text_close(api_row_text *text);
/* Rows [first, end) of the batch, its first column_count columns; what came before them is `is_first` if no row did. How many: fewer if
 * the buffer is full and has no stream, and the buffer ends behind them then. */
uint64_t api_row_text_add(const api_row_text *text, const exec_batch *rows, uint64_t first,
                          uint64_t end, bool is_first, text_out *out);
/* Writes a list, struct or map that is not NULL as JSON. zone NULL: UTC. */
void api_row_text_json(const exec_batch_column *column, uint64_t row, const zone *zone,
                       text_out *out);
/* Writes what comes before the first row, with columns of these names, and after the last. */
void api_row_text_begin(const api_row_text *text, const char *const *names, text_out *out);
void api_row_text_end(const api_row_text *text, text_out *out);

#endif
