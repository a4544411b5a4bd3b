/* object_store.c - the module's functions for the engine, and what URLs and patterns mean. */
#include "storage/object_store.h"

#include "base/cancel.h"
#include "base/fault.h"
#include "base/system/module.h"
#include "base/system/mutex.h"
#include "storage/pattern.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <time.h>

bool object_store_has(const char *path)
{
    static const char *const schemes[] = {"s3", "s3a", "gs", "gcs", "r2", "http", "https"};
    const char *end = strstr(path, "://");
    for (size_t i = 0; end && i < sizeof schemes / sizeof *schemes; i++)
        if ((size_t)(end - path) == strlen(schemes[i]) &&
            !strncasecmp(path, schemes[i], strlen(schemes[i])))
            return true;
    return false;
}

status object_store_check_folder(const char *path)
{
    return object_store_has(path)
               ? status_hint(status_new(STATUS_KIND_UNSUPPORTED,
                                        "writing a folder of files to \"%s\" is not supported",
                                        path),
                             "COPY writes one object: without PARTITION_BY and PER_RANK")
               : STATUS_OK;
}

/* The module's functions, once it is loaded. */
static _Atomic(const object_store_functions *) loaded;

/* Loads the module for what begins an error: "reading", "writing". */
static status functions_to(const char *doing, const char *url, const object_store_functions **out)
{
    char purpose[64];
    const void *functions;
    *out = atomic_load(&loaded);
    if (*out)
        return STATUS_OK;
    snprintf(purpose, sizeof purpose, "%s %.*s://", doing, (int)strcspn(url, ":"), url);
    TRY(module_load("http", purpose, &functions));
    *out = functions;
    atomic_store(&loaded, *out);
    return STATUS_OK;
}

static status functions_for(const char *url, const object_store_functions **out)
{
    return functions_to("reading", url, out);
}

/* ---- names ---- */

static bool is_plain_web(const char *url)
{
    return !strncasecmp(url, "http", 4);
}

/* The part of the URL after "scheme://bucket/". */
static const char *key_of(const char *url)
{
    const char *key = strchr(strstr(url, "://") + 3, '/');
    return key ? key + 1 : url + strlen(url);
}

typedef struct listing {
    arena *memory;
    const file_pattern *pattern;
    path_list *found;
    uint64_t count;
} listing;

static status take(void *context, const char *url)
{
    listing *l = context;
    if (cancel_look(l->count++))
        TRY(cancel_check());
    if (!file_pattern_matches(l->pattern, key_of(url)))
        return STATUS_OK;
    char *copy = arena_copy_text(l->memory, url, strlen(url));
    if (!copy)
        return status_no_memory("path", strlen(url));
    return array_push(l->memory, l->found, copy);
}

/* Lists what lies below the longest part of the URL that has no wildcard, and keeps what matches. */
static status list(arena *a, const object_store_functions *functions, const char *url,
                   const char *pattern, path_list *out)
{
    listing l = {.memory = a, .found = out};
    char *prefix = arena_copy_text(a, url, strcspn(url, "*?["));
    if (!prefix)
        return status_no_memory("path", strlen(url));
    TRY(file_pattern_new(a, pattern, &l.pattern));
    return functions->list(object_store_settings(), prefix, take, &l);
}

static status find_in_folder(arena *a, const object_store_functions *functions, const char *folder,
                             path_list *out)
{
    const char *slash = folder[strlen(folder) - 1] == '/' ? "" : "/";
    char *prefix = arena_format(a, "%s%s", folder, slash);
    char *pattern = prefix ? arena_format(a, "%s**", key_of(prefix)) : NULL;
    if (!pattern)
        return status_no_memory("path", strlen(folder));
    return list(a, functions, prefix, pattern, out);
}

static status expand(arena *a, const object_store_functions *functions, const char *url,
                     path_list *out)
{
    if (file_name_has_wildcard(url, strlen(url))) {
        TRY(list(a, functions, url, key_of(url), out));
        return out->count ? STATUS_OK
                          : status_new(STATUS_KIND_NOT_FOUND, "no object matches \"%s\"", url);
    }
    if (!file_name_is_parquet(url)) {
        TRY(find_in_folder(a, functions, url, out));
        if (out->count)
            return STATUS_OK;
        if (url[strlen(url) - 1] == '/')
            return status_new(STATUS_KIND_NOT_FOUND, "no *.parquet objects below \"%s\"", url);
    }
    char *copy = arena_copy_text(a, url, strlen(url));
    return copy ? array_push(a, out, copy) : status_no_memory("path", strlen(url));
}

