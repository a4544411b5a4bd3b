/* pack_columns.c - see pack_columns.h. Expressions that several nodes share may be visited twice: the second visit
 * changes nothing. */
#include "plan/rules/nested/pack_columns.h"

#include "base/system/guard.h"
#include "base/type/nested_type.h"
#include "plan/edit/shared.h"
#include "plan/nodes/verify.h"
#include "plan/nodes/visit.h"
#include "plan/rules/nested/nested_edit.h"
#include "plan/tree/function.h"

static status pack_columns_no_memory(void)
{
    return status_no_memory("plan", sizeof(plan_node));
}

static bool is_call(const expr *e, expr_op op)
{
    return e->kind == EXPR_CALL && e->op == op;
}

/* ---- keys ---- */

/* Whether keys of the type's values are their bytes: it has no floats and no intervals. */
static bool keys_are_bytes(data_type type)
{
    if (type.id == TYPE_FLOAT || type.id == TYPE_DOUBLE || type.id == TYPE_INTERVAL)
        return false;
    if (!type_is_nested(type))
        return true;
    const nested_type *nested = nested_type_of(type);
    for (uint32_t i = 0; i < nested->field_count; i++)
        if (!keys_are_bytes(nested->fields[i].type))
            return false;
    return true;
}

/* The function of bytes that does what one of keys does. */
static expr_op bytes_op_of(expr_op op, data_type nested)
{
    if (op == EXPR_NESTED_KEY && keys_are_bytes(nested))
        return EXPR_NESTED_BYTES;
    if (op == EXPR_NESTED_OF_KEY && keys_are_bytes(nested))
        return EXPR_NESTED_OF_BYTES;
    return op;
}

/* ---- columns become blobs ---- */

static status pack_columns_unpack(arena *a, expr *e, expr **out);

/* e with other arguments, if they are others. */
static status unpack_arguments(arena *a, expr *e, expr **out)
{
    expr **args = NULL;
    *out = e;
    for (uint32_t i = 0; i < e->arg_count; i++) {
        expr *arg;
        TRY(pack_columns_unpack(a, e->args[i], &arg));
        if (arg == e->args[i])
            continue;
        if (!args) {
            args = arena_alloc_array(a, e->arg_count, sizeof *args);
            *out = arena_alloc(a, sizeof **out);
            if (!args || !*out)
                return pack_columns_no_memory();
            memcpy(args, e->args, e->arg_count * sizeof *args);
            **out = *e;
            (*out)->args = args;
        }
        args[i] = arg;
    }
    return STATUS_OK;
}

/* A call whose arguments were unpacked: what makes bytes of values that were made of them is left out. */
static status simplify_call(arena *a, expr *e, expr **out)
{
    *out = e;
    switch (e->op) {
    case EXPR_NESTED_KEY:
    case EXPR_NESTED_BYTES:
        return nested_call(a, bytes_op_of(e->op, e->args[0]->type), e->type, e->args[0], out);
    case EXPR_NESTED_OF_KEY:
    case EXPR_NESTED_OF_BYTES:
        return nested_call(a, bytes_op_of(e->op, e->type), e->type, e->args[0], out);
    case EXPR_IS_NULL:
    case EXPR_IS_NOT_NULL: {
        expr *bytes;
        if (!type_is_nested(e->args[0]->type))
            return STATUS_OK;
        TRY(nested_to_bytes(a, e->args[0], &bytes));
        *out = expr_new_call(a, e->op, e->type, &bytes, 1, e->position);
        if (!*out)
            return pack_columns_no_memory();
        (*out)->is_nullable = e->is_nullable;
        return STATUS_OK;
    }
    default:
        return STATUS_OK;
    }
}

/* Puts values made of blobs in the place of nested columns. */
static status pack_columns_unpack(arena *a, expr *e, expr **out)
{
    TRY(guard_check());
    *out = e;
    if (is_call(e, EXPR_ON_HOST))
        return STATUS_OK;
    if (e->kind == EXPR_COLUMN && type_is_nested(e->type)) {
        expr *blob =
            expr_new_column(a, e->column_id, type_make(TYPE_BLOB), e->is_nullable, e->name);
        if (!blob)
            return pack_columns_no_memory();
        blob->position = e->position;
        return nested_call(a, EXPR_NESTED_OF_BYTES, e->type, blob, out);
    }
    TRY(unpack_arguments(a, e, out));
    return (*out)->kind == EXPR_CALL ? simplify_call(a, *out, out) : STATUS_OK;
}

/* ---- what the host computes ---- */

typedef struct host_region {
    plan_statement *statement;
    ARRAY(expr *) args; /* the expression, then parameters and what they stand for */
} host_region;

static bool is_lambda(const expr *e)
{
    return e->kind == EXPR_CALL && !strcmp(function_info_of(e->op)->family, "lambda");
}

