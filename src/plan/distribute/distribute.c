/* distribute.c - where each node's rows are made when a statement runs on several ranks.
 *
 * From the leaves up: a node's children say where their rows are (site); what does not fit the node
 * gets an exchange, chosen by the bytes that ranks receive. */
#include "plan/distribute/distribute.h"

#include "base/system/guard.h"
#include "parquet/table/table_parts.h"
#include "plan/distribute/distribute_aggregate.h"
#include "plan/distribute/distribute_cost.h"
#include "plan/distribute/distribute_filters.h"
#include "plan/distribute/distribute_heavy.h"
#include "plan/distribute/distribute_lying.h"
#include "plan/distribute/distribute_order.h"
#include "plan/distribute/distribute_overflow.h"
#include "plan/distribute/distribute_ranges.h"
#include "plan/distribute/distribute_site.h"
#include "plan/distribute/distribute_steal.h"
#include "plan/distribute/distribute_window.h"
#include "plan/edit/repeatable.h"
#include "plan/nodes/plan_text.h"
#include "plan/nodes/verify.h"
#include "plan/rules/scan/rewrite_files.h"
#include "plan/tree/rule.h"

/* Less than this is read and computed before the other ranks have been asked. */
#define SMALL_BYTES (16.0 * (1 << 20))
/* Rows of a table in order that go to other ranks by its own ranges, and by those of another one. */
#define RANGES_SHARE 0.02
#define RANGES_MISSED_SHARE 0.25
/* Limits of messages: the part of a rank's memory that they may hold, how many there may be on the way from and to
 * another rank and in the making, and what is too small to be worth sending. */
#define MESSAGES_SHARE 4
#define MESSAGES_OF_CHANNEL 10
#define MESSAGE_BYTES_MIN (16u << 10)

static status distribute_place(distributor *d, plan_node **slot, site *out);

/* ---- joins ---- */

/* The other side's keys that go with those by which a side is in place already: rows of the other
 * side that are sent by them meet theirs. */
static status partner_keys(distributor *d, const site *s, const expr_list *mine,
                           const expr_list *others, expr_list *out)
{
    *out = (expr_list){0};
    for (uint32_t k = 0; s->placement == PLACEMENT_PARTS && k < s->key_lists && !out->count; k++)
        for (size_t i = 0; !s->divided[k] && !s->ranges[k] && i < s->keys[k]->count; i++) {
            int at = distribute_find_column(mine, s->keys[k]->items[i]);
            if (at < 0) {
                out->count = 0;
                break;
            }
            TRY(array_push(d->statement->memory, out, others->items[at]));
        }
    return STATUS_OK;
}

/* The rows with such keys are here by these very keys. */
static bool is_placed_by(const site *s, const expr_list *keys)
{
    for (uint32_t k = 0; s->placement == PLACEMENT_PARTS && k < s->key_lists; k++) {
        bool is_equal =
            keys->count && s->keys[k]->count == keys->count && !s->divided[k] && !s->ranges[k];
        for (size_t i = 0; is_equal && i < keys->count; i++)
            is_equal = keys->items[i]->kind == EXPR_COLUMN &&
                       keys->items[i]->column_id == s->keys[k]->items[i]->column_id;
        if (is_equal)
            return true;
    }
    return false;
}

/* Each rank may have all rows of the side: those without a partner are not given out. */
static bool may_copy(const plan_node *join, unsigned side)
{
    switch (join->join.type) {
    case JOIN_INNER:
        return true;
    case JOIN_RIGHT:
        return side == 0;
    case JOIN_FULL:
        return false;
    default:
        return side == 1;
    }
}

typedef enum join_way { WAY_GATHER, WAY_COPY_LEFT, WAY_COPY_RIGHT, WAY_REPARTITION } join_way;

/* By what the sides of a join are sent so that partners meet. */
typedef struct meeting {
    expr_list keys[2];           /* none: the side stays */
    const column_ranges *ranges; /* by which the keys say ranks; NULL: by the hash */
    double shares[2];            /* of each side's rows, that go to other ranks */
} meeting;

