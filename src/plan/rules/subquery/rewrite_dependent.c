/* rewrite_dependent.c - dependent joins: a plan that reads columns of the rows that it is joined
 * with is computed once for each distinct combination of their values, the domain.
 *
 *   left join [left.a, max]                 left join [left.a, max] on a = d
 *     left                                    left
 *     aggregate [max(b)]             ->       aggregate [d, max(b)] groups [d]
 *       filter b < a                            filter b < d
 *         scan                                    inner join [d, b]
 *                                                   domain [d]: the distinct a of left
 *                                                   scan
 *
 * The domain goes down to where the plan reads nothing of it, and each node on the way keeps its
 * values apart: an aggregate by groups, a limit by numbering the rows of each, a join of two sides
 * that have it by equality. (Neumann and Kemper, "Unnesting Arbitrary Queries", 2015.)
 *
 * If the plan has volatile functions, equal values do not give equal rows: the left side's rows are numbered, and the
 * domain is all of them, told apart by their numbers. */
#include "plan/rules/subquery/rewrite_dependent.h"

#include "base/system/guard.h"
#include "plan/edit/repeatable.h"
#include "plan/edit/shared.h"
#include "plan/facts/partial.h"
#include "plan/nodes/node_filter.h"
#include "plan/nodes/node_join.h"
#include "plan/nodes/visit.h"
#include "plan/rules/subquery/rewrite_dependent_domain.h"
#include "plan/rules/subquery/rewrite_dependent_order.h"
#include "plan/rules/subquery/rewrite_last_aggregate.h"
#include "plan/tree/column_set.h"

typedef struct pushing {
    plan_statement *statement;
    int32_t position;
    plan_column_list outer; /* columns of the left side that the plan reads */
    column_set reads;       /* the same */
    bool has_number; /* the domain's rows are numbered, because values may be NULL: last column */
    bool
        is_per_row; /* it has each row of the left side, which bears the number, because the plan is volatile */
    uint32_t domain, uses; /* the shared plan; how often it is referred to */
    plan_node *reference;  /* first of these */
} pushing;

/* A plan with the domain's values beside its rows. */
typedef struct pushed {
    plan_node *node;
    expr **values; /* columns, parallel to the domain's */
} pushed;

static status dependent_push(pushing *p, plan_node *node, pushed *out);

static status dependent_no_memory(void)
{
    return status_no_memory("plan", sizeof(plan_node));
}

static status unsupported(const pushing *p, const char *what)
{
    return status_at(status_new(STATUS_KIND_UNSUPPORTED,
                                "outer columns %s of a subquery are not supported", what),
                     p->position);
}

static size_t value_count(const pushing *p)
{
    return p->outer.count + p->has_number;
}

static status dependent_column_expr(const pushing *p, const plan_column *column, expr **out)
{
    *out = plan_column_expr(p->statement->memory, column);
    return *out ? STATUS_OK : dependent_no_memory();
}

static plan_column dependent_column_of(const expr *e)
{
    return (plan_column){
        .id = e->column_id, .name = e->name, .type = e->type, .is_nullable = e->is_nullable};
}

static status dependent_new_node(const pushing *p, plan_kind kind, plan_node *child,
                                 plan_node **out)
{
    *out = plan_node_new(p->statement->memory, kind, 1);
    if (!*out)
        return dependent_no_memory();
    (*out)->children[0] = child;
    (*out)->columns = child->columns;
    return STATUS_OK;
}

/* ---- expressions ---- */

typedef struct slots {
    const pushing *p;
    expr *const *values;
    bool reads;
    status st;
} slots;

static void dependent_substitute_slot(expr **slot, void *context)
{
    slots *s = context;
    if (!s->st)
        s->st = plan_substitute(s->p->statement->memory, &s->p->outer, s->values, slot);
}

/* The node's expressions, and its subqueries, read the values beside its rows. */
static status dependent_substitute(const pushing *p, plan_node *node, expr *const *values)
{
    slots s = {.p = p, .values = values};
    plan_visit_exprs(node, dependent_substitute_slot, &s);
    return s.st;
}

static void look_slot(expr **slot, void *context)
{
    slots *s = context;
    s->reads |= column_set_meets(&s->p->reads, *slot);
}

static bool exprs_read(const pushing *p, plan_node *node)
{
    slots s = {.p = p};
    plan_visit_exprs(node, look_slot, &s);
    return s.reads;
}

