/* bind_with.c - WITH: queries with names, bound once and shared, or put where they are used. */
#include "sql/query/bind_with.h"

#include "base/system/guard.h"
#include "plan/edit/repeatable.h"
#include "plan/nodes/visit.h"
#include "sql/expression/bind_owner.h"
#include "sql/query/bind_recursive.h"
#include "sql/types/bind_columns.h"
#include "sql/types/binder.h"
#include <strings.h>

status bind_with(binder *b, const WithClause *with, bind_scope *scope, bind_cte *outer,
                 bind_cte **out)
{
    bind_cte *first = outer;
    for (size_t i = 0; i < list_length(with->ctes); i++) {
        const CommonTableExpr *tree = castNode(CommonTableExpr, list_nth(with->ctes, i));
        for (const bind_cte *other = first; other != outer; other = other->outer)
            if (!strcmp(other->name, tree->ctename))
                return bind_error(b, STATUS_KIND_INVALID, tree->location,
                                  "WITH query name \"%s\" specified more than once", tree->ctename);
        if (!IsA(tree->ctequery, SelectStmt))
            return bind_unsupported(b, tree->location, "a WITH query that changes data is");
        if (tree->search_clause)
            return bind_unsupported(b, tree->search_clause->location, "SEARCH is");
        if (tree->cycle_clause)
            return bind_unsupported(b, tree->cycle_clause->location, "CYCLE is");
        bind_cte *cte = arena_alloc(b->memory, sizeof *cte);
        if (!cte)
            return bind_no_memory();
        *cte = (bind_cte){.outer = first,
                          .name = tree->ctename,
                          .tree = tree,
                          .scope = scope,
                          .may_recurse = with->recursive};
        first = cte;
    }
    *out = first;
    return STATUS_OK;
}

status bind_cte_names(binder *b, const CommonTableExpr *tree, plan_node *plan)
{
    if (list_length(tree->aliascolnames) > plan->columns.count)
        return bind_error(b, STATUS_KIND_INVALID, tree->location,
                          "WITH query \"%s\" has %zu columns but %zu names", tree->ctename,
                          plan->columns.count, list_length(tree->aliascolnames));
    for (size_t i = 0; i < list_length(tree->aliascolnames); i++)
        plan->columns.items[i].name = strVal(list_nth(tree->aliascolnames, i));
    return STATUS_OK;
}

typedef struct outer_check {
    const binder *b;
    uint32_t first_own_id;
    bool has_outer;
} outer_check;

static void check_outer(uint32_t id, void *context)
{
    outer_check *check = context;
    check->has_outer |= bind_owner_is_older(check->b, id, check->first_own_id);
}

/* Ids grow: whatever is older than the plan is another query's. */
status bind_is_correlated(binder *b, plan_node *plan, uint32_t first_own_id, bool *out)
{
    outer_check check = {b, first_own_id, false};
    expr *whole = expr_new(b->memory, EXPR_SUBQUERY, type_make(TYPE_BOOL), 0, -1);
    if (!whole)
        return bind_no_memory();
    whole->subquery = plan;
    expr_visit_columns(whole, check_outer, &check);
    *out = check.has_outer;
    return STATUS_OK;
}

/* A plan that refers to the shared one, with column ids of its own. */
static status refer(binder *b, const bind_cte *cte, plan_node **out)
{
    const plan_node *plan = b->statement->shared.items[cte->shared];
    plan_node *node = plan_node_new(b->memory, PLAN_SHARED, 0);
    if (!node)
        return bind_no_memory();
    node->shared.id = cte->shared;
    for (uint32_t i = 0; i < plan->columns.count; i++) {
        plan_column column = plan->columns.items[i];
        column.id = bind_new_id(b);
        TRY(array_push(b->memory, &node->columns, column));
        TRY(array_push(b->memory, &node->shared.sources, i));
    }
    *out = node;
    return STATUS_OK;
}

static status bind_cte_query(binder *b, bind_cte *cte, plan_node **out)
{
    bool is_outer;
    uint32_t first_own_id = b->statement->next_column_id;
    plan_node *plan;
    if (cte->may_recurse) {
        bool is_recursive;
        TRY(bind_recursive(b, cte, &is_recursive, out));
        if (is_recursive)
            return STATUS_OK;
    }
    TRY(b->bind_subquery(b, castNode(SelectStmt, cte->tree->ctequery), cte->scope, cte->outer,
                         &plan));
    TRY(bind_resolve_nulls(b, &plan));
    TRY(bind_cte_names(b, cte->tree, plan));
    TRY(bind_is_correlated(b, plan, first_own_id, &is_outer));
    *out = plan;
    bool is_copied =
        cte->tree->ctematerialized == CTEMaterializeNever && plan_tree_is_repeatable(plan);
    if (is_outer || is_copied)
        return STATUS_OK;
    cte->is_bound = true;
    cte->shared = (uint32_t)b->statement->shared.count;
    TRY(array_push(b->memory, &b->statement->shared, plan));
    return refer(b, cte, out);
}

