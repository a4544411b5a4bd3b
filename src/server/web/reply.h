/* reply.h - replies to clients, by the loop's thread. */
#ifndef PISTACHIO_SERVER_WEB_REPLY_H
#define PISTACHIO_SERVER_WEB_REPLY_H

#include "server/web/web_parts.h"

/* Sends a whole reply. */
void reply_send(web *w, struct evhttp_request *request, int code, const char *type,
                const char *body, size_t bytes);
/* Sends {"error": {"message": ...}}. */
void reply_refuse(web *w, struct evhttp_request *request, int code, const char *message);
/* Binds the job to its request: the client's end ends the job. Takes over a reference to it. */
CHECKED status reply_open(job *j, struct evhttp_request *request);
/* Undoes it: the request is to be answered otherwise. */
void reply_close(job *j);
/* Sends what the job has written since. */
void reply_pump(job *j);
/* Breaks off the connections of all jobs. */
void reply_cut_all(web *w);

#endif
