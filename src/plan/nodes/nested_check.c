/* nested_check.c - see nested_check.h. */
#include "plan/nodes/nested_check.h"

#include "base/system/guard.h"
#include "plan/nodes/node.h"
#include "plan/tree/function.h"

/* Rows with nested columns may pass these nodes. */
static bool lets_pass(const plan_node *node)
{
    switch (node->kind) {
    case PLAN_SCAN:
    case PLAN_TEXT_SCAN:
    case PLAN_ARROW_SCAN:
    case PLAN_FILTER:
    case PLAN_PROJECT:
    case PLAN_JOIN:
    case PLAN_LIMIT:
    case PLAN_SERIES:
    case PLAN_VALUES:
    case PLAN_UNION:
    case PLAN_SHARED:
    case PLAN_SINGLE_ROW:
    case PLAN_REPEAT:
        return true;
    default:
        return false;
    }
}

/* Functions that take nested arguments. */
static bool takes_nested(expr_op op)
{
    const char *family = function_info_of(op)->family;
    return op == EXPR_IS_NULL || op == EXPR_IS_NOT_NULL || !strcmp(family, "nested") ||
           !strcmp(family, "lambda");
}

/* Whether rule nested puts bytes in the place of e's nested arguments. */
static bool is_of_bytes(const expr *e)
{
    if (e->kind == EXPR_CASE || e->kind == EXPR_SUBQUERY)
        return true;
    switch (e->kind == EXPR_CALL ? e->op : EXPR_OP_COUNT) {
    case EXPR_EQ:
    case EXPR_NE:
    case EXPR_LT:
    case EXPR_LE:
    case EXPR_GT:
    case EXPR_GE:
    case EXPR_IS_DISTINCT:
    case EXPR_IS_NOT_DISTINCT:
    case EXPR_IN_LIST:
    case EXPR_NULLIF:
    case EXPR_GREATEST:
    case EXPR_LEAST:
    case EXPR_COALESCE:
        return true;
    default:
        return false;
    }
}

/* Functions that give nested values. */
static bool gives_nested(expr_op op)
{
    return takes_nested(op) || op == EXPR_LAMBDA_PARAMETER;
}

/* Names a node's own expressions in an error. */
static const char *nested_use_of(const plan_node *node)
{
    switch (node->kind) {
    case PLAN_AGGREGATE:
    case PLAN_GROUPING_SETS:
        return "GROUP BY, DISTINCT or an aggregate";
    case PLAN_JOIN:
        return "a join's condition";
    case PLAN_SORT:
        return "ORDER BY";
    case PLAN_WINDOW:
    case PLAN_WINDOW_LIMIT:
        return "a window";
    default:
        return plan_node_name(node);
    }
}

static status refuse(const char *what, data_type type, int32_t position)
{
    char name[TYPE_NAME_BYTES];
    status st = status_new(STATUS_KIND_UNSUPPORTED, "%s of a value of type %s is not supported yet",
                           what, type_name(type, name));
    return position < 0 ? st : status_at(st, position);
}

typedef struct nested_check {
    const plan_node *node;
    bool is_final;
    status st; /* the first failure */
} nested_check;

static status check_node(const plan_node *node, bool is_final);

static const char *nested_name_of(const expr *e)
{
    switch (e->kind) {
    case EXPR_CALL:
        return expr_op_name(e->op);
    case EXPR_CAST:
        return "CAST";
    case EXPR_CASE:
        return "CASE";
    default:
        return "a subquery's comparison";
    }
}

/* e is not nested itself, or may be. */
static status check_expr(const expr *e, bool is_final)
{
    TRY(guard_check());
    for (uint32_t i = 0; i < e->arg_count; i++) {
        const expr *arg = e->args[i];
        bool is_taken =
            (e->kind == EXPR_CALL && takes_nested(e->op)) || (!is_final && is_of_bytes(e));
        if (type_is_nested(arg->type) && !is_taken)
            return refuse(nested_name_of(e), arg->type,
                          arg->position >= 0 ? arg->position : e->position);
        TRY(check_expr(arg, is_final));
    }
    return e->kind == EXPR_SUBQUERY ? check_node(e->subquery, is_final) : STATUS_OK;
}

static void nested_check_visited(expr **slot, void *context)
{
    nested_check *c = context;
    const expr *e = *slot;
    if (c->st)
        return;
    bool may_pass = c->node->kind == PLAN_PROJECT || c->node->kind == PLAN_VALUES;
    bool is_passed = may_pass && (e->kind == EXPR_COLUMN || e->kind == EXPR_CONSTANT ||
                                  (e->kind == EXPR_CALL && gives_nested(e->op)));
    if (c->is_final && type_is_nested(e->type) && !is_passed)
        c->st = refuse(nested_use_of(c->node), e->type, e->position);
    else
        c->st = check_expr(e, c->is_final);
}

/* Rows that the node gives have none, unless it lets them pass. */
static status check_columns(const plan_node *node)
{
    for (size_t i = 0; i < node->columns.count && !lets_pass(node); i++)
        if (type_is_nested(node->columns.items[i].type))
            return refuse(nested_use_of(node), node->columns.items[i].type, node->position);
    return STATUS_OK;
}

static status check_node(const plan_node *node, bool is_final)
{
    nested_check c = {.node = node, .is_final = is_final};
    TRY(guard_check());
    for (uint32_t i = 0; i < node->child_count; i++)
        TRY(check_node(node->children[i], is_final));
    plan_visit_exprs((plan_node *)node, nested_check_visited, &c); /* it only reads the places */
    TRY(c.st);
    if (!is_final) /* columns that nobody reads are still there */
        return STATUS_OK;
    return check_columns(node);
}

status plan_check_nested(const plan_statement *statement, bool is_final)
{
    if (!statement->has_nested)
        return STATUS_OK;
    for (size_t i = 0; i < statement->shared.count; i++)
        TRY(check_node(statement->shared.items[i], is_final));
    return check_node(statement->root, is_final);
}
