/* file_bounds.h - which files cannot hold a row that a scan wants, by bounds that are known before the file is open. */
#ifndef PISTACHIO_PLAN_RULES_SCAN_FILE_BOUNDS_H
#define PISTACHIO_PLAN_RULES_SCAN_FILE_BOUNDS_H

#include "parquet/table/table.h"
#include "plan/tree/plan.h"

/* Returns false if the bounds, one for each column of the scan's table, exclude that a row of the file meets the scan's
 * conditions. */
bool file_bounds_may_hold(const plan_node *scan, const pq_statistics *bounds);

#endif
