/* interrupt.h - SIGINT (Ctrl-C) and SIGTERM while statements run.
 *
 * The first one cancels the running query, so that the program can clean up; a second one ends the
 * process at once. In the shell Ctrl-C, however often, cancels alone: a session is not lost by impatience. Who asked for the end of a process must see that the signal ended it (a shell
 * goes on with its loop if a program that Ctrl-C reached exits by itself): interrupt_die. */
#ifndef PISTACHIO_CLI_SHELL_INTERRUPT_H
#define PISTACHIO_CLI_SHELL_INTERRUPT_H

#include "pistachio/pistachio.h"

#include <stdbool.h>

/* From now on, until interrupt_unwatch, both signals cancel the connection's query. Not nested. */
void interrupt_watch(pistachio_connection *connection, bool is_interactive);
void interrupt_unwatch(void);
/* Waits, or until a signal asks for the end. Returns whether one did. */
bool interrupt_sleep(pistachio_connection *connection, bool is_interactive, double seconds);
/* The signal that came since interrupt_forget, or 0. */
int interrupt_taken(void);
void interrupt_forget(void);
/* One that another handler took. Async-signal-safe. */
void interrupt_note(int number);
/* Ends the process by the signal, if one was taken; else returns. */
void interrupt_die(void);

#endif
