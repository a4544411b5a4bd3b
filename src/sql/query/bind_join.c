/* bind_join.c - joins: conditions, and which names are visible behind them.
 *
 * USING and NATURAL merge columns of one name: the name alone means the merged column, which comes
 * first in "*", and the sides' own columns are found by their table's name only. */
#include "sql/expression/bind_expr.h"
#include "sql/expression/bind_scope.h"
#include "sql/query/bind_asof.h"
#include "sql/query/bind_from.h"
#include "sql/query/bind_unnest.h"
#include "sql/query/query_parts.h"
#include "sql/types/bind_operator.h"
#include "sql/types/bind_type.h"
#include "sql/types/binder.h"

#include <strings.h>

typedef struct join_binding {
    binder *b;
    const JoinExpr *tree;
    plan_join_type type;
    bind_scope left, right;
    bind_entry_list merged;
    ARRAY(const char *) shared_names; /* USING (...) */
    expr *condition;
    plan_node *node;
} join_binding;

static plan_join_type join_type(const JoinExpr *tree)
{
    switch (tree->jointype) {
    case PG_JOIN_LEFT:
        return JOIN_LEFT;
    case PG_JOIN_RIGHT:
        return JOIN_RIGHT;
    case PG_JOIN_FULL:
        return JOIN_FULL;
    case PG_JOIN_SEMI:
        return JOIN_SEMI;
    case PG_JOIN_ANTI:
        return JOIN_ANTI;
    default:
        return JOIN_INNER;
    }
}

/* Returns the one visible column whose name is written so, else the one whose name differs in case alone, or NULL. */
static status find_shared(join_binding *j, bind_scope *scope, const char *name, const char *side,
                          bind_entry **out)
{
    bool is_exact = false, is_ambiguous = false;
    *out = NULL;
    TRY(bind_scope_tabulate(j->b, scope));
    for (size_t i = 0; (i = bind_scope_named(scope, name, i)) < scope->entries.count; i++) {
        bind_entry *entry = &scope->entries.items[i];
        bool matches_exactly = !strcmp(entry->name, name);
        if (entry->is_hidden || strcasecmp(entry->name, name) || is_exact > matches_exactly)
            continue;
        is_ambiguous = *out && is_exact == matches_exactly;
        is_exact = matches_exactly;
        *out = entry;
    }
    if (!is_ambiguous)
        return STATUS_OK;
    return bind_error(j->b, STATUS_KIND_INVALID, -1,
                      "common column name \"%s\" appears more than once on the %s of the join",
                      name, side);
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
    return bind_reference(b, entry->id, entry->type, entry->is_nullable, entry->name);
}

/* Adds left.name = right.name, or another comparison. */
static status equate(join_binding *j, expr_op op, const char *name, expr_list *conditions)
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
    TRY(bind_comparison(b, op, left, right, -1, &equal));
    return array_push(b->memory, conditions, equal);
}

/* Makes the condition of NATURAL and USING; the last column of an ASOF JOIN is the one that need not be equal. */
static status equate_all(join_binding *j)
{
    expr_list conditions = {0};
    for (size_t i = 0; i < j->shared_names.count; i++)
        TRY(equate(j, j->tree->is_asof && i + 1 == j->shared_names.count ? EXPR_GE : EXPR_EQ,
                   j->shared_names.items[i], &conditions));
    if (!conditions.count)
        return STATUS_OK;
    j->condition = conditions.count == 1
                       ? conditions.items[0]
                       : expr_new_call(j->b->memory, EXPR_AND, type_make(TYPE_BOOL),
                                       conditions.items, (uint32_t)conditions.count, -1);
    return j->condition ? STATUS_OK : bind_no_memory();
}

/* ---- behind the join ---- */

static void set_nullable(bind_scope *scope)
{
    for (size_t i = 0; i < scope->entries.count; i++)
        scope->entries.items[i].is_nullable = true;
}

/* Only the left side is visible behind it. */
static bool join_is_reducer(plan_join_type type)
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
    for (int side = 0; side < (join_is_reducer(type) ? 1 : 2); side++)
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

