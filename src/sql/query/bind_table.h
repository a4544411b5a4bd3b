/* bind_table.h - tables, views, paths. */
#ifndef PISTACHIO_SQL_QUERY_BIND_TABLE_H
#define PISTACHIO_SQL_QUERY_BIND_TABLE_H

#include "sql/relation/bind_union.h"

/* A table or view by name, or a table by path. */
CHECKED status bind_table(binder *b, const RangeVar *range, bind_scope *scope, plan_node **out);
/* A view's text is bound as a query of its own, whose expressions have no places; those of failures are in it. */
CHECKED status bind_view_query(binder *b, const char *name, const char *sql, plan_node **out);
/* Binds a view of the catalog with the search path that it was made with. */
CHECKED status bind_view_of(binder *b, const sql_catalog_entry *view, plan_node **out);
/* Returns the text by which a view keeps the search path; NULL without memory. */
char *bind_view_text(binder *b, const char *path, const char *sql);
/* Finds a table or view; *out is NULL: there is none. */
CHECKED status bind_find_table(binder *b, const RangeVar *range, const sql_catalog_entry **out);
/* Returns whether a name is to be opened as a path if no table has it. */
bool bind_looks_like_path(const char *name);
/* How the folders of a path are taken; NULL: as the setting says, and by the texts of their values. */
typedef struct bind_folders {
    const char *hive_partitioning; /* auto, on, off */
    const char *hive_types;        /* parquet/table/hive_types.h */
    bool has_filename;             /* a column has the file's path */
    bool has_row_number;           /* file_row_number: the row's number in its file */
} bind_folders;

/* Gives the text that the catalog opens a path by; options as for bind_table_path. */
CHECKED status bind_path_text(const binder *b, const bind_folders *options, const char *path,
                              const char **out);
/* Tables of a path, whose folders are taken as the options say; NULL: there are none. */
CHECKED status bind_table_path(binder *b, const char *path, const bind_folders *options,
                               int32_t location, plan_node **out);

/* The table of a lake: text as lake/lake.h says, and its path. */
CHECKED status bind_lake(binder *b, const char *text, const char *path, int32_t location,
                         plan_node **out);

/* Adds a scan for each kind of files of the path, whose folders are taken as the options say. */
CHECKED status bind_union_path(binder *b, const char *path, const bind_folders *options,
                               int32_t location, bind_scan_list *list);
/* Returns the name of a table of the path; NULL without memory. */
const char *bind_relation_of_path(binder *b, const char *path);
/* Rows of all the scans, by their columns' positions; the columns have the first one's names. */
CHECKED status bind_unite(binder *b, const bind_scan_list *list, plan_node **out);
/* A scan of each part of a table of rows, and behind them the rows of `more` (NULL: none), together. */
CHECKED status bind_parts(binder *b, const sql_part_list *parts, const char *name, plan_node *more,
                          plan_node **out);

#endif
