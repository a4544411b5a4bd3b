/* distribute_ranges.c - the ranges of a column that ranks read, and exchanges by them.
 *
 *     repartition by ranges of l_orderkey       a key of one column, that says which rank:
 *       scan lineitem                           case when l_orderkey < 3000001 then c0 else c1 end
 *
 * The exchange sends by hashes, so the key's values are numbers of which the hash is known to go to the rank that
 * is meant. NULLs go to the last rank. */
#include "plan/distribute/distribute_ranges.h"

#include "device/kernels/kernel_ops.h"
#include "parquet/table/table_parts.h"
#include "plan/tree/rule.h"

/* A condition for each of more ranks would cost more than it saves. */
#define RANGES_RANKS_MAX 256
/* Ranges are of all rows as long as conditions leave so much of the table. */
#define NARROWED_SHARE 0.9

static status ranges_no_memory(void)
{
    return status_no_memory("plan", sizeof(column_ranges));
}

/* ---- a column in order ---- */

static const pq_statistics *group_statistics(const pq_table *table, size_t group, uint32_t leaf)
{
    pq_row_group_ref ref = table->row_groups.items[group];
    return &table->files.items[ref.file]
                .metadata->row_groups[ref.row_group]
                .chunks[leaf]
                .statistics;
}

static bool can_be_ranged(const pq_table_column *column)
{
    data_type type = column->type;
    return column->has_range && column->key < 0 && (type_is_integer(type) || type_is_time(type)) &&
           type.width <= 8;
}

/* Each row group begins where the one before ends, or above. */
static bool is_in_order(const pq_table *table, const pq_table_column *column)
{
    const pq_statistics *before = NULL;
    for (size_t i = 0; i < table->row_groups.count; i++) {
        const pq_statistics *s = group_statistics(table, i, column->leaf);
        if (!s->has_min || !s->has_max || !type_equal(s->min.type, column->type) ||
            (before && value_compare(&before->max, &s->min) > 0))
            return false;
        before = s;
    }
    return before && value_compare(&group_statistics(table, 0, column->leaf)->min, &before->max);
}

/* ---- the ranges ---- */

/* Weighs row groups by what the scan reads of them. */
static status weigh_groups(const distributor *d, const plan_node *scan, uint64_t **out,
                           bool *out_is_narrowed)
{
    size_t count = scan->scan.table->row_groups.count, kept = 0;
    uint64_t *weights = mem_new_array(count, sizeof *weights);
    *out = weights;
    if (!weights)
        return ranges_no_memory();
    d->distribution->weigh(d->statement, scan, weights);
    for (size_t i = 0; i < count; i++)
        kept += weights[i] != 0;
    *out_is_narrowed = (double)kept < NARROWED_SHARE * (double)count;
    return STATUS_OK;
}

/* Each rank's first value, but for rank 0, which has all below that of rank 1. */
static status list_splits(distributor *d, const plan_node *scan, const pq_table_column *column,
                          const uint64_t *weights, value *splits)
{
    const pq_table *table = scan->scan.table;
    for (uint32_t rank = 1; rank < d->distribution->ranks; rank++) {
        pq_deal deal;
        TRY(pq_table_deal(table, weights, rank, d->distribution->ranks, &deal));
        bool has_any = deal.first < table->row_groups.count;
        size_t group = has_any ? deal.first : table->row_groups.count - 1;
        const pq_statistics *s = group_statistics(table, group, column->leaf);
        splits[rank - 1] = has_any ? s->min : s->max;
    }
    return STATUS_OK;
}

static status distribute_ranges_make(distributor *d, const plan_node *scan, size_t at,
                                     const column_ranges **out)
{
    const pq_table_column *column = &scan->scan.table->columns.items[scan->scan.sources.items[at]];
    column_ranges *ranges = arena_alloc(d->statement->memory, sizeof *ranges);
    value *splits = arena_alloc_array(d->statement->memory, d->distribution->ranks, sizeof *splits);
    uint64_t *weights = NULL;
    if (!ranges || !splits)
        return ranges_no_memory();
    *ranges = (column_ranges){
        .column_id = scan->columns.items[at].id, .type = column->type, .splits = splits};
    status st = weigh_groups(d, scan, &weights, &ranges->is_narrowed);
    if (!st)
        st = list_splits(d, scan, column, weights, splits);
    mem_free(weights);
    *out = ranges;
    return st;
}

