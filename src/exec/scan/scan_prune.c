/* scan_prune.c - row groups and pages against conditions, by statistics and Bloom filters.
 *
 * A condition excludes rows if it is true for none of them, so NULL counts as false.
 * Bounds are trusted to enclose the values, not to be among them: text may have been cut. */
#include "exec/scan/scan_prune.h"

#include "exec/scan/scan_bound.h"
#include "parquet/read/bloom_probe.h"
#include "plan/facts/value_range.h"

#include <string.h>

/* A row group, or the rows of one page of a column, seen by a scan. */
typedef struct target {
    const plan_node *plan;
    const pq_table *table;
    const file *file;
    const pq_metadata *metadata;
    const pq_row_group *group;
    uint64_t row_count;
    /* A page's column, the only one of which anything is known, and its statistics. */
    const pq_statistics *page;
    uint32_t page_column;
    const expr_list *bounds; /* of sorts with a limit, as conditions; NULL: none */
    bool is_bound;           /* Bloom filters are not asked: nothing may be read */
    bool replaces_text;      /* what is read of a text need not be within its bounds */
    bool is_expecting;       /* Bloom filters are not asked: it is said that they will be */
} target;

typedef struct column {
    const pq_leaf *leaf; /* NULL: not one of the table's */
    const pq_column_chunk *chunk;
    const pq_statistics *statistics;
} column;

static column scan_prune_find_column(const target *t, uint32_t column_id)
{
    int number = plan_column_index(t->plan, column_id);
    if (number < 0 || (t->page && column_id != t->page_column))
        return (column){0};
    const pq_table_column *source = &t->table->columns.items[t->plan->scan.sources.items[number]];
    uint32_t leaf = source->leaf;
    if (type_is_nested(source->type))
        return (column){0};
    const pq_column_chunk *chunk = &t->group->chunks[leaf];
    return (column){&t->metadata->leaves[leaf], chunk, t->page ? t->page : &chunk->statistics};
}

/* The expression that the host computes for a lazy device, or the column whose bytes that device has
 * (plan/rules/nested/pack_columns.h). */
static const expr *inside(const expr *e)
{
    while (e->kind == EXPR_CALL && (e->op == EXPR_ON_HOST || e->op == EXPR_NESTED_OF_BYTES))
        e = e->args[0];
    return e;
}

static bool is_field(const expr *e)
{
    return e->kind == EXPR_CALL && e->op == EXPR_STRUCT_FIELD;
}

/* Finds the part of a file's nested column that a field of a field is; NULL: the expression is not one. */
static const pq_node *field_node(const target *t, const expr *e)
{
    if (is_field(e)) {
        const pq_node *node = field_node(t, inside(e->args[0]));
        uint64_t child = node ? (uint64_t)value_int128(&e->args[1]->constant) : 0;
        return node && child < node->child_count ? node->children[child] : NULL;
    }
    int number = e->kind == EXPR_COLUMN ? plan_column_index(t->plan, e->column_id) : -1;
    if (number < 0)
        return NULL;
    const pq_table_column *source = &t->table->columns.items[t->plan->scan.sources.items[number]];
    return type_is_nested(source->type) ? t->metadata->leaves[source->leaf].node : NULL;
}

/* A column of the table, or the leaf of a struct: it has a value for each row, NULL where the struct is. */
static column find_values(const target *t, const expr *e)
{
    if (!is_field(e))
        return scan_prune_find_column(t, e->column_id);
    const pq_node *node = t->page ? NULL : field_node(t, e);
    if (!node || node->child_count || node->repetition)
        return (column){0};
    const pq_column_chunk *chunk = &t->group->chunks[node->leaf];
    return (column){&t->metadata->leaves[node->leaf], chunk, &chunk->statistics};
}

static bool scan_prune_is_float(data_type type)
{
    return type.id == TYPE_FLOAT || type.id == TYPE_DOUBLE;
}

/* ---- casts ---- */

static bool scan_prune_is_column(const expr *e)
{
    return e->kind == EXPR_COLUMN || is_field(e);
}

/* The column or field itself, or one whose order a cast keeps; NULL: neither. */
static const expr *column_below(const expr *e)
{
    e = inside(e);
    if (scan_prune_is_column(e))
        return e;
    const expr *arg = e->kind == EXPR_CAST ? inside(e->args[0]) : NULL;
    return arg && scan_prune_is_column(arg) && value_cast_keeps_order(arg->type, e->type) ? arg
                                                                                          : NULL;
}

