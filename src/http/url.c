/* url.c - see url.h. */
#include "http/url.h"

#include <string.h>
#include <strings.h>

#include "http/engine.h"

#define URL_BYTES_MAX 8192

static bool is_unreserved(unsigned char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (c && strchr("-._~", c));
}

static char *put_encoded(char *to, unsigned char c)
{
    static const char digits[] = "0123456789ABCDEF";
    *to++ = '%';
    *to++ = digits[c >> 4];
    *to++ = digits[c & 15];
    return to;
}

char *url_encode(arena *a, const char *text, bool keeps_slashes)
{
    char *made = arena_alloc(a, 3 * strlen(text) + 1), *to = made;
    for (const char *from = text; made && *from; from++) {
        unsigned char c = (unsigned char)*from;
        if (is_unreserved(c) || (c == '/' && keeps_slashes))
            *to++ = *from;
        else
            to = put_encoded(to, c);
    }
    return made;
}

/* Encodes what a URL may not have in it at all, and leaves the rest as it stands. */
static char *encode_rest(arena *a, const char *text, size_t bytes)
{
    char *made = arena_alloc(a, 3 * bytes + 1), *to = made;
    for (size_t i = 0; made && i < bytes; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c > ' ' && c < 127 && !strchr("\"<>\\^`{|}", c))
            *to++ = text[i];
        else
            to = put_encoded(to, c);
    }
    return made;
}

char *url_shown(arena *a, const char *url)
{
    size_t bytes = strcspn(url, "?#");
    if (strncasecmp(url, "http", 4) != 0 || !url[bytes])
        return arena_copy_text(a, url, strlen(url));
    return arena_format(a, "%.*s?...", (int)bytes, url);
}

static status bad_url(arena *a, const char *url, const char *why)
{
    char *shown = url_shown(a, url);
    return status_new(STATUS_KIND_INVALID, "URL \"%s\" %s", shown ? shown : "", why);
}

/* Returns whether the text is a host's name and perhaps a port: nothing that a header or a request line ends at. */
static bool is_host(const char *text)
{
    size_t name = *text == '[' ? strspn(text + 1, "0123456789abcdefABCDEF:.") + 2
                               : strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                              "0123456789-._");
    if (!name || (*text == '[' && (strlen(text) < name || text[name - 1] != ']')))
        return false;
    if (!text[name])
        return true;
    size_t digits = text[name] == ':' ? strspn(text + name + 1, "0123456789") : 0;
    return digits && digits < 6 && !text[name + 1 + digits];
}

/* Buckets are parts of hosts' names: DNS's letters. Older ones have capitals and underscores, too. */
static bool is_bucket(const char *text)
{
    size_t bytes =
        strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._");
    return bytes && !text[bytes] && bytes < 256 && strcmp(text, ".") != 0 &&
           strcmp(text, "..") != 0;
}

/* The default port is not part of the header Host. */
static char *host_of(arena *a, const char *text, size_t bytes, bool is_tls)
{
    const char *port = is_tls ? ":443" : ":80";
    size_t length = strlen(port);
    if (bytes > length && !strncmp(text + bytes - length, port, length))
        bytes -= length;
    return arena_copy_text(a, text, bytes);
}

static status parse_web(arena *a, const char *url, url_place *out)
{
    const char *host = strstr(url, "://") + 3;
    size_t bytes = strcspn(host, "/?#");
    const char *path = host + bytes, *query = path + strcspn(path, "?#");
    size_t path_bytes = (size_t)(query - path);
    out->is_tls = !strncasecmp(url, "https", 5);
    if (memchr(host, '@', bytes))
        return status_hint(bad_url(a, "https://", "has a name or a password in it"),
                           "take what comes before the @ out of it");
    out->host = host_of(a, host, bytes, out->is_tls);
    out->path = path_bytes ? encode_rest(a, path, path_bytes) : arena_copy_text(a, "/", 1);
    out->query = *query == '?' ? encode_rest(a, query + 1, strcspn(query + 1, "#"))
                               : arena_copy_text(a, "", 0);
    out->bucket = out->key = out->folder = "";
    if (!out->host || !out->path || !out->query)
        return status_no_memory("URL", strlen(url));
    return is_host(out->host) ? STATUS_OK : bad_url(a, url, "does not name a host");
}

/* Finds the host that has the bucket: out->host and out->folder. */
static status find_host(arena *a, const url_store *store, const char *scheme, url_place *out)
{
    const char *endpoint = store->endpoint, *region = *store->region ? store->region : "us-east-1";
    bool is_google = *scheme == 'g';
    if (!*endpoint && is_google)
        endpoint = "https://storage.googleapis.com";
    if (!*endpoint && *scheme == 'r')
        return status_hint(status_new(STATUS_KIND_INVALID, "r2:// needs an endpoint"),
                           "SET s3_endpoint = 'https://ACCOUNT.r2.cloudflarestorage.com'");
    bool is_dotted = strchr(out->bucket, '.');
    if (!*endpoint && !store->is_path_style && !is_dotted) {
        out->host = arena_format(a, "%s.s3.%s.amazonaws.com", out->bucket, region);
        out->folder = "/";
        out->is_tls = true;
        return out->host ? STATUS_OK : status_no_memory("URL", strlen(out->bucket));
    }
    out->is_tls = strncasecmp(endpoint, "http://", 7) != 0;
    const char *scheme_end = strstr(endpoint, "://");
    const char *host = scheme_end ? scheme_end + 3 : endpoint;
    out->host = *endpoint ? host_of(a, host, strcspn(host, "/"), out->is_tls)
                          : arena_format(a, "s3.%s.amazonaws.com", region);
    out->folder = arena_format(a, "/%s/", out->bucket);
    if (store->is_host_style && out->host) {
        out->host = arena_format(a, "%s.%s", out->bucket, out->host);
        out->folder = "/";
    }
    return out->host && out->folder ? STATUS_OK : status_no_memory("URL", strlen(out->bucket));
}

static status parse_store(arena *a, const url_store *store, const char *url, url_place *out)
{
    const char *bucket = strstr(url, "://") + 3;
    size_t bytes = strcspn(bucket, "/");
    out->is_store = true;
    out->bucket = arena_copy_text(a, bucket, bytes);
    out->key = bucket[bytes] ? bucket + bytes + 1 : "";
    out->query = "";
    if (!out->bucket)
        return status_no_memory("URL", bytes);
    if (!is_bucket(out->bucket))
        return bad_url(a, url, "does not name a bucket");
    TRY(find_host(a, store, url, out));
    if (!is_host(out->host))
        return status_new(STATUS_KIND_INVALID, "endpoint \"%s\" does not name a host", out->host);
    const char *key = url_encode(a, out->key, true);
    out->key = arena_copy_text(a, out->key, strlen(out->key));
    out->path = key ? arena_format(a, "%s%s", out->folder, key) : NULL;
    return out->path && out->key ? STATUS_OK : status_no_memory("URL", strlen(url));
}

status url_parse(arena *a, const url_store *store, const char *url, url_place *out)
{
    *out = (url_place){0};
    if (strlen(url) > URL_BYTES_MAX)
        return status_new(STATUS_KIND_INVALID, "a URL is longer than %d bytes", URL_BYTES_MAX);
    if (!strstr(url, "://"))
        return bad_url(a, url, "has no scheme");
    return strncasecmp(url, "http", 4) ? parse_store(a, store, url, out) : parse_web(a, url, out);
}
