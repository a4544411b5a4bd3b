/* cache.c - see cache.h; and the functions of the C interface that are made of these statements. */
#include "api/query/cache.h"

#include "api/engine/engine.h"
#include "api/handles/error.h"
#include "exec/scan/scan_cache.h"
#include "parquet/table/footer.h"

#include <string.h>

status api_cache_check(const pistachio_result *result)
{
    if (!result->settings.cache_memory.number)
        return status_hint(
            status_new(STATUS_KIND_INVALID, "CACHE TABLE keeps nothing: cache_memory is 0"),
            "SET cache_memory = '1GB'");
    return STATUS_OK;
}

static void forget_table(const pq_table *table)
{
    pq_file_version version;
    for (size_t i = 0; i < table->files.count; i++) {
        const pq_table_file *f = &table->files.items[i];
        if (f->footer && pq_footer_version(f->footer, f->file, &version))
            scan_cache_forget(&version);
    }
}

static void forget_node(const plan_node *node)
{
    if (node->kind == PLAN_SCAN && node->scan.table)
        forget_table(node->scan.table);
    for (uint32_t i = 0; i < node->child_count; i++)
        forget_node(node->children[i]);
}

void api_cache_forget(const plan_statement *plan)
{
    forget_node(plan->root);
    for (size_t i = 0; i < plan->shared.count; i++)
        forget_node(plan->shared.items[i]);
}

/* ---- the C interface ---- */

/* A statement's text. */
typedef ARRAY(char) cache_text;

static status add_text(cache_text *t, const char *text)
{
    size_t bytes = strlen(text);
    TRY(array_reserve(NULL, t, bytes + 1));
    memcpy(t->items + t->count, text, bytes + 1);
    t->count += bytes;
    return STATUS_OK;
}

/* Adds a name in quotes, those inside doubled. */
static status add_name(cache_text *t, const char *name)
{
    TRY(add_text(t, "\""));
    for (const char *at = name; *at; at++) {
        const char letter[] = {*at, *at == '"' ? '"' : 0, 0};
        TRY(add_text(t, letter));
    }
    return add_text(t, "\"");
}

static status make_statement(const char *table, const char *const *columns, size_t count,
                             cache_text *t)
{
    TRY(add_text(t, "CACHE TABLE "));
    TRY(add_name(t, table));
    for (size_t i = 0; i < count; i++) {
        TRY(add_text(t, i ? ", " : " ("));
        TRY(add_name(t, columns[i]));
    }
    return count ? add_text(t, ")") : STATUS_OK;
}

static pistachio_error *run_alone(pistachio_connection *connection, const char *sql)
{
    pistachio_result *result;
    pistachio_error *error = pistachio_query(connection, sql, NULL, &result);
    if (!error)
        pistachio_result_free(result);
    return error;
}

pistachio_error *pistachio_cache_table(pistachio_connection *connection, const char *table,
                                       const char *const *columns, size_t column_count)
{
    cache_text text = {0};
    if (!connection || !table)
        return api_null_argument(connection ? "table" : "connection");
    if (column_count && !columns)
        return api_null_argument("columns");
    for (size_t i = 0; i < column_count; i++)
        if (!columns[i])
            return api_null_argument("columns");
    pistachio_error *error = api_error(make_statement(table, columns, column_count, &text));
    if (!error)
        error = run_alone(connection, text.items);
    array_release(&text);
    return error;
}

pistachio_error *pistachio_cache_clear(pistachio_connection *connection)
{
    if (!connection)
        return api_null_argument("connection");
    return run_alone(connection, "CLEAR CACHE");
}