static bool reads_outer(const pushing *p, plan_node *node)
{
    for (uint32_t i = 0; i < node->child_count; i++)
        if (reads_outer(p, node->children[i]))
            return true;
    return exprs_read(p, node);
}

/* Does the node give other rows for each of the domain? */
static bool depends(const pushing *p, plan_node *node)
{
    return reads_outer(p, node) || (p->is_per_row && !plan_tree_is_repeatable(node));
}

/* ---- the domain ---- */

static status use_domain(pushing *p, pushed *out)
{
    plan_node *node;
    TRY(plan_shared_reference(p->statement, p->domain, &node));
    if (!p->uses++)
        p->reference = node;
    out->node = node;
    out->values =
        arena_alloc_array(p->statement->memory, node->columns.count + 1, sizeof *out->values);
    if (!out->values)
        return dependent_no_memory();
    for (size_t i = 0; i < node->columns.count; i++)
        TRY(dependent_column_expr(p, &node->columns.items[i], &out->values[i]));
    return STATUS_OK;
}

static status dependent_join(const pushing *p, plan_join_type type, plan_node *left,
                             plan_node *right, expr *condition, plan_node **out)
{
    plan_node *node = plan_node_new(p->statement->memory, PLAN_JOIN, 2);
    if (!node)
        return dependent_no_memory();
    node->children[0] = left;
    node->children[1] = right;
    node->join.type = type;
    node->join.residual = condition;
    *out = node;
    return plan_join_columns(p->statement->memory, node);
}

/* The node's rows with each of the domain. */
static status cross(pushing *p, plan_node *node, pushed *out)
{
    TRY(use_domain(p, out));
    bool is_one = node->kind == PLAN_VALUES && !node->columns.count && node->values.rows.count == 1;
    return is_one ? STATUS_OK : dependent_join(p, JOIN_INNER, out->node, node, NULL, &out->node);
}

/* The values that tell the domain's rows apart. */
static void key_range(const pushing *p, size_t *first, size_t *end)
{
    *first = p->has_number ? p->outer.count : 0;
    *end = value_count(p);
}

/* *condition, and both are of the same row of the domain. */
static status and_same(const pushing *p, expr *const *left, expr *const *right, expr **condition)
{
    arena *a = p->statement->memory;
    size_t first, end;
    key_range(p, &first, &end);
    for (size_t i = first; i < end; i++) {
        expr *pair[] = {left[i], right[i]};
        expr *equal = expr_new_call(a, EXPR_EQ, type_make(TYPE_BOOL), pair, 2, -1);
        *condition = equal ? expr_new_and(a, *condition, equal) : NULL;
        if (!*condition)
            return dependent_no_memory();
    }
    return STATUS_OK;
}

/* ---- nodes of one child ---- */

/* Passes its child's rows, perhaps fewer, and has what they have beside them. */
static status push_through(pushing *p, plan_node *node, pushed *out)
{
    TRY(dependent_push(p, node->children[0], out));
    TRY(dependent_substitute(p, node, out->values));
    node->children[0] = out->node;
    node->columns = out->node->columns;
    out->node = node;
    return STATUS_OK;
}

static status dependent_push_project(pushing *p, plan_node *node, pushed *out)
{
    TRY(dependent_push(p, node->children[0], out));
    TRY(dependent_substitute(p, node, out->values));
    node->children[0] = out->node;
    for (size_t i = 0; i < value_count(p); i++) {
        TRY(plan_project_add(p->statement->memory, node, dependent_column_of(out->values[i]),
                             out->values[i]));
    }
    out->node = node;
    return STATUS_OK;
}

/* Columns between those of groups and those of aggregates. */
static status insert_column(const pushing *p, plan_node *node, size_t at, plan_column column)
{
    TRY(array_push(p->statement->memory, &node->columns, column));
    for (size_t i = node->columns.count - 1; i > at; i--)
        node->columns.items[i] = node->columns.items[i - 1];
    node->columns.items[at] = column;
    return STATUS_OK;
}

