/* bind_composite.c - aggregates that are made of others: of the rows of each group in an order. What becomes
 * of them is in bind_composite_plan.c. */
#include "sql/expression/bind_composite.h"

#include "base/type/json_type.h"
#include "device/value/list_words.h"
#include "plan/tree/function.h"
#include "sql/expression/bind_aggregate.h"
#include "sql/expression/bind_expr.h"
#include "sql/expression/bind_owner.h"
#include "sql/function/bind_json.h"
#include "sql/function/nested_function.h"
#include "sql/function/nested_make.h"
#include "sql/types/bind_operator.h"
#include "sql/types/bind_type.h"
#include "sql/types/binder.h"
#include "sql/types/nested_cast.h"

typedef struct composite_name {
    const char *name;
    bind_composite_kind kind;
    uint32_t args;   /* in the call's own parentheses */
    bool is_within;  /* WITHIN GROUP (ORDER BY x) */
    bool keeps_null; /* of the first row, whether its value is NULL or not */
} composite_name;

static const composite_name names[] = {
    {"median", COMPOSITE_QUANTILE, 1, false, false},
    {"quantile_cont", COMPOSITE_QUANTILE, 2, false, false},
    {"quantile_disc", COMPOSITE_QUANTILE_VALUE, 2, false, false},
    {"approx_quantile", COMPOSITE_QUANTILE_VALUE, 2, false, false},
    {"quantile", COMPOSITE_QUANTILE_VALUE, 2, false, false},
    {"percentile_cont", COMPOSITE_QUANTILE, 1, true, false},
    {"percentile_disc", COMPOSITE_QUANTILE_VALUE, 1, true, false},
    {"mode", COMPOSITE_MODE, 1, false, false},
    {"mode", COMPOSITE_MODE, 0, true, false},
    {"arg_min", COMPOSITE_VALUE_OF_LEAST, 2, false, false},
    {"min_by", COMPOSITE_VALUE_OF_LEAST, 2, false, false},
    {"arg_max", COMPOSITE_VALUE_OF_GREATEST, 2, false, false},
    {"max_by", COMPOSITE_VALUE_OF_GREATEST, 2, false, false},
    {"argmin", COMPOSITE_VALUE_OF_LEAST, 2, false, false},
    {"argmax", COMPOSITE_VALUE_OF_GREATEST, 2, false, false},
    {"arg_min_null", COMPOSITE_VALUE_OF_LEAST, 2, false, true},
    {"arg_max_null", COMPOSITE_VALUE_OF_GREATEST, 2, false, true},
    {"reservoir_quantile", COMPOSITE_QUANTILE_VALUE, 2, false, false},
    {"reservoir_quantile", COMPOSITE_QUANTILE_VALUE, 3, false, false},
    {"first", COMPOSITE_FIRST, 1, false, true},
    {"arbitrary", COMPOSITE_FIRST, 1, false, true},
    {"last", COMPOSITE_LAST, 1, false, true},
    {"any_value", COMPOSITE_FIRST, 1, false, false},
    {"entropy", COMPOSITE_ENTROPY, 1, false, false},
    {"mad", COMPOSITE_MAD, 1, false, false},
    {"string_agg", COMPOSITE_STRING_AGG, 2, false, false},
    {"listagg", COMPOSITE_STRING_AGG, 2, false, false},
    {"group_concat", COMPOSITE_STRING_AGG, 2, false, false},
    {"list", COMPOSITE_STRING_AGG, 1, false, true},
    {"array_agg", COMPOSITE_STRING_AGG, 1, false, true},
};

/* Returns the aggregate of that name and form, else one of the name, or NULL. */
static const composite_name *composite_find_name(const char *name, bool is_within, size_t args)
{
    const composite_name *found = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(names[i].name, name) &&
            (!found || (names[i].is_within == is_within &&
                        (found->is_within != is_within || names[i].args == args))))
            found = &names[i];
    return found;
}

bool bind_is_composite(const char *name)
{
    return composite_find_name(name, false, 1) && strcmp(name, "any_value");
}

