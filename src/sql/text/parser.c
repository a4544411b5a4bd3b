/* parser.c - the parser's memory is an arena, its failures are statuses. */
#include "sql/text/parser.h"

#include "base/cancel.h"
#include "base/text/nearest.h"
#include "base/type/type.h"
#include "sql/text/statement_word.h"

#include <math.h>
#include <stdio.h>

/* A unit of one letter is more likely a name. */
static bool is_interval(const char *number, const char *unit)
{
    char text[80];
    double ignored;
    interval_value interval;
    bool is_number = double_parse(number, strlen(number), &ignored) && isfinite(ignored);
    if (!is_number || !unit[0] || !unit[1])
        return false;
    int length = snprintf(text, sizeof text, "1 %s", unit);
    return length < (int)sizeof text && interval_parse(text, (size_t)length, &interval);
}

/* The memory of a call of the parser, and the list that it notes in; or NULL. */
typedef struct parsing {
    arena *memory;
    sql_noted_list *noted;
} parsing;

static void *parser_allocate(void *context, size_t bytes)
{
    return arena_alloc(((parsing *)context)->memory, bytes);
}

static void note_node(void *context, pg_node *node)
{
    parsing *p = context;
    status_free(array_push(p->memory, p->noted, node));
}

static bool is_cancelled(void *context)
{
    (void)context;
    return cancel_is_asked();
}

static pg_parser_host parser_host_of(parsing *p)
{
    return (pg_parser_host){.alloc = parser_allocate,
                            .is_cancelled = is_cancelled,
                            .is_interval = is_interval,
                            .note = p->noted ? note_node : NULL,
                            .context = p};
}

static status parser_error(pg_parser_result result, const pg_parser_error *error)
{
    switch (result) {
    case PG_PARSER_OK:
        return STATUS_OK;
    case PG_PARSER_NO_MEMORY:
        return status_no_memory("parse tree", 0);
    case PG_PARSER_CANCELLED:
        return cancel_check();
    default:
        break;
    }
    status_kind kind =
        result == PG_PARSER_UNSUPPORTED ? STATUS_KIND_UNSUPPORTED : STATUS_KIND_INVALID;
    status st = status_at(status_new(kind, "%s", error->message), error->position);
    return error->hint ? status_hint(st, "%s", error->hint) : st;
}

status sql_scan(arena *a, const char *sql, pg_token **out, size_t *out_count)
{
    parsing p = {.memory = a};
    pg_parser_host host = parser_host_of(&p);
    pg_parser_error error;
    return parser_error(pg_scan(&host, sql, out, out_count, &error), &error);
}

/* ---- words that are nearly a clause's ---- */

/* Returns the keyword that a name without quotes nearly is, or NULL. */
static const char *meant_by(arena *a, const char *sql, const pg_token *token)
{
    static const char *const words[] = {"from",  "where",  "group", "order", "having",
                                        "limit", "offset", "union", "join",  "window"};
    if (token->token != TOKEN_IDENT || sql[token->start] == '"')
        return NULL;
    char *text = arena_copy_text(a, sql + token->start, (size_t)(token->end - token->start));
    return text && strlen(text) > 3 ? nearest_name(text, words, sizeof words / sizeof *words)
                                    : NULL;
}

/* Returns the failure with a hint, if a name is nearly a clause's word, or says what is not there. FORM is an alias to the grammar, which fails at
 * the token after it: then the failure is said to be at FORM. */
static status hint_at_word(arena *a, const char *sql, const pg_parser_error *error, status st)
{
    pg_token *tokens;
    size_t count, at = 0;
    if (strncmp(error->message, "syntax error", strlen("syntax error")) != 0)
        return st;
    status scanned = sql_scan(a, sql, &tokens, &count);
    if (scanned) {
        status_free(scanned);
        return st;
    }
    while (at < count && tokens[at].start < error->position)
        at++;
    sql_refused_part refused;
    if (sql_find_refused_part(sql, tokens, count, at, &refused)) {
        status_free(st);
        st = status_at(status_new(STATUS_KIND_UNSUPPORTED, "%s is not supported", refused.name),
                       refused.start);
        return refused.instead ? status_hint(st, "%s", refused.instead) : st;
    }
    const char *meant = at < count ? meant_by(a, sql, &tokens[at]) : NULL;
    if (!meant && at > 0)
        meant = meant_by(a, sql, &tokens[--at]);
    if (!meant)
        return st;
    status_free(st);
    st = status_new(STATUS_KIND_INVALID, "syntax error at or near \"%.*s\"",
                    tokens[at].end - tokens[at].start, sql + tokens[at].start);
    return status_hint(status_at(st, tokens[at].start), "did you mean %s?", meant);
}

static status parse(arena *a, const char *sql, pg_node **out, sql_noted_list *noted)
{
    parsing p = {a, noted};
    pg_parser_host host = parser_host_of(&p);
    pg_parser_error error;
    List *statements;
    pg_parser_result result = pg_parse(&host, sql, &statements, &error);
    status st = parser_error(result, &error);
    if (result == PG_PARSER_INVALID)
        return hint_at_word(a, sql, &error, st);
    *out = st || !statements ? NULL : list_nth(statements, 0);
    return st;
}

status sql_parse(arena *a, const char *sql, pg_node **out)
{
    return parse(a, sql, out, NULL);
}

status sql_parse_noting(arena *a, const char *sql, pg_node **out, sql_noted_list *out_noted)
{
    *out_noted = (sql_noted_list){0};
    return parse(a, sql, out, out_noted);
}