/* One row for each of the domain, also where the aggregate has none: there counts are 0. */
static status dependent_fill_empty(pushing *p, plan_node *node, const plan_column_list *columns,
                                   plan_column_list *fresh, pushed *out)
{
    arena *a = p->statement->memory;
    value nothing = value_int(TYPE_INT64, 0);
    pushed all;
    expr *condition = NULL;
    plan_node *joined, *project;
    TRY(use_domain(p, &all));
    TRY(and_same(p, all.values, out->values, &condition));
    TRY(dependent_join(p, JOIN_LEFT, all.node, node, condition, &joined));
    TRY(dependent_new_node(p, PLAN_PROJECT, joined, &project));
    project->columns = (plan_column_list){0};
    for (size_t i = 0; i < columns->count; i++) {
        expr *pair[2];
        fresh->items[i].is_nullable = true;
        TRY(dependent_column_expr(p, &fresh->items[i], &pair[0]));
        pair[1] = expr_new_constant(a, &nothing, -1);
        if (plan_aggregate_counts(&node->aggregate.aggregates.items[i]))
            pair[0] = pair[1] ? expr_new_call(a, EXPR_COALESCE, columns->items[i].type, pair, 2, -1)
                              : NULL;
        if (!pair[0])
            return dependent_no_memory();
        TRY(plan_project_add(a, project, columns->items[i], pair[0]));
    }
    for (size_t i = 0; i < value_count(p); i++) {
        TRY(plan_project_add(a, project, dependent_column_of(all.values[i]), all.values[i]));
    }
    *out = (pushed){project, all.values};
    return STATUS_OK;
}

static status dependent_push_aggregate(pushing *p, plan_node *node, pushed *out)
{
    arena *a = p->statement->memory;
    bool has_groups = node->aggregate.groups.count > 0;
    plan_column_list columns = {0}, fresh = {0};
    TRY(dependent_push(p, node->children[0], out));
    TRY(dependent_substitute(p, node, out->values));
    node->children[0] = out->node;
    for (size_t i = 0; i < node->columns.count && !has_groups; i++) {
        TRY(array_push(a, &columns, node->columns.items[i]));
        node->columns.items[i].id = p->statement->next_column_id++;
        TRY(array_push(a, &fresh, node->columns.items[i]));
    }
    for (size_t i = 0; i < value_count(p); i++) {
        TRY(insert_column(p, node, node->aggregate.groups.count,
                          dependent_column_of(out->values[i])));
        TRY(array_push(a, &node->aggregate.groups, out->values[i]));
    }
    out->node = node;
    return has_groups ? STATUS_OK : dependent_fill_empty(p, node, &columns, &fresh, out);
}

static status push_grouping_sets(pushing *p, plan_node *node, pushed *out)
{
    arena *a = p->statement->memory;
    expr **values = arena_alloc_array(a, value_count(p) + 1, sizeof *values);
    if (!values)
        return dependent_no_memory();
    for (size_t i = 0; i < node->grouping_sets.sets.count; i++)
        if (!node->grouping_sets.sets.items[i].count)
            return unsupported(p, "below a grouping set without columns");
    TRY(dependent_push(p, node->children[0], out));
    TRY(dependent_substitute(p, node, out->values));
    node->children[0] = out->node;
    for (size_t i = 0; i < value_count(p); i++) {
        uint32_t group = (uint32_t)node->grouping_sets.groups.count;
        plan_column column = dependent_column_of(out->values[i]);
        column.id = p->statement->next_column_id++;
        TRY(insert_column(p, node, group, column));
        TRY(array_push(a, &node->grouping_sets.groups, out->values[i]));
        for (size_t k = 0; k < node->grouping_sets.sets.count; k++)
            TRY(array_push(a, &node->grouping_sets.sets.items[k], group));
        TRY(dependent_column_expr(p, &column, &values[i]));
    }
    *out = (pushed){node, values};
    return STATUS_OK;
}

static status push_series(pushing *p, plan_node *node, pushed *out)
{
    arena *a = p->statement->memory;
    plan_column_list before = node->columns;
    TRY(dependent_push(p, node->children[0], out));
    TRY(dependent_substitute(p, node, out->values));
    node->children[0] = out->node;
    node->columns = (plan_column_list){0};
    for (size_t i = 0; i < out->node->columns.count; i++)
        TRY(array_push(a, &node->columns, out->node->columns.items[i]));
    for (size_t i = before.count - plan_series_columns(node); i < before.count; i++)
        TRY(array_push(a, &node->columns, before.items[i]));
    out->node = node;
    return STATUS_OK;
}

/* ---- order ---- */

