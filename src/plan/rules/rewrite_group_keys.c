/* rewrite_group_keys.c - groups are made by as few keys as tell them apart: constants, and what is
 * computed of other keys, are computed of the groups.
 *
 *   group by a, a - 1, 'x'     project [a, a - 1, 'x']
 *                                aggregate groups [a]
 *
 * Where all are constants there is one group, or none without rows, which their count tells:
 *
 *   sum(b) ... group by 'x'    project ['x', sum(b)]
 *                                filter count(*) > 0
 *                                  aggregate [sum(b), count(*)] */
#include "base/system/guard.h"
#include "plan/edit/shared.h"
#include "plan/nodes/node_filter.h"
#include "plan/nodes/visit.h"
#include "plan/tree/column_set.h"
#include "plan/tree/expr_index.h"
#include "plan/tree/function.h"
#include "plan/tree/rule.h"

static status group_keys_no_memory(void)
{
    return status_no_memory("plan", sizeof(plan_node));
}

/* Whatever is computed of equal keys is equal: not of floats, which have two zeros, nor of
 * intervals. */
static bool is_identity(data_type type)
{
    return type.id != TYPE_FLOAT && type.id != TYPE_DOUBLE && type.id != TYPE_INTERVAL;
}

/* It reads columns, and nothing else makes its value. */
static bool is_function(const expr *e)
{
    bool reads = e->kind == EXPR_COLUMN;
    if (e->kind == EXPR_SUBQUERY ||
        (e->kind == EXPR_CALL && (!e->arg_count || function_is_volatile(e->op))))
        return false;
    for (uint32_t i = 0; i < e->arg_count; i++) {
        if (e->args[i]->kind != EXPR_CONSTANT && !is_function(e->args[i]))
            return false;
        reads |= e->args[i]->kind != EXPR_CONSTANT;
    }
    return reads;
}

/* The kept keys: which columns of the child they are, and what they are called above. */
typedef struct kept_keys {
    expr_index all;           /* each key, kept or not */
    plan_column_list columns; /* of the child */
    expr_list named;          /* each of them, as the aggregate's column */
    column_set set;
} kept_keys;

static status group_keys_find_columns(plan_statement *s, const plan_node *node, kept_keys *out)
{
    *out = (kept_keys){0};
    TRY(column_set_new(s->memory, s->next_column_id, &out->set));
    for (size_t i = 0; i < node->aggregate.groups.count; i++) {
        const expr *key = node->aggregate.groups.items[i];
        TRY(expr_index_add(s->memory, &out->all, key));
        if (key->kind != EXPR_COLUMN || !is_identity(key->type) ||
            column_set_has(&out->set, key->column_id))
            continue;
        plan_column column = {.id = key->column_id, .type = key->type};
        expr *name = plan_column_expr(s->memory, &node->columns.items[i]);
        if (!name)
            return group_keys_no_memory();
        column_set_add(&out->set, key->column_id);
        TRY(array_push(s->memory, &out->columns, column));
        TRY(array_push(s->memory, &out->named, name));
    }
    return STATUS_OK;
}

/* The key is the child's column, id and all: no other expression may make that column again. */
static bool group_keys_passes_through(const plan_node *node, size_t number)
{
    const expr *key = node->aggregate.groups.items[number];
    return key->kind == EXPR_COLUMN && key->column_id == node->columns.items[number].id;
}

/* Returns the first key that has the values of key `number` and keeps them for both, or EXPR_INDEX_NONE. */
static uint32_t group_keys_find_equal(const plan_node *node, const expr_index *all, size_t number)
{
    const expr *key = node->aggregate.groups.items[number];
    uint32_t least = EXPR_INDEX_NONE;
    for (uint32_t i = expr_index_first(all, key); i != EXPR_INDEX_NONE;
         i = expr_index_next(all, key, i))
        if (i != number && i < least && (i < number || group_keys_passes_through(node, i)) &&
            type_equal(node->aggregate.groups.items[i]->type, key->type))
            least = i;
    return least;
}

/* Finds the expression of key `number` by the others' columns, or NULL: it is kept. */
static status group_keys_find_value(plan_statement *s, const plan_node *node, const kept_keys *kept,
                                    size_t number, expr **out)
{
    expr *key = node->aggregate.groups.items[number];
    *out = NULL;
    if (group_keys_passes_through(node, number))
        return STATUS_OK;
    uint32_t equal = group_keys_find_equal(node, &kept->all, number);
    if (equal != EXPR_INDEX_NONE) {
        *out = plan_column_expr(s->memory, &node->columns.items[equal]);
        return *out ? STATUS_OK : group_keys_no_memory();
    }
    if (key->kind == EXPR_CONSTANT)
        *out = key;
    else if (key->kind != EXPR_COLUMN && is_function(key) && column_set_covers(&kept->set, key))
        *out = expr_substitute(s->memory, key, &kept->columns, kept->named.items);
    else
        return STATUS_OK;
    return *out ? STATUS_OK : group_keys_no_memory();
}