bool bind_is_composite_call(const FuncCall *tree, const char *name)
{
    return bind_is_composite(name) || (!strcmp(name, "any_value") && list_length(tree->agg_order));
}

static bool composite_takes_order(bind_composite_kind kind)
{
    return kind == COMPOSITE_FIRST || kind == COMPOSITE_LAST;
}

static status composite_check_form(binder *b, const FuncCall *tree, const composite_name *found)
{
    if (tree->agg_distinct)
        return bind_unsupported(b, tree->location, "DISTINCT in this aggregate is");
    if (tree->agg_within_group != found->is_within)
        return status_hint(bind_error(b, STATUS_KIND_INVALID, tree->location,
                                      "aggregate \"%s\" %s WITHIN GROUP", found->name,
                                      found->is_within ? "needs" : "takes no"),
                           "write %s",
                           found->is_within ? "percentile_cont(0.5) WITHIN GROUP "
                                              "(ORDER BY x)"
                                            : "the value as the first argument");
    if (!found->is_within && list_length(tree->agg_order) && !composite_takes_order(found->kind))
        return bind_unsupported(b, tree->location, "ORDER BY in this aggregate is");
    if (list_length(tree->args) != found->args ||
        (found->is_within && list_length(tree->agg_order) != 1))
        return bind_error(b, STATUS_KIND_INVALID, tree->location,
                          "aggregate \"%s\" takes %u argument%s, not %zu", found->name, found->args,
                          found->args == 1 ? "" : "s", list_length(tree->args));
    return STATUS_OK;
}

static status bind_fraction(binder *b, const pg_node *node, bind_scope *scope, double *out)
{
    expr *e;
    TRY(bind_expr(b, node, scope, &e));
    TRY(bind_cast(b, e, type_make(TYPE_DOUBLE), bind_location(node), &e));
    if (!expr_is_constant(e) || e->constant.is_null)
        return bind_error(b, STATUS_KIND_UNSUPPORTED, bind_location(node),
                          "a percentile that is not a constant is not supported");
    *out = e->constant.f64;
    if (!(*out >= 0 && *out <= 1))
        return bind_error(b, STATUS_KIND_INVALID, bind_location(node),
                          "percentile value %g is not between 0 and 1", *out);
    return STATUS_OK;
}

static status as_number(binder *b, const FuncCall *tree, const char *name, expr **e)
{
    char type[TYPE_NAME_BYTES];
    if ((*e)->type.id != TYPE_NULL && !bind_is_literal(*e) && !type_is_numeric((*e)->type))
        return bind_error(b, STATUS_KIND_INVALID, tree->location,
                          "argument of \"%s\" must be a number, not %s", name,
                          type_name((*e)->type, type));
    return bind_cast(b, *e, type_make(TYPE_DOUBLE), tree->location, e);
}

/* condition ? e : NULL */
static status only_where(binder *b, expr *condition, expr **e)
{
    value null = value_null((*e)->type);
    expr *choice = expr_new(b->memory, EXPR_CASE, (*e)->type, 3, (*e)->position), *otherwise;
    if (!choice)
        return bind_no_memory();
    TRY(bind_constant(b, &null, -1, &otherwise));
    choice->is_nullable = true;
    choice->args[0] = condition;
    choice->args[1] = *e;
    choice->args[2] = otherwise;
    *e = choice;
    return STATUS_OK;
}

static status only_where_there(binder *b, expr *other, expr **e)
{
    expr *copy = expr_copy(b->memory, other), *is_there;
    if (!copy)
        return bind_no_memory();
    TRY(bind_call1(b, EXPR_IS_NOT_NULL, type_make(TYPE_BOOL), copy, -1, &is_there));
    return only_where(b, is_there, e);
}

static status bind_own_order(binder *b, const FuncCall *tree, bind_scope *scope, bind_composite *c)
{
    for (size_t i = 0; i < list_length(tree->agg_order); i++) {
        const SortBy *by = castNode(SortBy, list_nth(tree->agg_order, i));
        expr *key;
        TRY(bind_expr(b, by->node, scope, &key));
        if (key->type.id == TYPE_NULL)
            TRY(bind_cast(b, key, type_make(TYPE_VARCHAR), tree->location, &key));
        TRY(bind_sort_key(b, by, key, &c->order));
    }
    return STATUS_OK;
}