static status dependent_add_keys(const pushing *p, expr *const *values, plan_sort_key_list *keys)
{
    size_t first, end;
    key_range(p, &first, &end);
    for (size_t i = first; i < end; i++) {
        plan_sort_key key = {.key = values[i]};
        TRY(array_push(p->statement->memory, keys, key));
    }
    return STATUS_OK;
}

static status add_partition(const pushing *p, expr *const *values, expr_list *partition)
{
    size_t first, end;
    key_range(p, &first, &end);
    for (size_t i = first; i < end; i++)
        TRY(array_push(p->statement->memory, partition, values[i]));
    return STATUS_OK;
}

/* The window's partitions are within those of the domain's rows; a sort of its own brings them
 * together. */
static status dependent_push_window(pushing *p, plan_node *node, pushed *out)
{
    arena *a = p->statement->memory;
    plan_column_list made = {0}, columns = {0};
    plan_sort_key_list given = {0};
    plan_node *sort;
    TRY(dependent_given_order(a, node->children[0], &given));
    for (size_t i = node->columns.count - node->window.calls.count; i < node->columns.count; i++)
        TRY(array_push(a, &made, node->columns.items[i]));
    TRY(dependent_push(p, node->children[0], out));
    TRY(dependent_substitute(p, node, out->values));
    TRY(dependent_new_node(p, PLAN_SORT, out->node, &sort));
    TRY(dependent_add_keys(p, out->values, &sort->sort.keys));
    for (size_t i = 0; i < node->window.partition.count; i++) {
        plan_sort_key key = {.key = node->window.partition.items[i]};
        TRY(array_push(a, &sort->sort.keys, key));
    }
    for (size_t i = 0; i < node->window.order.count; i++)
        TRY(array_push(a, &sort->sort.keys, node->window.order.items[i]));
    for (size_t i = 0; i < given.count; i++)
        TRY(array_push(a, &sort->sort.keys, given.items[i]));
    TRY(add_partition(p, out->values, &node->window.partition));
    node->children[0] = sort;
    for (size_t i = 0; i < sort->columns.count; i++)
        TRY(array_push(a, &columns, sort->columns.items[i]));
    for (size_t i = 0; i < made.count; i++)
        TRY(array_push(a, &columns, made.items[i]));
    node->columns = columns;
    out->node = node;
    return STATUS_OK;
}

/* number > offset, number <= offset + limit */
static status limit_conditions(const pushing *p, const plan_node *node, const plan_column *number,
                               expr_list *conditions)
{
    arena *a = p->statement->memory;
    uint64_t end = 0;
    bool has_end = node->limit.has_limit &&
                   !__builtin_add_overflow(node->limit.offset, node->limit.limit, &end) &&
                   end <= INT64_MAX;
    const struct {
        bool is_there;
        expr_op op;
        uint64_t bound;
    } bounds[] = {{node->limit.offset > 0, EXPR_GT, node->limit.offset}, {has_end, EXPR_LE, end}};
    for (size_t i = 0; i < 2; i++) {
        if (!bounds[i].is_there)
            continue;
        value v = value_int(TYPE_INT64, (int64_t)bounds[i].bound);
        expr *pair[2];
        TRY(dependent_column_expr(p, number, &pair[0]));
        pair[1] = expr_new_constant(a, &v, -1);
        expr *e =
            pair[1] ? expr_new_call(a, bounds[i].op, type_make(TYPE_BOOL), pair, 2, -1) : NULL;
        if (!e)
            return dependent_no_memory();
        TRY(array_push(a, conditions, e));
    }
    return STATUS_OK;
}

/* The first rows for each of the domain, in the order of the sort below, if there is one. */
static status push_limit(pushing *p, plan_node *node, pushed *out)
{
    arena *a = p->statement->memory;
    plan_node *sort = node->children[0], *window;
    bool is_sorted = sort->kind == PLAN_SORT;
    expr_list conditions = {0};
    plan_sort_key_list order = {0};
    plan_window_call call = {.function = WINDOW_ROW_NUMBER, .position = -1};
    plan_column number = {
        .id = p->statement->next_column_id++, .name = "row_number", .type = type_make(TYPE_INT64)};
    TRY(dependent_push(p, is_sorted ? sort->children[0] : sort, out));
    if (is_sorted) {
        TRY(dependent_substitute(p, sort, out->values));
        order = sort->sort.keys;
    }
    TRY(dependent_new_node(p, PLAN_SORT, out->node, &sort));
    TRY(dependent_add_keys(p, out->values, &sort->sort.keys));
    for (size_t i = 0; i < order.count; i++)
        TRY(array_push(a, &sort->sort.keys, order.items[i]));
    TRY(dependent_new_node(p, PLAN_WINDOW, sort, &window));
    window->columns = (plan_column_list){0};
    for (size_t i = 0; i < sort->columns.count; i++)
        TRY(array_push(a, &window->columns, sort->columns.items[i]));
    TRY(array_push(a, &window->columns, number));
    TRY(array_push(a, &window->window.calls, call));
    window->window.order = order;
    TRY(add_partition(p, out->values, &window->window.partition));
    TRY(limit_conditions(p, node, &number, &conditions));
    return plan_filter_over(a, window, &conditions, &out->node);
}

