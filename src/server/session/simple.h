/* simple.h - the simple query: a text of statements, whose results are sent as text. */
#ifndef PISTACHIO_SERVER_SESSION_SIMPLE_H
#define PISTACHIO_SERVER_SESSION_SIMPLE_H

#include "server/session/session.h"

/* Runs the statements of a message Query up to the first failure, which the client is told; fails where the connection is
 * to end. */
CHECKED status simple_query(session *s, wire_reader *reader);

#endif
