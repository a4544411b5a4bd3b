/* nested_edit.c - see nested_edit.h. */
#include "plan/rules/nested/nested_edit.h"

#include "base/system/guard.h"
#include "plan/nodes/visit.h"

static status nested_no_memory(void)
{
    return status_no_memory("plan", sizeof(plan_node));
}

/* ---- expressions ---- */

/* Whether a call gives back what the other took: the value or the bytes are there already. */
static bool is_inverse(expr_op op, const expr *arg)
{
    if (arg->kind != EXPR_CALL)
        return false;
    return (op == EXPR_NESTED_KEY && arg->op == EXPR_NESTED_OF_KEY) ||
           (op == EXPR_NESTED_BYTES && arg->op == EXPR_NESTED_OF_BYTES) ||
           (op == EXPR_NESTED_OF_KEY && arg->op == EXPR_NESTED_KEY) ||
           (op == EXPR_NESTED_OF_BYTES && arg->op == EXPR_NESTED_BYTES);
}

status nested_call(arena *a, expr_op op, data_type type, expr *arg, expr **out)
{
    if (arg->kind == EXPR_CONSTANT && arg->constant.is_null) {
        value null = value_null(type);
        *out = expr_new_constant(a, &null, arg->position);
    } else if (is_inverse(op, arg)) {
        *out = arg->args[0];
    } else {
        *out = expr_new_call(a, op, type, &arg, 1, arg->position);
    }
    return *out ? STATUS_OK : nested_no_memory();
}

static status nested_edit_to_blob(arena *a, expr_op op, expr *e, expr **out)
{
    *out = e;
    return type_is_nested(e->type) ? nested_call(a, op, type_make(TYPE_BLOB), e, out) : STATUS_OK;
}

status nested_to_key(arena *a, expr *e, expr **out)
{
    return nested_edit_to_blob(a, EXPR_NESTED_KEY, e, out);
}

status nested_to_bytes(arena *a, expr *e, expr **out)
{
    return nested_edit_to_blob(a, EXPR_NESTED_BYTES, e, out);
}

static status nested_edit_column_expr(arena *a, const plan_column *c, expr **out)
{
    *out = plan_column_expr(a, c);
    return *out ? STATUS_OK : nested_no_memory();
}

/* ---- columns of a tree ---- */

typedef struct substitution {
    arena *memory;
    plan_column_list from;
    ARRAY(expr *) to;
    status st;
} substitution;

static void substitute_slot(expr **slot, void *context)
{
    substitution *sub = context;
    if (sub->st)
        return;
    expr *e = expr_substitute(sub->memory, *slot, &sub->from, sub->to.items);
    if (e)
        *slot = e;
    else
        sub->st = nested_no_memory();
}

status nested_own_columns(arena *a, plan_node *node)
{
    plan_column_list own = {0};
    for (size_t i = 0; i < node->columns.count; i++)
        TRY(array_push(a, &own, node->columns.items[i]));
    node->columns = own;
    return STATUS_OK;
}

static status own_list(arena *a, expr_list *list)
{
    expr_list own = {0};
    for (size_t i = 0; i < list->count; i++)
        TRY(array_push(a, &own, list->items[i]));
    *list = own;
    return STATUS_OK;
}

static status own_order(arena *a, plan_sort_key_list *order)
{
    plan_sort_key_list own = {0};
    for (size_t i = 0; i < order->count; i++)
        TRY(array_push(a, &own, order->items[i]));
    *order = own;
    return STATUS_OK;
}