static status distribute_take_key(distributor *d, expr *key, expr_list *out)
{
    *out = (expr_list){0};
    return array_push(d->statement->memory, out, key);
}

/* A side's rows are where ranges of a key say: the other side's go by the same ranges, unless they have. */
static status meet_at_ranges(distributor *d, const plan_node *join, const site *sites, meeting *io,
                             bool *out_found)
{
    const expr_list *keys[2] = {&join->join.left_keys, &join->join.right_keys};
    *out_found = false;
    for (unsigned side = 0; side < 2; side++)
        for (uint32_t k = 0; k < sites[side].key_lists; k++) {
            const column_ranges *ranges = sites[side].ranges[k];
            int at = distribute_find_column(keys[side], sites[side].keys[k]->items[0]);
            if (!ranges || at < 0 || !type_equal(keys[!side]->items[at]->type, ranges->type))
                continue;
            *out_found = true;
            io->ranges = ranges;
            io->keys[side] = io->keys[!side] = (expr_list){0};
            for (uint32_t o = 0; o < sites[!side].key_lists; o++)
                if (sites[!side].ranges[o] == ranges &&
                    expr_equal(sites[!side].keys[o]->items[0], keys[!side]->items[at]))
                    return STATUS_OK;
            io->shares[!side] *= sites[!side].lies_by ? RANGES_MISSED_SHARE : 1;
            return distribute_take_key(d, keys[!side]->items[at], &io->keys[!side]);
        }
    return STATUS_OK;
}

/* The side with the most bytes that lies by ranges of a key; -1: there is none. Where conditions leave a part of
 * the ranges, the other side's rows may all be outside of it. */
static int find_lying_side(const plan_node *join, const site *sites)
{
    const expr_list *keys[2] = {&join->join.left_keys, &join->join.right_keys};
    int found = -1;
    for (unsigned side = 0; side < 2; side++) {
        const column_ranges *ranges = sites[side].lies_by;
        int at = distribute_ranges_key(ranges, keys[side]);
        if (at < 0 || !type_equal(keys[!side]->items[at]->type, ranges->type))
            continue;
        if (ranges->is_narrowed)
            return -1;
        if (found < 0 ||
            distribute_bytes(join->children[side]) > distribute_bytes(join->children[!side]))
            found = (int)side;
    }
    return found;
}

static status meet_by_ranges(distributor *d, const plan_node *join, const site *sites, meeting *io)
{
    const expr_list *keys[2] = {&join->join.left_keys, &join->join.right_keys};
    int side = find_lying_side(join, sites);
    if (side < 0)
        return STATUS_OK;
    io->ranges = sites[side].lies_by;
    int at = distribute_ranges_key(io->ranges, keys[side]);
    io->shares[side] *= RANGES_SHARE;
    io->shares[!side] *=
        distribute_ranges_key(sites[!side].lies_by, keys[!side]) == at ? RANGES_MISSED_SHARE : 1;
    TRY(distribute_take_key(d, keys[side]->items[at], &io->keys[side]));
    return distribute_take_key(d, keys[!side]->items[at], &io->keys[!side]);
}

static status find_meeting(distributor *d, const plan_node *join, const site *sites, meeting *out)
{
    const expr_list *keys[2] = {&join->join.left_keys, &join->join.right_keys};
    double ranks = d->distribution->ranks, all = (ranks - 1) / ranks;
    bool is_found;
    *out = (meeting){.keys = {*keys[0], *keys[1]}, .shares = {all, all}};
    TRY(meet_at_ranges(d, join, sites, out, &is_found));
    if (is_found)
        return STATUS_OK;
    for (unsigned side = 0; side < 2; side++) {
        expr_list partner;
        TRY(partner_keys(d, &sites[side], keys[side], keys[!side], &partner));
        if (!partner.count)
            continue;
        out->keys[side] = (expr_list){0};
        out->keys[!side] = partner;
        if (is_placed_by(&sites[!side], &partner))
            out->keys[!side] = (expr_list){0};
        return STATUS_OK;
    }
    return meet_by_ranges(d, join, sites, out);
}

