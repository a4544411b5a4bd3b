/* rewrite_ranges.c - what the tables' statistics say of the values of expressions: decimals that
 * always fit 64 bits are computed in 64 bits, not in 128 as their type alone would need. Scans
 * check that the values of the columns in such expressions are as their files say, and of those that
 * sorts keep in as few bytes as that takes.
 *
 * An aggregate takes the projection below it into its own expressions first, so that no column has
 * to change its width between nodes. */
#include "base/system/guard.h"
#include "parquet/table/table.h"
#include "plan/edit/repeatable.h"
#include "plan/nodes/visit.h"
#include "plan/tree/expr.h"
#include "plan/tree/plan.h"
#include "plan/tree/rule.h"

typedef struct range {
    bool is_known;
    int128 min, max;
} range;

typedef struct ranges {
    plan_statement *statement;
    range *columns;  /* by id */
    bool *is_relied; /* by id: more than a comparison depends on the range */
    bool has_failed; /* without memory */
} ranges;

/* ---- arithmetic ---- */

/* Bounds stay far below what 128 bits hold, so that no product of two overflows. */
#define BOUND_MAX ((int128)1 << 62)

static range ranges_range_of(int128 min, int128 max)
{
    bool is_small = min > -BOUND_MAX && max < BOUND_MAX;
    return (range){is_small, min, max};
}

static range range_product(range a, range b)
{
    int128 corners[] = {a.min * b.min, a.min * b.max, a.max * b.min, a.max * b.max};
    int128 min = corners[0], max = corners[0];
    for (int i = 1; i < 4; i++) {
        min = corners[i] < min ? corners[i] : min;
        max = corners[i] > max ? corners[i] : max;
    }
    return ranges_range_of(min, max);
}

static range range_union(range a, range b)
{
    return (range){a.is_known && b.is_known, a.min < b.min ? a.min : b.min,
                   a.max > b.max ? a.max : b.max};
}

static bool ranges_is_exact(data_type type)
{
    return type_is_integer(type) || type.id == TYPE_DECIMAL;
}

/* Columns of times have a range as well: none of them is infinite then. */
static bool may_have_range(const expr *e)
{
    return ranges_is_exact(e->type) || (e->kind == EXPR_COLUMN && type_is_time(e->type));
}

/* A NULL is in any range. */
static range range_of_constant(const value *v)
{
    if (v->is_null || !ranges_is_exact(v->type))
        return (range){v->is_null, 0, 0};
    return ranges_range_of(value_int128(v), value_int128(v));
}

static range range_of_cast(const expr *e, range arg)
{
    const data_type from = e->args[0]->type, to = e->type;
    if (!arg.is_known || !ranges_is_exact(from) || !ranges_is_exact(to) || to.scale < from.scale)
        return (range){0};
    for (unsigned i = from.scale; i < to.scale && arg.is_known; i++)
        arg = ranges_range_of(arg.min * 10, arg.max * 10);
    return arg;
}

static range ranges_range_of_call(const expr *e, const range *args)
{
    if (!ranges_is_exact(e->type))
        return (range){0};
    for (uint32_t i = 0; i < e->arg_count; i++)
        if (!args[i].is_known || i == 2)
            return (range){0};
    switch (e->op) {
    case EXPR_ADD:
        return ranges_range_of(args[0].min + args[1].min, args[0].max + args[1].max);
    case EXPR_SUBTRACT:
        return ranges_range_of(args[0].min - args[1].max, args[0].max - args[1].min);
    case EXPR_MULTIPLY:
        return range_product(args[0], args[1]);
    case EXPR_NEGATE:
        return ranges_range_of(-args[0].max, -args[0].min);
    default:
        return (range){0};
    }
}

/* ---- expressions ---- */

