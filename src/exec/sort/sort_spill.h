/* sort_spill.h - collected rows become runs, and many runs become few. */
#ifndef PISTACHIO_EXEC_SORT_SORT_SPILL_H
#define PISTACHIO_EXEC_SORT_SORT_SPILL_H

#include "exec/sort/sort.h"

/* Returns the bytes of a block of a run before compression, about. */
uint64_t sort_block_bytes(const op_sort *op);
/* How many rows a chunk of what was or will be spilled has, if `rows` rows take `bytes` bytes. */
uint64_t sort_chunk_rows(const op_sort *op, uint64_t rows, uint64_t bytes);
/* Returns what a chunk takes, and what sorting a list with it will take more. Without the lock. */
void sort_count_chunk(op_sort *op, const chunk *c, uint64_t *held, uint64_t *needed);
/* A task whose rows need `needed` bytes must spill them now. */
bool sort_must_spill(const op_sort *op, const exec_task *task, uint64_t needed);
/* All tasks have collected: there is room to sort what they hold, so many rows. */
bool sort_fits(const op_sort *op, uint64_t rows);
/* The rows of a list become a run (or several, where memory is too short for one), the list is
 * emptied. */
CHECKED status sort_spill_list(op_sort *op, exec_task *task, chunk_list *list);
/* A step of pass `number` (from 1) for the task's task. */
exec_result sort_pass(op_sort *op, exec_task *task, unsigned number);
/* The runs that are left after the passes. */
const sort_run_list *sort_spill_runs(op_sort *op);
void sort_spill_release(op_sort *op);

#endif
