/* parser.c - the parser's memory is an arena, its failures are statuses. */
#include "sql/parser.h"

#include "base/type.h"

#include <math.h>
#include <stdio.h>

/* Of one letter a unit is more likely a name. */
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

static void *allocate(void *context, size_t bytes)
{
    return arena_alloc(context, bytes);
}

static status parser_error(pg_parser_result result, const pg_parser_error *error)
{
    status_kind kind =
        result == PG_PARSER_UNSUPPORTED ? STATUS_KIND_UNSUPPORTED : STATUS_KIND_INVALID;
    switch (result) {
    case PG_PARSER_OK:
        return STATUS_OK;
    case PG_PARSER_NO_MEMORY:
        return status_no_memory("parse tree", 0);
    default: {
        status st = status_at(status_new(kind, "%s", error->message), error->position);
        return error->hint ? status_hint(st, "%s", error->hint) : st;
    }
    }
}

status sql_scan(arena *a, const char *sql, pg_token **out, size_t *out_count)
{
    pg_parser_host host = {.alloc = allocate, .context = a};
    pg_parser_error error;
    return parser_error(pg_scan(&host, sql, out, out_count, &error), &error);
}

status sql_parse(arena *a, const char *sql, pg_node **out)
{
    pg_parser_host host = {.alloc = allocate, .is_interval = is_interval, .context = a};
    pg_parser_error error;
    List *statements;
    TRY(parser_error(pg_parse(&host, sql, &statements, &error), &error));
    *out = statements ? list_nth(statements, 0) : NULL;
    return STATUS_OK;
}
