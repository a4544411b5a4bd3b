/* schema.h - names of tables in schemas, and the schemas that a name is looked for in.
 *
 * The catalog knows a table by a key: one of the first schema by its name, one of another schema by the three parts of its
 * name. A schema is kept as an entry of its own, whose part for the table is empty. */
#ifndef PISTACHIO_SQL_CATALOG_SCHEMA_H
#define PISTACHIO_SQL_CATALOG_SCHEMA_H

#include "sql/catalog/catalog.h"

/* The database's own catalog, and the schema that each catalog has. */
#define SQL_CATALOG "pistachio"
#define SQL_SCHEMA "main"

/* Returns the key of a table, of a schema (table "") or what keys of a catalog begin with (schema and table NULL), in the
 * arena; NULL without memory. catalog NULL: the database's own; schema NULL, in other places: main. */
char *sql_table_key(arena *a, const sql_table_name *name);
/* Splits a key, in the arena. */
CHECKED status sql_table_name_of(arena *a, const char *key, sql_table_name *out);
/* Returns the name as a message shows it: without its schema if that is the first, and without the database's own catalog, unless
 * the statement's first schema is of another; NULL without memory. */
char *sql_table_shown(arena *a, const sql_table_name *name, const char *used);
/* Returns whether both name one catalog: the database's own has several names. */
bool sql_is_same_catalog(const char *one, const char *other);
/* Returns whether the schema is the database's first: main or public, and also "temp". */
bool sql_is_first_schema(const char *catalog, const char *schema);
/* Finds the schema and how it is spelled; *out_found false: there is no such schema. The first one is always there. */
CHECKED status sql_schema_find(sql_catalog *catalog, arena *a, const char *of, const char *schema,
                               sql_table_name *out, bool *out_found);
/* Finds the schema that "a" or "a.b" means: schema a of the catalogs of the path, or of the database's own; or the first of
 * catalog a. */
typedef ARRAY(sql_table_name) sql_search_path;
CHECKED status sql_schema_named(sql_catalog *catalog, arena *a, const sql_search_path *path,
                                const char *of, const char *schema, sql_table_name *out,
                                bool *out_found);

/* Reads the setting search_path: names with commas between them. Names without a schema are passed over and,
 * if *out_unknown is not NULL, the first is told there. */
CHECKED status sql_search_path_read(sql_catalog *catalog, arena *a, const char *text,
                                    sql_search_path *out, const char **out_unknown);
/* Returns the text of a schema's name in the setting, in the arena; NULL without memory. */
char *sql_search_path_text(arena *a, const sql_table_name *schema);
/* Returns the schema that CREATE makes tables in where none is named. */
sql_table_name sql_search_path_first(const sql_search_path *path);

/* Finds a table or view by a name of up to three parts; *out is NULL: there is none. */
CHECKED status sql_search(sql_catalog *catalog, arena *a, const sql_search_path *path,
                          const sql_table_name *name, sql_held *held,
                          const sql_catalog_entry **out);

#endif
