/* distribute_window.c - windows over all rows, by ranges of their order. Each rank evaluates them over its range; of the
 * ranks before it, it needs what their rows come to:
 *
 *     project [number + before.n, coalesce(sum + before.s, sum, before.s)]
 *       inner join                                  with one row
 *         window [row_number() as number, sum(x) as sum]
 *           sort k
 *             shared 0
 *         aggregate [sum(n), sum(s)] as before
 *           give to later ranks
 *             aggregate [count(*) as n, sum(x) as s]
 *               shared 0
 *     shared 0: repartition by ranges of k
 *
 * Calls that see but a few rows before and behind each one come on top of that, by distribute_halo.h.
 *
 * dense_rank() needs the number of the keys before: equal ones are on one rank. What frames of all rows come to is the
 * same for each row: the sums of all ranks go to all, and the rows stay where they are if no window has an order. */
#include "plan/distribute/distribute_window.h"

#include "plan/distribute/distribute_halo.h"
#include "plan/distribute/distribute_order.h"
#include "plan/distribute/distribute_shared.h"
#include "plan/edit/shared.h"
#include "plan/facts/partial.h"
#include "plan/tree/rule.h"

/* A window's value is made of so many values at most, each of which a rank has of its range and of those before. */
#define PARTS_OF_CALL 2

/* Sums of the rows of each rank, and of the ranks that a value needs: one row. */
typedef struct carried_sums {
    const plan_node *rows; /* a reference to the shared rows */
    plan_node *own, *sums;
    plan_exchange_kind kind; /* LATER: of the ranks before; BROADCAST: of all ranks */
    bool is_of_keys;         /* own counts the keys of an order */
} carried_sums;

typedef struct carried {
    distributor *d;
    const plan_node *before; /* columns of the rows, by position as in each set's `rows` */
    uint32_t shared;         /* the rows */
    ARRAY(carried_sums *) sets;
    plan_node *project;
    bool has_halo;      /* a call is the halo's: rows are numbered, */
    uint32_t number_id; /* by this column; 0: not yet */
    distribute_halo halo;
} carried;

static status window_no_memory(void)
{
    return status_no_memory("plan", sizeof(plan_node));
}

/* ---- which windows ---- */

static bool distribute_window_is_running(const plan_frame *frame)
{
    return frame->start.kind == FRAME_UNBOUNDED_PRECEDING && frame->end.kind == FRAME_CURRENT &&
           frame->exclusion == FRAME_EXCLUDE_NONE;
}

/* Returns whether each row's frame has all rows: without an order all are peers. */
static bool distribute_window_has_all_rows(const plan_window_call *call, bool has_order)
{
    const plan_frame *frame = &call->frame;
    bool has_peers = !has_order && frame->mode != FRAME_ROWS;
    bool from_first = frame->start.kind == FRAME_UNBOUNDED_PRECEDING ||
                      (has_peers && frame->start.kind == FRAME_CURRENT);
    bool to_last = frame->end.kind == FRAME_UNBOUNDED_FOLLOWING ||
                   (has_peers && frame->end.kind == FRAME_CURRENT);
    return call->function == WINDOW_AGGREGATE && frame->exclusion == FRAME_EXCLUDE_NONE &&
           from_first && to_last;
}

static bool can_carry_aggregate(const plan_window_call *call, bool has_order)
{
    switch (call->aggregate) {
    case AGGREGATE_COUNT_STAR:
    case AGGREGATE_COUNT:
    case AGGREGATE_SUM:
    case AGGREGATE_AVG:
    case AGGREGATE_MIN:
    case AGGREGATE_MAX:
        return distribute_window_has_all_rows(call, has_order) ||
               distribute_window_is_running(&call->frame);
    default:
        return false;
    }
}

static bool can_carry(const plan_window_call *call, bool has_order)
{
    if (has_order && distribute_halo_can(call))
        return true;
    switch (call->function) {
    case WINDOW_ROW_NUMBER:
        return true;
    case WINDOW_RANK:
    case WINDOW_DENSE_RANK:
        return has_order;
    case WINDOW_AGGREGATE:
        return can_carry_aggregate(call, has_order);
    default:
        return false;
    }
}