static join_way choose_way(const distributor *d, const plan_node *join, const site *sites,
                           const meeting *m)
{
    join_way way = WAY_GATHER;
    double least = -1;
    if (distribute_may_repartition(join)) {
        way = WAY_REPARTITION;
        least = distribute_repartition_cost(d, join, m->keys, m->shares);
        if (!plan_rule_is_on(d->statement, RULE_broadcast))
            return way;
    }
    for (unsigned side = 0; side < 2; side++) {
        double cost = distribute_copy_cost(d, join, sites, side);
        if (may_copy(join, side) && sites[!side].placement == PLACEMENT_PARTS &&
            (least < 0 || cost < least)) {
            way = side ? WAY_COPY_RIGHT : WAY_COPY_LEFT;
            least = cost;
        }
    }
    return least < 0 || distribute_gather_cost(d, join, sites) < least ? WAY_GATHER : way;
}

/* Returns where the rows of a repartitioned join are. Only the kept side of an outer join has its keys in each row. */
static site joined_site(const plan_node *join, const expr_list *left, const expr_list *right)
{
    site s = {.placement = PLACEMENT_PARTS};
    plan_join_type type = join->join.type;
    if (type != JOIN_RIGHT && type != JOIN_FULL)
        distribute_add_keys(&s, left);
    if (type == JOIN_INNER || type == JOIN_RIGHT)
        distribute_add_keys(&s, right);
    return s;
}

/* The lists of columns by which two sides are divided, if rows with equal keys are together so. */
static bool find_divisions(const plan_node *join, const site *sites, uint32_t *out)
{
    for (out[0] = 0; out[0] < sites[0].key_lists; out[0]++)
        for (out[1] = 0; out[1] < sites[1].key_lists; out[1]++) {
            const pq_table *left = sites[0].divided[out[0]], *right = sites[1].divided[out[1]];
            const expr_list *mine = sites[0].keys[out[0]], *others = sites[1].keys[out[1]];
            bool do_meet = left && right && pq_tables_meet(left, right);
            for (size_t i = 0; do_meet && i < mine->count; i++) {
                int at = distribute_find_column(&join->join.left_keys, mine->items[i]);
                do_meet = at >= 0 && join->join.right_keys.items[at]->kind == EXPR_COLUMN &&
                          join->join.right_keys.items[at]->column_id == others->items[i]->column_id;
            }
            if (do_meet)
                return true;
        }
    return false;
}

static void site_add_division(site *s, const site *from, uint32_t list)
{
    s->keys[s->key_lists] = from->keys[list];
    s->divided[s->key_lists++] = from->divided[list];
}

/* Returns whether the two sides are where they must be: no exchange. */
static bool is_divided(const plan_node *join, const site *sites, site *out)
{
    uint32_t lists[2];
    plan_join_type type = join->join.type;
    if (sites[0].placement != PLACEMENT_PARTS || sites[1].placement != PLACEMENT_PARTS ||
        !distribute_may_repartition(join) || !find_divisions(join, sites, lists))
        return false;
    distribute_rely(&sites[0]);
    distribute_rely(&sites[1]);
    *out = (site){.placement = PLACEMENT_PARTS};
    if (type != JOIN_RIGHT && type != JOIN_FULL)
        site_add_division(out, &sites[0], lists[0]);
    if (type == JOIN_INNER || type == JOIN_RIGHT)
        site_add_division(out, &sites[1], lists[1]);
    return true;
}

/* Each rank makes all rows of the node, from files that each of them has. */
static void make_copies(plan_node *node)
{
    node->placement = PLACEMENT_COPIES;
    for (uint32_t i = 0; i < node->child_count; i++)
        make_copies(node->children[i]);
}

