/* login.h - the first messages of a client: what it is, and whether it may. */
#ifndef PISTACHIO_SERVER_SESSION_LOGIN_H
#define PISTACHIO_SERVER_SESSION_LOGIN_H

#include "server/session/session.h"

/* Reads the first messages and answers them. *out_is_open: false, the client wanted something else, or was refused and told
 * so; the connection ends. */
CHECKED status login_run(session *s, bool *out_is_open);

#endif
