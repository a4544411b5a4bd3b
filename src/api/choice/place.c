/* place.c - see place.h. Rows do not move where a runtime filter or a bound would have to cross: what the other device saves by them
 * is not known here. */
#include "api/choice/place.h"

#include "api/choice/mix.h"
#include "base/system/guard.h"

#include <math.h>

/* Factor on what a stage takes on the CPU beside a GPU, as predictions of single stages are further off than those of statements. */
#define DOUBT 1.5

/* A node, in the order of mix_node_count. */
typedef struct place {
    double least[2]; /* seconds of its subtree: of it on the device, and on the CPU */
    bool moves[2];   /* whether it runs on the other one than its parent, by its parent's */
    uint32_t
        first_maker; /* least number of a node that makes a filter or bound for a scan of the subtree */
} place;

typedef struct placer {
    const plan_statement *plan;
    const cost_devices *devices;
    place *places;
    uint32_t count;
    uint32_t *filters, *bounds; /* numbers of the nodes that make them, by their ids */
    double cpu, device;         /* of all nodes */
    bool may_mix;
} placer;

/* ---- who makes filters and bounds ---- */

static void place_note_makers(placer *p, const plan_node *node, uint32_t *number)
{
    uint32_t own = (*number)++;
    for (size_t i = 0; node->kind == PLAN_JOIN && i < node->join.runtime_filters.count; i++)
        p->filters[node->join.runtime_filters.items[i].id] = own;
    if (node->kind == PLAN_SORT && node->sort.bound)
        p->bounds[node->sort.bound] = own;
    for (uint32_t i = 0; i < node->child_count; i++)
        place_note_makers(p, node->children[i], number);
}

static uint32_t first_maker_of(const placer *p, const plan_node *node)
{
    uint32_t first = UINT32_MAX;
    for (size_t i = 0; node->kind == PLAN_SCAN && i < node->scan.runtime_filters.count; i++) {
        uint32_t maker = p->filters[node->scan.runtime_filters.items[i].id];
        first = maker < first ? maker : first;
    }
    for (size_t i = 0; node->kind == PLAN_SCAN && i < node->scan.bounds.count; i++) {
        uint32_t maker = p->bounds[node->scan.bounds.items[i].id];
        first = maker < first ? maker : first;
    }
    return first;
}

/* ---- the least ---- */

/* Adds a child to its parent's least. */
static void place_add_child(placer *p, place *parent, const plan_node *child, uint32_t number,
                            bool keeps_order)
{
    place *own = &p->places[number];
    bool may_move =
        p->may_mix && !keeps_order && own->first_maker >= number && mix_may_move(p->plan, child);
    double move = may_move ? cost_to_move(p->devices, child) : INFINITY;
    for (unsigned on_cpu = 0; on_cpu < 2; on_cpu++) {
        double moved = own->least[!on_cpu] + move;
        own->moves[on_cpu] = moved < own->least[on_cpu];
        parent->least[on_cpu] += own->moves[on_cpu] ? moved : own->least[on_cpu];
    }
    if (own->first_maker < parent->first_maker)
        parent->first_maker = own->first_maker;
}

static status place_below(placer *p, const plan_node *node, bool keeps_order)
{
    TRY(guard_check());
    place *own = &p->places[p->count++];
    statement_work work;
    statement_work_of_node(p->plan, node, &work);
    for (unsigned on_cpu = 0; on_cpu < 2; on_cpu++)
        own->least[on_cpu] = cost_of_work(p->devices, &work, on_cpu);
    p->device += own->least[0];
    p->cpu += own->least[1];
    own->least[1] *= DOUBT;
    own->first_maker = first_maker_of(p, node);
    keeps_order |= mix_keeps_order(node);
    for (uint32_t i = 0; i < node->child_count; i++) {
        uint32_t number = p->count;
        TRY(place_below(p, node->children[i], keeps_order));
        place_add_child(p, own, node->children[i], number, keeps_order);
    }
    return STATUS_OK;
}

/* ---- the choice ---- */

/* Notes which nodes' rows move, from a node on. Returns whether any do. */
static bool place_choose(const placer *p, const plan_node *node, bool on_cpu, bool *moves,
                         uint32_t *number)
{
    bool any = false;
    (*number)++;
    for (uint32_t i = 0; i < node->child_count; i++) {
        bool crosses = moves[*number] = p->places[*number].moves[on_cpu];
        any |= crosses;
        any |= place_choose(p, node->children[i], on_cpu ^ crosses, moves, number);
    }
    return any;
}

static status place_decide(placer *p, placement *out)
{
    const plan_statement *plan = p->plan;
    double least[2] = {0, 0};
    uint32_t number = 0;
    for (size_t i = 0; i <= plan->shared.count; i++) {
        const plan_node *tree = i < plan->shared.count ? plan->shared.items[i] : plan->root;
        uint32_t root = p->count;
        TRY(place_below(p, tree, false));
        for (unsigned on_cpu = 0; on_cpu < 2; on_cpu++)
            least[on_cpu] += p->places[root].least[on_cpu];
    }
    double begin = cost_to_begin(p->devices, false);
    out->cpu = cost_to_begin(p->devices, true) + p->cpu;
    out->device = begin + p->device;
    out->root_on_cpu = least[1] < least[0];
    bool *moves = arena_alloc_array(plan->memory, p->count, sizeof *moves);
    if (!moves)
        return status_no_memory("plan", p->count);
    bool any = false;
    for (size_t i = 0; i <= plan->shared.count; i++)
        any |= place_choose(p, i < plan->shared.count ? plan->shared.items[i] : plan->root,
                            out->root_on_cpu, moves, &number);
    out->moves = moves;
    out->both = any ? begin + least[out->root_on_cpu] : INFINITY;
    return STATUS_OK;
}

status place_by_cost(const plan_statement *plan, const cost_devices *devices, placement *out)
{
    placer p = {plan, devices, .may_mix = mix_is_possible(plan)};
    uint32_t count = mix_node_count(plan), number = 0;
    *out = (placement){0};
    p.places = arena_alloc_array(plan->memory, count, sizeof *p.places);
    p.filters = arena_alloc_array(plan->memory, plan->runtime_filter_count + 1, sizeof *p.filters);
    p.bounds = arena_alloc_array(plan->memory, plan->bound_count + 1, sizeof *p.bounds);
    if (!p.places || !p.filters || !p.bounds)
        return status_no_memory("plan", count * sizeof *p.places);
    for (size_t i = 0; i < plan->shared.count; i++)
        place_note_makers(&p, plan->shared.items[i], &number);
    place_note_makers(&p, plan->root, &number);
    return place_decide(&p, out);
}
