/* rewrite_footers.c - aggregates of a whole table that the footers of its files answer: count(*),
 * count of a column, min and max where each row group says that its bounds are values which occur.
 *
 * Such an aggregate becomes a constant; if there are others beside it, these still read the rows.
 * Floats stay: a NaN is outside of their bounds, and the sign of a zero is not told. */
#include "base/system/guard.h"
#include "parquet/table/table.h"
#include "plan/edit/shared.h"
#include "plan/rules/scan/rewrite_files.h"
#include "plan/tree/expr.h"
#include "plan/tree/plan.h"
#include "plan/tree/rule.h"

static status footers_no_memory(void)
{
    return status_no_memory("plan", sizeof(plan_node));
}

/* The scan below projections, if there is nothing else between; else NULL. */
static plan_node *footers_find_scan(plan_node *node)
{
    while (node->kind == PLAN_PROJECT)
        node = node->children[0];
    bool is_whole = node->kind == PLAN_SCAN && !node->scan.filters.count &&
                    !pq_table_has_deleted(node->scan.table);
    return is_whole ? node : NULL;
}

/* e as an expression over the scan, if it is a column or constant of each node on the way; else
 * NULL. */
static const expr *footers_over_scan(const plan_node *node, const expr *e)
{
    for (; e->kind == EXPR_COLUMN && node->kind == PLAN_PROJECT; node = node->children[0]) {
        int number = plan_column_index(node, e->column_id);
        if (number < 0)
            return NULL;
        e = node->project.exprs.items[number];
    }
    return e->kind == EXPR_COLUMN || e->kind == EXPR_CONSTANT ? e : NULL;
}

/* ---- what footers say of a column ---- */

typedef struct footer_column {
    const pq_table *table;
    const pq_table_column *column;
} footer_column;

/* Finds a column. False: it is not one that can be read. */
static bool footers_find_column(const plan_node *scan, uint32_t id, footer_column *out)
{
    int number = plan_column_index(scan, id);
    if (number < 0)
        return false;
    uint32_t source = scan->scan.sources.items[number];
    *out = (footer_column){scan->scan.table, &scan->scan.table->columns.items[source]};
    status st = pq_table_check_column(out->table, source);
    bool is_read = !st && !type_is_nested(out->column->type);
    status_free(st);
    return is_read;
}

typedef struct footer_part {
    const pq_leaf *leaf;
    const pq_statistics *statistics;
    uint64_t row_count;
} footer_part;

static footer_part footers_part_of(const footer_column *c, size_t number)
{
    pq_row_group_ref ref = c->table->row_groups.items[number];
    const pq_metadata *m = c->table->files.items[ref.file].metadata;
    const pq_row_group *group = &m->row_groups[ref.row_group];
    return (footer_part){&m->leaves[c->column->leaf], &group->chunks[c->column->leaf].statistics,
                         group->row_count};
}

/* NULLs of the row group; false: it does not say, or more than there are rows. */
static bool count_nulls(const footer_part *part, uint64_t *out)
{
    *out = 0;
    if (!part->leaf->max_definition)
        return true;
    *out = (uint64_t)part->statistics->null_count;
    return part->statistics->null_count >= 0 && *out <= part->row_count;
}

static uint64_t footers_count_rows(const pq_table *table)
{
    uint64_t rows = 0;
    for (size_t i = 0; i < table->row_groups.count; i++) {
        pq_row_group_ref ref = table->row_groups.items[i];
        rows += table->files.items[ref.file].metadata->row_groups[ref.row_group].row_count;
    }
    return rows;
}

static bool footers_count_values(const footer_column *c, uint64_t *out)
{
    *out = 0;
    for (size_t i = 0; i < c->table->row_groups.count; i++) {
        footer_part part = footers_part_of(c, i);
        uint64_t nulls;
        if (!count_nulls(&part, &nulls))
            return false;
        *out += part.row_count - nulls;
    }
    return true;
}

/* Text of a fixed length is cut by writers that have no way to say so. */
static bool has_exact_bounds(const footer_part *part)
{
    const data_type type = part->leaf->type;
    return type.id != TYPE_FLOAT && type.id != TYPE_DOUBLE && type.id != TYPE_INTERVAL &&
           !(type_is_text(type) && part->leaf->physical == PQ_FIXED_LEN_BYTE_ARRAY);
}

/* The least or greatest value; is_null: there is none. False: it is not known. */
static bool footers_find_bound(const footer_column *c, bool is_min, value *out)
{
    *out = value_null(c->column->type);
    for (size_t i = 0; i < c->table->row_groups.count; i++) {
        footer_part part = footers_part_of(c, i);
        const pq_statistics *s = part.statistics;
        const value *bound = is_min ? &s->min : &s->max;
        uint64_t nulls;
        if (count_nulls(&part, &nulls) && nulls == part.row_count)
            continue;
        if (!has_exact_bounds(&part) || !(is_min ? s->is_min_exact : s->is_max_exact))
            return false;
        if (out->is_null ||
            (is_min ? value_compare(bound, out) < 0 : value_compare(bound, out) > 0))
            *out = *bound;
    }
    return true;
}