/* Makes the statistics of a column's cast of the column's. */
static bool cast_statistics(const pq_statistics *s, data_type to, pq_statistics *out)
{
    value_range below = {.is_bounded = s->has_min && s->has_max, .min = s->min, .max = s->max},
                range;
    *out = *s;
    if (!value_range_cast(&below, to, &range))
        return false;
    out->min = range.min;
    out->max = range.max;
    return true;
}

/* ---- conditions ---- */

/* Bounds leave out NaN, which is above everything: it may be among any floats. */
static bool bounds_exclude(const pq_statistics *s, bool has_nan, expr_op op, const value *bound)
{
    if (!s->has_min || !s->has_max || !type_equal(s->min.type, bound->type))
        return false;
    int low = value_compare(&s->min, bound);
    int high = has_nan ? 1 : value_compare(&s->max, bound);
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

static bool bloom_excludes(const target *t, const column *c, const value *bound)
{
    if (t->page || t->is_bound)
        return false;
    if (!t->is_expecting)
        return pq_bloom_excludes(t->file, c->leaf, c->chunk, bound);
    pq_bloom_expect(t->file, c->leaf, c->chunk, bound);
    return false;
}

/* side: a column, or its cast. */
static bool comparison_excludes(const target *t, const expr *side, expr_op op, const value *bound)
{
    const expr *below = column_below(side);
    column c = below ? find_values(t, below) : (column){0};
    bool has_nan = below && scan_prune_is_float(below->type);
    pq_statistics statistics;
    if (!c.leaf || bound->is_null)
        return false;
    if (c.statistics->null_count == (int64_t)t->row_count)
        return true;
    if (t->replaces_text && below->type.id == TYPE_VARCHAR)
        return false;
    if (below != side)
        return cast_statistics(c.statistics, side->type, &statistics) &&
               bounds_exclude(&statistics, has_nan, op, bound);
    return bounds_exclude(c.statistics, has_nan, op, bound) ||
           (op == EXPR_EQ && bloom_excludes(t, &c, bound));
}

static bool list_excludes(const target *t, const expr *e)
{
    for (uint32_t i = 1; i < e->arg_count; i++) {
        const expr *item = e->args[i];
        if (item->kind != EXPR_CONSTANT)
            return false;
        if (!item->constant.is_null &&
            !comparison_excludes(t, e->args[0], EXPR_EQ, &item->constant))
            return false;
    }
    return true;
}

static bool null_test_excludes(const target *t, const expr *e)
{
    const expr *below = column_below(e->args[0]);
    column c = below && !is_field(below) ? find_values(t, below) : (column){0};
    int64_t excluding = e->op == EXPR_IS_NULL ? 0 : (int64_t)t->row_count;
    return c.leaf && c.statistics->null_count == excluding;
}

static bool condition_excludes(const target *t, const expr *e)
{
    const expr *side;
    const value *bound;
    expr_op op;
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
        return expr_comparison(e, &side, &op, &bound) && comparison_excludes(t, side, op, bound);
    default:
        return false;
    }
}

static bool runtime_excludes(exec_query *query, const target *t, const plan_taken_filter *planned)
{
    const runtime_filter *filter = exec_runtime_filter(query, planned->id);
    if (!atomic_load_explicit(&filter->is_published, memory_order_acquire))
        return false;
    if (filter->is_empty)
        return true;
    column c = scan_prune_find_column(t, planned->column_id);
    const pq_statistics *s = c.statistics;
    if (!filter->has_range || !s || !s->has_min || !s->has_max || type_is_text(s->min.type) ||
        scan_prune_is_float(s->min.type))
        return false;
    return value_int128(&s->min) > filter->range_max || value_int128(&s->max) < filter->range_min;
}

static target scan_prune_target_of(const plan_statement *statement, const plan_node *plan,
                                   const pq_table *table, pq_row_group_ref group_ref)
{
    const pq_table_file *f = &table->files.items[group_ref.file];
    const pq_row_group *group = &f->metadata->row_groups[group_ref.row_group];
    return (target){.plan = plan,
                    .table = table,
                    .file = f->file,
                    .metadata = f->metadata,
                    .group = group,
                    .replaces_text = statement->replaces_text,
                    .row_count = group->row_count};
}