/* Gives a node lists of keys of its own: an exchange may share a join's, a window a sort's. */
static status own_keys(arena *a, plan_node *node)
{
    switch (node->kind) {
    case PLAN_JOIN:
        TRY(own_list(a, &node->join.left_keys));
        return own_list(a, &node->join.right_keys);
    case PLAN_AGGREGATE:
        return own_list(a, &node->aggregate.groups);
    case PLAN_SORT:
        return own_order(a, &node->sort.keys);
    case PLAN_WINDOW:
        TRY(own_list(a, &node->window.partition));
        return own_order(a, &node->window.order);
    case PLAN_WINDOW_LIMIT:
        TRY(own_list(a, &node->window_limit.partition));
        return own_order(a, &node->window_limit.order);
    case PLAN_EXCHANGE:
        TRY(own_list(a, &node->exchange.keys));
        return own_order(a, &node->exchange.order);
    default:
        return STATUS_OK;
    }
}

static status nested_edit_rename_tree(plan_node *node, substitution *sub, uint32_t from,
                                      uint32_t to)
{
    TRY(guard_check());
    for (uint32_t i = 0; i < node->child_count; i++)
        TRY(nested_edit_rename_tree(node->children[i], sub, from, to));
    int at = plan_column_index(node, from);
    if (at >= 0) {
        TRY(nested_own_columns(sub->memory, node));
        node->columns.items[at].id = to;
    }
    TRY(own_keys(sub->memory, node));
    plan_visit_exprs(node, substitute_slot, sub);
    return sub->st;
}

status nested_rename(plan_statement *s, plan_node *node, uint32_t from, uint32_t to)
{
    int at = plan_column_index(node, from);
    substitution sub = {.memory = s->memory};
    if (at < 0)
        return STATUS_OK;
    plan_column renamed = node->columns.items[at];
    expr *e;
    TRY(array_push(s->memory, &sub.from, renamed));
    renamed.id = to;
    TRY(nested_edit_column_expr(s->memory, &renamed, &e));
    TRY(array_push(s->memory, &sub.to, e));
    return nested_edit_rename_tree(node, &sub, from, to);
}

status nested_substitute(plan_statement *s, plan_node *node, const plan_column_list *from,
                         expr *const *to)
{
    substitution sub = {.memory = s->memory, .from = *from};
    for (size_t i = 0; i < from->count; i++)
        TRY(array_push(s->memory, &sub.to, to[i]));
    plan_visit_exprs(node, substitute_slot, &sub);
    return sub.st;
}

bool nested_has_columns(const plan_column_list *columns)
{
    for (size_t i = 0; i < columns->count; i++)
        if (type_is_nested(columns->items[i].type))
            return true;
    return false;
}

/* ---- projections ---- */

static status new_project(plan_statement *s, plan_node *child, plan_node **out)
{
    *out = plan_node_new(s->memory, PLAN_PROJECT, 1);
    if (!*out)
        return nested_no_memory();
    (*out)->children[0] = child;
    (*out)->position = child->position;
    (*out)->estimated_rows = child->estimated_rows;
    (*out)->placement = child->placement;
    return STATUS_OK;
}

static const nested_move *move_of(const nested_moves *moves, uint32_t other_id)
{
    for (size_t i = 0; i < moves->count; i++)
        if (moves->items[i].other_id == other_id)
            return &moves->items[i];
    return NULL;
}

status nested_put_back(plan_statement *s, plan_node *node, const nested_moves *moves,
                       plan_node **out)
{
    plan_node *project;
    TRY(new_project(s, node, &project));
    for (size_t i = 0; i < node->columns.count; i++) {
        plan_column column = node->columns.items[i];
        const nested_move *move = move_of(moves, column.id);
        expr *e;
        TRY(nested_edit_column_expr(s->memory, &column, &e));
        if (move) {
            TRY(nested_call(s->memory, move->op, move->column.type, e, &e));
            column = move->column;
        }
        TRY(plan_project_add(s->memory, project, column, e));
    }
    *out = project;
    return STATUS_OK;
}

/* ---- chains ---- */

/* A key of a chain: a column of a projection below it. */
typedef struct chain_key {
    expr *value; /* nested */
    plan_column column;
} chain_key;

typedef struct chain {
    plan_statement *statement;
    plan_node *bottom;
    nested_moves moves;
    plan_column_list kept_back; /* nested columns that come as no tensor: the chain does without */
    ARRAY(chain_key) keys;
    substitution sub; /* values made of bytes, for the chain's expressions */
} chain;

