/* verify.c - what must hold of every plan, checked after each rewrite.
 *
 * A column id is `made` by one node of the statement and handed on by others; an expression may use
 * the ids of its node's children (`visible`), and in a subquery also those visible where the
 * subquery stands. */
#include "plan/plan.h"

typedef struct verifier {
    const plan_statement *statement;
    const plan_node *node; /* whose expressions are being checked */
    arena *memory;         /* scratch */
    uint32_t id_count;
    const plan_node **made_by; /* by id */
    data_type *types;          /* by id */
    uint32_t *visible;         /* by id: by how many open scopes */
    ARRAY(plan_node *)
    subqueries; /* seen already: copies of an expression share them (BETWEEN) */
} verifier;

static status node_error(const plan_node *node, const char *what)
{
    const char *name = node->kind == PLAN_JOIN
                           ? plan_join_name(node->join.type, node->join.build_left)
                           : plan_kind_name(node->kind);
    return status_new(STATUS_KIND_INTERNAL, "plan node \"%s\": %s", name, what);
}

static status verify_tree(verifier *v, const plan_node *node);

/* ---- expressions ---- */

static status expr_error(const verifier *v, const expr *e, const char *what)
{
    char *text = expr_text(v->memory, e);
    return status_context(node_error(v->node, what), "expression %s", text ? text : "");
}

static bool is_type(const expr *e, type_id id)
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

static status verify_call(const verifier *v, const expr *e)
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
            if (!is_type(e->args[i], TYPE_BOOL))
                return expr_error(v, e, "argument is not boolean");
        break;
    default:
        break;
    }
    return STATUS_OK;
}

static status verify_case(const verifier *v, const expr *e)
{
    if (e->arg_count < 3 || e->arg_count % 2 == 0)
        return expr_error(v, e, "wrong number of arguments");
    for (uint32_t i = 0; i + 1 < e->arg_count; i += 2)
        if (!is_type(e->args[i], TYPE_BOOL))
            return expr_error(v, e, "condition is not boolean");
    for (uint32_t i = 1; i < e->arg_count; i += i + 2 < e->arg_count ? 2 : 1)
        if (!types_match(e->args[i]->type, e->type))
            return expr_error(v, e, "types of results differ");
    return STATUS_OK;
}

static status verify_subquery(verifier *v, const expr *e)
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
    if (e->subquery_kind != SUBQUERY_EXISTS && columns->count != 1)
        return expr_error(v, e, "subquery does not have one column");
    if (e->subquery_kind == SUBQUERY_ANY || e->subquery_kind == SUBQUERY_ALL)
        if (e->arg_count != 1 || !types_match(e->args[0]->type, columns->items[0].type))
            return expr_error(v, e, "subquery and argument differ in type");
    return STATUS_OK;
}

static status verify_expr(verifier *v, const expr *e)
{
    for (uint32_t i = 0; i < e->arg_count; i++) {
        if (!e->args[i])
            return node_error(v->node, "argument missing");
        TRY(verify_expr(v, e->args[i]));
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
        return verify_call(v, e);
    case EXPR_CAST:
        return e->arg_count == 1 ? STATUS_OK : expr_error(v, e, "wrong number of arguments");
    case EXPR_CASE:
        return verify_case(v, e);
    case EXPR_SUBQUERY:
        return verify_subquery(v, e);
    }
    return expr_error(v, e, "impossible kind");
}

static status verify_exprs(verifier *v, const expr_list *list, bool are_conditions)
{
    for (size_t i = 0; i < list->count; i++) {
        TRY(verify_expr(v, list->items[i]));
        if (are_conditions && !is_type(list->items[i], TYPE_BOOL))
            return expr_error(v, list->items[i], "condition is not boolean");
    }
    return STATUS_OK;
}

/* ---- columns ---- */

static void show(verifier *v, const plan_node *node, int change)
{
    for (size_t i = 0; i < node->columns.count; i++)
        v->visible[node->columns.items[i].id] += (uint32_t)change;
}

