/* rewrite_grouping_sets.c - several GROUP BYs of the same rows become aggregates of shared ones.
 *
 *   union all
 *     project [a, b, sum]                     set (a, b): the base itself
 *       shared 0
 *     project [a, null, sum]                  set (a)
 *       shared 1
 *     project [null, null, sum]               set (): made of (a), the fewest rows that have all
 *       aggregate [sum(sum)]
 *         shared 1
 *   shared 0: aggregate [a, b, sum(x)]        the base: by all groups, in parts that can be merged
 *   shared 1: aggregate [a, sum(sum)]
 *             shared 0
 *
 * A distinct aggregate's argument is one more key of the base, and each set is made of the base.
 * Where an aggregate's parts cannot be merged, the base is the rows themselves. */

#include "base/system/guard.h"
#include "plan/edit/shared.h"
#include "plan/facts/partial.h"
#include "plan/tree/expr.h"
#include "plan/tree/plan.h"
#include "plan/tree/rule.h"

#define NOT_THERE UINT32_MAX

/* The columns that a set's rows hold of an aggregate: two of AVG, else one. */
typedef struct part {
    plan_aggregate call;              /* over the rows */
    plan_aggregate_function together; /* over the base's column */
    bool is_whole; /* the base's column is the argument, which each set aggregates for itself */
    plan_column column;
    uint32_t second_at; /* which of the base's columns is the second argument; NOT_THERE */
} part;

/* The rows of one set of groups. */
typedef struct level {
    const plan_grouping_set *set;
    uint32_t parent, uses, shared; /* by index; shared: NOT_THERE: used once */
    plan_node *node;
    uint32_t *group_at, *part_at; /* which of its columns; NOT_THERE */
} level;

typedef struct expansion {
    plan_statement *statement;
    const plan_node *node;
    bool has_whole, has_rows; /* of parts; the base is the rows */
    ARRAY(part) parts;
    uint32_t *first_part; /* by aggregate */
    ARRAY(level) levels;  /* the base, then the sets, from the largest */
    uint32_t *level_of;   /* by set */
} expansion;

static status grouping_sets_no_memory(void)
{
    return status_no_memory("plan", sizeof(plan_node));
}

static status grouping_sets_column_expr(const expansion *x, const plan_column *column, expr **out)
{
    *out = plan_column_expr(x->statement->memory, column);
    return *out ? STATUS_OK : grouping_sets_no_memory();
}

static status new_null(const expansion *x, data_type type, expr **out)
{
    value null = value_null(type);
    *out = expr_new_constant(x->statement->memory, &null, -1);
    return *out ? STATUS_OK : grouping_sets_no_memory();
}

/* ---- parts ---- */

static status grouping_sets_add_part(expansion *x, plan_aggregate call,
                                     plan_aggregate_function together, bool is_whole,
                                     plan_column column)
{
    part added = {call, together, is_whole, column, NOT_THERE};
    x->has_whole |= is_whole;
    return array_push(x->statement->memory, &x->parts, added);
}

/* The rows that FILTER leaves out have NULL as argument. */
static status grouping_sets_filter_argument(const expansion *x, plan_aggregate *call)
{
    arena *a = x->statement->memory;
    value one = value_int(TYPE_INT32, 1);
    expr *otherwise;
    if (!call->filter)
        return STATUS_OK;
    if (!call->argument) {
        call->function = AGGREGATE_COUNT;
        call->argument = expr_new_constant(a, &one, -1);
        if (!call->argument)
            return grouping_sets_no_memory();
    }
    TRY(new_null(x, call->argument->type, &otherwise));
    expr *e = expr_new(a, EXPR_CASE, call->argument->type, 3, call->position);
    if (!e)
        return grouping_sets_no_memory();
    e->args[0] = call->filter;
    e->args[1] = call->argument;
    e->args[2] = otherwise;
    e->is_nullable = true;
    call->argument = e;
    call->filter = NULL;
    return STATUS_OK;
}

static status add_whole(expansion *x, plan_aggregate call, plan_column column)
{
    TRY(grouping_sets_filter_argument(x, &call));
    return grouping_sets_add_part(x, call, call.function, true, column);
}

static status add_mean(expansion *x, plan_aggregate call)
{
    plan_column sum = {.name = "sum", .is_nullable = true};
    plan_column count = {.name = "count", .type = type_make(TYPE_INT64), .is_nullable = true};
    sum.type = plan_sum_type(call.argument->type);
    call.function = AGGREGATE_SUM;
    TRY(grouping_sets_add_part(x, call, AGGREGATE_SUM, false, sum));
    call.function = AGGREGATE_COUNT;
    return grouping_sets_add_part(x, call, AGGREGATE_SUM, false, count);
}

