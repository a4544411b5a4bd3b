/* processes.h - ranks that are processes of this machine, started by the program itself. */
#ifndef PISTACHIO_CLI_RANKS_PROCESSES_H
#define PISTACHIO_CLI_RANKS_PROCESSES_H

#include "net/bootstrap/bootstrap.h"

/* Which rank this process is: of `processes` that are started now, or, for 0, as the environment says
 * (net_place_from_environment); *out has 1 rank where it is alone. Before any thread is started. This
 * process becomes rank 0 and forks the others, which return as well: they end when rank 0 does, however
 * that is, read nothing from standard input, and are not interrupted by the terminal. */
CHECKED status cli_processes_place(unsigned processes, net_place *out);
/* Starts those of the processes anew that have ended; each becomes the rank that it was. Called by one thread, which stays
 * until the end: processes end with it. */
void cli_processes_revive(void);
/* Rank 0, when it has left the others: until they have ended; who has not after a while, a short one if
 * something went wrong, is killed. */
void cli_processes_end(bool is_good);

#endif
