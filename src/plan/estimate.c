/* estimate.c - how many rows a node gives, from footers and rules of thumb. */
#include "parquet/read/table.h"
#include "plan/rewrite.h"

#include <math.h>

/* What nothing is known of. */
#define SHARE_EQUAL 0.05
#define SHARE_RANGE 0.3
#define SHARE_LIKE 0.1
#define SHARE_COLUMNS 0.5 /* one column less than another */
#define SHARE_OTHER 0.3
#define SHARE_COMPUTED 0.1 /* a comparison with what aggregates or expressions give: HAVING */
#define SHARE_LEAST 1e-4

/* What a column comes from: a table's column, an aggregate, or another expression. */
typedef struct origin {
    const pq_table_column *column;
    double table_rows; /* with column */
    const expr *computed;
    const plan_aggregate *aggregate;
    const plan_node *maker; /* with computed and aggregate: the node that makes it */
} origin;

static bool find_origin(const plan_node *node, uint32_t id, origin *out)
{
    if (node->kind == PLAN_SCAN) {
        int index = plan_column_index(node, id);
        if (index < 0)
            return false;
        *out = (origin){.column = &node->scan.table->columns.items[node->scan.sources.items[index]],
                        .table_rows = (double)node->scan.table->row_count};
        return true;
    }
    if (node->kind == PLAN_PROJECT || node->kind == PLAN_AGGREGATE) {
        bool is_aggregate = node->kind == PLAN_AGGREGATE;
        const expr_list *exprs = is_aggregate ? &node->aggregate.groups : &node->project.exprs;
        int index = plan_column_index(node, id);
        if (index < 0)
            return false;
        size_t at = (size_t)index;
        if (at >= exprs->count) {
            *out = (origin){.aggregate = &node->aggregate.aggregates.items[at - exprs->count],
                            .maker = node};
            return true;
        }
        const expr *e = exprs->items[at];
        if (e->kind == EXPR_COLUMN)
            return find_origin(node->children[0], e->column_id, out);
        *out = (origin){.computed = e, .maker = node};
        return true;
    }
    for (uint32_t i = 0; i < node->child_count; i++)
        if (find_origin(node->children[i], id, out))
            return true;
    return false;
}

/* ---- distinct values ---- */

/* How many values a part of a date can have, between the bounds of what it is taken from. */
static double distinct_of_part(const plan_node *node, const expr *e)
{
    static const struct {
        const char *field;
        double count;
    } fields[] = {{"month", 12}, {"quarter", 4}, {"day", 31},    {"dow", 7},     {"isodow", 7},
                  {"week", 53},  {"doy", 366},   {"minute", 60}, {"second", 60}, {"hour", 24}};
    const expr *field = e->args[0], *time = e->args[1];
    origin from;
    if (field->kind != EXPR_CONSTANT || field->constant.is_null || !type_is_text(field->type))
        return -1;
    const value *name = &field->constant;
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (name->bytes == strlen(fields[i].field) &&
            !memcmp(name->text, fields[i].field, name->bytes))
            return fields[i].count;
    if (name->bytes != 4 || memcmp(name->text, "year", 4) != 0 || time->kind != EXPR_COLUMN ||
        time->type.id != TYPE_DATE || !find_origin(node, time->column_id, &from) || !from.column ||
        !from.column->has_range)
        return -1;
    return (double)(from.column->max - from.column->min) / 365 + 1;
}

/* Distinct values of an expression over the node's rows; negative: not known. */
static double known_distinct(const plan_node *node, const expr *e)
{
    origin from;
    while (e->kind == EXPR_CAST)
        e = e->args[0];
    if (e->kind == EXPR_CONSTANT)
        return 1;
    if (e->kind == EXPR_CALL && e->op == EXPR_DATE_PART)
        return distinct_of_part(node, e);
    if (e->kind != EXPR_COLUMN || !find_origin(node, e->column_id, &from))
        return -1;
    if (from.computed)
        return known_distinct(from.maker->children[0], from.computed);
    if (from.aggregate)
        return -1;
    double counted = (double)from.column->distinct_count;
    if (counted >= 0)
        return counted < 1 ? 1 : counted;
    if (!from.column->has_range)
        return -1;
    double width = (double)(from.column->max - from.column->min) + 1;
    return width < from.table_rows ? width : from.table_rows;
}

/* Rows of the table that a column comes from, before any condition; negative: not known. */
static double base_rows(const plan_node *node, const expr *e)
{
    origin from;
    while (e->kind == EXPR_CAST)
        e = e->args[0];
    bool is_known = e->kind == EXPR_COLUMN && find_origin(node, e->column_id, &from);
    return is_known && from.column ? from.table_rows : -1;
}

/* Distinct values among `rows` rows; a guess where they are not known. */
double plan_distinct(const plan_node *node, const expr *e, double rows)
{
    double distinct = known_distinct(node, e);
    while (e->kind == EXPR_CAST)
        e = e->args[0];
    if (distinct < 0)
        distinct = base_rows(node, e);
    if (distinct < 0)
        distinct = e->kind == EXPR_COLUMN || rows <= 100 ? rows : rows / 10;
    return distinct < rows ? distinct : rows;
}

/* ---- conditions ---- */

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

static double as_double(int128 number, data_type type)
{
    return (double)number / (double)power_of_ten(type.scale);
}