static bool is_mean(const plan_aggregate *call)
{
    return call->function == AGGREGATE_AVG && !call->is_distinct;
}

static status find_parts(expansion *x)
{
    const plan_node *node = x->node;
    size_t count = node->grouping_sets.aggregates.count;
    plan_aggregate_function together;
    x->first_part = arena_alloc_array(x->statement->memory, count + 1, sizeof *x->first_part);
    if (!x->first_part)
        return grouping_sets_no_memory();
    for (size_t i = 0; i < count; i++) {
        const plan_aggregate *call = &node->grouping_sets.aggregates.items[i];
        x->has_rows |=
            !call->is_distinct && !is_mean(call) && !plan_aggregate_merges(call, &together);
    }
    for (size_t i = 0; i < count; i++) {
        const plan_aggregate *call = &node->grouping_sets.aggregates.items[i];
        plan_column column = node->columns.items[node->grouping_sets.groups.count + i];
        column.is_nullable = true;
        x->first_part[i] = (uint32_t)x->parts.count;
        if (x->has_rows || (call->is_distinct && !plan_aggregate_merges(call, &together)))
            TRY(add_whole(x, *call, column));
        else if (is_mean(call))
            TRY(add_mean(x, *call));
        else if (plan_aggregate_merges(call, &together))
            TRY(grouping_sets_add_part(x, *call, together, false, column));
    }
    return STATUS_OK;
}

/* ---- levels ---- */

static bool has_group(const plan_grouping_set *set, uint32_t group)
{
    for (size_t i = 0; i < set->count; i++)
        if (set->items[i] == group)
            return true;
    return false;
}

static bool grouping_sets_has_groups(const plan_grouping_set *set, const plan_grouping_set *of)
{
    for (size_t i = 0; i < of->count; i++)
        if (!has_group(set, of->items[i]))
            return false;
    return true;
}

static status new_level(expansion *x, const plan_grouping_set *set, uint32_t parent)
{
    arena *a = x->statement->memory;
    size_t groups = x->node->grouping_sets.groups.count;
    level added = {.set = set, .parent = parent, .shared = NOT_THERE};
    added.group_at = arena_alloc_array(a, groups + 1, sizeof *added.group_at);
    added.part_at = arena_alloc_array(a, x->parts.count + 1, sizeof *added.part_at);
    if (!added.group_at || !added.part_at)
        return grouping_sets_no_memory();
    memset(added.group_at, 0xff, groups * sizeof *added.group_at);
    memset(added.part_at, 0xff, x->parts.count * sizeof *added.part_at);
    return array_push(a, &x->levels, added);
}

/* The level that has these groups already, or the smallest that it can be made of. */
static uint32_t find_parent(const expansion *x, const plan_grouping_set *set, bool *out_is_it)
{
    uint32_t best = 0;
    *out_is_it = false;
    for (uint32_t i = 0; i < x->levels.count; i++) {
        const plan_grouping_set *other = x->levels.items[i].set;
        bool is_rows = i == 0 && (x->has_rows || x->has_whole);
        if (!grouping_sets_has_groups(other, set) ||
            (i && x->has_whole && !grouping_sets_has_groups(set, other)))
            continue;
        if (!is_rows && grouping_sets_has_groups(set, other)) {
            *out_is_it = true;
            return i;
        }
        if (other->count <= x->levels.items[best].set->count)
            best = i;
    }
    return best;
}

static status rewrite_grouping_sets_find_levels(expansion *x, const plan_grouping_set *all)
{
    const plan_node *node = x->node;
    size_t count = node->grouping_sets.sets.count;
    x->level_of = arena_alloc_array(x->statement->memory, count + 1, sizeof *x->level_of);
    if (!x->level_of)
        return grouping_sets_no_memory();
    TRY(new_level(x, all, NOT_THERE));
    for (size_t size = all->count + 1; size-- > 0;)
        for (size_t i = 0; i < count; i++) {
            const plan_grouping_set *set = &node->grouping_sets.sets.items[i];
            bool is_it;
            if (set->count != size)
                continue;
            uint32_t parent = find_parent(x, set, &is_it);
            x->level_of[i] = is_it ? parent : (uint32_t)x->levels.count;
            if (!is_it) {
                x->levels.items[parent].uses++;
                TRY(new_level(x, set, parent));
            }
            x->levels.items[x->level_of[i]].uses++;
        }
    return STATUS_OK;
}

/* ---- plans ---- */

