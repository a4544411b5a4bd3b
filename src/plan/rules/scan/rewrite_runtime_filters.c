/* rewrite_runtime_filters.c - which scans can drop rows by what a join's build side has: those that
 * give the probe side's key, or a column that joins on the way make equal to it, through nodes that
 * neither make rows of their own nor change it. */
#include "plan/rules/scan/rewrite_runtime_filters.h"

#include "base/system/guard.h"
#include "parquet/table/table.h"
#include "plan/tree/estimate.h"
#include "plan/tree/rule.h"

typedef struct offer {
    plan_statement *statement;
    uint32_t number; /* of the filter */
    double keys_max; /* distinct ones there may be; negative: rows are dropped on the way */
    bool is_beside;  /* to scans of another side than the join's own probe side */
    bool is_taken;
} offer;

static status runtime_filters_offer_below(offer *o, plan_node *node, uint32_t id);

const expr *plan_filter_column(const expr *e)
{
    while (e->kind == EXPR_CAST && type_is_integer(e->type) && type_is_integer(e->args[0]->type) &&
           e->args[0]->type.id != TYPE_UINT64)
        e = e->args[0];
    return e->kind == EXPR_COLUMN ? e : NULL;
}

static status runtime_filters_offer_scan(offer *o, plan_node *scan, uint32_t id)
{
    expr column = {.kind = EXPR_COLUMN, .column_id = id};
    double rows = (double)scan->scan.table->row_count;
    double distinct = plan_distinct(scan, &column, rows);
    if (o->keys_max * 2 > distinct)
        return STATUS_OK; /* a key for all of them, as far as one can tell */
    for (size_t i = 0; i < scan->scan.runtime_filters.count; i++)
        if (scan->scan.runtime_filters.items[i].id == o->number)
            return STATUS_OK;
    o->is_taken = true;
    return array_push(o->statement->memory, &scan->scan.runtime_filters,
                      ((plan_taken_filter){o->number, id, distinct, o->is_beside}));
}

/* The child's column behind a column that a projection or aggregate hands on. */
static status offer_expr(offer *o, plan_node *node, const expr_list *exprs, uint32_t id)
{
    for (size_t i = 0; i < exprs->count; i++)
        if (node->columns.items[i].id == id && plan_filter_column(exprs->items[i]))
            return runtime_filters_offer_below(o, node->children[0],
                                               plan_filter_column(exprs->items[i])->column_id);
    return STATUS_OK;
}

/* The filter concerns column `id` of one side of a join. Where the join needs that column equal to
 * one of the other side, the other side's rows without such a key only meet rows that are dropped.
 */
static status runtime_filters_offer_join(offer *o, plan_node *join, uint32_t id)
{
    plan_join_type type = join->join.type;
    bool is_left = plan_column_index(join->children[0], id) >= 0;
    /* Rows that the other side lacks come out with NULLs: only the kept side may lose rows. */
    if (is_left ? type == JOIN_RIGHT || type == JOIN_FULL
                : type != JOIN_INNER && type != JOIN_RIGHT)
        return STATUS_OK;
    TRY(runtime_filters_offer_below(o, join->children[is_left ? 0 : 1], id));
    /* A NULL on the right decides for all rows of NOT IN and for marks. */
    if (join->join.null_equal || type == JOIN_ANTI_NULL || type == JOIN_MARK)
        return STATUS_OK;
    const expr_list *mine = is_left ? &join->join.left_keys : &join->join.right_keys;
    const expr_list *others = is_left ? &join->join.right_keys : &join->join.left_keys;
    for (size_t k = 0; k < mine->count; k++) {
        const expr *own = plan_filter_column(mine->items[k]),
                   *other = plan_filter_column(others->items[k]);
        if (own && own->column_id == id && other)
            TRY(runtime_filters_offer_below(o, join->children[is_left ? 1 : 0], other->column_id));
    }
    return STATUS_OK;
}

static status runtime_filters_offer_below(offer *o, plan_node *node, uint32_t id)
{
    TRY(guard_check());
    switch (node->kind) {
    case PLAN_SCAN:
        return plan_column_index(node, id) >= 0 ? runtime_filters_offer_scan(o, node, id)
                                                : STATUS_OK;
    case PLAN_FILTER:
        return runtime_filters_offer_below(o, node->children[0], id);
    case PLAN_PROJECT:
        return offer_expr(o, node, &node->project.exprs, id);
    case PLAN_AGGREGATE:
        return offer_expr(o, node, &node->aggregate.groups, id);
    case PLAN_JOIN:
        return runtime_filters_offer_join(o, node, id);
    case PLAN_UNION:
        for (size_t i = 0; i < node->columns.count; i++)
            for (uint32_t c = 0; c < node->child_count && node->columns.items[i].id == id; c++)
                TRY(runtime_filters_offer_below(o, node->children[c],
                                                node->children[c]->columns.items[i].id));
        return STATUS_OK;
    default:
        return STATUS_OK;
    }
}

