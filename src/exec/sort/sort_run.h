/* sort_run.h - rows in order. */
#ifndef PISTACHIO_EXEC_SORT_SORT_RUN_H
#define PISTACHIO_EXEC_SORT_SORT_RUN_H

#include "exec/sort/sort.h"

/* The keys of a chunk's rows as the kernel sort_rows takes them. */
CHECKED status sort_pack_keys(const op_sort *op, dev_stream *stream, const chunk *c,
                              dev_buffer **out);
/* Makes what decides to which range a row belongs: its keys, or, if partitions stay whole, the partition's alone. */
void sort_mark_make(const op_sort *op, const sort_keys *keys, uint32_t row, sort_bytes *out);
/* The keys of a FLAT chunk in host memory, whose columns go to `columns`. */
sort_keys sort_keys_of(const op_sort *op, const chunk *c, const tensor **columns);
/* The chunk's rows as the order says, cut to the limit if there is one. */
CHECKED status sort_select(const op_sort *op, dev_stream *stream, chunk *c, row_index *order);
/* All rows of several FLAT chunks, which stay, as one chunk in order, cut to the limit if there is
 * one. */
CHECKED status sort_chunks(const op_sort *op, exec_task *task, chunk *const *chunks, size_t count,
                           chunk **out);
/* Sorts a list, which is emptied before memory is taken for more than its rows once more. */
CHECKED status sort_list(const op_sort *op, exec_task *task, chunk_list *list, chunk **out);
/* Rows [first, first + count) of a sorted chunk, its first `columns` columns: nothing is copied. */
CHECKED status sort_slice(exec_task *task, const chunk *sorted, uint64_t first, uint64_t count,
                          uint32_t columns, chunk **out);
/* Appends the rows of a chunk that chunk_to_host or a merge gave to a run. */
CHECKED status sort_run_write(op_sort *op, exec_task *task, const chunk *c, sort_run *run);
void sort_run_free(sort_run *run); /* takes NULL */

#endif
