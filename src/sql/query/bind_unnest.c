/* bind_unnest.c - unnest: rows of the elements of lists.
 *
 *     project [columns, list[number]]             elements, NULL beyond a list's end
 *       series from 1 to length
 *         project [columns, list, greatest length]
 *           rows */
#include "sql/query/bind_unnest.h"

#include "base/system/guard.h"
#include "plan/nodes/visit.h"
#include "sql/expression/bind_nested.h"
#include "sql/expression/bind_scope.h"
#include "sql/types/bind_columns.h"
#include "sql/types/bind_operator.h"
#include "sql/types/bind_type.h"
#include "sql/types/nested_cast.h"

#include <strings.h>

/* The lists of one unnest, and the columns that they become. */
typedef struct unnesting {
    binder *b;
    int32_t location;
    expr_list lists;
    plan_column number; /* of the element */
    bool keeps_rows;
    expr_list columns; /* the lists, as columns of the input of the series */
} unnesting;

static const FuncCall *call_of(const pg_node *item)
{
    if (!IsA(item, RangeFunction))
        return NULL;
    const List *functions = castNode(RangeFunction, item)->functions;
    const pg_node *call = list_length(functions) ? list_nth(functions, 0) : NULL;
    if (call && IsA(call, List) && list_length(castNode(List, call)))
        call = list_nth(castNode(List, call), 0);
    return call && IsA(call, FuncCall) ? castNode(FuncCall, call) : NULL;
}

bool bind_is_unnest(const pg_node *item)
{
    const FuncCall *call = call_of(item);
    return call && bind_is_unnest_call((const pg_node *)call);
}

/* ---- nodes ---- */

/* How many rows a row gives: the length of its longest list. */
static status bind_unnest_longest(unnesting *u, expr **out)
{
    binder *b = u->b;
    expr **lengths = arena_alloc_array(b->memory, u->lists.count + 1, sizeof *lengths);
    data_type number = type_make(TYPE_INT64);
    value least = value_int(TYPE_INT64, u->keeps_rows);
    if (!lengths)
        return bind_no_memory();
    TRY(bind_constant(b, &least, -1, &lengths[0]));
    for (size_t i = 0; i < u->lists.count; i++) {
        expr *copy = expr_copy(b->memory, u->lists.items[i]);
        if (!copy)
            return bind_no_memory();
        TRY(bind_call1(b, EXPR_LIST_LENGTH, number, copy, u->location, &lengths[1 + i]));
    }
    return bind_call(b, EXPR_GREATEST, number, lengths, (uint32_t)u->lists.count + 1, u->location,
                     out);
}

/* The rows with the lists and the greatest length beside them. */
static status lists_beside(unnesting *u, plan_node *node, plan_node **out)
{
    binder *b = u->b;
    size_t own = node->columns.count;
    expr_list exprs = {0};
    ARRAY(const char *) names = {0};
    expr *e;
    for (size_t i = 0; i < own; i++) {
        if (!(e = bind_column_expr(b, &node->columns.items[i])))
            return bind_no_memory();
        TRY(array_push(b->memory, &exprs, e));
        TRY(array_push(b->memory, &names, node->columns.items[i].name));
    }
    for (size_t i = 0; i < u->lists.count; i++) {
        TRY(array_push(b->memory, &exprs, u->lists.items[i]));
        TRY(array_push(b->memory, &names, (const char *)"list"));
    }
    TRY(bind_unnest_longest(u, &e));
    TRY(array_push(b->memory, &exprs, e));
    TRY(array_push(b->memory, &names, (const char *)"stop"));
    TRY(bind_project(b, node, exprs.items, names.items, exprs.count, out));
    for (size_t i = 0; i < u->lists.count; i++) {
        if (!(e = bind_column_expr(b, &(*out)->columns.items[own + i])))
            return bind_no_memory();
        TRY(array_push(b->memory, &u->columns, e));
    }
    return STATUS_OK;
}

static status element_numbers(unnesting *u, plan_node *rows, plan_node **out)
{
    binder *b = u->b;
    value one = value_int(TYPE_INT64, 1);
    plan_node *node;
    TRY(bind_new_node(b, PLAN_SERIES, rows, &node));
    node->position = bind_position(b, u->location);
    TRY(bind_constant(b, &one, -1, &node->series.start));
    TRY(bind_constant(b, &one, -1, &node->series.step));
    node->series.stop = bind_column_expr(b, &rows->columns.items[rows->columns.count - 1]);
    if (!node->series.stop)
        return bind_no_memory();
    node->series.has_stop = true;
    TRY(array_push(b->memory, &node->columns, u->number));
    *out = node;
    return STATUS_OK;
}

