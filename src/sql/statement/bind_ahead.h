/* bind_ahead.h - which tables of object stores a statement names, for them to be opened together (catalog/catalog_ahead.h).
 *
 * It goes by names alone, before anything is bound: tables and paths of FROM, and calls of read_parquet, delta_scan and iceberg_scan with nothing
 * but paths; in views, too. Names that a WITH query has are left out. Who is missed is opened when it is bound: paths that are
 * computed, calls with options, tables AS OF, views made in another schema, macros. */
#ifndef PISTACHIO_SQL_STATEMENT_BIND_AHEAD_H
#define PISTACHIO_SQL_STATEMENT_BIND_AHEAD_H

#include "sql/catalog/catalog_ahead.h"
#include "sql/types/binder.h"

/* Parses the statement, and opens the tables that it names. *out is NULL: there is no statement. */
CHECKED status bind_ahead_parse(binder *b, pg_node **out);

#endif
