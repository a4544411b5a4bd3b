/* copy_in.h - COPY ... FROM STDIN: rows that the client sends go to a temporary file, from which the engine reads them. */
#ifndef PISTACHIO_SERVER_SESSION_COPY_IN_H
#define PISTACHIO_SERVER_SESSION_COPY_IN_H

#include "server/session/session.h"

/* Lets the session's connection take such rows. */
void copy_in_open(session *s);
/* Drops the file of the last statement, if it had one. */
void copy_in_end(session *s);

#endif
