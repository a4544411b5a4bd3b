/* sign.h - AWS Signature Version 4: what a request says of who sends it.
 *
 * The canonical request (method, path, query, headers, hash of the body) is hashed, and signed with a key that is made
 * of the secret, the day, the region and the service. */
#ifndef PISTACHIO_HTTP_SIGN_H
#define PISTACHIO_HTTP_SIGN_H

#include "base/mem.h"

#include <time.h>

typedef struct sign_keys {
    const char *id, *secret;
    const char *token; /* of a session; "": none */
} sign_keys;

typedef struct sign_header {
    const char *name, *value; /* the name in small letters */
} sign_header;

/* A request, without what signing adds. */
typedef struct sign_request {
    const char *method;
    const char *path;  /* encoded */
    const char *query; /* encoded, each parameter with =, sorted by name */
    const char *region, *service;
    const char *body_hash; /* SHA-256 of the body in hexadecimal digits, or UNSIGNED-PAYLOAD */
    const sign_header *headers;
    size_t header_count; /* host is one of them; at most SIGN_HEADERS_MAX */
} sign_request;
#define SIGN_HEADERS_MAX 12

/* Headers that are sent in addition to the request's own. In the arena. */
typedef struct sign_result {
    const char *date;          /* x-amz-date */
    const char *authorization; /* Authorization */
} sign_result;

/* The headers that are signed are those of the request, x-amz-date, and x-amz-security-token if there is a token; has_hash:
 * x-amz-content-sha256 too. */
CHECKED status sign_request_v4(arena *a, const sign_request *r, const sign_keys *keys, time_t now,
                               bool has_hash, sign_result *out);
/* SHA-256 in 64 hexadecimal digits and a NUL. */
void sign_hash(const void *data, size_t bytes, char out[65]);

#endif
