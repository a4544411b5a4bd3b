/* bind_nested.c - see bind_nested.h. Functions of bound arguments are in src/sql/function. */
#include "sql/expression/bind_nested.h"

#include "base/type/json_type.h"
#include "sql/function/bind_json.h"
#include "sql/function/nested_function.h"
#include "sql/function/nested_make.h"
#include "sql/types/bind_operator.h"
#include "sql/types/bind_type.h"
#include "sql/types/nested_cast.h"
#include "sql/types/nested_operator.h"

#include <strings.h>

static status bind_items(binder *b, const List *list, bind_scope *scope, expr ***out)
{
    *out = arena_alloc_array(b->memory, list_length(list) + 1, sizeof **out);
    if (!*out)
        return bind_no_memory();
    for (size_t i = 0; i < list_length(list); i++)
        TRY(b->bind_expression(b, list_nth(list, i), scope, &(*out)[i]));
    return STATUS_OK;
}

status bind_array(binder *b, const A_ArrayExpr *tree, bind_scope *scope, expr **out)
{
    expr **items;
    TRY(bind_items(b, tree->elements, scope, &items));
    return bind_list_of(b, items, list_length(tree->elements), tree->location, out);
}

status bind_row(binder *b, const RowExpr *tree, bind_scope *scope, expr **out)
{
    expr **items;
    TRY(bind_items(b, tree->args, scope, &items));
    return nested_struct_of(b, items, NULL, list_length(tree->args), tree->location, out);
}

const pg_node *bind_named_argument(const char *name, const pg_node *arg)
{
    bool is_named = IsA(arg, NamedArgExpr) && nested_takes_names(name);
    return is_named ? (const pg_node *)castNode(NamedArgExpr, arg)->arg : arg;
}

/* ---- subscripts ---- */

/* Binds a bound of a slice; what is left out is the first or the last element. */
static status slice_bound(binder *b, const pg_node *node, int64_t otherwise, bind_scope *scope,
                          expr **out)
{
    value v = value_int(TYPE_INT64, otherwise);
    if (!node)
        return bind_constant(b, &v, -1, out);
    TRY(b->bind_expression(b, node, scope, out));
    return bind_cast(b, *out, type_make(TYPE_INT64), bind_location(node), out);
}

/* Returns the step's sign if it is a constant, 0 if it is not. */
static int step_sign(const expr *step)
{
    if (step->kind != EXPR_CONSTANT || step->constant.is_null)
        return 0;
    return step->constant.i64 < 0 ? -1 : 1;
}

/* Binds a bound that is left out before a step: from the last element on if the step goes back. */
static status open_bound(binder *b, const expr *step, bool is_lower, int32_t location, expr **out)
{
    value first = value_int(TYPE_INT64, is_lower ? 1 : -1), zero = value_int(TYPE_INT64, 0);
    value last = value_int(TYPE_INT64, is_lower ? -1 : 1);
    data_type number = type_make(TYPE_INT64);
    expr *choice, *copy, *nothing;
    int sign = step_sign(step);
    if (sign)
        return bind_constant(b, sign > 0 ? &first : &last, -1, out);
    choice = expr_new(b->memory, EXPR_CASE, number, 3, bind_position(b, location));
    copy = expr_copy(b->memory, step);
    if (!choice || !copy)
        return bind_no_memory();
    TRY(bind_constant(b, &zero, -1, &nothing));
    TRY(bind_comparison(b, EXPR_LT, copy, nothing, location, &choice->args[0]));
    TRY(bind_constant(b, &last, -1, &choice->args[1]));
    TRY(bind_constant(b, &first, -1, &choice->args[2]));
    *out = choice;
    return STATUS_OK;
}

/* l[m:n:step]: bounds that go back are written from the last element to the first. */
static status bind_stepped(binder *b, expr *list, const A_Indices *tree, bind_scope *scope,
                           int32_t location, expr **out)
{
    const pg_node *bounds[] = {tree->lidx, tree->uidx};
    expr *args[4] = {list};
    TRY(slice_bound(b, tree->step, 1, scope, &args[3]));
    for (int i = 0; i < 2; i++)
        if (bounds[i])
            TRY(slice_bound(b, bounds[i], 1, scope, &args[1 + i]));
        else
            TRY(open_bound(b, args[3], i == 0, location, &args[1 + i]));
    return bind_call(b, EXPR_LIST_SLICE, list->type, args, 4, location, out);
}

