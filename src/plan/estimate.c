/* estimate.c - how many rows a node gives, from footers and rules of thumb. */
#include "parquet/table.h"
#include "plan/rewrite.h"

#include <math.h>

/* What nothing is known of. */
#define SHARE_EQUAL 0.05
#define SHARE_RANGE 0.3
#define SHARE_LIKE 0.1
#define SHARE_OTHER 0.3
#define SHARE_COMPUTED 0.1 /* a comparison with what aggregates or expressions give: HAVING */

/* The table's column behind an id, looked for below the node. */
static const pq_table_column *find_source(const plan_node *node, uint32_t id, uint64_t *rows)
{
    if (node->kind == PLAN_SCAN) {
        int index = plan_column_index(node, id);
        if (index < 0)
            return NULL;
        *rows = node->scan.table->row_count;
        return &node->scan.table->columns.items[node->scan.sources.items[index]];
    }
    if (node->kind == PLAN_AGGREGATE)
        for (size_t i = 0; i < node->aggregate.groups.count; i++)
            if (node->columns.items[i].id == id &&
                node->aggregate.groups.items[i]->kind == EXPR_COLUMN)
                id = node->aggregate.groups.items[i]->column_id;
    if (node->kind == PLAN_PROJECT)
        for (size_t i = 0; i < node->columns.count; i++)
            if (node->columns.items[i].id == id &&
                node->project.exprs.items[i]->kind == EXPR_COLUMN)
                id = node->project.exprs.items[i]->column_id;
    for (uint32_t i = 0; i < node->child_count; i++) {
        const pq_table_column *column = find_source(node->children[i], id, rows);
        if (column)
            return column;
    }
    return NULL;
}

double plan_distinct(const plan_node *const *relations, size_t relation_count, const expr *e,
                     double rows)
{
    while (e->kind == EXPR_CAST)
        e = e->args[0];
    if (e->kind != EXPR_COLUMN)
        return rows > 100 ? rows / 10 : rows;
    for (size_t r = 0; r < relation_count; r++) {
        uint64_t table_rows;
        const pq_table_column *column = find_source(relations[r], e->column_id, &table_rows);
        if (!column)
            continue;
        double distinct = (double)table_rows;
        if (column->has_range && (double)(column->max - column->min) + 1 < distinct)
            distinct = (double)(column->max - column->min) + 1;
        return distinct < rows ? distinct : rows;
    }
    return rows;
}

/* Where the constant lies between the column's bounds: 0 to 1. */
static double position_of(const pq_table_column *column, const value *v)
{
    double width = (double)(column->max - column->min);
    double at = (double)(value_int128(v) - column->min);
    return width <= 0 ? 0.5 : at < 0 ? 0 : at > width ? 1 : at / width;
}

static bool is_number_value(const value *v)
{
    return !v->is_null &&
           (type_is_integer(v->type) || v->type.id == TYPE_DECIMAL || type_is_time(v->type));
}

static double share_of_comparison(const plan_node *node, const expr *e)
{
    const expr *column = e->args[0], *constant = e->args[1];
    bool is_mirrored = column->kind == EXPR_CONSTANT;
    if (is_mirrored) {
        column = e->args[1];
        constant = e->args[0];
    }
    bool is_equal = e->op == EXPR_EQ;
    if (column->kind != EXPR_COLUMN || constant->kind != EXPR_CONSTANT)
        return is_equal ? SHARE_EQUAL : SHARE_RANGE;
    uint64_t rows;
    const pq_table_column *source = find_source(node, column->column_id, &rows);
    if (!source)
        return is_equal ? SHARE_EQUAL : SHARE_COMPUTED;
    if (!source->has_range || !is_number_value(&constant->constant) ||
        !type_equal(source->type, constant->constant.type))
        return is_equal ? SHARE_EQUAL : SHARE_RANGE;
    if (is_equal) {
        double width = (double)(source->max - source->min) + 1;
        return 1 / (width < (double)rows ? width : (double)rows + 1);
    }
    double below = position_of(source, &constant->constant);
    bool is_less = e->op == EXPR_LT || e->op == EXPR_LE;
    return is_less != is_mirrored ? below : 1 - below;
}

static double share_of(const plan_node *node, const expr *e)
{
    double share = 1;
    if (e->kind != EXPR_CALL)
        return SHARE_OTHER;
    switch (e->op) {
    case EXPR_AND:
        for (uint32_t i = 0; i < e->arg_count; i++)
            share *= share_of(node, e->args[i]);
        return share;
    case EXPR_OR:
        for (uint32_t i = 0; i < e->arg_count; i++)
            share *= 1 - share_of(node, e->args[i]);
        return 1 - share;
    case EXPR_NOT:
        return 1 - share_of(node, e->args[0]);
    case EXPR_EQ:
    case EXPR_LT:
    case EXPR_LE:
    case EXPR_GT:
    case EXPR_GE:
        return share_of_comparison(node, e);
    case EXPR_NE:
        return 0.9;
    case EXPR_IN_LIST:
        share = SHARE_EQUAL * (e->arg_count - 1);
        return share > 0.5 ? 0.5 : share;
    case EXPR_LIKE:
    case EXPR_ILIKE:
    case EXPR_STARTS_WITH:
        return SHARE_LIKE;
    default:
        return SHARE_OTHER;
    }
}

