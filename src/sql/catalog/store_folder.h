/* store_folder.h - which tables a folder of an object store has, if lakes are among them. */
#ifndef PISTACHIO_SQL_CATALOG_STORE_FOLDER_H
#define PISTACHIO_SQL_CATALOG_STORE_FOLDER_H

#include "storage/file.h"

/* Lists the objects below a URL. Gives the names of sub-folders that have a lake's log and, if there is one, those of other
 * sub-folders that have Parquet files, and of Parquet files; none: no sub-folder has a log. In the arena. */
CHECKED status sql_store_tables(arena *a, const char *url, path_list *out);

#endif
