/* list.h - names of objects, page by page (ListObjectsV2). */
#ifndef PISTACHIO_HTTP_LIST_H
#define PISTACHIO_HTTP_LIST_H

#include "storage/object_store.h"

/* As object_store_functions.list. */
CHECKED status list_objects(const object_settings *s, const char *prefix, object_taker take,
                            void *context);

/* An object of a listing. */
typedef struct list_item {
    const char *key;
    const char *tag; /* with its quotation marks; "": none was told */
    uint64_t bytes;  /* told if has_bytes */
    bool has_bytes;
} list_item;
typedef status (*list_taker)(void *context, const list_item *item);

/* A page of a listing. */
typedef struct list_page {
    bool is_cut;       /* there are more */
    const char *token; /* by which the next page is asked for; "" if there is none */
} list_page;

/* Reads a page: gives each object to `take`; text in the arena. CORRUPT: it is not a listing. */
CHECKED status list_read_page(arena *a, const char *text, size_t bytes, list_taker take,
                              void *context, list_page *out);

#endif
