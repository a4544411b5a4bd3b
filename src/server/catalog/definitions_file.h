/* definitions_file.h - shared definitions as a file of lines, whose last one has a sum:
 *
 *     pistachio catalog 1
 *     define  totals                  SELECT sum(x) FROM sales   \4sales\4
 *     define  \2\2reports\2                                        a schema
 *     define  \1macro twice           CREATE MACRO twice(x) ...
 *     end     3                       SHA-256 of the bytes before this line
 *
 * A line of a definition has the catalog's key, the text and the names that the text uses, with tabs between them. \t, \n,
 * \r, \\ and \1 to \4 stand for such bytes. */
#ifndef PISTACHIO_SERVER_CATALOG_DEFINITIONS_FILE_H
#define PISTACHIO_SERVER_CATALOG_DEFINITIONS_FILE_H

#include "server/engine.h"

/* Puts what the file has into the catalog; nothing, if it is not there. */
CHECKED status definitions_file_read(const char *path, sql_catalog *catalog);
/* Replaces the file by what the catalog has. */
CHECKED status definitions_file_write(const char *path, sql_catalog *catalog);

#endif
