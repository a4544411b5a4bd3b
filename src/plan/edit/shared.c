/* shared.c - making shared plans while rules run, and putting them in order. */
#include "plan/edit/shared.h"

#include "plan/nodes/visit.h"

static status shared_no_memory(void)
{
    return status_no_memory("plan", sizeof(plan_node));
}

/* References go by the order of columns, which joins that are put in another order change. */
static status keep_order(plan_statement *s, plan_node **plan)
{
    plan_node *project;
    if ((*plan)->kind == PLAN_PROJECT || (*plan)->kind == PLAN_AGGREGATE)
        return STATUS_OK;
    project = plan_node_new(s->memory, PLAN_PROJECT, 1);
    if (!project)
        return shared_no_memory();
    project->children[0] = *plan;
    for (size_t i = 0; i < (*plan)->columns.count; i++) {
        const plan_column *c = &(*plan)->columns.items[i];
        expr *e = plan_column_expr(s->memory, c);
        TRY(plan_project_add(s->memory, project, *c, e));
    }
    *plan = project;
    return STATUS_OK;
}

status plan_make_shared(plan_statement *s, plan_node *plan, uint32_t *out_id)
{
    TRY(keep_order(s, &plan));
    *out_id = (uint32_t)s->shared.count;
    return array_push(s->memory, &s->shared, plan);
}

status plan_shared_reference(plan_statement *s, uint32_t id, plan_node **out)
{
    const plan_node *plan = s->shared.items[id];
    plan_node *node = plan_node_new(s->memory, PLAN_SHARED, 0);
    if (!node)
        return shared_no_memory();
    node->shared.id = id;
    for (size_t i = 0; i < plan->columns.count; i++) {
        plan_column column = plan->columns.items[i];
        column.id = s->next_column_id++;
        TRY(array_push(s->memory, &node->columns, column));
        TRY(array_push(s->memory, &node->shared.sources, (uint32_t)i));
    }
    *out = node;
    return STATUS_OK;
}

/* ---- order ---- */

#define NOT_PLACED UINT32_MAX

typedef struct ordering {
    plan_statement *statement;
    uint32_t *places; /* by old id */
    plan_node_list ordered;
    bool renumbers;
    status st;
} ordering;

static void place_tree(plan_node *node, ordering *o);

static void place_in_expr(const expr *e, ordering *o)
{
    for (uint32_t i = 0; i < e->arg_count; i++)
        place_in_expr(e->args[i], o);
    if (e->kind == EXPR_SUBQUERY)
        place_tree(e->subquery, o);
}

static void place_in_slot(expr **slot, void *context)
{
    place_in_expr(*slot, context);
}

/* Places a subplan after those that it refers to. */
static void shared_place(ordering *o, uint32_t id)
{
    plan_node *plan = o->statement->shared.items[id];
    if (o->st || o->places[id] != NOT_PLACED)
        return;
    place_tree(plan, o);
    o->places[id] = (uint32_t)o->ordered.count;
    if (!o->st)
        o->st = array_push(o->statement->memory, &o->ordered, plan);
}

static void place_tree(plan_node *node, ordering *o)
{
    plan_visit_exprs(node, place_in_slot, o);
    for (uint32_t i = 0; i < node->child_count; i++)
        place_tree(node->children[i], o);
    if (node->kind == PLAN_SHARED && o->renumbers)
        node->shared.id = o->places[node->shared.id];
    else if (node->kind == PLAN_SHARED)
        shared_place(o, node->shared.id);
}

status plan_order_shared(plan_statement *s)
{
    ordering o = {.statement = s};
    size_t count = s->shared.count;
    if (!count)
        return STATUS_OK;
    o.places = arena_alloc_array(s->memory, count, sizeof *o.places);
    if (!o.places)
        return shared_no_memory();
    for (size_t i = 0; i < count; i++)
        o.places[i] = NOT_PLACED;
    place_tree(s->root, &o);
    TRY(o.st);
    for (size_t i = 0; i < o.ordered.count; i++)
        s->shared.items[i] = o.ordered.items[i];
    s->shared.count = o.ordered.count;
    o.renumbers = true;
    for (size_t i = 0; i < s->shared.count; i++)
        place_tree(s->shared.items[i], &o);
    place_tree(s->root, &o);
    return STATUS_OK;
}

status plan_each_tree(plan_statement *statement,
                      status (*rewrite)(plan_statement *statement, plan_node *node,
                                        plan_node **out))
{
    for (size_t i = 0; i < statement->shared.count; i++)
        TRY(rewrite(statement, statement->shared.items[i], &statement->shared.items[i]));
    return rewrite(statement, statement->root, &statement->root);
}
