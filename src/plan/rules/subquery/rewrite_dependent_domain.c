/* rewrite_dependent_domain.c - the rows for which a dependent plan is computed: the different values that it reads of the
 * left side, or the left side's rows themselves, numbered. The left side is read twice for it, or shared. */
#include "plan/rules/subquery/rewrite_dependent_domain.h"

#include "plan/edit/copy.h"
#include "plan/edit/repeatable.h"
#include "plan/edit/shared.h"

static status dependent_domain_no_memory(void)
{
    return status_no_memory("plan", sizeof(plan_node));
}

static status dependent_domain_column_expr(plan_statement *s, const plan_column *column, expr **out)
{
    *out = plan_column_expr(s->memory, column);
    return *out ? STATUS_OK : dependent_domain_no_memory();
}

static status dependent_domain_new_node(plan_statement *s, plan_kind kind, plan_node *child,
                                        plan_node **out)
{
    *out = plan_node_new(s->memory, kind, 1);
    if (!*out)
        return dependent_domain_no_memory();
    (*out)->children[0] = child;
    (*out)->columns = child->columns;
    return STATUS_OK;
}

/* Reading it twice costs less than keeping its rows. */
static bool is_table(const plan_node *node)
{
    while (plan_is_repeatable(node) && (node->kind == PLAN_FILTER || node->kind == PLAN_PROJECT))
        node = node->children[0];
    return node->kind == PLAN_SCAN || node->kind == PLAN_VALUES || node->kind == PLAN_SHARED;
}

/* *left, and *out with the same rows, whose columns have other ids. */
static status read_twice(plan_statement *s, plan_node **left, bool may_copy, plan_node **out)
{
    plan_node *copy, *reference;
    uint32_t id;
    TRY(plan_copy_renamed(s, *left, &copy));
    *out = copy;
    if (may_copy && is_table(*left))
        return STATUS_OK;
    TRY(plan_make_shared(s, copy, &id));
    TRY(plan_shared_reference(s, id, &reference));
    reference->columns = (*left)->columns;
    *left = reference;
    return plan_shared_reference(s, id, out);
}

/* Adds a column, the row's number. */
static status dependent_domain_number_rows(plan_statement *s, plan_node **node)
{
    plan_window_call call = {.function = WINDOW_ROW_NUMBER, .position = -1};
    plan_column number = {
        .id = s->next_column_id++, .name = "number", .type = type_make(TYPE_INT64)};
    plan_column_list columns = {0};
    value one = value_int(TYPE_INT32, 1);
    plan_sort_key key = {.key = expr_new_constant(s->memory, &one, -1)};
    if (!key.key)
        return dependent_domain_no_memory();
    /* Any order will do, but one task has to get the rows. */
    TRY(dependent_domain_new_node(s, PLAN_SORT, *node, node));
    TRY(array_push(s->memory, &(*node)->sort.keys, key));
    TRY(dependent_domain_new_node(s, PLAN_WINDOW, *node, node));
    for (size_t i = 0; i < (*node)->columns.count; i++)
        TRY(array_push(s->memory, &columns, (*node)->columns.items[i]));
    TRY(array_push(s->memory, &columns, number));
    (*node)->columns = columns;
    return array_push(s->memory, &(*node)->window.calls, call);
}

/* The node makes the column at `at` of the rows, by an expression of the list. */
static status take_column(plan_statement *s, const plan_node *rows, size_t at, plan_node *node,
                          expr_list *exprs)
{
    expr *e;
    TRY(dependent_domain_column_expr(s, &rows->columns.items[at], &e));
    TRY(array_push(s->memory, exprs, e));
    return array_push(s->memory, &node->columns, rows->columns.items[at]);
}

status plan_make_domain(plan_statement *s, plan_node **left, const plan_column_list *outer,
                        plan_domain_kind kind, plan_node **out)
{
    bool is_of_rows = kind == DOMAIN_ROWS;
    plan_node *rows, *node;
    if (is_of_rows)
        TRY(dependent_domain_number_rows(s, left));
    const plan_node *whole = *left;
    TRY(read_twice(s, left, !is_of_rows, &rows));
    TRY(dependent_domain_new_node(s, is_of_rows ? PLAN_PROJECT : PLAN_AGGREGATE, rows, &node));
    expr_list *exprs = is_of_rows ? &node->project.exprs : &node->aggregate.groups;
    node->columns = (plan_column_list){0};
    for (size_t i = 0; i < outer->count; i++) {
        int at = plan_column_index(whole, outer->items[i].id);
        TRY(take_column(s, rows, (size_t)at, node, exprs));
    }
    if (is_of_rows)
        TRY(take_column(s, rows, rows->columns.count - 1, node, exprs));
    *out = node;
    return kind == DOMAIN_NUMBERED_VALUES ? dependent_domain_number_rows(s, out) : STATUS_OK;
}
