/* catalog_ahead.h - tables of object stores that a statement will ask for, opened together before it is bound.
 *
 *     sql_ahead_name, _path ── noted, each once ──> sql_ahead_open ── a crew (storage/crew.h): listings, logs, footers
 *                                                        │
 *     sql_catalog_find, _path ── what was opened, or <───┘
 *                                its failure
 *
 * So a statement waits as long as its slowest table takes, not as long as all of them one after another. What it asks for, in which
 * order, and what becomes of it is as without: a table that was opened ahead is taken by who asks for it first, a failure is told
 * by who would have met it, what nobody asks for is closed. A table that was not opened (behind one that has failed, or beyond memory) is opened when
 * it is asked for. Tables of files of this machine are not noted, nor is a table that stands alone: for them no thread is started.
 * A statement has AHEAD_MAX threads at most. No lock of a catalog is held while tables are opened. Tables of processes that open them
 * together, and of catalogs behind servers, are opened one after another.
 *
 * One thread: the statement's. */
#ifndef PISTACHIO_SQL_CATALOG_CATALOG_AHEAD_H
#define PISTACHIO_SQL_CATALOG_CATALOG_AHEAD_H

#include "sql/catalog/catalog.h"

#define AHEAD_MAX 32u

typedef struct sql_ahead sql_ahead;

/* Returns whether a table of the catalog, or of one below it, may be in a store, or the text may name one that is. */
bool sql_ahead_may_help(sql_catalog *catalog, const char *sql);
/* Notes the table of that key (schema.h), if there is one in a store. *out_view: the text of a view of that key, in the memory of `held`;
 * NULL: it is not one. *out_found: it is one, or a table. */
CHECKED status sql_ahead_name(sql_catalog *catalog, const char *key, sql_held *held,
                              const char **out_view, bool *out_found);
/* Notes the table of a path, as sql_catalog_path takes it, if that is in a store. */
CHECKED status sql_ahead_path(sql_catalog *catalog, const char *text, sql_held *held);
/* Notes a text that this catalog itself will open for the first time. */
CHECKED status sql_ahead_text(sql_catalog *catalog, const char *text, sql_held *held);
/* Opens what was noted since the last call, unless that is one table alone. */
void sql_ahead_open(sql_held *held);
/* Returns whether the text names a store, whatever stands before the URL in it. */
bool sql_text_is_in_store(const char *text);
/* Takes what the text was opened as ahead, or the failure; false: it was not. */
bool sql_ahead_take(sql_catalog *catalog, const sql_held *held, const char *text,
                    const pq_table *before, pq_table **out, status *out_status);

/* Closes what nobody has taken, as sql_held_release does. */
void sql_ahead_release(sql_held *held);

#endif
