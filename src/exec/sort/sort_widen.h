/* sort_widen.h - kept rows in the columns that they came in. */
#ifndef PISTACHIO_EXEC_SORT_SORT_WIDEN_H
#define PISTACHIO_EXEC_SORT_SORT_WIDEN_H

#include "exec/sort/sort.h"
#include "exec/sort/sort_narrow.h"

/* Gives kept rows as they came, but for computed keys; takes over what was kept, also on failure. Where rows are not
 * kept narrow, they are given as they are. */
CHECKED status sort_widen(const struct op_sort *op, exec_task *task, chunk *kept, chunk **out);
/* Returns how many of the kept columns sort_widen asks for, from the first one on. */
uint32_t sort_widen_columns(const struct op_sort *op);

#endif
