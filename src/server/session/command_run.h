/* command_run.h - the session's own statements are run. */
#ifndef PISTACHIO_SERVER_SESSION_COMMAND_RUN_H
#define PISTACHIO_SERVER_SESSION_COMMAND_RUN_H

#include "server/session/session.h"

#define COMMAND_SHOW_BYTES 512

/* Fails where a transaction has failed and the statement does not end it. */
CHECKED status command_check(const session *s, command_kind kind);
/* Runs it and writes CommandComplete; not of SHOW, whose rows are those of: */
CHECKED status command_run(session *s, const command *c);
/* Writes a statement whose row is what SHOW shows. */
void command_show(const session *s, const command *c, char sql[COMMAND_SHOW_BYTES]);
/* Writes CommandComplete. */
void command_write_tag(wire_writer *out, const char *tag);

#endif