status distribute_find_ranges(distributor *d, const plan_node *scan, const column_ranges **out)
{
    const pq_table *table = scan->scan.table;
    *out = NULL;
    if (!d->distribution->weigh || !plan_rule_is_on(d->statement, RULE_ordered_tables) ||
        table->spec.access == PQ_LOCAL || table->partitioned_by.count ||
        table->row_groups.count < d->distribution->ranks ||
        d->distribution->ranks > RANGES_RANKS_MAX)
        return STATUS_OK;
    for (size_t i = 0; i < scan->columns.count; i++) {
        const pq_table_column *column = &table->columns.items[scan->scan.sources.items[i]];
        bool is_kept_back = scan->scan.filter_only.count && scan->scan.filter_only.items[i];
        if (!is_kept_back && can_be_ranged(column) &&
            type_equal(column->type, scan->columns.items[i].type) && is_in_order(table, column))
            return distribute_ranges_make(d, scan, i, out);
    }
    return STATUS_OK;
}

int distribute_ranges_key(const column_ranges *ranges, const expr_list *keys)
{
    for (size_t i = 0; ranges && i < keys->count; i++)
        if (keys->items[i]->kind == EXPR_COLUMN && keys->items[i]->column_id == ranges->column_id)
            return (int)i;
    return -1;
}

/* ---- exchanges ---- */

/* A number of which the hash goes to the rank. */
static expr *rank_constant(const distributor *d, uint32_t rank)
{
    int64_t number = 0;
    while (dev_rank_of(dev_mix((uint64_t)number), d->distribution->ranks) != rank)
        number++;
    const value v = value_int(TYPE_INT64, number);
    return expr_new_constant(d->statement->memory, &v, -1);
}

/* Tells ranks [first, end) apart. */
static expr *choose_rank(const distributor *d, expr *key, const column_ranges *ranges,
                         uint32_t first, uint32_t end)
{
    arena *a = d->statement->memory;
    if (end - first == 1)
        return rank_constant(d, first);
    uint32_t middle = first + (end - first) / 2;
    expr *split = expr_new_constant(a, &ranges->splits[middle - 1], -1);
    expr *args[3] = {NULL, choose_rank(d, key, ranges, first, middle),
                     choose_rank(d, key, ranges, middle, end)};
    expr *sides[] = {key, split};
    if (!split || !args[1] || !args[2])
        return NULL;
    args[0] = expr_new_call(a, EXPR_LT, type_make(TYPE_BOOL), sides, 2, -1);
    expr *choice = args[0] ? expr_new(a, EXPR_CASE, type_make(TYPE_INT64), 3, -1) : NULL;
    if (choice)
        memcpy(choice->args, args, sizeof args);
    return choice;
}

status distribute_exchange_ranges(distributor *d, plan_node **slot, expr *key,
                                  const column_ranges *ranges)
{
    expr_list by = {0};
    expr *rank = choose_rank(d, key, ranges, 0, d->distribution->ranks);
    if (!rank)
        return ranges_no_memory();
    TRY(array_push(d->statement->memory, &by, rank));
    TRY(distribute_exchange(d, slot, EXCHANGE_HASH, &by));
    (*slot)->exchange.ranged = key;
    return STATUS_OK;
}

status distribute_meet(distributor *d, plan_node **slot, const site *from, const expr_list *keys,
                       site *out)
{
    const column_ranges *ranges = from->lies_by;
    int at = distribute_ranges_key(ranges, keys);
    if (at < 0) {
        *out = distribute_site(PLACEMENT_PARTS, keys);
        return distribute_exchange(d, slot, EXCHANGE_HASH, keys);
    }
    expr_list *one = arena_alloc(d->statement->memory, sizeof *one);
    if (!one)
        return ranges_no_memory();
    *one = (expr_list){0};
    TRY(array_push(d->statement->memory, one, keys->items[at]));
    TRY(distribute_exchange_ranges(d, slot, keys->items[at], ranges));
    *out = distribute_site(PLACEMENT_PARTS, one);
    out->ranges[0] = out->lies_by = ranges;
    return STATUS_OK;
}
