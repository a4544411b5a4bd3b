/* binder.c - failures with their place, and the plan nodes that all parts of the binder make. */
#include "sql/binder.h"

#include "base/nearest.h"

#include <stdio.h>
#include <strings.h>

/* ---- failures ---- */

int32_t bind_position(const binder *b, int32_t location)
{
    return b->views ? -1 : location;
}

status bind_error(const binder *b, status_kind kind, int32_t location, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    status st = status_new(kind, "%s", text);
    int32_t position = bind_position(b, location);
    return position < 0 ? st : status_at(st, position);
}

status bind_notice(binder *b, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    for (size_t i = 0; i < b->notices->count; i++)
        if (!strcmp(b->notices->items[i], text))
            return STATUS_OK;
    const char *copy = arena_copy_text(b->memory, text, strlen(text));
    return copy ? array_push(b->memory, b->notices, copy) : bind_no_memory();
}

status bind_unsupported(const binder *b, int32_t location, const char *what)
{
    return bind_error(b, STATUS_KIND_UNSUPPORTED, location, "%s not supported", what);
}

status bind_no_memory(void)
{
    return status_no_memory("plan", sizeof(plan_node));
}

status bind_suggest(status st, const char *name, const char *const *names, size_t count)
{
    const char *nearest = nearest_name(name, names, count);
    return nearest ? status_hint(st, "did you mean \"%s\"?", nearest) : st;
}

int32_t bind_location(const pg_node *node)
{
    if (!node)
        return -1;
    switch (node->node_case) {
    case PG_QUERY__NODE__NODE_COLUMN_REF:
        return node->column_ref->location;
    case PG_QUERY__NODE__NODE_A_CONST:
        return node->a_const->location;
    case PG_QUERY__NODE__NODE_A_EXPR: {
        int32_t left = bind_location(node->a_expr->lexpr);
        return left >= 0 ? left : node->a_expr->location;
    }
    case PG_QUERY__NODE__NODE_BOOL_EXPR:
        return node->bool_expr->location;
    case PG_QUERY__NODE__NODE_FUNC_CALL:
        return node->func_call->location;
    case PG_QUERY__NODE__NODE_TYPE_CAST: {
        int32_t arg = bind_location(node->type_cast->arg);
        return arg >= 0 ? arg : node->type_cast->location;
    }
    case PG_QUERY__NODE__NODE_SUB_LINK:
        return node->sub_link->location;
    case PG_QUERY__NODE__NODE_CASE_EXPR:
        return node->case_expr->location;
    case PG_QUERY__NODE__NODE_COALESCE_EXPR:
        return node->coalesce_expr->location;
    case PG_QUERY__NODE__NODE_MIN_MAX_EXPR:
        return node->min_max_expr->location;
    case PG_QUERY__NODE__NODE_NULL_TEST:
        return node->null_test->location;
    case PG_QUERY__NODE__NODE_BOOLEAN_TEST:
        return node->boolean_test->location;
    case PG_QUERY__NODE__NODE_ROW_EXPR:
        return node->row_expr->location;
    case PG_QUERY__NODE__NODE_A_ARRAY_EXPR:
        return node->a_array_expr->location;
    case PG_QUERY__NODE__NODE_SQLVALUE_FUNCTION:
        return node->sqlvalue_function->location;
    case PG_QUERY__NODE__NODE_PARAM_REF:
        return node->param_ref->location;
    case PG_QUERY__NODE__NODE_NAMED_ARG_EXPR:
        return node->named_arg_expr->location;
    case PG_QUERY__NODE__NODE_A_INDIRECTION:
        return bind_location(node->a_indirection->arg);
    case PG_QUERY__NODE__NODE_COLLATE_CLAUSE:
        return node->collate_clause->location;
    case PG_QUERY__NODE__NODE_GROUPING_FUNC:
        return node->grouping_func->location;
    case PG_QUERY__NODE__NODE_GROUPING_SET:
        return node->grouping_set->location;
    case PG_QUERY__NODE__NODE_RES_TARGET:
        return node->res_target->location;
    case PG_QUERY__NODE__NODE_RANGE_VAR:
        return node->range_var->location;
    case PG_QUERY__NODE__NODE_DEF_ELEM:
        return node->def_elem->location;
    default:
        return -1;
    }
}

/* ---- plans ---- */

uint32_t bind_new_id(binder *b)
{
    return b->statement->next_column_id++;
}