static status grouping_sets_add_column(const expansion *x, plan_node *node, plan_column column,
                                       uint32_t *out_at)
{
    column.id = x->statement->next_column_id++;
    *out_at = (uint32_t)node->columns.count;
    return array_push(x->statement->memory, &node->columns, column);
}

static plan_column grouping_sets_column_of(const expr *e)
{
    return (plan_column){
        .name = e->name ? e->name : "group", .type = e->type, .is_nullable = e->is_nullable};
}

/* All that the sets are made of, of the rows. */
static status make_base(expansion *x)
{
    arena *a = x->statement->memory;
    level *base = &x->levels.items[0];
    const expr_list *groups = &x->node->grouping_sets.groups;
    plan_node *node = plan_node_new(a, x->has_rows ? PLAN_PROJECT : PLAN_AGGREGATE, 1);
    if (!node)
        return grouping_sets_no_memory();
    expr_list *keys = x->has_rows ? &node->project.exprs : &node->aggregate.groups;
    node->children[0] = x->node->children[0];
    node->position = x->node->position;
    base->node = node;
    for (size_t i = 0; i < groups->count; i++) {
        TRY(array_push(a, keys, groups->items[i]));
        TRY(grouping_sets_add_column(x, node, grouping_sets_column_of(groups->items[i]),
                                     &base->group_at[i]));
    }
    for (size_t i = 0; i < x->parts.count; i++) {
        part *p = &x->parts.items[i];
        if (!p->is_whole || !p->call.argument)
            continue;
        TRY(array_push(a, keys, p->call.argument));
        TRY(grouping_sets_add_column(x, node, grouping_sets_column_of(p->call.argument),
                                     &base->part_at[i]));
        if (!p->call.second)
            continue;
        TRY(array_push(a, keys, p->call.second));
        TRY(grouping_sets_add_column(x, node, grouping_sets_column_of(p->call.second),
                                     &p->second_at));
    }
    for (size_t i = 0; i < x->parts.count; i++) {
        part *p = &x->parts.items[i];
        if (p->is_whole)
            continue;
        TRY(array_push(a, &node->aggregate.aggregates, p->call));
        TRY(grouping_sets_add_column(x, node, p->column, &base->part_at[i]));
    }
    return STATUS_OK;
}

/* A level's rows, for one of its uses. */
static status use_level(expansion *x, level *l, plan_node **out)
{
    *out = l->node;
    if (l->uses < 2)
        return STATUS_OK;
    if (l->shared == NOT_THERE)
        TRY(plan_make_shared(x->statement, l->node, &l->shared));
    return plan_shared_reference(x->statement, l->shared, out);
}

static status make_level(expansion *x, level *l)
{
    arena *a = x->statement->memory;
    level *parent = &x->levels.items[l->parent];
    plan_node *input, *node = plan_node_new(a, PLAN_AGGREGATE, 1);
    if (!node)
        return grouping_sets_no_memory();
    TRY(use_level(x, parent, &input));
    node->children[0] = input;
    node->position = x->node->position;
    l->node = node;
    for (size_t i = 0; i < l->set->count; i++) {
        uint32_t group = l->set->items[i];
        const plan_column *column = &input->columns.items[parent->group_at[group]];
        expr *key;
        TRY(grouping_sets_column_expr(x, column, &key));
        TRY(array_push(a, &node->aggregate.groups, key));
        l->group_at[group] = (uint32_t)node->columns.count;
        TRY(array_push(a, &node->columns, *column));
    }
    for (size_t i = 0; i < x->parts.count; i++) {
        const part *p = &x->parts.items[i];
        plan_aggregate call = {.function = p->is_whole ? p->call.function : p->together,
                               .is_distinct = p->is_whole && p->call.is_distinct,
                               .position = p->call.position};
        if (parent->part_at[i] != NOT_THERE)
            TRY(grouping_sets_column_expr(x, &input->columns.items[parent->part_at[i]],
                                          &call.argument));
        if (p->second_at != NOT_THERE)
            TRY(grouping_sets_column_expr(x, &input->columns.items[p->second_at], &call.second));
        TRY(array_push(a, &node->aggregate.aggregates, call));
        TRY(grouping_sets_add_column(x, node, p->column, &l->part_at[i]));
    }
    return STATUS_OK;
}

/* ---- what comes out ---- */

/* Counts of no rows, put together, are NULL. */
static status none_is_zero(expansion *x, expr **e)
{
    arena *a = x->statement->memory;
    value nothing = value_int(TYPE_INT64, 0);
    expr *pair[] = {*e, expr_new_constant(a, &nothing, -1)};
    *e = pair[1] ? expr_new_call(a, EXPR_COALESCE, type_make(TYPE_INT64), pair, 2, -1) : NULL;
    return *e ? STATUS_OK : grouping_sets_no_memory();
}

