/* identity.c - see identity.h. */
#include "http/identity.h"

#include "http/transfer.h"
#include "http/xml.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "http/engine.h"

#define ANSWER_BYTES_MAX ((uint64_t)64 << 10)
#define NEAR_MILLISECONDS 2000 /* for somebody on the same machine */
#define RENEWED_SECONDS 300    /* before keys end */

/* Keys that the process was lent last; the thread that asks is the only one. */
static struct {
    char id[256], secret[256], token[8192];
    time_t expires; /* 0: nothing is lent */
    bool is_nobody; /* nobody lends any */
} lent;

/* ---- JSON ---- */

typedef struct json_cursor {
    const char *at, *end;
} json_cursor;

static void skip_blanks(json_cursor *c)
{
    while (c->at < c->end && *c->at && strchr(" \t\r\n", *c->at))
        c->at++;
}

static bool take(json_cursor *c, char wanted)
{
    skip_blanks(c);
    bool is_there = c->at < c->end && *c->at == wanted;
    c->at += is_there;
    return is_there;
}

/* A string; of its escapes only those of one character that keys may be written with. NULL: it is not one. */
static char *take_string(arena *a, json_cursor *c)
{
    if (!take(c, '"'))
        return NULL;
    char *made = arena_alloc(a, (size_t)(c->end - c->at) + 1), *to = made;
    for (; made && c->at < c->end && *c->at != '"'; c->at++) {
        if (*c->at == '\\' && (++c->at == c->end || !*c->at || !strchr("\"\\/", *c->at)))
            return NULL;
        if ((unsigned char)*c->at < ' ')
            return NULL;
        *to++ = *c->at;
    }
    return made && take(c, '"') ? made : NULL;
}

/* Passes over a number or a word. */
static bool skip_word(json_cursor *c)
{
    skip_blanks(c);
    const char *start = c->at;
    while (c->at < c->end && *c->at && strchr("+-.0123456789abcdefghijklmnopqrstuvwxyzE", *c->at))
        c->at++;
    return c->at > start;
}

char *identity_member(arena *a, const char *json, size_t bytes, const char *name)
{
    json_cursor c = {json, bytes ? json + bytes : json};
    if (!take(&c, '{'))
        return NULL;
    do {
        char *key = take_string(a, &c), *text = NULL;
        if (!key || !take(&c, ':'))
            return NULL;
        skip_blanks(&c);
        if (c.at < c.end && *c.at == '"' ? !(text = take_string(a, &c)) : !skip_word(&c))
            return NULL;
        if (text && !strcmp(key, name))
            return text;
    } while (take(&c, ','));
    return NULL;
}

/* ---- requests ---- */

typedef struct asking {
    const http_config *config;
    arena *memory;
    const char *from;   /* for errors */
    sign_header header; /* sent along; without a name: none */
    bool is_near;       /* on this machine: by no proxy, and soon */
    transfer transfer;
} asking;

static status ask(asking *k, const char *method, const char *url)
{
    static const url_store none = {.endpoint = "", .region = ""};
    url_place place;
    TRY(url_parse(k->memory, &none, url, &place));
    k->transfer = (transfer){.question = {.method = method,
                                          .config = k->config,
                                          .place = &place,
                                          .query = "",
                                          .shown = k->from,
                                          .headers = &k->header,
                                          .header_count = k->header.name != NULL,
                                          .is_near = k->is_near,
                                          .timeout = k->is_near ? NEAR_MILLISECONDS : 0},
                             .room = ANSWER_BYTES_MAX};
    if (!strcmp(method, "PUT"))
        k->transfer.question.body = "";
    return transfer_run(&k->transfer);
}

static char *answer_text(const asking *k)
{
    const transfer *t = &k->transfer;
    char *text = t->text.count ? arena_copy_text(k->memory, t->text.items, t->text.count) : NULL;
    if (text)
        text[strcspn(text, "\r\n")] = '\0';
    return text;
}

