/* binder.c - failures with their place, and the plan nodes that all parts of the binder make. */
#include "sql/types/binder.h"

#include "base/text/nearest.h"
#include "plan/tree/column_set.h"

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

status bind_check_access(const binder *b, int32_t location, const char *what)
{
    if (!b->is_confined)
        return STATUS_OK;
    return status_hint(bind_error(b, STATUS_KIND_UNSUPPORTED, location,
                                  "%s is not allowed: enable_external_access is off", what),
                       "the database's tables can be read; SHOW TABLES lists them");
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
    switch (nodeTag(node)) {
    case T_ColumnRef:
        return castNode(ColumnRef, node)->location;
    case T_A_Const:
        return castNode(A_Const, node)->location;
    case T_A_Expr: {
        int32_t left = bind_location(castNode(A_Expr, node)->lexpr);
        return left >= 0 ? left : castNode(A_Expr, node)->location;
    }
    case T_BoolExpr:
        return castNode(BoolExpr, node)->location;
    case T_FuncCall:
        return castNode(FuncCall, node)->location;
    case T_TypeCast: {
        int32_t arg = bind_location(castNode(TypeCast, node)->arg);
        return arg >= 0 ? arg : castNode(TypeCast, node)->location;
    }
    case T_SubLink:
        return castNode(SubLink, node)->location;
    case T_CaseExpr:
        return castNode(CaseExpr, node)->location;
    case T_CoalesceExpr:
        return castNode(CoalesceExpr, node)->location;
    case T_MinMaxExpr:
        return castNode(MinMaxExpr, node)->location;
    case T_NullTest:
        return castNode(NullTest, node)->location;
    case T_BooleanTest:
        return castNode(BooleanTest, node)->location;
    case T_RowExpr:
        return castNode(RowExpr, node)->location;
    case T_A_ArrayExpr:
        return castNode(A_ArrayExpr, node)->location;
    case T_SQLValueFunction:
        return castNode(SQLValueFunction, node)->location;
    case T_ParamRef:
        return castNode(ParamRef, node)->location;
    case T_NamedArgExpr:
        return castNode(NamedArgExpr, node)->location;
    case T_A_Indirection:
        return bind_location(castNode(A_Indirection, node)->arg);
    case T_CollateClause:
        return castNode(CollateClause, node)->location;
    case T_GroupingFunc:
        return castNode(GroupingFunc, node)->location;
    case T_GroupingSet:
        return castNode(GroupingSet, node)->location;
    case T_ResTarget:
        return castNode(ResTarget, node)->location;
    case T_RangeVar:
        return castNode(RangeVar, node)->location;
    case T_DefElem:
        return castNode(DefElem, node)->location;
    default:
        return -1;
    }
}

/* ---- plans ---- */

uint32_t bind_new_id(binder *b)
{
    return b->statement->next_column_id++;
}

bool bind_is_virtual(const binder *b, uint32_t id)
{
    for (size_t i = 0; i < b->virtual_columns.count; i++)
        if (b->virtual_columns.items[i] == id)
            return true;
    return false;
}

status bind_constant(binder *b, const value *v, int32_t location, expr **out)
{
    *out = expr_new_constant(b->memory, v, bind_position(b, location));
    return *out ? STATUS_OK : bind_no_memory();
}

expr *bind_column_expr(binder *b, const plan_column *column)
{
    return bind_reference(b, column->id, column->type, column->is_nullable, column->name);
}

expr *bind_reference(binder *b, uint32_t id, data_type type, bool is_nullable, const char *name)
{
    const value null = value_null(type);
    return type.id == TYPE_NULL ? expr_new_constant(b->memory, &null, -1)
                                : expr_new_column(b->memory, id, type, is_nullable, name);
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

/* Returns whether it is a column of the child that is not among those passed on yet; now it is. */
static bool binder_passes_through(const plan_node *child, column_set *passed, const expr *e)
{
    if (e->kind != EXPR_COLUMN || column_set_has(passed, e->column_id) ||
        plan_column_index(child, e->column_id) < 0)
        return false;
    column_set_add(passed, e->column_id);
    return true;
}

status bind_project(binder *b, plan_node *child, expr *const *exprs, const char *const *names,
                    size_t count, plan_node **out)
{
    plan_node *node = plan_node_new(b->memory, PLAN_PROJECT, 1);
    if (!node)
        return bind_no_memory();
    column_set passed;
    TRY(column_set_new(b->memory, b->statement->next_column_id, &passed));
    node->children[0] = child;
    for (size_t i = 0; i < count; i++) {
        plan_column column = {
            .name = names[i], .type = exprs[i]->type, .is_nullable = exprs[i]->is_nullable};
        bool is_passed = binder_passes_through(child, &passed, exprs[i]);
        column.id = is_passed ? exprs[i]->column_id : bind_new_id(b);
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

status bind_sort_key(binder *b, const SortBy *sort, expr *key, plan_sort_key_list *keys)
{
    plan_sort_key added = {.key = key};
    if (sort->sortby_dir == SORTBY_USING)
        return bind_unsupported(b, bind_location(sort->node), "ORDER BY ... USING is");
    added.is_descending = sort->sortby_dir == SORTBY_DESC;
    added.nulls_first = sort->sortby_nulls == SORTBY_NULLS_DEFAULT
                            ? added.is_descending
                            : sort->sortby_nulls == SORTBY_NULLS_FIRST;
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
