/* rest.c - requests of a catalog, tokens, and what answers mean. */
#include "lake/rest/rest.h"

#include "base/cancel.h"
#include "storage/object_store.h"

#include <time.h>

#define ANSWER_BYTES_MAX ((uint64_t)256 << 20)
#define PAGES_MAX 100000
#define WORDS_BYTES 240
#define RENEWED_SECONDS 60 /* before a token ends */

struct rest_catalog {
    arena *memory;
    const char *name, *uri, *prefix; /* without slashes at their ends */
    rest_options options;
    yyjson_val *config;
    char *authorization; /* the header's value; NULL: none */
    time_t renewed;      /* a client's token is asked for again from then on; 0: never */
};

static status rest_no_memory(void)
{
    return status_no_memory("catalog", 1);
}

static bool has_client(const rest_catalog *c)
{
    return c->options.client_id && c->options.client_secret;
}

const char *rest_config(const rest_catalog *c, const char *name)
{
    const char *text = lake_json_text(yyjson_obj_get(c->config, "overrides"), name);
    return text ? text : lake_json_text(yyjson_obj_get(c->config, "defaults"), name);
}

/* ---- URLs ---- */

/* Writes bytes as part of a URL. */
static char *rest_encode(arena *a, const char *text)
{
    static const char digits[] = "0123456789ABCDEF";
    char *made = arena_alloc(a, 3 * strlen(text) + 1), *to = made;
    for (; made && *text; text++) {
        unsigned char c = (unsigned char)*text;
        bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                        (c >= '0' && c <= '9') || strchr("-._~", c);
        if (is_plain) {
            *to++ = *text;
            continue;
        }
        *to++ = '%';
        *to++ = digits[c >> 4];
        *to++ = digits[c & 15];
    }
    return made;
}

/* Levels of a namespace are told with the unit separator between them. */
static char *encode_space(arena *a, const char *space)
{
    char *levels = arena_copy_text(a, space, strlen(space));
    for (char *at = levels; at && *at; at++)
        *at = *at == '.' ? '\037' : *at;
    return levels ? rest_encode(a, levels) : NULL;
}

static char *copy_without_slash(arena *a, const char *uri)
{
    size_t bytes = strlen(uri);
    while (bytes && uri[bytes - 1] == '/')
        bytes--;
    return arena_copy_text(a, uri, bytes);
}

/* ---- answers ---- */

/* Reads the server's own words for an error: one line of printable text. */
static void rest_read_words(arena *a, const object_answer *answer, char out[WORDS_BYTES])
{
    yyjson_val *root = NULL;
    size_t at = 0, bytes = 0;
    out[0] = '\0';
    status_free(lake_json(a, "answer", answer->text, answer->bytes, &at, &root));
    const char *text = lake_json_text(yyjson_obj_get(root, "error"), "message");
    if (!text)
        text = lake_json_text(root, "error_description");
    if (!text)
        text = lake_json_text(root, "error");
    for (; text && *text && bytes < WORDS_BYTES - 1; text++)
        out[bytes++] = (unsigned char)*text < ' ' ? ' ' : *text;
    while (bytes && *text && ((unsigned char)out[bytes - 1] & 0xc0) == 0x80)
        bytes--; /* in the middle of a letter */
    out[bytes] = '\0';
}

static status refused_token(const rest_catalog *c, unsigned code, const char *words)
{
    const char *colon = *words ? ": " : "";
    if (!c->authorization)
        return status_hint(status_new(STATUS_KIND_IO, "catalog \"%s\" wants a token (%u%s%s)",
                                      c->name, code, colon, words),
                           "ATTACH ... (TYPE iceberg, TOKEN '...'), or CLIENT_ID and "
                           "CLIENT_SECRET");
    return status_hint(status_new(STATUS_KIND_IO,
                                  "catalog \"%s\" refuses the token: it is wrong, or has expired "
                                  "(%u%s%s)",
                                  c->name, code, colon, words),
                       "DETACH the catalog, and ATTACH it with a new token");
}

/* `what` names what was asked for. */
static status bad_answer(const rest_catalog *c, arena *a, const object_answer *answer,
                         const char *what)
{
    char words[WORDS_BYTES];
    rest_read_words(a, answer, words);
    const char *colon = *words ? ": " : "";
    switch (answer->code) {
    case 401:
    case 419:
        return refused_token(c, answer->code, words);
    case 403:
        return status_new(STATUS_KIND_IO, "catalog \"%s\" does not allow to read %s (403%s%s)",
                          c->name, what, colon, words);
    case 404:
        return status_new(STATUS_KIND_NOT_FOUND, "catalog \"%s\" does not have %s (404%s%s)",
                          c->name, what, colon, words);
    default:
        return status_new(STATUS_KIND_IO, "catalog \"%s\" answers %u for %s%s%s", c->name,
                          answer->code, what, colon, words);
    }
}

