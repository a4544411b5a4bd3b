/* distribute_cost.c - what ways to join cost, in bytes that ranks are sent. */
#include "plan/distribute/distribute_cost.h"

#include "plan/tree/estimate.h"

/* The bytes that one rank computes on alone count so many times, for each rank that does nothing. */
#define ALONE_FACTOR 4.0
/* Bytes that a rank reads for itself from files that each rank has cost so much of those it is sent. */
#define READ_SHARE 0.25
/* A guess of a text's bytes where files do not say. */
#define TEXT_BYTES 16.0
/* An exchange's messages to say that it is there and over count as so many bytes, from each rank to each other. */
#define EXCHANGE_BYTES 1024.0
/* How far a guess of distinct keys, made of their range, may be off. */
#define FILTER_DOUBT 4.0

static double distribute_cost_column_bytes(const plan_node *node, const plan_column *column)
{
    if (plan_is_kept_back(node, column->id))
        return 0;
    if (!type_is_text(column->type))
        return column->type.width ? column->type.width : 1;
    double bytes = plan_text_bytes(node, column->id);
    return bytes < 0 ? TEXT_BYTES : bytes;
}

static double distribute_cost_row_bytes(const plan_node *node)
{
    double width = 0;
    for (size_t i = 0; i < node->columns.count; i++)
        width += distribute_cost_column_bytes(node, &node->columns.items[i]);
    return width;
}

double distribute_bytes(const plan_node *node)
{
    return (node->estimated_rows > 1 ? node->estimated_rows : 1) * distribute_cost_row_bytes(node);
}

/* ---- runtime filters ---- */

/* Probe rows that have a partner, as far as distinct keys of both sides tell. */
static double rows_with_partners(const plan_node *join, unsigned probe)
{
    const expr_list *keys[2] = {&join->join.left_keys, &join->join.right_keys};
    double rows = join->children[probe]->estimated_rows, least = 1;
    for (size_t i = 0; i < join->join.runtime_filters.count; i++) {
        uint32_t key = join->join.runtime_filters.items[i].key;
        double build = plan_distinct(join->children[!probe], keys[!probe]->items[key],
                                     join->children[!probe]->estimated_rows);
        double own = plan_distinct(join->children[probe], keys[probe]->items[key], rows);
        double share = FILTER_DOUBT * build / (own > 1 ? own : 1);
        least = share < least ? share : least;
    }
    return rows * least;
}

double distribute_side_bytes(const plan_node *join, unsigned side)
{
    const plan_node *node = join->children[side];
    unsigned probe = join->join.build_left ? 1 : 0;
    double bytes = distribute_bytes(node), rows = node->estimated_rows;
    if (side != probe || !join->join.runtime_filters.count || rows < 1)
        return bytes;
    double left = rows_with_partners(join, probe);
    if (join->join.type == JOIN_INNER && join->estimated_rows > left)
        left = join->estimated_rows;
    return left < rows ? bytes * left / rows : bytes;
}

/* ---- ways to join ---- */

static double exchange_cost(const distributor *d)
{
    double ranks = d->distribution->ranks;
    return ranks * (ranks - 1) * EXCHANGE_BYTES;
}

double distribute_copy_cost(const distributor *d, const plan_node *join, const site *sites,
                            unsigned side)
{
    double bytes = distribute_side_bytes(join, side);
    double memory = (double)d->distribution->memory_bytes;
    if (sites[side].placement == PLACEMENT_COPIES)
        return 0;
    bytes *= (d->distribution->ranks - 1) * (sites[side].can_copy ? READ_SHARE : 1);
    bytes += sites[side].can_copy ? 0 : exchange_cost(d);
    /* Repartitioned sides can be written to temporary files, too, but less of them has to be. */
    return memory && bytes > memory / DISTRIBUTE_BROADCAST_SHARE ? bytes * d->distribution->ranks
                                                                 : bytes;
}

double distribute_repartition_cost(const distributor *d, const plan_node *join,
                                   const expr_list *keys, const double *shares)
{
    double bytes = 0;
    for (unsigned side = 0; side < 2; side++)
        if (keys[side].count)
            bytes += distribute_side_bytes(join, side) * shares[side] + exchange_cost(d);
    return bytes;
}

double distribute_gather_cost(const distributor *d, const plan_node *join, const site *sites)
{
    double bytes = 0;
    for (unsigned side = 0; side < 2; side++)
        if (sites[side].placement == PLACEMENT_PARTS)
            bytes += distribute_bytes(join->children[side]) + exchange_cost(d);
    return bytes * ALONE_FACTOR * (d->distribution->ranks - 1);
}