static status make_column(verifier *v, const plan_node *node, const plan_column *column)
{
    if (!column->id || column->id >= v->id_count)
        return node_error(node, "column id out of range");
    if (v->made_by[column->id])
        return node_error(node, "column id made twice");
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

static status pass_column(const verifier *v, const plan_node *node, const plan_column *column)
{
    if (column->id >= v->id_count || !is_child_column(node, column->id))
        return node_error(node, "column that no child has");
    return STATUS_OK;
}

/* Column i is made by an expression, or is the column that the expression is. */
static status verify_computed(verifier *v, const plan_node *node, size_t i, const expr *e)
{
    const plan_column *column = &node->columns.items[i];
    if (!types_match(e->type, column->type))
        return expr_error(v, e, "column and expression differ in type");
    if (e->kind == EXPR_COLUMN && e->column_id == column->id)
        return pass_column(v, node, column);
    return make_column(v, node, column);
}

static status verify_columns(verifier *v, const plan_node *node)
{
    size_t count = node->columns.count;
    for (size_t i = 0; i < count; i++) {
        const plan_column *column = &node->columns.items[i];
        switch (node->kind) {
        case PLAN_SCAN:
        case PLAN_VALUES:
        case PLAN_UNION:
        case PLAN_SHARED:
            TRY(make_column(v, node, column));
            break;
        case PLAN_PROJECT:
            TRY(verify_computed(v, node, i, node->project.exprs.items[i]));
            break;
        case PLAN_AGGREGATE:
            if (i < node->aggregate.groups.count)
                TRY(verify_computed(v, node, i, node->aggregate.groups.items[i]));
            else
                TRY(make_column(v, node, column));
            break;
        case PLAN_JOIN:
            if (node->join.type == JOIN_MARK && i + 1 == count)
                TRY(make_column(v, node, column));
            else
                TRY(pass_column(v, node, column));
            break;
        case PLAN_FILTER:
        case PLAN_SORT:
        case PLAN_LIMIT:
        case PLAN_SINGLE_ROW:
        case PLAN_REPEAT:
            TRY(pass_column(v, node, column));
            break;
        }
    }
    return STATUS_OK;
}

/* ---- nodes ---- */

static status verify_join(verifier *v, const plan_node *node)
{
    const expr_list *left = &node->join.left_keys, *right = &node->join.right_keys;
    if (left->count != right->count)
        return node_error(node, "numbers of keys differ");
    show(v, node->children[0], 1);
    TRY(verify_exprs(v, left, false));
    show(v, node->children[0], -1);
    show(v, node->children[1], 1);
    TRY(verify_exprs(v, right, false));
    show(v, node->children[0], 1);
    if (node->join.residual) {
        TRY(verify_expr(v, node->join.residual));
        if (!is_type(node->join.residual, TYPE_BOOL))
            return node_error(node, "condition is not boolean");
    }
    show(v, node->children[0], -1);
    show(v, node->children[1], -1);
    for (size_t i = 0; i < left->count; i++)
        if (!types_match(left->items[i]->type, right->items[i]->type))
            return expr_error(v, left->items[i], "key types differ");
    return STATUS_OK;
}

static status verify_union(const plan_node *node)
{
    for (uint32_t i = 0; i < node->child_count; i++) {
        const plan_column_list *columns = &node->children[i]->columns;
        if (columns->count != node->columns.count)
            return node_error(node, "numbers of columns differ");
        for (size_t j = 0; j < columns->count; j++)
            if (!type_equal(columns->items[j].type, node->columns.items[j].type))
                return node_error(node, "types of columns differ");
    }
    return STATUS_OK;
}

static status verify_shared(const verifier *v, const plan_node *node)
{
    if (node->shared.id >= v->statement->shared.count ||
        node->shared.sources.count != node->columns.count)
        return node_error(node, "no such shared plan or column");
    const plan_node *plan = v->statement->shared.items[node->shared.id];
    for (size_t i = 0; i < node->columns.count; i++)
        if (node->shared.sources.items[i] >= plan->columns.count)
            return node_error(node, "no such shared plan or column");
    return STATUS_OK;
}

static uint32_t children_expected(const plan_node *node)
{
    switch (node->kind) {
    case PLAN_SCAN:
    case PLAN_VALUES:
    case PLAN_SHARED:
        return 0;
    case PLAN_JOIN:
        return 2;
    case PLAN_UNION:
        return node->child_count;
    default:
        return 1;
    }
}

/* With the children's columns visible. */
static status verify_node_exprs(verifier *v, const plan_node *node)
{
    switch (node->kind) {
    case PLAN_SCAN:
        return verify_exprs(v, &node->scan.filters, true);
    case PLAN_VALUES:
        for (size_t row = 0; row < node->values.rows.count; row++)
            for (size_t i = 0; i < node->columns.count; i++) {
                const expr *e = node->values.rows.items[row][i];
                TRY(verify_expr(v, e));
                if (!types_match(e->type, node->columns.items[i].type))
                    return expr_error(v, e, "column and expression differ in type");
            }
        return STATUS_OK;
    case PLAN_FILTER:
        return verify_exprs(v, &node->filter.conditions, true);
    case PLAN_PROJECT:
        if (node->project.exprs.count != node->columns.count)
            return node_error(node, "numbers of columns and expressions differ");
        return verify_exprs(v, &node->project.exprs, false);
    case PLAN_AGGREGATE:
        if (node->aggregate.groups.count + node->aggregate.aggregates.count != node->columns.count)
            return node_error(node, "numbers of columns and expressions differ");
        TRY(verify_exprs(v, &node->aggregate.groups, false));
        for (size_t i = 0; i < node->aggregate.aggregates.count; i++) {
            const plan_aggregate *aggregate = &node->aggregate.aggregates.items[i];
            if (!aggregate->argument != (aggregate->function == AGGREGATE_COUNT_STAR))
                return node_error(node, "aggregate without argument");
            if (aggregate->argument)
                TRY(verify_expr(v, aggregate->argument));
            if (aggregate->filter)
                TRY(verify_expr(v, aggregate->filter));
        }
        return STATUS_OK;
    case PLAN_SORT:
        for (size_t i = 0; i < node->sort.keys.count; i++)
            TRY(verify_expr(v, node->sort.keys.items[i].key));
        return STATUS_OK;
    case PLAN_REPEAT:
        return verify_expr(v, node->repeat.count);
    case PLAN_UNION:
        return verify_union(node);
    case PLAN_SHARED:
        return verify_shared(v, node);
    case PLAN_JOIN:
    case PLAN_LIMIT:
    case PLAN_SINGLE_ROW:
        return STATUS_OK;
    }
    return node_error(node, "impossible kind");
}

static status verify_tree(verifier *v, const plan_node *node)
{
    if (node->child_count != children_expected(node))
        return node_error(node, "wrong number of children");
    for (uint32_t i = 0; i < node->child_count; i++)
        TRY(verify_tree(v, node->children[i]));
    v->node = node;
    if (node->kind == PLAN_SCAN &&
        (node->scan.sources.count != node->columns.count ||
         node->scan.filter_only.count != node->columns.count ||
         (node->scan.relied.count && node->scan.relied.count != node->columns.count)))
        return node_error(node, "numbers of columns and sources differ");
    if (node->kind == PLAN_JOIN) {
        TRY(verify_join(v, node));
        return verify_columns(v, node);
    }
    /* A scan's filters are over its own columns. */
    if (node->kind == PLAN_SCAN) {
        TRY(verify_columns(v, node));
        show(v, node, 1);
        TRY(verify_node_exprs(v, node));
        show(v, node, -1);
        return STATUS_OK;
    }
    /* What a UNION's children make is theirs alone. */
    bool shows = node->kind != PLAN_UNION;
    for (uint32_t i = 0; shows && i < node->child_count; i++)
        show(v, node->children[i], 1);
    TRY(verify_node_exprs(v, node));
    for (uint32_t i = 0; shows && i < node->child_count; i++)
        show(v, node->children[i], -1);
    return verify_columns(v, node);
}

status plan_verify(const plan_statement *statement)
{
    verifier v = {.statement = statement, .id_count = statement->next_column_id};
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
