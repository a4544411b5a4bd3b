/* bind_join.c - joins: conditions, and which names are visible behind them.
 *
 * USING and NATURAL merge columns of one name: the name alone means the merged column, which comes
 * first in "*", and the sides' own columns are found by their table's name only. */
#include "sql/binder.h"

#include <strings.h>

typedef struct join_binding {
    binder *b;
    const PgQuery__JoinExpr *tree;
    plan_join_type type;
    bind_scope left, right;
    bind_entry_list merged;
    ARRAY(const char *) shared_names; /* USING (...) */
    expr *condition;
    plan_node *node;
} join_binding;

static int32_t item_location(const pg_node *item, bool from_comes_first);

static int32_t first_location(pg_node *const *nodes, size_t count)
{
    if (!count)
        return -1;
    bool is_list = nodes[0]->node_case == PG_QUERY__NODE__NODE_LIST && nodes[0]->list->n_items;
    return bind_location(is_list ? nodes[0]->list->items[0] : nodes[0]);
}

/* Where a query begins but for the words before its first name or expression. `from_comes_first`: if it was written
 * so, which the tree does not say. */
static int32_t query_location(const pg_select *select, bool from_comes_first)
{
    while (!select->with_clause && select->op != PG_QUERY__SET_OPERATION__SETOP_NONE)
        select = select->larg;
    if (select->with_clause)
        return select->with_clause->location;
    if (select->n_values_lists)
        return first_location(select->values_lists, select->n_values_lists);
    bool is_distinct_on =
        select->n_distinct_clause && first_location(select->distinct_clause, 1) >= 0;
    if (is_distinct_on)
        return first_location(select->distinct_clause, 1);
    int32_t target = first_location(select->target_list, select->n_target_list);
    if ((from_comes_first || target < 0) && select->n_from_clause)
        return item_location(select->from_clause[0], from_comes_first);
    return target;
}

/* Where the item of FROM begins, but for parentheses and the words before a query's first name. */
static int32_t item_location(const pg_node *item, bool from_comes_first)
{
    const PgQuery__RangeFunction *function;
    switch (item->node_case) {
    case PG_QUERY__NODE__NODE_RANGE_VAR:
        return item->range_var->location;
    case PG_QUERY__NODE__NODE_RANGE_FUNCTION:
        function = item->range_function;
        return first_location(function->functions, function->n_functions);
    case PG_QUERY__NODE__NODE_JOIN_EXPR:
        return item_location(item->join_expr->larg, from_comes_first);
    case PG_QUERY__NODE__NODE_RANGE_SUBSELECT:
        return query_location(item->range_subselect->subquery->select_stmt, from_comes_first);
    default:
        return -1;
    }
}

static sql_reducer *find_reducer(const binder *b, const PgQuery__JoinExpr *tree)
{
    if (tree->jointype != PG_QUERY__JOIN_TYPE__JOIN_LEFT)
        return NULL;
    for (int from_comes_first = 0; from_comes_first < 2; from_comes_first++) {
        int32_t right = item_location(tree->rarg, from_comes_first);
        sql_reducer *reducer = right >= 0 ? sql_text_reducer(b->text, right) : NULL;
        if (reducer)
            return reducer;
    }
    return NULL;
}

static plan_join_type join_type(const binder *b, const PgQuery__JoinExpr *tree)
{
    sql_reducer *reducer = find_reducer(b, tree);
    if (reducer) {
        reducer->is_bound = true;
        return reducer->is_anti ? JOIN_ANTI : JOIN_SEMI;
    }
    switch (tree->jointype) {
    case PG_QUERY__JOIN_TYPE__JOIN_LEFT:
        return JOIN_LEFT;
    case PG_QUERY__JOIN_TYPE__JOIN_RIGHT:
        return JOIN_RIGHT;
    case PG_QUERY__JOIN_TYPE__JOIN_FULL:
        return JOIN_FULL;
    default:
        return JOIN_INNER;
    }
}

/* The one visible column of that name, or NULL. */
static status find_shared(join_binding *j, bind_scope *scope, const char *name, const char *side,
                          bind_entry **out)
{
    *out = NULL;
    for (size_t i = 0; i < scope->entries.count; i++) {
        bind_entry *entry = &scope->entries.items[i];
        if (entry->is_hidden || strcasecmp(entry->name, name))
            continue;
        if (*out)
            return bind_error(j->b, STATUS_KIND_INVALID, -1,
                              "common column name \"%s\" appears more than once on the %s of the "
                              "join",
                              name, side);
        *out = entry;
    }
    return STATUS_OK;
}

