/* copy.c - deep copies of plans, with subqueries in them. */

#include "plan/edit/copy.h"

#include "base/system/guard.h"
#include "plan/nodes/visit.h"

typedef struct copied {
    const plan_node *from;
    plan_node *to;
} copied;

typedef struct copier {
    arena *memory;
    ARRAY(copied) subqueries; /* one that is mentioned twice stays one */
    bool has_failed;
} copier;

static status copy_no_memory(void)
{
    return status_no_memory("plan", sizeof(plan_node));
}

static plan_node *copy_tree(copier *c, const plan_node *node);

static plan_node *edit_copy_subquery(copier *c, const plan_node *plan)
{
    for (size_t i = 0; i < c->subqueries.count; i++)
        if (c->subqueries.items[i].from == plan)
            return c->subqueries.items[i].to;
    copied added = {plan, copy_tree(c, plan)};
    status st = array_push(c->memory, &c->subqueries, added);
    c->has_failed |= st != STATUS_OK;
    status_free(st);
    return added.to;
}

static void copy_subqueries(copier *c, expr *e)
{
    for (uint32_t i = 0; i < e->arg_count; i++)
        copy_subqueries(c, e->args[i]);
    if (e->kind == EXPR_SUBQUERY)
        e->subquery = edit_copy_subquery(c, e->subquery);
}

static void copy_slot(expr **slot, void *context)
{
    copier *c = context;
    expr *e = expr_copy(c->memory, *slot);
    c->has_failed |= !e;
    if (!e)
        return;
    copy_subqueries(c, e);
    *slot = e;
}

static void *copy_items(copier *c, const void *items, size_t count, size_t bytes)
{
    void *to = arena_alloc_array(c->memory, count + 1, bytes);
    c->has_failed |= !to;
    if (to && count)
        memcpy(to, items, count * bytes);
    return to;
}

/* The list's own items; full, so that adding makes room elsewhere. */
#define COPY_LIST(c, list)                                                                         \
    do {                                                                                           \
        (list)->items = copy_items(c, (list)->items, (list)->count, sizeof *(list)->items);        \
        (list)->capacity = (list)->count;                                                          \
    } while (0)

static void edit_copy_rows(copier *c, plan_node *node)
{
    COPY_LIST(c, &node->values.rows);
    for (size_t i = 0; i < node->values.rows.count && !c->has_failed; i++)
        node->values.rows.items[i] =
            copy_items(c, node->values.rows.items[i], node->columns.count, sizeof(expr *));
}

/* The lists that rewrites change. */
static void copy_lists(copier *c, plan_node *node)
{
    COPY_LIST(c, &node->columns);
    switch (node->kind) {
    case PLAN_SCAN:
        COPY_LIST(c, &node->scan.sources);
        COPY_LIST(c, &node->scan.filters);
        COPY_LIST(c, &node->scan.filter_only);
        COPY_LIST(c, &node->scan.relied);
        COPY_LIST(c, &node->scan.runtime_filters);
        COPY_LIST(c, &node->scan.bounds);
        for (size_t i = 0; i < node->scan.bounds.count && !c->has_failed; i++)
            COPY_LIST(c, &node->scan.bounds.items[i].column_ids);
        break;
    case PLAN_TEXT_SCAN:
        COPY_LIST(c, &node->text_scan.sources);
        break;
    case PLAN_ARROW_SCAN:
        COPY_LIST(c, &node->arrow_scan.sources);
        break;
    case PLAN_VALUES:
        edit_copy_rows(c, node);
        break;
    case PLAN_FILTER:
        COPY_LIST(c, &node->filter.conditions);
        break;
    case PLAN_PROJECT:
        COPY_LIST(c, &node->project.exprs);
        break;
    case PLAN_AGGREGATE:
        COPY_LIST(c, &node->aggregate.groups);
        COPY_LIST(c, &node->aggregate.aggregates);
        break;
    case PLAN_GROUPING_SETS:
        COPY_LIST(c, &node->grouping_sets.groups);
        COPY_LIST(c, &node->grouping_sets.aggregates);
        COPY_LIST(c, &node->grouping_sets.sets);
        for (size_t i = 0; i < node->grouping_sets.sets.count && !c->has_failed; i++)
            COPY_LIST(c, &node->grouping_sets.sets.items[i]);
        break;
    case PLAN_JOIN:
        COPY_LIST(c, &node->join.left_keys);
        COPY_LIST(c, &node->join.right_keys);
        break;
    case PLAN_SORT:
        COPY_LIST(c, &node->sort.keys);
        break;
    case PLAN_WINDOW:
        COPY_LIST(c, &node->window.partition);
        COPY_LIST(c, &node->window.order);
        COPY_LIST(c, &node->window.calls);
        break;
    case PLAN_WINDOW_LIMIT:
        COPY_LIST(c, &node->window_limit.partition);
        COPY_LIST(c, &node->window_limit.order);
        break;
    case PLAN_SHARED:
        COPY_LIST(c, &node->shared.sources);
        break;
    default:
        break;
    }
}

