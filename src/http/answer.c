/* answer.c - see answer.h. */
#include "http/answer.h"

#include "http/xml.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "http/engine.h"

/* ---- headers ---- */

/* Reads a number at *at, and moves behind it. False: there is none, or it is too large. */
static bool read_number(const char **at, const char *end, uint64_t *out)
{
    const char *start = *at;
    *out = 0;
    for (; *at < end && **at >= '0' && **at <= '9'; ++*at) {
        if (*out > (UINT64_MAX >> 1) / 10 - 1)
            return false;
        *out = *out * 10 + (uint64_t)(**at - '0');
    }
    return *at > start;
}

/* "bytes 0-99/1000", "bytes 0-99/" and a star, "bytes " and a star "/1000" */
static void answer_read_range(transfer_answer *answer, const char *at, const char *end)
{
    uint64_t first = 0, last = 0;
    if (end - at < 6 || strncasecmp(at, "bytes ", 6) != 0)
        return;
    at += 6;
    bool is_given = read_number(&at, end, &first) && at < end && *at++ == '-' &&
                    read_number(&at, end, &last) && last >= first;
    if (!is_given && at < end && *at == '*')
        at++;
    if (is_given) {
        answer->range_first = first;
        answer->range_end = last + 1;
        answer->has_range = true;
    }
    if (at < end && *at++ == '/')
        answer->has_total = read_number(&at, end, &answer->total) && at == end;
}

/* Copies a value that is printable and fits; else nothing. */
static void keep(const char *at, const char *end, char *out, size_t room)
{
    if ((size_t)(end - at) >= room)
        return;
    for (const char *c = at; c < end; c++)
        if ((unsigned char)*c < ' ' || *c == 127)
            return;
    memcpy(out, at, (size_t)(end - at));
    out[end - at] = '\0';
}

static bool answer_is_named(const char *line, size_t bytes, const char *name)
{
    return bytes == strlen(name) && !strncasecmp(line, name, bytes);
}

static void read_value(transfer_answer *answer, const char *name, size_t bytes, const char *at,
                       const char *end)
{
    if (answer_is_named(name, bytes, "content-range"))
        answer_read_range(answer, at, end);
    else if (answer_is_named(name, bytes, "content-length"))
        (void)read_number(&at, end, &answer->length);
    else if (answer_is_named(name, bytes, "etag"))
        keep(at, end, answer->tag, sizeof answer->tag);
    else if (answer_is_named(name, bytes, "last-modified"))
        keep(at, end, answer->modified, sizeof answer->modified);
    else if (answer_is_named(name, bytes, "x-amz-bucket-region"))
        keep(at, end, answer->region, sizeof answer->region);
    else if (answer_is_named(name, bytes, "content-encoding"))
        answer->is_encoded = !answer_is_named(at, (size_t)(end - at), "identity") &&
                             !answer_is_named(at, (size_t)(end - at), "aws-chunked");
    else if (answer_is_named(name, bytes, "retry-after"))
        (void)read_number(&at, end, &answer->retry_after);
}

void answer_read_header(transfer_answer *answer, const char *line, size_t bytes)
{
    const char *end = line + bytes;
    while (end > line && strchr("\r\n \t", end[-1]))
        end--;
    if (bytes > 5 && !strncasecmp(line, "HTTP/", 5)) {
        const char *at = memchr(line, ' ', (size_t)(end - line));
        uint64_t code = 0;
        *answer = (transfer_answer){0}; /* of an earlier hop */
        if (at && read_number((at++, &at), end, &code) && code < 1000)
            answer->code = (unsigned)code;
        return;
    }
    const char *colon = memchr(line, ':', (size_t)(end - line));
    if (!colon)
        return;
    const char *value = colon + 1;
    while (value < end && (*value == ' ' || *value == '\t'))
        value++;
    read_value(answer, line, (size_t)(colon - line), value, end);
}

/* ---- what it means ---- */

/* The store's own words for an error; "" where it has none. */
#define WORDS_BYTES 256
typedef struct store_words {
    char code[64], message[WORDS_BYTES];
} store_words;

/* As much as there is room for; "" where it makes no sense. */
static void take_xml_word(const xml_text *text, char *out, size_t room)
{
    char whole[WORDS_BYTES];
    size_t bytes = text->bytes < sizeof whole ? text->bytes : sizeof whole - 1;
    const xml_text part = {text->start, bytes};
    out[0] = '\0';
    if (!xml_decode(&part, whole))
        return;
    snprintf(out, room, "%s", whole);
    for (char *c = out; *c; c++)
        if ((unsigned char)*c < ' ')
            *c = ' ';
}

static void read_words(const transfer *t, store_words *out)
{
    xml_reader reader;
    xml_item item;
    *out = (store_words){"", ""};
    xml_begin(&reader, t->text.items, t->text.count);
    while (xml_next(&reader, &item) && item.kind != XML_END) {
        if (item.kind != XML_LEAF)
            continue;
        if (xml_is(&item.name, "Code"))
            take_xml_word(&item.text, out->code, sizeof out->code);
        if (xml_is(&item.name, "Message"))
            take_xml_word(&item.text, out->message, sizeof out->message);
    }
}