/* ---- nodes of several ---- */

/* Sets the left side's columns without those of the mark, or the columns of the two sides. */
static status set_join_columns(const pushing *p, plan_node *node)
{
    arena *a = p->statement->memory;
    if (node->join.type != JOIN_MARK)
        return plan_join_columns(a, node);
    plan_column mark = node->columns.items[node->columns.count - 1];
    node->columns = (plan_column_list){0};
    for (size_t i = 0; i < node->children[0]->columns.count; i++)
        TRY(array_push(a, &node->columns, node->children[0]->columns.items[i]));
    return array_push(a, &node->columns, mark);
}

/* Each row that a full join gives has the values of the one side or the other. */
static status unite_values(pushing *p, plan_node *node, expr *const *other, pushed *out)
{
    arena *a = p->statement->memory;
    plan_node *project;
    expr *e;
    TRY(dependent_new_node(p, PLAN_PROJECT, node, &project));
    project->columns = (plan_column_list){0};
    for (size_t i = 0; i < node->columns.count; i++) {
        TRY(dependent_column_expr(p, &node->columns.items[i], &e));
        TRY(plan_project_add(a, project, node->columns.items[i], e));
    }
    for (size_t i = 0; i < value_count(p); i++) {
        plan_column column = dependent_column_of(out->values[i]);
        expr *pair[] = {out->values[i], other[i]};
        column.id = p->statement->next_column_id++;
        e = expr_new_call(a, EXPR_COALESCE, column.type, pair, 2, -1);
        TRY(plan_project_add(a, project, column, e));
        TRY(dependent_column_expr(p, &column, &out->values[i]));
    }
    out->node = project;
    return STATUS_OK;
}

static bool dependent_is_inner(const plan_node *node)
{
    return node->join.type == JOIN_INNER && !node->join.null_equal;
}

/* Keys of a join where NULL equals NULL, by which the domain's rows are told apart, too; else the
 * condition does that. */
static status tell_apart(pushing *p, plan_node *node, expr *const *left, expr *const *right)
{
    size_t first, end;
    if (!node->join.null_equal)
        return and_same(p, left, right, &node->join.residual);
    key_range(p, &first, &end);
    for (size_t i = first; i < end; i++) {
        TRY(array_push(p->statement->memory, &node->join.left_keys, left[i]));
        TRY(array_push(p->statement->memory, &node->join.right_keys, right[i]));
    }
    return STATUS_OK;
}

static status dependent_push_join(pushing *p, plan_node *node, pushed *out)
{
    bool is_right = node->join.type == JOIN_RIGHT, is_full = node->join.type == JOIN_FULL;
    bool left = depends(p, node->children[0]), right = depends(p, node->children[1]);
    pushed sides[2];
    if (right && node->join.type == JOIN_ANTI_NULL)
        return unsupported(p, "in a NOT IN");
    /* The side whose rows are all kept has the values. */
    left |= is_full || (!is_right && !dependent_is_inner(node)) || !right;
    right |= is_full || is_right;
    if (left)
        TRY(dependent_push(p, node->children[0], &sides[0]));
    if (right)
        TRY(dependent_push(p, node->children[1], &sides[1]));
    *out = sides[is_right || !left];
    TRY(dependent_substitute(p, node, out->values));
    for (int side = 0; side < 2; side++)
        if (side ? right : left)
            node->children[side] = sides[side].node;
    if (left && right)
        TRY(tell_apart(p, node, sides[0].values, sides[1].values));
    TRY(set_join_columns(p, node));
    out->node = node;
    return is_full ? unite_values(p, node, sides[1].values, out) : STATUS_OK;
}

