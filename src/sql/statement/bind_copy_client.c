/* bind_copy_client.c - see bind_copy_client.h. */
#include "sql/statement/bind_copy_client.h"

#include <strings.h>

typedef enum client_option_id {
    CLIENT_FORMAT,
    CLIENT_HEADER,
    CLIENT_DELIMITER,
    CLIENT_NULL,
    CLIENT_QUOTE,
    CLIENT_ESCAPE,
    CLIENT_FORCE_QUOTE,
    CLIENT_FORCE_NOT_NULL,
    CLIENT_FORCE_NULL,
    CLIENT_ENCODING,
    CLIENT_FREEZE
} client_option_id;

/* Cases of COPY: each format both ways. */
#define TEXT_TO 1u
#define TEXT_FROM 2u
#define CSV_TO 4u
#define CSV_FROM 8u
#define BINARY_TO 16u
#define BINARY_FROM 32u
#define CSV (CSV_TO | CSV_FROM)
#define NOT_BINARY (TEXT_TO | TEXT_FROM | CSV)
#define ALL (NOT_BINARY | BINARY_TO | BINARY_FROM)

static const struct {
    const char *name;
    unsigned cases; /* that have it */
} client_options[] = {
    [CLIENT_FORMAT] = {"format", ALL},
    [CLIENT_HEADER] = {"header", NOT_BINARY},
    [CLIENT_DELIMITER] = {"delimiter", NOT_BINARY},
    [CLIENT_NULL] = {"null", NOT_BINARY},
    [CLIENT_QUOTE] = {"quote", CSV},
    [CLIENT_ESCAPE] = {"escape", CSV},
    [CLIENT_FORCE_QUOTE] = {"force_quote", CSV_TO},
    [CLIENT_FORCE_NOT_NULL] = {"force_not_null", CSV_FROM},
    [CLIENT_FORCE_NULL] = {"force_null", CSV_FROM},
    [CLIENT_ENCODING] = {"encoding", ALL},
    [CLIENT_FREEZE] = {"freeze", TEXT_FROM | CSV_FROM | BINARY_FROM},
};
#define CLIENT_OPTION_COUNT (sizeof client_options / sizeof *client_options)

typedef struct client_call {
    const binder *b;
    const CopyStmt *tree;
    unsigned seen; /* a bit for each client_option_id */
    sql_copy *out;
} client_call;

static const char *client_format(const client_call *c)
{
    return c->out->is_binary ? "binary" : c->out->text.is_csv ? "csv" : "text";
}

static unsigned client_case(const client_call *c)
{
    unsigned to = c->out->is_binary ? BINARY_TO : c->out->text.is_csv ? CSV_TO : TEXT_TO;
    return c->tree->is_from ? to << 1 : to;
}

/* An option's value as text; "" where there is none. */
static status client_text(const client_call *c, const DefElem *option, const char **out)
{
    const pg_node *arg = option->arg;
    *out = "";
    if (!arg)
        return STATUS_OK;
    if (IsA(arg, String))
        *out = strVal(arg);
    else if (IsA(arg, Boolean))
        *out = castNode(Boolean, arg)->boolval ? "true" : "false";
    else if (IsA(arg, Integer))
        *out = castNode(Integer, arg)->ival == 1   ? "true"
               : castNode(Integer, arg)->ival == 0 ? "false"
                                                   : "a number";
    else
        return bind_unsupported(c->b, option->location, "a value of this kind is");
    return STATUS_OK;
}

static status client_wrong_value(const client_call *c, const DefElem *option, const char *text,
                                 const char *allowed)
{
    return status_hint(bind_error(c->b, STATUS_KIND_INVALID, option->location,
                                  "COPY option %s cannot be \"%s\"", option->defname, text),
                       "%s", allowed);
}