status bind_constant(binder *b, const value *v, int32_t location, expr **out)
{
    *out = expr_new_constant(b->memory, v, bind_position(b, location));
    return *out ? STATUS_OK : bind_no_memory();
}

expr *bind_column_expr(binder *b, const plan_column *column)
{
    return expr_new_column(b->memory, column->id, column->type, column->is_nullable, column->name);
}

/* With the columns of its child, which filters, sorts and limits hand on. */
status bind_new_node(binder *b, plan_kind kind, plan_node *child, plan_node **out)
{
    plan_node *node = plan_node_new(b->memory, kind, child ? 1 : 0);
    if (!node)
        return bind_no_memory();
    if (child) {
        node->children[0] = child;
        TRY(array_reserve(b->memory, &node->columns, child->columns.count));
        if (child->columns.count)
            memcpy(node->columns.items, child->columns.items,
                   child->columns.count * sizeof *child->columns.items);
        node->columns.count = child->columns.count;
    }
    *out = node;
    return STATUS_OK;
}

/* Is it a column of the child, and not among the node's columns yet? */
static bool passes_through(const plan_node *node, const expr *e)
{
    return e->kind == EXPR_COLUMN && plan_column_index(node->children[0], e->column_id) >= 0 &&
           plan_column_index(node, e->column_id) < 0;
}

status bind_project(binder *b, plan_node *child, expr *const *exprs, const char *const *names,
                    size_t count, plan_node **out)
{
    plan_node *node = plan_node_new(b->memory, PLAN_PROJECT, 1);
    if (!node)
        return bind_no_memory();
    node->children[0] = child;
    for (size_t i = 0; i < count; i++) {
        plan_column column = {
            .name = names[i], .type = exprs[i]->type, .is_nullable = exprs[i]->is_nullable};
        column.id = passes_through(node, exprs[i]) ? exprs[i]->column_id : bind_new_id(b);
        TRY(array_push(b->memory, &node->columns, column));
        TRY(array_push(b->memory, &node->project.exprs, exprs[i]));
    }
    *out = node;
    return STATUS_OK;
}

status bind_filter(binder *b, plan_node *child, expr *condition, plan_node **out)
{
    *out = child;
    if (condition->kind == EXPR_CONSTANT && !condition->constant.is_null &&
        condition->constant.boolean)
        return STATUS_OK;
    plan_node *node;
    TRY(bind_new_node(b, PLAN_FILTER, child, &node));
    TRY(expr_split_and(b->memory, condition, &node->filter.conditions));
    *out = node;
    return STATUS_OK;
}

status bind_distinct(binder *b, plan_node *child, plan_node **out)
{
    plan_node *node;
    TRY(bind_new_node(b, PLAN_AGGREGATE, child, &node));
    for (size_t i = 0; i < child->columns.count; i++) {
        expr *group = bind_column_expr(b, &child->columns.items[i]);
        if (!group)
            return bind_no_memory();
        TRY(array_push(b->memory, &node->aggregate.groups, group));
    }
    *out = node;
    return STATUS_OK;
}

status bind_sort_key(binder *b, const PgQuery__SortBy *sort, expr *key, plan_sort_key_list *keys)
{
    plan_sort_key added = {.key = key};
    if (sort->sortby_dir == PG_QUERY__SORT_BY_DIR__SORTBY_USING)
        return bind_unsupported(b, bind_location(sort->node), "ORDER BY ... USING is");
    added.is_descending = sort->sortby_dir == PG_QUERY__SORT_BY_DIR__SORTBY_DESC;
    added.nulls_first = sort->sortby_nulls == PG_QUERY__SORT_BY_NULLS__SORTBY_NULLS_DEFAULT
                            ? added.is_descending
                            : sort->sortby_nulls == PG_QUERY__SORT_BY_NULLS__SORTBY_NULLS_FIRST;
    for (size_t i = 0; i < keys->count; i++)
        if (expr_equal(keys->items[i].key, key))
            return STATUS_OK; /* ties of the same key again */
    return array_push(b->memory, keys, added);
}

status bind_one_row(binder *b, plan_node **out)
{
    expr **row = arena_alloc_array(b->memory, 1, sizeof *row);
    *out = plan_node_new(b->memory, PLAN_VALUES, 0);
    if (!*out || !row)
        return bind_no_memory();
    return array_push(b->memory, &(*out)->values.rows, row);
}