/* Returns whether a filter can be made of the key: it knows signed bounds of a range; of two values there is nothing
 * to drop. */
static bool is_filter_key(const expr *e)
{
    data_type type = e->type;
    return plan_filter_column(e) &&
           (type_is_text(type) || type_is_time(type) || type_is_numeric(type)) &&
           type.id != TYPE_UINT64;
}

/* Nothing below drops rows: it has all keys that there are, or nearly. */
static bool has_all_rows(const plan_node *node)
{
    bool is_join = node->kind == PLAN_JOIN && node->join.type != JOIN_SEMI &&
                   node->join.type != JOIN_ANTI && node->join.type != JOIN_ANTI_NULL &&
                   !node->join.ranges.count && !node->join.residual;
    if (node->kind == PLAN_SCAN)
        return !node->scan.filters.count;
    if (!is_join && node->kind != PLAN_PROJECT && node->kind != PLAN_AGGREGATE)
        return false;
    for (uint32_t i = 0; i < node->child_count; i++)
        if (!has_all_rows(node->children[i]))
            return false;
    return true;
}

plan_node *plan_build_side(const plan_node *join)
{
    return join->children[join->join.build_left ? 0 : 1];
}

bool plan_can_offer_key(const plan_node *join, size_t key)
{
    const expr *e =
        join->join.build_left ? join->join.right_keys.items[key] : join->join.left_keys.items[key];
    return is_filter_key(e) && !(join->join.null_equal && e->is_nullable);
}

/* The number of the filter that the join gives of its key already; false: it gives none. */
static bool find_given(const plan_node *join, size_t key, uint32_t *out)
{
    for (size_t i = 0; i < join->join.runtime_filters.count; i++)
        if (join->join.runtime_filters.items[i].key == key) {
            *out = join->join.runtime_filters.items[i].id;
            return true;
        }
    return false;
}

/* Whether it pays is seen by the scan, which drops a filter that drops no rows. A filter knows no
 * NULL. */
status plan_offer_key(plan_statement *s, plan_node *join, size_t key, plan_node *below, uint32_t id,
                      bool is_beside)
{
    const plan_node *build = plan_build_side(join);
    const expr_list *build_keys =
        join->join.build_left ? &join->join.left_keys : &join->join.right_keys;
    offer o = {
        .statement = s, .number = s->runtime_filter_count, .keys_max = -1, .is_beside = is_beside};
    bool is_given = find_given(join, key, &o.number);
    if (has_all_rows(build))
        o.keys_max = plan_distinct(build, build_keys->items[key], build->estimated_rows);
    TRY(runtime_filters_offer_below(&o, below, id));
    if (!o.is_taken || is_given)
        return STATUS_OK;
    s->runtime_filter_count++;
    return array_push(s->memory, &join->join.runtime_filters,
                      ((plan_given_filter){.id = o.number, .key = (uint32_t)key}));
}

status rewrite_offer_keys(plan_statement *s, plan_node *join)
{
    bool build_left = join->join.build_left;
    const expr_list *probe_keys = build_left ? &join->join.right_keys : &join->join.left_keys;
    for (size_t k = 0; k < probe_keys->count; k++)
        if (plan_can_offer_key(join, k))
            TRY(plan_offer_key(s, join, k, join->children[build_left ? 1 : 0],
                               plan_filter_column(probe_keys->items[k])->column_id, false));
    return STATUS_OK;
}

bool plan_drops_probe_rows(const plan_node *node)
{
    if (node->kind != PLAN_JOIN)
        return false;
    switch (node->join.type) {
    case JOIN_INNER:
    case JOIN_SEMI:
        return true;
    case JOIN_LEFT:
    case JOIN_ANTI:
        return node->join.build_left;
    case JOIN_RIGHT:
        return !node->join.build_left;
    default:
        return false;
    }
}

static status runtime_filters_walk(plan_statement *s, plan_node *node)
{
    TRY(guard_check());
    if (plan_drops_probe_rows(node))
        TRY(rewrite_offer_keys(s, node));
    for (uint32_t i = 0; i < node->child_count; i++)
        TRY(runtime_filters_walk(s, node->children[i]));
    return STATUS_OK;
}

status rewrite_runtime_filters(plan_statement *statement)
{
    for (size_t i = 0; i < statement->shared.count; i++)
        TRY(runtime_filters_walk(statement, statement->shared.items[i]));
    return runtime_filters_walk(statement, statement->root);
}
