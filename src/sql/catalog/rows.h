/* rows.h - the rows of tables that statements and clients make: Parquet files without names.
 *
 * A table has one part or several, and INSERT gives it other parts. Parts are counted: a statement holds
 * those that it was bound with until it is freed, so that its rows stay what they were; a part goes, and
 * its file with it, with the last that holds it. Any thread. */
#ifndef PISTACHIO_SQL_CATALOG_ROWS_H
#define PISTACHIO_SQL_CATALOG_ROWS_H

#include "parquet/table/table.h"

typedef struct sql_part {
    _Atomic uint32_t references;
    pq_table *table;
    int descriptor;  /* by which the table is found; -1: it is another process's */
    bool owns_table; /* else who opened it does */
} sql_part;
typedef ARRAY(sql_part *) sql_part_list;

/* Parts and tables of catalogs that somebody uses, until sql_held_release. */
typedef struct sql_held {
    arena *memory; /* of the lists, and of what the catalog copies */
    sql_part_list parts;
    ARRAY(pq_table *) tables;
    struct sql_ahead *ahead; /* catalog_ahead.h; NULL: nothing is opened ahead */
} sql_held;

/* Takes the descriptor over, also on failure. */
CHECKED status sql_part_new(pq_table *table, int descriptor, bool owns_table, sql_part **out);
void sql_part_unref(sql_part *part); /* takes NULL */
/* A reference to each of the parts, and a copy of their list in its memory. */
CHECKED status sql_held_add(sql_held *held, const sql_part_list *parts, sql_part_list *out);
/* Holds a table of files, once: the catalog keeps it open until it is released. */
CHECKED status sql_held_add_table(sql_held *held, pq_table *table);
/* Returns whether the table is held. */
bool sql_held_has(const sql_held *held, const pq_table *table);
void sql_held_release(sql_held *held);

uint64_t sql_parts_rows(const sql_part_list *parts);
/* How many of the first parts stay as they are when rows are added; the others are better written anew
 * together with these. Each part then has more rows than all behind it: n rows that come one by one are
 * written log(n) times each, and lie in log(n) parts. */
size_t sql_parts_kept(const sql_part_list *parts);

#endif
