/* file_bounds.c - conditions against the bounds of whole files. */
#include "plan/rules/scan/file_bounds.h"

#include "plan/facts/condition.h"
#include "plan/tree/expr.h"

typedef struct bounded_file {
    const plan_node *scan;
    const pq_told *facts;
} bounded_file;

/* Returns the number of the table's column that the side is; -1: it is not one. */
static int file_bounds_column_of(const bounded_file *f, const expr *side)
{
    int number = side->kind == EXPR_COLUMN ? plan_column_index(f->scan, side->column_id) : -1;
    return number < 0 ? -1 : (int)f->scan->scan.sources.items[number];
}

static const pq_statistics *file_bounds_of(const bounded_file *f, const expr *side)
{
    int column = f->facts->bounds ? file_bounds_column_of(f, side) : -1;
    return column < 0 ? NULL : &f->facts->bounds[column];
}

/* The value is in another bucket than all values of the column. */
static bool is_in_other_bucket(const bounded_file *f, const expr *side, const value *v)
{
    const pq_table *table = f->scan->scan.table;
    int column = f->facts->buckets.count ? file_bounds_column_of(f, side) : -1;
    int64_t bucket;
    if (column < 0 || v->is_null || !type_equal(v->type, table->columns.items[column].type))
        return false;
    for (size_t i = 0; i < f->facts->buckets.count; i++) {
        const pq_bucket *b = &f->facts->buckets.items[i];
        if (b->column == (uint32_t)column && table->given->bucket_of(v, b->count, &bucket) &&
            (bucket < b->first || bucket > b->last))
            return true;
    }
    return false;
}

/* Bounds leave out NaN, which is above everything. */
static bool comparison_fails(const bounded_file *f, const expr *side, expr_op op,
                             const value *bound)
{
    const pq_statistics *s = file_bounds_of(f, side);
    if (op == EXPR_EQ && is_in_other_bucket(f, side, bound))
        return true;
    if (!s || bound->is_null)
        return false;
    bool is_float = bound->type.id == TYPE_FLOAT || bound->type.id == TYPE_DOUBLE;
    bool has_min = s->has_min && type_equal(s->min.type, bound->type);
    bool has_max = s->has_max && type_equal(s->max.type, bound->type) && !is_float;
    int low = has_min ? value_compare(&s->min, bound) : -1;
    int high = has_max ? value_compare(&s->max, bound) : 1;
    switch (op) {
    case EXPR_EQ:
        return low > 0 || high < 0;
    case EXPR_LT:
        return low >= 0;
    case EXPR_LE:
        return low > 0;
    case EXPR_GT:
        return high <= 0;
    case EXPR_GE:
        return high < 0;
    default:
        return false;
    }
}

static bool list_fails(const bounded_file *f, const expr *e)
{
    for (uint32_t i = 1; i < e->arg_count; i++) {
        const expr *item = e->args[i];
        if (item->kind != EXPR_CONSTANT)
            return false;
        if (!item->constant.is_null && !comparison_fails(f, e->args[0], EXPR_EQ, &item->constant))
            return false;
    }
    return true;
}

static bool condition_fails(const bounded_file *f, const expr *e)
{
    const expr *side;
    const value *bound;
    expr_op op;
    const pq_statistics *s;
    if (e->kind != EXPR_CALL)
        return false;
    switch (e->op) {
    case EXPR_AND:
        for (uint32_t i = 0; i < e->arg_count; i++)
            if (condition_fails(f, e->args[i]))
                return true;
        return false;
    case EXPR_OR:
        for (uint32_t i = 0; i < e->arg_count; i++)
            if (!condition_fails(f, e->args[i]))
                return false;
        return true;
    case EXPR_IN_LIST:
        return list_fails(f, e);
    case EXPR_IS_NULL:
        s = file_bounds_of(f, e->args[0]);
        return s && s->null_count == 0;
    case EXPR_EQ:
    case EXPR_LT:
    case EXPR_LE:
    case EXPR_GT:
    case EXPR_GE:
        return expr_comparison(e, &side, &op, &bound) && comparison_fails(f, side, op, bound);
    default:
        return false;
    }
}

bool file_bounds_may_hold(const plan_node *scan, const pq_told *facts)
{
    const bounded_file f = {scan, facts};
    for (size_t i = 0; i < scan->scan.filters.count; i++)
        if (condition_fails(&f, scan->scan.filters.items[i]))
            return false;
    return true;
}
