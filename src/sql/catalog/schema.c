/* schema.c - see schema.h. */
#include "sql/catalog/schema.h"

#include <strings.h>

/* Begins each part of a key; SQL cannot write it in a name without quotes. */
#define PART "\002"

static status schema_no_memory(void)
{
    return status_no_memory("schema", 0);
}

/* ---- keys ---- */

static bool is_own_catalog(const char *catalog)
{
    return !catalog || !strcasecmp(catalog, SQL_CATALOG) || !strcasecmp(catalog, "memory") ||
           !strcasecmp(catalog, "temp");
}

bool sql_is_same_catalog(const char *one, const char *other)
{
    return is_own_catalog(one) ? is_own_catalog(other) : other && !strcasecmp(one, other);
}

static bool is_main(const char *schema)
{
    return !schema || !strcasecmp(schema, SQL_SCHEMA) || !strcasecmp(schema, "public");
}

bool sql_is_first_schema(const char *catalog, const char *schema)
{
    bool is_temporary =
        schema && (!strcasecmp(schema, "pg_temp") || (!catalog && !strcasecmp(schema, "temp")));
    return is_own_catalog(catalog) && (is_temporary || is_main(schema));
}

char *sql_table_key(arena *a, const sql_table_name *name)
{
    const char *catalog = is_own_catalog(name->catalog) ? "" : name->catalog;
    if (!name->schema && !name->table)
        return arena_format(a, PART "%s" PART, catalog);
    const char *schema = is_main(name->schema) ? SQL_SCHEMA : name->schema;
    if (sql_is_first_schema(name->catalog, name->schema) && *name->table)
        return arena_copy_text(a, name->table, strlen(name->table));
    return arena_format(a, PART "%s" PART "%s" PART "%s", catalog, schema, name->table);
}

/* Cuts off the text before the next part; NULL: there is none. */
static char *next_part(char *at)
{
    char *next = at ? strchr(at, *PART) : NULL;
    if (next)
        *next++ = 0;
    return next;
}

status sql_table_name_of(arena *a, const char *key, sql_table_name *out)
{
    *out = (sql_table_name){SQL_CATALOG, SQL_SCHEMA, key};
    if (*key != *PART)
        return STATUS_OK;
    char *catalog = arena_copy_text(a, key + 1, strlen(key + 1)), *schema = next_part(catalog),
         *table = next_part(schema);
    if (!catalog)
        return schema_no_memory();
    if (table)
        *out = (sql_table_name){*catalog ? catalog : SQL_CATALOG, schema, table};
    return STATUS_OK;
}

char *sql_table_shown(arena *a, const sql_table_name *name, const char *used)
{
    bool is_own = is_own_catalog(name->catalog) && is_own_catalog(used);
    if (is_own && is_main(name->schema))
        return arena_copy_text(a, name->table, strlen(name->table));
    const char *dot = *name->table ? "." : "";
    const char *catalog = name->catalog ? name->catalog : SQL_CATALOG;
    return is_own || is_main(name->schema)
               ? arena_format(a, "%s%s%s", is_own ? name->schema : catalog, dot, name->table)
               : arena_format(a, "%s.%s%s%s", catalog, name->schema, dot, name->table);
}

/* ---- schemas ---- */

status sql_schema_find(sql_catalog *catalog, arena *a, const char *of, const char *schema,
                       sql_table_name *out, bool *out_found)
{
    const sql_catalog_entry *entry;
    sql_held none = {.memory = a};
    *out = (sql_table_name){SQL_CATALOG, SQL_SCHEMA, ""};
    *out_found = sql_is_first_schema(of, schema);
    if (*out_found)
        return STATUS_OK;
    char *key = sql_table_key(a, &(sql_table_name){of, schema, ""});
    if (!key)
        return schema_no_memory();
    status st = sql_catalog_find(catalog, key, &none, &entry);
    sql_held_release(&none);
    TRY(st);
    *out_found = entry != NULL;
    return entry ? sql_table_name_of(a, entry->name, out) : STATUS_OK;
}

status sql_schema_named(sql_catalog *catalog, arena *a, const sql_search_path *path, const char *of,
                        const char *schema, sql_table_name *out, bool *out_found)
{
    *out_found = false;
    for (size_t i = 0; !of && i < path->count && !*out_found; i++)
        TRY(sql_schema_find(catalog, a, path->items[i].catalog, schema, out, out_found));
    if (!*out_found)
        TRY(sql_schema_find(catalog, a, of, schema, out, out_found));
    if (*out_found || of)
        return STATUS_OK;
    return sql_schema_find(catalog, a, schema, NULL, out, out_found);
}

