/* route.h - which request is answered how. */
#ifndef PISTACHIO_SERVER_WEB_ROUTE_H
#define PISTACHIO_SERVER_WEB_ROUTE_H

#include "server/web/web_parts.h"

/* Answers a request of an address (web_address), or starts a thread that does. The loop's. */
void route_request(struct evhttp_request *request, void *address);

#endif
