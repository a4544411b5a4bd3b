/* catalog.h - names to tables of Parquet files and to views. Shared by a database's connections; a
 * session has one of its own over that, whose names hide those below.
 *
 * A table whose files were replaced, or whose pattern now means other files, is opened again when
 * a statement looks it up first. The table that was open before is closed when no statement holds it (rows.h) any more; entries that
 * were replaced live as long as the catalog. Of tables that paths in SQL mean, the PATHS_MAX used last stay open. Rows that statements
 * and clients made live as rows.h says. Any thread. */
#ifndef PISTACHIO_SQL_CATALOG_CATALOG_H
#define PISTACHIO_SQL_CATALOG_CATALOG_H

#include "parquet/table/table.h"
#include "sql/catalog/activity.h"
#include "sql/catalog/rows.h"

typedef struct sql_catalog sql_catalog;
struct rest_options;

/* Parts of a name; NULL: it is not given. */
typedef struct sql_table_name {
    const char *catalog, *schema, *table;
} sql_table_name;

typedef struct sql_catalog_entry {
    const char *name;     /* a key (schema.h), */
    sql_table_name of;    /* whose parts these are: looked up or listed */
    pq_table *table;      /* or */
    const char *view_sql; /* its query, or, of a table that nobody has looked up yet, */
    const char *path;     /* what it is to be opened from */
    const char *
        uses; /* view: names of the tables and views in its query (sql_catalog_add_use); NULL: unknown */
    /* Parts of a table that was made from rows, else empty. Looked up: held, and the first one's table is `table`. */
    sql_part_list parts;
} sql_catalog_entry;

/* An opener of tables, where that is not for this process alone to do. It owns what it opens, which lives as long as
 * the catalog. */
typedef struct sql_opener {
    void *context;
    /* before: what the text was opened as last, or NULL; *out may be the same. */
    status (*open)(void *context, const char *text, bool use_cache, pq_table *before,
                   pq_table **out);
    /* Gives the table that the text was opened as last, or NULL: for lakes that one process opens, because it alone knows their catalog. share: has
     * all processes know a lake that was opened, and takes it over; NULL where another process does. */
    pq_table *(*known)(void *context, const char *text);
    status (*share)(void *context, const char *text, bool use_cache, pq_table **io);
    /* The path as this process is to look for it; in the arena, or as it was. */
    status (*locate)(void *context, arena *a, const char *path, const char **out);
} sql_opener;

CHECKED status sql_catalog_new(sql_catalog **out);
/* Before the first table is opened. */
void sql_catalog_use_opener(sql_catalog *catalog, const sql_opener *opener);
/* One over another, which outlives it: what is added is seen here alone, what is dropped must be of
 * this one. Paths are opened by the one below. */
CHECKED status sql_catalog_new_over(sql_catalog *below, sql_catalog **out);
/* Makes a catalog of definitions over another, which outlives it: views, macros and schemas that several sessions are over.
 * What is found and listed is copied for the statement, so that the entries can be replaced. */
CHECKED status sql_catalog_new_shared(sql_catalog *below, sql_catalog **out);
/* Makes a copy of a catalog of definitions. */
CHECKED status sql_catalog_clone(sql_catalog *from, sql_catalog **out);
/* Replaces the definitions of `to` by those of `from`, which is freed. */
void sql_catalog_take(sql_catalog *to, sql_catalog *from);
/* Puts a session's catalog over another one. By the session's thread, while it binds no statement. */
void sql_catalog_set_below(sql_catalog *catalog, sql_catalog *below);
/* Before the first statement is bound. */
void sql_catalog_use_activity(sql_catalog *catalog, const sql_activity *activity);
sql_activity sql_catalog_activity(const sql_catalog *catalog);
void sql_catalog_free(sql_catalog *catalog); /* takes NULL */
/* Whether tables opened from now on share the process's footers (parquet/table/footer.h); at first
 * they do. */
void sql_catalog_cache_footers(sql_catalog *catalog, bool use_cache);

/* name NULL: the file's or folder's own name, without ".parquet". INVALID if a table or view has
 * exactly that name; names may differ in nothing but their case. */
CHECKED status sql_catalog_add_table(sql_catalog *catalog, const char *name, const char *path);
/* Checks that rows can get the name: nothing else may have it; unless `replaces`, no table of rows either. */
CHECKED status sql_catalog_check_rows(sql_catalog *catalog, const char *name, bool replaces);
/* A table of one Parquet file that has no name, in place of another table of rows with exactly that name.
 * Takes the descriptor over, also on failure. */
CHECKED status sql_catalog_add_rows(sql_catalog *catalog, const char *name, bool replaces,
                                    int descriptor);
