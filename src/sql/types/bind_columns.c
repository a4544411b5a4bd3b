/* bind_columns.c - columns of a plan as other types. */
#include "sql/types/bind_columns.h"

#include "base/type/json_type.h"
#include "sql/types/bind_type.h"
#include "sql/types/binder.h"

/* The constant behind column i, which nothing but a projection makes. */
static expr **constant_slot(plan_node *node, size_t i)
{
    if (node->kind != PLAN_PROJECT || node->project.exprs.items[i]->kind != EXPR_CONSTANT)
        return NULL;
    return &node->project.exprs.items[i];
}

static status cast_constant_column(binder *b, plan_node *node, size_t i, data_type type,
                                   bool *out_done)
{
    expr **slot = constant_slot(node, i);
    *out_done = false;
    if (!slot)
        return STATUS_OK;
    TRY(bind_cast(b, *slot, type, (*slot)->position, slot));
    node->columns.items[i].type = type;
    *out_done = true;
    return STATUS_OK;
}

status bind_cast_columns(binder *b, plan_node **node, const data_type *types)
{
    size_t count = (*node)->columns.count;
    bool is_same = true;
    for (size_t i = 0; i < count; i++) {
        const plan_column *column = &(*node)->columns.items[i];
        bool is_json_to_be = type_is_json(types[i]) && !type_is_json(column->type);
        bool is_done = type_equal(column->type, types[i]) && column->type.width == types[i].width &&
                       !(is_json_to_be && constant_slot(*node, i));
        if (!is_done)
            TRY(cast_constant_column(b, *node, i, types[i], &is_done));
        is_same &= is_done;
    }
    if (is_same)
        return STATUS_OK;
    expr **exprs = arena_alloc_array(b->memory, count, sizeof *exprs);
    const char **names = arena_alloc_array(b->memory, count, sizeof *names);
    if (!exprs || !names)
        return bind_no_memory();
    for (size_t i = 0; i < count; i++) {
        const plan_column *column = &(*node)->columns.items[i];
        expr *e = bind_column_expr(b, column);
        if (!e)
            return bind_no_memory();
        names[i] = column->name;
        TRY(bind_cast(b, e, types[i], (*node)->position, &exprs[i]));
    }
    return bind_project(b, *node, exprs, names, count, node);
}

status bind_resolve_nulls(binder *b, plan_node **node)
{
    size_t count = (*node)->columns.count;
    bool has_null = false;
    data_type *types = arena_alloc_array(b->memory, count + 1, sizeof *types);
    if (!types)
        return bind_no_memory();
    for (size_t i = 0; i < count; i++) {
        types[i] = (*node)->columns.items[i].type;
        if (types[i].id == TYPE_NULL) {
            types[i] = type_make(TYPE_VARCHAR);
            has_null = true;
        }
    }
    return has_null ? bind_cast_columns(b, node, types) : STATUS_OK;
}
