/* scan_columns.h - the columns of a scan. */
#ifndef PISTACHIO_EXEC_SCAN_SCAN_COLUMNS_H
#define PISTACHIO_EXEC_SCAN_SCAN_COLUMNS_H

#include "exec/scan/op_scan.h"

/* Opens these columns of the morsel: they are there (EXEC_FINISHED), or the task is woken when the
 * bytes of some are (EXEC_WAIT). EXEC_NEED_INPUT: there was no memory for the slice, which is to be
 * begun anew with fewer rows (row_limit). */
exec_result scan_await_columns(op_scan *op, exec_task *task, scan_local *local,
                               const uint32_t *columns, uint32_t count);
/* Looks whether the column cache has the slice's rows of the column: is_cached says it then. */
CHECKED status scan_look_in_cache(op_scan *op, exec_task *task, scan_local *local, uint32_t column);
/* The column, which is there, at the selected rows: a reference for the caller. */
CHECKED status scan_selected_column(op_scan *op, exec_task *task, scan_local *local,
                                    uint32_t column, tensor **out);

#endif
