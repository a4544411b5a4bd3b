/* distribute_heavy.c - joins that keep probe rows of heavy keys where they are.
 *
 * A repartitioned join's rank gets all rows of its keys, however many one of them has. While rows are
 * sent, keys with very many probe rows are found, all ranks are sent the build rows of such a key, and
 * its further probe rows are joined where they are. So which rank a joined row is on says nothing about
 * its keys any more: where a node above relies on that, the join does without.
 * (Roediger et al.: Flow-Join, ICDE 2016) */
#include "plan/distribute/distribute_heavy.h"

#include "plan/distribute/distribute_overflow.h"

/* All ranks together may give a rank build rows of heavy keys of one part in this many of its memory. */
#define HEAVY_SHARE 32
#define HEAVY_BYTES_MAX ((uint64_t)64 << 20)

void distribute_rely(const site *s)
{
    if (s->heavy)
        s->heavy->join.heavy_id = 0;
    distribute_hold(s);
}

/* A build row must not matter by itself: it is on several ranks, none of which knows of the matches that it
 * has on the others. */
static bool gives_only_probe_rows(const plan_node *join)
{
    switch (join->join.type) {
    case JOIN_INNER:
        return true;
    case JOIN_LEFT:
    case JOIN_SEMI:
    case JOIN_ANTI:
    case JOIN_SINGLE:
        return !join->join.build_left;
    case JOIN_RIGHT:
        return join->join.build_left;
    default:
        return false;
    }
}

bool distribute_may_keep(const distributor *d, const plan_node *join)
{
    return d->distribution->has_heavy_keys && gives_only_probe_rows(join);
}

static void heavy_number_joins(plan_statement *s, plan_node *node)
{
    if (node->kind == PLAN_JOIN && node->join.heavy_id) {
        plan_node *probe = node->children[node->join.build_left ? 1 : 0];
        node->join.heavy_id = probe->exchange.heavy_id = ++s->heavy_count;
    }
    for (uint32_t i = 0; i < node->child_count; i++)
        heavy_number_joins(s, node->children[i]);
}

void distribute_number_heavy(const distributor *d)
{
    plan_statement *s = d->statement;
    uint64_t bytes = d->distribution->memory_bytes / HEAVY_SHARE;
    for (size_t i = 0; i < s->shared.count; i++)
        heavy_number_joins(s, s->shared.items[i]);
    heavy_number_joins(s, s->root);
    s->heavy_first = s->exchange_count;
    s->exchange_count += 2 * s->heavy_count;
    s->heavy_bytes = bytes && bytes < HEAVY_BYTES_MAX ? bytes : HEAVY_BYTES_MAX;
    s->heavy_bytes /= d->distribution->ranks;
}
