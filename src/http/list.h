/* list.h - names of objects, page by page (ListObjectsV2). */
#ifndef PISTACHIO_HTTP_LIST_H
#define PISTACHIO_HTTP_LIST_H

#include "storage/object_store.h"

/* As object_store_functions.list. */
CHECKED status list_objects(const object_settings *s, const char *prefix, object_taker take,
                            void *context);

/* A page of a listing. */
typedef struct list_page {
    bool is_cut;       /* there are more */
    const char *token; /* by which the next page is asked for; "" if there is none */
} list_page;

/* Reads a page: gives each key to `take_key`; text in the arena. CORRUPT: it is not a listing. */
CHECKED status list_read_page(arena *a, const char *text, size_t bytes,
                              status (*take_key)(void *context, const char *key), void *context,
                              list_page *out);

#endif
