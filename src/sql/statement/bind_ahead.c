/* bind_ahead.c - see bind_ahead.h. */
#include "sql/statement/bind_ahead.h"

#include "arrowfile/arrowfile_table.h"
#include "sql/query/bind_table.h"
#include "sql/relation/bind_text_files.h"

#include <strings.h>

/* Views in views that are looked into. */
#define VIEW_DEPTH_MAX 16u
/* Views that are looked into, and names that are looked up, in all of them together. */
#define VIEWS_MAX 200u
#define NAMES_MAX 10000u

typedef struct ahead {
    binder *b;
    unsigned depth, views, names;
} ahead;

static status note_all(ahead *a, const sql_noted_list *noted);

/* A view that keeps a search path is left to the binder. */
static status note_view(ahead *a, const char *sql)
{
    sql_text text;
    pg_node *tree;
    sql_noted_list noted;
    arena *memory = a->b->memory;
    if (a->depth == VIEW_DEPTH_MAX || a->views == VIEWS_MAX || !*sql || *sql == '\003')
        return STATUS_OK;
    a->views++;
    TRY(sql_text_make(memory, sql, strlen(sql), &text));
    TRY(sql_parse_noting(memory, text.text, &tree, &noted));
    a->depth++;
    status st = note_all(a, &noted);
    a->depth--;
    return st;
}

/* Notes what has the name in the schema, if that is one. */
static status note_key(ahead *a, const char *catalog, const char *schema, const char *table,
                       bool *out_found)
{
    const char *view;
    const char *key = sql_table_key(a->b->memory, &(sql_table_name){catalog, schema, table});
    if (*out_found)
        return STATUS_OK;
    if (!key)
        return bind_no_memory();
    TRY(sql_ahead_name(a->b->catalog, key, a->b->held, &view, out_found));
    return view ? note_view(a, view) : STATUS_OK;
}

static status note_name(ahead *a, const RangeVar *range, bool *out_found)
{
    const sql_search_path *path = &a->b->path;
    const char *schema = range->schemaname, *catalog = range->catalogname, *name = range->relname;
    *out_found = false;
    if (catalog)
        return note_key(a, catalog, schema, name, out_found);
    for (size_t i = 0; i < path->count; i++)
        TRY(note_key(a, path->items[i].catalog, schema ? schema : path->items[i].schema, name,
                     out_found));
    if (schema && !sql_is_first_schema(NULL, schema)) {
        TRY(note_key(a, NULL, schema, name, out_found));
        return note_key(a, schema, SQL_SCHEMA, name, out_found);
    }
    return note_key(a, sql_search_path_first(path).catalog, SQL_SCHEMA, name, out_found);
}

static status note_path(ahead *a, const char *path)
{
    text_kind kind;
    const char *text;
    if (a->b->is_confined || text_kind_of_path(path, &kind) || arrowfile_has_name(path))
        return STATUS_OK;
    TRY(bind_path_text(a->b, NULL, path, &text));
    return sql_ahead_path(a->b->catalog, text, a->b->held);
}

static status note_range(ahead *a, const RangeVar *range)
{
    bool is_found = false;
    if (!range->relname || !*range->relname || range->asof)
        return STATUS_OK;
    if (!range->ispath)
        TRY(note_name(a, range, &is_found));
    return range->ispath ||
                   (!is_found && !range->schemaname && bind_looks_like_path(range->relname))
               ? note_path(a, range->relname)
               : STATUS_OK;
}

/* Returns the call that stands alone in FROM; or NULL. */
static const FuncCall *call_of(const RangeFunction *range)
{
    const pg_node *item = list_length(range->functions) == 1 ? list_nth(range->functions, 0) : NULL;
    if (item && IsA(item, List) && list_length(castNode(List, item)))
        item = list_nth(castNode(List, item), 0);
    return item && IsA(item, FuncCall) ? castNode(FuncCall, item) : NULL;
}

/* Returns whether all arguments are constant texts. */
static bool has_paths_alone(const FuncCall *call)
{
    for (size_t i = 0; i < list_length(call->args); i++) {
        const pg_node *node = list_nth(call->args, i);
        if (!IsA(node, A_Const) || nodeTag(&castNode(A_Const, node)->val) != T_String)
            return false;
    }
    return true;
}

static status note_function(ahead *a, const RangeFunction *range)
{
    const FuncCall *call = call_of(range);
    if (!call || list_length(call->funcname) != 1 || !has_paths_alone(call))
        return STATUS_OK;
    const char *name = strVal(list_nth(call->funcname, 0));
    bool is_parquet = !strcasecmp(name, "read_parquet") || !strcasecmp(name, "parquet_scan");
    const char *lake = !strcasecmp(name, "delta_scan")     ? "delta"
                       : !strcasecmp(name, "iceberg_scan") ? "iceberg"
                                                           : NULL;
    for (size_t i = 0; i < list_length(call->args) && (is_parquet || lake); i++) {
        const char *path = castNode(A_Const, list_nth(call->args, i))->val.sval.sval;
        const char *text = path;
        if (lake)
            text = arena_format(a->b->memory, "%s:%s", lake, path);
        else
            TRY(bind_path_text(a->b, NULL, path, &text));
        if (!text)
            return bind_no_memory();
        if (!a->b->is_confined)
            TRY(sql_ahead_path(a->b->catalog, text, a->b->held));
    }
    return STATUS_OK;
}

/* Returns whether a WITH query of the text has the name. */
static bool is_with_query(const sql_noted_list *noted, const RangeVar *range)
{
    for (size_t i = 0; i < noted->count && !range->schemaname && range->relname; i++) {
        const pg_node *node = noted->items[i];
        const char *name =
            IsA(node, CommonTableExpr) ? castNode(CommonTableExpr, node)->ctename : NULL;
        if (name && !strcasecmp(name, range->relname))
            return true;
    }
    return false;
}

static status note_all(ahead *a, const sql_noted_list *noted)
{
    for (size_t i = 0; i < noted->count && a->names < NAMES_MAX; i++, a->names++) {
        const pg_node *node = noted->items[i];
        if (IsA(node, RangeVar) && !is_with_query(noted, castNode(RangeVar, node)))
            TRY(note_range(a, castNode(RangeVar, node)));
        else if (IsA(node, RangeFunction))
            TRY(note_function(a, castNode(RangeFunction, node)));
    }
    return STATUS_OK;
}

/* Returns whether the statement reads the tables that it names. */
static bool is_reading(const pg_node *tree)
{
    switch (tree ? nodeTag(tree) : T_Invalid) {
    case T_SelectStmt:
    case T_ExplainStmt:
    case T_ViewStmt:
    case T_CreateTableAsStmt:
    case T_InsertStmt:
    case T_CacheStmt:
    case T_PragmaStmt:
        return true;
    case T_CopyStmt:
        return !castNode(CopyStmt, tree)->is_from;
    case T_DescribeStmt:
        return !castNode(DescribeStmt, tree)->summarize; /* which is prepared as a DESCRIBE first */
    default:
        return false;
    }
}

status bind_ahead_parse(binder *b, pg_node **out)
{
    sql_noted_list noted;
    ahead a = {.b = b};
    if (!sql_ahead_may_help(b->catalog, b->text->text))
        return sql_parse(b->memory, b->text->parsed, out);
    TRY(sql_parse_noting(b->memory, b->text->parsed, out, &noted));
    if (!is_reading(*out))
        return STATUS_OK;
    status_free(note_all(&a, &noted)); /* what is wrong is said where it is bound */
    sql_ahead_open(b->held);
    return STATUS_OK;
}
