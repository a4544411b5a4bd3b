/* distribute_overflow.c - broadcasts that turn into repartitions while they run.
 *
 *     inner join                                   1. build rows go to all ranks, which count the bytes
 *       repartition, if the broadcast overflows    2. more than overflow_bytes: the rest goes by its keys
 *         scan lineitem                            3. the build side has ended: probe rows go by theirs,
 *       broadcast, after 80000 bytes by o_key         or stay, if there were not more
 *         scan orders
 *
 * A side goes to all ranks because it was estimated to be small; estimates are wrong by any factor. When can
 * that be mended? As long as no probe row has met a build row: before the probe side begins, which is when
 * the build side has ended. Who decides? Nobody has to ask: what goes to all comes to all, so each rank has
 * counted the same bytes in the end, and no rank has sent rows by their keys before it had counted too many
 * of those. What becomes of rows that are there already? They stay on all ranks: a probe row meets build
 * rows on one rank only, which has all of its key, and copies that meet none come out nowhere. They cost
 * memory, overflow_bytes and what was on its way.
 *
 * Heavy keys' rows stay as those of any repartitioned join do (distribute_heavy.c): the rank of such a key has
 * all its build rows, those that went to all ranks and those that came by it, and sends them to the others,
 * which join their probe rows with these alone.
 *
 * A probe side that goes to all ranks cannot overflow: its rows meet build rows as they come, and these would have to
 * move before the first of them does, when nothing is known. It would have to be kept until then, and scans would not
 * get its build side's filters. Such a side is one that has fewer bytes, and yet more rows, than the build side.
 *
 * Whether a probe row stays on its rank is not known when the plan is made: where a node above relies on
 * that, the join does without. */

#include "plan/distribute/distribute_overflow.h"

#include "base/system/guard.h"
#include "parquet/table/table.h"
#include "plan/distribute/distribute_cost.h"
#include "plan/distribute/distribute_heavy.h"
#include "plan/tree/rule.h"

#include <math.h>

/* An estimate that was right within this factor is kept to. */
#define WRONG_FACTOR 4.0
/* Sides below this size go to all ranks, however wrong the estimate: repartitioning costs more messages than it saves bytes. */
#define OVERFLOW_BYTES_MIN 4096.0

/* ---- how large a side can be at most, whatever its conditions let through ---- */

static double most_rows(const distributor *d, const plan_node *node);

static double most_of_children(const distributor *d, const plan_node *node)
{
    double rows = 0;
    for (uint32_t i = 0; i < node->child_count; i++)
        rows += most_rows(d, node->children[i]);
    return rows;
}

static double most_of_join(const distributor *d, const plan_node *join)
{
    double left = most_rows(d, join->children[0]), right = most_rows(d, join->children[1]);
    switch (join->join.type) {
    case JOIN_SEMI:
    case JOIN_ANTI:
    case JOIN_ANTI_NULL:
    case JOIN_MARK:
    case JOIN_SINGLE:
        return left;
    default: /* of keys that are one side's own; of others about that */
        return WRONG_FACTOR * fmax(left, right);
    }
}

static double most_rows(const distributor *d, const plan_node *node)
{
    double rows;
    if (!guard_may_go_on())
        return INFINITY;
    switch (node->kind) {
    case PLAN_SCAN:
        return (double)node->scan.table->row_count;
    case PLAN_VALUES:
        return (double)node->values.rows.count;
    case PLAN_SHARED:
        return d->most_shared_rows[node->shared.id];
    case PLAN_JOIN:
        return most_of_join(d, node);
    case PLAN_LIMIT:
        rows = most_of_children(d, node);
        return node->limit.has_limit ? fmin(rows, (double)node->limit.limit) : rows;
    case PLAN_AGGREGATE:
        return fmax(1, most_of_children(d, node));
    case PLAN_FILTER:
    case PLAN_PROJECT:
    case PLAN_SORT:
    case PLAN_WINDOW:
    case PLAN_UNION:
    case PLAN_EXCHANGE:
        return most_of_children(d, node);
    default:
        return INFINITY;
    }
}