/* Reads (a, b) or *. */
static status client_names(const client_call *c, const DefElem *option, sql_copy_names *out)
{
    const pg_node *arg = option->arg;
    *out = (sql_copy_names){.is_all = arg && IsA(arg, A_Star)};
    if (out->is_all)
        return STATUS_OK;
    if (!arg || !IsA(arg, List))
        return status_hint(bind_error(c->b, STATUS_KIND_INVALID, option->location,
                                      "COPY option %s needs columns", option->defname),
                           "(a, b)");
    const List *list = (const List *)arg;
    const char **names = arena_alloc_array(c->b->memory, list_length(list) + 1, sizeof *names);
    if (!names)
        return bind_no_memory();
    for (size_t i = 0; i < list_length(list); i++) {
        if (!IsA(list_nth(list, i), String))
            return bind_unsupported(c->b, option->location, "a column of this kind is");
        names[i] = strVal(list_nth(list, i));
    }
    out->items = names;
    out->count = list_length(list);
    return STATUS_OK;
}

static bool set_client_format(const char *text, sql_copy *out)
{
    out->is_binary = !strcasecmp(text, "binary");
    out->text.is_csv = !strcasecmp(text, "csv");
    return out->is_binary || out->text.is_csv || !strcasecmp(text, "text");
}

static bool set_header(const client_call *c, const char *text, sql_copy_text *out)
{
    out->matches_header = c->tree->is_from && !strcasecmp(text, "match");
    out->has_header = true;
    return out->matches_header || !*text || bool_parse(text, strlen(text), &out->has_header);
}

/* One byte, which ends no line and is not a part of a longer character. */
static bool set_client_character(const char *text, char *out)
{
    *out = *text;
    return *text && !text[1] && (unsigned char)*text < 0x80 && !strchr("\r\n", *text);
}

/* In text the delimiter must not be what may follow a \. */
static bool client_set_delimiter(const char *text, sql_copy_text *out)
{
    return set_client_character(text, &out->delimiter) &&
           (out->is_csv || !strchr("\\.abcdefghijklmnopqrstuvwxyz0123456789", *text));
}

static bool is_utf8(const char *text)
{
    return !strcasecmp(text, "utf8") || !strcasecmp(text, "utf-8") || !strcasecmp(text, "unicode");
}

static status client_set_text(client_call *c, const DefElem *option, client_option_id id)
{
    const char *text, *allowed = NULL;
    bool is_frozen;
    sql_copy_text *out = &c->out->text;
    TRY(client_text(c, option, &text));
    switch (id) {
    case CLIENT_FORMAT:
        allowed = set_client_format(text, c->out) ? NULL : "text, csv or binary";
        break;
    case CLIENT_HEADER:
        allowed = set_header(c, text, out) ? NULL : "true, false or, of FROM, match";
        break;
    case CLIENT_DELIMITER:
        allowed = client_set_delimiter(text, out)
                      ? NULL
                      : "one ASCII character, no line end, and in text no letter, digit, . or \\";
        break;
    case CLIENT_NULL:
        out->null_text = text;
        allowed = strpbrk(text, "\r\n") ? "a text without line ends" : NULL;
        break;
    case CLIENT_QUOTE:
        allowed = set_client_character(text, &out->quote) ? NULL : "one ASCII character";
        break;
    case CLIENT_ESCAPE:
        allowed = set_client_character(text, &out->escape) ? NULL : "one ASCII character";
        break;
    case CLIENT_ENCODING:
        allowed = is_utf8(text) ? NULL : "UTF8";
        break;
    default: /* FREEZE: nobody else sees the table's rows before they are all there */
        allowed = !*text || bool_parse(text, strlen(text), &is_frozen) ? NULL : "true or false";
    }
    return allowed ? client_wrong_value(c, option, text, allowed) : STATUS_OK;
}

