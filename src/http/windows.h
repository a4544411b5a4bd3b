/* windows.h - parts of objects that are kept for a while, because who reads a little of an object soon reads what lies next to
 * it: its footer, then the page indexes before it.
 *
 * All together hold WINDOWS_BYTES_MAX; what was read longest ago goes first. Any thread. */
#ifndef PISTACHIO_HTTP_WINDOWS_H
#define PISTACHIO_HTTP_WINDOWS_H

#include "storage/object_store.h"

#define WINDOWS_BYTES_MAX ((size_t)64 << 20)

typedef struct window window;

/* Windows of an object. Zeroed: it has none. */
typedef struct window_list {
    window *first;
} window_list;

/* Keeps bytes from mem_new, which are the window's from now on. */
void windows_keep(window_list *list, uint64_t offset, char *bytes, size_t count);
/* Copies a span that lies within a window. False: there is none. */
bool windows_read(const window_list *list, const object_span *span);
void windows_drop(window_list *list);

#endif
