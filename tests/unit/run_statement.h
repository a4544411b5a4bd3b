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

/* The call of the public interface succeeds; its failure is told with the caller's place. */
#define check_none(error) run_check_none(__FILE__, __LINE__, (error))
void run_check_none(const char *file, int line, pistachio_error *error);

/* Runs a statement without rows on a database of its own. */
void run_alone(const char *sql);

/* Releases things 0 to count - 1 of the world, each by a thread of its own, at once. */
void release_by_threads(void *world, unsigned count, void (*release)(void *world, unsigned what));

#endif