static status distribute_keep(distributor *d, const expr_list *keys, const expr_list **out)
{
    expr_list *kept = arena_alloc(d->statement->memory, sizeof *kept);
    if (!kept)
        return status_no_memory("plan", sizeof *kept);
    *kept = *keys;
    *out = kept;
    return STATUS_OK;
}

/* Sends a side by its keys; they are kept in *out_by. */
static status send_side(distributor *d, plan_node **slot, const expr_list *keys,
                        const column_ranges *ranges, const expr_list **out_by)
{
    TRY(distribute_keep(d, keys, out_by));
    return ranges ? distribute_exchange_ranges(d, slot, keys->items[0], ranges)
                  : distribute_exchange(d, slot, EXCHANGE_HASH, keys);
}

/* The keys by which a side that stays is in place. */
static const expr_list *staying_keys(const site *s, const column_ranges *ranges)
{
    for (uint32_t k = 0; k < s->key_lists; k++)
        if (!s->divided[k] && s->ranges[k] == ranges)
            return s->keys[k];
    return NULL;
}

static status repartition(distributor *d, plan_node *join, const site *sites, const meeting *m,
                          site *out)
{
    const expr_list *by[2] = {NULL, NULL};
    for (unsigned side = 0; side < 2; side++) {
        if (m->keys[side].count)
            TRY(send_side(d, &join->children[side], &m->keys[side], m->ranges, &by[side]));
        else
            by[side] = staying_keys(&sites[side], m->ranges);
    }
    *out = joined_site(join, by[0], by[1]);
    out->lies_by = m->ranges;
    for (uint32_t k = 0; k < out->key_lists; k++)
        out->ranges[k] = m->ranges;
    for (unsigned side = 0; side < 2; side++)
        if (!m->keys[side].count)
            distribute_rely(&sites[side]);
    if (m->keys[0].count && m->keys[1].count && !m->ranges && distribute_may_keep(d, join)) {
        join->join.heavy_id = 1; /* numbered when all is placed */
        out->heavy = join;
    }
    return STATUS_OK;
}

static status place_join(distributor *d, plan_node *join, site *out)
{
    site sites[2];
    meeting m;
    for (unsigned side = 0; side < 2; side++)
        TRY(distribute_place(d, &join->children[side], &sites[side]));
    if (sites[0].placement != PLACEMENT_PARTS && sites[1].placement != PLACEMENT_PARTS) {
        bool is_one = sites[0].placement == PLACEMENT_ONE || sites[1].placement == PLACEMENT_ONE;
        *out = distribute_site(is_one ? PLACEMENT_ONE : PLACEMENT_COPIES, NULL);
        return STATUS_OK;
    }
    if (is_divided(join, sites, out))
        return STATUS_OK;
    TRY(find_meeting(d, join, sites, &m));
    join_way way = choose_way(d, join, sites, &m);
    if (way == WAY_REPARTITION)
        return repartition(d, join, sites, &m, out);
    if (way == WAY_GATHER) {
        *out = distribute_site(PLACEMENT_ONE, NULL);
        TRY(distribute_gather(d, &join->children[0]));
        return distribute_gather(d, &join->children[1]);
    }
    unsigned side = way == WAY_COPY_RIGHT;
    *out = sites[!side];
    if (sites[side].placement == PLACEMENT_COPIES)
        return STATUS_OK;
    out->can_copy &= sites[side].can_copy;
    if (sites[side].can_copy) {
        make_copies(join->children[side]);
        return STATUS_OK;
    }
    TRY(distribute_exchange(d, &join->children[side], EXCHANGE_BROADCAST, NULL));
    return distribute_may_overflow(d, join, side, out);
}

/* ---- the other kinds ---- */

