/* upload.c - see upload.h. */
#include "http/upload.h"

#include "base/system/mutex.h"
#include "http/listed.h"
#include "http/transfer.h"
#include "http/xml.h"

#include <stdio.h>
#include <string.h>

#include "http/engine.h"

#define PARTS_UNDER_WAY_MAX 3
#define ANSWER_BYTES_MAX ((uint64_t)1 << 20)
/* Nobody waits long for parts to be thrown away: stores do that by themselves some day. */
#define ABORT_MILLISECONDS 3000

typedef ARRAY(char) byte_list;
typedef char part_tag[TRANSFER_TAG_BYTES];

struct object_upload {
    arena *memory;
    const http_config *config;
    url_place place;
    const char *shown;
    char *id; /* of a multipart upload, encoded; NULL: it has not begun */
    byte_list buffer;
    bool has_failed; /* nothing is sent any more */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    /* Under the lock. */
    unsigned under_way;
    ARRAY(part_tag) tags; /* of parts, by number - 1 */
    status failure;       /* the first part's that failed */
};

/* A part that is under way. */
typedef struct part {
    transfer transfer;
    object_upload *upload;
    byte_list bytes;
    char query[128 + 3 * TRANSFER_TAG_BYTES];
    char hash[65];
    size_t number; /* from 0 */
} part;

/* ---- open and close ---- */

static status begin(object_upload *u, const object_settings *s, const char *url)
{
    TRY(config_get(s, &u->config));
    u->shown = url_shown(u->memory, url);
    if (!u->shown)
        return status_no_memory("object", strlen(url));
    TRY(url_parse(u->memory, &u->config->store, url, &u->place));
    if (!u->place.is_store)
        return status_hint(status_new(STATUS_KIND_UNSUPPORTED,
                                      "could not write \"%s\": it is not in an object store",
                                      u->shown),
                           "write to s3://bucket/key, or to a file");
    return *u->place.key
               ? STATUS_OK
               : status_new(STATUS_KIND_INVALID, "\"%s\" does not name an object", u->shown);
}

static void release(object_upload *u)
{
    pthread_cond_destroy(&u->changed);
    mutex_destroy(&u->lock);
    status_free(u->failure);
    array_release(&u->tags);
    array_release(&u->buffer);
    config_unref(u->config);
    arena_free(u->memory);
}

status upload_create(const object_settings *s, const char *url, object_upload **out)
{
    arena *memory;
    TRY(arena_new(&memory));
    object_upload *u = arena_alloc(memory, sizeof *u);
    if (!u) {
        arena_free(memory);
        return status_no_memory("object", sizeof *u);
    }
    u->memory = memory;
    mutex_init(&u->lock);
    pthread_cond_init(&u->changed, NULL);
    status st = begin(u, s, url);
    if (st)
        release(u);
    else
        *out = u;
    return st;
}

/* ---- requests ---- */

static transfer upload_transfer_of(const object_upload *u, const char *method, const char *query)
{
    return (transfer){.question = {.method = method,
                                   .config = u->config,
                                   .place = &u->place,
                                   .query = query,
                                   .shown = u->shown},
                      .room = ANSWER_BYTES_MAX};
}

static void set_body(transfer *t, const void *body, size_t bytes, const char *hash)
{
    t->question.body = body;
    t->question.body_bytes = bytes;
    t->question.body_hash = hash;
    t->question.type = "application/octet-stream";
}

/* Finds the text of an element of the answer, wherever it stands; NULL: there is none. */
static char *find_text(const object_upload *u, const transfer *t, const char *name)
{
    xml_reader reader;
    xml_item item;
    xml_begin(&reader, t->text.items, t->text.count);
    while (xml_next(&reader, &item) && item.kind != XML_END) {
        if (item.kind != XML_LEAF || !xml_is(&item.name, name))
            continue;
        char *text = arena_alloc(u->memory, item.text.bytes + 1);
        return text && xml_decode(&item.text, text) ? text : NULL;
    }
    return NULL;
}

static status bad_answer(const object_upload *u)
{
    return status_new(STATUS_KIND_IO, "could not write \"%s\": the store's answer makes no sense",
                      u->shown);
}

