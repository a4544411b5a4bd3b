/* rewrite_join_order.c - the order of inner, semi and anti joins: greedily, what has the smallest
 * result first (Fegaras, "A New Heuristic for Optimizing Large Queries", 1998). The smaller side is
 * built on.
 *
 * A semi or anti join keeps or drops a row by what it finds for it, whatever that row is joined
 * with: it may run as soon as the columns that it looks at are there, and runs early where it
 * leaves few rows.
 *
 * Columns that conditions make equal are a class: any two of them can be joined on, also those that
 * no condition compares (a = b and b = c: a with c). A join of two nodes compares one column of
 * each class that both have: those within a node are equal already. */
#include "plan/rules/rewrite_join_order.h"

#include "parquet/table/table.h"
#include "plan/facts/condition.h"
#include "plan/nodes/node.h"
#include "plan/nodes/node_filter.h"
#include "plan/nodes/node_join.h"
#include "plan/nodes/visit.h"
#include "plan/tree/column_set.h"
#include "plan/tree/rule.h"

/* A build side is quickly there if it has at most so many rows, and if its scans have at most this
 * part of the rows that the other side's scans have. */
#define QUICK_BUILD_ROWS (1 << 17)
#define QUICK_BUILD_PART 16

/* Facts about joining two nodes. */
typedef struct pair {
    bool is_known, has_keys;
    double rows;
} pair;

typedef struct ordering {
    plan_statement *statement;
    plan_node **nodes; /* what is still to be joined */
    size_t count;
    pair *pairs; /* by both nodes' numbers, `stride` to a row */
    size_t stride;
    plan_node_list reducers; /* what is still to be applied */
    expr_list *conditions;   /* between nodes; emptied as they are used */
    uint32_t *classes;       /* by column id; 0: in none */
    uint32_t *places;        /* by class: of one node's column, plus 1; all 0 between uses */
    bool is_fixed;           /* the order is that of `nodes` */
} ordering;

/* The next step: nodes left and right joined, or a reducer applied to node left. */
typedef struct step {
    bool is_set, has_keys;
    double rows;
    size_t left, right;
    bool is_reducer;
} step;

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
static bool join_order_is_key(const column_set *left, const column_set *right, const expr *e,
                              expr **out_left, expr **out_right)
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

/* ---- classes of equal columns ---- */

static bool is_column_pair(const expr *e)
{
    return e->kind == EXPR_CALL && e->op == EXPR_EQ && e->args[0]->kind == EXPR_COLUMN &&
           e->args[1]->kind == EXPR_COLUMN && type_equal(e->args[0]->type, e->args[1]->type) &&
           e->args[0]->type.width == e->args[1]->type.width;
}

/* Classes while they are found, and which columns are in each. */
typedef struct class_list {
    uint32_t *first, *last; /* by class: a column's id + 1 */
    uint32_t *next;  /* by a column's id + 1: that of the class's next one; 0: there is none */
    uint32_t *nodes; /* by column id: 1 + the number of the node that has it; 0: none has */
    uint32_t *seen;  /* by node: the last round in which it was seen */
    uint32_t used, round;
} class_list;

static status class_list_new(const ordering *o, class_list *out)
{
    arena *a = o->statement->memory;
    size_t ids = o->statement->next_column_id;
    *out = (class_list){.first = arena_alloc_array(a, ids + 1, sizeof *out->first),
                        .last = arena_alloc_array(a, ids + 1, sizeof *out->last),
                        .next = arena_alloc_array(a, ids + 1, sizeof *out->next),
                        .nodes = arena_alloc_array(a, ids + 1, sizeof *out->nodes),
                        .seen = arena_alloc_array(a, o->count + 1, sizeof *out->seen)};
    if (!out->first || !out->last || !out->next || !out->nodes || !out->seen)
        return status_no_memory("plan", ids * sizeof *out->first);
    for (size_t n = 0; n < o->count; n++)
        for (size_t i = 0; i < o->nodes[n]->columns.count; i++)
            out->nodes[o->nodes[n]->columns.items[i].id] = (uint32_t)n + 1;
    return STATUS_OK;
}

