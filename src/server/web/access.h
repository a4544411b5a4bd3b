/* access.h - who asks, and whether from a page of another site. */
#ifndef PISTACHIO_SERVER_WEB_ACCESS_H
#define PISTACHIO_SERVER_WEB_ACCESS_H

#include "server/web/web_parts.h"

/* Header that requests of pages must have. A page of another site cannot send it without asking by OPTIONS, which is
 * refused. */
#define ACCESS_HEADER "X-Pistachio"

/* The loop's: checks Host and Origin. Returns NULL, or why the request is refused. */
const char *access_refusal(const web *w, struct evhttp_request *request);

/* The request's thread: finds who asks. *out_is_known: false, the password or token is wrong, or there is none. An address
 * whose clients are trusted gives them the name "". */
CHECKED status access_check(const job *j, bool *out_is_known, char user[USERS_NAME_BYTES],
                            scram_verifier *out);

#endif