static status copy_node(distributor *d, const plan_node *node, plan_node *child, plan_node **out)
{
    plan_node *copy = plan_node_new(d->statement->memory, node->kind, 1);
    if (!copy)
        return status_no_memory("plan", sizeof *copy);
    plan_node **children = copy->children;
    *copy = *node;
    copy->children = children;
    copy->children[0] = child;
    copy->columns = child->columns;
    copy->placement = PLACEMENT_PARTS;
    *out = copy;
    return STATUS_OK;
}

/* The order is one of columns that the sort gives out. */
static bool distribute_can_merge(const plan_node *sort)
{
    for (size_t i = 0; i < sort->sort.keys.count; i++) {
        const expr *key = sort->sort.keys.items[i].key;
        if (key->kind != EXPR_COLUMN || plan_column_index(sort, key->column_id) < 0)
            return false;
    }
    return sort->sort.keys.count > 0;
}

/* Each rank sorts its own rows, rank 0 merges them. */
static status distribute_merge(distributor *d, plan_node **slot)
{
    plan_node *sort = *slot;
    sort->placement = PLACEMENT_PARTS;
    TRY(distribute_exchange(d, slot, EXCHANGE_MERGE, NULL));
    (*slot)->exchange.order = sort->sort.keys;
    (*slot)->exchange.has_limit = sort->sort.has_limit;
    (*slot)->exchange.limit = sort->sort.limit;
    return STATUS_OK;
}

/* Places what is below a sort. */
static status place_below(distributor *d, plan_node *sort, site *out)
{
    if (!distribute_keep_lying(d->statement, sort))
        return distribute_place(d, &sort->children[0], out);
    *out = distribute_site(PLACEMENT_ONE, NULL);
    return STATUS_OK;
}

/* Ranks sort a range each; or rank 0 merges what they have sorted; or each keeps its first rows, rank 0 the first of
 * those. */
static status place_sort(distributor *d, plan_node **slot, site *out)
{
    site below;
    plan_node *node = *slot;
    TRY(place_below(d, node, &below));
    if (below.placement == PLACEMENT_PARTS && distribute_may_order(d, node))
        return distribute_order(d, slot, out);
    if (below.placement == PLACEMENT_PARTS && distribute_can_merge(node)) {
        *out = distribute_site(PLACEMENT_ONE, NULL);
        return distribute_merge(d, slot);
    }
    if (below.placement == PLACEMENT_PARTS && node->sort.has_limit) {
        TRY(copy_node(d, node, node->children[0], &node->children[0]));
        node->sort.bound = 0; /* the rows that the copy counts come again */
    }
    *out = distribute_site(PLACEMENT_ONE, NULL);
    return distribute_gather(d, &node->children[0]);
}

/* Places windows without partitions, and the sort below them: by ranges, or on rank 0. */
static status place_global_windows(distributor *d, plan_node **slot, site *out)
{
    plan_node *node = *slot;
    while (node->kind == PLAN_WINDOW)
        node = node->children[0];
    TRY(place_below(d, node, out));
    if (out->placement == PLACEMENT_PARTS && distribute_may_order_windows(d, *slot)) {
        *out = distribute_site(PLACEMENT_PARTS, NULL);
        return distribute_order_windows(d, slot);
    }
    *out = distribute_site(PLACEMENT_ONE, NULL);
    TRY(distribute_gather(d, &node->children[0]));
    for (plan_node *above = *slot; above != node; above = above->children[0])
        above->placement = PLACEMENT_ONE;
    node->placement = PLACEMENT_ONE;
    return STATUS_OK;
}

static bool is_sorted_for_all(const plan_node *window)
{
    for (; window->kind == PLAN_WINDOW; window = window->children[0])
        if (window->window.partition.count)
            return false;
    return window->kind == PLAN_SORT;
}

