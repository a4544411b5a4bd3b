/* bind_owner.c - see bind_owner.h.
 *
 * SELECT (SELECT max(t.x)) FROM t is one row, as max(t.x) is: the call is the outer query's, and the inner one reads its
 * value. FILTER and ORDER BY are parts of a call. A call that names no column is the inner query's. */
#include "sql/expression/bind_owner.h"

#include "plan/nodes/visit.h"
#include "sql/expression/bind_scope.h"
#include "sql/types/bind_operator.h"

status bind_check_aggregate_place(binder *b, const FuncCall *tree, const bind_scope *scope)
{
    if (scope->clause)
        return bind_error(b, STATUS_KIND_INVALID, tree->location,
                          "aggregate functions are not allowed in %s", scope->clause);
    if (scope->is_in_aggregate)
        return bind_error(b, STATUS_KIND_INVALID, tree->location,
                          "aggregate function calls cannot be nested");
    return STATUS_OK;
}

static bool has_id(const bind_scope *scope, uint32_t id)
{
    for (size_t i = 0; (i = bind_scope_with_id(scope, id, i)) < scope->entries.count; i++)
        if (scope->entries.items[i].id == id)
            return true;
    return false;
}

status bind_owner_begin(binder *b, bind_scope *scope, bind_owner *out)
{
    *out = (bind_owner){.scope = scope};
    for (bind_scope *s = scope; s; s = s->parent)
        TRY(bind_scope_tabulate(b, s));
    return STATUS_OK;
}

static void note_column(uint32_t id, void *context)
{
    bind_owner *owner = context;
    uint32_t depth = 0;
    for (const bind_scope *s = owner->scope; s; s = s->parent, depth++) {
        if (owner->has_column && depth >= owner->depth)
            return;
        if (!has_id(s, id))
            continue;
        owner->has_column = true;
        owner->depth = depth;
        owner->column_id = id;
    }
}

void bind_owner_note(bind_owner *owner, const expr *part)
{
    if (part)
        expr_visit_columns(part, note_column, owner);
}

status bind_owner_end(binder *b, const FuncCall *call, bind_owner *owner)
{
    for (uint32_t i = 0; i < owner->depth; i++)
        owner->scope = owner->scope->parent;
    TRY(bind_check_aggregate_place(b, call, owner->scope));
    if (owner->depth && !owner->scope->takes_aggregates)
        return bind_error(b, STATUS_KIND_INVALID, call->location,
                          "aggregate functions are not allowed in FROM of their own query");
    return STATUS_OK;
}

status bind_owner_keep(binder *b, const bind_owner *owner, uint32_t column_id)
{
    return owner->depth ? array_push(b->memory, &b->outer_calls,
                                     ((bind_outer_call){column_id, owner->column_id}))
                        : STATUS_OK;
}

bool bind_owner_is_older(const binder *b, uint32_t column_id, uint32_t first_own_id)
{
    for (size_t i = 0; i < b->outer_calls.count; i++)
        if (b->outer_calls.items[i].id == column_id)
            return b->outer_calls.items[i].of < first_own_id;
    return column_id < first_own_id;
}
