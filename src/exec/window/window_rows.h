/* window_rows.h - the rows that are evaluated. */
#ifndef PISTACHIO_EXEC_WINDOW_WINDOW_ROWS_H
#define PISTACHIO_EXEC_WINDOW_WINDOW_ROWS_H

#include "exec/window/window.h"

window_range window_range_ref(const window_range *range);
void window_range_release(window_range *range); /* takes a zeroed one */
void window_rows_release(window_rows *rows);
/* Number of a column that a key or argument is; it is there (plan_verify). */
uint32_t window_column(const column_map *places, const expr *e);
/* A column or constant as a FLAT tensor, with a reference. */
CHECKED status window_value(window_rows *rows, const expr *e, tensor **out);
/* Puts two columns together as one, FLAT: the first one's rows, then the second one's. */
CHECKED status window_concat(const window_rows *rows, tensor *first, uint64_t first_rows,
                             tensor *second, uint64_t second_rows, tensor **out);
/* A few rows of a FLAT column as one of their own; on host devices. */
CHECKED status window_some_rows(const window_rows *rows, tensor *values, uint64_t value_rows,
                                const uint32_t *wanted, uint32_t count, tensor **out);
/* Borrowed from rows. */
CHECKED status window_partition(window_rows *rows, const window_range **out);
CHECKED status window_peers(window_rows *rows, const window_range **out);
/* Memory with an element of so many bytes for each row, and `more` of them. */
CHECKED status window_alloc(const window_rows *rows, size_t bytes, uint64_t more, dev_buffer **out);
/* Values of other rows: base[index[i]]; takes over the index. `more`: base has so many more rows. */
CHECKED status window_gather(const window_rows *rows, tensor *base, uint64_t more, row_index *index,
                             tensor **out);

#endif