/* The column's class; a new one if it has none. */
static uint32_t rewrite_join_order_class_of(ordering *o, class_list *list, uint32_t id)
{
    uint32_t *class = &o->classes[id];
    if (!*class) {
        *class = ++list->used;
        list->first[*class] = list->last[*class] = id + 1;
    }
    return *class;
}

/* No node has a column of each class: equal columns of one node would need a filter. */
static bool join_order_can_merge(class_list *list, uint32_t first, uint32_t second)
{
    uint32_t round = ++list->round;
    for (uint32_t at = list->first[first]; at; at = list->next[at])
        if (list->nodes[at - 1])
            list->seen[list->nodes[at - 1] - 1] = round;
    for (uint32_t at = list->first[second]; at; at = list->next[at])
        if (list->nodes[at - 1] && list->seen[list->nodes[at - 1] - 1] == round)
            return false;
    return true;
}

static void merge_classes(ordering *o, class_list *list, uint32_t first, uint32_t second)
{
    for (uint32_t at = list->first[second]; at; at = list->next[at])
        o->classes[at - 1] = first;
    list->next[list->last[first]] = list->first[second];
    list->last[first] = list->last[second];
    list->first[second] = list->last[second] = 0;
}

/* Takes conditions into classes where that can be. */
static status find_classes(ordering *o)
{
    uint32_t id_count = o->statement->next_column_id;
    size_t kept = 0;
    class_list list;
    o->classes = arena_alloc_array(o->statement->memory, id_count, sizeof *o->classes);
    if (!o->classes)
        return status_no_memory("plan", id_count * sizeof *o->classes);
    TRY(class_list_new(o, &list));
    for (size_t c = 0; c < o->conditions->count; c++) {
        expr *e = o->conditions->items[c];
        bool is_taken = false;
        if (is_column_pair(e)) {
            uint32_t first = rewrite_join_order_class_of(o, &list, e->args[0]->column_id);
            uint32_t second = rewrite_join_order_class_of(o, &list, e->args[1]->column_id);
            is_taken = first == second || join_order_can_merge(&list, first, second);
            if (is_taken && first != second)
                merge_classes(o, &list, first, second);
        }
        if (!is_taken)
            o->conditions->items[kept++] = e;
    }
    o->conditions->count = kept;
    o->places = arena_alloc_array(o->statement->memory, list.used + 1, sizeof *o->places);
    return o->places ? STATUS_OK : status_no_memory("plan", list.used * sizeof *o->places);
}

static status push_column(arena *a, const plan_column *column, expr_list *keys)
{
    expr *e = plan_column_expr(a, column);
    return e ? array_push(a, keys, e) : status_no_memory("plan", sizeof *e);
}

/* A key for each class that both sides have. */
static status add_class_keys(ordering *o, plan_node *join)
{
    arena *a = o->statement->memory;
    const plan_column_list *left = &join->children[0]->columns,
                           *right = &join->children[1]->columns;
    for (size_t r = right->count; r-- > 0;)
        o->places[o->classes[right->items[r].id]] = (uint32_t)r + 1;
    for (size_t l = 0; l < left->count; l++) {
        uint32_t class = o->classes[left->items[l].id], place = o->places[class];
        if (!class || !place)
            continue;
        TRY(push_column(a, &left->items[l], &join->join.left_keys));
        TRY(push_column(a, &right->items[place - 1], &join->join.right_keys));
        o->places[class] = 0;
    }
    for (size_t r = 0; r < right->count; r++)
        o->places[o->classes[right->items[r].id]] = 0;
    return STATUS_OK;
}

