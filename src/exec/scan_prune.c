/* scan_prune.c - row groups against conditions, by statistics and Bloom filters.
 *
 * A condition excludes a row group if it is true for none of its rows, so NULL counts as false.
 * Bounds are trusted to enclose the values, not to be among them: text may have been cut. */
#include "exec/scan_prune.h"

#include "parquet/bloom_probe.h"

/* A row group, seen by a scan. */
typedef struct target {
    const plan_node *plan;
    const pq_table *table;
    const file *file;
    const pq_metadata *metadata;
    const pq_row_group *group;
} target;

typedef struct column {
    const pq_leaf *leaf; /* NULL: not one of the table's */
    const pq_column_chunk *chunk;
    const pq_statistics *statistics;
} column;

static column find_column(const target *t, uint32_t column_id)
{
    int number = plan_column_index(t->plan, column_id);
    if (number < 0)
        return (column){0};
    uint32_t leaf = t->table->columns.items[t->plan->scan.sources.items[number]].leaf;
    const pq_column_chunk *chunk = &t->group->chunks[leaf];
    return (column){&t->metadata->leaves[leaf], chunk, &chunk->statistics};
}

static bool is_float(data_type type)
{
    return type.id == TYPE_FLOAT || type.id == TYPE_DOUBLE;
}

/* Bounds leave out NaN, which is above everything: it may be among any floats. */
static bool bounds_exclude(const pq_statistics *s, expr_op op, const value *bound)
{
    if (!s->has_min || !s->has_max || !type_equal(s->min.type, bound->type))
        return false;
    int low = value_compare(&s->min, bound);
    int high = is_float(bound->type) ? 1 : value_compare(&s->max, bound);
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

static bool comparison_excludes(const target *t, uint32_t column_id, expr_op op, const value *bound)
{
    column c = find_column(t, column_id);
    if (!c.leaf || bound->is_null)
        return false;
    return bounds_exclude(c.statistics, op, bound) ||
           (op == EXPR_EQ && pq_bloom_excludes(t->file, c.leaf, c.chunk, bound));
}

static bool list_excludes(const target *t, const expr *e)
{
    if (e->args[0]->kind != EXPR_COLUMN)
        return false;
    for (uint32_t i = 1; i < e->arg_count; i++) {
        const expr *item = e->args[i];
        if (item->kind != EXPR_CONSTANT)
            return false;
        if (!item->constant.is_null &&
            !comparison_excludes(t, e->args[0]->column_id, EXPR_EQ, &item->constant))
            return false;
    }
    return true;
}

static bool null_test_excludes(const target *t, const expr *e)
{
    if (e->args[0]->kind != EXPR_COLUMN)
        return false;
    column c = find_column(t, e->args[0]->column_id);
    int64_t excluding = e->op == EXPR_IS_NULL ? 0 : (int64_t)t->group->row_count;
    return c.leaf && c.statistics->null_count == excluding;
}

static expr_op mirrored(expr_op op)
{
    switch (op) {
    case EXPR_LT:
        return EXPR_GT;
    case EXPR_LE:
        return EXPR_GE;
    case EXPR_GT:
        return EXPR_LT;
    case EXPR_GE:
        return EXPR_LE;
    default:
        return op;
    }
}

static bool condition_excludes(const target *t, const expr *e)
{
    if (e->kind != EXPR_CALL)
        return false;
    switch (e->op) {
    case EXPR_AND:
        for (uint32_t i = 0; i < e->arg_count; i++)
            if (condition_excludes(t, e->args[i]))
                return true;
        return false;
    case EXPR_OR:
        for (uint32_t i = 0; i < e->arg_count; i++)
            if (!condition_excludes(t, e->args[i]))
                return false;
        return true;
    case EXPR_IN_LIST:
        return list_excludes(t, e);
    case EXPR_IS_NULL:
    case EXPR_IS_NOT_NULL:
        return null_test_excludes(t, e);
    case EXPR_EQ:
    case EXPR_LT:
    case EXPR_LE:
    case EXPR_GT:
    case EXPR_GE:
        break;
    default:
        return false;
    }
    const expr *left = e->args[0], *right = e->args[1];
    if (left->kind == EXPR_COLUMN && right->kind == EXPR_CONSTANT)
        return comparison_excludes(t, left->column_id, e->op, &right->constant);
    if (left->kind == EXPR_CONSTANT && right->kind == EXPR_COLUMN)
        return comparison_excludes(t, right->column_id, mirrored(e->op), &left->constant);
    return false;
}

static bool runtime_excludes(exec_query *query, const target *t, const plan_runtime_filter *planned)
{
    const runtime_filter *filter = exec_runtime_filter(query, planned->id);
    if (!atomic_load_explicit(&filter->is_published, memory_order_acquire))
        return false;
    if (filter->is_empty)
        return true;
    column c = find_column(t, planned->column_id);
    const pq_statistics *s = c.statistics;
    if (!filter->has_range || !s || !s->has_min || !s->has_max || type_is_text(s->min.type) ||
        is_float(s->min.type))
        return false;
    return value_int128(&s->min) > filter->range_max || value_int128(&s->max) < filter->range_min;
}

bool scan_prune(exec_query *query, const plan_node *plan, const pq_table *table, pq_morsel morsel)
{
    const pq_table_file *f = &table->files.items[morsel.file];
    target t = {.plan = plan,
                .table = table,
                .file = f->file,
                .metadata = f->metadata,
                .group = &f->metadata->row_groups[morsel.row_group]};
    for (size_t i = 0; i < plan->scan.filters.count; i++)
        if (condition_excludes(&t, plan->scan.filters.items[i]))
            return true;
    for (size_t i = 0; i < plan->scan.runtime_filters.count; i++)
        if (runtime_excludes(query, &t, &plan->scan.runtime_filters.items[i]))
            return true;
    return false;
}