/* ---- aggregates ---- */

static bool set_count(uint64_t count, value *out)
{
    *out = value_int(TYPE_INT64, (int64_t)count);
    return count <= INT64_MAX;
}

/* The aggregate's value, if the footers tell it. */
static bool footers_find_value(const plan_statement *s, const plan_node *node,
                               const plan_node *scan, const plan_aggregate *a, value *out)
{
    uint64_t count = 0;
    footer_column column;
    if (a->filter)
        return false;
    if (a->function == AGGREGATE_COUNT_STAR)
        return set_count(footers_count_rows(scan->scan.table), out);
    const expr *argument = footers_over_scan(node->children[0], a->argument);
    if (!argument || argument->kind != EXPR_COLUMN ||
        !footers_find_column(scan, argument->column_id, &column))
        return false;
    if (a->function == AGGREGATE_COUNT && !a->is_distinct)
        return footers_count_values(&column, &count) && set_count(count, out);
    if (s->replaces_text && column.column->type.id == TYPE_VARCHAR)
        return false;
    return (a->function == AGGREGATE_MIN || a->function == AGGREGATE_MAX) &&
           footers_find_bound(&column, a->function == AGGREGATE_MIN, out);
}

/* NULL where the footers do not tell it. */
static status footers_answer(plan_statement *s, const plan_node *node, const plan_node *scan,
                             size_t number, expr **out)
{
    const plan_aggregate *a = &node->aggregate.aggregates.items[number];
    value v;
    *out = NULL;
    if (!footers_find_value(s, node, scan, a, &v) ||
        !type_equal(v.type, node->columns.items[number].type))
        return STATUS_OK;
    if (type_is_text(v.type) && !v.is_null) {
        v.text = arena_copy_text(s->memory, v.text, v.bytes);
        if (!v.text)
            return status_no_memory("plan", v.bytes);
    }
    v.type.width = node->columns.items[number].type.width;
    *out = expr_new_constant(s->memory, &v, a->position);
    return *out ? STATUS_OK : footers_no_memory();
}

/* ---- plans ---- */

static status use_values(plan_statement *s, plan_node *node, expr **exprs, plan_node **out)
{
    plan_node *values = plan_node_new(s->memory, PLAN_VALUES, 0);
    if (!values)
        return footers_no_memory();
    values->columns = node->columns;
    values->position = node->position;
    *out = values;
    return array_push(s->memory, &values->values.rows, exprs);
}

/* A projection gives constants in the place of those aggregates that are known; the node has the
 * others. */
static status use_projection(plan_statement *s, plan_node *node, expr **exprs, plan_node **out)
{
    plan_node *project = plan_node_new(s->memory, PLAN_PROJECT, 1);
    plan_column_list kept = {0};
    if (!project)
        return footers_no_memory();
    for (size_t i = 0; i < node->columns.count; i++) {
        const plan_column *column = &node->columns.items[i];
        expr *e = exprs[i];
        if (!e) {
            node->aggregate.aggregates.items[kept.count] = node->aggregate.aggregates.items[i];
            TRY(array_push(s->memory, &kept, *column));
            e = plan_column_expr(s->memory, column);
        }
        if (!e)
            return footers_no_memory();
        TRY(array_push(s->memory, &project->project.exprs, e));
    }
    project->columns = node->columns;
    project->position = node->position;
    project->children[0] = node;
    node->columns = kept;
    node->aggregate.aggregates.count = kept.count;
    *out = project;
    return STATUS_OK;
}

static status footers_rewrite_aggregate(plan_statement *s, plan_node *node, plan_node **out)
{
    size_t count = node->aggregate.aggregates.count, known = 0;
    plan_node *scan = footers_find_scan(node->children[0]);
    if (!scan || node->aggregate.groups.count || !count)
        return STATUS_OK;
    TRY(plan_open_scan(s, scan)); /* nothing leaves out files of it */
    expr **exprs = arena_alloc_array(s->memory, count, sizeof *exprs);
    if (!exprs)
        return footers_no_memory();
    for (size_t i = 0; i < count; i++) {
        TRY(footers_answer(s, node, scan, i, &exprs[i]));
        known += exprs[i] != NULL;
    }
    if (!known)
        return STATUS_OK;
    return known == count ? use_values(s, node, exprs, out) : use_projection(s, node, exprs, out);
}

static status footers_rewrite(plan_statement *s, plan_node *node, plan_node **out)
{
    TRY(guard_check());
    *out = node;
    for (uint32_t i = 0; i < node->child_count; i++)
        TRY(footers_rewrite(s, node->children[i], &node->children[i]));
    return node->kind == PLAN_AGGREGATE ? footers_rewrite_aggregate(s, node, out) : STATUS_OK;
}

status rewrite_footers(plan_statement *statement)
{
    return plan_each_tree(statement, footers_rewrite);
}
