/* config.c - see config.h. */
#include "http/config.h"

#include "base/system/mutex.h"
#include "http/identity.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "http/engine.h"

#define FILE_BYTES_MAX 65536
#define KEPT_SECONDS 1

static pthread_mutex_t lock = MUTEX_INITIALIZER;
/* Under the lock: what was asked for last. */
static const http_config *known;
static uint64_t known_for; /* as object_settings.serial */
static time_t known_since;

/* ---- files ---- */

static const char *skip_blanks(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\t'))
        at++;
    return at;
}

static const char *without_blanks(const char *start, const char *end)
{
    while (end > start && strchr(" \t\r", end[-1]))
        end--;
    return end;
}

/* Returns whether a line is "[section]" or "[profile section]"; *is_in: the section is the one that is looked for. */
static bool read_section(const char *at, const char *end, const char *section, bool *is_in)
{
    if (at == end || *at != '[')
        return false;
    at = skip_blanks(at + 1, end);
    const char *close = at;
    while (close < end && *close != ']')
        close++;
    end = without_blanks(at, close);
    if (end - at > 8 && !strncmp(at, "profile ", 8))
        at = skip_blanks(at + 8, end);
    *is_in = (size_t)(end - at) == strlen(section) && !memcmp(at, section, strlen(section));
    return true;
}

const char *config_find(arena *a, const char *text, const char *section, const char *name)
{
    bool is_in = false;
    size_t bytes = strlen(name);
    for (const char *line = text, *next; *line; line = next) {
        const char *end = line + strcspn(line, "\n");
        next = *end ? end + 1 : end;
        const char *at = skip_blanks(line, end);
        if (read_section(at, end, section, &is_in) || !is_in || (size_t)(end - at) < bytes ||
            strncmp(at, name, bytes) != 0)
            continue;
        at = skip_blanks(at + bytes, end);
        if (at == end || *at != '=')
            continue;
        at = skip_blanks(at + 1, end);
        return arena_copy_text(a, at, (size_t)(without_blanks(at, end) - at));
    }
    return NULL;
}

/* The text of a file, or "": what cannot be read says nothing. */
static const char *read_file(arena *a, const char *path)
{
    char *text = arena_alloc(a, FILE_BYTES_MAX + 1);
    int descriptor = text && path ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
    size_t bytes = 0;
    ssize_t got;
    if (descriptor < 0)
        return "";
    while ((got = read(descriptor, text + bytes, FILE_BYTES_MAX - bytes)) > 0 ||
           (got < 0 && errno == EINTR))
        bytes += got > 0 ? (size_t)got : 0;
    close(descriptor);
    text[bytes] = '\0';
    return text;
}

const char *config_read_line(arena *a, const char *path)
{
    const char *text = read_file(a, path);
    size_t bytes = strcspn(text, "\r\n");
    const char *line =
        arena_copy_text(a, text, (size_t)(without_blanks(text, text + bytes) - text));
    return line ? line : "";
}

static const char *read_home_file(arena *a, const char *variable, const char *name)
{
    const char *path = getenv(variable), *home = getenv("HOME");
    if (!path || !*path)
        path = home && *home ? arena_format(a, "%s/.aws/%s", home, name) : NULL;
    return read_file(a, path);
}

/* ---- what holds ---- */

/* The first of the variables that is set, or "". */
static const char *variable(arena *a, const char *first, const char *second)
{
    const char *text = getenv(first);
    if ((!text || !*text) && second)
        text = getenv(second);
    return text ? arena_copy_text(a, text, strlen(text)) : "";
}

static const char *or_else(const char *text, const char *other)
{
    return text && *text ? text : other ? other : "";
}

typedef struct files {
    const char *credentials, *config, *profile;
} files;

static const char *find_in_files(arena *a, const files *f, const char *name)
{
    const char *found = config_find(a, f->credentials, f->profile, name);
    return or_else(found, config_find(a, f->config, f->profile, name));
}