/* The key, by which rows are ordered, and the value. */
static status bind_values_of(binder *b, const FuncCall *tree, bind_scope *scope,
                             bind_composite *out)
{
    bool has_fraction = out->kind == COMPOSITE_QUANTILE || out->kind == COMPOSITE_QUANTILE_VALUE;
    bool has_two =
        out->kind == COMPOSITE_VALUE_OF_LEAST || out->kind == COMPOSITE_VALUE_OF_GREATEST;
    out->fraction = 0.5;
    if (tree->agg_within_group) {
        const SortBy *by = castNode(SortBy, list_nth(tree->agg_order, 0));
        TRY(bind_expr(b, by->node, scope, &out->key));
        out->is_descending = by->sortby_dir == SORTBY_DESC;
    } else {
        TRY(bind_expr(b, list_nth(tree->args, has_two), scope, &out->key));
    }
    if (has_two)
        TRY(bind_expr(b, list_nth(tree->args, 0), scope, &out->value));
    if (has_fraction && list_length(tree->args) > !tree->agg_within_group)
        TRY(bind_fraction(b, list_nth(tree->args, !tree->agg_within_group), scope, &out->fraction));
    return bind_call_filter(b, tree, scope, &out->filter);
}

static status composite_finish_values(binder *b, const FuncCall *tree, const char *name,
                                      bind_composite *c)
{
    if (c->kind == COMPOSITE_QUANTILE || c->kind == COMPOSITE_MAD)
        TRY(as_number(b, tree, name, &c->key));
    if (c->key->type.id == TYPE_NULL)
        TRY(bind_cast(b, c->key, type_make(TYPE_VARCHAR), tree->location, &c->key));
    if (c->value && c->value->type.id == TYPE_NULL)
        TRY(bind_cast(b, c->value, type_make(TYPE_VARCHAR), tree->location, &c->value));
    if (c->filter && !composite_takes_order(c->kind))
        TRY(only_where(b, c->filter, &c->key));
    return c->value && !c->keeps_null ? only_where_there(b, c->value, &c->key) : STATUS_OK;
}

static data_type composite_type_of(const bind_composite *c)
{
    switch (c->kind) {
    case COMPOSITE_QUANTILE_VALUE:
    case COMPOSITE_MODE:
    case COMPOSITE_STRING_AGG:
    case COMPOSITE_FIRST:
    case COMPOSITE_LAST:
        return c->is_kept ? type_make(TYPE_BLOB) : c->key->type;
    case COMPOSITE_VALUE_OF_LEAST:
    case COMPOSITE_VALUE_OF_GREATEST:
        return c->value->type;
    default:
        return type_make(TYPE_DOUBLE);
    }
}

/* All but string_agg. */
static status bind_others(binder *b, const FuncCall *tree, const composite_name *found,
                          bind_scope *scope, bind_composite *out)
{
    TRY(composite_check_form(b, tree, found));
    out->keeps_null = found->keeps_null;
    TRY(bind_values_of(b, tree, scope, out));
    if (composite_takes_order(out->kind))
        TRY(bind_own_order(b, tree, scope, out));
    return composite_finish_values(b, tree, found->name, out);
}

/* ---- string_agg ---- */

/* DISTINCT: equal values are to come one after the other. */
static status check_distinct_order(binder *b, const FuncCall *tree, bind_composite *c)
{
    plan_sort_key key = {.key = c->key};
    for (size_t i = 0; i < c->order.count; i++)
        if (i || !expr_equal(c->order.items[i].key, c->key))
            return bind_error(b, STATUS_KIND_INVALID,
                              bind_location(castNode(SortBy, list_nth(tree->agg_order, i))->node),
                              "in an aggregate with DISTINCT, ORDER BY expressions must appear in "
                              "argument list");
    return c->order.count ? STATUS_OK : array_push(b->memory, &c->order, key);
}

