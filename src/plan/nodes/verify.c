/* verify.c - what must hold of every plan, checked after each rewrite.
 *
 * A column id is `made` by one node of the statement and handed on by others; an expression may use
 * the ids of its node's children (`visible`), and in a subquery also those visible where the
 * subquery stands. */
#include "plan/nodes/verify.h"

#include "base/system/guard.h"
#include "plan/nodes/node.h"
#include "plan/tree/function.h"

struct plan_verifier {
    const plan_statement *statement;
    const plan_node *node; /* whose expressions are being checked */
    arena *memory;         /* scratch */
    uint32_t id_count;
    const plan_node **made_by;     /* by id */
    data_type *types;              /* by id */
    uint32_t *visible;             /* by id: by how many open scopes */
    ARRAY(plan_node *) subqueries; /* seen already: copies of an expression share them (BETWEEN) */
};

status plan_verify_error(const plan_node *node, const char *what)
{
    return status_new(STATUS_KIND_INTERNAL, "plan node \"%s\": %s", plan_node_name(node), what);
}

const plan_statement *plan_verify_statement(const plan_verifier *v)
{
    return v->statement;
}

static status verify_tree(plan_verifier *v, const plan_node *node);

/* ---- expressions ---- */

static status expr_error(const plan_verifier *v, const expr *e, const char *what)
{
    char *text = expr_text(v->memory, e);
    return status_context(plan_verify_error(v->node, what), "expression %s", text ? text : "");
}

static bool verify_is_type(const expr *e, type_id id)
{
    return e->type.id == id;
}

/* One type; of decimals one scale. */
static bool types_match(data_type a, data_type b)
{
    if (a.id == TYPE_DECIMAL && b.id == TYPE_DECIMAL)
        return a.scale == b.scale;
    return type_equal(a, b);
}

static status nodes_verify_call(const plan_verifier *v, const expr *e)
{
    if (e->op >= EXPR_OP_COUNT || !expr_op_takes(e->op, e->arg_count))
        return expr_error(v, e, "wrong number of arguments");
    switch (e->op) {
    case EXPR_ADD:
    case EXPR_SUBTRACT:
    case EXPR_MODULO:
    case EXPR_EQ:
    case EXPR_NE:
    case EXPR_LT:
    case EXPR_LE:
    case EXPR_GT:
    case EXPR_GE:
    case EXPR_IS_DISTINCT:
    case EXPR_IS_NOT_DISTINCT:
    case EXPR_NULLIF:
    case EXPR_IN_LIST:
        for (uint32_t i = 1; i < e->arg_count; i++)
            if (!types_match(e->args[0]->type, e->args[i]->type))
                return expr_error(v, e, "types of arguments differ");
        break;
    case EXPR_COALESCE:
    case EXPR_GREATEST:
    case EXPR_LEAST:
        for (uint32_t i = 0; i < e->arg_count; i++)
            if (!types_match(e->type, e->args[i]->type))
                return expr_error(v, e, "types of arguments differ");
        break;
    case EXPR_MULTIPLY:
    case EXPR_DIVIDE:
        if (e->args[0]->type.id != e->args[1]->type.id)
            return expr_error(v, e, "types of arguments differ");
        break;
    case EXPR_AND:
    case EXPR_OR:
    case EXPR_NOT:
        for (uint32_t i = 0; i < e->arg_count; i++)
            if (!verify_is_type(e->args[i], TYPE_BOOL))
                return expr_error(v, e, "argument is not boolean");
        break;
    default:
        break;
    }
    return STATUS_OK;
}

static status verify_case(const plan_verifier *v, const expr *e)
{
    if (e->arg_count < 3 || e->arg_count % 2 == 0)
        return expr_error(v, e, "wrong number of arguments");
    for (uint32_t i = 0; i + 1 < e->arg_count; i += 2)
        if (!verify_is_type(e->args[i], TYPE_BOOL))
            return expr_error(v, e, "condition is not boolean");
    for (uint32_t i = 1; i < e->arg_count; i += i + 2 < e->arg_count ? 2 : 1)
        if (!types_match(e->args[i]->type, e->type))
            return expr_error(v, e, "types of results differ");
    return STATUS_OK;
}