/* Takes the keys of the settings, whose texts may go. False: they have none. */
static bool config_set_keys(http_config *c, const object_settings *s)
{
    if (!*s->key)
        return false;
    c->has_keys = strcmp(s->key, "none") != 0;
    c->keys = (sign_keys){arena_copy_text(c->memory, s->key, strlen(s->key)),
                          arena_copy_text(c->memory, s->secret, strlen(s->secret)),
                          arena_copy_text(c->memory, s->token, strlen(s->token))};
    return true;
}

/* The keys of one source: never the name of one and the secret of another. */
static void find_keys(http_config *c, const object_settings *s, const files *f)
{
    arena *a = c->memory;
    if (config_set_keys(c, s))
        return;
    c->keys = (sign_keys){variable(a, "AWS_ACCESS_KEY_ID", NULL),
                          variable(a, "AWS_SECRET_ACCESS_KEY", NULL),
                          variable(a, "AWS_SESSION_TOKEN", NULL)};
    if (!*c->keys.id || !*c->keys.secret)
        c->keys = (sign_keys){find_in_files(a, f, "aws_access_key_id"),
                              find_in_files(a, f, "aws_secret_access_key"),
                              find_in_files(a, f, "aws_session_token")};
    c->has_keys = *c->keys.id && *c->keys.secret;
}

static void find_all(http_config *c, const object_settings *s)
{
    arena *a = c->memory;
    files f = {.credentials = read_home_file(a, "AWS_SHARED_CREDENTIALS_FILE", "credentials"),
               .config = read_home_file(a, "AWS_CONFIG_FILE", "config"),
               .profile = or_else(variable(a, "AWS_PROFILE", NULL), "default")};
    find_keys(c, s, &f);
    c->store.region =
        or_else(variable(a, "AWS_REGION", "AWS_DEFAULT_REGION"), find_in_files(a, &f, "region"));
    c->store.endpoint = or_else(variable(a, "AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"),
                                find_in_files(a, &f, "endpoint_url"));
    c->certificates = variable(a, "AWS_CA_BUNDLE", "CURL_CA_BUNDLE");
    c->store.region = or_else(arena_copy_text(a, s->region, strlen(s->region)), c->store.region);
    c->store.endpoint =
        or_else(arena_copy_text(a, s->endpoint, strlen(s->endpoint)), c->store.endpoint);
    c->store.is_path_style = s->is_path_style;
    c->store.is_host_style = s->is_host_style;
    c->timeout = s->timeout * 1000;
}

static status config_new(const object_settings *s, const http_config **out)
{
    arena *memory;
    TRY(arena_new(&memory));
    http_config *c = arena_alloc(memory, sizeof *c);
    if (!c) {
        arena_free(memory);
        return status_no_memory("credentials", sizeof *c);
    }
    c->memory = memory;
    atomic_init(&c->references, 1);
    find_all(c, s);
    status st = c->has_keys || *s->key ? STATUS_OK : identity_find(c);
    if (!st && c->has_keys && (!c->keys.id || !c->keys.secret || !c->keys.token))
        st = status_no_memory("credentials", sizeof *c);
    if (st) {
        arena_free(memory);
        return st;
    }
    *out = c;
    return STATUS_OK;
}

const http_config *config_ref(const http_config *config)
{
    atomic_fetch_add(&((http_config *)config)->references, 1);
    return config;
}

void config_unref(const http_config *config)
{
    if (config && atomic_fetch_sub(&((http_config *)config)->references, 1) == 1)
        arena_free(config->memory);
}

status config_fresh(const object_settings *s, const http_config *config, const http_config **out)
{
    if (config->renewed && time(NULL) > config->renewed)
        return config_get(s, out);
    *out = config_ref(config);
    return STATUS_OK;
}

status config_get(const object_settings *s, const http_config **out)
{
    const http_config *old = NULL;
    status st = STATUS_OK;
    mutex_lock(&lock);
    time_t now = time(NULL);
    if (!known || known_for != s->serial || now - known_since > KEPT_SECONDS || now < known_since) {
        const http_config *made;
        st = config_new(s, &made);
        if (!st) {
            old = known;
            known = made;
            known_for = s->serial;
            known_since = now;
        }
    }
    if (!st)
        *out = config_ref(known);
    mutex_unlock(&lock);
    config_unref(old);
    return st;
}