/* JSON becomes text: values of it, one behind the other, are not JSON. */
static status joined_text(binder *b, data_type type, int32_t location, expr **e)
{
    if (type_is_json((*e)->type) && type.id == TYPE_VARCHAR)
        TRY(bind_of_json(b, *e, type, location, e));
    return bind_cast(b, *e, type, location, e);
}

static status bind_string_parts(binder *b, const FuncCall *tree, bind_scope *scope,
                                bind_composite *c)
{
    value comma = value_text(",", 1);
    TRY(bind_expr(b, list_nth(tree->args, 0), scope, &c->key));
    if (list_length(tree->args) > 1)
        TRY(bind_expr(b, list_nth(tree->args, 1), scope, &c->delimiter));
    else
        TRY(bind_constant(b, &comma, -1, &c->delimiter));
    data_type type = type_make(c->key->type.id == TYPE_BLOB ? TYPE_BLOB : TYPE_VARCHAR);
    TRY(bind_own_order(b, tree, scope, c));
    if (c->is_distinct)
        TRY(check_distinct_order(b, tree, c));
    TRY(joined_text(b, type, tree->location, &c->key));
    TRY(joined_text(b, type, tree->location, &c->delimiter));
    TRY(bind_call_filter(b, tree, scope, &c->filter));
    return c->filter ? only_where(b, c->filter, &c->key) : STATUS_OK;
}

static status bind_string_agg(binder *b, const FuncCall *tree, const char *name, bind_scope *scope,
                              bind_composite *c)
{
    if (list_length(tree->args) < 1 || list_length(tree->args) > 2)
        return bind_error(b, STATUS_KIND_INVALID, tree->location,
                          "aggregate \"%s\" takes 1 or 2 arguments, not %zu", name,
                          list_length(tree->args));
    c->is_distinct = tree->agg_distinct;
    return bind_string_parts(b, tree, scope, c);
}

/* ---- list ---- */

/* Bytes of an element, which follow one another in a list of it (device/nested_pack.h); NULL has some, too. */
static status element_bytes(binder *b, expr *element, int32_t location, expr **out)
{
    expr *one;
    TRY(nested_struct_of(b, &element, NULL, 1, location, &one));
    return bind_call1(b, EXPR_NESTED_BYTES, type_make(TYPE_BLOB), one, location, out);
}

/* Puts NULLs where ORDER BY wants them in DISTINCT values that are ordered by their bytes, of which NULL's are the greatest. */
static status place_nulls(binder *b, expr *element, int32_t location, plan_sort_key_list *order)
{
    plan_sort_key bytes = order->items[0], is_null = {.is_descending = bytes.nulls_first};
    if (bytes.nulls_first == bytes.is_descending)
        return STATUS_OK;
    expr *copy = expr_copy(b->memory, element);
    if (!copy)
        return bind_no_memory();
    TRY(bind_call1(b, EXPR_IS_NULL, type_make(TYPE_BOOL), copy, location, &is_null.key));
    order->items[0] = is_null;
    return array_push(b->memory, order, bytes);
}

/* Whether groups keep the list's values as words: in the order of their rows, and of any device that is a host. */
static bool is_list_kept(const binder *b, const FuncCall *tree, const bind_composite *c,
                         data_type type)
{
    return b->keeps_lists && !tree->over && !c->is_distinct && !c->order.count &&
           list_words_take(type);
}