static plan_node *copy_tree(copier *c, const plan_node *node)
{
    plan_node *to = copy_items(c, node, 1, sizeof *node);
    if (c->has_failed)
        return to;
    to->children = copy_items(c, node->children, node->child_count, sizeof *node->children);
    for (uint32_t i = 0; i < node->child_count && !c->has_failed; i++)
        to->children[i] = copy_tree(c, node->children[i]);
    if (c->has_failed)
        return to;
    copy_lists(c, to);
    if (!c->has_failed)
        plan_visit_exprs(to, copy_slot, c);
    return to;
}

status plan_copy(plan_statement *s, const plan_node *node, plan_node **out)
{
    copier c = {.memory = s->memory};
    plan_node *copy = copy_tree(&c, node);
    if (c.has_failed)
        return copy_no_memory();
    *out = copy;
    return STATUS_OK;
}

/* ---- with other ids ---- */

typedef struct renaming {
    plan_statement *statement;
    uint32_t *ids; /* by old id; 0: not made in the plan */
    uint32_t count;
    bool applies; /* the ids are known */
} renaming;

static void rename_tree(plan_node *node, renaming *r);

static void rename_expr(expr *e, renaming *r)
{
    if (!guard_may_go_on())
        return;
    for (uint32_t i = 0; i < e->arg_count; i++)
        rename_expr(e->args[i], r);
    if (e->kind == EXPR_SUBQUERY)
        rename_tree(e->subquery, r);
    if (e->kind == EXPR_COLUMN && r->applies && e->column_id < r->count && r->ids[e->column_id])
        e->column_id = r->ids[e->column_id];
}

static void rename_slot(expr **slot, void *context)
{
    rename_expr(*slot, context);
}

static void rename_id(uint32_t *id, const renaming *r)
{
    if (*id < r->count && r->ids[*id])
        *id = r->ids[*id];
}

/* Renames the columns that a scan's runtime filters and bounds are about. */
static void rename_taken(plan_node *scan, const renaming *r)
{
    for (size_t i = 0; i < scan->scan.runtime_filters.count; i++)
        rename_id(&scan->scan.runtime_filters.items[i].column_id, r);
    for (size_t i = 0; i < scan->scan.bounds.count; i++)
        for (size_t k = 0; k < scan->scan.bounds.items[i].column_ids.count; k++)
            rename_id(&scan->scan.bounds.items[i].column_ids.items[k], r);
}

static void rename_tree(plan_node *node, renaming *r)
{
    if (!guard_may_go_on())
        return;
    if (r->applies && node->kind == PLAN_SCAN)
        rename_taken(node, r);
    for (size_t i = 0; i < node->columns.count; i++) {
        uint32_t *id = &node->columns.items[i].id;
        if (*id >= r->count)
            continue;
        if (r->applies)
            *id = r->ids[*id];
        else if (!r->ids[*id])
            r->ids[*id] = r->statement->next_column_id++;
    }
    plan_visit_exprs(node, rename_slot, r);
    for (uint32_t i = 0; i < node->child_count; i++)
        rename_tree(node->children[i], r);
}

status plan_copy_renamed(plan_statement *s, const plan_node *node, plan_node **out)
{
    renaming r = {.statement = s, .count = s->next_column_id};
    plan_node *copy;
    TRY(plan_copy(s, node, &copy));
    r.ids = arena_alloc_array(s->memory, r.count + 1, sizeof *r.ids);
    if (!r.ids)
        return copy_no_memory();
    rename_tree(copy, &r);
    r.applies = true;
    rename_tree(copy, &r);
    *out = copy;
    return STATUS_OK;
}