static status bad_json(const rest_catalog *c, const char *what)
{
    return status_hint(status_new(STATUS_KIND_CORRUPT,
                                  "the answer of catalog \"%s\" for %s makes no sense", c->name,
                                  what),
                       "the URL of ATTACH must be that of an Iceberg REST catalog");
}

/* Parses an answer with a code of success; frees its text. */
static status parse_answer(const rest_catalog *c, arena *a, object_answer *answer, const char *what,
                           yyjson_val **out)
{
    size_t at = 0;
    status st = STATUS_OK;
    *out = NULL;
    if (answer->code < 200 || answer->code > 299) {
        st = bad_answer(c, a, answer, what);
    } else {
        status parsed = lake_json(a, "answer", answer->text, answer->bytes, &at, out);
        bool has_memory = status_get_kind(parsed) != STATUS_KIND_NO_MEMORY;
        if (!has_memory)
            st = parsed;
        else if (parsed || !yyjson_is_obj(*out))
            st = bad_json(c, what);
        if (has_memory)
            status_free(parsed);
    }
    mem_free(answer->text);
    return st;
}

/* ---- tokens ---- */

/* Checks that a token can stand in a header. */
static status set_token(rest_catalog *c, const char *token)
{
    for (const char *at = token; *at; at++)
        if (*at <= ' ' || *at == 127)
            return status_new(STATUS_KIND_INVALID,
                              "the token for catalog \"%s\" has characters that tokens do not have",
                              c->name);
    c->authorization = arena_format(c->memory, "Bearer %s", token);
    return c->authorization ? STATUS_OK : rest_no_memory();
}

static status take_token(rest_catalog *c, yyjson_val *answer)
{
    int64_t seconds = 0;
    const char *token = lake_json_text(answer, "access_token");
    if (!token || !*token)
        return bad_json(c, "a token");
    TRY(set_token(c, token));
    c->renewed = 0;
    if (lake_json_int(answer, "expires_in", &seconds) && seconds > 0 && seconds < INT32_MAX)
        c->renewed = time(NULL) + (seconds > RENEWED_SECONDS ? seconds - RENEWED_SECONDS : 0);
    return STATUS_OK;
}

/* Exchanges the client's name and secret for a token. */
static status ask_for_token(rest_catalog *c, arena *a)
{
    const rest_options *o = &c->options;
    object_answer answer;
    yyjson_val *root;
    char *id = rest_encode(a, o->client_id), *secret = rest_encode(a, o->client_secret);
    char *scope = rest_encode(a, o->scope ? o->scope : "catalog");
    const char *url = o->token_uri ? o->token_uri : arena_format(a, "%s/v1/oauth/tokens", c->uri);
    char *form = id && secret && scope
                     ? arena_format(a,
                                    "grant_type=client_credentials&client_id=%s&client_secret=%s&"
                                    "scope=%s",
                                    id, secret, scope)
                     : NULL;
    if (!form || !url)
        return rest_no_memory();
    const object_question q = {.url = url, .form = form, .room = ANSWER_BYTES_MAX >> 8};
    TRY(status_context(object_ask(&q, &answer), "token of catalog \"%s\"", c->name));
    if (answer.code == 400 || answer.code == 401) {
        char words[WORDS_BYTES];
        rest_read_words(a, &answer, words);
        mem_free(answer.text);
        return status_hint(status_new(STATUS_KIND_IO,
                                      "catalog \"%s\" gives the client no token (%u%s%s)", c->name,
                                      answer.code, *words ? ": " : "", words),
                           "check CLIENT_ID, CLIENT_SECRET and OAUTH2_SCOPE of ATTACH");
    }
    TRY(parse_answer(c, a, &answer, "a token", &root));
    return take_token(c, root);
}

/* ---- requests ---- */

static status ask_once(const rest_catalog *c, const char *url, const char *what, bool lends,
                       object_answer *out)
{
    const object_question q = {.url = url,
                               .authorization = c->authorization,
                               .name = lends ? "X-Iceberg-Access-Delegation" : NULL,
                               .value = "vended-credentials",
                               .room = ANSWER_BYTES_MAX};
    return status_context(object_ask(&q, out), "%s of catalog \"%s\"", what, c->name);
}

