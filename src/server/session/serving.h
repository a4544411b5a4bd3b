/* serving.h - the server's life: it listens, gives each client a thread, notices who has gone, and ends. */
#ifndef PISTACHIO_SERVER_SESSION_SERVING_H
#define PISTACHIO_SERVER_SESSION_SERVING_H

#include "server/listen.h"
#include "server/session/session.h"

/* Keeps SIGTERM and SIGINT from all threads that are started from now on, those of ranks and of libraries, too, until
 * serve_clients reads them. */
void serving_hold_signals(void);
/* Serves until SIGTERM or SIGINT. Then nobody is let in any more, and statements that run may go on for so many seconds; a
 * second signal ends them at once. Takes the listeners over. */
CHECKED status serve_clients(session_shared *shared, listeners *all, unsigned grace);

#endif
