/* rewrite_statistics.c - conditions and join keys that the tables' statistics answer.
 *
 * Of each column is known between which values it lies: from the footers of its files, from constants, and from what
 * conditions and joins below leave of it. A condition that is true for no row becomes false, as do several that contradict
 * each other (contradiction.h), one that is true for each is dropped, and a join whose keys cannot be equal gets a condition that is false, of which rule empty makes
 * what there is to make:
 *
 *     inner join on a = b                     inner join on a = b and false
 *       scan l [a]    0 to 99         ->        scan l [a]
 *       scan r [b]    100 to 200                scan r [b]
 *
 * A join for which NULL is equal to NULL (of INTERSECT, say) becomes one by equality where keys have no NULLs.
 *
 * Bounds enclose the values and need not be among them; where a row group has none nothing is known of the column. */
#include "base/system/guard.h"
#include "parquet/table/table.h"
#include "plan/facts/contradiction.h"
#include "plan/facts/partial.h"
#include "plan/facts/value_range.h"
#include "plan/rules/rewrite_outer_joins.h"
#include "plan/rules/rewrite_sides.h"
#include "plan/tree/rule.h"

/* Facts about a column among the rows that the node in hand sees. */
typedef struct known_column {
    value_range range;
    const plan_node *scan; /* to be looked up in its footers; NULL: done, or none */
    uint32_t source;
    bool is_padded; /* rows that an outer join fills up have NULL */
} known_column;

typedef struct knowledge {
    plan_statement *statement;
    known_column *columns; /* by id */
} knowledge;

/* ---- footers ---- */

/* Finds the bounds of the values of all row groups; false: some row group does not say. */
static bool bounds_of_row_groups(const pq_table *table, const pq_table_column *column,
                                 value_range *out)
{
    bool is_any = false;
    for (size_t i = 0; i < table->row_groups.count; i++) {
        pq_row_group_ref ref = table->row_groups.items[i];
        const pq_row_group *group =
            &table->files.items[ref.file].metadata->row_groups[ref.row_group];
        const pq_statistics *s = &group->chunks[column->leaf].statistics;
        if (s->null_count == (int64_t)group->row_count)
            continue;
        if (!s->has_min || !s->has_max || !type_equal(s->min.type, column->type))
            return false;
        if (!is_any || value_compare(&s->min, &out->min) < 0)
            out->min = s->min;
        if (!is_any || value_compare(&s->max, &out->max) > 0)
            out->max = s->max;
        is_any = true;
    }
    return is_any;
}

static value value_of_number(int128 number, data_type type)
{
    value v = {.type = type};
    if (type.id == TYPE_DECIMAL)
        return value_decimal(number, type);
    v.u64 = (uint64_t)number;
    return v;
}

static value_range range_of_source(const plan_statement *s, const pq_table *table,
                                   const pq_table_column *column)
{
    value_range range = {.has_no_nulls = !column->is_nullable};
    bool is_number = value_has_range(column->type) && !type_is_text(column->type) &&
                     column->type.id != TYPE_FLOAT && column->type.id != TYPE_DOUBLE;
    bool is_open = !table->is_closed && !table->is_schema_only;
    if (is_number && column->has_range) {
        range.is_bounded = true;
        range.min = value_of_number(column->min, column->type);
        range.max = value_of_number(column->max, column->type);
    } else if (!is_number && is_open && value_has_range(column->type) &&
               !(s->replaces_text && column->type.id == TYPE_VARCHAR)) {
        range.is_bounded = bounds_of_row_groups(table, column, &range);
    }
    range.has_no_values = is_open && column->key < 0 && column->null_count >= 0 &&
                          (uint64_t)column->null_count == table->row_count;
    return range;
}

static value_range range_of_column(uint32_t id, void *context)
{
    const knowledge *k = context;
    if (id >= k->statement->next_column_id)
        return (value_range){0};
    known_column *known = &k->columns[id];
    if (known->scan) {
        const pq_table *table = known->scan->scan.table;
        const pq_table_column *column = &table->columns.items[known->source];
        bool is_read = false;
        status st = pq_table_check_column(table, known->source);
        is_read = !st;
        status_free(st);
        if (is_read && !type_is_nested(column->type))
            known->range = range_of_source(k->statement, table, column);
        known->scan = NULL;
    }
    value_range range = known->range;
    range.has_no_nulls &= !known->is_padded;
    return range;
}

static void statistics_set_range(const knowledge *k, uint32_t id, const value_range *range)
{
    if (id < k->statement->next_column_id)
        k->columns[id] = (known_column){.range = *range};
}