/* Asks for the number of a multipart upload. */
static status begin_parts(object_upload *u)
{
    transfer t = upload_transfer_of(u, "POST", "uploads=");
    set_body(&t, "", 0, NULL);
    status st = transfer_run(&t);
    char *id = st ? NULL : find_text(u, &t, "UploadId");
    transfer_release(&t);
    TRY(st);
    u->id = id && *id ? url_encode(u->memory, id, false) : NULL;
    return u->id && strlen(u->id) < 3 * TRANSFER_TAG_BYTES ? STATUS_OK : bad_answer(u);
}

/* ---- parts ---- */

/* Returns whether a tag can stand in XML as it is. */
static bool upload_is_plain(const char *tag)
{
    return *tag && !tag[strcspn(tag, "<>&")];
}

static void finish_part(transfer *t, status outcome)
{
    part *p = (part *)t;
    object_upload *u = p->upload;
    if (!outcome && !upload_is_plain(t->answer.tag))
        outcome = bad_answer(u);
    mutex_lock(&u->lock);
    if (outcome && !u->failure) {
        u->failure = outcome;
        outcome = STATUS_OK;
    }
    memcpy(u->tags.items[p->number], t->answer.tag, sizeof t->answer.tag);
    u->under_way--;
    pthread_cond_signal(&u->changed);
    mutex_unlock(&u->lock);
    status_free(outcome);
    transfer_release(t);
    array_release(&p->bytes);
    mem_free(p);
}

/* Waits until at most `most` parts are under way. Fails if one has failed, or the statement is cancelled. */
static status wait_for_parts(object_upload *u, unsigned most)
{
    status st = STATUS_OK;
    mutex_lock(&u->lock);
    while (u->under_way > most && !u->failure && !st) {
        transfer_wait_a_moment(&u->changed, &u->lock);
        st = cancel_check();
    }
    if (u->failure && !st) {
        st = u->failure;
        u->failure = STATUS_OK;
    }
    mutex_unlock(&u->lock);
    return st;
}

static status reserve_tag(object_upload *u, size_t *out_number)
{
    static const part_tag none;
    mutex_lock(&u->lock);
    status st = array_reserve(NULL, &u->tags, 1);
    if (!st) {
        *out_number = u->tags.count;
        memcpy(u->tags.items[u->tags.count++], none, sizeof none);
        u->under_way++;
    }
    mutex_unlock(&u->lock);
    return st;
}

static void forget_part(object_upload *u, part *p)
{
    mutex_lock(&u->lock);
    u->under_way--;
    mutex_unlock(&u->lock);
    array_release(&p->bytes);
    mem_free(p);
}

/* Sends what is in the buffer as the next part. */
static status send_part(object_upload *u)
{
    TRY(wait_for_parts(u, PARTS_UNDER_WAY_MAX - 1));
    if (!u->id)
        TRY(begin_parts(u));
    part *p = mem_new(sizeof *p);
    if (!p)
        return status_no_memory("part of an object", sizeof *p);
    p->upload = u;
    status st = reserve_tag(u, &p->number);
    if (st) {
        mem_free(p);
        return st;
    }
    p->bytes = u->buffer;
    u->buffer = (byte_list){0};
    sign_hash(p->bytes.items, p->bytes.count, p->hash);
    snprintf(p->query, sizeof p->query, "partNumber=%zu&uploadId=%s", p->number + 1, u->id);
    p->transfer = upload_transfer_of(u, "PUT", p->query);
    set_body(&p->transfer, p->bytes.items, p->bytes.count, p->hash);
    p->transfer.done = finish_part;
    p->transfer.argument = u;
    st = transfer_start(&p->transfer);
    if (st)
        forget_part(u, p);
    return st;
}

static size_t part_bytes(const object_upload *u)
{
    return u->tags.count < UPLOAD_PARTS_SMALL ? UPLOAD_PART_BYTES : UPLOAD_PART_BYTES_LARGE;
}