status object_store_expand(arena *a, const char *url, path_list *out)
{
    const object_store_functions *functions;
    out->count = 0;
    TRY(functions_for(url, &functions));
    if (!is_plain_web(url))
        return expand(a, functions, url, out);
    char *copy = arena_copy_text(a, url, strlen(url));
    return copy ? array_push(a, out, copy) : status_no_memory("path", strlen(url));
}

status object_store_list(const char *prefix, object_taker take, void *context)
{
    const object_store_functions *functions;
    TRY(functions_for(prefix, &functions));
    return functions->list(object_store_settings(), prefix, take, context);
}

/* Ends a listing at its first object. */
static status stop_at_first(void *context, const char *url)
{
    (void)url;
    *(bool *)context = true;
    return status_new(STATUS_KIND_LIMIT, "the first object is enough");
}

status object_store_has_below(const char *folder, const char *name, bool *out)
{
    arena *scratch;
    size_t bytes = strlen(folder);
    *out = false;
    while (bytes && folder[bytes - 1] == '/')
        bytes--;
    TRY(arena_new(&scratch));
    const char *prefix = arena_format(scratch, "%.*s/%s", (int)bytes, folder, name);
    status st =
        prefix ? object_store_list(prefix, stop_at_first, out) : status_no_memory("path", bytes);
    arena_free(scratch);
    if (!*out)
        return st;
    status_free(st);
    return STATUS_OK;
}

bool object_store_version(const char *url, file_version *out)
{
    const object_store_functions *functions;
    status st = functions_for(url, &functions);
    if (!st)
        st = functions->look(object_store_settings(), url, out);
    bool is_known = !st;
    status_free(st);
    return is_known;
}

/* ---- objects ---- */

status object_open(const char *url, object **out, file_version *version)
{
    const object_store_functions *functions;
    *out = NULL;
    TRY(functions_for(url, &functions));
    return functions->open(object_store_settings(), url, out, version);
}

void object_close(object *o)
{
    if (o)
        atomic_load(&loaded)->close(o);
}

status object_read_start(object *o, const object_span *span)
{
    if (fault_check(FAULT_READ))
        return status_new(STATUS_KIND_IO, "could not read an object: a failure was asked for");
    return atomic_load(&loaded)->read(o, span);
}

void object_read_stop(const void *argument)
{
    atomic_load(&loaded)->stop(argument);
}

status object_upload_new(const char *url, object_upload **out)
{
    const object_store_functions *functions;
    *out = NULL;
    TRY(functions_to("writing", url, &functions));
    return functions->create(object_store_settings(), url, out);
}

status object_upload_append(object_upload *u, const void *data, size_t bytes)
{
    return atomic_load(&loaded)->append(u, data, bytes);
}

status object_upload_complete(object_upload *u)
{
    return atomic_load(&loaded)->complete(u);
}

status object_ask(const object_question *q, object_answer *out)
{
    const object_store_functions *functions;
    *out = (object_answer){0};
    TRY(functions_for(q->url, &functions));
    return functions->ask(object_store_settings(), q, out);
}

void object_upload_abort(object_upload *u)
{
    if (u)
        atomic_load(&loaded)->abort(u);
}

/* A thread that waits for one read. */
typedef struct waiting {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool is_done;
    status outcome;
} waiting;

static void wake(void *argument, status outcome)
{
    waiting *w = argument;
    mutex_lock(&w->lock);
    w->is_done = true;
    w->outcome = outcome;
    pthread_cond_signal(&w->changed);
    mutex_unlock(&w->lock);
}

#define LOOK_NANOSECONDS 50000000

static void wait_a_moment(waiting *w)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += LOOK_NANOSECONDS;
    if (until.tv_nsec >= 1000000000) {
        until.tv_nsec -= 1000000000;
        until.tv_sec++;
    }
    (void)pthread_cond_timedwait(&w->changed, &w->lock, &until);
}

static status wait_for(waiting *w)
{
    bool is_stopped = false;
    mutex_lock(&w->lock);
    while (!w->is_done) {
        wait_a_moment(w);
        if (w->is_done || is_stopped || !cancel_is_asked())
            continue;
        is_stopped = true;
        mutex_unlock(&w->lock);
        object_read_stop(w);
        mutex_lock(&w->lock);
    }
    mutex_unlock(&w->lock);
    return w->outcome;
}

status object_read(object *o, uint64_t offset, void *target, size_t bytes)
{
    waiting w = {.lock = MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};
    object_span span = {offset, bytes, target, true, wake, &w};
    status st = object_read_start(o, &span);
    if (!st)
        st = wait_for(&w);
    pthread_cond_destroy(&w.changed);
    mutex_destroy(&w.lock);
    return st;
}
