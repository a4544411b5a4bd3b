/* bind_schema.h - schemas and catalogs: CREATE, DROP, ATTACH, DETACH, USE; which schema a new table is in. */
#ifndef PISTACHIO_SQL_STATEMENT_BIND_SCHEMA_H
#define PISTACHIO_SQL_STATEMENT_BIND_SCHEMA_H

#include "sql/statement/statement.h"
#include "sql/types/binder.h"

CHECKED status bind_create_schema(binder *b, const SchemaStmt *tree, sql_statement *out);
CHECKED status bind_drop_schema(binder *b, const DropStmt *tree, sql_statement *out);
CHECKED status bind_attach(binder *b, const AttachStmt *tree, sql_statement *out);
CHECKED status bind_use(binder *b, const UseStmt *tree, sql_statement *out);
/* SET search_path and SET schema: several values are one text. */
CHECKED status bind_set_search_path(binder *b, const List *values, int32_t location,
                                    const char **out);
/* Returns the key of a table or view that is to be made, in a schema that there is. */
CHECKED status bind_new_key(binder *b, const RangeVar *range, const char **out);
/* Returns the key of a table or view that is to be dropped, or, if there is none of the name, of one that could be. */
CHECKED status bind_dropped_key(binder *b, const List *name, int32_t location, const char **out);
/* ALTER TABLE or VIEW ... RENAME TO: a view or table of rows, within its schema. */
CHECKED status bind_rename(binder *b, const RenameStmt *tree, sql_statement *out);
/* SHOW TABLES, of a schema; SHOW ALL TABLES, SHOW SCHEMAS and SHOW DATABASES become queries: *out_sql. */
CHECKED status bind_show_schema(binder *b, const VariableShowStmt *tree, sql_statement *out,
                                const char **out_sql);

#endif
