/* complete.c - asks the connection for its tables and their columns; functions, settings and commands come from their
 * lists. */
#include "cli/shell/complete.h"

#include "base/setting/setting.h"
#include "cli/output/output.h"
#include "cli/shell/command.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

static const char *const keywords[] = {
    "all",       "analyze", "and",    "as",        "asc",      "between", "by",        "case",
    "cast",      "copy",    "create", "cross",     "date",     "delete",  "desc",      "describe",
    "distinct",  "drop",    "else",   "end",       "except",   "exclude", "exists",    "explain",
    "extract",   "false",   "filter", "first",     "from",     "full",    "group",     "having",
    "in",        "inner",   "insert", "intersect", "interval", "into",    "is",        "join",
    "last",      "left",    "like",   "limit",     "natural",  "not",     "null",      "nulls",
    "offset",    "on",      "or",     "order",     "outer",    "over",    "partition", "qualify",
    "recursive", "replace", "reset",  "right",     "select",   "set",     "show",      "summarize",
    "table",     "tables",  "then",   "timestamp", "to",       "true",    "union",     "using",
    "values",    "view",    "when",   "where",     "with",
};

/* Each with its parenthesis; an operator, which no letter begins, is left out. */
static const char *const functions[] = {
    "read_parquet(",
#define FUNCTION(op, name, signature, nulls, notation, family, operation, help) name "(",
#define FUNCTION_ALIAS(name, op) name "(",
#define FUNCTION_OTHER(name, binder, signature, help) name "(",
#define FUNCTION_MADE(name, signature, text, help) name "(",
#include "plan/tree/functions.def"
#define AGGREGATE(name, sql, argument, type, state, operation, result, ignores_distinct, help)     \
    sql "(",
#define AGGREGATE_ALIAS(sql, name) sql "(",
#define AGGREGATE_MADE(sql, arguments, count, type, takes_distinct, text, help) sql "(",
#include "plan/tree/aggregates.def"
#define WINDOW_FUNCTION(name, sql, arguments, least, most, type, help) sql "(",
#include "plan/tree/windows.def"
};

void complete_add(complete_list *list, const complete_place *place, const char *word, size_t bytes)
{
    if (bytes < place->bytes || strncasecmp(word, place->start, place->bytes) != 0)
        return;
    for (size_t i = 0; i < list->count; i++)
        if (strlen(list->items[i]) == bytes && !memcmp(list->items[i], word, bytes))
            return;
    char *copy = mem_copy_text(word, bytes);
    status st = copy ? array_push(NULL, list, copy) : status_no_memory("completion", bytes);
    if (st)
        mem_free(copy);
    status_free(st);
}

static void add_texts(complete_list *list, const complete_place *place, const char *const *texts,
                      size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (isalpha((unsigned char)*texts[i]))
            complete_add(list, place, texts[i], strlen(texts[i]));
}

/* Adds the first column of what a statement gives. */
static void add_rows(pistachio_connection *connection, const char *sql, complete_list *list,
                     const complete_place *place)
{
    pistachio_result *result = NULL;
    const pistachio_batch *batch = NULL;
    pistachio_error *error = pistachio_query(connection, sql, NULL, &result);
    while (!error && !(error = pistachio_next(result, &batch)) && batch)
        for (uint64_t row = 0; row < pistachio_batch_rows(batch); row++) {
            size_t length;
            const char *text = pistachio_text(batch, 0, row, &length);
            complete_add(list, place, text, length);
        }
    pistachio_error_free(error);
    pistachio_result_free(result);
}

/* Returns the statement that lists the table's columns, the caller's; NULL: there is no memory. */
static char *complete_make_describe(const char *table)
{
    static const char word[] = "DESCRIBE \"";
    char *sql = mem_new(sizeof word + 2 * strlen(table) + 1), *to;
    if (!sql)
        return NULL;
    memcpy(sql, word, sizeof word);
    for (to = sql + strlen(sql); *table; table++) {
        if (*table == '"')
            *to++ = '"';
        *to++ = *table;
    }
    memcpy(to, "\"", 2);
    return sql;
}

/* Names of schemas and catalogs, and of tables in schemas; each part of a name is a word of its own. */
static const char of_schemas[] =
    "SELECT table_name FROM information_schema.tables WHERE table_schema <> 'public' UNION "
    "SELECT schema_name FROM information_schema.schemata WHERE schema_name NOT IN "
    "('public', 'pg_catalog', 'information_schema') UNION "
    "SELECT catalog_name FROM information_schema.schemata WHERE catalog_name <> 'pistachio'";

static void add_columns(pistachio_connection *connection, complete_list *list,
                        const complete_place *place)
{
    complete_list tables = {0};
    add_rows(connection, "SHOW TABLES", &tables, &(complete_place){COMPLETE_TABLE, "", 0});
    for (size_t i = 0; i < tables.count; i++) {
        char *sql = complete_make_describe(tables.items[i]);
        if (sql)
            add_rows(connection, sql, list, place);
        mem_free(sql);
    }
    complete_free(&tables);
}

static void add_settings(complete_list *list, const complete_place *place)
{
    setting_info info;
    for (unsigned i = 0; setting_describe(i, &info); i++)
        complete_add(list, place, info.name, strlen(info.name));
}

/* psql's short names follow a backslash alone. */
static void add_commands(complete_list *list, const complete_place *place)
{
    char word[32];
    const char *name;
    for (unsigned i = 0; (name = command_name(i)); i++) {
        int bytes = snprintf(word, sizeof word, "%c%s", *place->start, name);
        if (*place->start == '\\' || bytes > 3)
            complete_add(list, place, word, (size_t)bytes);
    }
}

static void add_formats(complete_list *list, const complete_place *place)
{
    for (const char *at = output_format_names; *at; at += strspn(at, ", ")) {
        size_t bytes = strcspn(at, ",");
        complete_add(list, place, at, bytes);
        at += bytes;
    }
}

static void add_sql(pistachio_connection *connection, complete_list *list,
                    const complete_place *place)
{
    if (!place->bytes)
        return; /* all that there is says nothing */
    add_rows(connection, "SHOW TABLES", list, place);
    add_rows(connection, of_schemas, list, place);
    add_columns(connection, list, place);
    add_texts(list, place, keywords, sizeof keywords / sizeof *keywords);
    add_texts(list, place, functions, sizeof functions / sizeof *functions);
}

static int complete_by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

void complete_word(pistachio_connection *connection, const complete_place *place,
                   complete_list *out)
{
    *out = (complete_list){0};
    if (place->kind == COMPLETE_SQL)
        add_sql(connection, out, place);
    else if (place->kind == COMPLETE_TABLE) {
        add_rows(connection, "SHOW TABLES", out, place);
        add_rows(connection, of_schemas, out, place);
    } else if (place->kind == COMPLETE_SETTING)
        add_settings(out, place);
    else if (place->kind == COMPLETE_COMMAND)
        add_commands(out, place);
    else if (place->kind == COMPLETE_FORMAT)
        add_formats(out, place);
    else if (place->kind == COMPLETE_FILE || place->kind == COMPLETE_QUOTED)
        complete_add_files(out, place);
    if (out->count)
        qsort(out->items, out->count, sizeof *out->items, complete_by_text);
}

void complete_free(complete_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        mem_free(list->items[i]);
    array_release(list);
}
