/* bind_virtual.h - columns that a table of files has without being asked for: filename and file_row_number; rowid of a table
 * of the session. "*" does not have them. They are made where the statement's text has their names. */
#ifndef PISTACHIO_SQL_EXPRESSION_BIND_VIRTUAL_H
#define PISTACHIO_SQL_EXPRESSION_BIND_VIRTUAL_H

#include "sql/relation/bind_union.h"

struct pq_table;

/* Which columns are wanted of the table of an item of FROM. */
typedef struct bind_virtual {
    bool has_filename, has_row_number;
    bool is_taken; /* the files have a column filename of their own */
} bind_virtual;

/* Returns which ones the text names and the table's files have no columns of. */
bind_virtual bind_virtual_wanted(const binder *b, const struct pq_table *table);
/* Returns whether an item of FROM is bound whose text has this word. */
bool bind_virtual_names(const binder *b, const char *name);
/* Makes a column virtual, and the last one of the node. */
CHECKED status bind_virtual_hide(binder *b, const char *name, plan_node **node);
/* Adds the numbers of the rows from `first` on, as they lie, as a last column of that name; file: the column whose values
 * are numbered apart, or NULL. */
CHECKED status bind_virtual_number(binder *b, const char *name, const char *file, uint64_t first,
                                   plan_node **node);
/* Makes the column with this id virtual. */
CHECKED status bind_virtual_note(binder *b, uint32_t id);

#endif
