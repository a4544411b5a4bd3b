/* bind_files.c - read_parquet, delta_scan and iceberg_scan in FROM: paths, lists of paths, and options by name. */
#include "sql/catalog/catalog_ahead.h"
#include "sql/expression/bind_function.h"
#include "sql/expression/bind_macro.h"
#include "sql/expression/bind_scope.h"
#include "sql/query/bind_table.h"
#include "sql/query/made_rows.h"
#include "sql/query/query_parts.h"
#include "sql/relation/bind_arrow_files.h"
#include "sql/relation/bind_paths.h"
#include "sql/relation/bind_text_files.h"
#include "sql/relation/bind_union.h"
#include "sql/types/binder.h"

#include <strings.h>

/* The arguments of read_parquet. */
typedef struct file_call {
    binder *b;
    const FuncCall *call;
    bind_folders folders;
    bool is_mixed;          /* types of columns, or their order, differ from path to path */
    bool is_by_name;        /* union_by_name */
    const char *lake;       /* delta or iceberg; NULL: it is read_parquet */
    const char *lake_state; /* "(version=3)", or "" */
    const char *first_path;
    size_t path_count;
    bind_scan_list scans;
} file_call;

/* ---- options ---- */

/* Returns the text of a constant; "" if it is not one. */
static const char *files_text_of(const file_call *c, const pg_node *node)
{
    const char *text = bind_option_text(c->b, node);
    return text ? text : "";
}

static status set_hive(file_call *c, const char *text, int32_t location)
{
    bool is_on;
    if (bool_parse(text, strlen(text), &is_on))
        c->folders.hive_partitioning = is_on ? "on" : "off";
    else if (!strcasecmp(text, "auto"))
        c->folders.hive_partitioning = "auto";
    else
        return status_hint(bind_error(c->b, STATUS_KIND_INVALID, location,
                                      "hive_partitioning cannot be \"%s\"", text),
                           "true, false or 'auto'");
    return STATUS_OK;
}

static status set_union(file_call *c, const char *text, int32_t location)
{
    if (bool_parse(text, strlen(text), &c->is_by_name))
        return STATUS_OK;
    return status_hint(
        bind_error(c->b, STATUS_KIND_INVALID, location, "union_by_name cannot be \"%s\"", text),
        "true or false");
}

/* Takes an option that is true or false: whether the column of this name is there. */
static status set_column(file_call *c, const char *name, bool *to, const char *text,
                         int32_t location)
{
    if (bool_parse(text, strlen(text), to))
        return STATUS_OK;
    return status_hint(
        bind_error(c->b, STATUS_KIND_INVALID, location, "%s cannot be \"%s\"", name, text),
        "true or false; the column's name is %s", name);
}

/* The types are looked at when the files are opened; here it is made sure that they end where they shall. */
static status set_types(file_call *c, const char *text, int32_t location)
{
    c->folders.hive_types = text;
    if (*text && !strstr(text, "):"))
        return STATUS_OK;
    return status_hint(
        bind_error(c->b, STATUS_KIND_INVALID, location, "hive_types cannot be \"%s\"", text),
        "a text of names and types, split by commas: hive_types => 'zip varchar, year integer'");
}

/* Takes an option that says which state of a lake is meant. */
static status set_state(file_call *c, const char *option, const pg_node *value, int32_t location)
{
    static const char *const names[] = {"version", "snapshot_from_id", "as_of",
                                        "snapshot_from_timestamp"};
    size_t number = 0;
    while (number < 4 && strcasecmp(option, names[number]) != 0)
        number++;
    if (!strcasecmp(option, "allow_moved_paths"))
        return STATUS_OK; /* files are looked for below the table's folder where it has them */
    if (number == 4)
        return bind_suggest(bind_error(c->b, STATUS_KIND_INVALID, location,
                                       "%s_scan has no option \"%s\"", c->lake, option),
                            option, names, 4);
    if (IsA(value, TypeCast))
        value = castNode(TypeCast, value)->arg;
    const char *text = NULL;
    if (IsA(value, A_Const) && nodeTag(&castNode(A_Const, value)->val) == T_Integer)
        text = arena_format(c->b->memory, "%d", castNode(A_Const, value)->val.ival.ival);
    else if (IsA(value, A_Const) && nodeTag(&castNode(A_Const, value)->val) == T_Float)
        text = castNode(A_Const, value)->val.fval.fval;
    else
        text = files_text_of(c, value);
    c->lake_state =
        text ? arena_format(c->b->memory, "(%s=%s)", number < 2 ? "version" : "timestamp", text)
             : NULL;
    return c->lake_state ? STATUS_OK : bind_no_memory();
}