/* Asks for JSON; a client's token that was refused is asked for again, once. */
static status ask(rest_catalog *c, arena *a, const char *url, const char *what, bool lends,
                  yyjson_val **out)
{
    object_answer answer;
    if (!url)
        return rest_no_memory();
    if (has_client(c) && (!c->authorization || (c->renewed && time(NULL) >= c->renewed)))
        TRY(ask_for_token(c, a));
    TRY(ask_once(c, url, what, lends, &answer));
    if ((answer.code == 401 || answer.code == 419) && has_client(c)) {
        mem_free(answer.text);
        TRY(ask_for_token(c, a));
        TRY(ask_once(c, url, what, lends, &answer));
    }
    return parse_answer(c, a, &answer, what, out);
}

/* A path below the prefix; NULL: no memory. */
static char *rest_url_of(const rest_catalog *c, arena *a, const char *path)
{
    return arena_format(a, "%s/v1%s%s/%s", c->uri, *c->prefix ? "/" : "", c->prefix, path);
}

/* ---- opening ---- */

/* Takes what the configuration says of the paths. TLS is not left. */
static status take_config(rest_catalog *c)
{
    const char *prefix = rest_config(c, "prefix");
    const char *uri = lake_json_text(yyjson_obj_get(c->config, "overrides"), "uri");
    if (uri && (!object_store_has(uri) || strncasecmp(uri, "http", 4) != 0 ||
                (!strncasecmp(c->uri, "https:", 6) && strncasecmp(uri, "https:", 6) != 0)))
        return status_new(STATUS_KIND_CORRUPT, "catalog \"%s\" sends requests to \"%s\"", c->name,
                          uri);
    if (uri)
        c->uri = copy_without_slash(c->memory, uri);
    c->prefix = prefix ? copy_without_slash(c->memory, prefix) : "";
    return c->uri && c->prefix ? STATUS_OK : rest_no_memory();
}

static const char *keep(rest_catalog *c, const char *text)
{
    return text ? arena_copy_text(c->memory, text, strlen(text)) : NULL;
}

static status open_catalog(rest_catalog *c, const char *name, const rest_options *o)
{
    const char *warehouse = o->warehouse ? rest_encode(c->memory, o->warehouse) : "";
    c->options = (rest_options){.client_id = keep(c, o->client_id),
                                .client_secret = keep(c, o->client_secret),
                                .token_uri = keep(c, o->token_uri),
                                .scope = keep(c, o->scope),
                                .lends_nothing = o->lends_nothing};
    c->name = keep(c, name);
    c->uri = copy_without_slash(c->memory, o->uri);
    c->prefix = "";
    if (!c->name || !c->uri || !warehouse)
        return rest_no_memory();
    if (o->token)
        TRY(set_token(c, o->token));
    const char *url = arena_format(c->memory, "%s/v1/config%s%s", c->uri,
                                   *warehouse ? "?warehouse=" : "", warehouse);
    TRY(ask(c, c->memory, url, "the configuration", false, &c->config));
    return take_config(c);
}

status rest_catalog_open(const char *name, const rest_options *options, rest_catalog **out)
{
    arena *memory;
    *out = NULL;
    TRY(arena_new(&memory));
    rest_catalog *c = arena_alloc(memory, sizeof *c);
    status st = c ? STATUS_OK : rest_no_memory();
    if (!st) {
        c->memory = memory;
        st = open_catalog(c, name, options);
    }
    if (st)
        arena_free(memory);
    else
        *out = c;
    return st;
}

void rest_catalog_close(rest_catalog *c)
{
    if (c)
        arena_free(c->memory);
}

/* ---- listings ---- */

/* A namespace is a list of its levels. NULL: it is not one. */
static char *space_of(arena *a, yyjson_val *levels)
{
    yyjson_arr_iter iter;
    yyjson_val *level;
    char *made = NULL;
    yyjson_arr_iter_init(levels, &iter);
    while ((level = yyjson_arr_iter_next(&iter))) {
        const char *text = yyjson_get_str(level);
        if (!text)
            return NULL;
        made = arena_format(a, "%s%s%s", made ? made : "", made ? "." : "", text);
        if (!made)
            return NULL;
    }
    return made;
}

/* Control characters would end a name's part in the catalog's keys. */
static bool is_name(const char *text)
{
    if (!text || !*text)
        return false;
    for (; *text; text++)
        if ((unsigned char)*text < ' ')
            return false;
    return true;
}

