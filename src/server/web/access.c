/* access.c - see access.h. */
#include "server/web/access.h"

#include "server/access/base64.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <stdio.h>
#include <strings.h>

#define HOST_BYTES 256
#define CREDENTIALS_BYTES 512

/* ---- Host and Origin ---- */

static const char *header(struct evhttp_request *request, const char *name)
{
    return evhttp_find_header(evhttp_request_get_input_headers(request), name);
}

/* Copies a host without its port and brackets. */
static bool cut_host(const char *text, char host[HOST_BYTES])
{
    bool has_brackets = *text == '[';
    size_t bytes = has_brackets ? strcspn(text + 1, "]") : strcspn(text, ":");
    if (!bytes || bytes >= HOST_BYTES)
        return false;
    memcpy(host, text + has_brackets, bytes);
    host[bytes] = 0;
    return true;
}

static bool is_address(const char *host)
{
    struct in6_addr address;
    return inet_pton(AF_INET, host, &address) == 1 || inet_pton(AF_INET6, host, &address) == 1;
}

/* Knows addresses, localhost and the names of --http-name: another name may be a stranger's that leads here. */
static bool is_own_name(const web *w, const char *host)
{
    if (is_address(host) || !strcasecmp(host, "localhost"))
        return true;
    for (size_t i = 0; i < w->options->http_name_count; i++)
        if (!strcasecmp(host, w->options->http_names[i]))
            return true;
    return false;
}

/* A page's own origin is the scheme and the Host that it was fetched from. */
static bool is_own_origin(const web *w, const char *origin, const char *host)
{
    char own[HOST_BYTES + 80];
    snprintf(own, sizeof own, "%s://%s", w->shared->tls ? "https" : "http", host);
    return !strcasecmp(own, origin);
}

const char *access_refusal(const web *w, struct evhttp_request *request)
{
    char name[HOST_BYTES];
    const char *host = header(request, "Host"), *origin = header(request, "Origin"),
               *site = header(request, "Sec-Fetch-Site");
    bool is_question = evhttp_request_get_command(request) == EVHTTP_REQ_GET;
    if (!host || !cut_host(host, name) || strlen(host) >= HOST_BYTES)
        return "the request names no host";
    if (!is_own_name(w, name))
        return "the server is not known by this host's name; --http-name gives it one";
    if (origin && !is_own_origin(w, origin, host))
        return "pages of other sites may not ask this server";
    if (site && strcmp(site, "same-origin") != 0 && (strcmp(site, "none") != 0 || !is_question))
        return "pages of other sites may not ask this server";
    if ((origin || site) && !is_question && !header(request, ACCESS_HEADER))
        return "requests of pages need the header " ACCESS_HEADER;
    return NULL;
}

/* ---- passwords and tokens ---- */

/* Returns what stands after the scheme's name, or NULL. */
static const char *after_scheme(const char *text, const char *scheme)
{
    size_t bytes = strlen(scheme);
    if (!text || strncasecmp(text, scheme, bytes) != 0 || text[bytes] != ' ')
        return NULL;
    return text + bytes + strspn(text + bytes, " ");
}

static bool has_password(const char *password, size_t bytes, const scram_verifier *verifier)
{
    scram_verifier made;
    scram_make(password, bytes, verifier->salt, verifier->salt_bytes, verifier->iterations, &made);
    return sha256_is_equal(made.stored_key, verifier->stored_key);
}

/* Says what is wrong with the file where the server's own words go, not to the client. */
static status access_find_user(const job *j, const char *user, bool *out_is_there,
                               scram_verifier *out)
{
    status st = users_find(j->web->shared->users, user, out_is_there, out);
    if (!st)
        return STATUS_OK;
    fprintf(stderr, "pistachio serve: %s\n", status_message(st));
    status_free(st);
    return status_new(STATUS_KIND_IO, "the server cannot check passwords");
}

static status check_basic(const job *j, const char *text, bool *out_is_known,
                          char user[USERS_NAME_BYTES], scram_verifier *out)
{
    char pair[CREDENTIALS_BYTES + 1];
    size_t bytes;
    bool is_there;
    if (!base64_read(text, strlen(text), (uint8_t *)pair, CREDENTIALS_BYTES, &bytes))
        return STATUS_OK;
    pair[bytes] = 0;
    char *colon = memchr(pair, ':', bytes);
    if (!colon || colon == pair || colon - pair >= USERS_NAME_BYTES || strlen(pair) != bytes)
        return STATUS_OK;
    *colon = 0;
    TRY(access_find_user(j, pair, &is_there, out));
    if (!is_there) /* takes as long as a wrong password */
        *out = (scram_verifier){.iterations = SCRAM_ITERATIONS, .salt_bytes = SCRAM_SALT_BYTES};
    bool is_right = has_password(colon + 1, bytes - (size_t)(colon + 1 - pair), out);
    *out_is_known = is_there && is_right;
    memcpy(user, pair, (size_t)(colon - pair) + 1);
    return STATUS_OK;
}

static status check_token(const job *j, const char *text, bool *out_is_known,
                          char user[USERS_NAME_BYTES], scram_verifier *out)
{
    token copy = {.until = 0};
    bool is_there;
    mutex_lock(&j->web->lock);
    const token *found = tokens_find(&j->web->tokens, text, stream_milliseconds());
    if (found)
        copy = *found;
    mutex_unlock(&j->web->lock);
    if (!copy.until)
        return STATUS_OK;
    TRY(access_find_user(j, copy.user, &is_there, out));
    *out_is_known = is_there && sha256_is_equal(copy.stored_key, out->stored_key);
    snprintf(user, USERS_NAME_BYTES, "%s", copy.user);
    return STATUS_OK;
}

status access_check(const job *j, bool *out_is_known, char user[USERS_NAME_BYTES],
                    scram_verifier *out)
{
    const char *basic = after_scheme(j->authorization, "Basic"),
               *bearer = after_scheme(j->authorization, "Bearer");
    *out_is_known = j->is_trusted;
    *user = 0;
    if (j->is_trusted || !j->web->shared->users)
        return STATUS_OK;
    if (basic)
        return check_basic(j, basic, out_is_known, user, out);
    return bearer ? check_token(j, bearer, out_is_known, user, out) : STATUS_OK;
}
