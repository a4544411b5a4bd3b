/* machine_share.c - see machine_share.h. */
#include "base/system/machine_share.h"

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* ---- cores ---- */

static int machine_share_compare(int x, int y)
{
    return (x > y) - (x < y);
}

/* Returns the part of the machine that a share should not reach beyond. */
static int machine_share_place_of(const machine_core *core)
{
    return core->node == MACHINE_NODE_UNKNOWN ? core->package : core->node;
}

static int by_place(const void *a, const void *b)
{
    const machine_core *x = a, *y = b;
    int order = machine_share_compare(machine_share_place_of(x), machine_share_place_of(y));
    order = order ? order : machine_share_compare(x->package, y->package);
    order = order ? order : machine_share_compare(x->core, y->core);
    return order ? order : machine_share_compare(x->cpu, y->cpu);
}

void machine_sort_cores(machine_core *cores, unsigned count)
{
    qsort(cores, count, sizeof *cores, by_place);
}

/* Cores of one place, and how many shares they are. */
typedef struct place {
    machine_range cores;
    unsigned shares;
} place;

static unsigned machine_share_find_places(const machine_core *cores, unsigned count, place *out)
{
    unsigned places = 0;
    for (unsigned i = 0; i < count; i++) {
        if (!i || machine_share_place_of(&cores[i]) != machine_share_place_of(&cores[i - 1]))
            out[places++] = (place){.cores = {.first = i}};
        out[places - 1].cores.count++;
    }
    return places;
}

/* One by one where a share would have most cores. False: a place has none, or its shares have too few. */
static bool deal(place *places, unsigned count, unsigned shares)
{
    unsigned all = 0;
    for (unsigned i = 0; i < count; i++)
        all += places[i].cores.count;
    for (unsigned share = 0; share < shares; share++) {
        place *best = places;
        for (place *p = places; p < places + count; p++)
            if (p->cores.count * (best->shares + 1) > best->cores.count * (p->shares + 1))
                best = p;
        best->shares++;
    }
    for (const place *p = places; p < places + count; p++)
        if (!p->shares || p->cores.count / p->shares < all / shares)
            return false;
    return true;
}

static machine_range machine_share_part_of(machine_range of, unsigned index, unsigned parts)
{
    unsigned first = of.count * index / parts;
    return (machine_range){of.first + first, of.count * (index + 1) / parts - first};
}

machine_range machine_share_of(const machine_core *cores, unsigned count, unsigned index,
                               unsigned shares)
{
    place places[MACHINE_CORES_MAX];
    if (count < shares || count > MACHINE_CORES_MAX)
        return (machine_range){0};
    unsigned place_count = machine_share_find_places(cores, count, places);
    if (!deal(places, place_count, shares))
        return machine_share_part_of((machine_range){0, count}, index, shares);
    const place *p = places;
    for (; index >= p->shares; p++)
        index -= p->shares;
    return machine_share_part_of(p->cores, index, p->shares);
}

int machine_node_of(const machine_core *cores, machine_range range)
{
    for (unsigned i = 1; i < range.count; i++)
        if (cores[range.first + i].node != cores[range.first].node)
            return MACHINE_NODE_UNKNOWN;
    return range.count ? cores[range.first].node : MACHINE_NODE_UNKNOWN;
}

/* ---- GPUs ---- */

typedef struct gpu_state {
    const int *nodes, *gpu_nodes;
    unsigned gpus, most; /* processes on a GPU */
    unsigned sharers[MACHINE_GPUS_MAX];
} gpu_state;

/* Whether the process has one of its own node: those before it have left room there. */
static bool has_near(const gpu_state *g, unsigned index)
{
    unsigned room = 0, before = 0;
    if (!g->nodes || g->nodes[index] == MACHINE_NODE_UNKNOWN)
        return false;
    for (unsigned i = 0; i < g->gpus; i++)
        room += g->gpu_nodes[i] == g->nodes[index] ? g->most : 0;
    for (unsigned i = 0; i < index; i++)
        before += g->nodes[i] == g->nodes[index];
    return before < room;
}

/* The one with fewest processes, of these the first; of a node, or of all. */
static unsigned machine_share_take(gpu_state *g, const int *node)
{
    unsigned best = g->gpus;
    for (unsigned i = 0; i < g->gpus; i++)
        if ((!node || g->gpu_nodes[i] == *node) &&
            (best == g->gpus || g->sharers[i] < g->sharers[best]))
            best = i;
    g->sharers[best]++;
    return best;
}

machine_gpu machine_gpu_of(const int *nodes, unsigned count, unsigned index, const int *gpu_nodes,
                           unsigned gpus)
{
    gpu_state g = {.nodes = nodes, .gpu_nodes = gpu_nodes, .gpus = gpus};
    machine_gpu out = {0};
    assert(gpus && index < count);
    if (g.gpus > MACHINE_GPUS_MAX)
        g.gpus = MACHINE_GPUS_MAX;
    g.most = (count + g.gpus - 1) / g.gpus;
    for (int is_near = 1; is_near >= 0; is_near--)
        for (unsigned i = 0; i < count; i++)
            if (has_near(&g, i) == is_near) {
                unsigned taken = machine_share_take(&g, is_near ? &nodes[i] : NULL);
                out.ordinal = i == index ? taken : out.ordinal;
            }
    out.sharers = g.sharers[out.ordinal];
    return out;
}

/* ---- GPUs that are near each other ---- */

static uint64_t cost_to(const unsigned *costs, unsigned gpus, uint64_t chosen, unsigned gpu)
{
    uint64_t cost = 0;
    for (unsigned i = 0; i < gpus; i++)
        cost += chosen >> i & 1 ? costs[gpu * gpus + i] : 0;
    return cost;
}

/* Returns a bit for each of those that are near the first, and what their links cost together. */
static uint64_t grow_from(const unsigned *costs, unsigned gpus, unsigned wanted, unsigned first,
                          uint64_t *out_cost)
{
    uint64_t chosen = (uint64_t)1 << first;
    *out_cost = 0;
    for (unsigned count = 1; count < wanted; count++) {
        unsigned best = gpus;
        for (unsigned i = 0; i < gpus; i++)
            if (!(chosen >> i & 1) && (best == gpus || cost_to(costs, gpus, chosen, i) <
                                                           cost_to(costs, gpus, chosen, best)))
                best = i;
        *out_cost += cost_to(costs, gpus, chosen, best);
        chosen |= (uint64_t)1 << best;
    }
    return chosen;
}

void machine_gpus_near(const unsigned *costs, unsigned gpus, unsigned wanted, unsigned *out)
{
    uint64_t best = 0, best_cost = UINT64_MAX;
    assert(gpus <= MACHINE_GPUS_MAX && wanted && wanted <= gpus);
    for (unsigned first = 0; first < gpus; first++) {
        uint64_t cost, chosen = grow_from(costs, gpus, wanted, first, &cost);
        if (cost < best_cost) {
            best_cost = cost;
            best = chosen;
        }
    }
    for (unsigned i = 0, at = 0; i < gpus; i++)
        if (best >> i & 1)
            out[at++] = i;
}