static status rest_take_page(arena *a, yyjson_val *page, const char *list, rest_taker take,
                             void *context)
{
    yyjson_arr_iter iter;
    yyjson_val *item;
    yyjson_arr_iter_init(yyjson_obj_get(page, list), &iter);
    for (size_t i = 0; (item = yyjson_arr_iter_next(&iter)); i++) {
        const char *name = yyjson_is_arr(item) ? space_of(a, item) : lake_json_text(item, "name");
        if (cancel_look(i))
            TRY(cancel_check());
        if (is_name(name))
            TRY(take(context, name));
    }
    return STATUS_OK;
}

/* Reads a listing page by page. */
static status list_pages(rest_catalog *c, arena *a, const char *url, const char *list,
                         const char *what, rest_taker take, void *context)
{
    const char *next = NULL;
    for (int pages = 0; pages < PAGES_MAX; pages++) {
        yyjson_val *page;
        char *token = next ? rest_encode(a, next) : NULL;
        const char *wanted = token ? arena_format(a, "%s?pageToken=%s", url, token) : url;
        TRY(cancel_check());
        TRY(ask(c, a, wanted, what, false, &page));
        if (!yyjson_is_arr(yyjson_obj_get(page, list)))
            return bad_json(c, what);
        TRY(rest_take_page(a, page, list, take, context));
        const char *after = lake_json_text(page, "next-page-token");
        if (!after || !*after)
            return STATUS_OK;
        if (next && !strcmp(next, after))
            break;
        next = after;
    }
    return status_new(STATUS_KIND_CORRUPT, "catalog \"%s\" repeats a page of %s", c->name, what);
}

status rest_list_namespaces(rest_catalog *c, rest_taker take, void *context)
{
    arena *scratch;
    TRY(arena_new(&scratch));
    const char *url = rest_url_of(c, scratch, "namespaces");
    status st = url ? list_pages(c, scratch, url, "namespaces", "the namespaces", take, context)
                    : rest_no_memory();
    arena_free(scratch);
    return st;
}

static status list_tables(rest_catalog *c, arena *a, const char *space, rest_taker take,
                          void *context)
{
    char *encoded = encode_space(a, space);
    char *path = encoded ? arena_format(a, "namespaces/%s/tables", encoded) : NULL;
    char *url = path ? rest_url_of(c, a, path) : NULL;
    char *what = arena_format(a, "the tables of namespace \"%s\"", space);
    return url && what ? list_pages(c, a, url, "identifiers", what, take, context)
                       : rest_no_memory();
}

status rest_list_tables(rest_catalog *c, const char *space, rest_taker take, void *context)
{
    arena *scratch;
    TRY(arena_new(&scratch));
    status st = list_tables(c, scratch, space, take, context);
    arena_free(scratch);
    return st;
}

static status find_namespace(rest_catalog *c, arena *a, const char *space)
{
    yyjson_val *answer;
    char *encoded = encode_space(a, space);
    char *path = encoded ? arena_format(a, "namespaces/%s", encoded) : NULL;
    char *what = arena_format(a, "namespace \"%s\"", space);
    return path && what ? ask(c, a, rest_url_of(c, a, path), what, false, &answer)
                        : rest_no_memory();
}

status rest_find_namespace(rest_catalog *c, const char *space)
{
    arena *scratch;
    TRY(arena_new(&scratch));
    status st = find_namespace(c, scratch, space);
    arena_free(scratch);
    return st;
}

/* ---- tables ---- */

status rest_load_table(rest_catalog *c, arena *a, const char *space, const char *table,
                       rest_table *out)
{
    yyjson_val *answer;
    char *encoded_space = encode_space(a, space), *encoded = rest_encode(a, table);
    char *path = encoded_space && encoded
                     ? arena_format(a, "namespaces/%s/tables/%s", encoded_space, encoded)
                     : NULL;
    char *what = arena_format(a, "table \"%s.%s\"", space, table);
    *out = (rest_table){.name = arena_format(a, "%s.%s.%s", c->name, space, table)};
    if (!path || !what || !out->name)
        return rest_no_memory();
    TRY(ask(c, a, rest_url_of(c, a, path), what, !c->options.lends_nothing, &answer));
    out->metadata = yyjson_obj_get(answer, "metadata");
    out->location = lake_json_text(answer, "metadata-location");
    if (!yyjson_is_obj(out->metadata))
        return bad_json(c, what);
    if (!out->location)
        return status_new(STATUS_KIND_UNSUPPORTED,
                          "table \"%s\" is not there yet: its metadata have no location",
                          out->name);
    return rest_take_keys(c, a, answer, out);
}