static status bind_slice(binder *b, expr *e, const A_Indices *step, bind_scope *scope,
                         int32_t location, expr **out)
{
    char name[TYPE_NAME_BYTES];
    expr *args[3];
    TRY(bind_open_list(b, e, location, &e));
    args[0] = e;
    if (step->step && e->type.id == TYPE_LIST)
        return bind_stepped(b, e, step, scope, location, out);
    TRY(slice_bound(b, step->lidx, 1, scope, &args[1]));
    TRY(slice_bound(b, step->uidx, -1, scope, &args[2]));
    if (!step->step && e->type.id == TYPE_VARCHAR)
        return nested_text_slice(b, args, location, out);
    if (e->type.id != TYPE_LIST)
        return bind_error(b, STATUS_KIND_INVALID, location,
                          "a slice of a value of type %s, which is not a list",
                          type_name(e->type, name));
    return bind_call(b, EXPR_LIST_SLICE, e->type, args, 3, location, out);
}

status bind_indirection(binder *b, const A_Indirection *tree, bind_scope *scope, expr **out)
{
    int32_t location = bind_location(tree->arg);
    expr *index;
    TRY(b->bind_expression(b, tree->arg, scope, out));
    for (size_t i = 0; i < list_length(tree->indirection); i++) {
        const pg_node *step = list_nth(tree->indirection, i);
        if (IsA(step, String)) {
            TRY(nested_field_of(b, *out, strVal(step), location, out));
        } else if (!IsA(step, A_Indices)) {
            return bind_unsupported(b, location, "\"*\" in this place is");
        } else if (castNode(A_Indices, step)->is_slice) {
            TRY(bind_slice(b, *out, castNode(A_Indices, step), scope, location, out));
        } else {
            TRY(b->bind_expression(b, castNode(A_Indices, step)->uidx, scope, &index));
            TRY(type_is_json((*out)->type) ? bind_json_subscript(b, *out, index, location, out)
                                           : nested_subscript(b, *out, index, location, out));
        }
    }
    return STATUS_OK;
}

/* ---- lambdas ---- */

status bind_lambda_name(binder *b, const ColumnRef *ref, expr **out)
{
    const pg_node *first = list_nth(ref->fields, 0);
    *out = NULL;
    for (const lambda_frame *l = b->lambda; l && IsA(first, String) && !*out; l = l->outer)
        for (size_t i = 0; i < l->count && !*out; i++)
            if (!strcasecmp(l->names[i], strVal(first))) {
                *out = expr_copy(b->memory, l->parameters[i]);
                if (!*out)
                    return bind_no_memory();
            }
    for (size_t i = 1; *out && i < list_length(ref->fields); i++) {
        const pg_node *field = list_nth(ref->fields, i);
        if (!IsA(field, String))
            return bind_unsupported(b, ref->location, "\"*\" in this place is");
        TRY(nested_field_of(b, *out, strVal(field), ref->location, out));
    }
    return STATUS_OK;
}

typedef enum lambda_kind { LAMBDA_MAP, LAMBDA_FILTER, LAMBDA_FOLD } lambda_kind;

static const struct {
    const char *name;
    lambda_kind kind;
} lambda_functions[] = {
    {"list_transform", LAMBDA_MAP},  {"array_transform", LAMBDA_MAP},
    {"list_apply", LAMBDA_MAP},      {"array_apply", LAMBDA_MAP},
    {"apply", LAMBDA_MAP},           {"list_filter", LAMBDA_FILTER},
    {"array_filter", LAMBDA_FILTER}, {"filter", LAMBDA_FILTER},
    {"list_reduce", LAMBDA_FOLD},    {"array_reduce", LAMBDA_FOLD},
    {"reduce", LAMBDA_FOLD},
};

