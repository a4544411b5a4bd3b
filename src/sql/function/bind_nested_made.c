/* bind_nested_made.c - functions of lists, maps and times that are expressions of others, chosen by the types of their
 * arguments; aggregates of a list's elements, and quantiles of a list of shares.
 *
 * An aggregate of a list's elements is a subquery over unnest(list), which the optimizer turns into one aggregation over
 * the elements of all rows: list_mode(l) is (SELECT mode(u.v) FROM unnest(l) u(v)). */
#include "sql/function/bind_nested_made.h"

#include "sql/function/bind_made.h"
#include "sql/function/nested_function.h"
#include "sql/types/bind_operator.h"
#include "sql/types/bind_type.h"
#include "sql/types/nested_cast.h"
#include "sql/types/nested_operator.h"

#include <strings.h>

status bind_made(const function_call *c, const char *text, expr **out)
{
    made_call m = {.tree = c->tree, .args = c->args, .count = c->count};
    bind_scope nothing = {0};
    const Node *e;
    TRY(made_parse(c->b, &m, text, &e));
    return c->b->bind_expression(c->b, e, &nothing, out);
}

/* ---- aggregates of a list's elements ---- */

status bind_elements(const function_call *c, const char *aggregate, size_t first, expr **out)
{
    binder *b = c->b;
    made_call m = {.tree = c->tree, .count = c->count};
    expr **args = arena_alloc_array(b->memory, c->count + 1, sizeof *args);
    Node **nodes = arena_alloc_array(b->memory, c->count + 1, sizeof *nodes);
    const char *others = "";
    const Node *e;
    if (!args || !nodes)
        return bind_no_memory();
    TRY(nested_require_list(c, 0));
    args[0] = c->args[0];
    for (size_t i = first; i < c->count; i++) {
        nodes[i] = list_nth(c->tree->args, i);
        others = arena_format(b->memory, "%s, $%zu", others, i + 1);
        if (!others)
            return bind_no_memory();
    }
    m.args = args;
    m.nodes = nodes;
    const char *text = arena_format(
        b->memory, "CASE WHEN $1 IS NOT NULL THEN (SELECT %s(u.v%s) FROM unnest($1) u(v)) END",
        aggregate, others);
    if (!text)
        return bind_no_memory();
    bind_scope nothing = {0};
    TRY(made_parse(b, &m, text, &e));
    return b->bind_expression(b, e, &nothing, out);
}

/* ---- quantiles of a list of shares ---- */

static bool takes_share(const char *name)
{
    static const char *const names[] = {"quantile_cont",   "quantile_disc",      "quantile",
                                        "approx_quantile", "reservoir_quantile", "percentile_cont",
                                        "percentile_disc"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(names[i], name))
            return true;
    return false;
}

/* Returns the items of a list that is written out, or NULL. */
static const List *written_items(const pg_node *node)
{
    while (IsA(node, ParamRef) && castNode(ParamRef, node)->node)
        node = castNode(ParamRef, node)->node;
    while (IsA(node, TypeCast))
        node = castNode(TypeCast, node)->arg;
    if (IsA(node, A_ArrayExpr))
        return castNode(A_ArrayExpr, node)->elements;
    if (!IsA(node, FuncCall) || list_length(castNode(FuncCall, node)->funcname) != 1)
        return NULL;
    const char *name = strVal(list_nth(castNode(FuncCall, node)->funcname, 0));
    bool is_list =
        !strcmp(name, "list_value") || !strcmp(name, "array_value") || !strcmp(name, "list_pack");
    return is_list ? castNode(FuncCall, node)->args : NULL;
}

/* Binds the call with one share in the place of the list. */
static status quantile_of_share(binder *b, const FuncCall *tree, size_t place, pg_node *share,
                                bind_scope *scope, expr **out)
{
    FuncCall *call = arena_alloc(b->memory, sizeof *call);
    List *args = arena_alloc(b->memory, sizeof *args);
    if (!call || !args)
        return bind_no_memory();
    *call = *tree;
    *args = *tree->args;
    args->elements = arena_alloc_array(b->memory, list_length(args) + 1, sizeof *args->elements);
    if (!args->elements)
        return bind_no_memory();
    memcpy(args->elements, tree->args->elements, list_length(args) * sizeof *args->elements);
    args->elements[place] = share;
    call->args = args;
    return b->bind_expression(b, (const pg_node *)call, scope, out);
}