static bool bounds_exclude_all(const target *t)
{
    target bound = *t;
    bound.is_bound = true;
    for (size_t i = 0; t->bounds && i < t->bounds->count; i++)
        if (condition_excludes(&bound, t->bounds->items[i]))
            return true;
    return false;
}

static bool any_runtime_excludes(exec_query *query, const target *t)
{
    const plan_node *plan = t->plan;
    for (size_t i = 0; i < plan->scan.runtime_filters.count; i++)
        if (runtime_excludes(query, t, &plan->scan.runtime_filters.items[i]))
            return true;
    return bounds_exclude_all(t);
}

static bool filters_exclude(const target *t)
{
    const expr_list *filters = &t->plan->scan.filters;
    for (size_t i = 0; i < filters->count; i++)
        if (condition_excludes(t, filters->items[i]))
            return true;
    return false;
}

static bool scan_prune_is_excluded(exec_query *query, const target *t)
{
    return filters_exclude(t) || any_runtime_excludes(query, t);
}

bool scan_prune_footer(const plan_statement *statement, const plan_node *plan,
                       const pq_table *table, pq_row_group_ref group_ref)
{
    target t = scan_prune_target_of(statement, plan, table, group_ref);
    t.is_bound = true; /* Bloom filters would have to be read */
    return filters_exclude(&t);
}

bool scan_prune(exec_query *query, const plan_node *plan, const pq_table *table,
                pq_row_group_ref group_ref)
{
    scan_bounds bounds;
    target t = scan_prune_target_of(query->statement, plan, table, group_ref);
    scan_bounds_open(query, plan, &bounds);
    t.bounds = &bounds.conditions;
    bool result = scan_prune_is_excluded(query, &t);
    scan_bounds_close(&bounds);
    return result;
}

static void expect_indexes(const target *t, pq_row_group_ref group_ref, const expr *e)
{
    const pq_footer *footer = t->table->files.items[group_ref.file].footer;
    if (e->kind == EXPR_COLUMN) {
        column c = scan_prune_find_column(t, e->column_id);
        if (c.leaf && c.chunk->column_index.bytes && c.chunk->offset_index.bytes &&
            !pq_footer_knows_indexes(footer, group_ref.row_group, c.leaf->number)) {
            file_expect_read(t->file, c.chunk->column_index.offset, c.chunk->column_index.bytes);
            file_expect_read(t->file, c.chunk->offset_index.offset, c.chunk->offset_index.bytes);
        }
        return;
    }
    for (uint32_t i = 0; i < e->arg_count; i++)
        expect_indexes(t, group_ref, e->args[i]);
}

void scan_prune_expect(exec_query *query, const plan_node *plan, const pq_table *table,
                       pq_row_group_ref group_ref)
{
    target t = scan_prune_target_of(query->statement, plan, table, group_ref);
    t.is_expecting = true;
    if (plan->scan.filters.count && !scan_prune_is_excluded(query, &t))
        for (size_t i = 0; i < plan->scan.filters.count; i++)
            expect_indexes(&t, group_ref, plan->scan.filters.items[i]);
}

bool scan_prune_runtime(exec_query *query, const plan_node *plan, const pq_table *table,
                        pq_row_group_ref group_ref)
{
    scan_bounds bounds;
    target t = scan_prune_target_of(query->statement, plan, table, group_ref);
    scan_bounds_open(query, plan, &bounds);
    t.bounds = &bounds.conditions;
    bool result = any_runtime_excludes(query, &t);
    scan_bounds_close(&bounds);
    return result;
}

/* ---- pages ---- */

typedef struct page_walk {
    exec_query *query;
    target target;
    pq_row_group_ref group_ref;
    arena *memory;
    uint64_t alignment;
    bool *is_dropped; /* by unit of `alignment` rows */
} page_walk;

/* Units that lie wholly in [first, end) hold no row that is wanted. */
static void scan_prune_drop_rows(page_walk *w, uint64_t first, uint64_t end)
{
    uint64_t rows = w->target.group->row_count;
    uint64_t unit = (first + w->alignment - 1) / w->alignment;
    uint64_t last = end == rows ? (rows + w->alignment - 1) / w->alignment : end / w->alignment;
    for (; unit < last; unit++)
        w->is_dropped[unit] = true;
}