static status natural_names(join_binding *j)
{
    bind_entry *other;
    for (size_t i = 0; i < j->left.entries.count; i++) {
        const bind_entry *entry = &j->left.entries.items[i];
        if (entry->is_hidden)
            continue;
        TRY(find_shared(j, &j->right, entry->name, "right", &other));
        if (other)
            TRY(array_push(j->b->memory, &j->shared_names, entry->name));
    }
    return STATUS_OK;
}

static expr *entry_expr(binder *b, const bind_entry *entry)
{
    return expr_new_column(b->memory, entry->id, entry->type, entry->is_nullable, entry->name);
}

/* Adds left.name = right.name to the condition. */
static status equate(join_binding *j, const char *name)
{
    binder *b = j->b;
    bind_entry *l, *r;
    expr *equal;
    TRY(find_shared(j, &j->left, name, "left", &l));
    TRY(find_shared(j, &j->right, name, "right", &r));
    if (!l || !r)
        return bind_error(b, STATUS_KIND_NOT_FOUND, -1,
                          "column \"%s\" of USING does not exist on the %s of the join", name,
                          l ? "right" : "left");
    expr *left = entry_expr(b, l), *right = entry_expr(b, r);
    if (!left || !right)
        return bind_no_memory();
    TRY(bind_comparison(b, EXPR_EQ, left, right, -1, &equal));
    j->condition = expr_new_and(b->memory, j->condition, equal);
    return j->condition ? STATUS_OK : bind_no_memory();
}

status bind_check_reducers(binder *b)
{
    for (size_t i = 0; i < b->text->reducers.count; i++) {
        const sql_reducer *reducer = &b->text->reducers.items[i];
        if (!reducer->is_bound)
            return status_hint(bind_error(b, STATUS_KIND_UNSUPPORTED, reducer->position,
                                          "%s JOIN with this is not supported",
                                          reducer->is_anti ? "ANTI" : "SEMI"),
                               "write WHERE %sEXISTS (SELECT ...), or AS before an alias",
                               reducer->is_anti ? "NOT " : "");
    }
    return STATUS_OK;
}

/* ---- behind the join ---- */

static void set_nullable(bind_scope *scope)
{
    for (size_t i = 0; i < scope->entries.count; i++)
        scope->entries.items[i].is_nullable = true;
}

/* Only the left side is visible behind it. */
static bool is_reducer(plan_join_type type)
{
    return type == JOIN_SEMI || type == JOIN_ANTI;
}

static status make_node(join_binding *j, plan_node *left, plan_node *right)
{
    plan_node *node = plan_node_new(j->b->memory, PLAN_JOIN, 2);
    if (!node)
        return bind_no_memory();
    plan_join_type type = j->type;
    bool left_nullable = type == JOIN_RIGHT || type == JOIN_FULL;
    bool right_nullable = type == JOIN_LEFT || type == JOIN_FULL;
    node->children[0] = left;
    node->children[1] = right;
    node->join.type = type;
    node->join.residual = j->condition;
    for (int side = 0; side < (is_reducer(type) ? 1 : 2); side++)
        for (size_t i = 0; i < node->children[side]->columns.count; i++) {
            plan_column column = node->children[side]->columns.items[i];
            column.is_nullable |= side ? right_nullable : left_nullable;
            TRY(array_push(j->b->memory, &node->columns, column));
        }
    if (left_nullable)
        set_nullable(&j->left);
    if (right_nullable)
        set_nullable(&j->right);
    j->node = node;
    return STATUS_OK;
}

/* The merged column: the side's whose rows are all there, or COALESCE of both. */
static status merged_expr(join_binding *j, const bind_entry *l, const bind_entry *r, expr **out)
{
    binder *b = j->b;
    data_type type;
    expr *args[] = {entry_expr(b, l), entry_expr(b, r)};
    if (!args[0] || !args[1])
        return bind_no_memory();
    TRY(bind_unify(b, &args[0], &args[1], -1, "="));
    switch (j->type) {
    case JOIN_FULL:
        TRY(bind_coerce_all(b, args, 2, -1, "USING", &type));
        return bind_call(b, EXPR_COALESCE, type, args, 2, -1, out);
    case JOIN_RIGHT:
        *out = args[1];
        return STATUS_OK;
    default:
        *out = args[0];
        return STATUS_OK;
    }
}