/* The join of two nodes under all conditions that concern only them. If `take`, they are taken out
 * of the list and the join has its columns; else it is only good for what it is estimated to be. */
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
    TRY(add_class_keys(o, join));
    size_t kept = 0;
    for (size_t i = 0; i < o->conditions->count; i++) {
        expr *e = o->conditions->items[i], *l, *r;
        if (join_order_is_key(&sets[0], &sets[1], e, &l, &r)) {
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
    TRY(plan_take_null_keys(a, join, &sets[0], &sets[1]));
    plan_estimate(o->statement, join);
    *out = join;
    return take ? plan_join_columns(a, join) : STATUS_OK;
}

static pair *pair_at(const ordering *o, size_t left, size_t right)
{
    return &o->pairs[left < right ? left * o->stride + right : right * o->stride + left];
}

/* Node `at` is another one now. */
static void forget_pairs(ordering *o, size_t at)
{
    for (size_t i = 0; i < o->stride; i++)
        pair_at(o, at, i)->is_known = false;
}

/* The last node takes the place of node `at`, or, where the order is to be kept, each its
 * predecessor's. */
static void remove_node(ordering *o, size_t at)
{
    size_t last = --o->count;
    if (o->is_fixed) {
        memmove(&o->nodes[at], &o->nodes[at + 1], (last - at) * sizeof(plan_node *));
        return;
    }
    for (size_t i = 0; i < last && at != last; i++)
        if (i != at)
            *pair_at(o, at, i) = *pair_at(o, last, i);
    o->nodes[at] = o->nodes[last];
}

static void consider(step *best, step candidate)
{
    if (!best->is_set || (candidate.has_keys && !best->has_keys) ||
        (candidate.has_keys == best->has_keys && candidate.rows < best->rows)) {
        *best = candidate;
        best->is_set = true;
    }
}

/* The reducer's left side is all there. */
static status can_reduce(ordering *o, const plan_node *node, const plan_node *reducer, bool *out)
{
    column_set sides, made;
    TRY(column_set_new(o->statement->memory, o->statement->next_column_id, &sides));
    TRY(column_set_new(o->statement->memory, o->statement->next_column_id, &made));
    column_set_add_node(&made, node);
    column_set_add_node(&sides, node);
    column_set_add_node(&sides, reducer->children[1]);
    *out = !reducer->join.residual || column_set_covers(&sides, reducer->join.residual);
    for (size_t k = 0; k < reducer->join.left_keys.count && *out; k++)
        *out = column_set_covers(&made, reducer->join.left_keys.items[k]);
    return STATUS_OK;
}

static status apply_reducer(ordering *o, plan_node *node, plan_node *reducer)
{
    reducer->children[0] = node;
    TRY(plan_join_columns(o->statement->memory, reducer));
    plan_estimate(o->statement, reducer);
    return STATUS_OK;
}

static status best_step(ordering *o, step *best)
{
    for (size_t i = 0; i < o->count; i++) {
        for (size_t j = i + 1; j < o->count; j++) {
            pair *known = pair_at(o, i, j);
            if (!known->is_known) {
                plan_node *join;
                TRY(join_pair(o, o->nodes[i], o->nodes[j], false, &join));
                *known = (pair){true, join->join.left_keys.count > 0, join->estimated_rows};
            }
            consider(
                best,
                (step){.left = i, .right = j, .rows = known->rows, .has_keys = known->has_keys});
        }
        for (size_t r = 0; r < o->reducers.count; r++) {
            plan_node *reducer = o->reducers.items[r];
            bool can_run;
            TRY(can_reduce(o, o->nodes[i], reducer, &can_run));
            if (!can_run)
                continue;
            TRY(apply_reducer(o, o->nodes[i], reducer));
            /* One that leaves most rows waits until joins have left fewer. */
            bool pays = reducer->estimated_rows < 0.9 * o->nodes[i]->estimated_rows;
            consider(best, (step){.left = i,
                                  .right = r,
                                  .is_reducer = true,
                                  .rows = reducer->estimated_rows,
                                  .has_keys = reducer->join.left_keys.count > 0 && pays});
        }
    }
    return STATUS_OK;
}

/* The order as it is written: a reducer as soon as it can run, else the first two nodes. */
static status join_order_next_step(ordering *o, step *next)
{
    for (size_t i = 0; i < o->count; i++)
        for (size_t r = 0; r < o->reducers.count; r++) {
            bool can_run;
            TRY(can_reduce(o, o->nodes[i], o->reducers.items[r], &can_run));
            if (can_run) {
                *next = (step){.is_set = true, .left = i, .right = r, .is_reducer = true};
                return STATUS_OK;
            }
        }
    if (o->count > 1)
        *next = (step){.is_set = true, .left = 0, .right = 1};
    return STATUS_OK;
}

double plan_scanned_rows(const plan_node *node)
{
    double rows = node->kind == PLAN_SCAN ? (double)node->scan.table->row_count : 0;
    for (uint32_t i = 0; i < node->child_count; i++)
        rows += plan_scanned_rows(node->children[i]);
    return rows;
}

/* Returns whether the left side is built on: the smaller side of an inner join, because its table costs less, and its
 * filter drops more of the other's rows. But the other's scan waits for it. If that is a long wait for a short scan,
 * the larger side is built on meanwhile. */
static bool is_left_built(const plan_node *left, const plan_node *right)
{
    bool is_left_smaller = left->estimated_rows < right->estimated_rows;
    const plan_node *smaller = is_left_smaller ? left : right;
    const plan_node *larger = is_left_smaller ? right : left;
    bool is_larger_quick =
        larger->estimated_rows <= QUICK_BUILD_ROWS &&
        plan_scanned_rows(larger) * QUICK_BUILD_PART < plan_scanned_rows(smaller);
    return is_left_smaller != is_larger_quick;
}

status rewrite_join_order(plan_statement *statement, join_graph *graph, plan_node **out)
{
    ordering o = {.statement = statement,
                  .nodes = graph->relations.items,
                  .count = graph->relations.count,
                  .stride = graph->relations.count,
                  .reducers = graph->reducers,
                  .conditions = &graph->conditions,
                  .is_fixed = !plan_rule_is_on(statement, RULE_join_order)};
    o.pairs = arena_alloc_array(statement->memory, o.stride * o.stride, sizeof *o.pairs);
    if (!o.pairs)
        return status_no_memory("plan", o.stride * o.stride * sizeof *o.pairs);
    TRY(find_classes(&o));
    while (o.count > 1 || o.reducers.count) {
        step best = {0};
        TRY(o.is_fixed ? join_order_next_step(&o, &best) : best_step(&o, &best));
        if (!best.is_set)
            return status_new(STATUS_KIND_INTERNAL, "a join's columns come from nowhere");
        plan_node *left = o.nodes[best.left], *joined;
        if (best.is_reducer) {
            joined = o.reducers.items[best.right];
            o.reducers.items[best.right] = o.reducers.items[--o.reducers.count];
            TRY(apply_reducer(&o, left, joined));
            plan_choose_build_side(statement, joined);
        } else {
            plan_node *right = o.nodes[best.right];
            bool is_swapped =
                plan_rule_is_on(statement, RULE_build_side) && is_left_built(left, right);
            TRY(join_pair(&o, is_swapped ? right : left, is_swapped ? left : right, true, &joined));
            remove_node(&o, best.right);
        }
        o.nodes[best.left] = joined;
        forget_pairs(&o, best.left);
    }
    TRY(plan_filter_over(statement->memory, o.nodes[0], &graph->conditions, out));
    plan_estimate(statement, *out);
    return STATUS_OK;
}

void plan_choose_build_side(const plan_statement *statement, plan_node *join)
{
    plan_join_type type = join->join.type;
    bool is_reducer = type == JOIN_SEMI || type == JOIN_ANTI;
    join->join.build_left =
        plan_rule_is_on(statement, RULE_build_side) &&
        (type == JOIN_LEFT || (is_reducer && join->join.left_keys.count)) &&
        join->children[0]->estimated_rows * 2 < join->children[1]->estimated_rows;
}