static status bad_answer(const asking *k)
{
    return status_new(STATUS_KIND_IO, "could not get keys from %s: its answer makes no sense",
                      k->from);
}

/* "2026-11-26T20:00:00Z" */
static time_t parse_expiry(const char *text)
{
    struct tm utc = {0};
    const char *end = text ? strptime(text, "%Y-%m-%dT%H:%M:%S", &utc) : NULL;
    return end ? timegm(&utc) : 0;
}

/* Keeps what was lent. Without an end it is asked for again soon. */
static status keep(const asking *k, const char *id, const char *secret, const char *token,
                   const char *expires)
{
    if (!id || !secret || !token || !*id || strlen(id) >= sizeof lent.id ||
        strlen(secret) >= sizeof lent.secret || strlen(token) >= sizeof lent.token)
        return bad_answer(k);
    snprintf(lent.id, sizeof lent.id, "%s", id);
    snprintf(lent.secret, sizeof lent.secret, "%s", secret);
    snprintf(lent.token, sizeof lent.token, "%s", token);
    lent.expires = parse_expiry(expires);
    if (!lent.expires)
        lent.expires = time(NULL) + 2 * RENEWED_SECONDS;
    return STATUS_OK;
}

static status keep_json(const asking *k)
{
    const char *json = k->transfer.text.items;
    size_t bytes = k->transfer.text.count;
    return keep(k, identity_member(k->memory, json, bytes, "AccessKeyId"),
                identity_member(k->memory, json, bytes, "SecretAccessKey"),
                identity_member(k->memory, json, bytes, "Token"),
                identity_member(k->memory, json, bytes, "Expiration"));
}

/* ---- a container ---- */

static status ask_container(asking *k, const char *url)
{
    const char *token = getenv("AWS_CONTAINER_AUTHORIZATION_TOKEN");
    const char *file = getenv("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE");
    k->from = "the container's endpoint";
    k->is_near = true;
    if (file && *file)
        token = config_read_line(k->memory, file);
    if (token && *token) {
        k->header = (sign_header){"Authorization", token};
    }
    TRY(ask(k, "GET", url));
    return keep_json(k);
}

/* ---- a web identity ---- */

static char *identity_text_of(const asking *k, const char *name)
{
    xml_reader reader;
    xml_item item;
    xml_begin(&reader, k->transfer.text.items, k->transfer.text.count);
    while (xml_next(&reader, &item) && item.kind != XML_END) {
        if (item.kind != XML_LEAF || !xml_is(&item.name, name))
            continue;
        char *text = arena_alloc(k->memory, item.text.bytes + 1);
        return text && xml_decode(&item.text, text) ? text : NULL;
    }
    return NULL;
}

static status ask_web_identity(asking *k, const char *file, const char *role)
{
    const char *endpoint = getenv("AWS_ENDPOINT_URL_STS"),
               *session = getenv("AWS_ROLE_SESSION_NAME");
    const char *region = *k->config->store.region ? k->config->store.region : "us-east-1";
    const char *token = config_read_line(k->memory, file);
    k->from = "the security token service";
    char *host = endpoint && *endpoint
                     ? arena_format(k->memory, "%s", endpoint)
                     : arena_format(k->memory, "https://sts.%s.amazonaws.com", region);
    char *encoded_role = url_encode(k->memory, role, false);
    char *encoded_token = url_encode(k->memory, token, false);
    char *encoded_session =
        url_encode(k->memory, session && *session ? session : "pistachio", false);
    char *url = host && encoded_role && encoded_token && encoded_session
                    ? arena_format(k->memory,
                                   "%s/"
                                   "?Action=AssumeRoleWithWebIdentity&Version=2011-06-15&RoleArn=%"
                                   "s&RoleSessionName=%s"
                                   "&WebIdentityToken=%s",
                                   host, encoded_role, encoded_session, encoded_token)
                    : NULL;
    if (!url)
        return status_no_memory("request", 1);
    TRY(ask(k, "GET", url));
    return keep(k, identity_text_of(k, "AccessKeyId"), identity_text_of(k, "SecretAccessKey"),
                identity_text_of(k, "SessionToken"), identity_text_of(k, "Expiration"));
}