/* Values of all keys; NULL: kept. *kept 0: all are constants. Without aggregates one is kept even so: whoever wants
 * but one group need not count rows. */
static status rewrite_group_keys_find_values(plan_statement *s, const plan_node *node,
                                             expr **values, size_t *kept)
{
    kept_keys keys;
    size_t count = node->aggregate.groups.count;
    *kept = 0;
    TRY(group_keys_find_columns(s, node, &keys));
    for (size_t i = 0; i < count; i++) {
        TRY(group_keys_find_value(s, node, &keys, i, &values[i]));
        *kept += !values[i];
    }
    /* A key that is the same as an earlier one is called as that is, which may be computed, too. */
    for (size_t i = 0; i < count; i++) {
        bool is_column = values[i] && values[i]->kind == EXPR_COLUMN;
        int k = is_column ? plan_column_index(node, values[i]->column_id) : -1;
        if (k >= 0 && (size_t)k < i && values[k])
            values[i] = values[k];
    }
    if (!*kept && !node->aggregate.aggregates.count) {
        values[0] = NULL;
        *kept = 1;
    }
    return STATUS_OK;
}

/* The project takes the aggregate's columns over; the aggregate keeps those that it makes. */
static status group_keys_split(plan_statement *s, plan_node *node, expr *const *values,
                               plan_node *project)
{
    size_t count = node->aggregate.groups.count, kept = 0;
    project->children[0] = node;
    project->columns = node->columns;
    project->position = node->position;
    project->estimated_rows = node->estimated_rows;
    node->columns = (plan_column_list){0};
    for (size_t i = 0; i < project->columns.count; i++) {
        bool is_kept = i >= count || !values[i];
        expr *e = is_kept ? plan_column_expr(s->memory, &project->columns.items[i]) : values[i];
        if (!e)
            return group_keys_no_memory();
        TRY(array_push(s->memory, &project->project.exprs, e));
        if (!is_kept)
            continue;
        TRY(array_push(s->memory, &node->columns, project->columns.items[i]));
        if (i < count)
            node->aggregate.groups.items[kept++] = node->aggregate.groups.items[i];
    }
    node->aggregate.groups.count = kept;
    return STATUS_OK;
}

static status group_keys_add_count(plan_statement *s, plan_node *node, plan_column *out)
{
    plan_aggregate count = {.function = AGGREGATE_COUNT_STAR, .position = -1};
    plan_column column = {
        .id = s->next_column_id++, .name = "count", .type = type_make(TYPE_INT64)};
    *out = column;
    TRY(array_push(s->memory, &node->aggregate.aggregates, count));
    return array_push(s->memory, &node->columns, column);
}

/* The node makes a row of no rows, too, unless it has keys. */
static status drop_empty_group(plan_statement *s, plan_node *node, plan_node **out)
{
    plan_column count;
    expr_list conditions = {0};
    const value zero = value_decimal(0, type_make(TYPE_INT64));
    TRY(group_keys_add_count(s, node, &count));
    expr *args[2] = {plan_column_expr(s->memory, &count), expr_new_constant(s->memory, &zero, -1)};
    if (!args[0] || !args[1])
        return group_keys_no_memory();
    expr *is_any = expr_new_call(s->memory, EXPR_GT, type_make(TYPE_BOOL), args, 2, -1);
    if (!is_any)
        return group_keys_no_memory();
    TRY(array_push(s->memory, &conditions, is_any));
    TRY(plan_filter_over(s->memory, node, &conditions, out));
    (*out)->position = node->position;
    (*out)->estimated_rows = node->estimated_rows;
    return STATUS_OK;
}

static status group_keys_rewrite(plan_statement *s, plan_node *node, plan_node **out)
{
    TRY(guard_check());
    *out = node;
    for (uint32_t i = 0; i < node->child_count; i++)
        TRY(group_keys_rewrite(s, node->children[i], &node->children[i]));
    size_t count = node->kind == PLAN_AGGREGATE ? node->aggregate.groups.count : 0, kept;
    if (!count)
        return STATUS_OK;
    expr **values = arena_alloc_array(s->memory, count, sizeof *values);
    if (!values)
        return group_keys_no_memory();
    TRY(rewrite_group_keys_find_values(s, node, values, &kept));
    if (kept == count)
        return STATUS_OK;
    plan_node *project = plan_node_new(s->memory, PLAN_PROJECT, 1);
    if (!project)
        return group_keys_no_memory();
    *out = project;
    TRY(group_keys_split(s, node, values, project));
    return kept ? STATUS_OK : drop_empty_group(s, node, &project->children[0]);
}

status rewrite_group_keys(plan_statement *statement)
{
    return plan_each_tree(statement, group_keys_rewrite);
}
