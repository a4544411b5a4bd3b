/* object_store.h - files that lie behind a URL, which pistachio-http.so reads.
 *
 * The engine knows what a URL looks like; all else is the module's: it is loaded when a path is one (base/module.h). */
#ifndef PISTACHIO_STORAGE_OBJECT_STORE_H
#define PISTACHIO_STORAGE_OBJECT_STORE_H

#include "storage/file.h"

/* The module's functions. */
typedef struct object_store_functions {
    /* As object_store_expand. */
    status (*expand)(arena *a, const char *url, path_list *out);
} object_store_functions;

/* Returns whether a path is a URL of an object store: s3://, gs://, http://, https:// ... */
bool object_store_has(const char *path);
/* Lists the objects that a URL means: one, those below a prefix, or those that match a pattern. Text in the arena. */
CHECKED status object_store_expand(arena *a, const char *url, path_list *out);

#endif
