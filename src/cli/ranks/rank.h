/* rank.h - this process as one of several ranks: which one, joining the others, serving rank 0. */
#ifndef PISTACHIO_CLI_RANKS_RANK_H
#define PISTACHIO_CLI_RANKS_RANK_H

#include "net/bootstrap/bootstrap.h"
#include "pistachio/pistachio.h"

typedef struct cli_rank {
    unsigned processes; /* --processes; 0: not asked for */
    net_place place;    /* which rank this process is */
} cli_rank;

/* The value of --processes: 0, or the exit status. */
int cli_rank_parse(const char *program, const char *value, cli_rank *out);
/* Finds the place, starting processes where they were asked for: 0, or the exit status. Before any thread
 * is started. */
int cli_rank_find(cli_rank *rank);
bool cli_rank_is_client(const cli_rank *rank); /* rank 0, or alone */
/* Processes that were started here have a share of the cores each; before other threads are started. */
void cli_rank_bind(const cli_rank *rank);
/* Binds and begins if there are several ranks: all begin, or none goes on. 0, or the exit status. */
int cli_rank_start(const cli_rank *rank, pistachio_database *database);
/* Any rank but the client's: until rank 0 leaves. Returns the exit status. is_kept: rank 0 stays after a loss. */
int cli_rank_serve(const cli_rank *rank, pistachio_database *database, bool is_kept);

#endif
