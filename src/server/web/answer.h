/* answer.h - requests are answered, by their threads. */
#ifndef PISTACHIO_SERVER_WEB_ANSWER_H
#define PISTACHIO_SERVER_WEB_ANSWER_H

#include "server/web/web_parts.h"

/* Answers the job's request and ends the job. */
void answer_request(job *j);

/* For answer_query.c: */

/* Replies {"error": ...} with the status that fits, frees st and ends the job. `sql`: in which its position lies, `start` bytes after its
 * beginning; or NULL. */
void web_failure(job *j, status st, const char *sql, size_t start);
/* Runs the statements of the body and replies with the rows of the last one. */
void answer_query(job *j, const char *user);

#endif
