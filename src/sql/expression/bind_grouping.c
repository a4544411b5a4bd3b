/* bind_grouping.c - GROUPING SETS, ROLLUP, CUBE, and calls of GROUPING. */
#include "sql/expression/bind_grouping.h"

#include "base/system/guard.h"
#include "sql/expression/bind_expr.h"
#include "sql/types/binder.h"

/* PostgreSQL's bounds. */
#define SETS_MAX 4096
#define CUBE_MAX 12
#define CALL_ARGUMENTS_MAX 31

typedef struct reader {
    binder *b;
    bind_group_function *bind;
    void *context;
} reader;

static status bind_grouping_too_many(const reader *r, int32_t location)
{
    return bind_error(r->b, STATUS_KIND_UNSUPPORTED, location,
                      "there are more than %d grouping sets", SETS_MAX);
}

static status grouping_add_set(const reader *r, int32_t location, plan_grouping_set set,
                               plan_grouping_set_list *sets)
{
    if (sets->count >= SETS_MAX)
        return bind_grouping_too_many(r, location);
    return array_push(r->b->memory, sets, set);
}

static status grouping_add_groups(const reader *r, const plan_grouping_set *from,
                                  plan_grouping_set *set)
{
    for (size_t i = 0; i < from->count; i++) {
        bool is_in = false;
        for (size_t k = 0; k < set->count; k++)
            is_in |= set->items[k] == from->items[i];
        if (!is_in)
            TRY(array_push(r->b->memory, set, from->items[i]));
    }
    return STATUS_OK;
}

/* The arguments of ROLLUP and CUBE, each a group or several in parentheses. */
static status read_parts(const reader *r, const GroupingSet *tree, plan_grouping_set_list *parts)
{
    for (size_t i = 0; i < list_length(tree->content); i++) {
        plan_grouping_set part = {0};
        TRY(r->bind(r->context, list_nth(tree->content, i), &part));
        TRY(array_push(r->b->memory, parts, part));
    }
    return STATUS_OK;
}

static status rollup(const reader *r, const GroupingSet *tree, plan_grouping_set_list *out)
{
    plan_grouping_set_list parts = {0};
    TRY(read_parts(r, tree, &parts));
    for (size_t count = parts.count + 1; count-- > 0;) {
        plan_grouping_set set = {0};
        for (size_t i = 0; i < count; i++)
            TRY(grouping_add_groups(r, &parts.items[i], &set));
        TRY(grouping_add_set(r, tree->location, set, out));
    }
    return STATUS_OK;
}

static status cube(const reader *r, const GroupingSet *tree, plan_grouping_set_list *out)
{
    plan_grouping_set_list parts = {0};
    TRY(read_parts(r, tree, &parts));
    if (parts.count > CUBE_MAX)
        return bind_error(r->b, STATUS_KIND_UNSUPPORTED, tree->location,
                          "CUBE is limited to %d elements", CUBE_MAX);
    for (uint32_t left_out = 0; left_out < 1u << parts.count; left_out++) {
        plan_grouping_set set = {0};
        for (size_t i = 0; i < parts.count; i++)
            if (!(left_out >> (parts.count - 1 - i) & 1))
                TRY(grouping_add_groups(r, &parts.items[i], &set));
        TRY(grouping_add_set(r, tree->location, set, out));
    }
    return STATUS_OK;
}

static status grouping_read_item(const reader *r, const pg_node *node, plan_grouping_set_list *out)
{
    TRY(guard_check());
    plan_grouping_set set = {0};
    if (!IsA(node, GroupingSet)) {
        TRY(r->bind(r->context, node, &set));
        return grouping_add_set(r, bind_location(node), set, out);
    }
    const GroupingSet *tree = castNode(GroupingSet, node);
    switch (tree->kind) {
    case GROUPING_SET_EMPTY:
        return grouping_add_set(r, tree->location, set, out);
    case GROUPING_SET_ROLLUP:
        return rollup(r, tree, out);
    case GROUPING_SET_CUBE:
        return cube(r, tree, out);
    default:
        for (size_t i = 0; i < list_length(tree->content); i++)
            TRY(grouping_read_item(r, list_nth(tree->content, i), out));
        return STATUS_OK;
    }
}

