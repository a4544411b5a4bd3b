/* catalog_parts.h - what the files that a catalog is made of share. Caller holds the lock. */
#ifndef PISTACHIO_SQL_CATALOG_CATALOG_PARTS_H
#define PISTACHIO_SQL_CATALOG_CATALOG_PARTS_H

#include "base/system/mutex.h"
#include "lake/rest/rest.h"
#include "sql/catalog/catalog.h"

#include <pthread.h>
#include <stdatomic.h>

/* A catalog that is attached and lies behind a server. */
typedef struct sql_remote {
    const char *name;
    rest_catalog *rest;
} sql_remote;

struct sql_catalog {
    pthread_mutex_t lock;
    sql_catalog *below; /* NULL: nothing is */
    bool is_shared;     /* sql_catalog_new_shared */
    /* Footers are not taken from the process's cache. Without the lock: it is set under the database's, and a table that is
     * opened under this one may take that. */
    _Atomic bool reads_anew;
    bool
        has_store; /* an entry is, or was, of a table in an object store, or a view that names one */
    sql_opener opener; /* none: the catalog opens tables itself */
    sql_activity activity;
    arena *memory;
    ARRAY(sql_catalog_entry *) entries; /* by name */
    ARRAY(sql_catalog_entry *) paths;   /* by path, the one that was used last at the end */
    ARRAY(pq_table *) tables;           /* all that are open */
    ARRAY(pq_table *) replaced;         /* of them, those that no entry has any more */
    ARRAY(sql_remote) remotes;
};

/* Opens the table of the files that the text means now; before: the one that it was, or NULL. held: the statement's, whose table may
 * have been opened ahead. */
CHECKED status sql_catalog_open_table(sql_catalog *catalog, const char *text, const sql_held *held,
                                      pq_table *before, pq_table **out);
/* Opens it for no catalog yet: the caller owns it, if it is not `before`. Any thread, without the lock. */
CHECKED status sql_catalog_open_text(const char *text, bool use_cache, pq_table *before,
                                     pq_table **out);
/* Closes a table, which no entry has any more, once no statement holds it. NULL, or another's table: nothing happens. */
void sql_catalog_let_go(sql_catalog *catalog, pq_table *table);
/* Finds an entry of this catalog alone: the exact name first, then whatever the case; NULL: there is none. */
sql_catalog_entry *sql_catalog_find_own(const sql_catalog *catalog, const char *name);
/* Copies what the entry has, but the table. */
CHECKED status sql_catalog_put_own(sql_catalog *catalog, const sql_catalog_entry *from);
/* Adds an entry, of whose name there is none. */
CHECKED status sql_catalog_add_own(sql_catalog *catalog, const sql_catalog_entry *from);
void sql_catalog_remove_own(sql_catalog *catalog, const sql_catalog_entry *old);
/* Copies an entry, but its parts, into the arena. */
CHECKED status sql_catalog_copy_entry(arena *a, const sql_catalog_entry *from,
                                      sql_catalog_entry **out);

/* Returns the table's part of a key, for messages. */
const char *sql_catalog_table_of(const char *key);

#endif
