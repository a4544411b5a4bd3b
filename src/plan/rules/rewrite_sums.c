/* rewrite_sums.c - sums of one value and several constants are made of one sum and one count.
 *
 *   sum(x), sum(x + 1), sum(x + 2)     project [s, s + c * 1, s + c * 2]
 *                                        aggregate [sum(x) as s, count(x) as c]
 *
 * Only where x + 1 cannot overflow by its types, as it would fail then; and of integers, whose sums
 * are exact. */
#include "base/system/guard.h"
#include "plan/edit/shared.h"
#include "plan/tree/function.h"
#include "plan/tree/plan.h"
#include "plan/tree/rule.h"

/* sum(base + offset), of rows that pass the filter. */
typedef struct offset_sum {
    expr *base; /* NULL: another aggregate */
    int64_t offset;
    int family; /* of the sums that share a base: the number of the first; -1: alone */
} offset_sum;

static status sums_no_memory(void)
{
    return status_no_memory("plan", sizeof(plan_node));
}

/* ---- what is summed ---- */

typedef struct bounds {
    int128 least, greatest;
} bounds;

static bounds bounds_of_type(data_type type)
{
    bool is_signed = type.id >= TYPE_INT8 && type.id <= TYPE_INT64;
    int bits = type.width * 8;
    if (is_signed)
        return (bounds){-((int128)1 << (bits - 1)), ((int128)1 << (bits - 1)) - 1};
    return (bounds){0, ((int128)1 << bits) - 1};
}

static bool sums_is_within(bounds inner, data_type type)
{
    bounds outer = bounds_of_type(type);
    return inner.least >= outer.least && inner.greatest <= outer.greatest;
}

static const expr *integer_constant(const expr *e)
{
    bool is_integer = e->kind == EXPR_CONSTANT && type_is_integer(e->type) && !e->constant.is_null;
    return is_integer && sums_is_within(bounds_of_type(e->type), type_make(TYPE_INT64)) ? e : NULL;
}

/* e as base + offset, and the bounds of its values; false: it may overflow. */
static bool sums_take_apart(expr *e, expr **base, int128 *offset, bounds *values)
{
    if (!type_is_integer(e->type))
        return false;
    *base = e;
    *offset = 0;
    *values = bounds_of_type(e->type);
    if (e->kind == EXPR_CAST && type_is_integer(e->args[0]->type))
        return sums_take_apart(e->args[0], base, offset, values) &&
               sums_is_within(*values, e->type);
    bool is_sum = e->kind == EXPR_CALL && (e->op == EXPR_ADD || e->op == EXPR_SUBTRACT);
    if (!is_sum)
        return true;
    const expr *right = integer_constant(e->args[1]), *constant = right;
    if (!right && e->op == EXPR_ADD)
        constant = integer_constant(e->args[0]);
    if (!constant)
        return true;
    if (!sums_take_apart(e->args[right ? 0 : 1], base, offset, values))
        return false;
    int128 added = value_int128(&constant->constant);
    added = e->op == EXPR_SUBTRACT ? -added : added;
    *offset += added;
    *values = (bounds){values->least + added, values->greatest + added};
    return sums_is_within(*values, e->type);
}

static bool same_filter(const plan_aggregate *a, const plan_aggregate *b)
{
    return a->filter ? b->filter && expr_equal(a->filter, b->filter) : !b->filter;
}

/* Each call is of rows of its own. */
static bool has_volatile(const plan_aggregate *a)
{
    return expr_is_volatile(a->argument) || (a->filter && expr_is_volatile(a->filter));
}

/* The sums of a node that share a base with another one; how many. */
static size_t rewrite_sums_find(const plan_node *node, offset_sum *sums)
{
    size_t found = 0;
    for (size_t i = 0; i < node->aggregate.aggregates.count; i++) {
        const plan_aggregate *a = &node->aggregate.aggregates.items[i];
        int128 offset;
        bounds values;
        sums[i] = (offset_sum){.family = -1};
        if (a->function != AGGREGATE_SUM || a->is_distinct || has_volatile(a) ||
            !sums_take_apart(a->argument, &sums[i].base, &offset, &values) ||
            offset != (int64_t)offset) {
            sums[i].base = NULL;
            continue;
        }
        sums[i].offset = (int64_t)offset;
        for (size_t k = 0; k < i && sums[i].family < 0; k++) {
            const plan_aggregate *other = &node->aggregate.aggregates.items[k];
            if (!sums[k].base || !expr_equal(sums[k].base, sums[i].base) ||
                !type_equal(sums[k].base->type, sums[i].base->type) || !same_filter(other, a))
                continue;
            sums[k].family = sums[k].family < 0 ? (int)k : sums[k].family;
            sums[i].family = sums[k].family;
        }
        found += sums[i].family >= 0;
    }
    return found;
}

