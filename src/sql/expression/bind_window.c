/* bind_window.c - calls OVER a window: each becomes a column of a window node, which stands between
 * the groups and the select list. Windows with the same partitions share a sort where the order of one
 * begins with that of the other. */
#include "sql/expression/bind_window.h"

#include "sql/expression/bind_aggregate.h"
#include "sql/expression/bind_composite.h"
#include "sql/expression/bind_expr.h"
#include "sql/expression/expression_parts.h"
#include "sql/types/bind_operator.h"
#include "sql/types/bind_type.h"
#include "sql/types/binder.h"

typedef enum result_kind { RESULT_BIGINT, RESULT_INTEGER, RESULT_DOUBLE, RESULT_SAME } result_kind;

static const struct function {
    const char *name;
    uint32_t least, most; /* arguments */
    result_kind result;
} functions[WINDOW_AGGREGATE] = {
#define WINDOW_FUNCTION(name, sql, arguments, least, most, type, help)                             \
    [WINDOW_##name] = {sql, least, most, RESULT_##type},
#include "plan/tree/windows.def"
};

static bool window_find_function(const char *name, plan_window_function *out)
{
    for (int i = 0; i < WINDOW_AGGREGATE; i++)
        if (!strcmp(name, functions[i].name)) {
            *out = (plan_window_function)i;
            return true;
        }
    return false;
}

/* Returns what an aggregate that takes one of the rows is over a window. */
static const char *name_over(const char *name)
{
    return !strcmp(name, "first") || !strcmp(name, "arbitrary") ? "first_value"
           : !strcmp(name, "last")                              ? "last_value"
                                                                : name;
}

bool bind_is_window_function(const char *name)
{
    plan_window_function function;
    return window_find_function(name, &function);
}

/* ---- windows by name ---- */

static bool window_is_name(const char *name)
{
    return name && *name;
}

/* Among the first `count` of the clause. */
static status find_window(const binder *b, const bind_scope *scope, size_t count, const char *name,
                          int32_t location, size_t *out)
{
    const char **names = arena_alloc_array(b->memory, count + 1, sizeof *names);
    if (!names)
        return bind_no_memory();
    for (size_t i = 0; i < count; i++) {
        names[i] = castNode(WindowDef, scope->window_clause[i])->name;
        if (!strcmp(names[i], name)) {
            *out = i;
            return STATUS_OK;
        }
    }
    return bind_suggest(
        bind_error(b, STATUS_KIND_NOT_FOUND, location, "window \"%s\" does not exist", name), name,
        names, count);
}

/* A window that begins with a named one, of which it has the partitions and the order. */
static status extend_window(const binder *b, const WindowDef *from, const char *name,
                            WindowDef *window)
{
    if (list_length(window->partitionClause))
        return bind_error(b, STATUS_KIND_INVALID, window->location,
                          "cannot override PARTITION BY clause of window \"%s\"", name);
    if (list_length(window->orderClause) && list_length(from->orderClause))
        return bind_error(b, STATUS_KIND_INVALID, window->location,
                          "cannot override ORDER BY clause of window \"%s\"", name);
    if (from->frameOptions & 1) /* FRAMEOPTION_NONDEFAULT */
        return bind_error(b, STATUS_KIND_INVALID, window->location,
                          "cannot copy window \"%s\" because it has a frame clause", name);
    window->partitionClause = from->partitionClause;
    if (!window->orderClause)
        window->orderClause = from->orderClause;
    return STATUS_OK;
}

/* The window with all that it takes from named ones, of which `count` are visible. A chain of them
 * is as long as the clause at most. */
static status resolve_window(const binder *b, const bind_scope *scope, const WindowDef *tree,
                             size_t count, WindowDef *out)
{
    size_t found;
    WindowDef from;
    *out = *tree;
    if (!window_is_name(tree->refname))
        return STATUS_OK;
    TRY(find_window(b, scope, count, tree->refname, tree->location, &found));
    TRY(resolve_window(b, scope, castNode(WindowDef, scope->window_clause[found]), found, &from));
    return extend_window(b, &from, tree->refname, out);
}

static status window_of_call(const binder *b, const bind_scope *scope, const WindowDef *over,
                             WindowDef *out)
{
    size_t found;
    if (!window_is_name(over->name))
        return resolve_window(b, scope, over, scope->window_clause_count, out);
    TRY(find_window(b, scope, scope->window_clause_count, over->name, over->location, &found));
    return resolve_window(b, scope, castNode(WindowDef, scope->window_clause[found]), found, out);
}

/* ---- a call ---- */

static bool has_expr(const expr_list *list, const expr *e)
{
    for (size_t i = 0; i < list->count; i++)
        if (expr_equal(list->items[i], e))
            return true;
    return false;
}

/* A constant neither divides nor orders rows. */
static status bind_key(binder *b, const pg_node *node, bind_scope *scope, expr **out)
{
    TRY(bind_expr(b, node, scope, out));
    return (*out)->type.id == TYPE_NULL
               ? bind_cast(b, *out, type_make(TYPE_VARCHAR), bind_location(node), out)
               : STATUS_OK;
}

static status bind_keys(binder *b, const WindowDef *tree, bind_scope *scope, bind_window *window)
{
    expr *key;
    for (size_t i = 0; i < list_length(tree->partitionClause); i++) {
        TRY(bind_key(b, list_nth(tree->partitionClause, i), scope, &key));
        if (!expr_is_constant(key) && !has_expr(&window->partition, key))
            TRY(array_push(b->memory, &window->partition, key));
    }
    for (size_t i = 0; i < list_length(tree->orderClause); i++) {
        const SortBy *sort = castNode(SortBy, list_nth(tree->orderClause, i));
        TRY(bind_key(b, sort->node, scope, &key));
        if (!expr_is_constant(key) || list_length(tree->orderClause) == 1)
            TRY(bind_sort_key(b, sort, key, &window->order));
    }
    return STATUS_OK;
}

static status window_check_place(const binder *b, const FuncCall *tree, const bind_scope *scope)
{
    const char *clause = scope->clause ? scope->clause : scope->windowless;
    if (clause)
        return bind_error(b, STATUS_KIND_INVALID, tree->location,
                          "window functions are not allowed in %s", clause);
    if (scope->is_in_aggregate)
        return bind_error(b, STATUS_KIND_INVALID, tree->location,
                          "aggregate function calls cannot contain window function calls");
    if (scope->is_in_window)
        return bind_error(b, STATUS_KIND_INVALID, tree->location,
                          "window function calls cannot be nested");
    return STATUS_OK;
}

/* Argument i as a bigint, which must be above 0 where it is a constant and has to be. */
static status bind_integer(binder *b, const FuncCall *tree, bool is_positive, size_t i,
                           plan_window_call *call)
{
    char type[TYPE_NAME_BYTES];
    expr **arg = &call->args[i];
    int32_t location = bind_location(list_nth(tree->args, i));
    const char *name = functions[call->function].name;
    if (!bind_is_literal(*arg) && !type_is_integer((*arg)->type))
        return bind_error(b, STATUS_KIND_INVALID, location,
                          "argument %zu of function \"%s\" must be an integer, not %s", i + 1, name,
                          type_name((*arg)->type, type));
    TRY(bind_cast(b, *arg, type_make(TYPE_INT64), location, arg));
    if (is_positive && expr_is_constant(*arg) && !(*arg)->constant.is_null &&
        (*arg)->constant.i64 <= 0)
        return bind_error(b, STATUS_KIND_INVALID, location,
                          "argument of %s must be greater than zero", name);
    return STATUS_OK;
}

static status window_bind_arguments(binder *b, const FuncCall *tree, bind_scope *scope,
                                    plan_window_call *call)
{
    const struct function *f = &functions[call->function];
    data_type type;
    if (list_length(tree->args) < f->least || list_length(tree->args) > f->most)
        return bind_error(b, STATUS_KIND_INVALID, tree->location,
                          "function \"%s\" takes %u%s%s, not %zu", f->name, f->least,
                          f->most > f->least ? " to 3 arguments" : " argument",
                          f->most == f->least && f->least != 1 ? "s" : "", list_length(tree->args));
    for (; call->arg_count < list_length(tree->args); call->arg_count++)
        TRY(bind_expr(b, list_nth(tree->args, call->arg_count), scope,
                      &call->args[call->arg_count]));
    bool counts = call->function == WINDOW_NTILE || call->function == WINDOW_NTH_VALUE;
    if (call->function == WINDOW_NTILE)
        return bind_integer(b, tree, true, 0, call);
    if (call->arg_count > 1)
        TRY(bind_integer(b, tree, counts, 1, call));
    if (!call->arg_count)
        return STATUS_OK;
    expr *values[] = {call->args[0], call->arg_count > 2 ? call->args[2] : call->args[0]};
    TRY(bind_coerce_all(b, values, 2, tree->location, f->name, &type));
    call->args[0] = values[0];
    if (call->arg_count > 2)
        call->args[2] = values[1];
    return STATUS_OK;
}

static plan_column column_of_call(const plan_window_call *call)
{
    const struct function *f = &functions[call->function];
    plan_column column = {.name = f->name, .is_nullable = f->result == RESULT_SAME};
    column.is_nullable |= call->function == WINDOW_NTILE;
    column.type = f->result == RESULT_SAME ? call->args[0]->type
                                           : type_make(f->result == RESULT_BIGINT    ? TYPE_INT64
                                                       : f->result == RESULT_INTEGER ? TYPE_INT32
                                                                                     : TYPE_DOUBLE);
    return column;
}

static status not_for_windows(const binder *b, const FuncCall *tree, const char *name)
{
    if (tree->agg_filter)
        return bind_error(b, STATUS_KIND_INVALID, tree->location,
                          "FILTER is not implemented for non-aggregate window functions");
    if (tree->agg_distinct || tree->agg_star || list_length(tree->agg_order))
        return bind_error(b, STATUS_KIND_INVALID, tree->location,
                          "function \"%s\" is not an aggregate", name);
    return STATUS_OK;
}

/* IGNORE NULLS is for functions that give the value of a row. */
static status check_ignore_nulls(const binder *b, const FuncCall *tree, const char *name)
{
    plan_window_function function = WINDOW_AGGREGATE;
    if (!tree->ignore_nulls)
        return STATUS_OK;
    bool is_known = window_find_function(name_over(name), &function);
    if (is_known &&
        (function == WINDOW_LAG || function == WINDOW_LEAD || function == WINDOW_FIRST_VALUE ||
         function == WINDOW_LAST_VALUE || function == WINDOW_NTH_VALUE))
        return STATUS_OK;
    return bind_error(b, STATUS_KIND_INVALID, tree->location,
                      "IGNORE NULLS is for lag, lead, first_value, last_value and nth_value, not "
                      "for %s",
                      name);
}

static status bind_callee(binder *b, const FuncCall *tree, const char *name, bind_scope *scope,
                          bind_window *window)
{
    plan_window_call *call = &window->call;
    bind_aggregate aggregate;
    bool is_aggregate;
    call->position = bind_position(b, tree->location);
    TRY(check_ignore_nulls(b, tree, name));
    if (window_find_function(name_over(name), &call->function)) {
        TRY(not_for_windows(b, tree, name));
        TRY(window_bind_arguments(b, tree, scope, call));
        call->ignores_nulls = tree->ignore_nulls;
        window->column = column_of_call(call);
        return STATUS_OK;
    }
    if (bind_is_composite(name))
        return bind_composite_over(b, tree, name, scope, window);
    TRY(bind_aggregate_over(b, tree, name, scope, &is_aggregate, &aggregate));
    if (!is_aggregate)
        return bind_error(b, STATUS_KIND_INVALID, tree->location,
                          "OVER specified, but %s is not a window function nor an aggregate "
                          "function",
                          name);
    call->function = aggregate.call.is_distinct ? WINDOW_DISTINCT : WINDOW_AGGREGATE;
    call->aggregate = aggregate.call.function;
    call->arg_count = (aggregate.call.argument != NULL) + (aggregate.call.second != NULL);
    call->args[0] = aggregate.call.argument;
    call->args[1] = aggregate.call.second;
    window->column = aggregate.column;
    return STATUS_OK;
}

static status bind_whole_window(binder *b, const FuncCall *tree, const char *name,
                                bind_scope *scope, bind_window *window)
{
    WindowDef resolved;
    TRY(bind_callee(b, tree, name, scope, window));
    TRY(window_of_call(b, scope, tree->over, &resolved));
    TRY(bind_keys(b, &resolved, scope, window));
    return bind_frame(b, &resolved, scope, &window->order, &window->call.frame);
}

/* ---- equal calls are one ---- */

static bool window_optional_equal(const expr *left, const expr *right)
{
    return left && right ? expr_equal(left, right) : left == right;
}

static bool bounds_equal(const plan_frame_bound *left, const plan_frame_bound *right)
{
    return left->kind == right->kind && left->offset == right->offset &&
           window_optional_equal(left->limit, right->limit);
}

static bool calls_equal(const plan_window_call *left, const plan_window_call *right)
{
    bool is_equal = left->function == right->function && left->aggregate == right->aggregate &&
                    left->ignores_nulls == right->ignores_nulls &&
                    left->arg_count == right->arg_count && left->frame.mode == right->frame.mode &&
                    left->frame.exclusion == right->frame.exclusion &&
                    bounds_equal(&left->frame.start, &right->frame.start) &&
                    bounds_equal(&left->frame.end, &right->frame.end);
    for (uint32_t i = 0; is_equal && i < left->arg_count; i++)
        is_equal = expr_equal(left->args[i], right->args[i]);
    return is_equal;
}

static bool partitions_equal(const bind_window *left, const bind_window *right)
{
    bool is_equal = left->partition.count == right->partition.count;
    for (size_t i = 0; is_equal && i < left->partition.count; i++)
        is_equal = expr_equal(left->partition.items[i], right->partition.items[i]);
    return is_equal;
}

/* The order of `left` begins with that of `right`. */
static bool order_begins_with(const bind_window *left, const bind_window *right)
{
    bool is_equal = left->order.count >= right->order.count;
    for (size_t i = 0; is_equal && i < right->order.count; i++) {
        const plan_sort_key *a = &left->order.items[i], *b = &right->order.items[i];
        is_equal = a->is_descending == b->is_descending && a->nulls_first == b->nulls_first &&
                   expr_equal(a->key, b->key);
    }
    return is_equal;
}

static bool is_same_window(const bind_window *left, const bind_window *right)
{
    return partitions_equal(left, right) && left->order.count == right->order.count &&
           order_begins_with(left, right);
}

static const bind_window *window_find_equal(const bind_scope *scope, const bind_window *window)
{
    for (size_t i = 0; i < scope->windows.count; i++)
        if (calls_equal(&scope->windows.items[i].call, &window->call) &&
            is_same_window(&scope->windows.items[i], window))
            return &scope->windows.items[i];
    return NULL;
}

status bind_window_call(binder *b, const FuncCall *tree, const char *name, bind_scope *scope,
                        expr **out)
{
    bind_window window = {0};
    TRY(window_check_place(b, tree, scope));
    scope->is_in_window = true;
    status st = bind_whole_window(b, tree, name, scope, &window);
    scope->is_in_window = false;
    TRY(st);
    const bind_window *found = window_find_equal(scope, &window);
    if (!found) {
        window.column.id = bind_new_id(b);
        TRY(array_push(b->memory, &scope->windows, window));
        found = &scope->windows.items[scope->windows.count - 1];
    }
    *out = bind_column_expr(b, &found->column);
    if (!*out)
        return bind_no_memory();
    (*out)->position = window.call.position;
    if (window.list.id == TYPE_LIST)
        return bind_call1(b, EXPR_NESTED_OF_ELEMENTS, window.list, *out, tree->location, out);
    return STATUS_OK;
}

status bind_window_clause(binder *b, bind_scope *scope)
{
    for (size_t i = 0; i < scope->window_clause_count; i++) {
        const WindowDef *tree = castNode(WindowDef, scope->window_clause[i]);
        WindowDef resolved;
        bind_window window = {0};
        plan_frame frame;
        for (size_t k = 0; k < i; k++)
            if (!strcmp(castNode(WindowDef, scope->window_clause[k])->name, tree->name))
                return bind_error(b, STATUS_KIND_INVALID, tree->location,
                                  "window \"%s\" is already defined", tree->name);
        TRY(resolve_window(b, scope, tree, i, &resolved));
        scope->is_in_window = true;
        status st = bind_keys(b, &resolved, scope, &window);
        if (!st)
            st = bind_frame(b, &resolved, scope, &window.order, &frame);
        scope->is_in_window = false;
        TRY(st);
    }
    return STATUS_OK;
}

/* ---- what a window reads ---- */

typedef status slot_visitor(void *context, expr **slot, bool takes_constant);

static status bind_window_visit_bound(plan_frame_bound *bound, slot_visitor *visit, void *context)
{
    if (!bound->limit)
        return STATUS_OK;
    TRY(visit(context, &bound->key, false));
    return visit(context, &bound->limit, false);
}

static status visit_slots(bind_window *window, slot_visitor *visit, void *context)
{
    for (size_t i = 0; i < window->partition.count; i++)
        TRY(visit(context, &window->partition.items[i], false));
    for (size_t i = 0; i < window->order.count; i++)
        TRY(visit(context, &window->order.items[i].key, false));
    for (uint32_t i = 0; i < window->call.arg_count; i++)
        TRY(visit(context, &window->call.args[i], true));
    TRY(bind_window_visit_bound(&window->call.frame.start, visit, context));
    return bind_window_visit_bound(&window->call.frame.end, visit, context);
}

typedef struct slot_list {
    binder *b;
    expr_slot_list *slots;
} slot_list;

static status add_slot(void *context, expr **slot, bool takes_constant)
{
    slot_list *list = context;
    (void)takes_constant;
    return array_push(list->b->memory, list->slots, slot);
}

status bind_window_slots(binder *b, bind_scope *scope, expr_slot_list *slots)
{
    slot_list list = {b, slots};
    for (size_t i = 0; i < scope->windows.count; i++)
        TRY(visit_slots(&scope->windows.items[i], add_slot, &list));
    return STATUS_OK;
}

/* ---- plans: what is read becomes columns, then sorts and windows ---- */

typedef struct windows {
    binder *b;
    const bind_scope *scope;
    plan_node *node;
    expr_list computed; /* columns of node, from `first` on, once they are made */
    size_t first;
} windows;

static bool is_column(const windows *w, const expr *e, bool takes_constant)
{
    return (takes_constant && expr_is_constant(e)) ||
           (e->kind == EXPR_COLUMN && plan_column_index(w->node, e->column_id) >= 0);
}

static status note_computed(void *context, expr **slot, bool takes_constant)
{
    windows *w = context;
    if (is_column(w, *slot, takes_constant) || has_expr(&w->computed, *slot))
        return STATUS_OK;
    return array_push(w->b->memory, &w->computed, *slot);
}

static status use_computed(void *context, expr **slot, bool takes_constant)
{
    windows *w = context;
    size_t i = 0;
    if (is_column(w, *slot, takes_constant))
        return STATUS_OK;
    while (!expr_equal(w->computed.items[i], *slot))
        i++;
    *slot = bind_column_expr(w->b, &w->node->columns.items[w->first + i]);
    return *slot ? STATUS_OK : bind_no_memory();
}

static status window_compute(windows *w)
{
    expr_list exprs = {0};
    bind_name_list names = {0};
    arena *a = w->b->memory;
    w->first = w->node->columns.count;
    for (size_t i = 0; i < w->first; i++) {
        expr *e = bind_column_expr(w->b, &w->node->columns.items[i]);
        if (!e)
            return bind_no_memory();
        TRY(array_push(a, &exprs, e));
        TRY(array_push(a, &names, w->node->columns.items[i].name));
    }
    for (size_t i = 0; i < w->computed.count; i++) {
        TRY(array_push(a, &exprs, w->computed.items[i]));
        TRY(array_push(a, &names, (const char *)"window"));
    }
    return bind_project(w->b, w->node, exprs.items, names.items, exprs.count, &w->node);
}

/* Its rows come in the right order where they are sorted for `other`. */
static bool is_served_by(const bind_window *window, const bind_window *other)
{
    return partitions_equal(window, other) && order_begins_with(other, window);
}

/* Any order will do, but one task has to get the rows. */
static status add_constant_key(binder *b, plan_sort_key_list *keys)
{
    value one = value_int(TYPE_INT32, 1);
    plan_sort_key key = {0};
    TRY(bind_constant(b, &one, -1, &key.key));
    return array_push(b->memory, keys, key);
}

status bind_row_number(binder *b, plan_node **node, expr **out)
{
    plan_node *sort, *window;
    plan_window_call call = {.function = WINDOW_ROW_NUMBER, .position = -1};
    plan_column number = {
        .id = bind_new_id(b), .name = "row_number", .type = type_make(TYPE_INT64)};
    TRY(bind_new_node(b, PLAN_SORT, *node, &sort));
    TRY(add_constant_key(b, &sort->sort.keys));
    sort->sort.keeps_order = true;
    TRY(bind_new_node(b, PLAN_WINDOW, sort, &window));
    TRY(array_push(b->memory, &window->columns, number));
    TRY(array_push(b->memory, &window->window.calls, call));
    *node = window;
    *out = bind_column_expr(b, &number);
    return *out ? STATUS_OK : bind_no_memory();
}

/* Returns whether a call over rows without an order tells them apart by how they lie. */
static bool tells_rows_apart(const plan_window_call *call)
{
    bool is_aggregate = call->function == WINDOW_AGGREGATE || call->function == WINDOW_DISTINCT;
    return !is_aggregate || call->frame.mode == FRAME_ROWS;
}

static bool any_tells_rows_apart(const windows *w)
{
    for (size_t i = 0; i < w->scope->windows.count; i++) {
        const bind_window *window = &w->scope->windows.items[i];
        if (!window->partition.count && !window->order.count && tells_rows_apart(&window->call))
            return true;
    }
    return false;
}

/* Rows without partition and order are numbered as they lie in their files, or as a subquery has ordered them. */
static status sort_for(windows *w, const bind_window *window)
{
    plan_node *node;
    TRY(bind_new_node(w->b, PLAN_SORT, w->node, &node));
    for (size_t i = 0; i < window->partition.count; i++) {
        plan_sort_key key = {.key = window->partition.items[i]};
        TRY(array_push(w->b->memory, &node->sort.keys, key));
    }
    for (size_t i = 0; i < window->order.count; i++)
        if (!has_expr(&window->partition, window->order.items[i].key))
            TRY(array_push(w->b->memory, &node->sort.keys, window->order.items[i]));
    if (!node->sort.keys.count) {
        TRY(add_constant_key(w->b, &node->sort.keys));
        node->sort.keeps_order = any_tells_rows_apart(w);
    }
    w->node = node;
    return STATUS_OK;
}

/* All calls of this very window in one node. */
static status add_window(windows *w, const bind_window *window, bool *is_done)
{
    plan_node *node;
    TRY(bind_new_node(w->b, PLAN_WINDOW, w->node, &node));
    node->window.partition = window->partition;
    node->window.order = window->order;
    for (size_t i = 0; i < w->scope->windows.count; i++) {
        const bind_window *other = &w->scope->windows.items[i];
        if (is_done[i] || !is_same_window(window, other))
            continue;
        is_done[i] = true;
        TRY(array_push(w->b->memory, &node->window.calls, other->call));
        TRY(array_push(w->b->memory, &node->columns, other->column));
    }
    w->node = node;
    return STATUS_OK;
}

/* One sort, and the windows for which its order is right. */
static status add_sorted(windows *w, size_t widest, bool *is_done)
{
    const bind_window *all = w->scope->windows.items;
    TRY(sort_for(w, &all[widest]));
    TRY(add_window(w, &all[widest], is_done));
    for (size_t i = 0; i < w->scope->windows.count; i++)
        if (!is_done[i] && is_served_by(&all[i], &all[widest]))
            TRY(add_window(w, &all[i], is_done));
    return STATUS_OK;
}

status bind_windows(binder *b, const bind_scope *scope, plan_node **node)
{
    windows w = {.b = b, .scope = scope, .node = *node};
    size_t count = scope->windows.count;
    if (!count)
        return STATUS_OK;
    bool *is_done = arena_alloc_array(b->memory, count, sizeof *is_done);
    if (!is_done)
        return bind_no_memory();
    for (size_t i = 0; i < count; i++)
        TRY(visit_slots(&scope->windows.items[i], note_computed, &w));
    if (w.computed.count) {
        TRY(window_compute(&w));
        for (size_t i = 0; i < count; i++)
            TRY(visit_slots(&scope->windows.items[i], use_computed, &w));
    }
    for (size_t i = 0; i < count; i++) {
        size_t widest = i;
        for (size_t k = 0; !is_done[i] && k < count; k++)
            if (!is_done[k] &&
                is_served_by(&scope->windows.items[widest], &scope->windows.items[k]))
                widest = k;
        if (!is_done[i])
            TRY(add_sorted(&w, widest, is_done));
    }
    *node = w.node;
    return STATUS_OK;
}
