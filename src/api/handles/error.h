/* error.h - failures as clients get them. */
#ifndef PISTACHIO_API_HANDLES_ERROR_H
#define PISTACHIO_API_HANDLES_ERROR_H

#include "base/status.h"
#include "pistachio/pistachio.h"

/* A failure as the client gets it, who owns it then; NULL stays NULL. */
pistachio_error *api_error(status st);
/* The status of a failure that a client got, which is taken over. NULL: none. */
CHECKED status api_error_status(pistachio_error *error);
/* "message", the place in sql (NULL: not known) and "hint: ...", a line or two each; mem_free. NULL: no memory. */
char *api_error_text(status st, const char *sql);
/* The failure of a call whose argument of that name is NULL. */
pistachio_error *api_null_argument(const char *name);

#endif
