/* objects.c - an object that was just listed is opened without a request; another one by a request for its last bytes, which
 * tells its length and version, too. A file's footer is among them: they are kept for a while (windows.h). */
#include "http/objects.h"

#include "http/listed.h"
#include "http/transfer.h"
#include "http/windows.h"

#include <stdio.h>
#include <string.h>

#include "http/engine.h"

#define TAIL_BYTES ((size_t)128 << 10)
/* A read that is waited for is of a footer or of page indexes, which lie next to each other. */
#define NEAR_BYTES ((size_t)512 << 10)

/* Texts lie behind it. */
struct object {
    const object_settings *settings;
    const http_config *config;
    url_place place;
    const char *shown;
    const char
        *condition; /* a header that asks for this version; NULL: the server has no versions */
    uint64_t bytes;
    window_list windows;
};

/* An object that is being opened, or looked at. */
typedef struct opening {
    const object_settings *settings;
    arena *memory;
    const http_config *config;
    url_place place;
    const char *shown;
} opening;

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

static file_version version_of(const url_place *place, const char *tag, uint64_t bytes)
{
    uint64_t store = hash_text(hash_text(HASH_SEED, place->host), place->bucket);
    uint64_t name = hash_text(hash_text(store, place->path), place->query);
    return (file_version){.device = store | FILE_DEVICE_IS_STORE,
                          .inode = name,
                          .bytes = bytes,
                          .modified = (int64_t)hash_text(HASH_SEED, tag)};
}

static const char *tag_of(const transfer_answer *answer)
{
    return *answer->tag ? answer->tag : answer->modified;
}

/* The header that asks for the version; NULL: there is none. A weak ETag cannot be asked for. */
static status find_condition(arena *a, const char *tag, const char *modified, const char **out)
{
    bool has_tag = *tag && strncmp(tag, "W/", 2) != 0;
    *out = NULL;
    if (!has_tag && !*modified)
        return STATUS_OK;
    *out = has_tag ? arena_format(a, "If-Match: %s", tag)
                   : arena_format(a, "If-Unmodified-Since: %s", modified);
    return *out ? STATUS_OK : status_no_memory("object", strlen(tag));
}

/* ---- opening ---- */

static status begin(const object_settings *s, const char *url, opening *o)
{
    *o = (opening){.settings = s};
    TRY(arena_new(&o->memory));
    TRY(config_get(s, &o->config));
    o->shown = url_shown(o->memory, url);
    if (!o->shown)
        return status_no_memory("object", strlen(url));
    return url_parse(o->memory, &o->config->store, url, &o->place);
}

static void end(opening *o)
{
    config_unref(o->config);
    if (o->memory)
        arena_free(o->memory);
}

/* Copies a text to *to, and moves that behind it. NULL stays NULL. */
static const char *put(char **to, const char *text)
{
    const char *start = *to;
    if (!text)
        return NULL;
    *to = stpcpy(*to, text) + 1;
    return start;
}

static status object_new(const opening *from, const char *condition, uint64_t bytes, object **out)
{
    const url_place *p = &from->place;
    size_t room = strlen(p->host) + strlen(p->path) + strlen(p->query) + strlen(from->shown) +
                  (condition ? strlen(condition) : 0) + 5;
    object *o = mem_new(sizeof *o + room);
    if (!o)
        return status_no_memory("object", sizeof *o + room);
    char *to = (char *)(o + 1);
    o->settings = from->settings;
    o->config = config_ref(from->config);
    o->place = (url_place){.is_store = p->is_store,
                           .is_tls = p->is_tls,
                           .host = put(&to, p->host),
                           .path = put(&to, p->path),
                           .query = put(&to, p->query)};
    o->shown = put(&to, from->shown);
    o->condition = put(&to, condition);
    o->bytes = bytes;
    *out = o;
    return STATUS_OK;
}

void objects_close(object *o)
{
    if (!o)
        return;
    windows_drop(&o->windows);
    config_unref(o->config);
    mem_free(o);
}

static transfer transfer_of(const http_config *config, const url_place *place, const char *shown,
                            const char *method)
{
    return (transfer){
        .question = {
            .method = method, .config = config, .place = place, .query = "", .shown = shown}};
}