/* The columns, then the domain's values. */
static status in_order(const pushing *p, const plan_column_list *columns, pushed *child)
{
    arena *a = p->statement->memory;
    plan_node *project;
    expr *e;
    TRY(dependent_new_node(p, PLAN_PROJECT, child->node, &project));
    project->columns = (plan_column_list){0};
    for (size_t i = 0; i < columns->count; i++) {
        TRY(dependent_column_expr(p, &columns->items[i], &e));
        TRY(plan_project_add(a, project, columns->items[i], e));
    }
    for (size_t i = 0; i < value_count(p); i++) {
        TRY(plan_project_add(a, project, dependent_column_of(child->values[i]), child->values[i]));
    }
    child->node = project;
    return STATUS_OK;
}

static status dependent_push_union(pushing *p, plan_node *node, pushed *out)
{
    arena *a = p->statement->memory;
    out->values = arena_alloc_array(a, value_count(p) + 1, sizeof *out->values);
    if (!out->values)
        return dependent_no_memory();
    for (uint32_t i = 0; i < node->child_count; i++) {
        plan_column_list columns = node->children[i]->columns;
        pushed child;
        columns.items = arena_alloc_array(a, columns.count + 1, sizeof *columns.items);
        if (!columns.items)
            return dependent_no_memory();
        if (columns.count)
            memcpy(columns.items, node->children[i]->columns.items,
                   columns.count * sizeof *columns.items);
        TRY(dependent_push(p, node->children[i], &child));
        TRY(in_order(p, &columns, &child));
        node->children[i] = child.node;
        for (size_t k = 0; i == 0 && k < value_count(p); k++) {
            plan_column column = dependent_column_of(child.values[k]);
            column.id = p->statement->next_column_id++;
            TRY(dependent_column_expr(p, &column, &out->values[k]));
        }
    }
    for (size_t k = 0; k < value_count(p); k++)
        TRY(array_push(a, &node->columns, dependent_column_of(out->values[k])));
    out->node = node;
    return STATUS_OK;
}

static status dependent_push(pushing *p, plan_node *node, pushed *out)
{
    TRY(guard_check());
    if (!depends(p, node))
        return cross(p, node, out);
    switch (node->kind) {
    case PLAN_FILTER:
    case PLAN_REPEAT:
        return push_through(p, node, out);
    case PLAN_PROJECT:
        return dependent_push_project(p, node, out);
    case PLAN_SERIES:
        return push_series(p, node, out);
    case PLAN_AGGREGATE:
        return dependent_push_aggregate(p, node, out);
    case PLAN_GROUPING_SETS:
        return push_grouping_sets(p, node, out);
    case PLAN_JOIN:
        return dependent_push_join(p, node, out);
    case PLAN_SORT: /* nobody sees the order */
        return dependent_push(p, node->children[0], out);
    case PLAN_WINDOW:
        return dependent_push_window(p, node, out);
    case PLAN_LIMIT:
        return push_limit(p, node, out);
    case PLAN_UNION:
        return dependent_push_union(p, node, out);
    default:
        return unsupported(p, "in this part");
    }
}

/* ---- what it begins with ---- */

static status make_domain(pushing *p, plan_node **left)
{
    plan_node *node;
    TRY(plan_make_domain(p->statement, left, &p->outer,
                         p->is_per_row   ? DOMAIN_ROWS
                         : p->has_number ? DOMAIN_NUMBERED_VALUES
                                         : DOMAIN_VALUES,
                         &node));
    return plan_make_shared(p->statement, node, &p->domain);
}

/* Used once it needs no place of its own. */
static status dependent_put_in_place(pushing *p)
{
    plan_node *node = p->reference, *domain = p->statement->shared.items[p->domain];
    expr_list exprs = {0};
    expr *e;
    if (p->uses != 1)
        return STATUS_OK;
    node->children = arena_alloc_array(p->statement->memory, 1, sizeof *node->children);
    if (!node->children)
        return dependent_no_memory();
    for (size_t i = 0; i < domain->columns.count; i++) {
        TRY(dependent_column_expr(p, &domain->columns.items[i], &e));
        TRY(array_push(p->statement->memory, &exprs, e));
    }
    node->kind = PLAN_PROJECT;
    node->child_count = 1;
    node->children[0] = domain;
    node->project.exprs = exprs;
    return STATUS_OK;
}

