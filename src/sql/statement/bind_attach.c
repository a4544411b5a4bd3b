/* bind_attach.c - see bind_attach.h. */
#include "sql/statement/bind_attach.h"

#include "lake/rest/rest.h"

#include <strings.h>

/* Options by their names; DuckDB's where it has them. */
enum {
    ATTACH_TYPE,
    ATTACH_ENDPOINT,
    ATTACH_WAREHOUSE,
    ATTACH_TOKEN,
    ATTACH_CLIENT_ID,
    ATTACH_CLIENT_SECRET,
    ATTACH_TOKEN_URI,
    ATTACH_SCOPE,
    ATTACH_DELEGATION,
    ATTACH_READ_ONLY,
    ATTACH_OPTIONS
};
static const char *const attach_names[ATTACH_OPTIONS] = {"type",
                                                         "endpoint",
                                                         "warehouse",
                                                         "token",
                                                         "client_id",
                                                         "client_secret",
                                                         "oauth2_server_uri",
                                                         "oauth2_scope",
                                                         "access_delegation_mode",
                                                         "read_only"};

static status find_attach_option(const binder *b, const DefElem *option, size_t *out)
{
    for (*out = 0; *out < ATTACH_OPTIONS; ++*out)
        if (!strcasecmp(attach_names[*out], option->defname))
            return STATUS_OK;
    return bind_suggest(bind_error(b, STATUS_KIND_INVALID, option->location,
                                   "ATTACH has no option \"%s\"", option->defname),
                        option->defname, (const char **)attach_names, ATTACH_OPTIONS);
}

static status read_attach_options(const binder *b, const AttachStmt *tree,
                                  const char *texts[ATTACH_OPTIONS])
{
    for (size_t i = 0; i < list_length(tree->options); i++) {
        const DefElem *option = castNode(DefElem, list_nth(tree->options, i));
        size_t number;
        TRY(find_attach_option(b, option, &number));
        if (texts[number])
            return bind_error(b, STATUS_KIND_INVALID, option->location,
                              "ATTACH option %s is given twice", attach_names[number]);
        if (option->arg && nodeTag(option->arg) != T_String)
            return bind_error(b, STATUS_KIND_INVALID, option->location,
                              "ATTACH option %s must be a text in quotes", attach_names[number]);
        texts[number] = option->arg ? strVal(option->arg) : "";
        if (!*texts[number] && number != ATTACH_READ_ONLY)
            return bind_error(b, STATUS_KIND_INVALID, option->location,
                              "ATTACH option %s has no value", attach_names[number]);
    }
    return STATUS_OK;
}

static bool is_web(const char *text)
{
    return !strncasecmp(text, "https://", 8) || !strncasecmp(text, "http://", 7);
}

static status check_attach(const binder *b, const AttachStmt *tree,
                           const char *const texts[ATTACH_OPTIONS])
{
    const char *type = texts[ATTACH_TYPE], *mode = texts[ATTACH_DELEGATION];
    const char *uri = texts[ATTACH_ENDPOINT] ? texts[ATTACH_ENDPOINT] : tree->path;
    if (!type || strcasecmp(type, "iceberg") != 0)
        return status_hint(bind_error(b, STATUS_KIND_INVALID, tree->location,
                                      type ? "ATTACH cannot have the type \"%s\""
                                           : "ATTACH of a server needs a type%s",
                                      type ? type : ""),
                           "ATTACH 'https://host' AS name (TYPE iceberg, TOKEN '...'); a folder "
                           "has no options");
    if (!is_web(uri))
        return status_hint(bind_error(b, STATUS_KIND_INVALID, tree->location,
                                      "\"%s\" is not the URL of a catalog", uri),
                           "ATTACH 'https://host' AS name (TYPE iceberg), or ATTACH 'warehouse' AS "
                           "name (TYPE iceberg, ENDPOINT 'https://host')");
    if (texts[ATTACH_TOKEN_URI] && !is_web(texts[ATTACH_TOKEN_URI]))
        return bind_error(b, STATUS_KIND_INVALID, tree->location, "\"%s\" is not a URL",
                          texts[ATTACH_TOKEN_URI]);
    if (!texts[ATTACH_CLIENT_ID] != !texts[ATTACH_CLIENT_SECRET])
        return bind_error(b, STATUS_KIND_INVALID, tree->location,
                          "client_id and client_secret go together");
    if (texts[ATTACH_CLIENT_ID] && texts[ATTACH_TOKEN])
        return bind_error(b, STATUS_KIND_INVALID, tree->location,
                          "ATTACH takes a token or a client_id, not both");
    if (mode && strcasecmp(mode, "none") != 0 && strcasecmp(mode, "vended_credentials") != 0)
        return status_hint(bind_error(b, STATUS_KIND_INVALID, tree->location,
                                      "access_delegation_mode cannot be \"%s\"", mode),
                           "vended_credentials or none");
    return STATUS_OK;
}

status bind_attach_options(binder *b, const AttachStmt *tree, sql_statement *out)
{
    const char *texts[ATTACH_OPTIONS] = {0};
    if (!list_length(tree->options) && !is_web(tree->path))
        return STATUS_OK;
    TRY(read_attach_options(b, tree, texts));
    TRY(check_attach(b, tree, texts));
    rest_options *made = arena_alloc(b->memory, sizeof *made);
    if (!made)
        return bind_no_memory();
    const char *endpoint = texts[ATTACH_ENDPOINT], *mode = texts[ATTACH_DELEGATION];
    *made = (rest_options){.uri = endpoint ? endpoint : tree->path,
                           .warehouse = endpoint && *tree->path && !texts[ATTACH_WAREHOUSE]
                                            ? tree->path
                                            : texts[ATTACH_WAREHOUSE],
                           .token = texts[ATTACH_TOKEN],
                           .client_id = texts[ATTACH_CLIENT_ID],
                           .client_secret = texts[ATTACH_CLIENT_SECRET],
                           .token_uri = texts[ATTACH_TOKEN_URI],
                           .scope = texts[ATTACH_SCOPE],
                           .lends_nothing = mode && !strcasecmp(mode, "none")};
    out->rest = made;
    return STATUS_OK;
}