static void find_foreign(uint32_t id, void *context)
{
    chain *c = context;
    if (plan_column_index(c->bottom->children[0], id) < 0)
        c->sub.st = status_new(STATUS_KIND_UNSUPPORTED,
                               "a window ordered by what another window makes of lists, structs "
                               "or maps is not supported yet");
}

/* The nested expression whose key is wanted; NULL: none is. */
static expr *keyed_value(expr *e)
{
    if (e->kind == EXPR_CALL && e->op == EXPR_NESTED_KEY)
        return e->args[0];
    return type_is_nested(e->type) ? e : NULL;
}

static status nested_edit_add_key(chain *c, expr *value)
{
    plan_column column = {c->statement->next_column_id++, "key", type_make(TYPE_BLOB), true};
    status_free(c->sub.st);
    c->sub.st = STATUS_OK;
    expr_visit_columns(value, find_foreign, c);
    TRY(c->sub.st);
    return array_push(c->statement->memory, &c->keys, ((chain_key){value, column}));
}

/* An expression that is compared as a nested value becomes a column that has its key. */
static status key_slot(chain *c, expr **slot)
{
    expr *value = keyed_value(*slot);
    size_t k = 0;
    if (!value)
        return STATUS_OK;
    while (k < c->keys.count && !expr_equal(c->keys.items[k].value, value))
        k++;
    if (k == c->keys.count)
        TRY(nested_edit_add_key(c, value));
    return nested_edit_column_expr(c->statement->memory, &c->keys.items[k].column, slot);
}

static status key_order(chain *c, expr_list *partition, plan_sort_key_list *order)
{
    for (size_t i = 0; partition && i < partition->count; i++)
        TRY(key_slot(c, &partition->items[i]));
    for (size_t i = 0; i < order->count; i++)
        TRY(key_slot(c, &order->items[i].key));
    return STATUS_OK;
}

/* Whether a call compares its argument. */
static bool nested_edit_compares(const plan_window_call *call)
{
    return call->function == WINDOW_DISTINCT || call->function == WINDOW_MODE ||
           (call->function == WINDOW_AGGREGATE &&
            (call->aggregate == AGGREGATE_MIN || call->aggregate == AGGREGATE_MAX ||
             call->aggregate == AGGREGATE_COUNT || call->aggregate == AGGREGATE_ANY_VALUE));
}

/* A call's value is made of bytes above the chain. */
static status move_call(chain *c, plan_column *column, expr_op op)
{
    nested_move move = {*column, c->statement->next_column_id++, op};
    if (!type_is_nested(column->type))
        return STATUS_OK;
    column->id = move.other_id;
    column->type = type_make(TYPE_BLOB);
    return array_push(c->statement->memory, &c->moves, move);
}

static plan_column *nested_edit_column_of_call(plan_node *node, size_t number)
{
    return &node->columns.items[node->columns.count - node->window.calls.count + number];
}

static status key_calls(chain *c, plan_node *node)
{
    for (size_t i = 0; i < node->window.calls.count; i++) {
        plan_window_call *call = &node->window.calls.items[i];
        if (!nested_edit_compares(call) || !call->arg_count || !type_is_nested(call->args[0]->type))
            continue;
        TRY(key_slot(c, &call->args[0]));
        TRY(move_call(c, nested_edit_column_of_call(node, i), EXPR_NESTED_OF_KEY));
    }
    return STATUS_OK;
}

/* Finds the keys of a chain's nodes. */
static status find_keys(chain *c, plan_node *node)
{
    TRY(nested_own_columns(c->statement->memory, node));
    TRY(own_keys(c->statement->memory, node));
    if (node != c->bottom)
        TRY(find_keys(c, node->children[0]));
    switch (node->kind) {
    case PLAN_SORT:
        return key_order(c, NULL, &node->sort.keys);
    case PLAN_WINDOW_LIMIT:
        return key_order(c, &node->window_limit.partition, &node->window_limit.order);
    case PLAN_WINDOW:
        TRY(key_order(c, &node->window.partition, &node->window.order));
        return key_calls(c, node);
    default:
        return STATUS_OK;
    }
}

