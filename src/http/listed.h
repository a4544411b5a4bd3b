/* listed.h - versions of objects that a listing has told a moment ago: who opens an object that was just listed need not ask.
 *
 * They hold while the listing goes on and LISTED_SECONDS longer. What is read of an object asks for its version, so that one that was
 * replaced since is an error. Any thread. */
#ifndef PISTACHIO_HTTP_LISTED_H
#define PISTACHIO_HTTP_LISTED_H

#include "storage/object_store.h"

#define LISTED_SECONDS 2
#define LISTED_MAX 200000
#define LISTED_TAG_BYTES 72

typedef struct listed_version {
    uint64_t bytes;
    char tag[LISTED_TAG_BYTES]; /* with its quotation marks */
} listed_version;

/* A listing begins; it ends. */
void listed_begin(void);
void listed_end(void);
/* Keeps the version of an object that a listing told, by settings and URL. A URL that does not fit is not kept. */
void listed_add(const object_settings *s, const char *url, const listed_version *version);
bool listed_find(const object_settings *s, const char *url, listed_version *out);
/* Keeps the version that an object was opened at: it need not be looked at for the first statement that uses it, once, LISTED_SECONDS long. */
void listed_opened(const object_settings *s, const char *url, const file_version *version);
bool listed_take_opened(const object_settings *s, const char *url, file_version *out);
/* The object is replaced by this process: what was told of any does not hold. */
void listed_forget(void);

#endif