/* The bytes of the elements are joined: what comes out is a list without its end. Or, where groups keep them, their words. */
static status bind_list_parts(binder *b, const FuncCall *tree, const composite_name *found,
                              bind_scope *scope, bind_composite *c, data_type *out_type)
{
    value nothing = value_text("", 0);
    expr *element;
    if (list_length(tree->args) != 1 || tree->agg_within_group)
        return bind_error(b, STATUS_KIND_INVALID, tree->location,
                          "aggregate \"%s\" takes 1 argument, not %zu", found->name,
                          list_length(tree->args));
    TRY(bind_expr(b, list_nth(tree->args, 0), scope, &element));
    if (element->type.id == TYPE_NULL)
        TRY(bind_cast(b, element, type_make(TYPE_INT32), tree->location, &element));
    c->is_distinct = tree->agg_distinct;
    TRY(bind_own_order(b, tree, scope, c));
    for (size_t i = 0; c->is_distinct && i < c->order.count; i++) {
        expr *key = c->order.items[i].key;
        if (expr_equal(key, element)) /* the order of the bytes is that of the values */
            TRY(element_bytes(b, key, tree->location, &c->order.items[i].key));
    }
    TRY(bind_list_type(b, element->type, out_type));
    c->is_kept = is_list_kept(b, tree, c, element->type);
    if (c->is_kept) {
        c->key = element;
        return bind_call_filter(b, tree, scope, &c->filter);
    }
    TRY(element_bytes(b, element, tree->location, &c->key));
    if (c->is_distinct)
        TRY(check_distinct_order(b, tree, c));
    if (c->is_distinct)
        TRY(place_nulls(b, element, tree->location, &c->order));
    TRY(bind_constant(b, &nothing, -1, &c->delimiter));
    TRY(bind_cast(b, c->delimiter, c->key->type, tree->location, &c->delimiter));
    TRY(bind_call_filter(b, tree, scope, &c->filter));
    return c->filter ? only_where(b, c->filter, &c->key) : STATUS_OK;
}

/* ---- equal ones ---- */

static bool composite_is_same(const expr *left, const expr *right)
{
    return left && right ? expr_equal(left, right) && !expr_is_volatile(left) : left == right;
}

static bool are_orders_equal(const plan_sort_key_list *left, const plan_sort_key_list *right)
{
    bool are_equal = left->count == right->count;
    for (size_t i = 0; i < left->count && are_equal; i++) {
        const plan_sort_key *l = &left->items[i], *r = &right->items[i];
        are_equal = composite_is_same(l->key, r->key) && l->is_descending == r->is_descending &&
                    l->nulls_first == r->nulls_first;
    }
    return are_equal;
}

/* One that gives the same, or NULL. */
static const bind_composite *composite_find_equal(const bind_scope *scope, const bind_composite *c)
{
    for (size_t i = 0; i < scope->composites.count; i++) {
        const bind_composite *other = &scope->composites.items[i];
        if (other->kind == c->kind && other->fraction == c->fraction &&
            other->is_descending == c->is_descending && other->is_distinct == c->is_distinct &&
            other->keeps_null == c->keeps_null && other->is_kept == c->is_kept &&
            composite_is_same(other->filter, c->filter) && composite_is_same(other->key, c->key) &&
            composite_is_same(other->value, c->value) &&
            composite_is_same(other->delimiter, c->delimiter) &&
            are_orders_equal(&other->order, &c->order))
            return other;
    }
    return NULL;
}

static status add_composite(binder *b, bind_scope *scope, const char *name, bind_composite *c)
{
    const bind_composite *equal = composite_find_equal(scope, c);
    if (equal) {
        c->column = equal->column;
        return STATUS_OK;
    }
    c->column = (plan_column){
        .id = bind_new_id(b), .name = name, .type = composite_type_of(c), .is_nullable = true};
    return array_push(b->memory, &scope->composites, *c);
}

static status composite_owner(binder *b, const FuncCall *tree, bind_scope *scope,
                              const bind_composite *c, bind_owner *out)
{
    TRY(bind_owner_begin(b, scope, out));
    bind_owner_note(out, c->key);
    bind_owner_note(out, c->value);
    bind_owner_note(out, c->filter);
    bind_owner_note(out, c->delimiter);
    for (size_t i = 0; i < c->order.count; i++)
        bind_owner_note(out, c->order.items[i].key);
    return bind_owner_end(b, tree, out);
}

