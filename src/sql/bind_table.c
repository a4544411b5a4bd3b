/* bind_table.c - tables and views by name, tables by path. */
#include "sql/binder.h"

#include <strings.h>

static status bind_scan(binder *b, pq_table *table, const char *name, plan_node **out)
{
    plan_node *node = plan_node_new(b->memory, PLAN_SCAN, 0);
    if (!node)
        return bind_no_memory();
    node->scan.table = table;
    node->scan.table_name = name;
    for (size_t i = 0; i < table->columns.count; i++) {
        const pq_table_column *source = &table->columns.items[i];
        plan_column column = {.id = bind_new_id(b),
                              .name = source->name,
                              .type = source->type,
                              .is_nullable = source->is_nullable};
        TRY(array_push(b->memory, &node->columns, column));
        TRY(array_push(b->memory, &node->scan.sources, (uint32_t)i));
        TRY(array_push(b->memory, &node->scan.filter_only, false));
    }
    *out = node;
    return STATUS_OK;
}

/* ---- several scans as one ---- */

typedef struct scan_list {
    ARRAY(plan_node *) scans;
} scan_list;

static status unite(binder *b, const scan_list *list, plan_node **out)
{
    size_t count = list->scans.count;
    *out = list->scans.items[0];
    if (count == 1)
        return STATUS_OK;
    plan_node *node = plan_node_new(b->memory, PLAN_UNION, (uint32_t)count);
    if (!node)
        return bind_no_memory();
    memcpy(node->children, list->scans.items, count * sizeof *node->children);
    for (size_t i = 0; i < (*out)->columns.count; i++) {
        plan_column column = (*out)->columns.items[i];
        column.id = bind_new_id(b);
        for (size_t c = 1; c < count; c++)
            column.is_nullable |= list->scans.items[c]->columns.items[i].is_nullable;
        TRY(array_push(b->memory, &node->columns, column));
    }
    *out = node;
    return STATUS_OK;
}

status bind_parts(binder *b, const sql_part_list *parts, const char *name, plan_node *more,
                  plan_node **out)
{
    scan_list list = {0};
    for (size_t i = 0; i < parts->count; i++) {
        plan_node *scan;
        TRY(bind_scan(b, parts->items[i]->table, name, &scan));
        TRY(array_push(b->memory, &list.scans, scan));
    }
    if (more)
        TRY(array_push(b->memory, &list.scans, more));
    return unite(b, &list, out);
}

/* ---- views ---- */

/* A view's text is bound as a query of its own; failures are put where the view is used. */
static status bind_view_query(binder *b, const sql_catalog_entry *entry, plan_node **out)
{
    sql_text *text = arena_alloc(b->memory, sizeof *text);
    pg_node *tree;
    if (!text)
        return bind_no_memory();
    TRY(sql_text_make(b->memory, entry->view_sql, strlen(entry->view_sql), text));
    TRY(sql_parse(b->memory, text->rewritten, &tree));
    if (!tree || tree->node_case != PG_QUERY__NODE__NODE_SELECT_STMT)
        return status_new(STATUS_KIND_INVALID, "it is not a query");
    const sql_text *outer_text = b->text;
    const bind_view *outer_views = b->views;
    bind_view view = {outer_views, entry->name};
    b->text = text;
    b->views = &view;
    status st = bind_select(b, tree->select_stmt, NULL, NULL, out);
    if (!st)
        st = bind_check_reducers(b);
    if (!st)
        st = bind_resolve_nulls(b, out);
    b->text = outer_text;
    b->views = outer_views;
    return st;
}

static status bind_view_named(binder *b, const sql_catalog_entry *entry, int32_t location,
                              plan_node **out)
{
    int depth = 0;
    for (const bind_view *v = b->views; v; v = v->outer, depth++)
        if (!strcmp(v->name, entry->name) || depth > 50)
            return bind_error(b, STATUS_KIND_INVALID, location, "view \"%s\" refers to itself",
                              entry->name);
    status st = bind_view_query(b, entry, out);
    if (!st)
        return STATUS_OK;
    /* Its own position is one in the view's text. */
    status moved = status_new(status_get_kind(st), "%s", status_message(st));
    if (status_get_hint(st))
        moved = status_hint(moved, "%s", status_get_hint(st));
    status_free(st);
    moved = status_context(moved, "view \"%s\"", entry->name);
    int32_t position = bind_position(b, location);
    return position < 0 ? moved : status_at(moved, position);
}

static status no_such_table(binder *b, const char *name, int32_t location)
{
    sql_catalog_entry *entries;
    size_t count;
    TRY(sql_catalog_list(b->catalog, false, b->held, &entries, &count));
    const char **names = arena_alloc_array(b->memory, count + 1, sizeof *names);
    if (!names)
        return bind_no_memory();
    for (size_t i = 0; i < count; i++)
        names[i] = entries[i].name;
    status st = bind_error(b, STATUS_KIND_NOT_FOUND, location, "table \"%s\" does not exist", name);
    st = status_hint(st, count ? "SHOW TABLES lists the tables; FROM 'path.parquet' reads a file"
                               : "there are no tables; FROM 'path.parquet' reads a file");
    return bind_suggest(st, name, names, count);
}

static status at(binder *b, status st, int32_t location)
{
    int32_t position = bind_position(b, location);
    return st && position >= 0 ? status_at(st, position) : st;
}