/* The chain's nodes pass the keys, before what they make. */
static status pass_keys(chain *c, plan_node *node)
{
    plan_column_list columns = {0};
    size_t made = node->kind == PLAN_WINDOW ? node->window.calls.count : 0;
    if (node != c->bottom)
        TRY(pass_keys(c, node->children[0]));
    for (size_t i = 0; i <= node->columns.count; i++) {
        if (i == node->columns.count - made)
            for (size_t k = 0; k < c->keys.count; k++)
                TRY(array_push(c->statement->memory, &columns, c->keys.items[k].column));
        if (i < node->columns.count)
            TRY(array_push(c->statement->memory, &columns, node->columns.items[i]));
    }
    node->columns = columns;
    return STATUS_OK;
}

static status make_keys(chain *c, plan_node *top)
{
    plan_statement *s = c->statement;
    plan_node *child = c->bottom->children[0], *project;
    TRY(find_keys(c, top));
    if (!c->keys.count)
        return STATUS_OK;
    TRY(new_project(s, child, &project));
    for (size_t i = 0; i < child->columns.count; i++) {
        expr *e;
        TRY(nested_edit_column_expr(s->memory, &child->columns.items[i], &e));
        TRY(plan_project_add(s->memory, project, child->columns.items[i], e));
    }
    for (size_t k = 0; k < c->keys.count; k++) {
        expr *e;
        TRY(nested_to_key(s->memory, c->keys.items[k].value, &e));
        TRY(plan_project_add(s->memory, project, c->keys.items[k].column, e));
    }
    c->bottom->children[0] = project;
    return pass_keys(c, top);
}

/* Makes bytes of a nested column below the chain. */
static status pack_column(chain *c, plan_node *child, plan_column column, plan_column *blob,
                          expr **out)
{
    plan_statement *s = c->statement;
    expr *back;
    blob->type = type_make(TYPE_BLOB);
    blob->id = s->next_column_id++;
    /* The column's id is what the projection above the chain makes; below it has another one. */
    uint32_t below = s->next_column_id++;
    TRY(nested_rename(s, child, column.id, below));
    plan_column renamed = column;
    renamed.id = below;
    TRY(nested_edit_column_expr(s->memory, &renamed, out));
    TRY(nested_to_bytes(s->memory, *out, out));
    TRY(nested_edit_column_expr(s->memory, blob, &back));
    TRY(nested_call(s->memory, EXPR_NESTED_OF_BYTES, column.type, back, &back));
    TRY(array_push(s->memory, &c->moves, ((nested_move){column, blob->id, EXPR_NESTED_OF_BYTES})));
    TRY(array_push(s->memory, &c->sub.from, column));
    return array_push(s->memory, &c->sub.to, back);
}

/* A column that nobody reads is NULL above the chain. */
static status leave_out(chain *c, plan_node *child, plan_column column)
{
    TRY(nested_rename(c->statement, child, column.id, c->statement->next_column_id++));
    column.is_nullable = true;
    return array_push(c->statement->memory, &c->kept_back, column);
}

static status pack_below(chain *c)
{
    plan_statement *s = c->statement;
    plan_node *child = c->bottom->children[0], *project;
    TRY(new_project(s, child, &project));
    for (size_t i = 0; i < child->columns.count; i++) {
        plan_column column = child->columns.items[i], blob = column;
        expr *e;
        if (type_is_nested(column.type) && plan_is_kept_back(child, column.id)) {
            TRY(leave_out(c, child, column));
            continue;
        }
        if (type_is_nested(column.type))
            TRY(pack_column(c, child, column, &blob, &e));
        else
            TRY(nested_edit_column_expr(s->memory, &column, &e));
        TRY(plan_project_add(s->memory, project, blob, e));
    }
    c->bottom->children[0] = project;
    return STATUS_OK;
}