/* The columns of the left side that the plan and the expression read. */
static status find_outer(pushing *p, plan_node *left, plan_node *plan, const expr *beside)
{
    plan_statement *s = p->statement;
    column_set all, known;
    TRY(column_set_new(s->memory, s->next_column_id, &known));
    plan_add_made(&known, left);
    /* The domain is made of these rows, and has nothing of the queries around them. */
    if (!plan_is_covered(&known, left))
        return unsupported(p, "of several queries around it, in this part");
    TRY(column_set_new(s->memory, s->next_column_id, &all));
    TRY(column_set_new(s->memory, s->next_column_id, &known));
    TRY(column_set_new(s->memory, s->next_column_id, &p->reads));
    plan_add_read(&all, plan);
    if (beside)
        column_set_add_expr(&all, beside);
    plan_add_made(&known, plan);
    column_set_add_node(&known, left);
    if (!plan_is_covered(&known, plan))
        return unsupported(p, "of several queries around it, in this part");
    for (size_t i = 0; i < left->columns.count; i++) {
        const plan_column *column = &left->columns.items[i];
        if (!column_set_has(&all, column->id))
            continue;
        column_set_add(&p->reads, column->id);
        p->has_number |= column->is_nullable;
        TRY(array_push(s->memory, &p->outer, *column));
    }
    return STATUS_OK;
}

/* Values compared in addition to the plan do not count: a plan that reads nothing of the left side is evaluated once. */
static status find_per_row(pushing *p, plan_node *plan)
{
    if (plan_tree_is_repeatable(plan))
        return STATUS_OK;
    TRY(plan_is_correlated(p->statement, plan, &p->is_per_row));
    p->has_number |= p->is_per_row;
    return STATUS_OK;
}

static status add_pair(const pushing *p, const plan_column *outer, expr *value, plan_dependent *out)
{
    expr *e;
    TRY(dependent_column_expr(p, outer, &e));
    TRY(array_push(p->statement->memory, &out->outer, e));
    return array_push(p->statement->memory, &out->domain, value);
}

static status set_result(const pushing *p, const plan_node *left, const pushed *rows,
                         plan_dependent *out)
{
    arena *a = p->statement->memory;
    out->plan = rows->node;
    out->null_equal = p->has_number && !p->is_per_row;
    for (size_t i = 0; i < p->outer.count && !p->is_per_row; i++)
        TRY(add_pair(p, &p->outer.items[i], rows->values[i], out));
    if (p->is_per_row)
        TRY(add_pair(p, &left->columns.items[left->columns.count - 1], rows->values[p->outer.count],
                     out));
    for (size_t i = 0; i < value_count(p); i++)
        TRY(array_push(a, &out->values, rows->values[i]));
    return STATUS_OK;
}

status plan_make_dependent(plan_statement *s, plan_node **left, plan_node *plan, int32_t position,
                           expr **beside, plan_dependent *out)
{
    pushing p = {.statement = s, .position = position};
    pushed rows;
    *out = (plan_dependent){.plan = plan};
    TRY(find_outer(&p, *left, plan, beside ? *beside : NULL));
    if (!p.outer.count)
        return STATUS_OK;
    TRY(find_per_row(&p, plan));
    TRY(make_domain(&p, left));
    TRY(dependent_push(&p, plan, &rows));
    if (beside && *beside)
        TRY(plan_substitute(s->memory, &p.outer, rows.values, beside));
    TRY(dependent_put_in_place(&p));
    return set_result(&p, *left, &rows, out);
}

status plan_join_dependent(plan_statement *s, plan_join_type type, plan_node *left,
                           const plan_dependent *dependent, expr *condition, plan_node **out)
{
    arena *a = s->memory;
    plan_node *node = plan_node_new(a, PLAN_JOIN, 2);
    if (!node)
        return dependent_no_memory();
    node->children[0] = left;
    node->children[1] = dependent->plan;
    node->join.type = type;
    node->join.residual = condition;
    node->join.null_equal = dependent->null_equal;
    for (size_t i = 0; i < dependent->outer.count; i++) {
        TRY(array_push(a, &node->join.left_keys, dependent->outer.items[i]));
        TRY(array_push(a, &node->join.right_keys, dependent->domain.items[i]));
    }
    *out = node;
    return plan_join_columns(a, node);
}