/* Adds a file after the first `kept` of the parts that the table of rows had when it was looked up; INVALID if it has
 * others by now. */
CHECKED status sql_catalog_extend_rows(sql_catalog *catalog, const char *name,
                                       const sql_part_list *parts, size_t kept, int descriptor);
/* One more part of a table of rows, which is made with the first: opened from the text. For processes that
 * bind what another one's catalog has. */
CHECKED status sql_catalog_put_part(sql_catalog *catalog, const char *name, const char *text);
CHECKED status sql_catalog_drop_rows(sql_catalog *catalog, const char *name, bool if_exists);
/* A view, or a table of the path that is opened when it is first looked up; replaces what has exactly its
 * name. */
CHECKED status sql_catalog_put(sql_catalog *catalog, const sql_catalog_entry *entry);
/* A folder that has a lake's log: one table. Another folder: a table of each Parquet file in it and of each sub-folder, opened when it is first
 * looked up, all or, on failure, none; else as add_table. */
CHECKED status sql_catalog_add_path(sql_catalog *catalog, const char *path);
/* Adds tables as sql_catalog_add_table and sql_catalog_add_path do, in their order up to the first that fails; those of object
 * stores are opened together (catalog_ahead.h). */
typedef struct sql_table_path {
    const char *name, *path;
    bool is_whole; /* as by sql_catalog_add_path: the path gives one or more names */
} sql_table_path;
CHECKED status sql_catalog_add_tables(sql_catalog *catalog, const sql_table_path *tables,
                                      size_t count);
CHECKED status sql_catalog_add_view(sql_catalog *catalog, const char *name, const char *sql,
                                    bool replace);
/* Applies a definition to the catalog's own entries (definition.h). */
struct sql_definition;
CHECKED status sql_catalog_define(sql_catalog *catalog, const struct sql_definition *definition);
/* Returns whether the catalog itself, not one below it, has an entry of the name. */
bool sql_catalog_has_own(sql_catalog *catalog, const char *name);
CHECKED status sql_catalog_drop_view(sql_catalog *catalog, const char *name, bool if_exists);
/* Exact name first, then whatever the case; *out is NULL: there is none. A table is open. */
CHECKED status sql_catalog_find(sql_catalog *catalog, const char *name, sql_held *held,
                                const sql_catalog_entry **out);
/* Finds the table of a path that was used in SQL, and holds it. */
CHECKED status sql_catalog_path(sql_catalog *catalog, const char *path, sql_held *held,
                                pq_table **out);
/* Calls a function for each entry of the catalog itself until it fails. */
CHECKED status sql_catalog_each_own(sql_catalog *catalog,
                                    status (*call)(void *context, const sql_catalog_entry *entry),
                                    void *context);
/* Returns the name of what is kept as a view without being a table: names that SQL cannot write, in the arena; NULL
 * without memory. */
char *sql_catalog_macro_name(arena *a, const char *name);
char *sql_catalog_prepared_name(arena *a, const char *name);
char *sql_catalog_variable_name(arena *a, const char *name);
/* Returns whether such a name is of a prepared statement or variable, which are a session's alone. */
bool sql_catalog_is_session_name(const char *name);
/* Adds a catalog of the folder's tables, each opened when it is first looked up; sub-folders that are not tables are its
 * schemas. A file or lake is a catalog of one table. */
CHECKED status sql_catalog_attach(sql_catalog *catalog, const char *name, const char *path);
/* Adds a catalog of the tables that a server lists; name: how SQL calls it. */
CHECKED status sql_catalog_attach_rest(sql_catalog *catalog, const char *name,
                                       const struct rest_options *options);
/* Drops what keys that begin so mean: a schema or catalog with all that is in it. */
CHECKED status sql_catalog_drop_beginning(sql_catalog *catalog, const char *beginning);
/* Drops all prepared statements of the catalog's own. */
void sql_catalog_drop_prepared(sql_catalog *catalog);
/* Lists, as sql_catalog_list, macros, prepared statements and rows of recursive queries, too. */
CHECKED status sql_catalog_list_all(sql_catalog *catalog, sql_held *held, sql_catalog_entry **out,
                                    size_t *out_count);
/* The entries that there are, without asking servers for more. */
CHECKED status sql_catalog_list_known(sql_catalog *catalog, sql_held *held, sql_catalog_entry **out,
                                      size_t *out_count);
/* Entries sorted by name; copied. opens_tables: those that were not looked up yet, too, which may
 * fail. */
CHECKED status sql_catalog_list(sql_catalog *catalog, bool opens_tables, sql_held *held,
                                sql_catalog_entry **out, size_t *out_count);
/* Rows of a table that is open. */
CHECKED status sql_catalog_rows(const sql_catalog_entry *entry, uint64_t *out);

#endif
