/* rewrite_late_values.c - what is computed beside the keys of a sort with a limit is computed of the rows
 * that come out of it, not of all that go in.
 *
 *     sort [a] limit k                          project [a, f(x) as b]
 *       project [g(y) as a, f(x) as b]    ->      sort [a] limit k
 *         rows                                      project [g(y) as a, x]
 *                                                     rows
 *
 * Below a limit of a union each side has the limit as well. */
#include "plan/nodes/node.h"

#include "base/system/guard.h"
#include "plan/edit/repeatable.h"
#include "plan/tree/rule.h"

/* Rows of the limit: more of them are better sorted without columns besides. */
#define LIMIT_MAX 10000
/* The rows that go in are so many times as many at least. */
#define SAVING 4

static status late_values_no_memory(void)
{
    return status_no_memory("plan", sizeof(plan_node));
}

static bool is_limited(const plan_node *node, const plan_node *child)
{
    return node->sort.has_limit && node->sort.limit <= LIMIT_MAX &&
           child->estimated_rows > (double)node->sort.limit * SAVING;
}

/* ---- projections ---- */

static bool late_values_is_key(const plan_node *sort, uint32_t id)
{
    for (size_t i = 0; i < sort->sort.keys.count; i++) {
        const expr *key = sort->sort.keys.items[i].key;
        if (key->kind != EXPR_COLUMN || key->column_id == id)
            return true;
    }
    return false;
}

static bool is_computed(const expr *e)
{
    return e->kind != EXPR_COLUMN && e->kind != EXPR_CONSTANT;
}

/* Which of the projection's columns wait. False: none. */
static bool find_late(const plan_node *sort, const plan_node *project, bool *late)
{
    bool has_some = false;
    for (size_t i = 0; i < project->columns.count; i++) {
        late[i] = is_computed(project->project.exprs.items[i]) &&
                  !late_values_is_key(sort, project->columns.items[i].id);
        has_some |= late[i];
    }
    return has_some;
}

static status late_values_pass_column(plan_statement *s, const plan_column *column,
                                      plan_node *project)
{
    expr *e = plan_column_expr(s->memory, column);
    return plan_project_add(s->memory, project, *column, e);
}

/* The projection below the sort: what does not wait, and what the others read. */
static status early_project(plan_statement *s, const plan_node *project, const bool *late,
                            plan_node **out)
{
    plan_node *early = plan_node_new(s->memory, PLAN_PROJECT, 1), *child = project->children[0];
    column_set read, made;
    if (!early)
        return late_values_no_memory();
    TRY(column_set_new(s->memory, s->next_column_id, &read));
    TRY(column_set_new(s->memory, s->next_column_id, &made));
    early->children[0] = child;
    early->position = project->position;
    for (size_t i = 0; i < project->columns.count; i++) {
        expr *e = project->project.exprs.items[i];
        if (late[i]) {
            column_set_add_expr(&read, e);
            continue;
        }
        column_set_add(&made, project->columns.items[i].id);
        TRY(plan_project_add(s->memory, early, project->columns.items[i], e));
    }
    for (size_t i = 0; i < child->columns.count; i++)
        if (column_set_has(&read, child->columns.items[i].id) &&
            !column_set_has(&made, child->columns.items[i].id))
            TRY(late_values_pass_column(s, &child->columns.items[i], early));
    plan_estimate(s, early);
    *out = early;
    return STATUS_OK;
}

static status delay_values(plan_statement *s, plan_node *sort, plan_node **place)
{
    plan_node *project = sort->children[0], *late_project, *early;
    bool *late = arena_alloc(s->memory, project->columns.count + 1);
    if (!late || !(late_project = plan_node_new(s->memory, PLAN_PROJECT, 1)))
        return late_values_no_memory();
    if (!find_late(sort, project, late))
        return STATUS_OK;
    TRY(early_project(s, project, late, &early));
    for (size_t i = 0; i < project->columns.count; i++) {
        if (!late[i]) {
            TRY(late_values_pass_column(s, &project->columns.items[i], late_project));
            continue;
        }
        TRY(plan_project_add(s->memory, late_project, project->columns.items[i],
                             project->project.exprs.items[i]));
    }
    sort->children[0] = early;
    sort->columns = early->columns;
    late_project->children[0] = sort;
    late_project->position = project->position;
    plan_estimate(s, late_project);
    *place = late_project;
    return STATUS_OK;
}

/* ---- unions ---- */

/* A side of the union with the sort's limit of its own. */
static status limit_side(plan_statement *s, const plan_node *sort, const plan_node *node,
                         plan_node **side)
{
    plan_node *own = plan_node_new(s->memory, PLAN_SORT, 1);
    if (!own)
        return late_values_no_memory();
    own->children[0] = *side;
    own->columns = (*side)->columns;
    own->position = sort->position;
    own->sort.has_limit = true;
    own->sort.limit = sort->sort.limit;
    for (size_t k = 0; k < sort->sort.keys.count; k++) {
        plan_sort_key key = sort->sort.keys.items[k];
        int index = key.key->kind == EXPR_COLUMN ? plan_column_index(node, key.key->column_id) : -1;
        if (index < 0)
            return STATUS_OK;
        const plan_column *column = &(*side)->columns.items[index];
        key.key = plan_column_expr(s->memory, column);
        if (!key.key)
            return late_values_no_memory();
        TRY(array_push(s->memory, &own->sort.keys, key));
    }
    plan_estimate(s, own);
    *side = own;
    return STATUS_OK;
}

static status limit_sides(plan_statement *s, const plan_node *sort, plan_node *node)
{
    for (uint32_t c = 0; c < node->child_count; c++)
        if (is_limited(sort, node->children[c]))
            TRY(limit_side(s, sort, node, &node->children[c]));
    return STATUS_OK;
}

/* ---- the rule ---- */

static status late_values_walk(plan_statement *s, plan_node **place)
{
    TRY(guard_check());
    plan_node *node = *place;
    if (node->kind == PLAN_SORT && is_limited(node, node->children[0])) {
        plan_node *child = node->children[0];
        if (child->kind == PLAN_UNION)
            TRY(limit_sides(s, node, child));
        else if (child->kind == PLAN_PROJECT && plan_is_repeatable(child))
            TRY(delay_values(s, node, place));
    }
    for (uint32_t i = 0; i < node->child_count; i++)
        TRY(late_values_walk(s, &node->children[i]));
    return STATUS_OK;
}

status rewrite_late_values(plan_statement *statement)
{
    for (size_t i = 0; i < statement->shared.count; i++)
        TRY(late_values_walk(statement, &statement->shared.items[i]));
    return late_values_walk(statement, &statement->root);
}