/* Returns whether rows with equal keys may be on several ranks. */
static bool divides_equals(const plan_window_call *call)
{
    return call->function == WINDOW_ROW_NUMBER || distribute_window_has_all_rows(call, true) ||
           distribute_halo_can(call) ||
           (call->function == WINDOW_AGGREGATE && call->frame.mode == FRAME_ROWS);
}

static plan_node *find_sort(const plan_node *top)
{
    plan_node *node = top->children[0];
    while (node->kind == PLAN_WINDOW)
        node = node->children[0];
    return node;
}

static bool can_carry_all(const plan_node *window, const plan_node *sort)
{
    const plan_sort_key_list *order = &window->window.order;
    bool can = order->count <= sort->sort.keys.count;
    for (size_t i = 0; i < order->count && can; i++)
        can = expr_equal(order->items[i].key, sort->sort.keys.items[i].key);
    for (size_t i = 0; i < window->window.calls.count; i++)
        can &= can_carry(&window->window.calls.items[i], order->count > 0);
    return can && !window->window.partition.count;
}

static bool has_order(const plan_node *top)
{
    bool has = false;
    for (; top->kind == PLAN_WINDOW; top = top->children[0])
        has |= top->window.order.count > 0;
    return has;
}

bool distribute_may_order_windows(const distributor *d, const plan_node *top)
{
    const plan_node *sort = find_sort(top);
    if (sort->kind != PLAN_SORT || d->is_in_shared || !distribute_may_order(d, sort) ||
        (has_order(top) && !distribute_keys_are_columns(sort)))
        return false;
    for (const plan_node *node = top; node != sort; node = node->children[0])
        if (!can_carry_all(node, sort))
            return false;
    return true;
}

/* ---- nodes ---- */

static plan_node *distribute_window_new_node(const carried *c, plan_kind kind, uint32_t children)
{
    return distribute_node(c->d, kind, children, c->before->position);
}

static expr *column_expr(const carried *c, const plan_column *column)
{
    return plan_column_expr(c->d->statement->memory, column);
}

/* ---- what comes before ---- */

/* Makes the nodes of a set. */
static status new_sums(carried *c, plan_exchange_kind kind, bool is_of_keys, carried_sums **out)
{
    arena *a = c->d->statement->memory;
    plan_node *rows;
    carried_sums *set = *out = arena_alloc(a, sizeof *set);
    if (!set)
        return window_no_memory();
    TRY(plan_shared_reference(c->d->statement, c->shared, &rows));
    rows->placement = PLACEMENT_PARTS;
    rows->estimated_rows = c->before->estimated_rows;
    *set = (carried_sums){.rows = rows,
                          .own = distribute_window_new_node(c, PLAN_AGGREGATE, 1),
                          .sums = distribute_window_new_node(c, PLAN_AGGREGATE, 1),
                          .kind = kind,
                          .is_of_keys = is_of_keys};
    if (!set->own || !set->sums)
        return window_no_memory();
    set->own->children[0] = rows;
    set->own->estimated_rows = set->sums->estimated_rows = 1;
    return array_push(a, &c->sets, set);
}

/* Returns the set of sums that go so. */
static status find_sums(carried *c, plan_exchange_kind kind, carried_sums **out)
{
    for (size_t i = 0; i < c->sets.count; i++)
        if (c->sets.items[i]->kind == kind && !c->sets.items[i]->is_of_keys) {
            *out = c->sets.items[i];
            return STATUS_OK;
        }
    return new_sums(c, kind, false, out);
}

/* Adds an aggregate of a rank's rows; *out: that of the ranks that the set is of, NULL where they have no rows. */
static status add_sum(carried *c, carried_sums *set, plan_aggregate aggregate, data_type type,
                      expr **out)
{
    arena *a = c->d->statement->memory;
    plan_aggregate_function merged;
    plan_column own = {
        .id = c->d->statement->next_column_id++, .name = "own", .type = type, .is_nullable = true};
    plan_column sum = own;
    sum.id = c->d->statement->next_column_id++;
    sum.name = set->kind == EXCHANGE_LATER ? "before" : "all";
    (void)plan_aggregate_merges(&aggregate, &merged);
    plan_aggregate together = {
        .function = merged, .argument = column_expr(c, &own), .position = aggregate.position};
    TRY(array_push(a, &set->own->columns, own));
    TRY(array_push(a, &set->own->aggregate.aggregates, aggregate));
    TRY(array_push(a, &set->sums->columns, sum));
    TRY(array_push(a, &set->sums->aggregate.aggregates, together));
    *out = column_expr(c, &sum);
    return together.argument && *out ? STATUS_OK : window_no_memory();
}

