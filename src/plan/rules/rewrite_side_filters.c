/* rewrite_side_filters.c - which scans of a join's build side can drop rows by what joins of its probe side have:
 *
 *     left join on s.item = r.item
 *       inner join on s.item = i.item      gives filter 0
 *         scan s                           takes it,
 *         scan i where kind = 'Books'
 *       scan r                             and so can this one: no other items come to the left join
 *
 * That build side waits for the other one then; never does each wait for the other. */

#include "base/system/guard.h"
#include "plan/rules/rewrite_join_order.h"
#include "plan/rules/scan/rewrite_runtime_filters.h"
#include "plan/tree/plan.h"
#include "plan/tree/rule.h"

/* Nodes of a statement that are looked at to find out what waits for what, at most. */
#define STEPS_MAX 100000

typedef struct search {
    plan_statement *statement;
    plan_node_list givers; /* by the filter's number */
    size_t steps_left;
} search;

/* A column of a join's build side, of which only those values are wanted that one of the probe side has. */
typedef struct side {
    plan_node *join;
    uint32_t id;
    double scanned_rows;
    plan_node_list joins; /* the join and those below its build side */
} side;

static plan_node *probe_side(const plan_node *join)
{
    return join->children[join->join.build_left ? 1 : 0];
}

static bool has_join(const plan_node_list *list, const plan_node *join)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->items[i] == join)
            return true;
    return false;
}

static status list_joins(arena *a, plan_node *node, plan_node_list *out)
{
    if (node->kind == PLAN_JOIN)
        TRY(array_push(a, out, node));
    for (uint32_t i = 0; i < node->child_count; i++)
        TRY(list_joins(a, node->children[i], out));
    return STATUS_OK;
}

/* ---- who waits for whom ---- */

/* The join gives filters, of which some may be new. */
static status note_giver(search *s, plan_node *join)
{
    for (size_t i = 0; i < join->join.runtime_filters.count; i++) {
        uint32_t id = join->join.runtime_filters.items[i].id;
        while (s->givers.count <= id)
            TRY(array_push(s->statement->memory, &s->givers, NULL));
        s->givers.items[id] = join;
    }
    return STATUS_OK;
}

static status note_givers(search *s, plan_node *node)
{
    TRY(guard_check());
    if (node->kind == PLAN_JOIN)
        TRY(note_giver(s, node));
    for (uint32_t i = 0; i < node->child_count; i++)
        TRY(note_givers(s, node->children[i]));
    return STATUS_OK;
}

/* The node's rows are made after one of the joins' build sides; or nobody can tell. Build sides that were looked at are
 * in `seen`. */
static status waits_for(search *s, const plan_node *node, const plan_node_list *joins,
                        plan_node_list *seen, bool *out)
{
    if (!s->steps_left || has_join(joins, node)) {
        *out = true;
        return STATUS_OK;
    }
    s->steps_left--;
    for (size_t i = 0; node->kind == PLAN_SCAN && i < node->scan.runtime_filters.count; i++) {
        plan_node *giver = s->givers.items[node->scan.runtime_filters.items[i].id];
        *out |= has_join(joins, giver);
        if (*out || has_join(seen, giver))
            continue;
        TRY(array_push(s->statement->memory, seen, giver));
        TRY(waits_for(s, plan_build_side(giver), joins, seen, out));
    }
    for (uint32_t i = 0; i < node->child_count && !*out; i++)
        TRY(waits_for(s, node->children[i], joins, seen, out));
    return STATUS_OK;
}

/* ---- who gives ---- */

/* The values of the side's column are among the keys of the pair. Waiting for a long build side to scan a short one
 * does not pay. */
static status side_filters_take(search *s, const side *to, plan_node *giver, size_t key)
{
    plan_node_list seen = {0};
    bool waits = false;
    if (plan_scanned_rows(plan_build_side(giver)) > to->scanned_rows)
        return STATUS_OK;
    TRY(waits_for(s, plan_build_side(giver), &to->joins, &seen, &waits));
    if (waits)
        return STATUS_OK;
    TRY(plan_offer_key(s->statement, giver, key, plan_build_side(to->join), to->id, true));
    return note_giver(s, giver);
}

static status find_givers(search *s, const side *to, plan_node *node, uint32_t id);

static status find_in_expr(search *s, const side *to, plan_node *node, const expr_list *exprs,
                           uint32_t id)
{
    int place = plan_column_index(node, id);
    if (place < 0 || (size_t)place >= exprs->count)
        return STATUS_OK;
    const expr *column = plan_filter_column(exprs->items[place]);
    return column ? find_givers(s, to, node->children[0], column->column_id) : STATUS_OK;
}

