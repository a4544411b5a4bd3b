/* mix.c - see mix.h. No move stands above a common subplan's rows, which are of the device of the statement's root, nor where
 * rows have to stay in the order in which they lie. What joins and sorts tell scans does not cross a move. */
#include "api/choice/mix.h"

#include "base/system/guard.h"
#include "base/type/nested_type.h"
#include "plan/nodes/visit.h"

/* ---- whether ---- */

static void look_for_nested(expr **slot, void *context)
{
    const expr *e = *slot;
    *(bool *)context |= type_is_nested(e->type);
    for (uint32_t i = 0; i < e->arg_count; i++)
        look_for_nested(&e->args[i], context);
}

static bool mix_has_nested(plan_node *node)
{
    bool is_found = false;
    plan_visit_exprs(node, look_for_nested, &is_found);
    for (size_t i = 0; i < node->columns.count; i++)
        is_found |= type_is_nested(node->columns.items[i].type);
    for (uint32_t i = 0; i < node->child_count && !is_found; i++)
        is_found = mix_has_nested(node->children[i]);
    return is_found;
}

bool mix_is_possible(const plan_statement *plan)
{
    bool has_nested = plan->has_nested || mix_has_nested(plan->root);
    for (size_t i = 0; i < plan->shared.count && !has_nested; i++)
        has_nested = mix_has_nested(plan->shared.items[i]);
    return !has_nested && !plan->exchange_count;
}

/* ---- where ---- */

typedef struct mix {
    plan_statement *plan;
    const char *const *names;
    const bool *moves; /* by number of a node; NULL: at random */
    uint32_t next;     /* such a number */
    uint64_t state;    /* of the numbers drawn */
} mix;

/* Draws 0 or 1 (splitmix64). */
static unsigned mix_draw(mix *m)
{
    uint64_t z = m->state += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return (z ^ (z >> 31)) >> 63;
}

static bool reads_shared(const plan_node *node)
{
    bool is_found = node->kind == PLAN_SHARED;
    for (uint32_t i = 0; i < node->child_count && !is_found; i++)
        is_found = reads_shared(node->children[i]);
    return is_found;
}

bool mix_keeps_order(const plan_node *node)
{
    return node->kind == PLAN_SORT && node->sort.keeps_order;
}

bool mix_may_move(const plan_statement *plan, const plan_node *node)
{
    return !plan->shared.count || !reads_shared(node);
}

static bool mix_wants_move(mix *m, const plan_node *node, bool keeps_order)
{
    uint32_t number = m->next++;
    return m->moves ? m->moves[number] : mix_draw(m) && !keeps_order && mix_may_move(m->plan, node);
}

/* Puts a move above the node in *slot, which is of device `from`. */
static status add_move(mix *m, plan_node **slot, unsigned from)
{
    plan_node *node = *slot, *move = plan_node_new(m->plan->memory, PLAN_MOVE, 1);
    if (!move)
        return status_no_memory("plan", sizeof *move);
    move->children[0] = node;
    move->columns = node->columns;
    move->position = node->position;
    move->placement = node->placement;
    move->estimated_rows = node->estimated_rows;
    move->estimated_bytes = node->estimated_bytes;
    move->move.from = m->names[from];
    move->move.to = m->names[!from];
    *slot = move;
    return STATUS_OK;
}

/* Chooses devices below a node of device `device`. keeps_order: of what is there rows stay as they lie. */
static status mix_below(mix *m, plan_node *node, unsigned device, bool keeps_order)
{
    TRY(guard_check());
    keeps_order |= mix_keeps_order(node);
    for (uint32_t i = 0; i < node->child_count; i++) {
        plan_node *child = node->children[i];
        bool moves = mix_wants_move(m, child, keeps_order);
        unsigned of_child = moves ? !device : device;
        TRY(mix_below(m, child, of_child, keeps_order));
        if (moves)
            TRY(add_move(m, &node->children[i], of_child));
    }
    return STATUS_OK;
}

/* ---- what does not cross a move ---- */

/* The part of the plan, between moves, in which each filter and bound is made. */
typedef struct mix_parts {
    uint32_t count;
    uint32_t *filters, *bounds; /* by their ids; 0: in none */
} mix_parts;