static int find_lambda_function(const char *name)
{
    for (size_t i = 0; i < sizeof lambda_functions / sizeof *lambda_functions; i++)
        if (!strcmp(lambda_functions[i].name, name))
            return (int)i;
    return -1;
}

bool bind_is_lambda_function(const char *name)
{
    return find_lambda_function(name) >= 0;
}

/* A lambda as it is written. */
typedef struct lambda_tree {
    const pg_node *names; /* a column's name, or a row of them */
    const pg_node *body;
    int32_t location;
} lambda_tree;

/* Takes lambda x, i: e apart. */
static bool is_lambda(const pg_node *node, lambda_tree *out)
{
    if (!IsA(node, A_Expr) || castNode(A_Expr, node)->kind != AEXPR_OP ||
        list_length(castNode(A_Expr, node)->name) != 1)
        return false;
    const A_Expr *e = castNode(A_Expr, node);
    if (strcmp(strVal(list_nth(e->name, 0)), "lambda") != 0)
        return false;
    *out = (lambda_tree){e->lexpr, e->rexpr, e->location};
    return true;
}

static const char *bind_nested_parameter_name(const lambda_tree *tree, size_t i)
{
    const pg_node *ref = list_nth(castNode(RowExpr, tree->names)->args, i);
    return strVal(list_nth(castNode(ColumnRef, ref)->fields, 0));
}

static status begin_lambda(binder *b, const lambda_tree *tree, const data_type *types, size_t least,
                           size_t most, lambda_frame *out)
{
    size_t count = list_length(castNode(RowExpr, tree->names)->args);
    *out = (lambda_frame){.outer = b->lambda, .count = count};
    if (count < least || count > most)
        return bind_error(b, STATUS_KIND_INVALID, tree->location,
                          "this lambda takes %zu or %zu parameters, not %zu", least, most, count);
    for (size_t i = 0; i < count; i++) {
        out->names[i] = bind_nested_parameter_name(tree, i);
        TRY(bind_new_parameter(b, types[i], tree->location, &out->parameters[i]));
    }
    return STATUS_OK;
}

static status lambda_body(binder *b, const lambda_tree *tree, const lambda_frame *lambda,
                          bind_scope *scope, expr **out)
{
    b->lambda = lambda;
    status st = b->bind_expression(b, tree->body, scope, out);
    b->lambda = lambda->outer;
    TRY(st);
    if (expr_has_subquery(*out))
        return bind_unsupported(b, tree->location, "a subquery in a lambda is");
    if ((*out)->type.id == TYPE_NULL)
        return bind_cast(b, *out, type_make(TYPE_INT32), tree->location, out);
    return STATUS_OK;
}

static status bind_map_lambda(binder *b, const lambda_tree *tree, expr *list, bind_scope *scope,
                              expr **out)
{
    data_type types[] = {nested_type_of(list->type)->fields[0].type, type_make(TYPE_INT64)};
    lambda_frame lambda;
    expr *body;
    TRY(begin_lambda(b, tree, types, 1, 2, &lambda));
    TRY(lambda_body(b, tree, &lambda, scope, &body));
    return bind_transform(b, list, body, lambda.parameters, lambda.count, tree->location, out);
}

/* The elements where a list of what the lambda says of each is true. */
static status bind_filter_lambda(binder *b, const lambda_tree *tree, expr *list, bind_scope *scope,
                                 expr **out)
{
    data_type types[] = {nested_type_of(list->type)->fields[0].type, type_make(TYPE_INT64)};
    lambda_frame lambda;
    expr *body, *mask, *copy = expr_copy(b->memory, list);
    if (!copy)
        return bind_no_memory();
    TRY(begin_lambda(b, tree, types, 1, 2, &lambda));
    TRY(lambda_body(b, tree, &lambda, scope, &body));
    TRY(bind_cast(b, body, type_make(TYPE_BOOL), tree->location, &body));
    TRY(bind_transform(b, copy, body, lambda.parameters, lambda.count, tree->location, &mask));
    return bind_call2(b, EXPR_LIST_WHERE, list->type, list, mask, tree->location, out);
}