/* An argument of a call, as an expression of the set's columns. */
static expr *carried_argument(const carried *c, const carried_sums *set, const expr *argument)
{
    int at = argument->kind == EXPR_COLUMN ? plan_column_index(c->before, argument->column_id) : -1;
    return at < 0 ? expr_copy(c->d->statement->memory, argument)
                  : column_expr(c, &set->rows->columns.items[at]);
}

/* left + right, of a call at the position; where one of them is NULL the other. */
static expr *add_values(const carried *c, expr_op op, int32_t position, expr *left, expr *right)
{
    arena *a = c->d->statement->memory;
    expr *sides[] = {left, right};
    expr *all[] = {left && right ? expr_new_call(a, op, left->type, sides, 2, position) : NULL,
                   left, right};
    return all[0] ? expr_new_call(a, EXPR_COALESCE, left->type, all, 3, -1) : NULL;
}

/* Adds the call's aggregate over the rows of other ranks; *out is its value. */
static status distribute_window_carry_sum(carried *c, plan_exchange_kind kind,
                                          plan_aggregate_function function,
                                          const plan_window_call *call, data_type type, expr **out)
{
    carried_sums *set;
    plan_aggregate aggregate = {.function = function, .position = call->position};
    TRY(find_sums(c, kind, &set));
    if (function != AGGREGATE_COUNT_STAR) {
        aggregate.argument = carried_argument(c, set, call->args[0]);
        if (!aggregate.argument)
            return window_no_memory();
    }
    return add_sum(c, set, aggregate, type, out);
}

static status carry_value(carried *c, plan_aggregate_function function,
                          const plan_window_call *call, const plan_column *column, expr **out)
{
    static const expr_op picks[] = {[AGGREGATE_MIN] = EXPR_LEAST, [AGGREGATE_MAX] = EXPR_GREATEST};
    bool is_pick = function == AGGREGATE_MIN || function == AGGREGATE_MAX;
    expr *before;
    TRY(distribute_window_carry_sum(c, EXCHANGE_LATER, function, call, column->type, &before));
    *out = add_values(c, is_pick ? picks[function] : EXPR_ADD, call->position,
                      column_expr(c, column), before);
    return *out ? STATUS_OK : window_no_memory();
}

/* Groups a set's rows by the keys of an order: its own rows are a row for each. */
static status group_keys(carried *c, carried_sums *set, const plan_sort_key_list *order)
{
    arena *a = c->d->statement->memory;
    plan_node *keys = distribute_window_new_node(c, PLAN_AGGREGATE, 1);
    if (!keys)
        return window_no_memory();
    keys->children[0] = set->own->children[0];
    keys->estimated_rows = c->before->estimated_rows;
    set->own->children[0] = keys;
    for (size_t i = 0; i < order->count; i++) {
        expr *key = carried_argument(c, set, order->items[i].key);
        if (!key)
            return window_no_memory();
        plan_column column = {.id = c->d->statement->next_column_id++,
                              .name = "key",
                              .type = key->type,
                              .is_nullable = true};
        TRY(array_push(a, &keys->columns, column));
        TRY(array_push(a, &keys->aggregate.groups, key));
    }
    return STATUS_OK;
}

/* Adds the number of different keys on the ranks before. */
static status carry_keys(carried *c, const plan_sort_key_list *order, const plan_window_call *call,
                         const plan_column *column, expr **out)
{
    carried_sums *set;
    expr *before;
    const plan_aggregate count = {.function = AGGREGATE_COUNT_STAR, .position = call->position};
    TRY(new_sums(c, EXCHANGE_LATER, true, &set));
    TRY(group_keys(c, set, order));
    TRY(add_sum(c, set, count, column->type, &before));
    *out = add_values(c, EXPR_ADD, call->position, column_expr(c, column), before);
    return *out ? STATUS_OK : window_no_memory();
}

/* ---- calls ---- */

