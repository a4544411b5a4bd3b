/* pack_columns.h - on a lazy device nested values are their bytes.
 *
 *     project [l, list_sum(l) > x]       project [nested_of_bytes(p) as l, b]
 *       scan (l, x)                ->      project [l as p, on_host(list_sum(nested_of_bytes(l))) > x as b]
 *                                            scan (l, x)                      l: a blob
 *
 * A lazy device holds lists, structs and maps as blobs (device/nested_pack.h), which it selects, joins, groups, sorts and
 * sends as it does texts. Scans make the bytes on the host. What computes with the values themselves is on_host(): the host
 * takes its columns, computes the whole expression, and gives one column back. The result makes values of bytes again. */
#ifndef PISTACHIO_PLAN_RULES_NESTED_PACK_COLUMNS_H
#define PISTACHIO_PLAN_RULES_NESTED_PACK_COLUMNS_H

#include "plan/tree/plan.h"

/* After plan_pack_moves, of a statement that runs on a lazy device. */
CHECKED status plan_pack_columns(plan_statement *statement);

#endif