static status files_take_option(file_call *c, const char *name, const pg_node *value,
                                int32_t location)
{
    static const char *const names[] = {"hive_partitioning", "union_by_name", "hive_types",
                                        "filename", "file_row_number"};
    if (c->lake)
        return set_state(c, name, value, location);
    if (!strcasecmp(name, names[0]))
        return set_hive(c, files_text_of(c, value), location);
    if (!strcasecmp(name, names[1]))
        return set_union(c, files_text_of(c, value), location);
    if (!strcasecmp(name, names[2]))
        return set_types(c, files_text_of(c, value), location);
    if (!strcasecmp(name, names[3]))
        return set_column(c, names[3], &c->folders.has_filename, files_text_of(c, value), location);
    if (!strcasecmp(name, names[4]))
        return set_column(c, names[4], &c->folders.has_row_number, files_text_of(c, value),
                          location);
    return bind_suggest(
        bind_error(c->b, STATUS_KIND_INVALID, location, "read_parquet has no option \"%s\"", name),
        name, names, sizeof names / sizeof *names);
}

/* ---- paths ---- */

static bool files_has_column(const plan_node *node, size_t at, const char *name)
{
    if (!strcmp(node->columns.items[at].name, name))
        return true;
    for (size_t i = 0; i < node->columns.count; i++)
        if (!strcmp(node->columns.items[i].name, name))
            return true;
    return false;
}

/* The names must be those of the first path. Order and types need not: c->is_mixed. */
static status check_alike(file_call *c, const char *path, const plan_node *node, int32_t location)
{
    const plan_node *first = c->scans.scans.items[0];
    bool has_names = first->columns.count == node->columns.count;
    for (size_t i = 0; has_names && i < first->columns.count; i++) {
        const plan_column *a = &first->columns.items[i], *b = &node->columns.items[i];
        has_names = files_has_column(node, i, a->name);
        c->is_mixed |= strcmp(a->name, b->name) || !type_equal(a->type, b->type);
    }
    return has_names ? STATUS_OK
                     : status_hint(bind_error(c->b, STATUS_KIND_INVALID, location,
                                              "columns of \"%s\" differ from those of \"%s\"", path,
                                              c->first_path),
                                   "union_by_name => true puts them together by name");
}

static status files_add_path(file_call *c, const char *path, int32_t location)
{
    plan_node *scan;
    c->first_path = c->first_path ? c->first_path : path;
    c->path_count++;
    if (c->lake) {
        const char *text = arena_format(c->b->memory, "%s%s:%s", c->lake, c->lake_state, path);
        if (!text)
            return bind_no_memory();
        TRY(bind_lake(c->b, text, path, location, &scan));
        return array_push(c->b->memory, &c->scans.scans, scan);
    }
    if (c->is_by_name && c->folders.has_row_number)
        return bind_unsupported(c->b, location, "file_row_number with union_by_name is");
    if (c->is_by_name)
        return bind_union_path(c->b, path, &c->folders, location, &c->scans);
    TRY(bind_table_path(c->b, path, &c->folders, location, &scan));
    if (c->scans.scans.count)
        TRY(check_alike(c, path, scan, location));
    return array_push(c->b->memory, &c->scans.scans, scan);
}

/* Opens tables of stores among several paths together (catalog_ahead.h). */
static status open_ahead(const file_call *c, const bound_path_list *paths)
{
    for (size_t i = 0; i < paths->count && paths->count > 1; i++) {
        const char *text;
        TRY(bind_path_text(c->b, &c->folders, paths->items[i].text, &text));
        if (c->is_by_name)
            text = arena_format(c->b->memory, "union_by_name:%s", text);
        if (!text)
            return bind_no_memory();
        TRY(sql_ahead_path(c->b->catalog, text, c->b->held));
    }
    sql_ahead_open(c->b->held);
    return STATUS_OK;
}

static status files_add_argument(file_call *c, const pg_node *node)
{
    const char *name = strVal(list_nth(c->call->funcname, list_length(c->call->funcname) - 1));
    bound_path_list paths = {0};
    TRY(bind_paths(c->b, node, name, c->call->location, &paths));
    if (!c->lake && !c->b->is_confined)
        TRY(open_ahead(c, &paths));
    for (size_t i = 0; i < paths.count; i++)
        TRY(files_add_path(c, paths.items[i].text, paths.items[i].location));
    return STATUS_OK;
}

/* Options first: paths are opened as they say. */
static status add_arguments(file_call *c, bool are_options)
{
    for (size_t i = 0; i < list_length(c->call->args); i++) {
        const char *name;
        const pg_node *value;
        bool is_option = bind_find_option(list_nth(c->call->args, i), &name, &value);
        if (is_option != are_options)
            continue;
        TRY(is_option ? files_take_option(c, name, value, bind_location(list_nth(c->call->args, i)))
                      : files_add_argument(c, list_nth(c->call->args, i)));
    }
    return STATUS_OK;
}

/* By name the scans are below projections, and each may have other nested columns. */
static status add_nested_of_all(file_call *c, bind_scope *scope, const char *relation,
                                const Alias *alias)
{
    for (size_t i = 0; i < c->scans.scans.count; i++)
        TRY(bind_add_nested(c->b, scope, c->scans.scans.items[i]->children[0],
                            alias ? alias->aliasname : relation));
    return STATUS_OK;
}