static status join_merge(join_binding *j)
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
    const Alias *alias = j->tree->alias;
    bind_scope renamed = {0};
    for (size_t i = 0; i < joined->entries.count; i++) {
        bind_entry entry = joined->entries.items[i];
        size_t at = renamed.entries.count;
        if (entry.is_hidden)
            continue;
        entry.relation = alias->aliasname;
        if (at < list_length(alias->colnames))
            entry.name = strVal(list_nth(alias->colnames, at));
        TRY(array_push(j->b->memory, &renamed.entries, entry));
    }
    for (size_t i = 0; i < joined->nested.count; i++)
        TRY(array_push(j->b->memory, &renamed.nested,
                       ((bind_nested){alias->aliasname, joined->nested.items[i].name})));
    TRY(array_push(j->b->memory, &renamed.relations, (bind_relation){.name = alias->aliasname}));
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

/* ASOF and POSITIONAL joins become others. */
static status change_sides(join_binding *j, plan_node **left, plan_node **right)
{
    bind_asof_sides sides = {.tree = j->tree,
                             .type = j->type,
                             .left = &j->left,
                             .right = &j->right,
                             .left_node = *left,
                             .right_node = *right,
                             .condition = j->condition};
    if (j->tree->is_asof)
        TRY(bind_asof(j->b, &sides));
    if (j->tree->is_positional)
        TRY(bind_positional(j->b, &sides));
    *left = sides.left_node;
    *right = sides.right_node;
    j->condition = sides.condition;
    return STATUS_OK;
}

static bool bind_join_is_true(const pg_node *node)
{
    return !node || (IsA(node, A_Const) && nodeTag(&castNode(A_Const, node)->val) == T_Boolean &&
                     castNode(A_Const, node)->val.boolval.boolval);
}

/* CROSS JOIN unnest(...), and JOIN or LEFT JOIN unnest(...) ON true. */
static bool is_unnest_join(const JoinExpr *tree, plan_join_type type)
{
    return (type == JOIN_INNER || type == JOIN_LEFT) && bind_is_unnest(tree->rarg) &&
           bind_join_is_true(tree->quals) && !tree->isNatural && !list_length(tree->usingClause) &&
           !tree->is_asof && !tree->is_positional && !tree->alias;
}

/* The elements of the left side's lists are rows of it. */
static status join_unnest(join_binding *j, bind_scope *scope, plan_node *left, plan_node **out)
{
    j->left.lateral = &j->left;
    TRY(bind_unnest(j->b, castNode(RangeFunction, j->tree->rarg), &j->left, j->type == JOIN_LEFT,
                    left, out));
    j->left.lateral = NULL;
    return bind_add_scope(j->b, scope, &j->left);
}

status bind_join(binder *b, const JoinExpr *tree, bind_scope *scope, plan_node **out)
{
    join_binding j = {.b = b, .tree = tree, .type = join_type(tree)};
    plan_node *left, *right;
    j.left = (bind_scope){.parent = scope->parent, .ctes = scope->ctes};
    j.right = j.left;
    if (tree->join_using_alias)
        return bind_unsupported(b, -1, "an alias behind USING is");
    j.left.lateral = scope->lateral;
    TRY(bind_from_item(b, tree->larg, &j.left, &left));
    if (is_unnest_join(tree, j.type))
        return join_unnest(&j, scope, left, out);
    bind_scope seen = {.parent = scope->lateral ? scope->lateral : scope->parent,
                       .entries = j.left.entries,
                       .relations = j.left.relations};
    j.right.lateral = &seen;
    TRY(bind_from_item(b, tree->rarg, &j.right, &right));
    j.right.lateral = NULL;
    if (tree->isNatural)
        TRY(natural_names(&j));
    for (size_t i = 0; i < list_length(tree->usingClause); i++)
        TRY(array_push(b->memory, &j.shared_names,
                       (const char *)strVal(list_nth(tree->usingClause, i))));
    TRY(equate_all(&j));
    TRY(bind_sides_condition(&j, scope));
    TRY(change_sides(&j, &left, &right));
    TRY(make_node(&j, left, right));
    TRY(join_merge(&j));

    bind_scope joined = {.entries = j.merged};
    TRY(bind_add_scope(b, &joined, &j.left));
    if (!join_is_reducer(j.type))
        TRY(bind_add_scope(b, &joined, &j.right));
    *out = j.node;
    return tree->alias ? rename_all(&j, &joined, scope) : bind_add_scope(b, scope, &joined);
}