static value_range statistics_range_of(knowledge *k, const expr *e)
{
    return value_range_of(e, range_of_column, k);
}

/* ---- conditions ---- */

static status make_false(const knowledge *k, expr **out)
{
    const value no = value_bool(false);
    *out = expr_new_constant(k->statement->memory, &no, -1);
    return *out ? STATUS_OK : status_no_memory("plan", sizeof **out);
}

/* Drops what is true for each row; if something is true for none, that is all there is. */
static status statistics_answer(knowledge *k, expr_list *conditions)
{
    size_t kept = 0;
    if (plan_conditions_contradict(conditions, range_of_column, k)) {
        conditions->count = 1;
        return make_false(k, &conditions->items[0]);
    }
    for (size_t i = 0; i < conditions->count; i++) {
        value_truth truth = value_truth_of(conditions->items[i], range_of_column, k);
        if (!truth.may_be_true) {
            conditions->count = 1;
            return make_false(k, &conditions->items[0]);
        }
        if (truth.may_be_false || truth.may_be_null)
            conditions->items[kept++] = conditions->items[i];
    }
    conditions->count = kept;
    return STATUS_OK;
}

/* Narrows to the values that rows which have passed the conditions can have. */
static void narrow_by(knowledge *k, const expr_list *conditions)
{
    for (size_t i = 0; i < conditions->count; i++) {
        const expr *e = conditions->items[i], *side;
        const value *constant;
        expr_op op;
        bool is_test = e->kind == EXPR_CALL && e->op == EXPR_IS_NOT_NULL;
        if (is_test)
            side = e->args[0];
        else if (!expr_comparison(e, &side, &op, &constant))
            continue;
        if (side->kind != EXPR_COLUMN)
            continue;
        value_range range = range_of_column(side->column_id, k);
        if (is_test)
            range.has_no_nulls = true;
        else if (type_equal(side->type, constant->type))
            value_range_narrow(&range, op, constant);
        statistics_set_range(k, side->column_id, &range);
    }
}

static status answer_scan(knowledge *k, plan_node *scan)
{
    const pq_table *table = scan->scan.table;
    for (size_t i = 0; i < scan->columns.count; i++)
        if (scan->columns.items[i].id < k->statement->next_column_id)
            k->columns[scan->columns.items[i].id] =
                (known_column){.scan = scan, .source = scan->scan.sources.items[i]};
    if (!table->is_closed && !table->is_schema_only && !table->row_groups.count) {
        expr *no;
        TRY(make_false(k, &no));
        scan->scan.filters.count = 0;
        TRY(array_push(k->statement->memory, &scan->scan.filters, no));
    }
    TRY(statistics_answer(k, &scan->scan.filters));
    narrow_by(k, &scan->scan.filters);
    return STATUS_OK;
}

static status answer_filter(knowledge *k, plan_node **place)
{
    plan_node *filter = *place;
    TRY(statistics_answer(k, &filter->filter.conditions));
    narrow_by(k, &filter->filter.conditions);
    if (!filter->filter.conditions.count)
        *place = filter->children[0];
    return STATUS_OK;
}

/* ---- joins ---- */

static bool keys_never_meet(knowledge *k, const plan_node *join)
{
    for (size_t i = 0; i < join->join.left_keys.count; i++) {
        value_range left = statistics_range_of(k, join->join.left_keys.items[i]);
        value_range right = statistics_range_of(k, join->join.right_keys.items[i]);
        bool nulls_meet = join->join.null_equal && !left.has_no_nulls && !right.has_no_nulls;
        if (!nulls_meet && !value_truth_of_comparison(EXPR_EQ, &left, &right).may_be_true)
            return true;
    }
    return false;
}

/* Returns whether a join gives pairs, or NULLs beside rows without one. */
static bool may_lack_pairs(const plan_node *join)
{
    switch (join->join.type) {
    case JOIN_INNER:
    case JOIN_LEFT:
    case JOIN_RIGHT:
    case JOIN_FULL:
    case JOIN_SEMI:
    case JOIN_ANTI:
    case JOIN_SINGLE:
        return true;
    default:
        return false;
    }
}

/* So that rows can be looked up by them (rule range_joins). */
static status separate_sides(knowledge *k, const plan_node *join, expr_list *conditions)
{
    column_set sides[2];
    if (!conditions->count || !plan_rule_is_on(k->statement, RULE_range_joins))
        return STATUS_OK;
    TRY(plan_join_sides(k->statement, join, &sides[0], &sides[1]));
    for (size_t i = 0; i < conditions->count; i++)
        TRY(plan_separate_sides(k->statement, &conditions->items[i], sides, range_of_column, k));
    return STATUS_OK;
}

