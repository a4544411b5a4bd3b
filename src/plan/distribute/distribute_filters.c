/* distribute_filters.c - which scans of a distributed plan take which runtime filters, and what filters may cost. */

#include "plan/distribute/distribute_filters.h"

#include "base/system/guard.h"

#include <math.h>

/* Ranks agree on all of a join's filters at once. */
#define UNITED_FILTERS_MAX 256
/* Scans look into a bitmap at less cost than into a Bloom filter, and what it lets pass has a partner: it may be
 * sent where it has so small a part of the bytes that it may save, and may be so large. */
#define BITMAP_PART 16
#define BITMAP_BYTES_MAX (32.0 * (1 << 20))
/* Bitmaps may take one part in this many of a rank's memory. */
#define BITMAP_MEMORY_SHARE 64

/* The taker of a filter. */
typedef struct filter_use {
    uint32_t id;
    bool may_cross; /* its rows may go to other ranks on their way to the join */
    bool is_taken, crosses;
    double bytes; /* that exchanges on the way receive */
} filter_use;

static void find_takers(plan_node *node, filter_use *use, bool has_crossed, double bytes)
{
    if (!guard_may_go_on())
        return;
    if (node->kind == PLAN_SCAN) {
        size_t kept = 0;
        for (size_t i = 0; i < node->scan.runtime_filters.count; i++) {
            plan_taken_filter filter = node->scan.runtime_filters.items[i];
            bool is_it = filter.id == use->id;
            if (is_it && has_crossed && !use->may_cross)
                continue;
            node->scan.runtime_filters.items[kept++] = filter;
            use->is_taken |= is_it;
            use->crosses |= is_it && has_crossed;
            use->bytes = is_it && bytes > use->bytes ? bytes : use->bytes;
        }
        node->scan.runtime_filters.count = kept;
    }
    if (node->kind == PLAN_EXCHANGE) {
        has_crossed = true;
        bytes += node->estimated_bytes;
    }
    for (uint32_t i = 0; i < node->child_count; i++)
        find_takers(node->children[i], use, has_crossed, bytes);
}

static uint64_t worth_a_bitmap(const distributor *d, double saved_bytes)
{
    double bytes = fmin(saved_bytes / BITMAP_PART, BITMAP_BYTES_MAX);
    double memory = (double)d->distribution->memory_bytes / BITMAP_MEMORY_SHARE;
    return (uint64_t)(memory > 0 ? fmin(bytes, memory) : bytes);
}

/* A filter is of the rows that its rank's build side has. That is right for scans whose rows meet no other
 * rank's before the join; for others where each rank has a copy of all build rows, or where the ranks
 * unite their filters. Of a broadcast that overflows ranks unite them, else they have them. */
static void place_filters(distributor *d, plan_node *join)
{
    size_t kept = 0;
    const plan_node *build = join->children[join->join.build_left ? 0 : 1];
    bool is_copy = build->placement == PLACEMENT_COPIES, crosses = false;
    bool may_unite = join->placement == PLACEMENT_PARTS &&
                     join->join.runtime_filters.count <= UNITED_FILTERS_MAX;
    bool may_overflow = join->join.overflow_id != 0;
    for (size_t i = 0; i < join->join.runtime_filters.count; i++) {
        plan_given_filter given = join->join.runtime_filters.items[i];
        filter_use use = {.id = given.id, .may_cross = may_unite || (is_copy && !may_overflow)};
        find_takers(join->children[join->join.build_left ? 1 : 0], &use, false, 0);
        given.bytes_max = use.bytes;
        given.bitmap_bytes = worth_a_bitmap(d, use.bytes);
        if (use.is_taken)
            join->join.runtime_filters.items[kept++] = given;
        crosses |= use.crosses;
    }
    join->join.runtime_filters.count = kept;
    if (!crosses || (is_copy && !may_overflow))
        return;
    join->join.has_united_filters = true;
    join->join.filters_id = d->statement->exchange_count;
    d->statement->exchange_count += 1 + (uint32_t)kept;
}

static void place_all_filters(distributor *d, plan_node *node)
{
    if (!guard_may_go_on())
        return;
    if (node->kind == PLAN_JOIN && node->join.runtime_filters.count)
        place_filters(d, node);
    for (uint32_t i = 0; i < node->child_count; i++)
        place_all_filters(d, node->children[i]);
}

/* Rows of a build side have not come by the join that gives such a filter: which rank's keys they may meet there is
 * not known. */
static void drop_beside(plan_node *node)
{
    if (!guard_may_go_on())
        return;
    size_t kept = 0;
    if (node->kind == PLAN_SCAN) {
        for (size_t i = 0; i < node->scan.runtime_filters.count; i++)
            if (!node->scan.runtime_filters.items[i].is_beside)
                node->scan.runtime_filters.items[kept++] = node->scan.runtime_filters.items[i];
        node->scan.runtime_filters.count = kept;
    }
    for (uint32_t i = 0; i < node->child_count; i++)
        drop_beside(node->children[i]);
}

void distribute_filters(distributor *d)
{
    const plan_statement *s = d->statement;
    for (size_t i = 0; i < s->shared.count; i++)
        drop_beside(s->shared.items[i]);
    drop_beside(s->root);
    for (size_t i = 0; i < s->shared.count; i++)
        place_all_filters(d, s->shared.items[i]);
    place_all_filters(d, s->root);
}
