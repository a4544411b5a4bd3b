/* bind_files.c - read_parquet in FROM: paths, lists of paths, and options by name. */
#include "sql/binder.h"

#include <strings.h>

/* What read_parquet is called with. */
typedef struct file_call {
    binder *b;
    const PgQuery__FuncCall *call;
    bind_folders folders;
    bool is_by_name; /* union_by_name */
    const char *first_path;
    size_t path_count;
    bind_scan_list scans;
} file_call;

/* ---- options ---- */

/* name => value, or name = value: its name and value; else false. */
static bool find_option(const pg_node *node, const char **out_name, const pg_node **out_value)
{
    if (node->node_case == PG_QUERY__NODE__NODE_NAMED_ARG_EXPR) {
        *out_name = node->named_arg_expr->name;
        *out_value = node->named_arg_expr->arg;
        return true;
    }
    if (node->node_case != PG_QUERY__NODE__NODE_A_EXPR ||
        node->a_expr->kind != PG_QUERY__A__EXPR__KIND__AEXPR_OP || !node->a_expr->lexpr ||
        strcmp(node->a_expr->name[0]->string->sval, "=") != 0 ||
        node->a_expr->lexpr->node_case != PG_QUERY__NODE__NODE_COLUMN_REF ||
        node->a_expr->lexpr->column_ref->n_fields != 1 ||
        node->a_expr->lexpr->column_ref->fields[0]->node_case != PG_QUERY__NODE__NODE_STRING)
        return false;
    *out_name = node->a_expr->lexpr->column_ref->fields[0]->string->sval;
    *out_value = node->a_expr->rexpr;
    return true;
}