static bool looks_like_path(const char *name)
{
    size_t bytes = strlen(name);
    return strchr(name, '/') || (bytes > 8 && !strcasecmp(name + bytes - 8, ".parquet"));
}

status bind_table_named(binder *b, const char *name, bool is_path, int32_t location,
                        plan_node **out)
{
    const sql_catalog_entry *entry = NULL;
    pq_table *table;
    if (!is_path)
        TRY(at(b, sql_catalog_find(b->catalog, name, b->held, &entry), location));
    if (!entry && !is_path && !looks_like_path(name))
        return no_such_table(b, name, location);
    if (entry && entry->view_sql)
        return bind_view_named(b, entry, location, out);
    if (entry && entry->parts.count > 1)
        return bind_parts(b, &entry->parts, entry->name, NULL, out);
    if (entry)
        table = entry->table;
    else
        TRY(at(b, sql_catalog_path(b->catalog, name, &table), location));
    TRY(bind_scan(b, table, entry ? entry->name : name, out));
    (*out)->position = bind_position(b, location);
    return STATUS_OK;
}

/* "dir/orders.parquet" is called orders. */
static const char *relation_of_path(binder *b, const char *path)
{
    const char *slash = strrchr(path, '/'), *start = slash ? slash + 1 : path;
    size_t bytes = strlen(start);
    if (bytes > 8 && !strcasecmp(start + bytes - 8, ".parquet"))
        bytes -= 8;
    return arena_copy_text(b->memory, start, bytes);
}

status bind_table(binder *b, const PgQuery__RangeVar *range, bind_scope *scope, plan_node **out)
{
    const char *path = sql_text_path(b->text, range->location), *relation = range->relname;
    const char *schema = range->schemaname; /* "" for none */
    if (*range->catalogname || (*schema && strcmp(schema, "main") && strcmp(schema, "public")))
        return bind_unsupported(b, range->location, "a schema in front of a table's name is");
    *out = NULL;
    if (!path && !*schema)
        TRY(bind_cte_reference(b, range->relname, scope->ctes, out));
    if (!*out)
        TRY(bind_table_named(b, path ? path : range->relname, path != NULL, range->location, out));
    if (path) {
        relation = relation_of_path(b, path);
        if (!relation)
            return bind_no_memory();
    }
    return bind_add_relation(b, scope, *out, relation, range->alias, range->location);
}

/* ---- read_parquet ---- */

static status add_argument(binder *b, const pg_node *node, int32_t location, scan_list *list)
{
    plan_node *scan;
    if (node->node_case == PG_QUERY__NODE__NODE_A_ARRAY_EXPR) {
        for (size_t i = 0; i < node->a_array_expr->n_elements; i++)
            TRY(add_argument(b, node->a_array_expr->elements[i], location, list));
        return STATUS_OK;
    }
    if (node->node_case != PG_QUERY__NODE__NODE_A_CONST ||
        node->a_const->val_case != PG_QUERY__A__CONST__VAL_SVAL)
        return bind_error(b, STATUS_KIND_INVALID, location,
                          "arguments of read_parquet must be paths in quotes");
    TRY(bind_table_named(b, node->a_const->sval->sval, true, node->a_const->location, &scan));
    if (list->scans.count) {
        const plan_node *first = list->scans.items[0];
        bool is_same = first->columns.count == scan->columns.count;
        for (size_t i = 0; is_same && i < first->columns.count; i++)
            is_same = !strcmp(first->columns.items[i].name, scan->columns.items[i].name) &&
                      type_equal(first->columns.items[i].type, scan->columns.items[i].type);
        if (!is_same)
            return bind_error(b, STATUS_KIND_INVALID, node->a_const->location,
                              "columns of \"%s\" differ from those of \"%s\"",
                              scan->scan.table_name, first->scan.table_name);
    }
    return array_push(b->memory, &list->scans, scan);
}

status bind_range_function(binder *b, const PgQuery__RangeFunction *range, bind_scope *scope,
                           plan_node **out)
{
    const pg_node *item = range->n_functions ? range->functions[0] : NULL;
    if (item && item->node_case == PG_QUERY__NODE__NODE_LIST && item->list->n_items)
        item = item->list->items[0];
    if (!item || item->node_case != PG_QUERY__NODE__NODE_FUNC_CALL || range->n_functions > 1 ||
        range->ordinality || range->n_coldeflist)
        return bind_unsupported(b, bind_location(item), "this function in FROM is");
    const PgQuery__FuncCall *call = item->func_call;
    const char *name = call->funcname[call->n_funcname - 1]->string->sval;
    if (bind_is_series(name))
        return bind_series(b, call, range->alias, scope, out);
    if (strcasecmp(name, "read_parquet") && strcasecmp(name, "parquet_scan"))
        return status_hint(
            bind_error(b, STATUS_KIND_NOT_FOUND, call->location,
                       "table function \"%s\" does not exist", name),
            "there are read_parquet('path'), generate_series(from, to) and range(from, to)");
    scan_list list = {0};
    for (size_t i = 0; i < call->n_args; i++)
        TRY(add_argument(b, call->args[i], call->location, &list));
    if (!list.scans.count)
        return bind_error(b, STATUS_KIND_INVALID, call->location,
                          "read_parquet takes one or more paths");
    TRY(unite(b, &list, out));
    const char *relation =
        list.scans.count == 1 ? relation_of_path(b, list.scans.items[0]->scan.table_name) : name;
    return bind_add_relation(b, scope, *out, relation, range->alias, call->location);
}
