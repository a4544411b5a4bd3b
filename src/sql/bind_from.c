/* bind_from.c - FROM: its items, their aliases, and the names that they bring into scope. */
#include "sql/binder.h"

#include <strings.h>

status bind_add_scope(binder *b, bind_scope *scope, const bind_scope *from)
{
    for (size_t i = 0; i < from->entries.count; i++)
        TRY(array_push(b->memory, &scope->entries, from->entries.items[i]));
    for (size_t i = 0; i < from->relations.count; i++) {
        for (size_t j = 0; j < scope->relations.count; j++)
            if (!strcmp(scope->relations.items[j], from->relations.items[i]))
                return status_hint(bind_error(b, STATUS_KIND_INVALID, -1,
                                              "table name \"%s\" specified more than once",
                                              from->relations.items[i]),
                                   "give one of them an alias");
        TRY(array_push(b->memory, &scope->relations, from->relations.items[i]));
    }
    return STATUS_OK;
}

status bind_add_relation(binder *b, bind_scope *scope, const plan_node *node, const char *name,
                         const PgQuery__Alias *alias, int32_t location)
{
    bind_scope added = {0};
    size_t renamed = alias ? alias->n_colnames : 0;
    if (alias)
        name = alias->aliasname;
    if (renamed > node->columns.count)
        return bind_error(b, STATUS_KIND_INVALID, location,
                          "table \"%s\" has %zu columns but %zu names", name, node->columns.count,
                          renamed);
    for (size_t i = 0; i < node->columns.count; i++) {
        const plan_column *column = &node->columns.items[i];
        bind_entry entry = {.relation = name,
                            .name = i < renamed ? alias->colnames[i]->string->sval : column->name,
                            .id = column->id,
                            .type = column->type,
                            .is_nullable = column->is_nullable};
        TRY(array_push(b->memory, &added.entries, entry));
    }
    if (name)
        TRY(array_push(b->memory, &added.relations, name));
    status st = bind_add_scope(b, scope, &added);
    int32_t position = bind_position(b, location);
    return st && position >= 0 ? status_at(st, position) : st;
}

static status bind_range_subselect(binder *b, const PgQuery__RangeSubselect *range,
                                   bind_scope *scope, plan_node **out)
{
    const pg_select *select = range->subquery->select_stmt;
    int32_t location = select->n_target_list ? bind_location(select->target_list[0]) : -1;
    bind_scope *around = range->lateral && scope->lateral ? scope->lateral : scope->parent;
    TRY(bind_select(b, select, around, scope->ctes, out));
    TRY(bind_resolve_nulls(b, out));
    return bind_add_relation(b, scope, *out, NULL, range->alias, location);
}

status bind_from_item(binder *b, const pg_node *item, bind_scope *scope, plan_node **out)
{
    switch (item->node_case) {
    case PG_QUERY__NODE__NODE_RANGE_VAR:
        return bind_table(b, item->range_var, scope, out);
    case PG_QUERY__NODE__NODE_RANGE_SUBSELECT:
        return bind_range_subselect(b, item->range_subselect, scope, out);
    case PG_QUERY__NODE__NODE_JOIN_EXPR:
        return bind_join(b, item->join_expr, scope, out);
    case PG_QUERY__NODE__NODE_RANGE_FUNCTION:
        return bind_range_function(b, item->range_function, scope, out);
    case PG_QUERY__NODE__NODE_RANGE_TABLE_SAMPLE:
        return bind_unsupported(b, item->range_table_sample->location, "TABLESAMPLE is");
    default:
        return bind_unsupported(b, bind_location(item), "this item of FROM is");
    }
}

/* One row without columns: SELECT without FROM. */
static status no_table(binder *b, plan_node **out)
{
    expr **row = arena_alloc_array(b->memory, 1, sizeof *row);
    *out = plan_node_new(b->memory, PLAN_VALUES, 0);
    if (!*out || !row)
        return bind_no_memory();
    return array_push(b->memory, &(*out)->values.rows, row);
}

static status cross_join(binder *b, plan_node *left, plan_node *right, plan_node **out)
{
    plan_node *node = plan_node_new(b->memory, PLAN_JOIN, 2);
    if (!node)
        return bind_no_memory();
    node->children[0] = left;
    node->children[1] = right;
    node->join.type = JOIN_INNER;
    for (int side = 0; side < 2; side++)
        for (size_t i = 0; i < node->children[side]->columns.count; i++)
            TRY(array_push(b->memory, &node->columns, node->children[side]->columns.items[i]));
    *out = node;
    return STATUS_OK;
}

status bind_from(binder *b, const pg_select *select, bind_scope *scope, plan_node **out)
{
    if (select->n_from_clause == 0)
        return no_table(b, out);
    scope->lateral = scope; /* what has been bound of it */
    TRY(bind_from_item(b, select->from_clause[0], scope, out));
    for (size_t i = 1; i < select->n_from_clause; i++) {
        plan_node *next;
        TRY(bind_from_item(b, select->from_clause[i], scope, &next));
        TRY(cross_join(b, *out, next, out));
    }
    return STATUS_OK;
}