/* The value so far has the type of the first element, or one that holds what the body makes of it as well. */
static status bind_fold_lambda(binder *b, const lambda_tree *tree, expr *list, expr *initial,
                               bind_scope *scope, expr **out)
{
    data_type element = nested_type_of(list->type)->fields[0].type, common;
    data_type types[] = {initial ? initial->type : element, element, type_make(TYPE_INT64)};
    lambda_frame lambda;
    expr *body, *args[6];
    uint32_t count = 0;
    for (int tries = 0; tries < 2; tries++) {
        TRY(begin_lambda(b, tree, types, 2, 3, &lambda));
        TRY(lambda_body(b, tree, &lambda, scope, &body));
        if (type_equal(body->type, types[0]) || !bind_common_type(types[0], body->type, &common))
            break;
        types[0] = common;
    }
    TRY(bind_cast(b, body, types[0], tree->location, &body));
    if (initial)
        TRY(bind_cast(b, initial, types[0], tree->location, &initial));
    else if (!type_equal(element, types[0])) {
        data_type type;
        TRY(bind_list_type(b, types[0], &type));
        TRY(bind_cast(b, list, type, tree->location, &list));
        return bind_fold_lambda(b, tree, list, NULL, scope, out);
    }
    args[count++] = list;
    if (initial)
        args[count++] = initial;
    args[count++] = body;
    for (size_t i = 0; i < lambda.count; i++)
        args[count++] = lambda.parameters[i];
    return bind_call(b, initial ? EXPR_LIST_REDUCE_FROM : EXPR_LIST_REDUCE, types[0], args, count,
                     tree->location, out);
}

status bind_lambda_call(binder *b, const FuncCall *tree, bind_scope *scope, expr **out)
{
    int found =
        find_lambda_function(strVal(list_nth(tree->funcname, list_length(tree->funcname) - 1)));
    lambda_kind kind = lambda_functions[found].kind;
    expr *args[2] = {NULL, NULL};
    function_call c = {b, tree, lambda_functions[found].name, args, 1};
    size_t count = list_length(tree->args), most = kind == LAMBDA_FOLD ? 3 : 2;
    lambda_tree lambda;
    if (count < 2 || count > most)
        return bind_error(b, STATUS_KIND_INVALID, tree->location,
                          "function \"%s\" takes a list and a lambda%s, not %zu arguments", c.name,
                          most == 3 ? ", and perhaps an initial value" : "", count);
    if (!is_lambda(list_nth(tree->args, 1), &lambda))
        return status_hint(bind_error(b, STATUS_KIND_INVALID, tree->location,
                                      "argument 2 of function \"%s\" must be a lambda", c.name),
                           "write lambda x: ...");
    TRY(b->bind_expression(b, list_nth(tree->args, 0), scope, &args[0]));
    TRY(nested_require_list(&c, 0));
    if (count == 3)
        TRY(b->bind_expression(b, list_nth(tree->args, 2), scope, &args[1]));
    if (kind == LAMBDA_MAP)
        return bind_map_lambda(b, &lambda, args[0], scope, out);
    if (kind == LAMBDA_FILTER)
        return bind_filter_lambda(b, &lambda, args[0], scope, out);
    return bind_fold_lambda(b, &lambda, args[0], args[1], scope, out);
}

/* ---- unnest ---- */

static status check_unnest_place(binder *b, const FuncCall *tree, const bind_scope *scope)
{
    bool is_group = scope->clause && !strcmp(scope->clause, "GROUP BY");
    bool is_out_of_place = (scope->clause && !is_group) || scope->windowless ||
                           scope->is_in_aggregate || scope->is_in_window || b->lambda;
    if (!is_out_of_place)
        return STATUS_OK;
    return bind_error(b, STATUS_KIND_INVALID, tree->location, "unnest is not allowed in %s",
                      scope->clause            ? scope->clause
                      : scope->windowless      ? scope->windowless
                      : scope->is_in_aggregate ? "an aggregate"
                      : scope->is_in_window    ? "a window"
                                               : "a lambda");
}

