/* web_absent.c - web.h of a build without libevent or OpenSSL. */
#include "server/web/web.h"

#include "server/engine.h"

#ifndef SERVER_HAS_HTTP

status web_open(const server_options *options, session_shared *shared, web **out)
{
    (void)shared;
    *out = NULL;
    if (!options->http_count)
        return STATUS_OK;
    return status_hint(status_new(STATUS_KIND_UNSUPPORTED, "this build of the server has no HTTP"),
                       "build it where libevent-dev and libssl-dev are installed");
}

void web_close(web *w)
{
    (void)w;
}

#endif
