/* run_statement.h - a statement through the public interface, its rows as text. */
#ifndef PISTACHIO_RUN_STATEMENT_H
#define PISTACHIO_RUN_STATEMENT_H

#include "pistachio/pistachio.h"

#include <stddef.h>

/* Runs one statement on a database of its own, with two threads and, if table_path is not NULL, the
 * table t. Each cell's text and a semicolon go to `rows`, a NULL as "-". The caller frees the
 * error.
 */
pistachio_error *run_statement(const char *sql, const char *table_path, const char *device,
                               char *rows, size_t room);

#endif