status bind_unnest_argument(binder *b, const FuncCall *tree, bind_scope *scope, expr **out)
{
    TRY(check_unnest_place(b, tree, scope));
    if (!list_length(tree->args))
        return bind_error(b, STATUS_KIND_INVALID, tree->location,
                          "function \"unnest\" takes a list");
    scope->windowless = "unnest";
    status st = b->bind_expression(b, list_nth(tree->args, 0), scope, out);
    scope->windowless = NULL;
    return st;
}

bool bind_is_unnest_element(const bind_scope *scope, const expr *e, size_t *out_level)
{
    if (e->kind != EXPR_CALL || e->op != EXPR_LIST_ELEMENT || e->args[1]->kind != EXPR_COLUMN)
        return false;
    for (size_t i = 0; i < scope->unnests.count; i++)
        if (e->args[1]->column_id == scope->unnests.items[i].id) {
            *out_level = i;
            return true;
        }
    return false;
}

/* Returns how many levels of unnest the expression has in it. */
static size_t levels_within(const bind_scope *scope, const expr *e)
{
    size_t most, level;
    most = bind_is_unnest_element(scope, e, &level) ? level + 1 : 0;
    for (uint32_t i = 0; i < e->arg_count; i++) {
        level = levels_within(scope, e->args[i]);
        most = level > most ? level : most;
    }
    return most;
}

status bind_unnest_element(binder *b, const FuncCall *tree, bind_scope *scope, expr *list,
                           expr **out)
{
    expr *args[2] = {list, NULL};
    function_call c = {b, tree, "unnest", args, 1};
    TRY(nested_require_list(&c, 0));
    size_t level = levels_within(scope, args[0]);
    if (level == scope->unnests.count)
        TRY(array_push(b->memory, &scope->unnests,
                       ((plan_column){.id = bind_new_id(b),
                                      .name = "unnest",
                                      .type = type_make(TYPE_INT64)})));
    scope->unnest_location = tree->location;
    args[1] = bind_column_expr(b, &scope->unnests.items[level]);
    if (!args[1])
        return bind_no_memory();
    return bind_call(b, EXPR_LIST_ELEMENT, nested_type_of(args[0]->type)->fields[0].type, args, 2,
                     tree->location, out);
}

status bind_unnest_depth(binder *b, const FuncCall *tree, bind_scope *scope, uint32_t *out)
{
    *out = 1;
    for (size_t i = 1; i < list_length(tree->args); i++) {
        const pg_node *node = list_nth(tree->args, i);
        const NamedArgExpr *named = IsA(node, NamedArgExpr) ? castNode(NamedArgExpr, node) : NULL;
        bool is_depth = named && !strcasecmp(named->name, "max_depth"), is_known;
        value v;
        expr *e;
        if (!named || (!is_depth && strcasecmp(named->name, "recursive") != 0))
            return status_hint(bind_error(b, STATUS_KIND_INVALID, tree->location,
                                          "function \"unnest\" takes a list and options"),
                               "write recursive := true or max_depth := 2");
        TRY(b->bind_expression(b, (const pg_node *)named->arg, scope, &e));
        is_known = e->kind == EXPR_CONSTANT && !e->constant.is_null &&
                   (is_depth ? type_is_integer(e->type) : e->type.id == TYPE_BOOL);
        if (is_known)
            v = e->constant;
        if (!is_known || (is_depth && (v.i64 < 1 || v.i64 > UINT32_MAX)))
            return bind_error(b, STATUS_KIND_INVALID, named->location,
                              "option \"%s\" of unnest must be a constant %s", named->name,
                              is_depth ? "number above 0" : "true or false");
        *out = is_depth ? (uint32_t)v.i64 : v.boolean ? UINT32_MAX : *out;
    }
    return STATUS_OK;
}

status bind_unnest_call(binder *b, const FuncCall *tree, bind_scope *scope, expr **out)
{
    uint32_t depth;
    TRY(bind_unnest_depth(b, tree, scope, &depth));
    TRY(bind_unnest_argument(b, tree, scope, out));
    if ((*out)->type.id == TYPE_STRUCT)
        return status_hint(
            bind_unsupported(b, tree->location, "unnest of a struct within an expression is"),
            "make it an item of the select list");
    do
        TRY(bind_unnest_element(b, tree, scope, *out, out));
    while (--depth && (*out)->type.id == TYPE_LIST);
    return STATUS_OK;
}

