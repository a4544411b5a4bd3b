/* request.c - see request.h. */
#include "http/request.h"

#include <inttypes.h>
#include <string.h>

#include "http/engine.h"

#define CONNECT_MILLISECONDS 10000L
#define REDIRECTS_MAX 10L
#define BUFFER_BYTES (256L << 10)

void request_release(request_parts *parts)
{
    curl_slist_free_all(parts->headers);
    if (parts->memory)
        arena_free(parts->memory);
    parts->headers = NULL;
    parts->memory = NULL;
}

static status no_memory(void)
{
    return status_no_memory("request", 1);
}

static status add_header(request_parts *parts, const char *name, const char *value)
{
    char *line = arena_format(parts->memory, "%s: %s", name, value);
    struct curl_slist *more = line ? curl_slist_append(parts->headers, line) : NULL;
    if (!more)
        return no_memory();
    parts->headers = more;
    return STATUS_OK;
}

/* The value of the header Range, or NULL: no memory. */
static char *range_text(const transfer *t, arena *a)
{
    const transfer_question *q = &t->question;
    uint64_t first = q->range_offset + t->received;
    if (q->range == RANGE_SUFFIX)
        return arena_format(a, "bytes=-%" PRIu64, q->range_bytes);
    return arena_format(a, "bytes=%" PRIu64 "-%" PRIu64, first,
                        q->range_offset + q->range_bytes - 1);
}

/* The headers that stand for the question. */
static status add_question(const transfer *t, request_parts *parts, sign_header *headers,
                           size_t *count)
{
    const transfer_question *q = &t->question;
    headers[(*count)++] = (sign_header){"host", q->place->host};
    if (q->range != RANGE_NONE) {
        char *range = range_text(t, parts->memory);
        if (!range)
            return no_memory();
        headers[(*count)++] = (sign_header){"range", range};
        TRY(add_header(parts, "Range", range));
    }
    if (q->condition) {
        const char *colon = strchr(q->condition, ':');
        bool is_tag = colon - q->condition == 8;
        headers[(*count)++] = (sign_header){is_tag ? "if-match" : "if-unmodified-since", colon + 2};
        TRY(add_header(parts, is_tag ? "If-Match" : "If-Unmodified-Since", colon + 2));
    }
    if (q->type) {
        headers[(*count)++] = (sign_header){"content-type", q->type};
        TRY(add_header(parts, "Content-Type", q->type));
    }
    return STATUS_OK;
}

static status add_signature(const transfer *t, request_parts *parts, const sign_header *headers,
                            size_t count)
{
    const transfer_question *q = &t->question;
    const http_config *config = q->config;
    sign_result signed_;
    char hash[65];
    if (q->body_hash)
        memcpy(hash, q->body_hash, sizeof hash);
    else
        sign_hash(q->body ? q->body : "", q->body_bytes, hash);
    const sign_request request = {
        q->method, q->place->path,
        q->query,  *config->store.region ? config->store.region : "us-east-1",
        "s3",      hash,
        headers,   count};
    TRY(sign_request_v4(parts->memory, &request, &config->keys, time(NULL), true, &signed_));
    TRY(add_header(parts, "x-amz-content-sha256", hash));
    TRY(add_header(parts, "x-amz-date", signed_.date));
    if (*config->keys.token)
        TRY(add_header(parts, "x-amz-security-token", config->keys.token));
    return add_header(parts, "Authorization", signed_.authorization);
}

static status add_headers(const transfer *t, request_parts *parts)
{
    sign_header headers[SIGN_HEADERS_MAX];
    size_t count = 0;
    TRY(add_question(t, parts, headers, &count));
    if (t->question.place->is_store && t->question.config->has_keys)
        TRY(add_signature(t, parts, headers, count));
    for (size_t i = 0; i < t->question.header_count; i++)
        TRY(add_header(parts, t->question.headers[i].name, t->question.headers[i].value));
    /* libcurl would wait for leave to send a body. */
    if (t->question.body)
        TRY(add_header(parts, "Expect", ""));
    return STATUS_OK;
}

/* Redirects carry nothing that is for one host alone, and lead from TLS to TLS. */
static void set_redirects(CURL *easy, const transfer_question *q)
{
    const url_place *place = q->place;
    curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, place->is_store || q->header_count ? 0L : 1L);
    if (q->is_near)
        curl_easy_setopt(easy, CURLOPT_NOPROXY, "*");
    curl_easy_setopt(easy, CURLOPT_MAXREDIRS, REDIRECTS_MAX);
    curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(easy, CURLOPT_REDIR_PROTOCOLS_STR, place->is_tls ? "https" : "http,https");
}

static void set_method(CURL *easy, const transfer_question *q)
{
    if (!strcmp(q->method, "HEAD")) {
        curl_easy_setopt(easy, CURLOPT_NOBODY, 1L);
    } else if (q->body) {
        curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)q->body_bytes);
        curl_easy_setopt(easy, CURLOPT_POSTFIELDS, q->body);
    }
    if (strcmp(q->method, "GET") != 0 && strcmp(q->method, "HEAD") != 0)
        curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, q->method);
}

static void set_patience(CURL *easy, const transfer *t)
{
    long timeout = (long)transfer_timeout(t);
    long connect = timeout < CONNECT_MILLISECONDS ? timeout : CONNECT_MILLISECONDS;
    long stall = (timeout + 2999) / 3000;
    curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, connect);
    curl_easy_setopt(easy, CURLOPT_LOW_SPEED_LIMIT, 1L);
    curl_easy_setopt(easy, CURLOPT_LOW_SPEED_TIME, stall);
}

static char *request_url_of(const transfer *t, arena *a)
{
    const url_place *p = t->question.place;
    const char *query = p->is_store ? t->question.query : p->query;
    return arena_format(a, "http%s://%s%s%s%s", p->is_tls ? "s" : "", p->host, p->path,
                        *query ? "?" : "", query);
}

static status set_all(const transfer *t, request_parts *parts, CURL *easy)
{
    const http_config *config = t->question.config;
    char *url = request_url_of(t, parts->memory);
    if (!url)
        return no_memory();
    TRY(add_headers(t, parts));
    curl_easy_setopt(easy, CURLOPT_URL, url);
    curl_easy_setopt(easy, CURLOPT_HTTPHEADER, parts->headers);
    curl_easy_setopt(easy, CURLOPT_PATH_AS_IS, 1L);
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
    curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, BUFFER_BYTES);
    curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, parts->error);
    curl_easy_setopt(easy, CURLOPT_USERAGENT, "pistachio");
    curl_easy_setopt(easy, CURLOPT_NETRC, (long)CURL_NETRC_IGNORED);
    if (*config->certificates)
        curl_easy_setopt(easy, CURLOPT_CAINFO, config->certificates);
    set_method(easy, &t->question);
    set_redirects(easy, &t->question);
    set_patience(easy, t);
    return STATUS_OK;
}

status request_make(const transfer *t, request_parts *parts, CURL **out)
{
    CURL *easy = curl_easy_init();
    *parts = (request_parts){0};
    status st = easy ? arena_new(&parts->memory) : no_memory();
    if (!st)
        st = set_all(t, parts, easy);
    if (st) {
        request_release(parts);
        curl_easy_cleanup(easy);
        return st;
    }
    *out = easy;
    return STATUS_OK;
}