status distribute_most_new(distributor *d)
{
    size_t count = d->statement->shared.count;
    d->most_shared_rows =
        arena_alloc_array(d->statement->memory, count + 1, sizeof *d->most_shared_rows);
    return d->most_shared_rows ? STATUS_OK : status_no_memory("plan", count * sizeof(double));
}

void distribute_note_most(distributor *d, uint32_t id)
{
    d->most_shared_rows[id] = most_rows(d, d->statement->shared.items[id]);
}

static double most_bytes(const distributor *d, const plan_node *node)
{
    plan_node all = *node;
    all.estimated_rows = most_rows(d, node);
    return distribute_bytes(&all);
}

/* ---- when it overflows ---- */

/* With so many bytes of a build side both would have been sent by their keys: see copy_cost and
 * repartition_cost of distribute.c. */
static double even_bytes(const distributor *d, double probe)
{
    double ranks = d->distribution->ranks, even = probe / (ranks - 1);
    double most = (double)d->distribution->memory_bytes / DISTRIBUTE_BROADCAST_SHARE / (ranks - 1);
    return most > 0 && even > most ? fmax(most, probe / (ranks * ranks - 1)) : even;
}

status distribute_may_overflow(distributor *d, plan_node *join, unsigned side, site *io)
{
    plan_node *broadcast = join->children[side], *build = broadcast->children[0];
    const expr_list *keys[2] = {&join->join.left_keys, &join->join.right_keys};
    bool is_build = side == (join->join.build_left ? 0 : 1);
    double bytes =
        fmax(WRONG_FACTOR * distribute_bytes(build),
             fmax(OVERFLOW_BYTES_MIN, even_bytes(d, distribute_side_bytes(join, !side))));
    if (!is_build || !distribute_may_repartition(join) ||
        !plan_rule_is_on(d->statement, RULE_overflow) || most_bytes(d, build) <= bytes)
        return STATUS_OK;
    TRY(distribute_exchange(d, &join->children[!side], EXCHANGE_HASH, keys[!side]));
    broadcast->exchange.keys = *keys[side];
    broadcast->exchange.overflow_bytes = (uint64_t)bytes;
    join->join.overflow_id = 1;                         /* numbered when all is placed, */
    join->join.heavy_id = distribute_may_keep(d, join); /* and this */
    join->join.overflow_next = io->overflow;
    io->overflow = join;
    return STATUS_OK;
}

static plan_node **build_of(plan_node *join)
{
    return &join->children[join->join.build_left ? 0 : 1];
}

static plan_node **probe_of(plan_node *join)
{
    return &join->children[join->join.build_left ? 1 : 0];
}

void distribute_hold(const site *s)
{
    for (plan_node *join = s->overflow; join; join = join->join.overflow_next) {
        if (!join->join.overflow_id)
            continue;
        join->join.overflow_id = join->join.heavy_id = 0;
        (*build_of(join))->exchange.keys = (expr_list){0};
        (*build_of(join))->exchange.overflow_bytes = 0;
        *probe_of(join) = (*probe_of(join))->children[0];
    }
}

static void overflow_number_joins(plan_statement *s, plan_node *node)
{
    if (node->kind == PLAN_JOIN && node->join.overflow_id) {
        node->join.overflow_id = ++s->overflow_count;
        (*build_of(node))->exchange.overflow_id = node->join.overflow_id;
        (*probe_of(node))->exchange.overflow_id = node->join.overflow_id;
    }
    for (uint32_t i = 0; i < node->child_count; i++)
        overflow_number_joins(s, node->children[i]);
}

void distribute_number_overflows(const distributor *d)
{
    plan_statement *s = d->statement;
    for (size_t i = 0; i < s->shared.count; i++)
        overflow_number_joins(s, s->shared.items[i]);
    overflow_number_joins(s, s->root);
}
