/* copy_out.h - COPY ... TO STDOUT: rows as text, csv or PostgreSQL's binary format, a message CopyData each. */
#ifndef PISTACHIO_SERVER_SESSION_COPY_OUT_H
#define PISTACHIO_SERVER_SESSION_COPY_OUT_H

#include "server/session/rows.h"

/* Whether the result is one that goes to the client so. */
bool copy_out_is(const pistachio_result *result);
/* Sends all rows, with the messages around them and CommandComplete. */
CHECKED status copy_out_send(stream *s, rows *r);

#endif
