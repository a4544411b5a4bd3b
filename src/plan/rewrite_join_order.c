/* rewrite_join_order.c - the order of inner joins: greedily, the pair with the smallest result
 * first (Fegaras, "A New Heuristic for Optimizing Large Queries", 1998). The smaller side is built
 * on. */
#include "plan/rewrite.h"

typedef struct ordering {
    plan_statement *statement;
    plan_node **nodes; /* what is still to be joined */
    size_t count;
    expr_list *conditions; /* between them; emptied as they are used */
} ordering;

typedef enum side { SIDE_NEITHER, SIDE_LEFT, SIDE_RIGHT } side;

static side side_of(const column_set *left, const column_set *right, const expr *e)
{
    if (column_set_covers(left, e) && column_set_meets(left, e))
        return SIDE_LEFT;
    if (column_set_covers(right, e) && column_set_meets(right, e))
        return SIDE_RIGHT;
    return SIDE_NEITHER;
}

/* An equality between both nodes: its sides in order. */
static bool is_key(const column_set *left, const column_set *right, const expr *e, expr **out_left,
                   expr **out_right)
{
    if (e->kind != EXPR_CALL || e->op != EXPR_EQ)
        return false;
    side first = side_of(left, right, e->args[0]), second = side_of(left, right, e->args[1]);
    if (first == SIDE_NEITHER || second == SIDE_NEITHER || first == second)
        return false;
    *out_left = e->args[first == SIDE_LEFT ? 0 : 1];
    *out_right = e->args[first == SIDE_LEFT ? 1 : 0];
    return true;
}

/* The join of two nodes under all conditions that concern only them, which are taken out of the
 * list if `take`. */
static status join_pair(ordering *o, plan_node *left, plan_node *right, bool take, plan_node **out)
{
    arena *a = o->statement->memory;
    column_set sets[3];
    for (int i = 0; i < 3; i++)
        TRY(column_set_new(a, o->statement->next_column_id, &sets[i]));
    column_set_add_node(&sets[0], left);
    column_set_add_node(&sets[1], right);
    column_set_add_node(&sets[2], left);
    column_set_add_node(&sets[2], right);
    plan_node *join = plan_node_new(a, PLAN_JOIN, 2);
    if (!join)
        return status_no_memory("plan", sizeof *join);
    join->join.type = JOIN_INNER;
    join->children[0] = left;
    join->children[1] = right;
    size_t kept = 0;
    for (size_t i = 0; i < o->conditions->count; i++) {
        expr *e = o->conditions->items[i], *l, *r;
        if (is_key(&sets[0], &sets[1], e, &l, &r)) {
            TRY(array_push(a, &join->join.left_keys, l));
            TRY(array_push(a, &join->join.right_keys, r));
        } else if (column_set_covers(&sets[2], e)) {
            join->join.residual = expr_new_and(a, join->join.residual, e);
            if (!join->join.residual)
                return status_no_memory("plan", sizeof *e);
        } else {
            if (take)
                o->conditions->items[kept] = e;
            kept++;
        }
    }
    if (take)
        o->conditions->count = kept;
    plan_estimate(o->statement, join);
    *out = join;
    return plan_join_columns(a, join);
}

static status best_pair(ordering *o, size_t *out_left, size_t *out_right)
{
    double best = 0;
    bool best_has_keys = false, has_best = false;
    for (size_t i = 0; i < o->count; i++)
        for (size_t j = i + 1; j < o->count; j++) {
            plan_node *join;
            TRY(join_pair(o, o->nodes[i], o->nodes[j], false, &join));
            bool has_keys = join->join.left_keys.count > 0;
            bool is_better = !has_best || (has_keys && !best_has_keys) ||
                             (has_keys == best_has_keys && join->estimated_rows < best);
            if (!is_better)
                continue;
            best = join->estimated_rows;
            best_has_keys = has_keys;
            has_best = true;
            *out_left = i;
            *out_right = j;
        }
    return STATUS_OK;
}

status rewrite_join_order(plan_statement *statement, plan_node *const *relations,
                          size_t relation_count, expr_list *conditions, plan_node **out)
{
    ordering o = {.statement = statement, .count = relation_count, .conditions = conditions};
    o.nodes = arena_alloc_array(statement->memory, relation_count + 1, sizeof *o.nodes);
    if (!o.nodes)
        return status_no_memory("plan", relation_count * sizeof *o.nodes);
    memcpy(o.nodes, relations, relation_count * sizeof *o.nodes);
    while (o.count > 1) {
        size_t left = 0, right = 1;
        plan_node *join;
        TRY(best_pair(&o, &left, &right));
        /* The right side is built on: the smaller one. */
        bool is_swapped = o.nodes[left]->estimated_rows < o.nodes[right]->estimated_rows;
        TRY(join_pair(&o, o.nodes[is_swapped ? right : left], o.nodes[is_swapped ? left : right],
                      true, &join));
        o.nodes[left] = join;
        o.nodes[right] = o.nodes[--o.count];
    }
    TRY(plan_filter_over(statement->memory, o.nodes[0], conditions, out));
    plan_estimate(statement, *out);
    return STATUS_OK;
}