status bind_composite_call(binder *b, const FuncCall *tree, const char *name, bind_scope *scope,
                           expr **out)
{
    const composite_name *found =
        composite_find_name(name, tree->agg_within_group, list_length(tree->args));
    bind_composite added = {.kind = found->kind, .position = bind_position(b, tree->location)};
    bool is_string = found->kind == COMPOSITE_STRING_AGG, is_list = is_string && found->keeps_null;
    bool was_in_aggregate = scope->is_in_aggregate;
    bind_owner owner;
    data_type list;
    scope->is_in_aggregate = true;
    status st = is_list     ? bind_list_parts(b, tree, found, scope, &added, &list)
                : is_string ? bind_string_agg(b, tree, name, scope, &added)
                            : bind_others(b, tree, found, scope, &added);
    scope->is_in_aggregate = was_in_aggregate;
    TRY(st);
    TRY(composite_owner(b, tree, scope, &added, &owner));
    TRY(add_composite(b, owner.scope, found->name, &added));
    TRY(bind_owner_keep(b, &owner, added.column.id));
    *out = bind_column_expr(b, &added.column);
    if (!*out)
        return bind_no_memory();
    (*out)->position = added.position;
    if (is_list)
        return bind_call1(b, added.is_kept ? EXPR_NESTED_OF_WORDS : EXPR_NESTED_OF_ELEMENTS, list,
                          *out, tree->location, out);
    return STATUS_OK;
}

/* ---- OVER a window ---- */

static bool composite_is_ordered(bind_composite_kind kind)
{
    return kind == COMPOSITE_QUANTILE || kind == COMPOSITE_QUANTILE_VALUE || kind == COMPOSITE_MODE;
}

/* Quantiles and modes: the value, the share, and whether values are in descending order. */
static status bind_ordered_over(binder *b, const FuncCall *tree, const composite_name *found,
                                bind_scope *scope, bind_composite *c, plan_window_call *call)
{
    TRY(bind_others(b, tree, found, scope, c));
    value fraction = value_double(c->fraction), is_descending = value_bool(c->is_descending);
    call->function = c->kind == COMPOSITE_QUANTILE         ? WINDOW_QUANTILE
                     : c->kind == COMPOSITE_QUANTILE_VALUE ? WINDOW_QUANTILE_VALUE
                                                           : WINDOW_MODE;
    call->arg_count = 3;
    call->args[0] = c->key;
    TRY(bind_constant(b, &fraction, -1, &call->args[1]));
    return bind_constant(b, &is_descending, -1, &call->args[2]);
}

static status bind_over(binder *b, const FuncCall *tree, const composite_name *found,
                        bind_scope *scope, bind_composite *c, bind_window *window)
{
    plan_window_call *call = &window->call;
    bool is_string = c->kind == COMPOSITE_STRING_AGG;
    if (composite_is_ordered(c->kind))
        return bind_ordered_over(b, tree, found, scope, c, call);
    if (is_string && found->keeps_null)
        TRY(bind_list_parts(b, tree, found, scope, c, &window->list));
    else if (is_string)
        TRY(bind_string_agg(b, tree, found->name, scope, c));
    else
        TRY(bind_others(b, tree, found, scope, c));
    call->function = is_string                                ? WINDOW_STRING_AGG_FRAME
                     : c->kind == COMPOSITE_VALUE_OF_GREATEST ? WINDOW_VALUE_OF_GREATEST
                                                              : WINDOW_VALUE_OF_LEAST;
    call->arg_count = 2;
    call->args[0] = c->key;
    call->args[1] = is_string ? c->delimiter : c->value;
    return STATUS_OK;
}

status bind_composite_over(binder *b, const FuncCall *tree, const char *name, bind_scope *scope,
                           bind_window *window)
{
    const composite_name *found =
        composite_find_name(name, tree->agg_within_group, list_length(tree->args));
    bind_composite c = {.kind = found->kind, .position = bind_position(b, tree->location)};
    if (tree->agg_distinct)
        return bind_unsupported(b, tree->location, "DISTINCT in a window function is");
    if (c.kind == COMPOSITE_ENTROPY || c.kind == COMPOSITE_MAD || composite_takes_order(c.kind))
        return bind_error(b, STATUS_KIND_UNSUPPORTED, tree->location,
                          "aggregate \"%s\" over a window is not supported", name);
    if (!composite_is_ordered(c.kind) && (list_length(tree->agg_order) || tree->agg_within_group))
        return bind_unsupported(b, tree->location, "ORDER BY in a window function is");
    TRY(bind_over(b, tree, found, scope, &c, window));
    window->column =
        (plan_column){.name = found->name, .type = composite_type_of(&c), .is_nullable = true};
    return STATUS_OK;
}