/* The share of groups whose sum, count or average is above a number: as if the rows of a group were
 * a Poisson number of draws, each evenly from between the column's bounds. */
static double share_above(const origin *from, double number)
{
    const plan_aggregate *a = from->aggregate;
    const plan_node *input = from->maker->children[0];
    double n = input->estimated_rows / from->maker->estimated_rows, mean = n, variance = n;
    origin argument = {0};
    if (a->function == AGGREGATE_SUM || a->function == AGGREGATE_AVG) {
        if (a->argument->kind != EXPR_COLUMN ||
            !find_origin(input, a->argument->column_id, &argument) || !argument.column ||
            !argument.column->has_range)
            return SHARE_COMPUTED;
        double min = as_double(argument.column->min, argument.column->type);
        double max = as_double(argument.column->max, argument.column->type);
        double middle = (min + max) / 2, spread = (max - min) * (max - min) / 12;
        bool is_sum = a->function == AGGREGATE_SUM;
        mean = is_sum ? n * middle : middle;
        variance = is_sum ? n * (spread + middle * middle) : spread / n;
    } else if (a->function != AGGREGATE_COUNT && a->function != AGGREGATE_COUNT_STAR) {
        return SHARE_COMPUTED;
    }
    double share = variance > 0 ? erfc((number - mean) / sqrt(2 * variance)) / 2 : SHARE_COMPUTED;
    return share < SHARE_LEAST ? SHARE_LEAST : share;
}

static double share_of_equality(const plan_node *node, const expr *e)
{
    double distinct = known_distinct(node, e);
    return distinct < 0 ? SHARE_EQUAL : 1 / (distinct + 1e-9);
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
    if (constant->kind != EXPR_CONSTANT)
        return is_equal                                                       ? SHARE_EQUAL
               : column->kind == EXPR_COLUMN && constant->kind == EXPR_COLUMN ? SHARE_COLUMNS
                                                                              : SHARE_RANGE;
    if (is_equal)
        return share_of_equality(node, column);
    origin from;
    bool is_less = (e->op == EXPR_LT || e->op == EXPR_LE) != is_mirrored;
    while (column->kind == EXPR_CAST && is_number_value(&constant->constant))
        column = column->args[0];
    if (column->kind != EXPR_COLUMN)
        return SHARE_RANGE;
    if (!find_origin(node, column->column_id, &from) || from.computed)
        return SHARE_COMPUTED;
    const value *v = &constant->constant;
    if (from.aggregate && is_number_value(v)) {
        double above = share_above(&from, as_double(value_int128(v), v->type));
        return is_less && above != SHARE_COMPUTED ? 1 - above : above;
    }
    if (from.aggregate || !from.column->has_range || !is_number_value(v) ||
        !type_equal(from.column->type, v->type))
        return from.aggregate ? SHARE_COMPUTED : SHARE_RANGE;
    double below = position_of(from.column, v);
    return is_less ? below : 1 - below;
}

static double share_of_null(const plan_node *node, const expr *e)
{
    origin from;
    if (e->kind != EXPR_COLUMN || !find_origin(node, e->column_id, &from) || !from.column ||
        from.column->null_count < 0 || from.table_rows < 1)
        return SHARE_OTHER;
    return (double)from.column->null_count / from.table_rows;
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
        share = e->args[1]->kind == EXPR_CONSTANT ? share_of_equality(node, e->args[0]) : 0.1;
        return share > 0.9 ? 0.1 : 1 - share;
    case EXPR_IN_LIST:
        share = share_of_equality(node, e->args[0]) * (e->arg_count - 1);
        return share > 1 ? 1 : share;
    case EXPR_IS_NULL:
        return share_of_null(node, e->args[0]);
    case EXPR_IS_NOT_NULL:
        return 1 - share_of_null(node, e->args[0]);
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
    double left = node->children[0]->estimated_rows, right = node->children[1]->estimated_rows;
    double rows = left * right, keys = 1, bases[2] = {left, right};
    for (size_t k = 0; k < node->join.left_keys.count; k++) {
        const expr *sides[2] = {node->join.left_keys.items[k], node->join.right_keys.items[k]};
        double l = plan_distinct(node->children[0], sides[0], left);
        double r = plan_distinct(node->children[1], sides[1], right);
        double larger = l > r ? l : r;
        keys *= larger < 1 ? 1 : larger;
        for (int i = 0; i < 2; i++) {
            double base = base_rows(node->children[i], sides[i]);
            bases[i] = base > bases[i] ? base : bases[i];
        }
    }
    /* Several keys together have no more values than the smaller table has rows. */
    double smaller = bases[0] < bases[1] ? bases[0] : bases[1];
    if (keys > smaller && node->join.left_keys.count > 1)
        keys = smaller < 1 ? 1 : smaller;
    rows /= keys;
    double passes = node->join.residual ? share_of(node, node->join.residual) : 1;
    double matches = right / keys; /* of a left row */
    rows *= passes;
    switch (node->join.type) {
    case JOIN_SEMI:
    case JOIN_ANTI:
        if (passes < 1 && matches > 1)
            rows = left * (1 - pow(1 - passes, matches));
        break;
    default:
        break;
    }
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
            rows *= plan_distinct(input, node->aggregate.groups.items[i], child);
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