/* A column's id and direction, where a condition is a bound of a column: -1 above, 1 below, 0:
 * none. */
static int bound_of(const expr *e, uint32_t *out_column)
{
    if (e->kind != EXPR_CALL ||
        (e->op != EXPR_LT && e->op != EXPR_LE && e->op != EXPR_GT && e->op != EXPR_GE))
        return 0;
    bool is_mirrored = e->args[0]->kind == EXPR_CONSTANT;
    const expr *column = e->args[is_mirrored];
    if (column->kind != EXPR_COLUMN || e->args[!is_mirrored]->kind != EXPR_CONSTANT)
        return 0;
    *out_column = column->column_id;
    return (e->op == EXPR_LT || e->op == EXPR_LE) != is_mirrored ? 1 : -1;
}

/* The share of the condition among rows that meet those before it. An upper and a lower bound of
 * one column leave what is between. */
static double share_after(const plan_node *node, const expr_list *conditions, size_t number)
{
    double share = share_of(node, conditions->items[number]);
    uint32_t column, other;
    int direction = bound_of(conditions->items[number], &column);
    for (size_t i = 0; i < number && direction; i++)
        if (bound_of(conditions->items[i], &other) == -direction && other == column) {
            double before = share_of(node, conditions->items[i]), both = before + share - 1;
            return before > 0 && both > 0 ? both / before : 1e-3;
        }
    return share;
}

static double share_of_list(const plan_node *node, const expr_list *conditions)
{
    double share = 1;
    for (size_t i = 0; i < conditions->count; i++)
        share *= share_after(node, conditions, i);
    return share;
}

static double estimate_join(const plan_node *node)
{
    const plan_node *children[] = {node->children[0], node->children[1]};
    double left = children[0]->estimated_rows, right = children[1]->estimated_rows;
    double rows = left * right, keys = 1, largest = 1;
    for (size_t k = 0; k < node->join.left_keys.count; k++) {
        double l = plan_distinct(&children[0], 1, node->join.left_keys.items[k], left);
        double r = plan_distinct(&children[1], 1, node->join.right_keys.items[k], right);
        double larger = l > r ? l : r;
        keys *= larger < 1 ? 1 : larger;
        largest = larger > largest ? larger : largest;
    }
    /* Several keys together have no more values than the smaller side has rows. */
    double smaller = left < right ? left : right;
    if (keys > smaller)
        keys = smaller > largest ? smaller : largest;
    rows /= keys;
    if (node->join.residual)
        rows *= SHARE_RANGE;
    switch (node->join.type) {
    case JOIN_SEMI:
        return rows < left ? rows : left;
    case JOIN_ANTI:
    case JOIN_ANTI_NULL:
        return rows < left * 0.9 ? left - rows : left * 0.1;
    case JOIN_MARK:
    case JOIN_SINGLE:
        return left;
    case JOIN_LEFT:
        return rows > left ? rows : left;
    case JOIN_RIGHT:
        return rows > right ? rows : right;
    case JOIN_FULL:
        return rows > left + right ? rows : left + right;
    default:
        return rows;
    }
}

void plan_estimate(const plan_statement *statement, plan_node *node)
{
    double child = node->child_count ? node->children[0]->estimated_rows : 0, rows = child;
    switch (node->kind) {
    case PLAN_SCAN:
        rows = (double)node->scan.table->row_count * share_of_list(node, &node->scan.filters);
        break;
    case PLAN_VALUES:
        rows = (double)node->values.rows.count;
        break;
    case PLAN_FILTER:
        rows = child * share_of_list(node->children[0], &node->filter.conditions);
        break;
    case PLAN_AGGREGATE: {
        const plan_node *input = node->children[0];
        rows = 1;
        for (size_t i = 0; i < node->aggregate.groups.count; i++)
            rows *= plan_distinct(&input, 1, node->aggregate.groups.items[i], child);
        rows = rows > child && node->aggregate.groups.count ? child : rows;
        break;
    }
    case PLAN_JOIN:
        rows = estimate_join(node);
        break;
    case PLAN_SORT:
        rows = node->sort.has_limit && (double)node->sort.limit < child ? (double)node->sort.limit
                                                                        : child;
        break;
    case PLAN_LIMIT:
        rows = node->limit.has_limit && (double)node->limit.limit < child
                   ? (double)node->limit.limit
                   : child;
        break;
    case PLAN_UNION:
        for (uint32_t i = 1; i < node->child_count; i++)
            rows += node->children[i]->estimated_rows;
        break;
    case PLAN_SINGLE_ROW:
        rows = 1;
        break;
    case PLAN_SHARED:
        rows = statement->shared.items[node->shared.id]->estimated_rows;
        break;
    default:
        break;
    }
    node->estimated_rows = rows < 1 ? 1 : rows;
}
