/* bind_union.h - files that differ in their columns. */
#ifndef PISTACHIO_SQL_RELATION_BIND_UNION_H
#define PISTACHIO_SQL_RELATION_BIND_UNION_H

#include "sql/types/binder.h"

/* Scans of files that differ in their columns: one of each kind. */
typedef struct bind_scan_list {
    ARRAY(plan_node *) scans;
} bind_scan_list;

/* Each scan gives the columns of all of them by name, in types that hold all values; failures
 * name files and types. */
CHECKED status bind_union_by_name(binder *b, bind_scan_list *list, int32_t location);
/* Columns of scans that have equal names, in the types of the first one, to which the others are cast. */
CHECKED status bind_union_by_first(binder *b, bind_scan_list *list);

#endif
