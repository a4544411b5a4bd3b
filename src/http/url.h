/* url.h - what a URL names: a host, a path on it, and, in an object store, a bucket and a key.
 *
 *     s3://bucket/key        https://bucket.s3.REGION.amazonaws.com/key, or ENDPOINT/bucket/key
 *     gs://bucket/key        https://storage.googleapis.com/bucket/key
 *     http(s)://host/path    as it stands; what no URL may have in it is encoded
 *
 * A key is what is written, byte by byte: % + and spaces mean themselves. */
#ifndef PISTACHIO_HTTP_URL_H
#define PISTACHIO_HTTP_URL_H

#include "base/mem.h"

/* A store as the user describes it. Texts may be "". */
typedef struct url_store {
    const char *endpoint; /* "https://host:port", "" for the scheme's own */
    const char *region;
    bool is_path_style; /* the bucket stands in the path, even of the scheme's own host */
    bool is_host_style; /* it stands in the host's name, even of an endpoint */
} url_store;

typedef struct url_place {
    bool is_store; /* requests are signed, and it can be listed */
    bool is_tls;
    const char *host;   /* with its port, as in the header Host */
    const char *bucket; /* of a store; may be part of the host */
    const char *key;    /* of a store, as it is written */
    const char *folder; /* the path before the key: "/" or "/bucket/"; of others "" */
    const char *path;   /* all of it, encoded; begins with a slash */
    const char *query;  /* of others: as it stands, without the question mark; "" */
} url_place;

/* Takes a URL apart, into the arena. INVALID: it is not a URL, or has a user's name or password in it. */
CHECKED status url_parse(arena *a, const url_store *store, const char *url, url_place *out);
/* Writes a URL as errors may show it: without the query, which may be a signature. In the arena, or NULL. */
char *url_shown(arena *a, const char *url);

/* Writes bytes as part of a URL: all but letters, digits and -._~ become %XX; keeps_slashes: / stays too. In the arena, or
 * NULL. */
char *url_encode(arena *a, const char *text, bool keeps_slashes);

#endif
