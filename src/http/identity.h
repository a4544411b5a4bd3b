/* identity.h - keys that are lent for some hours to the machine or container that the process runs on:
 *
 *     web identity    AWS_WEB_IDENTITY_TOKEN_FILE, AWS_ROLE_ARN             exchanged for keys at sts.REGION.amazonaws.com
 *     container       AWS_CONTAINER_CREDENTIALS_FULL_URI, _RELATIVE_URI     asked for at that address
 *     instance        on machines of Amazon EC2                             asked for at 169.254.169.254 (IMDSv2)
 *
 * They are kept, and renewed some minutes before they end. */
#ifndef PISTACHIO_HTTP_IDENTITY_H
#define PISTACHIO_HTTP_IDENTITY_H

#include "http/config.h"

/* Sets the keys of a configuration that has none, if somebody lends some, and when they end; text in its memory. Waits for answers. One
 * thread at a time. */
CHECKED status identity_find(http_config *config);

/* Finds the text of a member of a JSON object; NULL: it has none, or it is not a JSON object of this kind. In the arena. */
char *identity_member(arena *a, const char *json, size_t bytes, const char *name);

#endif
