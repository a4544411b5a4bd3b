/* estimate.c - what share of rows meets a condition and how many values a column has, from footers
 * and rules of thumb. How many rows a node gives is in node_*.c. */
#include "plan/tree/estimate.h"

#include "base/type/calendar.h"
#include "parquet/table/table.h"

#include <math.h>

/* Shares of conditions of which nothing is known. */
#define SHARE_EQUAL 0.05
#define SHARE_RANGE 0.3
#define SHARE_LIKE 0.1
#define SHARE_COLUMNS 0.5 /* one column less than another */
#define SHARE_OTHER 0.3
#define SHARE_COMPUTED 0.1 /* a comparison with what aggregates or expressions give: HAVING */
#define SHARE_LEAST 1e-4

/* The origin of a column: a table's column, an aggregate, or another expression. */
typedef struct origin {
    const pq_table_column *column;
    double table_rows; /* with column */
    const pq_table *table;
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
                        .table_rows = (double)node->scan.table->row_count,
                        .table = node->scan.table};
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

/* From the least value to the greatest; as doubles, as those of decimal(38) can be further apart
 * than an int128 says. */
static double estimate_width_of(const pq_table_column *column)
{
    return (double)column->max - (double)column->min;
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
    return estimate_width_of(from.column) / 365 + 1;
}

/* Returns how many values a date or timestamp cut to a field can have; negative if that is not known. */
static double distinct_of_cut(const plan_node *node, const expr *e)
{
    static const struct {
        const char *field;
        double per_day;
    } fields[] = {
        {"year", 1 / 365.0}, {"quarter", 1 / 91.0}, {"month", 1 / 30.0}, {"week", 1 / 7.0},
        {"day", 1},          {"hour", 24},          {"minute", 1440},    {"second", 86400}};
    const expr *field = e->args[0], *time = e->args[1];
    while (time->kind == EXPR_CAST && type_is_time(time->args[0]->type))
        time = time->args[0];
    double in_day = time->type.id == TYPE_DATE  ? 1
                    : time->type.precision == 9 ? 1e3 * (double)CALENDAR_DAY
                                                : (double)CALENDAR_DAY;
    origin from;
    if (field->kind != EXPR_CONSTANT || field->constant.is_null || !type_is_text(field->type) ||
        time->kind != EXPR_COLUMN || !find_origin(node, time->column_id, &from) || !from.column ||
        !from.column->has_range)
        return -1;
    const value *name = &field->constant;
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (name->bytes == strlen(fields[i].field) &&
            !memcmp(name->text, fields[i].field, name->bytes))
            return estimate_width_of(from.column) / in_day * fields[i].per_day + 1;
    return -1;
}

/* Returns how many remainders of a constant the values have, one sign's; negative if that is not known. */
static double distinct_of_remainder(const expr *e)
{
    const expr *by = e->args[1];
    if (by->kind != EXPR_CONSTANT || by->constant.is_null || !type_is_integer(by->type))
        return -1;
    double most = (double)value_int128(&by->constant);
    return most < 0 ? -most : most;
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
    if (e->kind == EXPR_CALL && e->op == EXPR_DATE_TRUNC)
        return distinct_of_cut(node, e);
    if (e->kind == EXPR_CALL && e->op == EXPR_MODULO)
        return distinct_of_remainder(e);
    if (e->kind == EXPR_CALL && e->op == EXPR_IS_NULL)
        return 1; /* most are of one kind */
    if (e->kind == EXPR_CALL && e->op == EXPR_COALESCE && e->args[1]->kind == EXPR_CONSTANT)
        return known_distinct(node, e->args[0]);
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
    double width = estimate_width_of(from.column) + 1;
    return width < from.table_rows ? width : from.table_rows;
}

double plan_base_rows(const plan_node *node, const expr *e)
{
    origin from;
    while (e->kind == EXPR_CAST)
        e = e->args[0];
    bool is_known = e->kind == EXPR_COLUMN && find_origin(node, e->column_id, &from);
    return is_known && from.column ? from.table_rows : -1;
}

/* Row groups that say how wide texts are: a table may have very many. */
#define WIDTH_GROUPS 16

