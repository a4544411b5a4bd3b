/* windows.c - see windows.h. */
#include "http/windows.h"

#include "base/system/mutex.h"

#include <string.h>

#include "http/engine.h"

struct window {
    window_list *list; /* that it is in */
    window *next;      /* of the object */
    window *newer, *older;
    uint64_t offset;
    size_t count;
    char *bytes;
};

static pthread_mutex_t lock = MUTEX_INITIALIZER;
/* Under the lock. */
static window *newest, *oldest;
static size_t bytes_held;

/* ---- with the lock held ---- */

static void link_newest(window *w)
{
    w->newer = NULL;
    w->older = newest;
    *(newest ? &newest->newer : &oldest) = w;
    newest = w;
}

static void unlink_window(window *w)
{
    *(w->newer ? &w->newer->older : &newest) = w->older;
    *(w->older ? &w->older->newer : &oldest) = w->newer;
}

static void drop(window *w)
{
    window **at = &w->list->first;
    while (*at != w)
        at = &(*at)->next;
    *at = w->next;
    unlink_window(w);
    bytes_held -= w->count;
    mem_free(w->bytes);
    mem_free(w);
}

static window *find(const window_list *list, const object_span *span)
{
    for (window *w = list->first; w; w = w->next)
        if (span->offset >= w->offset && span->offset - w->offset <= w->count &&
            span->bytes <= w->count - (span->offset - w->offset))
            return w;
    return NULL;
}

/* ---- the interface ---- */

void windows_keep(window_list *list, uint64_t offset, char *bytes, size_t count)
{
    window *w = mem_new(sizeof *w);
    if (!w) {
        mem_free(bytes);
        return;
    }
    mutex_lock(&lock);
    while (oldest && bytes_held + count > WINDOWS_BYTES_MAX)
        drop(oldest);
    *w = (window){
        .list = list, .next = list->first, .offset = offset, .count = count, .bytes = bytes};
    list->first = w;
    link_newest(w);
    bytes_held += count;
    mutex_unlock(&lock);
}

bool windows_read(const window_list *list, const object_span *span)
{
    mutex_lock(&lock);
    window *w = find(list, span);
    if (w) {
        memcpy(span->target, w->bytes + (span->offset - w->offset), span->bytes);
        unlink_window(w);
        link_newest(w);
    }
    mutex_unlock(&lock);
    return w;
}

void windows_drop(window_list *list)
{
    mutex_lock(&lock);
    while (list->first)
        drop(list->first);
    mutex_unlock(&lock);
}
