/* bind.h - which cores a process of several on this machine works on. */
#ifndef PISTACHIO_CLI_BIND_H
#define PISTACHIO_CLI_BIND_H

/* Binds the calling thread, and those that it will start, to the index-th of `count` equal shares of the
 * cores that it may use, neighbours by socket and core. Where there are fewer cores than shares, or the
 * system does not let it, nothing changes. */
void cli_bind(unsigned index, unsigned count);

#endif
