/* sort_merge.h - runs merged to one stream of chunks. */
#ifndef PISTACHIO_EXEC_SORT_SORT_MERGE_H
#define PISTACHIO_EXEC_SORT_SORT_MERGE_H

#include "exec/sort/sort.h"

/* The runs, in this order, stay the caller's; chunks are of the first `columns` columns. */
CHECKED status sort_merge_new(const op_sort *op, sort_run *const *runs, size_t run_count,
                              uint32_t columns, sort_merge **out);
void sort_merge_free(sort_merge *m); /* takes NULL; after the query's end also while it reads */
/* EXEC_HAVE_OUTPUT: the next chunk is *out, in host memory (dev_host). EXEC_FINISHED: there is none. Else
 * as any step. */
exec_result sort_merge_next(sort_merge *m, exec_task *task, chunk **out);

#endif
