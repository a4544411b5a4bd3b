/* sort_ranges.h - the last merge, a range of keys for each task. */
#ifndef PISTACHIO_EXEC_SORT_SORT_RANGES_H
#define PISTACHIO_EXEC_SORT_SORT_RANGES_H

#include "exec/sort/sort.h"

/* The runs cut into ranges, which any task takes one after another. *out is NULL where they are better
 * merged row by row: as memory is short, or a limit ends it. */
CHECKED status sort_ranges_new(const op_sort *op, const sort_run_list *runs, unsigned tasks,
                               sort_ranges **out);
void sort_ranges_free(sort_ranges *ranges); /* takes NULL */
/* The next chunk of the task's range, or the first one of another: its turn is the range's number. */
exec_result sort_ranges_next(sort_ranges *ranges, exec_task *task, sort_range *range, chunk **out);
void sort_range_close(sort_range *range); /* takes a zeroed one */

#endif