/* true, false, or a text. */
static const char *text_of(const pg_node *node)
{
    if (node->node_case == PG_QUERY__NODE__NODE_TYPE_CAST)
        node = node->type_cast->arg; /* 't'::bool, as some parsers write true */
    if (node->node_case != PG_QUERY__NODE__NODE_A_CONST)
        return "";
    switch (node->a_const->val_case) {
    case PG_QUERY__A__CONST__VAL_BOOLVAL:
        return node->a_const->boolval->boolval ? "true" : "false";
    case PG_QUERY__A__CONST__VAL_SVAL:
        return node->a_const->sval->sval;
    case PG_QUERY__A__CONST__VAL_IVAL:
        return node->a_const->ival->ival ? "1" : "0";
    default:
        return "";
    }
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

static status take_option(file_call *c, const char *name, const pg_node *value, int32_t location)
{
    static const char *const names[] = {"hive_partitioning", "union_by_name", "hive_types"};
    if (!strcasecmp(name, names[0]))
        return set_hive(c, text_of(value), location);
    if (!strcasecmp(name, names[1]))
        return set_union(c, text_of(value), location);
    if (!strcasecmp(name, names[2]))
        return set_types(c, text_of(value), location);
    return bind_suggest(
        bind_error(c->b, STATUS_KIND_INVALID, location, "read_parquet has no option \"%s\"", name),
        name, names, sizeof names / sizeof *names);
}

/* ---- paths ---- */

static status check_alike(const file_call *c, const plan_node *scan, int32_t location)
{
    const plan_node *first = c->scans.scans.items[0];
    bool is_same = first->columns.count == scan->columns.count;
    for (size_t i = 0; is_same && i < first->columns.count; i++)
        is_same = !strcmp(first->columns.items[i].name, scan->columns.items[i].name) &&
                  type_equal(first->columns.items[i].type, scan->columns.items[i].type);
    return is_same ? STATUS_OK
                   : bind_error(c->b, STATUS_KIND_INVALID, location,
                                "columns of \"%s\" differ from those of \"%s\"",
                                scan->scan.table_name, first->scan.table_name);
}

static status add_path(file_call *c, const char *path, int32_t location)
{
    plan_node *scan;
    c->first_path = c->first_path ? c->first_path : path;
    c->path_count++;
    if (c->is_by_name)
        return bind_union_path(c->b, path, &c->folders, location, &c->scans);
    TRY(bind_table_path(c->b, path, &c->folders, location, &scan));
    if (c->scans.scans.count)
        TRY(check_alike(c, scan, location));
    return array_push(c->b->memory, &c->scans.scans, scan);
}

static status add_argument(file_call *c, const pg_node *node)
{
    if (node->node_case == PG_QUERY__NODE__NODE_A_ARRAY_EXPR) {
        for (size_t i = 0; i < node->a_array_expr->n_elements; i++)
            TRY(add_argument(c, node->a_array_expr->elements[i]));
        return STATUS_OK;
    }
    if (node->node_case != PG_QUERY__NODE__NODE_A_CONST ||
        node->a_const->val_case != PG_QUERY__A__CONST__VAL_SVAL)
        return bind_error(c->b, STATUS_KIND_INVALID, c->call->location,
                          "arguments of read_parquet must be paths in quotes");
    return add_path(c, node->a_const->sval->sval, node->a_const->location);
}

/* Options first: paths are opened as they say. */
static status add_arguments(file_call *c, bool are_options)
{
    for (size_t i = 0; i < c->call->n_args; i++) {
        const char *name;
        const pg_node *value;
        bool is_option = find_option(c->call->args[i], &name, &value);
        if (is_option != are_options)
            continue;
        TRY(is_option ? take_option(c, name, value, bind_location(c->call->args[i]))
                      : add_argument(c, c->call->args[i]));
    }
    return STATUS_OK;
}

/* By name the scans are below projections, and each may have other nested columns. */
static status add_nested_of_all(file_call *c, bind_scope *scope, const char *relation,
                                const PgQuery__Alias *alias)
{
    for (size_t i = 0; i < c->scans.scans.count; i++)
        TRY(bind_add_nested(c->b, scope, c->scans.scans.items[i]->children[0],
                            alias ? alias->aliasname : relation));
    return STATUS_OK;
}

status bind_range_function(binder *b, const PgQuery__RangeFunction *range, bind_scope *scope,
                           plan_node **out)
{
    const pg_node *item = range->n_functions ? range->functions[0] : NULL;
    if (item && item->node_case == PG_QUERY__NODE__NODE_LIST && item->list->n_items)
        item = item->list->items[0];
    if (!item || item->node_case != PG_QUERY__NODE__NODE_FUNC_CALL || range->n_functions > 1 ||
        range->n_coldeflist)
        return bind_unsupported(b, bind_location(item), "this function in FROM is");
    file_call c = {.b = b, .call = item->func_call};
    const char *name = c.call->funcname[c.call->n_funcname - 1]->string->sval;
    if (bind_is_series(name))
        return bind_series(b, c.call, range, scope, out);
    if (strcasecmp(name, "read_parquet") && strcasecmp(name, "parquet_scan"))
        return status_hint(
            bind_error(b, STATUS_KIND_NOT_FOUND, c.call->location,
                       "table function \"%s\" does not exist", name),
            "there are read_parquet('path'), generate_series(from, to) and range(from, to)");
    if (range->ordinality)
        return status_hint(bind_unsupported(b, c.call->location, "WITH ORDINALITY of files is"),
                           "row_number() OVER () numbers rows");
    TRY(add_arguments(&c, true));
    TRY(add_arguments(&c, false));
    if (!c.scans.scans.count)
        return bind_error(b, STATUS_KIND_INVALID, c.call->location,
                          "read_parquet takes one or more paths");
    if (c.is_by_name)
        TRY(bind_union_by_name(b, &c.scans, c.call->location));
    const char *relation = c.path_count == 1 ? bind_relation_of_path(b, c.first_path) : name;
    if (!relation)
        return bind_no_memory();
    TRY(bind_unite(b, &c.scans, out));
    TRY(bind_add_relation(b, scope, *out, relation, range->alias, c.call->location));
    return c.is_by_name ? add_nested_of_all(&c, scope, relation, range->alias) : STATUS_OK;
}
