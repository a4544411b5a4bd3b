/* extended.h - the extended query: statements are prepared, values bound, rows taken bit by bit.
 *
 *   Parse ──> statement ── Bind ──> portal ── Execute ──> rows, up to a limit, again and again ── Sync
 *
 * The query runs from Bind on, so that what Describe says of a portal is what its rows are. After a failure all messages up
 * to Sync are skipped. */
#ifndef PISTACHIO_SERVER_SESSION_EXTENDED_H
#define PISTACHIO_SERVER_SESSION_EXTENDED_H

#include "server/session/session.h"

/* Answers Parse, Bind, Describe, Execute or Close: P, B, D, E, C. The client is told of a failure; fails where the
 * connection is to end. */
CHECKED status extended_answer(session *s, char type, wire_reader *reader);
/* Ends what the messages since the last Sync have begun. */
void extended_sync(session *s);

#endif