static status grouping_sets_result_of(expansion *x, const level *l, const plan_node *rows, size_t i,
                                      expr **out)
{
    const plan_aggregate *call = &x->node->grouping_sets.aggregates.items[i];
    uint32_t at = x->first_part[i];
    expr *count;
    TRY(grouping_sets_column_expr(x, &rows->columns.items[l->part_at[at]], out));
    if (is_mean(call) && !x->parts.items[at].is_whole) {
        TRY(grouping_sets_column_expr(x, &rows->columns.items[l->part_at[at + 1]], &count));
        *out = plan_mean(x->statement->memory, *out, count);
        return *out ? STATUS_OK : grouping_sets_no_memory();
    }
    return plan_aggregate_counts(call) && !l->set->count ? none_is_zero(x, out) : STATUS_OK;
}

/* GROUPING's value in a set. */
static status call_value(expansion *x, const plan_grouping_set *call, const plan_grouping_set *set,
                         expr **out)
{
    int32_t bits = 0;
    for (size_t i = 0; i < call->count; i++)
        bits = bits * 2 + !has_group(set, call->items[i]);
    value v = value_int(TYPE_INT32, bits);
    *out = expr_new_constant(x->statement->memory, &v, -1);
    return *out ? STATUS_OK : grouping_sets_no_memory();
}

static status grouping_sets_set_rows(expansion *x, size_t index, plan_node **out)
{
    arena *a = x->statement->memory;
    level *l = &x->levels.items[x->level_of[index]];
    plan_node *project = plan_node_new(a, PLAN_PROJECT, 1);
    plan_node *rows;
    expr *e;
    if (!project)
        return grouping_sets_no_memory();
    TRY(use_level(x, l, &rows));
    project->children[0] = rows;
    for (size_t i = 0; i < x->node->grouping_sets.groups.count; i++) {
        if (has_group(l->set, (uint32_t)i))
            TRY(grouping_sets_column_expr(x, &rows->columns.items[l->group_at[i]], &e));
        else
            TRY(new_null(x, x->node->columns.items[i].type, &e));
        TRY(array_push(a, &project->project.exprs, e));
    }
    for (size_t i = 0; i < x->node->grouping_sets.aggregates.count; i++) {
        TRY(grouping_sets_result_of(x, l, rows, i, &e));
        TRY(array_push(a, &project->project.exprs, e));
    }
    for (size_t i = 0; i < x->node->grouping_sets.calls.count; i++) {
        TRY(call_value(x, &x->node->grouping_sets.calls.items[i], l->set, &e));
        TRY(array_push(a, &project->project.exprs, e));
    }
    for (size_t i = 0; i < x->node->columns.count; i++) {
        uint32_t at;
        TRY(grouping_sets_add_column(x, project, x->node->columns.items[i], &at));
        e = project->project.exprs.items[i];
        if (e->kind == EXPR_COLUMN)
            project->columns.items[at].id = e->column_id;
    }
    *out = project;
    return STATUS_OK;
}

static status grouping_sets_expand(plan_statement *s, const plan_node *node, plan_node **out)
{
    expansion x = {.statement = s, .node = node};
    size_t count = node->grouping_sets.sets.count;
    plan_grouping_set all = {0};
    plan_node *together = plan_node_new(s->memory, PLAN_UNION, (uint32_t)count);
    if (!together)
        return grouping_sets_no_memory();
    for (size_t i = 0; i < node->grouping_sets.groups.count; i++)
        TRY(array_push(s->memory, &all, (uint32_t)i));
    TRY(find_parts(&x));
    TRY(rewrite_grouping_sets_find_levels(&x, &all));
    TRY(make_base(&x));
    for (size_t i = 1; i < x.levels.count; i++)
        TRY(make_level(&x, &x.levels.items[i]));
    for (size_t i = 0; i < count; i++)
        TRY(grouping_sets_set_rows(&x, i, &together->children[i]));
    together->columns = node->columns;
    together->position = node->position;
    *out = together;
    return STATUS_OK;
}

static status grouping_sets_rewrite(plan_statement *s, plan_node *node, plan_node **out)
{
    TRY(guard_check());
    *out = node;
    for (uint32_t i = 0; i < node->child_count; i++)
        TRY(grouping_sets_rewrite(s, node->children[i], &node->children[i]));
    return node->kind == PLAN_GROUPING_SETS ? grouping_sets_expand(s, node, out) : STATUS_OK;
}

status rewrite_grouping_sets(plan_statement *statement)
{
    TRY(plan_each_tree(statement, grouping_sets_rewrite));
    return plan_order_shared(statement);
}