/* ---- comparisons with lists ---- */

/* Whether a list of booleans has `wanted`; NULL if it does not, but has NULLs. */
static status has_boolean(binder *b, expr *list, bool wanted, int32_t location, expr **out)
{
    data_type boolean = type_make(TYPE_BOOL), number = type_make(TYPE_INT64);
    value v = value_bool(wanted), null = value_null(boolean), no = value_bool(false);
    expr *item, *is_there, *copies[2], *known, *all, *choice;
    for (int i = 0; i < 2; i++)
        if (!(copies[i] = expr_copy(b->memory, list)))
            return bind_no_memory();
    TRY(bind_constant(b, &v, -1, &item));
    TRY(bind_call2(b, EXPR_LIST_CONTAINS, boolean, list, item, location, &is_there));
    TRY(bind_call1(b, EXPR_LIST_COUNT, number, copies[0], location, &known));
    TRY(bind_call1(b, EXPR_LIST_LENGTH, number, copies[1], location, &all));
    choice = expr_new(b->memory, EXPR_CASE, boolean, 3, bind_position(b, location));
    if (!choice)
        return bind_no_memory();
    TRY(bind_comparison(b, EXPR_LT, known, all, location, &choice->args[0]));
    TRY(bind_constant(b, &null, -1, &choice->args[1]));
    TRY(bind_constant(b, &no, -1, &choice->args[2]));
    choice->is_nullable = true;
    return bind_call2(b, EXPR_OR, boolean, is_there, choice, location, out);
}

/* Gives a list of no type yet, a parameter or a text, the type that the value beside it asks for. */
static status list_of_subject(binder *b, expr *list, const expr *subject, expr **out)
{
    data_type type;
    *out = list;
    if (!bind_is_literal(list) || type_is_nested(subject->type))
        return STATUS_OK;
    TRY(bind_list_type(b, subject->type.id == TYPE_NULL ? type_make(TYPE_VARCHAR) : subject->type,
                       &type));
    return bind_cast(b, list, type, list->position, out);
}

status bind_list_comparison(binder *b, const A_Expr *e, bind_scope *scope, expr **out)
{
    expr *subject, *list, *parameter, *is_true, *all;
    expr_op op;
    bool is_any = e->kind == AEXPR_OP_ANY;
    const char *name = strVal(list_nth(e->name, list_length(e->name) - 1));
    TRY(b->bind_expression(b, e->rexpr, scope, &list));
    TRY(b->bind_expression(b, e->lexpr, scope, &subject));
    TRY(list_of_subject(b, list, subject, &list));
    if (list->type.id != TYPE_LIST)
        return bind_unsupported(b, e->location,
                                "ANY and ALL of anything but a list or a subquery are");
    if (!bind_comparison_op(name, &op))
        return bind_unsupported(b, e->location, "ANY and ALL of a list with this operator are");
    TRY(bind_new_parameter(b, nested_type_of(list->type)->fields[0].type, e->location, &parameter));
    TRY(bind_comparison(b, op, subject, parameter, e->location, &is_true));
    TRY(bind_transform(b, list, is_true, &parameter, 1, e->location, &all));
    TRY(has_boolean(b, all, is_any, e->location, out));
    return is_any ? STATUS_OK
                  : bind_call1(b, EXPR_NOT, type_make(TYPE_BOOL), *out, e->location, out);
}

status bind_in_nested(binder *b, expr **args, int32_t location, expr **out)
{
    expr *list = args[1];
    if (list->type.id == TYPE_MAP) {
        data_type keys;
        TRY(bind_list_type(b, nested_type_of(list->type)->fields[0].type, &keys));
        TRY(bind_call1(b, EXPR_MAP_KEYS, keys, list, location, &list));
    }
    TRY(bind_list_and_element(b, &list, &args[0], location, "IN"));
    return bind_call2(b, EXPR_LIST_CONTAINS, type_make(TYPE_BOOL), list, args[0], location, out);
}
