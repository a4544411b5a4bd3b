/* web.h - the server's HTTP side: a thread with libevent's loop, from the addresses to the end. */
#ifndef PISTACHIO_SERVER_WEB_WEB_H
#define PISTACHIO_SERVER_WEB_WEB_H

#include "server/options.h"
#include "server/session/session.h"

typedef struct web web;

/* Listens at the addresses of --http and starts the loop; *out is NULL if there are none. */
CHECKED status web_open(const server_options *options, session_shared *shared, web **out);
/* Waits until the requests that run have ended, within the grace after the server's end. Takes NULL. */
void web_close(web *w);

#endif
