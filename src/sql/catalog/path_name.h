/* path_name.h - which files and folders of a folder are tables, and what a path's table is called. */
#ifndef PISTACHIO_SQL_CATALOG_PATH_NAME_H
#define PISTACHIO_SQL_CATALOG_PATH_NAME_H

#include "base/mem.h"

#include <stdbool.h>

/* Names the table of a path: "data/orders.parquet" is orders, "data/orders/", "data/orders/?.parquet" are
 * too. */
CHECKED status sql_path_name(arena *a, const char *text, const char **out);
bool sql_is_parquet_name(const char *name);
/* Returns whether a folder's name is a pair: key=value. */
bool sql_is_pair(const char *name);
/* Returns whether a sub-folder is a table: there is a Parquet file in it, or in folders below whose names are pairs, or
 * a lake's log. */
bool sql_is_table_folder(const char *path);

#endif
