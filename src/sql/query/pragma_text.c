/* pragma_text.c - see pragma_text.h. */
#include "sql/query/pragma_text.h"

#include "sql/query/bind_table.h"

static const struct pragma {
    const char *name;
    bool takes_table;
    const char *text; /* %s: the table */
} pragmas[] = {
    {"table_info", true,
     "CAST(row_number() OVER () - 1 AS integer) AS cid, column_name AS name, column_type AS type, "
     "\"null\" = 'NO' AS notnull, CAST(NULL AS varchar) AS dflt_value, false AS pk FROM (DESCRIBE "
     "%s)"},
    {"show", true, "* FROM (DESCRIBE %s)"},
    {"show_tables", false,
     "table_name AS name FROM information_schema.tables WHERE table_schema NOT IN ('pg_catalog', "
     "'information_schema') ORDER BY 1"},
    {"show_databases", false,
     "DISTINCT catalog_name AS database_name FROM information_schema.schemata ORDER BY 1"},
    {"database_list", false,
     "row_number() OVER (ORDER BY name) - 1 AS seq, name, CAST(NULL AS varchar) AS file FROM "
     "(SELECT DISTINCT catalog_name AS name FROM information_schema.schemata) AS q"},
    {"version", false, "version() AS library_version"},
    {"settings", false, "name, setting AS value FROM pg_catalog.pg_settings ORDER BY 1"},
};

static const struct pragma *pragma_find(const char *name)
{
    for (size_t i = 0; i < sizeof pragmas / sizeof *pragmas; i++)
        if (!strcmp(pragmas[i].name, name))
            return &pragmas[i];
    return NULL;
}

/* Adds a name in quotes, those inside doubled. */
static const char *pragma_quoted(arena *a, const char *before, const char *name, size_t bytes)
{
    char *text = arena_alloc(a, 2 * bytes + 3), *to = text;
    if (!text || !before)
        return NULL;
    *to++ = '"';
    for (size_t i = 0; i < bytes; i++) {
        if (name[i] == '"')
            *to++ = '"';
        *to++ = name[i];
    }
    *to++ = '"';
    *to = 0;
    return arena_format(a, "%s%s", before, text);
}

/* Returns the table that an argument names, 'schema.table' or 'path', as FROM takes it. */
static const char *pragma_table(binder *b, const char *name)
{
    const char *out = "", *dot;
    if (bind_looks_like_path(name))
        return pragma_quoted(b->memory, "", name, strlen(name));
    for (; out && (dot = strchr(name, '.')); name = dot + 1) {
        out = pragma_quoted(b->memory, out, name, (size_t)(dot - name));
        out = out ? arena_format(b->memory, "%s.", out) : NULL;
    }
    return pragma_quoted(b->memory, out, name, strlen(name));
}

/* Returns the text of an argument: 'a', a or s.a; NULL: it is something else. */
static const char *pragma_argument(binder *b, const pg_node *node)
{
    const char *text = NULL;
    if (IsA(node, A_Const) && nodeTag(&castNode(A_Const, node)->val) == T_String)
        return castNode(A_Const, node)->val.sval.sval;
    const List *fields = IsA(node, ColumnRef) ? castNode(ColumnRef, node)->fields : NULL;
    for (size_t i = 0; i < list_length(fields); i++) {
        if (!IsA(list_nth(fields, i), String))
            return NULL;
        const char *part = strVal(list_nth(fields, i));
        text = i ? arena_format(b->memory, "%s.%s", text, part) : part;
    }
    return text;
}

static status no_such_pragma(const binder *b, const char *name, int32_t location)
{
    const char *names[sizeof pragmas / sizeof *pragmas];
    for (size_t i = 0; i < sizeof pragmas / sizeof *pragmas; i++)
        names[i] = pragmas[i].name;
    status st = status_hint(
        bind_error(b, STATUS_KIND_NOT_FOUND, location, "there is no PRAGMA \"%s\"", name),
        "there are table_info('table'), show('table'), show_tables, show_databases, database_list, "
        "version and settings; SET name = value changes a setting");
    return bind_suggest(st, name, names, sizeof names / sizeof *names);
}

status pragma_text(binder *b, const char *name, const List *args, int32_t location,
                   const char **out)
{
    const struct pragma *found = pragma_find(name);
    if (!found)
        return no_such_pragma(b, name, location);
    if (list_length(args) != found->takes_table)
        return bind_error(b, STATUS_KIND_INVALID, location, "PRAGMA %s takes %s", name,
                          found->takes_table ? "the name of a table" : "no arguments");
    *out = found->text;
    if (!found->takes_table)
        return STATUS_OK;
    const char *argument = pragma_argument(b, list_nth(args, 0));
    if (!argument)
        return bind_error(b, STATUS_KIND_INVALID, bind_location(list_nth(args, 0)),
                          "PRAGMA %s takes the name of a table", name);
    const char *table = pragma_table(b, argument), *at = strstr(found->text, "%s");
    *out = table ? arena_format(b->memory, "%.*s%s%s", (int)(at - found->text), found->text, table,
                                at + 2)
                 : NULL;
    return *out ? STATUS_OK : bind_no_memory();
}

status pragma_function_text(binder *b, const FuncCall *call, const char **out)
{
    static const char beginning[] = "pragma_";
    const char *name = strVal(list_nth(call->funcname, list_length(call->funcname) - 1));
    *out = NULL;
    if (strncmp(name, beginning, sizeof beginning - 1) != 0)
        return STATUS_OK;
    return pragma_text(b, name + sizeof beginning - 1, call->args, call->location, out);
}
