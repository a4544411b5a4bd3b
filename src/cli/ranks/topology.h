/* topology.h - `pistachio topology`. */
#ifndef PISTACHIO_CLI_RANKS_TOPOLOGY_H
#define PISTACHIO_CLI_RANKS_TOPOLOGY_H

/* The words behind the command; returns the exit status. */
int cli_topology(int count, char **words);

#endif