/* Each set of the one with each of the other. */
static status bind_grouping_multiply(const reader *r, int32_t location,
                                     const plan_grouping_set_list *left,
                                     const plan_grouping_set_list *right,
                                     plan_grouping_set_list *out)
{
    for (size_t i = 0; i < left->count; i++)
        for (size_t k = 0; k < right->count; k++) {
            plan_grouping_set set = {0};
            TRY(grouping_add_groups(r, &left->items[i], &set));
            TRY(grouping_add_groups(r, &right->items[k], &set));
            TRY(grouping_add_set(r, location, set, out));
        }
    return STATUS_OK;
}

static bool grouping_has_groups(const plan_grouping_set *set, const plan_grouping_set *of)
{
    size_t found = 0;
    for (size_t i = 0; i < of->count; i++)
        for (size_t k = 0; k < set->count; k++)
            found += set->items[k] == of->items[i];
    return found == of->count;
}

static void drop_duplicates(plan_grouping_set_list *sets)
{
    size_t kept = 0;
    for (size_t i = 0; i < sets->count; i++) {
        bool is_new = true;
        for (size_t k = 0; k < kept && is_new; k++)
            is_new = sets->items[k].count != sets->items[i].count ||
                     !grouping_has_groups(&sets->items[k], &sets->items[i]);
        if (is_new)
            sets->items[kept++] = sets->items[i];
    }
    sets->count = kept;
}

status bind_grouping_sets(binder *b, const pg_select *select, bind_group_function *bind,
                          void *context, plan_grouping_set_list *out)
{
    reader r = {b, bind, context};
    plan_grouping_set none = {0};
    TRY(array_push(b->memory, out, none));
    for (size_t i = 0; i < list_length(select->groupClause); i++) {
        const pg_node *node = list_nth(select->groupClause, i);
        plan_grouping_set_list item = {0}, product = {0};
        TRY(grouping_read_item(&r, node, &item));
        if (item.count == 1) { /* as a rule: without copies of all groups so far */
            for (size_t k = 0; k < out->count; k++)
                TRY(grouping_add_groups(&r, &item.items[0], &out->items[k]));
            continue;
        }
        TRY(bind_grouping_multiply(&r, bind_location(node), out, &item, &product));
        *out = product;
    }
    if (select->groupDistinct)
        drop_duplicates(out);
    return STATUS_OK;
}

/* ---- GROUPING(...) ---- */

status bind_grouping_call(binder *b, const GroupingFunc *tree, bind_scope *scope, expr **out)
{
    bind_grouping added = {.position = bind_position(b, tree->location)};
    const char *clause = scope->clause ? scope->clause : "an aggregate function's argument";
    if (scope->clause || scope->is_in_aggregate)
        return bind_error(b, STATUS_KIND_INVALID, tree->location, "GROUPING is not allowed in %s",
                          clause);
    if (list_length(tree->args) > CALL_ARGUMENTS_MAX)
        return bind_error(b, STATUS_KIND_INVALID, tree->location,
                          "GROUPING must have fewer than 32 arguments");
    for (size_t i = 0; i < list_length(tree->args); i++) {
        expr *arg;
        TRY(bind_expr(b, list_nth(tree->args, i), scope, &arg));
        TRY(array_push(b->memory, &added.args, arg));
    }
    added.column =
        (plan_column){.id = bind_new_id(b), .name = "grouping", .type = type_make(TYPE_INT32)};
    TRY(array_push(b->memory, &scope->groupings, added));
    *out = bind_column_expr(b, &added.column);
    if (!*out)
        return bind_no_memory();
    (*out)->position = added.position;
    return STATUS_OK;
}
