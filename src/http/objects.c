/* objects.c - an object is opened by one request for its last bytes, which tells its length and version too; these bytes
 * are kept for a while: a file's footer is among them. */
#include "http/objects.h"

#include "base/mutex.h"
#include "http/transfer.h"

#include <stdatomic.h>
#include <string.h>
#include <strings.h>

#include "http/engine.h"

#define TAIL_BYTES ((size_t)128 << 10)
/* Most bytes that all tails together hold: the one that was read first goes first. */
#define TAILS_BYTES_MAX ((size_t)64 << 20)

struct object {
    arena *memory;
    const http_config *config;
    url_place place;
    const char *shown;
    const char
        *condition; /* a header that asks for this version; NULL: the server has no versions */
    uint64_t bytes;
    /* Under the lock. */
    char *tail; /* of the object's last tail_bytes; NULL: not kept any more */
    size_t tail_bytes;
    object *newer, *older;
};

static pthread_mutex_t lock = MUTEX_INITIALIZER;
/* Under the lock. */
static object *newest, *oldest;
static size_t tails_bytes;

/* ---- versions ---- */

/* FNV-1a, well mixed: names of objects differ little. */
static uint64_t hash_text(uint64_t hash, const char *text)
{
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    hash = (hash ^ hash >> 33) * UINT64_C(0xff51afd7ed558ccd);
    return hash ^ hash >> 33;
}

#define HASH_SEED UINT64_C(0xcbf29ce484222325)

static file_version version_of(const url_place *place, const transfer_answer *answer,
                               uint64_t bytes)
{
    uint64_t store = hash_text(hash_text(HASH_SEED, place->host), place->bucket);
    uint64_t name = hash_text(hash_text(store, place->path), place->query);
    const char *tag = *answer->tag ? answer->tag : answer->modified;
    return (file_version){.device = store | FILE_DEVICE_IS_STORE,
                          .inode = name,
                          .bytes = bytes,
                          .modified = (int64_t)hash_text(HASH_SEED, tag)};
}

/* The header that asks for the version. A weak ETag cannot be asked for. */
static status find_condition(object *o, const transfer_answer *answer)
{
    const char *name = NULL, *value = answer->tag;
    if (*answer->tag && strncmp(answer->tag, "W/", 2) != 0) {
        name = "If-Match";
    } else if (*answer->modified) {
        name = "If-Unmodified-Since";
        value = answer->modified;
    }
    if (!name)
        return STATUS_OK;
    o->condition = arena_format(o->memory, "%s: %s", name, value);
    return o->condition ? STATUS_OK : status_no_memory("object", strlen(value));
}

/* ---- tails ---- */

/* Under the lock. */
static void drop_tail(object *o)
{
    if (!o->tail)
        return;
    *(o->newer ? &o->newer->older : &newest) = o->older;
    *(o->older ? &o->older->newer : &oldest) = o->newer;
    tails_bytes -= TAIL_BYTES;
    mem_free(o->tail);
    o->tail = NULL;
}

static void keep_tail(object *o, char *tail, size_t bytes)
{
    mutex_lock(&lock);
    while (oldest && tails_bytes + TAIL_BYTES > TAILS_BYTES_MAX)
        drop_tail(oldest);
    o->tail = tail;
    o->tail_bytes = bytes;
    o->newer = NULL;
    o->older = newest;
    *(newest ? &newest->newer : &oldest) = o;
    newest = o;
    tails_bytes += TAIL_BYTES;
    mutex_unlock(&lock);
}

static bool read_tail(object *o, const object_span *span)
{
    mutex_lock(&lock);
    uint64_t start = o->bytes - o->tail_bytes;
    bool has_it = o->tail && span->offset >= start;
    if (has_it)
        memcpy(span->target, o->tail + (span->offset - start), span->bytes);
    mutex_unlock(&lock);
    return has_it;
}

/* ---- opening ---- */