/* Adds a call to the window's own; *out is its column, which others do not see. */
static status add_call(carried *c, plan_node *window, plan_window_call call, data_type type,
                       plan_column *out)
{
    arena *a = c->d->statement->memory;
    *out = (plan_column){
        .id = c->d->statement->next_column_id++, .name = "part", .type = type, .is_nullable = true};
    TRY(array_push(a, &window->window.calls, call));
    return array_push(a, &window->columns, *out);
}

static status divide_mean(carried *c, plan_node *window, plan_window_call call, expr **out)
{
    plan_column columns[PARTS_OF_CALL];
    expr *sum, *count;
    call.aggregate = AGGREGATE_SUM;
    TRY(add_call(c, window, call, plan_sum_type(call.args[0]->type), &columns[0]));
    TRY(carry_value(c, AGGREGATE_SUM, &call, &columns[0], &sum));
    call.aggregate = AGGREGATE_COUNT;
    TRY(add_call(c, window, call, type_make(TYPE_INT64), &columns[1]));
    TRY(carry_value(c, AGGREGATE_COUNT, &call, &columns[1], &count));
    *out = plan_mean(c->d->statement->memory, sum, count);
    return *out ? STATUS_OK : window_no_memory();
}

/* Adds up all rows, without a function of the window. */
static status sum_all(carried *c, const plan_window_call *call, data_type type, expr **out)
{
    expr *sum, *count;
    if (call->aggregate != AGGREGATE_AVG)
        return distribute_window_carry_sum(c, EXCHANGE_BROADCAST, call->aggregate, call, type, out);
    TRY(distribute_window_carry_sum(c, EXCHANGE_BROADCAST, AGGREGATE_SUM, call,
                                    plan_sum_type(call->args[0]->type), &sum));
    TRY(distribute_window_carry_sum(c, EXCHANGE_BROADCAST, AGGREGATE_COUNT, call,
                                    type_make(TYPE_INT64), &count));
    *out = plan_mean(c->d->statement->memory, sum, count);
    return *out ? STATUS_OK : window_no_memory();
}

static status divide_call(carried *c, plan_node *window, plan_window_call call, plan_column column)
{
    plan_column own;
    expr *value;
    bool is_aggregate = call.function == WINDOW_AGGREGATE;
    const plan_sort_key_list *order = &window->window.order;
    if (order->count && distribute_halo_can(&call))
        return distribute_halo_add(c->d->statement->memory, &c->halo, &call, &column);
    if (distribute_window_has_all_rows(&call, order->count > 0)) {
        TRY(sum_all(c, &call, column.type, &value));
    } else if (is_aggregate && call.aggregate == AGGREGATE_AVG) {
        TRY(divide_mean(c, window, call, &value));
    } else {
        TRY(add_call(c, window, call, column.type, &own));
        TRY(call.function == WINDOW_DENSE_RANK
                ? carry_keys(c, order, &call, &own, &value)
                : carry_value(c, is_aggregate ? call.aggregate : AGGREGATE_COUNT_STAR, &call, &own,
                              &value));
    }
    return plan_project_add(c->d->statement->memory, c->project, column, value);
}

/* Gives each row its number among those of all ranks, beside what the projection makes. */
static status number_rows(carried *c, plan_node *window)
{
    plan_column own, number;
    expr *value;
    const plan_window_call call = {.function = WINDOW_ROW_NUMBER, .position = -1};
    TRY(add_call(c, window, call, type_make(TYPE_INT64), &own));
    TRY(carry_value(c, AGGREGATE_COUNT_STAR, &call, &own, &value));
    number = own;
    number.id = c->number_id = c->d->statement->next_column_id++;
    number.name = "number";
    return plan_project_add(c->d->statement->memory, c->project, number, value);
}

/* The windows' own columns become others, from the lowest up, of which the projection makes those that were theirs. A
 * window without any is left out. */