static status append(object_upload *u, const void *data, size_t bytes)
{
    const char *at = data;
    while (bytes) {
        if (u->tags.count == UPLOAD_PARTS_MAX)
            return status_new(STATUS_KIND_LIMIT,
                              "could not write \"%s\": it would have more than %d parts", u->shown,
                              UPLOAD_PARTS_MAX);
        size_t room = part_bytes(u) - u->buffer.count, now = bytes < room ? bytes : room;
        TRY(array_reserve(NULL, &u->buffer, now));
        memcpy(u->buffer.items + u->buffer.count, at, now);
        u->buffer.count += now;
        at += now;
        bytes -= now;
        if (u->buffer.count == part_bytes(u))
            TRY(send_part(u));
    }
    return STATUS_OK;
}

status upload_append(object_upload *u, const void *data, size_t bytes)
{
    if (u->has_failed)
        return status_new(STATUS_KIND_IO, "could not write \"%s\": writing it has failed before",
                          u->shown);
    status st = append(u, data, bytes);
    u->has_failed = st;
    return st;
}

/* ---- the end ---- */

static status put_whole(object_upload *u)
{
    char hash[65];
    const char *bytes = u->buffer.count ? u->buffer.items : "";
    transfer t = upload_transfer_of(u, "PUT", "");
    sign_hash(bytes, u->buffer.count, hash);
    set_body(&t, bytes, u->buffer.count, hash);
    status st = transfer_run(&t);
    transfer_release(&t);
    return st;
}

/* The list of parts, as XML, in memory of its own. */
static status upload_list_parts(const object_upload *u, byte_list *out)
{
    size_t room = 128 + u->tags.count * (TRANSFER_TAG_BYTES + 80);
    TRY(array_reserve(NULL, out, room));
    char *to = stpcpy(out->items, "<CompleteMultipartUpload>");
    for (size_t i = 0; i < u->tags.count; i++)
        to += snprintf(to, TRANSFER_TAG_BYTES + 80,
                       "<Part><PartNumber>%zu</PartNumber><ETag>%s</ETag></Part>", i + 1,
                       u->tags.items[i]);
    to = stpcpy(to, "</CompleteMultipartUpload>");
    out->count = (size_t)(to - out->items);
    return STATUS_OK;
}

/* A store may answer 200 and say in the answer that it went wrong. */
static status check_completed(const object_upload *u, const transfer *t)
{
    const char *code = find_text(u, t, "Code");
    return code ? status_new(STATUS_KIND_IO, "could not write \"%s\": the store answers %.64s",
                             u->shown, code)
                : STATUS_OK;
}

static status upload_join_parts(object_upload *u)
{
    byte_list list = {0};
    if (u->buffer.count)
        TRY(send_part(u));
    TRY(wait_for_parts(u, 0));
    status st = upload_list_parts(u, &list);
    char *query = arena_format(u->memory, "uploadId=%s", u->id);
    if (!st && !query)
        st = status_no_memory("request", 1);
    if (!st) {
        transfer t = upload_transfer_of(u, "POST", query);
        set_body(&t, list.items, list.count, NULL);
        st = transfer_run(&t);
        if (!st)
            st = check_completed(u, &t);
        transfer_release(&t);
    }
    array_release(&list);
    return st;
}

status upload_complete(object_upload *u)
{
    status st = u->has_failed ? upload_append(u, "", 0)
                : u->id       ? upload_join_parts(u)
                              : put_whole(u);
    if (st) {
        upload_abort(u);
        return st;
    }
    listed_forget();
    release(u);
    return STATUS_OK;
}

static void throw_parts_away(object_upload *u)
{
    char *query = arena_format(u->memory, "uploadId=%s", u->id);
    if (!query)
        return;
    transfer t = upload_transfer_of(u, "DELETE", query);
    t.question.timeout = ABORT_MILLISECONDS;
    t.is_not_cancelled = true;
    status_free(transfer_run(&t));
    transfer_release(&t);
}

void upload_abort(object_upload *u)
{
    if (!u)
        return;
    transfer_stop(u);
    mutex_lock(&u->lock);
    while (u->under_way)
        transfer_wait_a_moment(&u->changed, &u->lock);
    mutex_unlock(&u->lock);
    if (u->id)
        throw_parts_away(u);
    release(u);
}