/* Partitions are made on the ranks that the hash of what divides the rows says. */
static status place_window(distributor *d, plan_node **slot, site *out)
{
    plan_node *node = *slot, *child = node->children[0];
    if (is_sorted_for_all(node))
        return place_global_windows(d, slot, out);
    const expr_list *partition = &node->window.partition;
    if (child->kind != PLAN_SORT) /* a window of the same partitions, in order already */
        return distribute_place(d, &node->children[0], out);
    TRY(place_below(d, child, out));
    if (out->placement != PLACEMENT_PARTS || !partition->count) {
        *out = distribute_site(PLACEMENT_ONE, NULL);
        child->placement = PLACEMENT_ONE;
        return distribute_gather(d, &child->children[0]);
    }
    child->placement = PLACEMENT_PARTS;
    if (distribute_has_together(out, partition))
        return STATUS_OK;
    const site from = *out;
    return distribute_meet(d, &child->children[0], &from, partition, out);
}

static status place_limit(distributor *d, plan_node *node, site *out)
{
    site below;
    TRY(distribute_place(d, &node->children[0], &below));
    if (below.placement == PLACEMENT_PARTS && node->limit.has_limit &&
        node->limit.limit <= UINT64_MAX - node->limit.offset) {
        plan_node *local;
        TRY(copy_node(d, node, node->children[0], &local));
        local->limit.limit += local->limit.offset;
        local->limit.offset = 0;
        node->children[0] = local;
    }
    *out = distribute_site(PLACEMENT_ONE, NULL);
    return distribute_gather(d, &node->children[0]);
}

/* Places a union: what lies on rank 0 alone is one of the parts. */
static status place_union(distributor *d, plan_node *node, site *out)
{
    bool has_parts = false;
    for (uint32_t i = 0; i < node->child_count; i++) {
        site below;
        TRY(distribute_place(d, &node->children[i], &below));
        has_parts |= below.placement == PLACEMENT_PARTS;
    }
    *out = distribute_site(has_parts ? PLACEMENT_PARTS : PLACEMENT_ONE, NULL);
    for (uint32_t i = 0; i < node->child_count; i++)
        if (node->children[i]->placement == PLACEMENT_COPIES)
            node->children[i]->placement = PLACEMENT_ONE;
    return STATUS_OK;
}

/* The columns that the table is divided by, if the scan gives them out. NULLs may be in any part. */
static status place_scan(distributor *d, const plan_node *node, site *out)
{
    const pq_table *table = node->scan.table;
    *out = distribute_site(PLACEMENT_PARTS, NULL);
    out->can_copy = table->spec.access == PQ_REPLICATED;
    TRY(distribute_find_ranges(d, node, &out->lies_by));
    expr_list columns = {0};
    for (size_t i = 0; i < table->partitioned_by.count; i++)
        for (size_t k = 0; k < node->columns.count; k++) {
            const plan_column *column = &node->columns.items[k];
            expr *e;
            if (node->scan.sources.items[k] != table->partitioned_by.items[i] ||
                node->scan.filter_only.items[k] || column->is_nullable)
                continue;
            e = expr_new_column(d->statement->memory, column->id, column->type, false,
                                column->name);
            if (!e)
                return status_no_memory("plan", sizeof *e);
            TRY(array_push(d->statement->memory, &columns, e));
            break;
        }
    if (!columns.count || columns.count < table->partitioned_by.count)
        return STATUS_OK;
    TRY(distribute_keep(d, &columns, &out->keys[0]));
    out->divided[0] = table;
    out->key_lists = 1;
    return STATUS_OK;
}