bool answer_may_change(const transfer *t)
{
    switch (t->answer.code) {
    case 408:
    case 425:
    case 429:
    case 500:
    case 502:
    case 503:
    case 504:
        return true;
    case 400: {
        store_words words;
        read_words(t, &words);
        return !strcmp(words.code, "RequestTimeout");
    }
    default:
        return false;
    }
}

const char *answer_verb(const transfer_question *q)
{
    bool reads = !strcmp(q->method, "GET") || !strcmp(q->method, "HEAD");
    return reads ? "read" : q->place->is_store ? "write" : "ask";
}

static const char *hint_of(const transfer_question *q, const char *word)
{
    static const struct {
        const char *word, *hint;
    } hints[] = {
        {"SignatureDoesNotMatch",
         "the access key and its secret do not fit: check s3_access_key_id and "
         "s3_secret_access_key, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"},
        {"InvalidAccessKeyId",
         "the store does not know the access key: check s3_access_key_id, or AWS_ACCESS_KEY_ID"},
        {"RequestTimeTooSkewed", "this machine's clock is wrong"},
        {"ExpiredToken", "the token of the session has expired: renew it"},
    };
    if (!q->config->has_keys)
        return "no keys were given: SET s3_access_key_id and s3_secret_access_key, or set "
               "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE";
    for (size_t i = 0; i < sizeof hints / sizeof *hints; i++)
        if (!strcmp(word, hints[i].word))
            return hints[i].hint;
    return "the keys that were given may not do this";
}

static status refusal(const transfer *t, const store_words *words)
{
    const transfer_question *q = &t->question;
    status st =
        status_new(STATUS_KIND_IO, "could not %s \"%s\": access is refused (%u%s%s)",
                   answer_verb(q), q->shown, t->answer.code, *words->code ? " " : "", words->code);
    return q->place->is_store ? status_hint(st, "%s", hint_of(q, words->code)) : st;
}

static status is_changed(const transfer *t)
{
    return status_hint(
        status_new(STATUS_KIND_CORRUPT, "file \"%s\" changed while it was read", t->question.shown),
        "run the query again when nobody writes to the file");
}

static status is_not_there(const transfer *t, const store_words *words)
{
    const char *what = !strcmp(words->code, "NoSuchBucket") ? "there is no such bucket"
                                                            : "there is no such object";
    return status_new(STATUS_KIND_NOT_FOUND, "could not %s \"%s\": %s", answer_verb(&t->question),
                      t->question.shown, what);
}

status answer_failure(const transfer *t)
{
    store_words words;
    read_words(t, &words);
    switch (t->answer.code) {
    case 401:
    case 403:
        return refusal(t, &words);
    case 404:
    case 410:
        return is_not_there(t, &words);
    case 412:
        return is_changed(t);
    case 301:
    case 302:
    case 307:
    case 308:
        return status_hint(
            status_new(STATUS_KIND_IO,
                       "could not %s \"%s\": the store sends requests elsewhere (%u)",
                       answer_verb(&t->question), t->question.shown, t->answer.code),
            *t->answer.region ? "SET s3_region = '%s'" : "check s3_endpoint and s3_region%s",
            t->answer.region);
    default:
        break;
    }
    return status_new(STATUS_KIND_IO, "could not %s \"%s\": the server answers %u%s%s%s%s",
                      answer_verb(&t->question), t->question.shown, t->answer.code,
                      *words.code ? " " : "", words.code, *words.message ? ": " : "",
                      words.message);
}

static status check_part(const transfer *t)
{
    const transfer_question *q = &t->question;
    const transfer_answer *a = &t->answer;
    uint64_t first = q->range_offset + t->received;
    uint64_t end = q->range_offset + q->range_bytes;
    if (!a->has_range || !a->has_total || a->range_end > a->total)
        return status_new(STATUS_KIND_IO,
                          "could not read \"%s\": the server does not say which part it sends",
                          q->shown);
    if (q->range == RANGE_SUFFIX) {
        end = a->total;
        first = a->total > q->range_bytes ? a->total - q->range_bytes : 0;
    }
    if (a->range_first == first && a->range_end == end)
        return STATUS_OK;
    return status_new(STATUS_KIND_IO,
                      "could not read \"%s\": the server sends bytes %" PRIu64 " to %" PRIu64
                      " where bytes %" PRIu64 " to %" PRIu64 " were asked for",
                      q->shown, a->range_first, a->range_end, first, end);
}

status answer_check_body(const transfer *t)
{
    if (t->answer.is_encoded)
        return status_new(STATUS_KIND_UNSUPPORTED,
                          "could not read \"%s\": the server compresses what it sends",
                          t->question.shown);
    if (t->question.range == RANGE_NONE)
        return STATUS_OK;
    if (t->answer.code == 206)
        return check_part(t);
    return status_new(STATUS_KIND_UNSUPPORTED,
                      "could not read \"%s\": the server gives no parts of files (Range)",
                      t->question.shown);
}
