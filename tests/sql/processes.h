/* processes.h - the runner as two ranks that are processes, joined by UCX. */
#ifndef PISTACHIO_TEST_SQL_PROCESSES_H
#define PISTACHIO_TEST_SQL_PROCESSES_H

#include <pistachio/pistachio.h>

/* Starts the other rank, which serves a database that is opened with these options, and ends when this
 * process has left or is gone. Before any thread. */
void processes_start(const pistachio_option *options, size_t option_count);
/* This rank joins. 77: there is no libucp here; 1: something else is wrong, which was printed; 0. */
int processes_join(pistachio_database *database);
/* When the database is closed: the exit status of the other rank. */
int processes_end(void);

#endif