static void nested_edit_move_column(const chain *c, plan_column *column)
{
    for (size_t i = 0; i < c->moves.count; i++)
        if (c->moves.items[i].column.id == column->id) {
            column->id = c->moves.items[i].other_id;
            column->type = type_make(TYPE_BLOB);
        }
}

/* A call that gives one of its rows' values gives its bytes. */
static status pack_calls(chain *c, plan_node *node)
{
    for (size_t i = 0; i < node->window.calls.count; i++) {
        plan_window_call *call = &node->window.calls.items[i];
        plan_column *column = nested_edit_column_of_call(node, i);
        if (!call->arg_count || !type_is_nested(call->args[0]->type))
            continue;
        if (type_is_nested(column->type) && !type_equal(call->args[0]->type, column->type))
            return status_new(
                STATUS_KIND_UNSUPPORTED,
                "a window that makes lists of lists, structs or maps is not supported yet");
        for (uint32_t k = 0; k < call->arg_count; k++)
            TRY(nested_to_bytes(c->statement->memory, call->args[k], &call->args[k]));
        TRY(move_call(c, column, EXPR_NESTED_OF_BYTES));
    }
    return STATUS_OK;
}

static void drop_kept_back(const chain *c, plan_column_list *columns)
{
    size_t kept = 0;
    for (size_t i = 0; i < columns->count; i++) {
        bool is_kept_back = false;
        for (size_t k = 0; k < c->kept_back.count; k++)
            is_kept_back |= c->kept_back.items[k].id == columns->items[i].id;
        if (!is_kept_back)
            columns->items[kept++] = columns->items[i];
    }
    columns->count = kept;
}

static status put_back_kept(const chain *c, plan_node *project)
{
    plan_statement *s = c->statement;
    for (size_t i = 0; i < c->kept_back.count; i++) {
        value null = value_null(c->kept_back.items[i].type);
        expr *e = expr_new_constant(s->memory, &null, project->position);
        if (!e)
            return nested_no_memory();
        TRY(plan_project_add(s->memory, project, c->kept_back.items[i], e));
    }
    return STATUS_OK;
}

static status pack_chain_nodes(chain *c, plan_node *node)
{
    if (node != c->bottom)
        TRY(pack_chain_nodes(c, node->children[0]));
    plan_visit_exprs(node, substitute_slot, &c->sub);
    TRY(c->sub.st);
    drop_kept_back(c, &node->columns);
    for (size_t i = 0; i < node->columns.count; i++)
        nested_edit_move_column(c, &node->columns.items[i]);
    return node->kind == PLAN_WINDOW ? pack_calls(c, node) : STATUS_OK;
}

/* Takes the keys away from what is above the chain. */
static void drop_keys(const chain *c, plan_node *project)
{
    size_t kept = 0;
    for (size_t i = 0; i < project->columns.count; i++) {
        bool is_key = false;
        for (size_t k = 0; k < c->keys.count; k++)
            is_key |= c->keys.items[k].column.id == project->columns.items[i].id;
        if (is_key)
            continue;
        project->columns.items[kept] = project->columns.items[i];
        project->project.exprs.items[kept++] = project->project.exprs.items[i];
    }
    project->columns.count = project->project.exprs.count = kept;
}

status nested_pack_chain(plan_statement *s, plan_node *top, plan_node *bottom, plan_node **out)
{
    chain c = {.statement = s, .bottom = bottom, .sub = {.memory = s->memory}};
    TRY(make_keys(&c, top));
    TRY(pack_below(&c));
    TRY(pack_chain_nodes(&c, top));
    TRY(nested_put_back(s, top, &c.moves, out));
    TRY(put_back_kept(&c, *out));
    drop_keys(&c, *out);
    return STATUS_OK;
}
