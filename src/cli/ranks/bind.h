/* bind.h - which cores a process of several on this machine works on. */
#ifndef PISTACHIO_CLI_RANKS_BIND_H
#define PISTACHIO_CLI_RANKS_BIND_H

/* Binds the calling thread, and those that it will start, to the index-th of `count` shares of the cores
 * that it may use (base/system/machine_share.h), and says the NUMA node of each share. Memory is, by Linux's
 * default policy, of the node whose core first writes to it. Where there are fewer cores than shares
 * nothing changes; where the system does not let it, only `nodes`. */
void cli_bind(unsigned index, unsigned count, int *nodes);

#endif