static status verify_subquery(plan_verifier *v, const expr *e)
{
    const plan_node *outer = v->node;
    bool is_known = false;
    for (size_t i = 0; i < v->subqueries.count; i++)
        is_known |= v->subqueries.items[i] == e->subquery;
    if (!is_known) {
        TRY(array_push(v->memory, &v->subqueries, e->subquery));
        TRY(verify_tree(v, e->subquery));
    }
    v->node = outer;
    const plan_column_list *columns = &e->subquery->columns;
    if (e->subquery_kind == SUBQUERY_SCALAR && columns->count != 1)
        return expr_error(v, e, "subquery does not have one column");
    if (e->subquery_kind != SUBQUERY_ANY && e->subquery_kind != SUBQUERY_ALL)
        return STATUS_OK;
    if (!e->arg_count || e->arg_count != columns->count)
        return expr_error(v, e, "subquery and arguments differ in number");
    for (uint32_t i = 0; i < e->arg_count; i++)
        if (!types_match(e->args[i]->type, columns->items[i].type))
            return expr_error(v, e, "subquery and argument differ in type");
    return STATUS_OK;
}

status plan_verify_expr(plan_verifier *v, const expr *e)
{
    TRY(guard_check());
    for (uint32_t i = 0; i < e->arg_count; i++) {
        if (!e->args[i])
            return plan_verify_error(v->node, "argument missing");
        TRY(plan_verify_expr(v, e->args[i]));
    }
    switch (e->kind) {
    case EXPR_COLUMN:
        if (e->column_id >= v->id_count || !v->visible[e->column_id])
            return expr_error(v, e, "column is not visible here");
        if (!types_match(e->type, v->types[e->column_id]))
            return expr_error(v, e, "column has another type");
        return STATUS_OK;
    case EXPR_CONSTANT:
        return e->arg_count ? expr_error(v, e, "constant with arguments") : STATUS_OK;
    case EXPR_CALL:
        return nodes_verify_call(v, e);
    case EXPR_CAST:
        return e->arg_count == 1 ? STATUS_OK : expr_error(v, e, "wrong number of arguments");
    case EXPR_CASE:
        return verify_case(v, e);
    case EXPR_SUBQUERY:
        return verify_subquery(v, e);
    }
    return expr_error(v, e, "impossible kind");
}

status plan_verify_condition(plan_verifier *v, const expr *e)
{
    TRY(plan_verify_expr(v, e));
    return verify_is_type(e, TYPE_BOOL) ? STATUS_OK : expr_error(v, e, "condition is not boolean");
}

status plan_verify_list(plan_verifier *v, const expr_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        TRY(plan_verify_expr(v, list->items[i]));
    return STATUS_OK;
}

status plan_verify_conditions(plan_verifier *v, const expr_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        TRY(plan_verify_condition(v, list->items[i]));
    return STATUS_OK;
}

status plan_verify_types(const plan_verifier *v, const expr *e, data_type type, const char *what)
{
    return types_match(e->type, type) && e->type.width == type.width ? STATUS_OK
                                                                     : expr_error(v, e, what);
}

/* ---- columns ---- */

void plan_verify_show(plan_verifier *v, const plan_node *node, int change)
{
    for (size_t i = 0; i < node->columns.count; i++)
        v->visible[node->columns.items[i].id] += (uint32_t)change;
}

void plan_verify_show_children(plan_verifier *v, const plan_node *node, int change)
{
    for (uint32_t i = 0; i < node->child_count; i++)
        plan_verify_show(v, node->children[i], change);
}

static status verify_make_column(plan_verifier *v, const plan_node *node, const plan_column *column)
{
    if (!column->id || column->id >= v->id_count)
        return plan_verify_error(node, "column id out of range");
    if (v->made_by[column->id])
        return plan_verify_error(node, "column id made twice");
    v->made_by[column->id] = node;
    v->types[column->id] = column->type;
    return STATUS_OK;
}

