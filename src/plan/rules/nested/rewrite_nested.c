/* rewrite_nested.c - lists, structs and maps are compared, grouped and ordered by their bytes.
 *
 *     aggregate groups [l, max(m)]              project [nested_of_key(k) as l, nested_of_key(x) as max]
 *       rows                             ->       aggregate groups [nested_key(l') as k, max(nested_key(m)) as x]
 *                                                   rows
 *     a = b, a < b, a IN (...)           ->     nested_key(a) = nested_key(b), ...
 *     CASE WHEN c THEN a ELSE b END      ->     nested_of_bytes(CASE WHEN c THEN nested_bytes(a) ELSE nested_bytes(b) END)
 *
 * Rows of windows wait as bytes as a whole; those of sorts do so at the end of planning (pack_moves.h). */
#include "base/system/guard.h"
#include "plan/edit/shared.h"
#include "plan/nodes/visit.h"
#include "plan/rules/nested/nested_edit.h"
#include "plan/tree/rule.h"

static status rewrite_nested_no_memory(void)
{
    return status_no_memory("plan", sizeof(plan_node));
}

/* ---- expressions ---- */

typedef enum treatment { LEAVE, BY_KEYS, BY_KEYS_AND_BACK, BY_BYTES_AND_BACK } treatment;

static treatment treatment_of(const expr *e)
{
    if (e->kind == EXPR_CASE)
        return BY_BYTES_AND_BACK;
    if (e->kind != EXPR_CALL)
        return LEAVE;
    switch (e->op) {
    case EXPR_EQ:
    case EXPR_NE:
    case EXPR_LT:
    case EXPR_LE:
    case EXPR_GT:
    case EXPR_GE:
    case EXPR_IS_DISTINCT:
    case EXPR_IS_NOT_DISTINCT:
    case EXPR_IN_LIST:
        return BY_KEYS;
    case EXPR_NULLIF:
    case EXPR_GREATEST:
    case EXPR_LEAST:
        return BY_KEYS_AND_BACK;
    case EXPR_COALESCE:
        return BY_BYTES_AND_BACK;
    default:
        return LEAVE;
    }
}

static bool has_nested_argument(const expr *e)
{
    for (uint32_t i = 0; i < e->arg_count; i++)
        if (type_is_nested(e->args[i]->type))
            return true;
    return false;
}

/* Makes a call or CASE over bytes of one that has nested arguments. */
static status treat(arena *a, expr *e, treatment how, expr **out)
{
    data_type type = e->type;
    expr *copy = arena_alloc(a, sizeof *copy);
    expr **args = arena_alloc_array(a, e->arg_count + 1, sizeof *args);
    if (!copy || !args)
        return rewrite_nested_no_memory();
    for (uint32_t i = 0; i < e->arg_count; i++)
        TRY((how == BY_BYTES_AND_BACK ? nested_to_bytes : nested_to_key)(a, e->args[i], &args[i]));
    *copy = *e;
    copy->args = args;
    *out = copy;
    if (how == BY_KEYS || !type_is_nested(type))
        return STATUS_OK;
    copy->type = type_make(TYPE_BLOB);
    return nested_call(a, how == BY_BYTES_AND_BACK ? EXPR_NESTED_OF_BYTES : EXPR_NESTED_OF_KEY,
                       type, copy, out);
}

static status rewrite_expr(arena *a, expr *e, expr **out)
{
    expr **args = NULL;
    TRY(guard_check());
    *out = e;
    for (uint32_t i = 0; i < e->arg_count; i++) {
        expr *arg;
        TRY(rewrite_expr(a, e->args[i], &arg));
        if (arg == e->args[i])
            continue;
        if (!args) {
            args = arena_alloc_array(a, e->arg_count, sizeof *args);
            *out = arena_alloc(a, sizeof **out);
            if (!args || !*out)
                return rewrite_nested_no_memory();
            memcpy(args, e->args, e->arg_count * sizeof *args);
            **out = *e;
            (*out)->args = args;
        }
        args[i] = arg;
    }
    treatment how = treatment_of(*out);
    if (how == LEAVE || !has_nested_argument(*out))
        return STATUS_OK;
    return treat(a, *out, how, out);
}

typedef struct rewriter {
    arena *memory;
    status st; /* the first failure */
} rewriter;

static void rewrite_slot(expr **slot, void *context)
{
    rewriter *r = context;
    if (!r->st)
        r->st = rewrite_expr(r->memory, *slot, slot);
}

/* ---- aggregates ---- */

static bool rewrite_nested_compares(plan_aggregate_function function)
{
    return function == AGGREGATE_MIN || function == AGGREGATE_MAX || function == AGGREGATE_COUNT ||
           function == AGGREGATE_ANY_VALUE;
}

/* A column that the node makes as a key; above it is a value again. */
static status move_to_key(plan_statement *s, plan_column *column, nested_moves *moves)
{
    nested_move move = {*column, s->next_column_id++, EXPR_NESTED_OF_KEY};
    column->id = move.other_id;
    column->type = type_make(TYPE_BLOB);
    return array_push(s->memory, moves, move);
}

/* A group that is a column of the node's child has its id. */
static status rename_below(plan_statement *s, plan_node *node, uint32_t id)
{
    if (plan_column_index(node->children[0], id) < 0)
        return STATUS_OK;
    plan_column renamed =
        node->children[0]->columns.items[plan_column_index(node->children[0], id)];
    plan_column_list from = {0};
    uint32_t below = s->next_column_id++;
    TRY(array_push(s->memory, &from, renamed));
    expr *e = expr_new_column(s->memory, below, renamed.type, renamed.is_nullable, renamed.name);
    if (!e)
        return rewrite_nested_no_memory();
    TRY(nested_rename(s, node->children[0], id, below));
    return nested_substitute(s, node, &from, &e);
}

