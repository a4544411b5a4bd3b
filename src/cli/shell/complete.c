/* complete.c - asks the connection for its tables and their columns. */
#include "cli/shell/complete.h"

#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

static const char *const keywords[] = {
    "all",       "analyze",  "and",       "as",         "asc",          "avg",      "between",
    "by",        "case",     "cast",      "coalesce",   "copy",         "count",    "create",
    "cross",     "date",     "date_part", "date_trunc", "desc",         "describe", "distinct",
    "else",      "end",      "except",    "exists",     "explain",      "extract",  "false",
    "filter",    "from",     "full",      "group",      "having",       "in",       "inner",
    "intersect", "interval", "is",        "join",       "left",         "like",     "limit",
    "max",       "min",      "natural",   "not",        "null",         "nulls",    "offset",
    "on",        "or",       "order",     "outer",      "read_parquet", "right",    "select",
    "set",       "show",     "substring", "sum",        "tables",       "then",     "to",
    "true",      "union",    "using",     "values",     "view",         "when",     "where",
    "with",
};

static void complete_add(complete_list *list, const char *word, size_t bytes, const char *start,
                         size_t start_bytes)
{
    if (bytes < start_bytes || strncasecmp(word, start, start_bytes) != 0)
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

/* The first column of what a statement gives. */
static void complete_add_rows(pistachio_connection *connection, const char *sql,
                              complete_list *list, const char *start, size_t bytes)
{
    pistachio_result *result = NULL;
    const pistachio_batch *batch = NULL;
    pistachio_error *error = pistachio_query(connection, sql, NULL, &result);
    while (!error && !(error = pistachio_next(result, &batch)) && batch)
        for (uint64_t row = 0; row < pistachio_batch_rows(batch); row++) {
            size_t length;
            const char *text = pistachio_text(batch, 0, row, &length);
            complete_add(list, text, length, start, bytes);
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

static int complete_by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

void complete_word(pistachio_connection *connection, const char *start, size_t bytes,
                   complete_list *out)
{
    complete_list tables = {0};
    *out = (complete_list){0};
    complete_add_rows(connection, "SHOW TABLES", &tables, "", 0);
    for (size_t i = 0; i < tables.count; i++) {
        char *sql = complete_make_describe(tables.items[i]);
        complete_add(out, tables.items[i], strlen(tables.items[i]), start, bytes);
        if (sql)
            complete_add_rows(connection, sql, out, start, bytes);
        mem_free(sql);
    }
    for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++)
        complete_add(out, keywords[i], strlen(keywords[i]), start, bytes);
    if (out->count)
        qsort(out->items, out->count, sizeof *out->items, complete_by_text);
    complete_free(&tables);
}

void complete_free(complete_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        mem_free(list->items[i]);
    array_release(list);
}
