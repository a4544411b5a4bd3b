/* password.h - a client of TCP proves that it knows its password. */
#ifndef PISTACHIO_SERVER_SESSION_PASSWORD_H
#define PISTACHIO_SERVER_SESSION_PASSWORD_H

#include "server/session/session.h"

/* Exchanges messages with the client (scram.h). *out_is_known: it is the user, else it was told that it is not. A user
 * that there is not is asked as any other. */
CHECKED status password_check(session *s, const char *user, bool *out_is_known);

#endif