static status object_new(const object_settings *s, const char *url, object **out)
{
    arena *memory;
    TRY(arena_new(&memory));
    object *o = arena_alloc(memory, sizeof *o);
    if (!o) {
        arena_free(memory);
        return status_no_memory("object", sizeof *o);
    }
    o->memory = memory;
    *out = o;
    TRY(config_get(s, &o->config));
    o->shown = url_shown(memory, url);
    if (!o->shown)
        return status_no_memory("object", strlen(url));
    return url_parse(memory, &o->config->store, url, &o->place);
}

void objects_close(object *o)
{
    if (!o)
        return;
    mutex_lock(&lock);
    drop_tail(o);
    mutex_unlock(&lock);
    config_unref(o->config);
    arena_free(o->memory);
}

static transfer transfer_of(const object *o, const char *method)
{
    return (transfer){.question = {.method = method,
                                   .config = o->config,
                                   .place = &o->place,
                                   .query = "",
                                   .shown = o->shown}};
}

/* Asks for the last bytes. An object without any has no part to give (416). */
static status read_end(object *o, char *tail, transfer *t)
{
    *t = transfer_of(o, "GET");
    t->question.range = RANGE_SUFFIX;
    t->question.range_bytes = TAIL_BYTES;
    t->target = tail;
    t->room = TAIL_BYTES;
    status st = transfer_run(t);
    if (st && t->answer.code == 416 && t->answer.has_total && !t->answer.total) {
        status_free(st);
        return STATUS_OK;
    }
    return st;
}

static status open_object(object *o, file_version *version)
{
    transfer t;
    char *tail = mem_new(TAIL_BYTES);
    if (!tail)
        return status_no_memory("object", TAIL_BYTES);
    status st = read_end(o, tail, &t);
    transfer_release(&t);
    if (!st) {
        o->bytes = t.answer.total;
        *version = version_of(&o->place, &t.answer, o->bytes);
        st = find_condition(o, &t.answer);
    }
    if (st)
        mem_free(tail);
    else
        keep_tail(o, tail, t.received);
    return st;
}

status objects_open(const object_settings *s, const char *url, object **out, file_version *version)
{
    object *o = NULL;
    status st = object_new(s, url, &o);
    if (!st)
        st = open_object(o, version);
    if (st) {
        objects_close(o);
        return st;
    }
    *out = o;
    return STATUS_OK;
}

status objects_look(const object_settings *s, const char *url, file_version *out)
{
    object *o = NULL;
    transfer t = {0};
    status st = object_new(s, url, &o);
    if (!st) {
        t = transfer_of(o, "HEAD");
        st = transfer_run(&t);
        transfer_release(&t);
    }
    if (!st)
        *out = version_of(&o->place, &t.answer, t.answer.length);
    objects_close(o);
    return st;
}

/* ---- reading ---- */

/* A read that is under way. */
typedef struct reading {
    transfer transfer;
    object_span span;
} reading;

static void finish_reading(transfer *t, status outcome)
{
    reading *r = (reading *)t;
    object_span span = r->span;
    transfer_release(t);
    mem_free(r);
    span.done(span.argument, outcome);
}

static status check_span(const object *o, const object_span *span)
{
    if (span->offset <= o->bytes && span->bytes <= o->bytes - span->offset)
        return STATUS_OK;
    return status_new(STATUS_KIND_IO, "file \"%s\" ends at byte %llu", o->shown,
                      (unsigned long long)o->bytes);
}

status objects_read(object *o, const object_span *span)
{
    TRY(check_span(o, span));
    if (!span->bytes || read_tail(o, span)) {
        span->done(span->argument, STATUS_OK);
        return STATUS_OK;
    }
    reading *r = mem_new(sizeof *r);
    if (!r)
        return status_no_memory("read", sizeof *r);
    r->span = *span;
    r->transfer = transfer_of(o, "GET");
    r->transfer.question.range = RANGE_OF_BYTES;
    r->transfer.question.range_offset = span->offset;
    r->transfer.question.range_bytes = span->bytes;
    r->transfer.question.condition = o->condition;
    r->transfer.target = span->target;
    r->transfer.room = span->bytes;
    r->transfer.done = finish_reading;
    r->transfer.argument = span->argument;
    status st = transfer_start(&r->transfer);
    if (st)
        mem_free(r);
    return st;
}