/* Finds the query of that name, or else of that name in another case. */
static bind_cte *find_cte(bind_cte *ctes, const char *name)
{
    for (bind_cte *exact = ctes; exact; exact = exact->outer)
        if (!strcmp(exact->name, name))
            return exact;
    while (ctes && strcasecmp(ctes->name, name))
        ctes = ctes->outer;
    return ctes;
}

status bind_cte_reference(binder *b, const char *name, bind_cte *ctes, plan_node **out)
{
    *out = NULL;
    ctes = find_cte(ctes, name);
    if (!ctes)
        return STATUS_OK;
    if (ctes->recursion)
        return bind_recursive_reference(b, ctes, out);
    return ctes->is_bound ? refer(b, ctes, out) : bind_cte_query(b, ctes, out);
}

status bind_unused_ctes(binder *b, bind_cte *first, const bind_cte *end)
{
    plan_node *unused;
    const bind_rounds before = b->rounds;
    status st = STATUS_OK;
    b->rounds.is_dry = true;
    for (bind_cte *cte = first; cte != end && !st; cte = cte->outer)
        if (!cte->is_bound)
            st = bind_cte_query(b, cte, &unused);
    b->rounds.is_dry = before.is_dry;
    b->rounds.dry.count = before.dry.count;
    return st;
}

/* ---- once the whole statement is bound ---- */

typedef struct use_count {
    const binder *b;
    uint32_t *uses; /* by index of the shared plan */
    ARRAY(plan_node *) nodes;
    status st;
} use_count;

static void count_uses(plan_node *node, use_count *count);

static void count_in_expr(const expr *e, use_count *count)
{
    if (!guard_may_go_on())
        return;
    for (uint32_t i = 0; i < e->arg_count; i++)
        count_in_expr(e->args[i], count);
    if (e->kind == EXPR_SUBQUERY)
        count_uses(e->subquery, count);
}

static void count_in_slot(expr **slot, void *context)
{
    count_in_expr(*slot, context);
}

static void count_uses(plan_node *node, use_count *count)
{
    if (!guard_may_go_on())
        return;
    plan_visit_exprs(node, count_in_slot, count);
    for (uint32_t i = 0; i < node->child_count; i++)
        count_uses(node->children[i], count);
    if (node->kind != PLAN_SHARED)
        return;
    uint32_t id = node->shared.id;
    if (!count->st)
        count->st = array_push(count->b->memory, &count->nodes, node);
    if (count->uses[id]++ == 0)
        count_uses(count->b->statement->shared.items[id], count);
}

/* The reference becomes a projection of the plan itself, which keeps the reference's ids. */
static status put_in_place(binder *b, plan_node *node)
{
    plan_node *plan = b->statement->shared.items[node->shared.id];
    expr_list exprs = {0};
    for (size_t i = 0; i < node->columns.count; i++) {
        expr *e = bind_column_expr(b, &plan->columns.items[node->shared.sources.items[i]]);
        if (!e)
            return bind_no_memory();
        TRY(array_push(b->memory, &exprs, e));
    }
    node->children = arena_alloc_array(b->memory, 1, sizeof *node->children);
    if (!node->children)
        return bind_no_memory();
    node->kind = PLAN_PROJECT;
    node->child_count = 1;
    node->children[0] = plan;
    node->project.exprs = exprs;
    return STATUS_OK;
}

status bind_finish_shared(binder *b)
{
    plan_statement *statement = b->statement;
    size_t count = statement->shared.count, kept = 0;
    use_count counted = {.b = b};
    if (count == 0)
        return STATUS_OK;
    counted.uses = arena_alloc_array(b->memory, count, sizeof *counted.uses);
    uint32_t *new_ids = arena_alloc_array(b->memory, count, sizeof *new_ids);
    if (!counted.uses || !new_ids)
        return bind_no_memory();
    count_uses(statement->root, &counted);
    TRY(counted.st);
    for (size_t i = 0; i < counted.nodes.count; i++)
        if (counted.uses[counted.nodes.items[i]->shared.id] == 1)
            TRY(put_in_place(b, counted.nodes.items[i]));
    for (size_t i = 0; i < count; i++)
        if (counted.uses[i] > 1) {
            new_ids[i] = (uint32_t)kept;
            statement->shared.items[kept++] = statement->shared.items[i];
        }
    statement->shared.count = kept;
    for (size_t i = 0; i < counted.nodes.count; i++)
        if (counted.nodes.items[i]->kind == PLAN_SHARED)
            counted.nodes.items[i]->shared.id = new_ids[counted.nodes.items[i]->shared.id];
    return STATUS_OK;
}
