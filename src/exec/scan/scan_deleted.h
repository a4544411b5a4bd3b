/* scan_deleted.h - rows that a lake's log says are deleted leave a slice before anything else is asked of it. */
#ifndef PISTACHIO_EXEC_SCAN_SCAN_DELETED_H
#define PISTACHIO_EXEC_SCAN_SCAN_DELETED_H

#include "exec/scan/op_scan.h"

CHECKED status scan_drop_deleted(const op_scan *op, exec_task *task, scan_local *local);

#endif
