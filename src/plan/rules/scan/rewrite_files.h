/* rewrite_files.h - which files of a table a scan opens. */
#ifndef PISTACHIO_PLAN_RULES_SCAN_REWRITE_FILES_H
#define PISTACHIO_PLAN_RULES_SCAN_REWRITE_FILES_H

#include "plan/tree/plan.h"

/* Lets the conditions on keys of a scan of a closed table (table_listed.h) leave out files; conditions that are then
 * true of all rows go. */
CHECKED status plan_narrow_scan(plan_statement *statement, plan_node *scan);
/* Opens all files of a closed table. */
CHECKED status plan_open_scan(plan_statement *statement, plan_node *scan);
/* Opens all files of the closed tables of all scans. */
CHECKED status plan_open_scans(plan_statement *statement);

#endif
