/* sign.c - see sign.h. */
#include "http/sign.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <stdlib.h>
#include <string.h>

#include "http/engine.h"

#define HASH_BYTES 32

static void write_hex_digest(const unsigned char *bytes, char out[65])
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < HASH_BYTES; i++) {
        out[2 * i] = digits[bytes[i] >> 4];
        out[2 * i + 1] = digits[bytes[i] & 15];
    }
    out[64] = '\0';
}

void sign_hash(const void *data, size_t bytes, char out[65])
{
    unsigned char hash[EVP_MAX_MD_SIZE] = {0};
    unsigned length;
    (void)EVP_Digest(data, bytes, hash, &length, EVP_sha256(), NULL);
    write_hex_digest(hash, out);
}

static bool sign_hmac(const void *key, size_t key_bytes, const char *text,
                      unsigned char out[EVP_MAX_MD_SIZE])
{
    unsigned length;
    return HMAC(EVP_sha256(), key, (int)key_bytes, (const unsigned char *)text, strlen(text), out,
                &length) != NULL;
}

/* The key of the day, the region and the service. */
static bool derive(const sign_request *r, const char *secret, const char *day,
                   unsigned char out[EVP_MAX_MD_SIZE])
{
    const char *parts[] = {r->region, r->service, "aws4_request"};
    unsigned char key[EVP_MAX_MD_SIZE];
    if (!sign_hmac(secret, strlen(secret), day, out))
        return false;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        memcpy(key, out, HASH_BYTES);
        if (!sign_hmac(key, HASH_BYTES, parts[i], out))
            return false;
    }
    return true;
}

static int compare_headers(const void *left, const void *right)
{
    return strcmp(((const sign_header *)left)->name, ((const sign_header *)right)->name);
}

/* All headers that are signed, sorted; returns how many. */
static size_t sign_collect(const sign_request *r, const sign_keys *keys, const char *date,
                           bool has_hash, sign_header out[SIGN_HEADERS_MAX + 3])
{
    size_t count = r->header_count < SIGN_HEADERS_MAX ? r->header_count : SIGN_HEADERS_MAX;
    memcpy(out, r->headers, count * sizeof *out);
    out[count++] = (sign_header){"x-amz-date", date};
    if (has_hash)
        out[count++] = (sign_header){"x-amz-content-sha256", r->body_hash};
    if (*keys->token)
        out[count++] = (sign_header){"x-amz-security-token", keys->token};
    qsort(out, count, sizeof *out, compare_headers);
    return count;
}

/* "name:value\n" of each header, blanks around the value left out, those within it made one. */
static char *header_lines(arena *a, const sign_header *headers, size_t count)
{
    size_t room = 1;
    for (size_t i = 0; i < count; i++)
        room += strlen(headers[i].name) + strlen(headers[i].value) + 2;
    char *made = arena_alloc(a, room), *to = made;
    for (size_t i = 0; made && i < count; i++) {
        to = stpcpy(to, headers[i].name);
        *to++ = ':';
        char *value = to;
        for (const char *from = headers[i].value; *from; from++)
            if (*from != ' ' || (to > value && to[-1] != ' '))
                *to++ = *from;
        while (to > value && to[-1] == ' ')
            to--;
        *to++ = '\n';
    }
    return made;
}

/* "name;name;name" */
static char *header_names(arena *a, const sign_header *headers, size_t count)
{
    char *made = arena_copy_text(a, "", 0);
    for (size_t i = 0; made && i < count; i++)
        made = arena_format(a, "%s%s%s", made, i ? ";" : "", headers[i].name);
    return made;
}

static status no_memory(void)
{
    return status_no_memory("signature", 1);
}

status sign_request_v4(arena *a, const sign_request *r, const sign_keys *keys, time_t now,
                       bool has_hash, sign_result *out)
{
    struct tm utc;
    char date[32], day[16], hash[65], signature[65];
    unsigned char key[EVP_MAX_MD_SIZE], mac[EVP_MAX_MD_SIZE];
    sign_header headers[SIGN_HEADERS_MAX + 3];
    gmtime_r(&now, &utc);
    strftime(date, sizeof date, "%Y%m%dT%H%M%SZ", &utc);
    strftime(day, sizeof day, "%Y%m%d", &utc);
    size_t count = sign_collect(r, keys, date, has_hash, headers);
    const char *names = header_names(a, headers, count);
    const char *lines = header_lines(a, headers, count);
    char *canonical = names && lines ? arena_format(a, "%s\n%s\n%s\n%s\n%s\n%s", r->method, r->path,
                                                    r->query, lines, names, r->body_hash)
                                     : NULL;
    char *scope = arena_format(a, "%s/%s/%s/aws4_request", day, r->region, r->service);
    char *secret = arena_format(a, "AWS4%s", keys->secret);
    if (!canonical || !scope || !secret)
        return no_memory();
    sign_hash(canonical, strlen(canonical), hash);
    char *text = arena_format(a, "AWS4-HMAC-SHA256\n%s\n%s\n%s", date, scope, hash);
    if (!text || !derive(r, secret, day, key) || !sign_hmac(key, HASH_BYTES, text, mac))
        return no_memory();
    write_hex_digest(mac, signature);
    out->date = arena_copy_text(a, date, strlen(date));
    out->authorization =
        arena_format(a, "AWS4-HMAC-SHA256 Credential=%s/%s, SignedHeaders=%s, Signature=%s",
                     keys->id, scope, names, signature);
    return out->date && out->authorization ? STATUS_OK : no_memory();
}