static status element(unnesting *u, expr *list, expr **out)
{
    expr *number = bind_column_expr(u->b, &u->number);
    if (!number)
        return bind_no_memory();
    return bind_call2(u->b, EXPR_LIST_ELEMENT, nested_type_of(list->type)->fields[0].type, list,
                      number, u->location, out);
}

static status unnest_rows(unnesting *u, plan_node *node, plan_node **out)
{
    TRY(lists_beside(u, node, out));
    return element_numbers(u, *out, out);
}

static plan_column bind_unnest_number_column(binder *b)
{
    return (plan_column){.id = bind_new_id(b), .name = "ordinality", .type = type_make(TYPE_INT64)};
}

/* ---- FROM ---- */

static status bind_lists(unnesting *u, const FuncCall *call, bind_scope *scope)
{
    char name[TYPE_NAME_BYTES];
    binder *b = u->b;
    if (!list_length(call->args))
        return bind_error(b, STATUS_KIND_INVALID, call->location,
                          "function \"unnest\" takes a list");
    for (size_t i = 0; i < list_length(call->args); i++) {
        expr *list;
        data_type type;
        TRY(b->bind_expression(b, list_nth(call->args, i), scope, &list));
        if (list->type.id == TYPE_NULL) {
            TRY(bind_list_type(b, type_make(TYPE_INT32), &type));
            TRY(bind_cast(b, list, type, call->location, &list));
        }
        if (list->type.id != TYPE_LIST)
            return bind_error(b, STATUS_KIND_INVALID, call->location,
                              "argument %zu of function \"unnest\" must be a list, not %s", i + 1,
                              type_name(list->type, name));
        TRY(array_push(b->memory, &u->lists, list));
    }
    return STATUS_OK;
}

/* The columns of `left`, then those of the elements. */
static status unnest_project(unnesting *u, const plan_node *left, plan_node *series,
                             const char *name, bool has_number, plan_node **out)
{
    binder *b = u->b;
    expr_list exprs = {0};
    ARRAY(const char *) names = {0};
    expr *e;
    for (size_t i = 0; left && i < left->columns.count; i++) {
        if (!(e = bind_column_expr(b, &left->columns.items[i])))
            return bind_no_memory();
        TRY(array_push(b->memory, &exprs, e));
        TRY(array_push(b->memory, &names, left->columns.items[i].name));
    }
    for (size_t i = 0; i < u->columns.count; i++) {
        TRY(element(u, u->columns.items[i], &e));
        TRY(array_push(b->memory, &exprs, e));
        TRY(array_push(b->memory, &names, name));
    }
    if (has_number) {
        if (!(e = bind_column_expr(b, &u->number)))
            return bind_no_memory();
        TRY(array_push(b->memory, &exprs, e));
        TRY(array_push(b->memory, &names, (const char *)"ordinality"));
    }
    return bind_project(b, series, exprs.items, names.items, exprs.count, out);
}

status bind_unnest(binder *b, const RangeFunction *range, bind_scope *scope, bool keeps_rows,
                   plan_node *left, plan_node **out)
{
    const FuncCall *call = call_of((const pg_node *)range);
    const Alias *alias = range->alias;
    unnesting u = {.b = b, .location = call->location, .keeps_rows = keeps_rows};
    bind_scope around = {.parent = scope->lateral ? scope->lateral : scope->parent,
                         .ctes = scope->ctes,
                         .clause = "functions in FROM",
                         .windowless = "functions in FROM"};
    plan_node *rows = left, *elements = plan_node_new(b->memory, PLAN_PROJECT, 1);
    if (!elements)
        return bind_no_memory();
    u.number = bind_unnest_number_column(b);
    TRY(bind_lists(&u, call, &around));
    if (!left)
        TRY(bind_one_row(b, &rows));
    TRY(unnest_rows(&u, rows, &rows));
    TRY(unnest_project(&u, left, rows, alias ? alias->aliasname : "unnest", range->ordinality,
                       out));
    for (size_t i = left ? left->columns.count : 0; i < (*out)->columns.count; i++)
        TRY(array_push(b->memory, &elements->columns, (*out)->columns.items[i]));
    return bind_add_relation(b, scope, elements, "unnest", alias, call->location);
}

/* ---- rows of the select list ---- */

/* The number of the list among those found, which it is added to. */
static status list_number(unnesting *u, expr *list, size_t *out)
{
    for (*out = 0; *out < u->lists.count; ++*out)
        if (expr_equal(u->lists.items[*out], list))
            return STATUS_OK;
    return array_push(u->b->memory, &u->lists, list);
}

