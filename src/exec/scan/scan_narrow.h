/* scan_narrow.h - conditions that are decided by the column cache's narrow values, all of a slice at once. */
#ifndef PISTACHIO_EXEC_SCAN_SCAN_NARROW_H
#define PISTACHIO_EXEC_SCAN_SCAN_NARROW_H

#include "exec/scan/op_scan.h"

/* Notes which of the scan's conditions take narrow values. */
CHECKED status scan_narrow_uses(op_scan *op);
/* Decides the conditions whose columns the cache has in narrow values: local->is_decided says which. Gives the slice's rows for
 * which they hold, for the caller to release; rows NULL: all. *out_bits: the rows as bits, for the caller as well; NULL: not
 * known. */
exec_result scan_narrow_select(op_scan *op, exec_task *task, scan_local *local, row_selection *out,
                               dev_buffer **out_bits);

#endif