/* Notes who makes filters and bounds in the part and in those below. */
static void note_makers(mix_parts *parts, plan_node *node, uint32_t part)
{
    if (node->kind == PLAN_MOVE)
        part = ++parts->count;
    for (size_t i = 0; node->kind == PLAN_JOIN && i < node->join.runtime_filters.count; i++)
        parts->filters[node->join.runtime_filters.items[i].id] = part;
    if (node->kind == PLAN_SORT && node->sort.bound)
        parts->bounds[node->sort.bound] = part;
    for (uint32_t i = 0; i < node->child_count; i++)
        note_makers(parts, node->children[i], part);
}

/* Has a scan take no more than is made in its own part. */
static void drop_from_scan(const mix_parts *parts, plan_node *scan, uint32_t part)
{
    size_t kept = 0;
    for (size_t i = 0; i < scan->scan.runtime_filters.count; i++)
        if (parts->filters[scan->scan.runtime_filters.items[i].id] == part)
            scan->scan.runtime_filters.items[kept++] = scan->scan.runtime_filters.items[i];
    scan->scan.runtime_filters.count = kept;
    kept = 0;
    for (size_t i = 0; i < scan->scan.bounds.count; i++)
        if (parts->bounds[scan->scan.bounds.items[i].id] == part)
            scan->scan.bounds.items[kept++] = scan->scan.bounds.items[i];
    scan->scan.bounds.count = kept;
}

/* Goes through the plan as note_makers does. */
static void drop_what_crosses(mix_parts *parts, plan_node *node, uint32_t part)
{
    if (node->kind == PLAN_MOVE)
        part = ++parts->count;
    if (node->kind == PLAN_SCAN)
        drop_from_scan(parts, node, part);
    for (uint32_t i = 0; i < node->child_count; i++)
        drop_what_crosses(parts, node->children[i], part);
}

static void mix_each_tree(mix_parts *parts, const plan_statement *plan,
                          void (*call)(mix_parts *parts, plan_node *node, uint32_t part))
{
    parts->count = 1;
    for (size_t i = 0; i < plan->shared.count; i++)
        call(parts, plan->shared.items[i], 1);
    call(parts, plan->root, 1);
}

static status keep_apart(plan_statement *plan)
{
    mix_parts parts = {0};
    size_t filters = plan->runtime_filter_count, bounds = plan->bound_count;
    parts.filters = arena_alloc_array(plan->memory, filters + 1, sizeof *parts.filters);
    parts.bounds = arena_alloc_array(plan->memory, bounds + 1, sizeof *parts.bounds);
    if (!parts.filters || !parts.bounds)
        return status_no_memory("plan", (filters + bounds) * sizeof *parts.filters);
    mix_each_tree(&parts, plan, note_makers);
    mix_each_tree(&parts, plan, drop_what_crosses);
    return STATUS_OK;
}

/* ---- all trees of a plan ---- */

static uint32_t nodes_below(const plan_node *node)
{
    uint32_t count = 1;
    for (uint32_t i = 0; i < node->child_count; i++)
        count += nodes_below(node->children[i]);
    return count;
}

uint32_t mix_node_count(const plan_statement *plan)
{
    uint32_t count = nodes_below(plan->root);
    for (size_t i = 0; i < plan->shared.count; i++)
        count += nodes_below(plan->shared.items[i]);
    return count;
}

static status mix_all(mix *m, unsigned device)
{
    for (size_t i = 0; i <= m->plan->shared.count; i++) {
        m->next++;
        TRY(mix_below(m, i < m->plan->shared.count ? m->plan->shared.items[i] : m->plan->root,
                      device, false));
    }
    return keep_apart(m->plan);
}

status mix_at_random(plan_statement *plan, uint64_t seed, const char *const names[2],
                     unsigned *out_device)
{
    mix m = {plan, names, .state = seed};
    for (const char *c = plan->sql; *c; c++)
        m.state = (m.state ^ (unsigned char)*c) * 0x100000001b3;
    *out_device = mix_draw(&m);
    return mix_all(&m, *out_device);
}

status mix_as_placed(plan_statement *plan, const bool *moves, const char *const names[2],
                     unsigned device)
{
    mix m = {plan, names, .moves = moves};
    return mix_all(&m, device);
}

static void undo_below(plan_node *node)
{
    for (uint32_t i = 0; i < node->child_count; i++) {
        if (node->children[i]->kind == PLAN_MOVE)
            node->children[i] = node->children[i]->children[0];
        undo_below(node->children[i]);
    }
}

void mix_undo(plan_statement *plan)
{
    for (size_t i = 0; i < plan->shared.count; i++)
        undo_below(plan->shared.items[i]);
    undo_below(plan->root);
}