static status place_kind(distributor *d, plan_node **slot, site *out)
{
    plan_node *node = *slot;
    switch (node->kind) {
    case PLAN_SCAN:
        return place_scan(d, node, out);
    case PLAN_TEXT_SCAN: /* ranks read pieces in turn */
    case PLAN_ARROW_SCAN:
        *out = distribute_site(PLACEMENT_PARTS, NULL);
        return STATUS_OK;
    case PLAN_VALUES:
        *out = distribute_site(PLACEMENT_COPIES, NULL);
        return STATUS_OK;
    case PLAN_SHARED:
        *out = distribute_site(d->statement->shared.items[node->shared.id]->placement, NULL);
        return STATUS_OK;
    case PLAN_JOIN:
        return place_join(d, node, out);
    case PLAN_SORT:
        return place_sort(d, slot, out);
    case PLAN_WINDOW:
        return place_window(d, slot, out);
    case PLAN_LIMIT:
        return place_limit(d, node, out);
    case PLAN_UNION:
        return place_union(d, node, out);
    case PLAN_AGGREGATE:
        TRY(distribute_place(d, &node->children[0], out));
        return distribute_aggregate(d, slot, out);
    case PLAN_FILTER:
    case PLAN_PROJECT:
    case PLAN_REPEAT:
    case PLAN_WINDOW_LIMIT:
    case PLAN_SERIES:
        return distribute_place(d, &node->children[0], out);
    default: /* on one rank it is right, whatever it does */
        for (uint32_t i = 0; i < node->child_count; i++) {
            TRY(distribute_place(d, &node->children[i], out));
            TRY(distribute_gather(d, &node->children[i]));
        }
        *out = distribute_site(PLACEMENT_ONE, NULL);
        return STATUS_OK;
    }
}

static status distribute_place(distributor *d, plan_node **slot, site *out)
{
    TRY(guard_check());
    plan_kind kind = (*slot)->kind;
    bool is_repeatable = plan_is_repeatable(*slot);
    TRY(place_kind(d, slot, out));
    /* Copies would not be the same. */
    if (!is_repeatable && out->placement == PLACEMENT_COPIES)
        *out = distribute_site(PLACEMENT_ONE, NULL);
    out->can_copy &= is_repeatable;
    (*slot)->placement = out->placement;
    out->can_copy &=
        kind == PLAN_SCAN || kind == PLAN_FILTER || kind == PLAN_PROJECT || kind == PLAN_JOIN;
    return STATUS_OK;
}

/* ---- the statement ---- */

static double distribute_read_bytes(const plan_node *node)
{
    double bytes = 0;
    if (node->kind == PLAN_SCAN) {
        plan_node all = *node;
        all.estimated_rows = (double)node->scan.table->row_count;
        bytes = distribute_bytes(&all);
    }
    if (node->kind == PLAN_TEXT_SCAN || node->kind == PLAN_ARROW_SCAN)
        bytes = distribute_bytes(node);
    for (uint32_t i = 0; i < node->child_count; i++)
        bytes += distribute_read_bytes(node->children[i]);
    return bytes;
}

static bool distribute_has_scan(const plan_node *node)
{
    bool has =
        node->kind == PLAN_SCAN || node->kind == PLAN_TEXT_SCAN || node->kind == PLAN_ARROW_SCAN;
    for (uint32_t i = 0; i < node->child_count; i++)
        has |= distribute_has_scan(node->children[i]);
    return has;
}

static bool distribute_is_worth_it(const plan_statement *s, const plan_distribution *distribution)
{
    double bytes = distribute_read_bytes(s->root);
    bool has = distribute_has_scan(s->root), apart = distribute_is_apart(s->root);
    for (size_t i = 0; i < s->shared.count; i++) {
        bytes += distribute_read_bytes(s->shared.items[i]);
        has |= distribute_has_scan(s->shared.items[i]);
        apart |= distribute_is_apart(s->shared.items[i]);
    }
    return distribution->ranks > 1 && has && !s->is_of_one_rank &&
           (distribution->mode == DISTRIBUTE_ALWAYS ||
            (distribution->mode == DISTRIBUTE_AUTO && (apart || bytes >= SMALL_BYTES)));
}

/* Each exchange holds messages from and to each rank, several of them, and tasks fill more: all together
 * part of the memory. */
static uint64_t fitting_message_bytes(const plan_statement *statement,
                                      const plan_distribution *distribution)
{
    uint64_t bytes = MESSAGE_BYTES_MIN;
    uint64_t messages =
        (uint64_t)statement->exchange_count * distribution->ranks * MESSAGES_OF_CHANNEL;
    uint64_t most = messages ? distribution->memory_bytes / MESSAGES_SHARE / messages : 0;
    if (!distribution->memory_bytes || most > UINT32_MAX)
        return 0;
    while (bytes * 2 <= most)
        bytes *= 2;
    return bytes;
}