static status answer_residual(knowledge *k, plan_node *join)
{
    expr_list parts = {0};
    if (join->join.residual)
        TRY(expr_split_and(k->statement->memory, join->join.residual, &parts));
    TRY(statistics_answer(k, &parts));
    TRY(separate_sides(k, join, &parts));
    if (keys_never_meet(k, join)) {
        TRY(make_false(k, &join->join.residual));
        return STATUS_OK;
    }
    join->join.residual = NULL;
    for (size_t i = 0; i < parts.count; i++) {
        join->join.residual =
            expr_new_and(k->statement->memory, join->join.residual, parts.items[i]);
        if (!join->join.residual)
            return status_no_memory("plan", sizeof(expr));
    }
    return STATUS_OK;
}

/* Rows of the side that come out have a partner: their keys are what the other side has, too. */
static void narrow_side(knowledge *k, const plan_node *join, bool is_right)
{
    const expr_list *mine = is_right ? &join->join.right_keys : &join->join.left_keys;
    const expr_list *others = is_right ? &join->join.left_keys : &join->join.right_keys;
    for (size_t i = 0; i < mine->count && !join->join.null_equal; i++) {
        if (mine->items[i]->kind != EXPR_COLUMN)
            continue;
        value_range left = statistics_range_of(k, mine->items[i]),
                    right = statistics_range_of(k, others->items[i]);
        value_range both = value_range_meet(&left, &right);
        both.has_no_nulls = true;
        statistics_set_range(k, mine->items[i]->column_id, &both);
    }
}

static void pad_side(knowledge *k, const plan_node *side)
{
    for (size_t i = 0; i < side->columns.count; i++)
        if (side->columns.items[i].id < k->statement->next_column_id)
            k->columns[side->columns.items[i].id].is_padded = true;
}

static void narrow_join(knowledge *k, const plan_node *join)
{
    plan_join_type type = join->join.type;
    bool is_single = type == JOIN_SINGLE || type == JOIN_LEFT;
    if (type == JOIN_INNER || type == JOIN_SEMI || type == JOIN_RIGHT)
        narrow_side(k, join, false);
    if (type == JOIN_INNER || is_single)
        narrow_side(k, join, true);
    if (type == JOIN_RIGHT || type == JOIN_FULL)
        pad_side(k, join->children[0]);
    if (is_single || type == JOIN_FULL)
        pad_side(k, join->children[1]);
}

/* Drops the equality of NULLs if one of each pair of keys is never NULL: equality is enough, for which there are
 * faster tables. */
static void drop_null_equality(knowledge *k, plan_node *join)
{
    bool nulls_meet = false;
    for (size_t i = 0; i < join->join.left_keys.count && join->join.null_equal; i++) {
        value_range left = statistics_range_of(k, join->join.left_keys.items[i]);
        value_range right = statistics_range_of(k, join->join.right_keys.items[i]);
        nulls_meet |= !left.has_no_nulls && !right.has_no_nulls;
    }
    join->join.null_equal &= nulls_meet;
}

static status answer_join(knowledge *k, plan_node *join)
{
    if (may_lack_pairs(join)) {
        drop_null_equality(k, join);
        TRY(answer_residual(k, join));
    }
    narrow_join(k, join);
    return STATUS_OK;
}

/* ---- other nodes: what is known of the columns that they make ---- */

static void know_computed(knowledge *k, const plan_node *node, const expr_list *exprs)
{
    for (size_t i = 0; i < exprs->count; i++) {
        uint32_t id = node->columns.items[i].id;
        const expr *e = exprs->items[i];
        if (e->kind == EXPR_COLUMN && e->column_id == id)
            continue;
        value_range range = statistics_range_of(k, e);
        statistics_set_range(k, id, &range);
    }
}

static value_range from_number(data_type type, int64_t least)
{
    value_range range = {.is_bounded = true, .has_no_nulls = true};
    range.min = value_int(type.id, least);
    range.max = value_int(type.id, INT64_MAX);
    return range;
}