static status divide_windows(carried *c, plan_node **slot)
{
    arena *a = c->d->statement->memory;
    plan_node *window = *slot;
    if (window->kind != PLAN_WINDOW)
        return STATUS_OK;
    TRY(divide_windows(c, &window->children[0]));
    const plan_node before = *window;
    size_t first = before.columns.count - before.window.calls.count;
    window->columns = (plan_column_list){0};
    window->window.calls.items = NULL;
    window->window.calls.count = window->window.calls.capacity = 0;
    window->placement = PLACEMENT_PARTS;
    for (size_t i = 0; i < window->children[0]->columns.count; i++)
        TRY(array_push(a, &window->columns, window->children[0]->columns.items[i]));
    for (size_t i = 0; i < before.window.calls.count; i++)
        TRY(divide_call(c, window, before.window.calls.items[i], before.columns.items[first + i]));
    if (c->has_halo && !c->number_id && window->window.order.count)
        TRY(number_rows(c, window));
    if (!window->window.calls.count)
        *slot = window->children[0];
    return STATUS_OK;
}

/* ---- all of it ---- */

static plan_sort_key_list common_order(const plan_node *top, const plan_node *sort)
{
    plan_sort_key_list order = sort->sort.keys;
    for (const plan_node *node = top; node != sort; node = node->children[0])
        if (node->window.order.count && node->window.order.count < order.count)
            order.count = node->window.order.count;
    return order;
}

/* Returns whether rows with equal keys of the common order must be on one rank: a window of more keys has an order among
 * them. */
static bool keeps_equals(const plan_node *top, const plan_node *sort,
                         const plan_sort_key_list *order)
{
    for (const plan_node *node = top; node != sort; node = node->children[0]) {
        if (node->window.order.count > order->count)
            return true;
        for (size_t i = 0; i < node->window.calls.count && node->window.order.count; i++)
            if (!divides_equals(&node->window.calls.items[i]))
                return true;
    }
    return false;
}

static bool has_halo(const plan_node *top, const plan_node *sort)
{
    for (const plan_node *node = top; node != sort; node = node->children[0])
        for (size_t i = 0; i < node->window.calls.count && node->window.order.count; i++)
            if (distribute_halo_can(&node->window.calls.items[i]))
                return true;
    return false;
}

/* Puts the row of a set's sums beside each row of the windows. */
static status join_sums(carried *c, const carried_sums *set, plan_node **io)
{
    arena *a = c->d->statement->memory;
    plan_node *join = distribute_window_new_node(c, PLAN_JOIN, 2), *given = set->own;
    if (!join)
        return window_no_memory();
    TRY(distribute_exchange(c->d, &given, set->kind, NULL));
    set->sums->children[0] = given;
    set->sums->placement = given->placement;
    join->children[0] = *io;
    join->children[1] = set->sums;
    join->estimated_rows = (*io)->estimated_rows;
    for (unsigned side = 0; side < 2; side++)
        for (size_t i = 0; i < join->children[side]->columns.count; i++)
            TRY(array_push(a, &join->columns, join->children[side]->columns.items[i]));
    *io = join;
    return STATUS_OK;
}

static status make_project(carried *c, const plan_node *top)
{
    c->project = distribute_window_new_node(c, PLAN_PROJECT, 1);
    if (!c->project)
        return window_no_memory();
    c->project->estimated_rows = top->estimated_rows;
    for (size_t i = 0; i < c->before->columns.count; i++) {
        const plan_column *column = &c->before->columns.items[i];
        TRY(plan_project_add(c->d->statement->memory, c->project, *column, column_expr(c, column)));
    }
    return STATUS_OK;
}

status distribute_order_windows(distributor *d, plan_node **slot)
{
    plan_node *top = *slot, *sort = find_sort(top);
    carried c = {.d = d};
    bool is_ordered = has_order(top);
    const plan_sort_key_list order = common_order(top, sort);
    const plan_column_list columns = top->columns;
    c.has_halo = has_halo(top, sort);
    if (is_ordered)
        TRY(distribute_exchange_order(d, &sort->children[0], &order,
                                      keeps_equals(top, sort, &order)));
    TRY(distribute_share(d, &sort->children[0], &c.shared));
    c.before = sort->children[0];
    sort->placement = PLACEMENT_PARTS;
    TRY(make_project(&c, top));
    TRY(divide_windows(&c, &top));
    if (top == sort)
        top = sort->children[0]; /* nothing depends on the order */
    for (size_t i = 0; i < c.sets.count; i++)
        TRY(join_sums(&c, c.sets.items[i], &top));
    c.project->children[0] = top;
    *slot = c.project;
    return c.has_halo ? distribute_halo_over(d, slot, &c.halo, c.number_id, &columns) : STATUS_OK;
}