/* On rank 0; or each rank keeps what it has, for which no exchange may be needed. */
static status place_result(distributor *d)
{
    plan_statement *s = d->statement;
    if (!s->keeps_parts || s->root->placement != PLACEMENT_PARTS)
        TRY(distribute_gather(d, &s->root));
    s->exchange_count += s->keeps_parts;
    return STATUS_OK;
}

status plan_distribute(plan_statement *statement, const plan_distribution *distribution)
{
    distributor d = {.statement = statement, .distribution = distribution};
    site s;
    if (distribution->ranks > 1)
        TRY(plan_open_scans(statement)); /* all ranks deal out the same row groups */
    if (!distribute_is_worth_it(statement, distribution))
        return STATUS_OK;
    TRY(distribute_most_new(&d));
    TRY(distribute_keep_lying_shared(statement));
    d.is_in_shared = true;
    for (size_t i = 0; i < statement->shared.count; i++) {
        if (statement->shared.items[i]->placement != PLACEMENT_ONE)
            TRY(distribute_place(&d, &statement->shared.items[i], &s));
        distribute_note_most(&d, (uint32_t)i);
        if (statement->shared.items[i]->placement == PLACEMENT_COPIES)
            statement->shared.items[i]->placement = PLACEMENT_ONE;
    }
    d.is_in_shared = false;
    TRY(distribute_place(&d, &statement->root, &s));
    TRY(place_result(&d));
    distribute_filters(&d);
    statement->message_bytes_max = fitting_message_bytes(statement, distribution);
    distribute_number_heavy(&d);
    distribute_number_overflows(&d);
    distribute_number_steals(statement);
    return status_context(plan_verify(statement), "after distribution");
}

/* FNV-1a */
static uint64_t distribute_hash_bytes(uint64_t hash, const void *bytes, size_t count)
{
    const unsigned char *at = bytes;
    for (size_t i = 0; i < count; i++)
        hash = (hash ^ at[i]) * UINT64_C(0x100000001b3);
    return hash;
}

#define HASH_START UINT64_C(0xcbf29ce484222325)

status plan_hash(const plan_statement *statement, uint64_t *out)
{
    char *text = plan_text(statement->memory, statement, NULL, NULL);
    if (!text)
        return status_no_memory("plan", 0);
    *out = distribute_hash_bytes(HASH_START, text, strlen(text));
    return STATUS_OK;
}

static uint64_t hash_number(uint64_t hash, uint64_t number)
{
    return distribute_hash_bytes(hash, &number, sizeof number);
}

static uint64_t distribute_hash_value(uint64_t hash, const value *v)
{
    if (v->is_null)
        return hash_number(hash, 1);
    return type_is_text(v->type) ? distribute_hash_bytes(hash, v->text, v->bytes)
                                 : hash_number(hash, (uint64_t)value_int128(v));
}

uint64_t plan_files_hash(const pq_table *table)
{
    uint64_t hash = hash_number(HASH_START, table->row_count);
    for (size_t f = 0; f < table->files.count; f++) {
        const pq_metadata *metadata = table->files.items[f].metadata;
        hash = hash_number(hash, table->files.items[f].file->version.bytes);
        for (uint32_t g = 0; g < metadata->row_group_count; g++) {
            const pq_row_group *group = &metadata->row_groups[g];
            hash = hash_number(hash, group->row_count);
            for (uint32_t leaf = 0; leaf < metadata->leaf_count; leaf++)
                hash = hash_number(hash, group->chunks[leaf].compressed_bytes);
        }
        for (size_t k = 0; k < table->hive.keys.count; k++)
            hash = distribute_hash_value(
                hash, &table->hive.folders.items[table->files.items[f].folder][k]);
    }
    return hash;
}
