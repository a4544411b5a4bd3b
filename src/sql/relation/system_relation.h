/* system_relation.h - relations of pg_catalog and information_schema (system_relation.def), for clients that ask what tables
 * there are: each is a query over VALUES that are made of the catalog when a statement names it. */
#ifndef PISTACHIO_SQL_RELATION_SYSTEM_RELATION_H
#define PISTACHIO_SQL_RELATION_SYSTEM_RELATION_H

#include "sql/types/binder.h"

/* Binds a view, for its columns. */
typedef status (*system_bind_view)(binder *b, const sql_catalog_entry *view, plan_node **out);

/* Makes the relation's query, in the binder's arena; *out is NULL where there is no relation of that name, in small letters.
 * schema NULL: pg_catalog. */
CHECKED status system_relation_text(binder *b, const char *schema, const char *name,
                                    system_bind_view bind_view, const char **out);

#endif