static void drop_pages(page_walk *w, uint32_t column_id)
{
    target *t = &w->target;
    column c = scan_prune_find_column(t, column_id);
    if (!c.leaf || !c.chunk->column_index.bytes || !c.chunk->offset_index.bytes)
        return;
    uint32_t leaf = c.leaf->number;
    pq_footer *footer = t->table->files.items[w->group_ref.file].footer;
    const pq_offset_index *places =
        pq_footer_offset_index(footer, t->file, w->group_ref.row_group, leaf);
    if (!places || places->page_count < 2)
        return;
    const pq_column_index *bounds =
        pq_footer_column_index(footer, t->file, w->group_ref.row_group, leaf);
    if (!bounds ||
        !pq_indexes_agree(c.leaf, &c.chunk->statistics, t->group->row_count, places, bounds))
        return;
    t->page_column = column_id;
    uint64_t run = 0; /* where the pages that are dropped, up to this one, begin */
    for (uint32_t p = 0; p < places->page_count; p++) {
        uint64_t first = places->pages[p].first_row;
        uint64_t end =
            p + 1 < places->page_count ? places->pages[p + 1].first_row : t->group->row_count;
        pq_statistics statistics = bounds->pages[p];
        t->row_count = end - first;
        if (bounds->is_null[p])
            statistics.null_count = (int64_t)t->row_count;
        t->page = &statistics;
        if (scan_prune_is_excluded(w->query, t))
            scan_prune_drop_rows(w, run, end);
        else
            run = end;
    }
    t->page = NULL;
}

static void visit_columns(page_walk *w, const expr *e, uint64_t *seen)
{
    if (e->kind == EXPR_COLUMN) {
        int number = plan_column_index(w->target.plan, e->column_id);
        if (number < 0 || number >= 64 || *seen >> number & 1)
            return;
        *seen |= (uint64_t)1 << number;
        drop_pages(w, e->column_id);
        return;
    }
    for (uint32_t i = 0; i < e->arg_count; i++)
        visit_columns(w, e->args[i], seen);
}

static status list_ranges(const page_walk *w, pq_row_list *out)
{
    uint64_t rows = w->target.group->row_count, count = (rows + w->alignment - 1) / w->alignment;
    for (uint64_t i = 0; i < count;) {
        const bool *kept = memchr(w->is_dropped + i, false, count - i);
        if (!kept)
            break;
        const bool *dropped = memchr(kept, true, count - (uint64_t)(kept - w->is_dropped));
        i = dropped ? (uint64_t)(dropped - w->is_dropped) : count;
        TRY(array_push(NULL, out,
                       ((pq_row_range){(uint64_t)(kept - w->is_dropped) * w->alignment,
                                       dropped ? i * w->alignment : rows})));
    }
    return STATUS_OK;
}

status scan_prune_pages(exec_query *query, const plan_node *plan, const pq_table *table,
                        pq_row_group_ref group_ref, uint64_t alignment, pq_row_list *out)
{
    page_walk w = {.query = query,
                   .target = scan_prune_target_of(query->statement, plan, table, group_ref),
                   .group_ref = group_ref,
                   .alignment = alignment};
    uint64_t rows = w.target.group->row_count, seen = 0;
    bool has_index = false;
    for (uint32_t c = 0; c < w.target.metadata->leaf_count && !has_index; c++)
        has_index = w.target.group->chunks[c].column_index.bytes != 0;
    if (!has_index || (!plan->scan.filters.count && !plan->scan.runtime_filters.count &&
                       !plan->scan.bounds.count))
        return array_push(NULL, out, ((pq_row_range){0, rows}));
    TRY(arena_new(&w.memory));
    w.is_dropped = arena_alloc(w.memory, rows / alignment + 1);
    scan_bounds bounds;
    scan_bounds_open(query, plan, &bounds);
    w.target.bounds = &bounds.conditions;
    status st = w.is_dropped ? STATUS_OK : status_no_memory("scan", rows / alignment + 1);
    for (size_t i = 0; i < plan->scan.filters.count && !st; i++)
        visit_columns(&w, plan->scan.filters.items[i], &seen);
    for (size_t i = 0; i < plan->scan.runtime_filters.count && !st; i++) {
        expr column = {.kind = EXPR_COLUMN,
                       .column_id = plan->scan.runtime_filters.items[i].column_id};
        visit_columns(&w, &column, &seen);
    }
    for (size_t i = 0; i < bounds.conditions.count && !st; i++)
        visit_columns(&w, bounds.conditions.items[i], &seen);
    if (!st)
        st = list_ranges(&w, out);
    scan_bounds_close(&bounds);
    arena_free(w.memory);
    return st;
}