double plan_text_bytes(const plan_node *node, uint32_t column_id)
{
    origin from;
    if (!find_origin(node, column_id, &from) || !from.column || from.column->key >= 0)
        return -1;
    const pq_table *table = from.table;
    size_t step = table->row_groups.count / WIDTH_GROUPS + 1;
    double bytes = 0, rows = 0;
    for (size_t i = 0; i < table->row_groups.count; i += step) {
        pq_row_group_ref ref = table->row_groups.items[i];
        const pq_row_group *group =
            &table->files.items[ref.file].metadata->row_groups[ref.row_group];
        bytes += (double)group->chunks[from.column->leaf].uncompressed_bytes;
        rows += (double)group->row_count;
    }
    return rows > 0 ? bytes / rows : -1;
}

double plan_distinct(const plan_node *node, const expr *e, double rows)
{
    double distinct = known_distinct(node, e);
    while (e->kind == EXPR_CAST)
        e = e->args[0];
    if (distinct < 0)
        distinct = plan_base_rows(node, e);
    if (distinct < 0)
        distinct = e->kind == EXPR_COLUMN || rows <= 100 ? rows : rows / 10;
    return distinct < rows ? distinct : rows;
}

/* ---- conditions ---- */

/* Returns where the constant lies between the column's bounds: 0 to 1. */
static double position_of(const pq_table_column *column, const value *v)
{
    double width = estimate_width_of(column);
    double at = (double)value_int128(v) - (double)column->min;
    return width <= 0 ? 0.5 : at < 0 ? 0 : at > width ? 1 : at / width;
}

static bool is_number_value(const value *v)
{
    return !v->is_null &&
           (type_is_integer(v->type) || v->type.id == TYPE_DECIMAL || type_is_time(v->type));
}

static double estimate_as_double(int128 number, data_type type)
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
        double min = estimate_as_double(argument.column->min, argument.column->type);
        double max = estimate_as_double(argument.column->max, argument.column->type);
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

/* Between which values a table's column lies, of which the expression is another width at most. */
static bool bounds_of(const plan_node *node, const expr *e, double *min, double *max)
{
    origin from;
    while (e->kind == EXPR_CAST && type_is_numeric(e->type) && type_is_numeric(e->args[0]->type))
        e = e->args[0];
    if (e->kind != EXPR_COLUMN || !find_origin(node, e->column_id, &from) || !from.column ||
        !from.column->has_range)
        return false;
    *min = estimate_as_double(from.column->min, from.column->type);
    *max = estimate_as_double(from.column->max, from.column->type);
    return true;
}

/* The chance that a value drawn evenly from between min and max is above x, */
static double chance_above(double min, double max, double x)
{
    return x <= min ? 1 : x < max ? (max - x) / (max - min) : 0;
}

/* and its integral from min to x. */
static double area_above(double min, double max, double x)
{
    if (x <= min)
        return x - min;
    return x < max ? (x - min) - (x - min) * (x - min) / (2 * (max - min)) : (max - min) / 2;
}

/* The share of rows in which the left side is the lesser one, as if each were drawn evenly from between its bounds. */
static double share_of_less(const plan_node *node, const expr *left, const expr *right)
{
    double min[2], max[2];
    bool are_columns = left->kind == EXPR_COLUMN && right->kind == EXPR_COLUMN;
    if (!bounds_of(node, left, &min[0], &max[0]) || !bounds_of(node, right, &min[1], &max[1]))
        return are_columns ? SHARE_COLUMNS : SHARE_RANGE;
    double width = max[0] - min[0];
    double share =
        width > 0
            ? (area_above(min[1], max[1], max[0]) - area_above(min[1], max[1], min[0])) / width
            : chance_above(min[1], max[1], min[0]);
    return share < SHARE_LEAST ? SHARE_LEAST : share > 1 ? 1 : share;
}

/* Guesses the share of a comparison of two expressions that vary. */
static double share_of_pair(const plan_node *node, const expr *e)
{
    if (e->op == EXPR_EQ)
        return SHARE_EQUAL;
    bool is_less = e->op == EXPR_LT || e->op == EXPR_LE;
    return share_of_less(node, e->args[!is_less], e->args[is_less]);
}

