/* definition.h - CREATE, DROP and ALTER of views, macros, schemas and tables of rows, as what is to be done to a catalog.
 *
 * A session does it to its own catalog. A server that shares definitions does it to a copy of theirs first, and again to
 * theirs when the transaction ends. */
#ifndef PISTACHIO_SQL_CATALOG_DEFINITION_H
#define PISTACHIO_SQL_CATALOG_DEFINITION_H

#include "sql/catalog/catalog.h"

typedef enum sql_definition_kind {
    SQL_DEFINE_VIEW, /* or a macro: `name` means `text` */
    SQL_DEFINE_DROP_VIEW,
    SQL_DEFINE_DROP_ROWS,  /* a table of rows */
    SQL_DEFINE_RENAME,     /* `name` to `text`, two keys */
    SQL_DEFINE_SCHEMA,     /* `name` is its key */
    SQL_DEFINE_DROP_SCHEMA /* `name` is what keys in it begin with */
} sql_definition_kind;

typedef struct sql_definition {
    sql_definition_kind kind;
    const char *name, *text;
    const char *uses; /* as in sql_catalog_entry */
    bool replaces, if_exists;
    bool cascades; /* DROP: views that use what is dropped go, too */
} sql_definition;

/* Adds a name to those that a view's query uses, in the arena. uses: NULL or those before. Returns NULL without memory. */
char *sql_catalog_add_use(arena *a, const char *uses, const char *name);
/* Copies the definition with its texts into one piece of memory, which mem_free() frees. */
CHECKED status sql_definition_copy(const sql_definition *from, sql_definition **out);

#endif
