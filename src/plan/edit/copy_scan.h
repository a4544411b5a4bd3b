/* copy_scan.h - a scan of the same rows with other columns. */
#ifndef PISTACHIO_PLAN_EDIT_COPY_SCAN_H
#define PISTACHIO_PLAN_EDIT_COPY_SCAN_H

#include "plan/tree/column_set.h"

/* A scan of the same rows with ids of its own: of the columns in `read`, which has those of the
 * conditions, it gives those in `emitted`. to[i]: what stands for scan->columns.items[i]. Bounds and
 * runtime filters are not copied. */
CHECKED status plan_copy_scan(plan_statement *statement, const plan_node *scan,
                              const column_set *emitted, const column_set *read, expr **to,
                              plan_node **out);

#endif
