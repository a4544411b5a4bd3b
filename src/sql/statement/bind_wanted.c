/* bind_wanted.c - how many rows of its recursive queries a statement reads: those that a LIMIT above lets through, with
 * nothing between that drops or orders rows. Rounds end once there are as many, because they may not end otherwise. */
#include "sql/statement/bind_wanted.h"

#include "base/system/guard.h"
#include "plan/edit/repeatable.h"
#include "plan/nodes/visit.h"

typedef struct wanted_search {
    const bind_rounds *rounds;
    sql_wanted_rows *out;
} wanted_search;

static void find_below(const wanted_search *s, const plan_node *node, uint64_t limit);

static void bind_wanted_find_in_expr(const wanted_search *s, const expr *e)
{
    if (!e || !guard_may_go_on())
        return;
    for (uint32_t i = 0; i < e->arg_count; i++)
        bind_wanted_find_in_expr(s, e->args[i]);
    if (e->kind == EXPR_SUBQUERY)
        find_below(s, e->subquery, e->subquery_kind == SUBQUERY_EXISTS ? 1 : SQL_WANTED_ALL);
}

static void find_in_slot(expr **slot, void *context)
{
    bind_wanted_find_in_expr(context, *slot);
}

static void note(const wanted_search *s, const plan_node *node, uint64_t limit)
{
    const bind_rounds *rounds = s->rounds;
    for (size_t i = 0; i < rounds->dry.count && i < SQL_WANTED_MAX; i++)
        if (rounds->dry.items[i] == node && s->out->rows[i] < limit)
            s->out->rows[i] = limit;
}

/* The rows that are read of a node's child if `limit` are read of the node. */
static uint64_t limit_of_child(const plan_node *node, uint64_t limit)
{
    if (node->kind == PLAN_PROJECT || node->kind == PLAN_UNION)
        return limit;
    uint64_t rows;
    if (node->kind != PLAN_LIMIT ||
        __builtin_add_overflow(node->limit.has_limit && node->limit.limit < limit
                                   ? (uint64_t)node->limit.limit
                                   : limit,
                               (uint64_t)node->limit.offset, &rows))
        return SQL_WANTED_ALL;
    return rows;
}

static void find_below(const wanted_search *s, const plan_node *node, uint64_t limit)
{
    if (!node || !guard_may_go_on())
        return;
    note(s, node, limit ? limit : 1);
    plan_visit_exprs((plan_node *)node, find_in_slot, (void *)s);
    for (uint32_t i = 0; i < node->child_count; i++)
        find_below(s, node->children[i], limit_of_child(node, limit));
}

/* ---- conditions, joins and DISTINCT between ---- */

static void find_subquery(expr **slot, void *context)
{
    const expr *e = *slot;
    bool *has_one = context;
    *has_one |= e->kind == EXPR_SUBQUERY || !guard_may_go_on();
    for (uint32_t i = 0; !*has_one && i < e->arg_count; i++)
        find_subquery(&e->args[i], context);
}

static bool keeps_rows(const plan_node *node)
{
    switch (node->kind) {
    case PLAN_JOIN:
        return node->join.type == JOIN_INNER || node->join.type == JOIN_SEMI;
    case PLAN_AGGREGATE:
        return !node->aggregate.aggregates.count; /* DISTINCT */
    case PLAN_SCAN:
    case PLAN_VALUES:
    case PLAN_FILTER:
    case PLAN_PROJECT:
    case PLAN_UNION:
    case PLAN_REPEAT:
    case PLAN_SERIES:
    case PLAN_SHARED:
        return true;
    default:
        return false;
    }
}

/* Returns whether the node gives of more rows all that it gives of some. */
static bool only_grows(const plan_statement *s, const plan_node *node)
{
    bool has_subquery = false;
    if (!guard_may_go_on() || !keeps_rows(node))
        return false;
    plan_visit_exprs((plan_node *)node, find_subquery, &has_subquery);
    bool grows = !has_subquery && plan_is_repeatable(node);
    if (grows && node->kind == PLAN_SHARED)
        grows = only_grows(s, s->shared.items[node->shared.id]);
    for (uint32_t i = 0; grows && i < node->child_count; i++)
        grows = only_grows(s, node->children[i]);
    return grows;
}

static void find_limit(const plan_statement *s, sql_wanted_rows *out)
{
    const plan_node *node = s->root;
    while (node->kind == PLAN_PROJECT && plan_is_repeatable(node))
        node = node->children[0];
    if (node->kind != PLAN_LIMIT || !node->limit.has_limit)
        return;
    out->limit = node->limit.limit;
    out->has_limit = only_grows(s, node->children[0]);
}

void bind_find_wanted(const binder *b, const plan_statement *statement, sql_wanted_rows *out)
{
    const wanted_search s = {&b->rounds, out};
    *out = (sql_wanted_rows){0};
    if (!b->rounds.dry.count)
        return;
    find_below(&s, statement->root, SQL_WANTED_ALL);
    find_limit(statement, out);
    for (size_t i = 0; i < statement->shared.count; i++)
        find_below(&s, statement->shared.items[i], SQL_WANTED_ALL);
    for (size_t i = 0; i < b->rounds.parts_of_dry.count; i++)
        find_below(&s, b->rounds.parts_of_dry.items[i], SQL_WANTED_ALL);
    for (size_t i = 0; i < SQL_WANTED_MAX; i++)
        if (!out->rows[i]) /* a plan that is not there any more */
            out->rows[i] = SQL_WANTED_ALL;
    out->count =
        b->rounds.dry.count < SQL_WANTED_MAX ? (uint32_t)b->rounds.dry.count : SQL_WANTED_MAX;
}