/* ---- the new plan ---- */

/* Columns that replace the sums of a family. */
typedef struct family_columns {
    expr *sum, *count;
} family_columns;

/* An aggregate more. */
static status sums_add_aggregate(plan_statement *s, plan_node *node, const plan_aggregate *a,
                                 const plan_column *column, expr **out)
{
    *out = plan_column_expr(s->memory, column);
    if (!*out)
        return sums_no_memory();
    TRY(array_push(s->memory, &node->aggregate.aggregates, *a));
    return array_push(s->memory, &node->columns, *column);
}

static status add_family(plan_statement *s, plan_node *node, const plan_aggregate *first,
                         const plan_column *column, expr *base, family_columns *out)
{
    plan_aggregate sum = *first, count = *first;
    plan_column sum_column = *column, count_column = *column;
    sum.argument = count.argument = base;
    count.function = AGGREGATE_COUNT;
    sum_column.id = s->next_column_id++;
    count_column.id = s->next_column_id++;
    count_column.type = type_make(TYPE_INT64);
    count_column.is_nullable = false;
    TRY(sums_add_aggregate(s, node, &sum, &sum_column, &out->sum));
    return sums_add_aggregate(s, node, &count, &count_column, &out->count);
}

/* sum + count * offset */
static status family_value(plan_statement *s, const family_columns *family, int64_t offset,
                           int32_t position, expr **out)
{
    arena *a = s->memory;
    data_type factor = type_decimal(19, 0);
    value v = value_decimal(offset, factor);
    *out = family->sum;
    if (!offset)
        return STATUS_OK;
    expr *count = expr_new_cast(a, family->count, factor, position);
    expr *constant = expr_new_constant(a, &v, position);
    if (!count || !constant)
        return sums_no_memory();
    expr *product = expr_new_call(a, EXPR_MULTIPLY, type_decimal(38, 0),
                                  (expr *[]){count, constant}, 2, position);
    if (!product)
        return sums_no_memory();
    *out = expr_new_call(a, EXPR_ADD, family->sum->type, (expr *[]){family->sum, product}, 2,
                         position);
    return *out ? STATUS_OK : sums_no_memory();
}

static status sums_pass_column(plan_statement *s, plan_node *project, const plan_column *column)
{
    expr *e = plan_column_expr(s->memory, column);
    return e ? array_push(s->memory, &project->project.exprs, e) : sums_no_memory();
}

static status sums_split(plan_statement *s, plan_node *node, const offset_sum *sums,
                         plan_node *project)
{
    size_t groups = node->aggregate.groups.count, count = node->aggregate.aggregates.count;
    const plan_aggregate *old = node->aggregate.aggregates.items;
    family_columns *families = arena_alloc_array(s->memory, count, sizeof *families);
    if (!families)
        return sums_no_memory();
    project->children[0] = node;
    project->columns = node->columns;
    project->position = node->position;
    project->estimated_rows = node->estimated_rows;
    memset(&node->columns, 0, sizeof node->columns);
    memset(&node->aggregate.aggregates, 0, sizeof node->aggregate.aggregates);
    for (size_t i = 0; i < groups; i++) {
        TRY(sums_pass_column(s, project, &project->columns.items[i]));
        TRY(array_push(s->memory, &node->columns, project->columns.items[i]));
    }
    for (size_t i = 0; i < count; i++) {
        const plan_column *column = &project->columns.items[groups + i];
        expr *e;
        if (sums[i].family < 0) {
            TRY(sums_add_aggregate(s, node, &old[i], column, &e));
        } else {
            family_columns *family = &families[sums[i].family];
            if (!family->sum)
                TRY(add_family(s, node, &old[i], column, sums[i].base, family));
            TRY(family_value(s, family, sums[i].offset, old[i].position, &e));
        }
        TRY(array_push(s->memory, &project->project.exprs, e));
    }
    return STATUS_OK;
}

static status sums_rewrite(plan_statement *s, plan_node *node, plan_node **out)
{
    TRY(guard_check());
    *out = node;
    for (uint32_t i = 0; i < node->child_count; i++)
        TRY(sums_rewrite(s, node->children[i], &node->children[i]));
    size_t count = node->kind == PLAN_AGGREGATE ? node->aggregate.aggregates.count : 0;
    if (count < 2)
        return STATUS_OK;
    offset_sum *sums = arena_alloc_array(s->memory, count, sizeof *sums);
    if (!sums)
        return sums_no_memory();
    if (!rewrite_sums_find(node, sums))
        return STATUS_OK;
    *out = plan_node_new(s->memory, PLAN_PROJECT, 1);
    return *out ? sums_split(s, node, sums, *out) : sums_no_memory();
}

status rewrite_sums(plan_statement *statement)
{
    return plan_each_tree(statement, sums_rewrite);
}