static void know_aggregates(knowledge *k, const plan_node *node)
{
    know_computed(k, node, &node->aggregate.groups);
    for (size_t i = 0; i < node->aggregate.aggregates.count; i++) {
        const plan_aggregate *a = &node->aggregate.aggregates.items[i];
        const plan_column *column = &node->columns.items[node->aggregate.groups.count + i];
        value_range range;
        if (plan_aggregate_counts(a) && column->type.id == TYPE_INT64) {
            range = from_number(column->type, 0);
        } else if (a->function == AGGREGATE_MIN || a->function == AGGREGATE_MAX) {
            range = statistics_range_of(k, a->argument);
            range.has_no_nulls = false;
        } else {
            continue;
        }
        statistics_set_range(k, column->id, &range);
    }
}

/* Rows and peers are counted from 1. */
static void know_windows(knowledge *k, const plan_node *node)
{
    size_t first = node->columns.count - node->window.calls.count;
    for (size_t i = 0; i < node->window.calls.count; i++) {
        const plan_window_call *call = &node->window.calls.items[i];
        const plan_column *column = &node->columns.items[first + i];
        bool is_number = call->function == WINDOW_ROW_NUMBER || call->function == WINDOW_RANK ||
                         call->function == WINDOW_DENSE_RANK;
        if (!is_number || column->type.id != TYPE_INT64)
            continue;
        value_range range = from_number(column->type, 1);
        statistics_set_range(k, column->id, &range);
    }
}

static void know_union(knowledge *k, const plan_node *node)
{
    for (size_t c = 0; c < node->columns.count && node->child_count; c++) {
        value_range all = range_of_column(node->children[0]->columns.items[c].id, k);
        for (uint32_t i = 1; i < node->child_count; i++) {
            value_range one = range_of_column(node->children[i]->columns.items[c].id, k);
            all = value_range_union(&all, &one);
        }
        statistics_set_range(k, node->columns.items[c].id, &all);
    }
}

static void know_values(knowledge *k, const plan_node *node)
{
    for (size_t c = 0; c < node->columns.count; c++) {
        value_range all = {.has_no_values = true, .has_no_nulls = true};
        for (size_t r = 0; r < node->values.rows.count; r++) {
            value_range one = statistics_range_of(k, node->values.rows.items[r][c]);
            all = value_range_union(&all, &one);
        }
        statistics_set_range(k, node->columns.items[c].id, &all);
    }
}

static void know_shared(knowledge *k, const plan_node *node)
{
    const plan_node *plan = k->statement->shared.items[node->shared.id];
    for (size_t i = 0; i < node->columns.count; i++) {
        value_range range =
            range_of_column(plan->columns.items[node->shared.sources.items[i]].id, k);
        statistics_set_range(k, node->columns.items[i].id, &range);
    }
}

/* Values lie between the ends, whichever is the lesser one. */
static void know_series(knowledge *k, const plan_node *node)
{
    size_t first = node->columns.count - plan_series_columns(node);
    value_range start = statistics_range_of(k, node->series.start),
                stop = statistics_range_of(k, node->series.stop);
    if (!start.is_bounded || !stop.is_bounded)
        return;
    value_range range = value_range_union(&start, &stop);
    statistics_set_range(k, node->columns.items[first].id, &range);
}

static status statistics_walk(knowledge *k, plan_node **place)
{
    TRY(guard_check());
    plan_node *node = *place;
    for (uint32_t i = 0; i < node->child_count; i++)
        TRY(statistics_walk(k, &node->children[i]));
    switch (node->kind) {
    case PLAN_SCAN:
        return answer_scan(k, node);
    case PLAN_FILTER:
        return answer_filter(k, place);
    case PLAN_JOIN:
        return answer_join(k, node);
    case PLAN_PROJECT:
        know_computed(k, node, &node->project.exprs);
        break;
    case PLAN_AGGREGATE:
        know_aggregates(k, node);
        break;
    case PLAN_WINDOW:
        know_windows(k, node);
        break;
    case PLAN_UNION:
        know_union(k, node);
        break;
    case PLAN_VALUES:
        know_values(k, node);
        break;
    case PLAN_SHARED:
        know_shared(k, node);
        break;
    case PLAN_SERIES:
        know_series(k, node);
        break;
    case PLAN_SINGLE_ROW:
        pad_side(k, node->children[0]);
        break;
    default:
        break;
    }
    return STATUS_OK;
}

status rewrite_statistics(plan_statement *statement)
{
    knowledge k = {.statement = statement};
    k.columns =
        arena_alloc_array(statement->memory, statement->next_column_id + 1, sizeof *k.columns);
    if (!k.columns)
        return status_no_memory("plan", statement->next_column_id * sizeof *k.columns);
    for (size_t i = 0; i < statement->shared.count; i++)
        TRY(statistics_walk(&k, &statement->shared.items[i]));
    return statistics_walk(&k, &statement->root);
}
