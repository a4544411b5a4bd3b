/* cursor.h - cursors in SQL: DECLARE makes a portal, FETCH takes rows of it. */
#ifndef PISTACHIO_SERVER_SESSION_CURSOR_H
#define PISTACHIO_SERVER_SESSION_CURSOR_H

#include "server/session/session.h"

/* Runs the query of DECLARE, of which a failure has no place in the session's text. */
CHECKED status cursor_declare(session *s, const command *c);
/* Writes the description of the rows that FETCH takes. */
CHECKED status cursor_describe(session *s, const command *c, rows_formats formats);
/* Sends rows, then CommandComplete. */
CHECKED status cursor_fetch(session *s, const command *c, rows_formats formats);
/* Passes over the rows that FETCH would send, and writes CommandComplete. */
CHECKED status cursor_move(session *s, const command *c);

#endif