/* Looks in a join: if rows come out with NULLs for a side, they meet nothing. */
static status find_in_join(search *s, const side *to, plan_node *join, uint32_t id)
{
    bool is_left = plan_column_index(join->children[0], id) >= 0;
    bool has_pairs = join->join.type == JOIN_INNER || join->join.type == JOIN_SEMI;
    const expr_list *mine = is_left ? &join->join.left_keys : &join->join.right_keys;
    const expr_list *others = is_left ? &join->join.right_keys : &join->join.left_keys;
    for (size_t k = 0; k < mine->count; k++) {
        const expr *own = plan_filter_column(mine->items[k]);
        const expr *other = plan_filter_column(others->items[k]);
        if (!own || own->column_id != id)
            continue;
        if (plan_drops_probe_rows(join) && plan_can_offer_key(join, k))
            TRY(side_filters_take(s, to, join, k));
        if (has_pairs && other)
            TRY(find_givers(s, to, join->children[is_left ? 1 : 0], other->column_id));
    }
    return find_givers(s, to, join->children[is_left ? 0 : 1], id);
}

static status find_givers(search *s, const side *to, plan_node *node, uint32_t id)
{
    if (plan_column_index(node, id) < 0 || !s->steps_left)
        return STATUS_OK;
    s->steps_left--;
    switch (node->kind) {
    case PLAN_FILTER:
    case PLAN_SORT:
    case PLAN_LIMIT:
    case PLAN_WINDOW:
    case PLAN_WINDOW_LIMIT:
        return find_givers(s, to, node->children[0], id);
    case PLAN_PROJECT:
        return find_in_expr(s, to, node, &node->project.exprs, id);
    case PLAN_AGGREGATE:
        return find_in_expr(s, to, node, &node->aggregate.groups, id);
    case PLAN_JOIN:
        return find_in_join(s, to, node, id);
    default:
        return STATUS_OK;
    }
}

/* ---- who takes ---- */

/* Build rows without a partner come to nothing. */
static bool drops_build_rows(const plan_node *join)
{
    switch (join->join.type) {
    case JOIN_INNER:
    case JOIN_SEMI:
        return !join->join.null_equal;
    case JOIN_LEFT:
    case JOIN_ANTI:
    case JOIN_SINGLE:
        return !join->join.null_equal && !join->join.build_left;
    case JOIN_RIGHT:
        return !join->join.null_equal && join->join.build_left;
    default:
        return false;
    }
}

static status offer_to(search *s, plan_node *join)
{
    bool build_left = join->join.build_left;
    const expr_list *probe_keys = build_left ? &join->join.right_keys : &join->join.left_keys;
    const expr_list *build_keys = build_left ? &join->join.left_keys : &join->join.right_keys;
    side to = {.join = join, .scanned_rows = plan_scanned_rows(plan_build_side(join))};
    for (size_t k = 0; k < probe_keys->count; k++) {
        const expr *probe = plan_filter_column(probe_keys->items[k]);
        const expr *build = plan_filter_column(build_keys->items[k]);
        if (!probe || !build)
            continue;
        if (!to.joins.count) {
            TRY(array_push(s->statement->memory, &to.joins, join));
            TRY(list_joins(s->statement->memory, plan_build_side(join), &to.joins));
        }
        to.id = build->column_id;
        TRY(find_givers(s, &to, probe_side(join), probe->column_id));
    }
    return STATUS_OK;
}

static status side_filters_walk(search *s, plan_node *node)
{
    TRY(guard_check());
    if (node->kind == PLAN_JOIN && drops_build_rows(node))
        TRY(offer_to(s, node));
    for (uint32_t i = 0; i < node->child_count; i++)
        TRY(side_filters_walk(s, node->children[i]));
    return STATUS_OK;
}

status rewrite_side_filters(plan_statement *statement)
{
    search s = {.statement = statement, .steps_left = STEPS_MAX};
    if (!plan_rule_is_on(statement, RULE_runtime_filters))
        return STATUS_OK;
    for (size_t i = 0; i < statement->shared.count; i++)
        TRY(note_givers(&s, statement->shared.items[i]));
    TRY(note_givers(&s, statement->root));
    for (size_t i = 0; i < statement->shared.count; i++)
        TRY(side_filters_walk(&s, statement->shared.items[i]));
    return side_filters_walk(&s, statement->root);
}