static status client_set(client_call *c, const DefElem *option, client_option_id id)
{
    sql_copy_text *out = &c->out->text;
    if (!(client_options[id].cases & client_case(c)))
        return bind_error(c->b, STATUS_KIND_INVALID, option->location,
                          "COPY %s in the %s format has no option \"%s\"",
                          c->tree->is_from ? "FROM STDIN" : "TO STDOUT", client_format(c),
                          option->defname);
    switch (id) {
    case CLIENT_FORCE_QUOTE:
        return client_names(c, option, &out->force_quote);
    case CLIENT_FORCE_NOT_NULL:
        return client_names(c, option, &out->force_not_null);
    case CLIENT_FORCE_NULL:
        return client_names(c, option, &out->force_null);
    default:
        return client_set_text(c, option, id);
    }
}

static status client_find_option(const client_call *c, const DefElem *option, client_option_id *out)
{
    const char *names[CLIENT_OPTION_COUNT];
    for (size_t i = 0; i < CLIENT_OPTION_COUNT; i++) {
        *out = (client_option_id)i;
        if (!strcasecmp(client_options[i].name, option->defname))
            return STATUS_OK;
        names[i] = client_options[i].name;
    }
    return bind_suggest(bind_error(c->b, STATUS_KIND_INVALID, option->location,
                                   "COPY has no option \"%s\"", option->defname),
                        option->defname, names, CLIENT_OPTION_COUNT);
}

/* The format comes first: others depend on it. */
static status client_take_options(client_call *c, bool is_format)
{
    for (size_t i = 0; i < list_length(c->tree->options); i++) {
        const DefElem *option = castNode(DefElem, list_nth(c->tree->options, i));
        client_option_id id;
        TRY(client_find_option(c, option, &id));
        if ((id == CLIENT_FORMAT) != is_format)
            continue;
        if (c->seen >> id & 1)
            return bind_error(c->b, STATUS_KIND_INVALID, option->location,
                              "COPY option %s is given twice", client_options[id].name);
        c->seen |= 1u << id;
        TRY(client_set(c, option, id));
    }
    return STATUS_OK;
}

static status client_check_together(const client_call *c)
{
    const sql_copy_text *text = &c->out->text;
    const char *message = NULL;
    if (c->out->is_binary)
        return STATUS_OK;
    if (*text->null_text && strchr(text->null_text, text->delimiter))
        message = "COPY's text for NULL must not hold its delimiter";
    else if (text->is_csv && text->quote == text->delimiter)
        message = "COPY's quote must not be its delimiter";
    else if (text->is_csv && strchr(text->null_text, text->quote))
        message = "COPY's text for NULL must not hold its quote";
    return message ? bind_error(c->b, STATUS_KIND_INVALID, c->b->text->start, "%s", message)
                   : STATUS_OK;
}

status bind_copy_client(const binder *b, const CopyStmt *tree, sql_copy *out)
{
    client_call c = {.b = b, .tree = tree, .out = out};
    *out = (sql_copy){.is_to_client = !tree->is_from, .is_from_client = tree->is_from};
    TRY(client_take_options(&c, true));
    out->text.delimiter = out->text.is_csv ? ',' : '\t';
    out->text.null_text = out->text.is_csv ? "" : "\\N";
    out->text.quote = '"';
    TRY(client_take_options(&c, false));
    if (!(c.seen >> CLIENT_ESCAPE & 1))
        out->text.escape = out->text.quote;
    return client_check_together(&c);
}

static bool is_one_of(const char *name, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!strcmp(name, names[i]))
            return true;
    return false;
}

status bind_copy_client_check(const binder *b, const sql_copy *copy, const char *const *names,
                              size_t count)
{
    const sql_copy_names *const all[] = {&copy->text.force_quote, &copy->text.force_not_null,
                                         &copy->text.force_null};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        for (size_t k = 0; k < all[i]->count; k++)
            if (!is_one_of(all[i]->items[k], names, count))
                return bind_error(b, STATUS_KIND_NOT_FOUND, b->text->start,
                                  "column \"%s\" of COPY's options is not copied",
                                  all[i]->items[k]);
    return STATUS_OK;
}