/* Takes decimals of either width. */
static bool takes_any_width(const expr *e)
{
    if (e->kind != EXPR_CALL)
        return e->kind == EXPR_CAST;
    switch (e->op) {
    case EXPR_ADD:
    case EXPR_SUBTRACT:
    case EXPR_MULTIPLY:
    case EXPR_NEGATE:
    case EXPR_EQ:
    case EXPR_NE:
    case EXPR_LT:
    case EXPR_LE:
    case EXPR_GT:
    case EXPR_GE:
        return true;
    default:
        return false;
    }
}

/* Nothing in it depends on how large the arguments can be. */
static bool ignores_ranges(const expr *e)
{
    return e->kind == EXPR_CALL && e->op >= EXPR_EQ && e->op <= EXPR_IN_LIST;
}

static void rely_on_args(const ranges *r, const expr *e)
{
    for (uint32_t i = 0; i < e->arg_count && !ignores_ranges(e); i++) {
        const expr *arg = e->args[i];
        if (arg->kind == EXPR_COLUMN && arg->column_id < r->statement->next_column_id &&
            r->columns[arg->column_id].is_known)
            r->is_relied[arg->column_id] = true;
    }
}

/* A sort keeps its rows narrow (exec/sort/sort_narrow.h), but for the few of a limit. */
static void rely_on_columns(const ranges *r, const plan_node *sort)
{
    for (size_t i = 0; i < sort->columns.count && !sort->sort.has_limit; i++) {
        uint32_t id = sort->columns.items[i].id;
        if (id < r->statement->next_column_id && r->columns[id].is_known &&
            ranges_is_exact(sort->columns.items[i].type))
            r->is_relied[id] = true;
    }
}

/* The range of e, written into it and all below it; arithmetic below it, and e itself if its width
 * is nobody else's concern, is narrowed. */
static range ranges_find_range(const ranges *r, expr *e, bool may_narrow)
{
    range args[3] = {{0}}, found = {0};
    if (e->kind == EXPR_CASE) {
        for (uint32_t i = 0; i < e->arg_count; i++) {
            bool is_result = i % 2 || i + 1 == e->arg_count;
            range arg = ranges_find_range(r, e->args[i], is_result);
            if (is_result)
                found = i == 1 || e->arg_count == 1 ? arg : range_union(found, arg);
        }
    } else {
        for (uint32_t i = 0; i < e->arg_count; i++) {
            range arg = ranges_find_range(r, e->args[i], takes_any_width(e));
            args[i < 2 ? i : 2] = arg;
        }
    }
    rely_on_args(r, e);
    if (e->kind == EXPR_COLUMN && e->column_id < r->statement->next_column_id)
        found = r->columns[e->column_id];
    else if (e->kind == EXPR_CONSTANT)
        found = range_of_constant(&e->constant);
    else if (e->kind == EXPR_CAST)
        found = range_of_cast(e, args[0]);
    else if (e->kind == EXPR_CALL)
        found = ranges_range_of_call(e, args);
    if (found.is_known && may_have_range(e)) {
        e->has_range = true;
        e->range_min = found.min;
        e->range_max = found.max;
        bool is_computed = e->kind == EXPR_CALL || e->kind == EXPR_CASE || e->kind == EXPR_CAST;
        if (is_computed && may_narrow && e->type.id == TYPE_DECIMAL)
            e->type.width = 8;
    } else {
        found.is_known = false;
    }
    return found;
}

/* Copies an expression that two places share: it has one width only, so each place gets its own. */
static void visit_expr(expr **slot, void *context)
{
    ranges *r = context;
    expr *own = expr_copy(r->statement->memory, *slot);
    if (own) {
        *slot = own;
        ranges_find_range(r, own, false);
    } else {
        r->has_failed = true;
    }
}

/* ---- nodes ---- */

static void rewrite_ranges_add_scan(ranges *r, const plan_node *scan)
{
    for (size_t i = 0; i < scan->columns.count; i++) {
        const pq_table_column *source =
            &scan->scan.table->columns.items[scan->scan.sources.items[i]];
        if (source->has_range && (ranges_is_exact(source->type) || type_is_time(source->type)))
            r->columns[scan->columns.items[i].id] = ranges_range_of(source->min, source->max);
    }
}