static bool is_element(const unnesting *u, const expr *e)
{
    return e->kind == EXPR_CALL && e->op == EXPR_LIST_ELEMENT && e->args[1]->kind == EXPR_COLUMN &&
           e->args[1]->column_id == u->number.id;
}

static status find_lists(unnesting *u, const expr *e)
{
    size_t number;
    if (is_element(u, e))
        return list_number(u, e->args[0], &number);
    for (uint32_t i = 0; i < e->arg_count; i++)
        TRY(find_lists(u, e->args[i]));
    return STATUS_OK;
}

/* Lists become the columns that they are below the series. */
static status use_columns(unnesting *u, expr *e)
{
    size_t number;
    if (is_element(u, e)) {
        for (size_t i = 0; i < u->columns.count; i++)
            if (expr_equal(u->columns.items[i], e->args[0])) /* another place of it */
                return STATUS_OK;
        TRY(list_number(u, e->args[0], &number));
        e->args[0] = expr_copy(u->b->memory, u->columns.items[number]);
        return e->args[0] ? STATUS_OK : bind_no_memory();
    }
    for (uint32_t i = 0; i < e->arg_count; i++)
        TRY(use_columns(u, e->args[i]));
    return STATUS_OK;
}

/* Makes the rows of one level: lists of a later one have elements of this one in them. */
static status unnest_level(binder *b, plan_column number, int32_t location,
                           const expr_slot_list *slots, plan_node **node)
{
    unnesting u = {.b = b, .location = location, .number = number};
    for (size_t i = 0; i < slots->count; i++)
        TRY(find_lists(&u, *slots->items[i]));
    TRY(unnest_rows(&u, *node, node));
    for (size_t i = 0; i < slots->count; i++)
        TRY(use_columns(&u, *slots->items[i]));
    return STATUS_OK;
}

status bind_unnest_targets(binder *b, const bind_scope *scope, const expr_slot_list *slots,
                           plan_node **node)
{
    for (size_t i = 0; i < scope->unnests.count; i++)
        TRY(unnest_level(b, scope->unnests.items[i], scope->unnest_location, slots, node));
    return STATUS_OK;
}

bool bind_has_unnest(const bind_scope *scope, const expr *e)
{
    size_t level;
    bool has = bind_is_unnest_element(scope, e, &level);
    for (uint32_t i = 0; i < e->arg_count && !has; i++)
        has = bind_has_unnest(scope, e->args[i]);
    return has;
}

/* ---- items of the select list ---- */

/* An item of the select list that is a call of unnest. */
typedef struct unnest_item {
    binder *b;
    const FuncCall *tree;
    bind_scope *scope;
    bind_target_list *targets;
} unnest_item;

static status unnest_fields(const unnest_item *item, expr *e, uint32_t depth);

/* Adds the value or, while `depth` allows it, the fields of a struct. */
static status unnest_value(const unnest_item *item, expr *e, const char *name, uint32_t depth)
{
    TRY(guard_check());
    if (depth && e->type.id == TYPE_STRUCT)
        return unnest_fields(item, e, depth - 1);
    return array_push(item->b->memory, item->targets, ((bind_target){.name = name, .e = e}));
}

static status unnest_fields(const unnest_item *item, expr *e, uint32_t depth)
{
    binder *b = item->b;
    const nested_type *type = nested_type_of(e->type);
    for (uint32_t i = 0; i < type->field_count; i++) {
        const char *name = type->fields[i].name;
        expr *field = expr_copy(b->memory, e);
        if (!*name)
            name = arena_format(b->memory, "element%u", i + 1);
        if (!field || !name)
            return bind_no_memory();
        TRY(bind_nested_field(b, field, i, item->tree->location, &field));
        TRY(unnest_value(item, field, name, depth));
    }
    return STATUS_OK;
}

bool bind_is_unnest_call(const pg_node *node)
{
    if (!IsA(node, FuncCall))
        return false;
    const FuncCall *call = castNode(FuncCall, node);
    return !strcmp(strVal(list_nth(call->funcname, list_length(call->funcname) - 1)), "unnest");
}

status bind_unnest_item(binder *b, const FuncCall *tree, bind_scope *scope, const char *name,
                        bind_target_list *targets)
{
    const unnest_item item = {b, tree, scope, targets};
    uint32_t depth;
    expr *e;
    TRY(bind_unnest_depth(b, tree, scope, &depth));
    TRY(bind_unnest_argument(b, tree, scope, &e));
    bool is_first = e->type.id != TYPE_STRUCT; /* an error unless it is a list */
    for (; is_first || (depth && e->type.id == TYPE_LIST); is_first = false, depth--)
        TRY(bind_unnest_element(b, tree, scope, e, &e));
    return unnest_value(&item, e, name, depth);
}