status bind_quantile_list(binder *b, const FuncCall *tree, const char *name, bind_scope *scope,
                          bool *out_is_found, expr **out)
{
    size_t place = !tree->agg_within_group;
    *out_is_found = false;
    if (!takes_share(name) || list_length(tree->args) <= place)
        return STATUS_OK;
    const List *shares = written_items(list_nth(tree->args, place));
    if (!shares || !list_length(shares))
        return STATUS_OK;
    *out_is_found = true;
    size_t count = list_length(shares);
    expr **items = arena_alloc_array(b->memory, count + 1, sizeof *items), *list, *is_there, *copy;
    if (!items)
        return bind_no_memory();
    for (size_t i = 0; i < count; i++)
        TRY(quantile_of_share(b, tree, place, list_nth(shares, i), scope, &items[i]));
    copy = expr_copy(b->memory, items[0]);
    if (!copy)
        return bind_no_memory();
    TRY(bind_list_of(b, items, count, tree->location, &list));
    TRY(bind_call1(b, EXPR_IS_NOT_NULL, type_make(TYPE_BOOL), copy, tree->location, &is_there));
    expr *nothing, *choice = expr_new(b->memory, EXPR_CASE, list->type, 3, list->position);
    value null = value_null(type_make(TYPE_NULL));
    if (!choice)
        return bind_no_memory();
    TRY(bind_constant(b, &null, -1, &nothing));
    choice->is_nullable = true;
    choice->args[0] = is_there;
    choice->args[1] = list;
    TRY(bind_cast(b, nothing, list->type, tree->location, &choice->args[2]));
    *out = choice;
    return STATUS_OK;
}

/* ---- chosen by types ---- */

static status not_a_map(const function_call *c, size_t i)
{
    char text[TYPE_NAME_BYTES];
    return bind_error(c->b, STATUS_KIND_INVALID, c->tree->location,
                      "argument %zu of function \"%s\" must be a map, not %s", i + 1, c->name,
                      type_name(c->args[i]->type, text));
}

/* Binds the entries of two maps, of which the second's values come first. */
static status two_maps(const function_call *c, expr *left, expr *right, expr **out)
{
    expr *args[] = {left, right};
    function_call pair = {c->b, c->tree, c->name, args, 2};
    data_type type;
    TRY(bind_coerce_all(c->b, args, 2, c->tree->location, c->name, &type));
    return bind_made(
        &pair,
        "CASE WHEN $1 IS NULL THEN $2 WHEN $2 IS NULL THEN $1 ELSE map_from_entries(list_concat("
        "list_transform(map_entries($1), lambda e: struct_pack(key := e.key, value := "
        "CASE WHEN list_contains(map_keys($2), e.key) THEN map_extract_value($2, e.key) "
        "ELSE e.value END)), "
        "list_filter(map_entries($2), lambda e: NOT list_contains(map_keys($1), e.key)))) END",
        out);
}

status bind_map_concat(const function_call *c, expr **out)
{
    expr *all = NULL;
    for (size_t i = 0; i < c->count; i++) {
        if (c->args[i]->type.id == TYPE_NULL)
            continue;
        if (c->args[i]->type.id != TYPE_MAP)
            return not_a_map(c, i);
        if (all)
            TRY(two_maps(c, all, c->args[i], &all));
        else
            all = c->args[i];
    }
    *out = all ? all : c->args[0];
    return STATUS_OK;
}

status bind_list_repeat(const function_call *c, expr **out)
{
    TRY(call_coerce(c, 1, 'i'));
    return bind_made(c,
                     "CASE WHEN $1 IS NOT NULL THEN flatten(list_transform(range($2), lambda i: "
                     "$1)) END",
                     out);
}

bool bind_is_time_range(const function_call *c)
{
    return c->count == 3 && (type_is_time(c->args[0]->type) || type_is_time(c->args[1]->type));
}

status bind_time_range(const function_call *c, expr **out)
{
    const char *text = arena_format(
        c->b->memory,
        "CASE WHEN $1 IS NOT NULL AND $2 IS NOT NULL AND $3 IS NOT NULL THEN coalesce((SELECT "
        "list(s.v ORDER BY s.n) FROM %s($1, $2, $3) WITH ORDINALITY s(v, n)), []) END",
        c->name);
    data_type time = type_make(TYPE_TIMESTAMP);
    for (size_t i = 0; i < 2; i++) {
        if (c->args[i]->type.id == TYPE_TIMESTAMP_TZ)
            time = c->args[i]->type;
        if (c->args[1 - i]->type.id == TYPE_NULL)
            TRY(bind_cast(c->b, c->args[1 - i], c->args[i]->type, c->tree->location,
                          &c->args[1 - i]));
    }
    for (size_t i = 0; i < 2; i++)
        TRY(bind_cast(c->b, c->args[i], time, c->tree->location, &c->args[i]));
    if (c->args[2]->type.id == TYPE_NULL)
        TRY(bind_cast(c->b, c->args[2], type_make(TYPE_INTERVAL), c->tree->location, &c->args[2]));
    return text ? bind_made(c, text, out) : bind_no_memory();
}