/* Asks for the last bytes. An object without any has no part to give (416). */
static status read_end(const opening *o, char *tail, transfer *t)
{
    *t = transfer_of(o->config, &o->place, o->shown, "GET");
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

/* Opens what nobody has listed. */
static status open_by_request(const opening *from, object **out, file_version *version)
{
    transfer t;
    const char *condition;
    char *tail = mem_new(TAIL_BYTES);
    if (!tail)
        return status_no_memory("object", TAIL_BYTES);
    status st = read_end(from, tail, &t);
    transfer_release(&t);
    if (!st)
        st = find_condition(from->memory, t.answer.tag, t.answer.modified, &condition);
    if (!st)
        st = object_new(from, condition, t.answer.total, out);
    if (st) {
        mem_free(tail);
        return st;
    }
    windows_keep(&(*out)->windows, (*out)->bytes - t.received, tail, t.received);
    *version = version_of(&from->place, tag_of(&t.answer), (*out)->bytes);
    return STATUS_OK;
}

static status open_listed(const opening *from, const listed_version *known, object **out,
                          file_version *version)
{
    const char *condition;
    TRY(find_condition(from->memory, known->tag, "", &condition));
    *version = version_of(&from->place, known->tag, known->bytes);
    return object_new(from, condition, known->bytes, out);
}

status objects_open(const object_settings *s, const char *url, object **out, file_version *version)
{
    opening o;
    listed_version known;
    status st = begin(s, url, &o);
    bool is_listed = !st && listed_find(s, url, &known);
    if (!st)
        st = is_listed ? open_listed(&o, &known, out, version) : open_by_request(&o, out, version);
    if (!st && !is_listed)
        listed_opened(s, url, version);
    end(&o);
    return st;
}

static status look_by_request(const opening *o, file_version *out)
{
    transfer t = transfer_of(o->config, &o->place, o->shown, "HEAD");
    status st = transfer_run(&t);
    transfer_release(&t);
    if (!st)
        *out = version_of(&o->place, tag_of(&t.answer), t.answer.length);
    return st;
}

status objects_look(const object_settings *s, const char *url, file_version *out)
{
    opening o;
    listed_version known;
    status st = begin(s, url, &o);
    if (!st && listed_find(s, url, &known))
        *out = version_of(&o.place, known.tag, known.bytes);
    else if (!st && !listed_take_opened(s, url, out))
        st = look_by_request(&o, out);
    end(&o);
    return st;
}

/* ---- reading ---- */

/* A read that is under way. */
typedef struct reading {
    transfer transfer;
    const http_config *config;
    object *object;
    object_span span;
    char *
        window; /* more than the span, which is to be kept; NULL: the bytes go to the span's target */
} reading;

static void finish_reading(transfer *t, status outcome)
{
    reading *r = (reading *)t;
    object_span span = r->span;
    if (r->window && outcome)
        mem_free(r->window);
    if (r->window && !outcome) {
        const transfer_question *q = &t->question;
        memcpy(span.target, r->window + (span.offset - q->range_offset), span.bytes);
        windows_keep(&r->object->windows, q->range_offset, r->window, q->range_bytes);
    }
    transfer_release(t);
    config_unref(r->config);
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

/* Makes it a read of what lies around the span, too: of the object's end, or from the span on. */
static status widen(reading *r)
{
    const object *o = r->object;
    transfer_question *q = &r->transfer.question;
    uint64_t tail = o->bytes < TAIL_BYTES ? 0 : o->bytes - TAIL_BYTES, start = r->span.offset;
    if (r->span.bytes >= NEAR_BYTES)
        return STATUS_OK;
    if (start >= tail)
        start = tail;
    uint64_t left = o->bytes - start;
    size_t bytes = left < NEAR_BYTES ? (size_t)left : NEAR_BYTES;
    r->window = mem_new(bytes);
    if (!r->window)
        return status_no_memory("read", bytes);
    q->range_offset = start;
    q->range_bytes = bytes;
    r->transfer.target = r->window;
    r->transfer.room = bytes;
    return STATUS_OK;
}

static status start_reading(object *o, const object_span *span)
{
    reading *r = mem_new(sizeof *r);
    if (!r)
        return status_no_memory("read", sizeof *r);
    status st = config_fresh(o->settings, o->config, &r->config);
    if (st) {
        mem_free(r);
        return st;
    }
    r->object = o;
    r->span = *span;
    r->transfer = transfer_of(r->config, &o->place, o->shown, "GET");
    r->transfer.question.range = RANGE_OF_BYTES;
    r->transfer.question.range_offset = span->offset;
    r->transfer.question.range_bytes = span->bytes;
    r->transfer.question.condition = o->condition;
    r->transfer.target = span->target;
    r->transfer.room = span->bytes;
    r->transfer.done = finish_reading;
    r->transfer.argument = span->argument;
    if (span->is_waited_for)
        st = widen(r);
    if (!st)
        st = transfer_start(&r->transfer);
    if (st) {
        config_unref(r->config);
        mem_free(r->window);
        mem_free(r);
    }
    return st;
}

status objects_read(object *o, const object_span *span)
{
    TRY(check_span(o, span));
    if (span->bytes && !windows_read(&o->windows, span))
        return start_reading(o, span);
    span->done(span->argument, STATUS_OK);
    return STATUS_OK;
}