/* ---- the search path ---- */

/* Takes a name off the setting's text, without its quotes, in the arena. */
static status take_name(arena *a, const char **at, const char **out)
{
    char *to = arena_alloc(a, strlen(*at) + 1), quote = 0;
    *out = to;
    if (!to)
        return schema_no_memory();
    for (; **at && (quote || !strchr(",. ", **at)); ++*at) {
        bool is_quote = quote ? **at == quote : **at == '"' || **at == '\'';
        if (is_quote && quote && (*at)[1] == quote)
            *to++ = *(*at)++;
        else if (is_quote)
            quote = quote ? 0 : **at;
        else
            *to++ = **at;
    }
    *to = 0;
    return STATUS_OK;
}

/* Names that PostgreSQL's clients put into a search path and that are looked through last of all anyway. */
static bool is_passed_over(const char *name)
{
    return !*name || !strcmp(name, "$user") || !strcmp(name, "pg_catalog") ||
           !strcmp(name, "information_schema");
}

status sql_search_path_read(sql_catalog *catalog, arena *a, const char *text, sql_search_path *out,
                            const char **out_unknown)
{
    static const char between[] = ", ";
    *out = (sql_search_path){0};
    for (const char *at = text + strspn(text, between); *at; at += strspn(at, between)) {
        const char *schema, *of = NULL;
        sql_table_name found;
        bool is_found;
        TRY(take_name(a, &at, &schema));
        if (*at == '.') {
            of = schema;
            at++;
            TRY(take_name(a, &at, &schema));
        }
        at += *at == '.';
        if (!of && is_passed_over(schema))
            continue;
        TRY(sql_schema_named(catalog, a, out, of, schema, &found, &is_found));
        if (is_found)
            TRY(array_push(a, out, found));
        else if (out_unknown && !*out_unknown)
            *out_unknown = schema;
    }
    return STATUS_OK;
}

static char *setting_name(arena *a, const char *name)
{
    if (!name[strcspn(name, ",. \"'")] && *name)
        return arena_copy_text(a, name, strlen(name));
    char *text = arena_alloc(a, 2 * strlen(name) + 3), *to = text;
    if (!text)
        return NULL;
    *to++ = '"';
    for (; *name; name++) {
        if (*name == '"')
            *to++ = '"';
        *to++ = *name;
    }
    *to = '"';
    return text;
}

char *sql_search_path_text(arena *a, const sql_table_name *schema)
{
    char *name = setting_name(a, schema->schema), *of = setting_name(a, schema->catalog);
    if (!name || !of || is_own_catalog(schema->catalog))
        return of ? name : NULL;
    return arena_format(a, "%s.%s", of, name);
}

sql_table_name sql_search_path_first(const sql_search_path *path)
{
    return path->count ? path->items[0] : (sql_table_name){SQL_CATALOG, SQL_SCHEMA, NULL};
}

/* ---- tables ---- */

static status find_in_schema(sql_catalog *catalog, arena *a, const sql_table_name *schema,
                             const char *table, sql_held *held, const sql_catalog_entry **out)
{
    char *key = sql_table_key(a, &(sql_table_name){schema->catalog, schema->schema, table});
    return key ? sql_catalog_find(catalog, key, held, out) : schema_no_memory();
}

status sql_search(sql_catalog *catalog, arena *a, const sql_search_path *path,
                  const sql_table_name *name, sql_held *held, const sql_catalog_entry **out)
{
    *out = NULL;
    if (!*name->table)
        return STATUS_OK;
    if (name->schema) {
        sql_table_name schema;
        bool is_found;
        TRY(sql_schema_named(catalog, a, path, name->catalog, name->schema, &schema, &is_found));
        return is_found ? find_in_schema(catalog, a, &schema, name->table, held, out) : STATUS_OK;
    }
    for (size_t i = 0; i < path->count && !*out; i++)
        TRY(find_in_schema(catalog, a, &path->items[i], name->table, held, out));
    sql_table_name first = {sql_search_path_first(path).catalog, SQL_SCHEMA, NULL};
    return *out ? STATUS_OK : find_in_schema(catalog, a, &first, name->table, held, out);
}