static double share_of_comparison(const plan_node *node, const expr *e)
{
    const expr *column;
    const value *v;
    expr_op op;
    if (!expr_comparison(e, &column, &op, &v))
        return share_of_pair(node, e);
    if (op == EXPR_EQ)
        return share_of_equality(node, column);
    origin from;
    bool is_less = op == EXPR_LT || op == EXPR_LE;
    while (column->kind == EXPR_CAST && is_number_value(v))
        column = column->args[0];
    if (column->kind != EXPR_COLUMN)
        return SHARE_RANGE;
    if (!find_origin(node, column->column_id, &from) || from.computed)
        return SHARE_COMPUTED;
    if (from.aggregate && is_number_value(v)) {
        double above = share_above(&from, estimate_as_double(value_int128(v), v->type));
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

double plan_share(const plan_node *node, const expr *e)
{
    double share = 1;
    if (e->kind != EXPR_CALL)
        return SHARE_OTHER;
    switch (e->op) {
    case EXPR_AND:
        for (uint32_t i = 0; i < e->arg_count; i++)
            share *= plan_share(node, e->args[i]);
        return share;
    case EXPR_OR:
        for (uint32_t i = 0; i < e->arg_count; i++)
            share *= 1 - plan_share(node, e->args[i]);
        return 1 - share;
    case EXPR_NOT:
        return 1 - plan_share(node, e->args[0]);
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
    const expr *column;
    const value *constant;
    expr_op op;
    if (!expr_comparison(e, &column, &op, &constant) || column->kind != EXPR_COLUMN ||
        op == EXPR_EQ || op == EXPR_NE)
        return 0;
    *out_column = column->column_id;
    return op == EXPR_LT || op == EXPR_LE ? 1 : -1;
}

/* The only column that e reads; 0: several, or none. */
static uint32_t only_column(const expr *e)
{
    uint32_t only = e->kind == EXPR_COLUMN ? e->column_id : 0;
    for (uint32_t i = 0; i < e->arg_count; i++) {
        uint32_t column = only_column(e->args[i]);
        bool is_constant = e->args[i]->kind == EXPR_CONSTANT;
        if (!is_constant && (!column || (only && column != only)))
            return 0;
        only = is_constant ? only : column;
    }
    return only;
}

/* Shares of all rows that the conditions so far leave by what they say of one column. */
typedef struct column_shares {
    uint32_t column; /* 0: none */
    double least;
    double above, below; /* of its first lower and upper bound; negative: there is none */
} column_shares;

#define SHARES_USUAL 64

/* By column, in a table with more room than there are conditions. */
static column_shares *shares_of(column_shares *table, size_t room, uint32_t column)
{
    size_t at = column * (size_t)0x9e3779b1 % room;
    while (table[at].column && table[at].column != column)
        at = at + 1 < room ? at + 1 : 0;
    if (!table[at].column)
        table[at] = (column_shares){column, 1, -1, -1};
    return &table[at];
}

/* The share of the condition among rows that meet those before it. An upper and a lower bound of one column leave
 * what is between. Others on one column are taken to say much the same: the one that leaves least decides. */
static double share_after(const plan_node *node, const expr *e, column_shares *table, size_t room)
{
    double share = plan_share(node, e), after = share;
    uint32_t column = only_column(e), bound;
    if (!column)
        return share;
    column_shares *shares = shares_of(table, room, column);
    int direction = bound_of(e, &bound);
    double *own = direction > 0 ? &shares->below : &shares->above;
    double other = direction > 0 ? shares->above : shares->below;
    if (direction && other >= 0) {
        double both = other + share - 1;
        after = other > 0 && both > 0 ? both / other : 1e-3;
    } else {
        after = share >= shares->least ? 1 : share / shares->least;
    }
    shares->least = share < shares->least ? share : shares->least;
    if (direction && *own < 0)
        *own = share;
    return after;
}

/* Without memory for the table the conditions are taken to say nothing of each other. */
double plan_share_of_list(const plan_node *node, const expr_list *conditions)
{
    column_shares usual[SHARES_USUAL] = {0}, *table = usual;
    size_t room = SHARES_USUAL;
    double share = 1;
    if (conditions->count >= SHARES_USUAL / 2) {
        room = conditions->count * 2;
        table = mem_new_array(room, sizeof *table);
    }
    for (size_t i = 0; i < conditions->count; i++)
        share *= table ? share_after(node, conditions->items[i], table, room)
                       : plan_share(node, conditions->items[i]);
    if (table != usual)
        mem_free(table);
    return share;
}
