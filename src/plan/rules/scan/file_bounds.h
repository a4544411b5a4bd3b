/* file_bounds.h - which files cannot hold a row that a scan wants, by bounds that are known before the file is open. */
#ifndef PISTACHIO_PLAN_RULES_SCAN_FILE_BOUNDS_H
#define PISTACHIO_PLAN_RULES_SCAN_FILE_BOUNDS_H

#include "parquet/table/table_given.h"
#include "plan/tree/plan.h"

/* Returns false if what was told of the file excludes that a row of it meets the scan's conditions. */
bool file_bounds_may_hold(const plan_node *scan, const pq_told *facts);

#endif