static status ranges_substitute(plan_statement *s, const plan_node *project, expr **e)
{
    if (*e)
        *e = expr_substitute(s->memory, *e, &project->columns, project->project.exprs.items);
    return *e ? STATUS_OK : status_no_memory("plan", sizeof **e);
}

/* Takes the projection below into the aggregate's own expressions, each of which may read a column of it again: volatile
 * ones stay where they are evaluated once for a row. */
static status merge_projection(plan_statement *s, plan_node *node)
{
    plan_node *project = node->children[0];
    if (project->kind != PLAN_PROJECT || !plan_is_repeatable(project))
        return STATUS_OK;
    for (size_t i = 0; i < node->aggregate.groups.count; i++)
        TRY(ranges_substitute(s, project, &node->aggregate.groups.items[i]));
    for (size_t i = 0; i < node->aggregate.aggregates.count; i++) {
        plan_aggregate *a = &node->aggregate.aggregates.items[i];
        if (a->argument)
            TRY(ranges_substitute(s, project, &a->argument));
        if (a->second)
            TRY(ranges_substitute(s, project, &a->second));
        if (a->filter)
            TRY(ranges_substitute(s, project, &a->filter));
    }
    node->children[0] = project->children[0];
    return STATUS_OK;
}

static bool is_sum(plan_aggregate_function function)
{
    return function == AGGREGATE_SUM || function == AGGREGATE_AVG || function == AGGREGATE_COUNT;
}

static status ranges_walk(ranges *r, plan_node *node)
{
    TRY(guard_check());
    if (node->kind == PLAN_AGGREGATE)
        TRY(merge_projection(r->statement, node));
    for (uint32_t i = 0; i < node->child_count; i++)
        TRY(ranges_walk(r, node->children[i]));
    if (node->kind == PLAN_SCAN)
        rewrite_ranges_add_scan(r, node);
    if (node->kind == PLAN_SORT)
        rely_on_columns(r, node);
    plan_visit_exprs(node, visit_expr, r);
    if (r->has_failed)
        return status_no_memory("plan", sizeof(expr));
    if (node->kind != PLAN_AGGREGATE)
        return STATUS_OK;
    for (size_t i = 0; i < node->aggregate.aggregates.count; i++) {
        const plan_aggregate *a = &node->aggregate.aggregates.items[i];
        if (a->argument && is_sum(a->function))
            ranges_find_range(r, a->argument, true);
    }
    return STATUS_OK;
}

static status mark_relied(const ranges *r, plan_node *node)
{
    TRY(guard_check());
    for (uint32_t i = 0; i < node->child_count; i++)
        TRY(mark_relied(r, node->children[i]));
    if (node->kind != PLAN_SCAN)
        return STATUS_OK;
    node->scan.relied.count = 0;
    for (size_t i = 0; i < node->columns.count; i++)
        TRY(array_push(r->statement->memory, &node->scan.relied,
                       r->is_relied[node->columns.items[i].id]));
    return STATUS_OK;
}

status rewrite_ranges(plan_statement *statement)
{
    ranges r = {.statement = statement};
    r.columns = arena_alloc_array(statement->memory, statement->next_column_id, sizeof *r.columns);
    if (!r.columns)
        return status_no_memory("plan", statement->next_column_id * sizeof *r.columns);
    r.is_relied = arena_alloc_array(statement->memory, statement->next_column_id, sizeof(bool));
    if (!r.is_relied)
        return status_no_memory("plan", statement->next_column_id);
    for (size_t i = 0; i < statement->shared.count; i++)
        TRY(ranges_walk(&r, statement->shared.items[i]));
    TRY(ranges_walk(&r, statement->root));
    for (size_t i = 0; i < statement->shared.count; i++)
        TRY(mark_relied(&r, statement->shared.items[i]));
    return mark_relied(&r, statement->root);
}