static status merge(join_binding *j)
{
    binder *b = j->b;
    expr_list exprs = {0};
    ARRAY(const char *) names = {0};
    bool is_computed = false;
    for (size_t i = 0; i < j->node->columns.count; i++) {
        expr *e = bind_column_expr(b, &j->node->columns.items[i]);
        if (!e)
            return bind_no_memory();
        TRY(array_push(b->memory, &exprs, e));
        TRY(array_push(b->memory, &names, j->node->columns.items[i].name));
    }
    size_t own = exprs.count;
    for (size_t i = 0; i < j->shared_names.count; i++) {
        const char *name = j->shared_names.items[i];
        bind_entry *l, *r;
        expr *e;
        TRY(find_shared(j, &j->left, name, "left", &l));
        TRY(find_shared(j, &j->right, name, "right", &r));
        TRY(merged_expr(j, l, r, &e));
        l->is_hidden = r->is_hidden = true;
        bind_entry entry = {.name = l->name, .type = e->type, .is_nullable = e->is_nullable};
        if (e->kind == EXPR_COLUMN) {
            entry.id = e->column_id;
        } else {
            is_computed = true;
            TRY(array_push(b->memory, &exprs, e));
            TRY(array_push(b->memory, &names, l->name));
        }
        TRY(array_push(b->memory, &j->merged, entry));
    }
    if (!is_computed)
        return STATUS_OK;
    TRY(bind_project(b, j->node, exprs.items, names.items, exprs.count, &j->node));
    for (size_t i = 0; i < j->merged.count; i++)
        if (!j->merged.items[i].id)
            j->merged.items[i].id = j->node->columns.items[own++].id;
    return STATUS_OK;
}

/* (a JOIN b) AS x: what was visible gets the name x. */
static status rename_all(join_binding *j, bind_scope *joined, bind_scope *scope)
{
    const PgQuery__Alias *alias = j->tree->alias;
    bind_scope renamed = {0};
    for (size_t i = 0; i < joined->entries.count; i++) {
        bind_entry entry = joined->entries.items[i];
        size_t at = renamed.entries.count;
        if (entry.is_hidden)
            continue;
        entry.relation = alias->aliasname;
        if (at < alias->n_colnames)
            entry.name = alias->colnames[at]->string->sval;
        TRY(array_push(j->b->memory, &renamed.entries, entry));
    }
    for (size_t i = 0; i < joined->nested.count; i++)
        TRY(array_push(j->b->memory, &renamed.nested,
                       ((bind_nested){alias->aliasname, joined->nested.items[i].name})));
    TRY(array_push(j->b->memory, &renamed.relations, (const char *)alias->aliasname));
    return bind_add_scope(j->b, scope, &renamed);
}

static status bind_sides_condition(join_binding *j, bind_scope *scope)
{
    binder *b = j->b;
    bind_scope both = {.parent = scope->parent, .ctes = scope->ctes, .clause = "JOIN conditions"};
    if (!j->tree->quals)
        return STATUS_OK;
    TRY(bind_add_scope(b, &both, &j->left));
    TRY(bind_add_scope(b, &both, &j->right));
    return bind_condition(b, j->tree->quals, &both, "JOIN/ON", &j->condition);
}

status bind_join(binder *b, const PgQuery__JoinExpr *tree, bind_scope *scope, plan_node **out)
{
    join_binding j = {.b = b, .tree = tree, .type = join_type(b, tree)};
    plan_node *left, *right;
    j.left = (bind_scope){.parent = scope->parent, .ctes = scope->ctes};
    j.right = j.left;
    if (tree->join_using_alias)
        return bind_unsupported(b, -1, "an alias behind USING is");
    j.left.lateral = scope->lateral;
    TRY(bind_from_item(b, tree->larg, &j.left, &left));
    bind_scope seen = {.parent = scope->lateral ? scope->lateral : scope->parent,
                       .entries = j.left.entries,
                       .relations = j.left.relations};
    j.right.lateral = &seen;
    TRY(bind_from_item(b, tree->rarg, &j.right, &right));
    j.right.lateral = NULL;
    if (tree->is_natural)
        TRY(natural_names(&j));
    for (size_t i = 0; i < tree->n_using_clause; i++)
        TRY(array_push(b->memory, &j.shared_names,
                       (const char *)tree->using_clause[i]->string->sval));
    for (size_t i = 0; i < j.shared_names.count; i++)
        TRY(equate(&j, j.shared_names.items[i]));
    TRY(bind_sides_condition(&j, scope));
    TRY(make_node(&j, left, right));
    TRY(merge(&j));

    bind_scope joined = {.entries = j.merged};
    TRY(bind_add_scope(b, &joined, &j.left));
    if (!is_reducer(j.type))
        TRY(bind_add_scope(b, &joined, &j.right));
    *out = j.node;
    return tree->alias ? rename_all(&j, &joined, scope) : bind_add_scope(b, scope, &joined);
}