static status no_ordinality(const binder *b, const FuncCall *call)
{
    return status_hint(bind_unsupported(b, call->location, "WITH ORDINALITY of files is"),
                       "row_number() OVER () numbers rows");
}

static status bind_text_function(binder *b, const FuncCall *call, text_kind kind,
                                 const RangeFunction *range, bind_scope *scope, plan_node **out)
{
    const char *path, *relation;
    if (range->ordinality)
        return no_ordinality(b, call);
    TRY(bind_text_call(b, call, kind, out, &path));
    relation = bind_relation_of_path(b, path);
    return relation ? bind_add_relation(b, scope, *out, relation, range->alias, call->location)
                    : bind_no_memory();
}

static status bind_arrow_function(binder *b, const FuncCall *call, const RangeFunction *range,
                                  bind_scope *scope, plan_node **out)
{
    const char *path, *relation;
    if (range->ordinality)
        return no_ordinality(b, call);
    TRY(bind_arrow_call(b, call, out, &path));
    relation = bind_relation_of_path(b, path);
    return relation ? bind_add_relation(b, scope, *out, relation, range->alias, call->location)
                    : bind_no_memory();
}

/* Binds a function of one row in FROM: its value is the one row. */
static status bind_scalar_rows(binder *b, const RangeFunction *range, bind_scope *scope,
                               plan_node **out)
{
    const RangeSubselect *made;
    TRY(made_rows_scalar(b, range, &made));
    return bind_range_subselect(b, made, scope, out);
}

status bind_range_function(binder *b, const RangeFunction *range, bind_scope *scope,
                           plan_node **out)
{
    const pg_node *item = list_length(range->functions) ? list_nth(range->functions, 0) : NULL;
    if (item && IsA(item, List) && list_length(castNode(List, item)))
        item = list_nth(castNode(List, item), 0);
    if (!item || !IsA(item, FuncCall) || list_length(range->functions) > 1 ||
        list_length(range->coldeflist))
        return list_length(range->functions) > 1
                   ? bind_unsupported(b, bind_location(item), "ROWS FROM of several functions is")
                   : bind_unsupported(b, bind_location(item), "this function in FROM is");
    bool is_macro;
    TRY(bind_macro_table(b, castNode(FuncCall, item), scope, &is_macro, out));
    if (is_macro)
        return bind_add_relation(b, scope, *out,
                                 strVal(list_nth(castNode(FuncCall, item)->funcname, 0)),
                                 range->alias, castNode(FuncCall, item)->location);
    file_call c = {.b = b, .call = castNode(FuncCall, item)};
    const char *name = strVal(list_nth(c.call->funcname, list_length(c.call->funcname) - 1));
    if (bind_is_series(name))
        return bind_series(b, c.call, range, scope, out);
    text_kind kind;
    if (bind_is_text_function(name, &kind))
        return bind_text_function(b, c.call, kind, range, scope, out);
    if (bind_is_arrow_function(name))
        return bind_arrow_function(b, c.call, range, scope, out);
    c.lake_state = "";
    c.lake = !strcasecmp(name, "delta_scan")     ? "delta"
             : !strcasecmp(name, "iceberg_scan") ? "iceberg"
                                                 : NULL;
    bool is_of_files =
        c.lake || !strcasecmp(name, "read_parquet") || !strcasecmp(name, "parquet_scan");
    if (!is_of_files && bind_is_scalar(name))
        return bind_scalar_rows(b, range, scope, out);
    if (!is_of_files)
        return status_hint(bind_error(b, STATUS_KIND_NOT_FOUND, c.call->location,
                                      "table function \"%s\" does not exist", name),
                           "there are read_parquet('path'), read_csv('path'), read_json('path'), "
                           "read_arrow('path'), "
                           "delta_scan('path'), "
                           "iceberg_scan('path'), "
                           "generate_series(from, to) and range(from, to)");
    if (range->ordinality)
        return no_ordinality(b, c.call);
    TRY(add_arguments(&c, true));
    TRY(add_arguments(&c, false));
    if (!c.scans.scans.count || (c.lake && c.path_count > 1))
        return bind_error(b, STATUS_KIND_INVALID, c.call->location, "%s takes %s", name,
                          c.lake ? "one path" : "one or more paths");
    if (c.is_by_name)
        TRY(bind_union_by_name(b, &c.scans, c.call->location));
    else if (c.is_mixed)
        TRY(bind_union_by_first(b, &c.scans));
    const char *relation = c.path_count == 1 ? bind_relation_of_path(b, c.first_path) : name;
    if (!relation)
        return bind_no_memory();
    TRY(bind_unite(b, &c.scans, out));
    TRY(bind_add_relation(b, scope, *out, relation, range->alias, c.call->location));
    return c.is_by_name ? add_nested_of_all(&c, scope, relation, range->alias) : STATUS_OK;
}