/* The parameter that stands for a volatile call, which other expressions may share. */
static status parameter_of(host_region *r, expr *call, expr **out)
{
    arena *a = r->statement->memory;
    for (size_t i = 1; i < r->args.count; i += 2)
        if (r->args.items[i + 1]->draw == call->draw) {
            *out = r->args.items[i];
            return STATUS_OK;
        }
    value id = value_int(TYPE_INT64, r->statement->next_column_id++);
    expr *number = expr_new_constant(a, &id, -1);
    *out = number ? expr_new_call(a, EXPR_LAMBDA_PARAMETER, call->type, &number, 1, -1) : NULL;
    if (!*out)
        return pack_columns_no_memory();
    TRY(array_push(a, &r->args, *out));
    return array_push(a, &r->args, call);
}

/* Takes volatile calls out of the expression, but those that a lambda makes for each element. In place: the nodes were
 * copied. */
static status take_draws(host_region *r, expr **slot)
{
    expr *e = *slot;
    TRY(guard_check());
    if (e->kind == EXPR_CALL && e->draw && function_is_volatile(e->op))
        return parameter_of(r, e, slot);
    for (uint32_t i = 0; i < e->arg_count; i++)
        if (!is_lambda(e) || i == 0)
            TRY(take_draws(r, &e->args[i]));
    return STATUS_OK;
}

static status wrap(plan_statement *s, expr *e, expr **out)
{
    host_region r = {.statement = s};
    expr *body = expr_is_volatile(e) ? expr_copy(s->memory, e) : e;
    if (!body)
        return pack_columns_no_memory();
    TRY(array_push(s->memory, &r.args, body));
    TRY(take_draws(&r, &r.args.items[0]));
    *out = expr_new_call(s->memory, EXPR_ON_HOST, e->type, r.args.items, (uint32_t)r.args.count,
                         e->position);
    if (!*out)
        return pack_columns_no_memory();
    (*out)->is_nullable = e->is_nullable;
    return STATUS_OK;
}

static bool takes_nested_values(const expr *e)
{
    for (uint32_t i = 0; i < e->arg_count; i++)
        if (type_is_nested(e->args[i]->type))
            return true;
    return false;
}

/* Has the host compute the parts of an expression, not nested itself, that take nested values. Its nodes may be changed. */
static status place_on_host(plan_statement *s, expr **slot)
{
    expr *e = *slot;
    TRY(guard_check());
    if (is_call(e, EXPR_ON_HOST))
        return STATUS_OK;
    if (takes_nested_values(e))
        return wrap(s, e, slot);
    for (uint32_t i = 0; i < e->arg_count; i++) {
        expr *arg = e->args[i];
        TRY(place_on_host(s, &arg));
        if (arg == e->args[i])
            continue;
        expr *copy = arena_alloc(s->memory, sizeof *copy);
        expr **args = arena_alloc_array(s->memory, e->arg_count, sizeof *args);
        if (!copy || !args)
            return pack_columns_no_memory();
        memcpy(args, e->args, e->arg_count * sizeof *args);
        args[i] = arg;
        *copy = *e;
        copy->args = args;
        *slot = e = copy;
    }
    return STATUS_OK;
}

typedef struct column_packer {
    plan_statement *statement;
    status st; /* the first failure */
} column_packer;

static status pack_expr(plan_statement *s, expr **slot)
{
    expr *e;
    TRY(pack_columns_unpack(s->memory, *slot, &e));
    TRY(nested_to_bytes(s->memory, e, &e));
    TRY(place_on_host(s, &e));
    *slot = e;
    return STATUS_OK;
}

static void pack_slot(expr **slot, void *context)
{
    column_packer *p = context;
    if (!p->st)
        p->st = pack_expr(p->statement, slot);
}

/* ---- nodes ---- */

static status pack_node(plan_statement *s, plan_node *node, plan_node **out)
{
    column_packer p = {.statement = s};
    TRY(guard_check());
    *out = node;
    for (uint32_t i = 0; i < node->child_count; i++)
        TRY(pack_node(s, node->children[i], &node->children[i]));
    for (size_t i = 0; i < node->columns.count; i++)
        if (type_is_nested(node->columns.items[i].type))
            node->columns.items[i].type = type_make(TYPE_BLOB);
    plan_visit_exprs(node, pack_slot, &p);
    return p.st;
}

/* The result's columns have their types again. */
static status unpack_result(plan_statement *s, const plan_column_list *columns)
{
    nested_moves moves = {0};
    for (size_t i = 0; i < columns->count; i++) {
        plan_column column = columns->items[i];
        nested_move move = {column, column.id, EXPR_NESTED_OF_BYTES};
        if (!type_is_nested(column.type))
            continue;
        move.column.id = s->next_column_id++;
        TRY(array_push(s->memory, &moves, move));
    }
    return moves.count ? nested_put_back(s, s->root, &moves, &s->root) : STATUS_OK;
}

status plan_pack_columns(plan_statement *statement)
{
    plan_column_list columns = {0};
    if (!statement->has_nested)
        return STATUS_OK;
    for (size_t i = 0; i < statement->root->columns.count; i++)
        TRY(array_push(statement->memory, &columns, statement->root->columns.items[i]));
    TRY(plan_each_tree(statement, pack_node));
    TRY(unpack_result(statement, &columns));
    return status_context(plan_verify(statement), "after nested columns were put into bytes");
}