/* ---- an instance ---- */

static bool is_instance(arena *a)
{
    const char *off = getenv("AWS_EC2_METADATA_DISABLED"),
               *endpoint = getenv("AWS_EC2_METADATA_SERVICE_ENDPOINT");
    if (off && !strcmp(off, "true"))
        return false;
    return (endpoint && *endpoint) ||
           !strcmp(config_read_line(a, "/sys/devices/virtual/dmi/id/sys_vendor"), "Amazon EC2");
}

static status ask_instance(asking *k)
{
    const char *endpoint = getenv("AWS_EC2_METADATA_SERVICE_ENDPOINT");
    const char *host = endpoint && *endpoint ? endpoint : "http://169.254.169.254";
    k->from = "the instance's metadata";
    k->is_near = true;
    k->header = (sign_header){"X-aws-ec2-metadata-token-ttl-seconds", "300"};
    char *url = arena_format(k->memory, "%s/latest/api/token", host);
    TRY(url ? ask(k, "PUT", url) : status_no_memory("request", 1));
    k->header = (sign_header){"X-aws-ec2-metadata-token", answer_text(k)};
    transfer_release(&k->transfer);
    url = arena_format(k->memory, "%s/latest/meta-data/iam/security-credentials/", host);
    TRY(url && k->header.value ? ask(k, "GET", url) : bad_answer(k));
    const char *role = answer_text(k);
    transfer_release(&k->transfer);
    url = role ? arena_format(k->memory, "%s/latest/meta-data/iam/security-credentials/%s", host,
                              role)
               : NULL;
    TRY(url ? ask(k, "GET", url) : bad_answer(k));
    return keep_json(k);
}

/* ---- the interface ---- */

static status ask_whoever_lends(asking *k)
{
    const char *file = getenv("AWS_WEB_IDENTITY_TOKEN_FILE"), *role = getenv("AWS_ROLE_ARN");
    const char *whole = getenv("AWS_CONTAINER_CREDENTIALS_FULL_URI");
    const char *part = getenv("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI");
    if (file && *file && role && *role)
        return ask_web_identity(k, file, role);
    if (whole && *whole)
        return ask_container(k, whole);
    if (part && *part) {
        char *url = arena_format(k->memory, "http://169.254.170.2%s", part);
        return url ? ask_container(k, url) : status_no_memory("request", 1);
    }
    if (is_instance(k->memory))
        return ask_instance(k);
    lent.is_nobody = true;
    return STATUS_OK;
}

static status identity_renew(const http_config *config)
{
    asking k = {.config = config};
    TRY(arena_new(&k.memory));
    status st = ask_whoever_lends(&k);
    transfer_release(&k.transfer);
    arena_free(k.memory);
    return status_context(st, "keys for object stores");
}

status identity_find(http_config *config)
{
    arena *a = config->memory;
    time_t now = time(NULL);
    if (!lent.is_nobody && now > lent.expires - RENEWED_SECONDS) {
        status st = identity_renew(config);
        if (st && now >= lent.expires)
            return st;
        status_free(st); /* the keys hold still */
    }
    if (lent.is_nobody)
        return STATUS_OK;
    config->keys = (sign_keys){arena_copy_text(a, lent.id, strlen(lent.id)),
                               arena_copy_text(a, lent.secret, strlen(lent.secret)),
                               arena_copy_text(a, lent.token, strlen(lent.token))};
    config->has_keys = config->keys.id && config->keys.secret && config->keys.token;
    config->renewed = lent.expires - RENEWED_SECONDS;
    return config->has_keys ? STATUS_OK : status_no_memory("keys", 1);
}