static bool is_child_column(const plan_node *node, uint32_t id)
{
    for (uint32_t i = 0; i < node->child_count; i++)
        if (plan_column_index(node->children[i], id) >= 0)
            return true;
    return false;
}

static status verify_pass_column(const plan_verifier *v, const plan_node *node,
                                 const plan_column *column)
{
    if (column->id >= v->id_count || !is_child_column(node, column->id))
        return plan_verify_error(node, "column that no child has");
    return STATUS_OK;
}

status plan_verify_made(plan_verifier *v, const plan_node *node, size_t first, size_t end)
{
    for (size_t i = first; i < end; i++)
        TRY(verify_make_column(v, node, &node->columns.items[i]));
    return STATUS_OK;
}

status plan_verify_passed(plan_verifier *v, const plan_node *node, size_t first, size_t end)
{
    for (size_t i = first; i < end; i++)
        TRY(verify_pass_column(v, node, &node->columns.items[i]));
    return STATUS_OK;
}

status plan_verify_computed(plan_verifier *v, const plan_node *node, const expr_list *exprs)
{
    for (size_t i = 0; i < exprs->count; i++) {
        const plan_column *column = &node->columns.items[i];
        const expr *e = exprs->items[i];
        TRY(plan_verify_types(v, e, column->type, "column and expression differ in type"));
        if (e->kind == EXPR_COLUMN && e->column_id == column->id)
            TRY(verify_pass_column(v, node, column));
        else
            TRY(verify_make_column(v, node, column));
    }
    return STATUS_OK;
}

/* ---- nodes ---- */

typedef struct expr_check {
    plan_verifier *verifier;
    status st; /* the first failure */
} expr_check;

static void verify_check_visited(expr **slot, void *context)
{
    expr_check *c = context;
    if (!c->st)
        c->st = plan_verify_expr(c->verifier, *slot);
}

/* A node that passes its children's columns on. */
static status verify_through(plan_verifier *v, const plan_node *node)
{
    expr_check c = {.verifier = v};
    plan_verify_show_children(v, node, 1);
    plan_visit_exprs((plan_node *)node, verify_check_visited, &c);
    plan_verify_show_children(v, node, -1);
    TRY(c.st);
    return plan_verify_passed(v, node, 0, node->columns.count);
}

static status verify_tree(plan_verifier *v, const plan_node *node)
{
    TRY(guard_check());
    if (node->kind >= PLAN_KIND_COUNT)
        return status_new(STATUS_KIND_INTERNAL, "plan node of kind %d", (int)node->kind);
    if (node->child_count != plan_node_children(node))
        return plan_verify_error(node, "wrong number of children");
    bool is_lateral = node->kind == PLAN_JOIN && !v->statement->is_unnested;
    for (uint32_t i = 0; i < node->child_count; i++) {
        if (is_lateral && i)
            plan_verify_show(v, node->children[0], 1);
        TRY(verify_tree(v, node->children[i]));
        if (is_lateral && i)
            plan_verify_show(v, node->children[0], -1);
    }
    v->node = node;
    const plan_node_ops *ops = plan_node_ops_of(node);
    return ops->verify ? ops->verify(v, node) : verify_through(v, node);
}

status plan_verify(const plan_statement *statement)
{
    plan_verifier v = {.statement = statement, .id_count = statement->next_column_id};
    TRY(arena_new(&v.memory));
    v.made_by = arena_alloc_array(v.memory, v.id_count + 1, sizeof *v.made_by);
    v.types = arena_alloc_array(v.memory, v.id_count + 1, sizeof *v.types);
    v.visible = arena_alloc_array(v.memory, v.id_count + 1, sizeof *v.visible);
    status st = STATUS_OK;
    if (!v.made_by || !v.types || !v.visible)
        st = status_no_memory("plan verification", v.id_count * sizeof *v.made_by);
    for (size_t i = 0; !st && i < statement->shared.count; i++)
        st = verify_tree(&v, statement->shared.items[i]);
    if (!st)
        st = verify_tree(&v, statement->root);
    arena_free(v.memory);
    return st;
}