static status key_groups(plan_statement *s, plan_node *node, nested_moves *moves)
{
    for (size_t i = 0; i < node->aggregate.groups.count; i++) {
        if (!type_is_nested(node->aggregate.groups.items[i]->type))
            continue;
        TRY(rename_below(s, node, node->columns.items[i].id));
        expr **group = &node->aggregate.groups.items[i];
        TRY(nested_to_key(s->memory, *group, group));
        TRY(move_to_key(s, &node->columns.items[i], moves));
    }
    return STATUS_OK;
}

/* Makes the argument of a count one of whether the value is NULL, which any leaf of a column says. */
static status count_argument(arena *a, expr **argument)
{
    value one = value_int(TYPE_INT32, 1), null = value_null(one.type);
    expr *is_there = expr_new_call(a, EXPR_IS_NOT_NULL, type_make(TYPE_BOOL), argument, 1,
                                   (*argument)->position);
    expr *e = expr_new(a, EXPR_CASE, one.type, 3, (*argument)->position);
    if (!is_there || !e)
        return rewrite_nested_no_memory();
    e->args[0] = is_there;
    e->args[1] = expr_new_constant(a, &one, -1);
    e->args[2] = expr_new_constant(a, &null, -1);
    e->is_nullable = true;
    *argument = e;
    return e->args[1] && e->args[2] ? STATUS_OK : rewrite_nested_no_memory();
}

static status key_aggregates(plan_statement *s, plan_node *node, nested_moves *moves)
{
    size_t first = node->aggregate.groups.count;
    for (size_t i = 0; i < node->aggregate.aggregates.count; i++) {
        plan_aggregate *call = &node->aggregate.aggregates.items[i];
        if (!call->argument || !type_is_nested(call->argument->type) ||
            (!rewrite_nested_compares(call->function) && !call->is_distinct))
            continue;
        if (type_is_nested(node->columns.items[first + i].type) &&
            !rewrite_nested_compares(call->function))
            continue;
        if (call->function == AGGREGATE_COUNT && !call->is_distinct)
            TRY(count_argument(s->memory, &call->argument));
        else
            TRY(nested_to_key(s->memory, call->argument, &call->argument));
        if (type_is_nested(node->columns.items[first + i].type))
            TRY(move_to_key(s, &node->columns.items[first + i], moves));
    }
    return STATUS_OK;
}

static status rewrite_aggregate(plan_statement *s, plan_node *node, plan_node **out)
{
    nested_moves moves = {0};
    TRY(nested_own_columns(s->memory, node));
    TRY(key_groups(s, node, &moves));
    TRY(key_aggregates(s, node, &moves));
    return moves.count ? nested_put_back(s, node, &moves, out) : STATUS_OK;
}

/* ---- other nodes ---- */

static status key_list(arena *a, expr_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        TRY(nested_to_key(a, list->items[i], &list->items[i]));
    return STATUS_OK;
}

static status rewrite_sort(plan_statement *s, plan_node *node)
{
    for (size_t i = 0; i < node->sort.keys.count; i++)
        TRY(nested_to_key(s->memory, node->sort.keys.items[i].key, &node->sort.keys.items[i].key));
    return STATUS_OK;
}

static bool is_of_window(const plan_node *node)
{
    return node->kind == PLAN_WINDOW || node->kind == PLAN_WINDOW_LIMIT;
}

/* The window at the chain's top and what is below it down to the sort, whose child is returned. */
static plan_node **chain_end(plan_node *top, plan_node **out_bottom)
{
    plan_node *node = top;
    while (is_of_window(node) &&
           (is_of_window(node->children[0]) || node->children[0]->kind == PLAN_SORT))
        node = node->children[0];
    *out_bottom = node;
    return &node->children[0];
}

/* Whether a window's rows, or what it is partitioned or ordered by, have nested values. */
static bool has_nested_rows(const plan_node *top, const plan_node *bottom)
{
    return nested_has_columns(&top->columns) || nested_has_columns(&bottom->children[0]->columns);
}

static status rewrite_node(plan_statement *s, plan_node *node, plan_node **out)
{
    rewriter r = {.memory = s->memory};
    TRY(guard_check());
    *out = node;
    if (is_of_window(node)) {
        plan_node *bottom, **below = chain_end(node, &bottom);
        TRY(rewrite_node(s, *below, below));
        for (plan_node *n = node; n != *below; n = n->children[0])
            plan_visit_exprs(n, rewrite_slot, &r);
        TRY(r.st);
        return has_nested_rows(node, bottom) ? nested_pack_chain(s, node, bottom, out) : STATUS_OK;
    }
    for (uint32_t i = 0; i < node->child_count; i++)
        TRY(rewrite_node(s, node->children[i], &node->children[i]));
    plan_visit_exprs(node, rewrite_slot, &r);
    TRY(r.st);
    switch (node->kind) {
    case PLAN_AGGREGATE:
        return rewrite_aggregate(s, node, out);
    case PLAN_JOIN:
        TRY(key_list(s->memory, &node->join.left_keys));
        return key_list(s->memory, &node->join.right_keys);
    case PLAN_SORT:
        return rewrite_sort(s, node);
    default:
        return STATUS_OK;
    }
}

status rewrite_nested(plan_statement *statement)
{
    return statement->has_nested ? plan_each_tree(statement, rewrite_node) : STATUS_OK;
}
