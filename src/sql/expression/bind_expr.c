/* bind_expr.c - expressions: one function per kind of node of the parse tree. */
#include "sql/expression/bind_expr.h"

#include "base/system/guard.h"
#include "base/type/alias_type.h"
#include "base/type/json_type.h"
#include "plan/fold/fold.h"
#include "plan/fold/fold_value.h"
#include "sql/expression/bind_function.h"
#include "sql/expression/bind_grouping.h"
#include "sql/expression/bind_name.h"
#include "sql/expression/bind_nested.h"
#include "sql/expression/expression_parts.h"
#include "sql/function/bind_json.h"
#include "sql/function/bind_made.h"
#include "sql/function/bind_registry.h"
#include "sql/function/system_function.h"
#include "sql/types/bind_modifier.h"
#include "sql/types/bind_operator.h"
#include "sql/types/bind_similar.h"
#include "sql/types/bind_type.h"
#include "sql/types/bind_zone.h"
#include "sql/types/binder.h"
#include "sql/types/function_call.h"
#include "sql/types/parameter.h"

#include <strings.h>

static data_type boolean(void)
{
    return type_make(TYPE_BOOL);
}

static status bind_list(binder *b, pg_node *const *nodes, size_t count, bind_scope *scope,
                        expr ***out)
{
    *out = arena_alloc_array(b->memory, count + 1, sizeof **out);
    if (!*out)
        return bind_no_memory();
    for (size_t i = 0; i < count; i++)
        TRY(bind_expr(b, nodes[i], scope, &(*out)[i]));
    return STATUS_OK;
}

/* ---- constants and casts ---- */

static status bind_a_const(binder *b, const A_Const *c, expr **out)
{
    value v;
    if (c->isnull) {
        v = value_null(type_make(TYPE_NULL));
        return bind_constant(b, &v, c->location, out);
    }
    switch (nodeTag(&c->val)) {
    case T_Integer:
        v = value_int(TYPE_INT32, c->val.ival.ival);
        break;
    case T_Float:
        return bind_number(b, c->val.fval.fval, strlen(c->val.fval.fval),
                           bind_position(b, c->location), out);
    case T_Boolean:
        v = value_bool(c->val.boolval.boolval);
        break;
    case T_String:
        v = value_text(c->val.sval.sval, strlen(c->val.sval.sval));
        break;
    default:
        return bind_unsupported(b, c->location, "bit strings are");
    }
    return bind_constant(b, &v, c->location, out);
}

static status bind_type_cast(binder *b, const TypeCast *cast, bind_scope *scope, expr **out)
{
    expr *arg;
    data_type type;
    bind_modifier modifier;
    TRY(bind_expr(b, cast->arg, scope, &arg));
    if (bind_is_registry(cast->typeName)) /* a parameter is a text, which may be a name */
        bind_note_type(b, arg, type_make(TYPE_VARCHAR));
    if (bind_is_registered(cast->typeName, arg))
        return bind_registered(b, cast->typeName, arg, bind_location(cast->arg), out);
    if (bind_is_json_type(cast->typeName))
        return bind_json_cast(b, arg, cast->is_try, cast->location, out);
    TRY(bind_type_name(b, cast->typeName, &type, &modifier));
    if (type_is_json(arg->type))
        TRY(bind_of_json(b, arg, type, cast->location, &arg));
    if (type.id == TYPE_VARCHAR && bind_is_regtype(cast->arg))
        return bind_type_text(b, arg, cast->location, out);
    if (type.id == TYPE_VARCHAR && type_alias_of(arg->type) == ALIAS_REGPROC)
        return bind_function_text(b, arg, cast->location, out);
    TRY(cast->is_try ? bind_try_cast(b, arg, type, &modifier, cast->location, out)
                     : bind_cast_modified(b, arg, type, &modifier, cast->location, out));
    return type_alias_of(type) || type_alias_of((*out)->type) ? bind_rename_type(b, *out, type, out)
                                                              : STATUS_OK;
}

/* ---- logic ---- */

status bind_condition(binder *b, const pg_node *node, bind_scope *scope, const char *what,
                      expr **out)
{
    char name[TYPE_NAME_BYTES];
    int32_t location = bind_location(node);
    TRY(bind_expr(b, node, scope, out));
    if (bind_is_literal(*out))
        return bind_coerce(b, *out, boolean(), location, what, out);
    if ((*out)->type.id != TYPE_BOOL)
        return bind_error(b, STATUS_KIND_INVALID, location,
                          "argument of %s must be boolean, not %s", what,
                          type_name((*out)->type, name));
    return STATUS_OK;
}

static status bind_bool_expr(binder *b, const BoolExpr *e, bind_scope *scope, expr **out)
{
    ARRAY(expr *) args = {0};
    expr *arg;
    if (e->boolop == NOT_EXPR) {
        TRY(bind_condition(b, list_nth(e->args, 0), scope, "NOT", &arg));
        return bind_call1(b, EXPR_NOT, boolean(), arg, e->location, out);
    }
    bool is_and = e->boolop == AND_EXPR;
    expr_op op = is_and ? EXPR_AND : EXPR_OR;
    for (size_t i = 0; i < list_length(e->args); i++) {
        TRY(bind_condition(b, list_nth(e->args, i), scope, is_and ? "AND" : "OR", &arg));
        bool is_nested = arg->kind == EXPR_CALL && arg->op == op;
        for (uint32_t j = 0; is_nested && j < arg->arg_count; j++)
            TRY(array_push(b->memory, &args, arg->args[j]));
        if (!is_nested)
            TRY(array_push(b->memory, &args, arg));
    }
    return bind_call(b, op, boolean(), args.items, (uint32_t)args.count, e->location, out);
}

static status bind_null_test(binder *b, const NullTest *test, bind_scope *scope, expr **out)
{
    expr *arg;
    TRY(bind_expr(b, test->arg, scope, &arg));
    if (arg->type.id == TYPE_NULL)
        TRY(bind_cast(b, arg, type_make(TYPE_VARCHAR), test->location, &arg));
    bool is_null = test->nulltesttype == IS_NULL;
    return bind_call1(b, is_null ? EXPR_IS_NULL : EXPR_IS_NOT_NULL, boolean(), arg, test->location,
                      out);
}

static status bind_boolean_test(binder *b, const BooleanTest *test, bind_scope *scope, expr **out)
{
    static const struct {
        expr_op op;
        bool is_negated;
    } tests[] = {
        [IS_TRUE] = {EXPR_IS_TRUE, false},    [IS_NOT_TRUE] = {EXPR_IS_TRUE, true},
        [IS_FALSE] = {EXPR_IS_FALSE, false},  [IS_NOT_FALSE] = {EXPR_IS_FALSE, true},
        [IS_UNKNOWN] = {EXPR_IS_NULL, false}, [IS_NOT_UNKNOWN] = {EXPR_IS_NOT_NULL, false},
    };
    expr *arg;
    TRY(bind_condition(b, test->arg, scope, "IS", &arg));
    TRY(bind_call1(b, tests[test->booltesttype].op, boolean(), arg, test->location, out));
    if (!tests[test->booltesttype].is_negated)
        return STATUS_OK;
    return bind_call1(b, EXPR_NOT, boolean(), *out, test->location, out);
}

/* ---- CASE, COALESCE, GREATEST ---- */

static status copy_expr(binder *b, const expr *e, expr **out)
{
    *out = expr_copy(b->memory, e);
    return *out ? STATUS_OK : bind_no_memory();
}

static status bind_when(binder *b, const CaseExpr *e, const CaseWhen *when, expr *subject,
                        bind_scope *scope, expr **out)
{
    expr *value, *copy;
    if (!e->arg)
        return bind_condition(b, when->expr, scope, "CASE WHEN", out);
    TRY(bind_expr(b, when->expr, scope, &value));
    TRY(copy_expr(b, subject, &copy));
    return bind_comparison(b, EXPR_EQ, copy, value, when->location, out);
}

static status bind_case(binder *b, const CaseExpr *e, bind_scope *scope, expr **out)
{
    size_t branches = list_length(e->args), count = branches + 1;
    expr *subject = NULL, *node;
    expr **results = arena_alloc_array(b->memory, count, sizeof *results);
    data_type type;
    if (!results)
        return bind_no_memory();
    if (branches > UINT32_MAX / 4)
        return bind_unsupported(b, e->location, "a CASE of more than 1,073,741,823 branches is");
    node = expr_new(b->memory, EXPR_CASE, boolean(), (uint32_t)branches * 2 + 1,
                    bind_position(b, e->location));
    if (!node)
        return bind_no_memory();
    if (e->arg)
        TRY(bind_expr(b, e->arg, scope, &subject));
    for (size_t i = 0; i < branches; i++) {
        const CaseWhen *when = castNode(CaseWhen, list_nth(e->args, i));
        TRY(bind_when(b, e, when, subject, scope, &node->args[2 * i]));
        TRY(bind_expr(b, when->result, scope, &results[i]));
    }
    if (e->defresult) {
        TRY(bind_expr(b, e->defresult, scope, &results[branches]));
    } else {
        value null = value_null(type_make(TYPE_NULL));
        TRY(bind_constant(b, &null, -1, &results[branches]));
    }
    TRY(bind_coerce_values(b, results, count, e->location, "CASE", &type));
    node->type = type;
    node->is_nullable = false;
    for (size_t i = 0; i < count; i++) {
        node->args[i < branches ? 2 * i + 1 : 2 * branches] = results[i];
        node->is_nullable |= results[i]->is_nullable;
    }
    *out = expr_fold(b->memory, node);
    return *out ? STATUS_OK : bind_no_memory();
}

static status bind_alike(binder *b, expr_op op, const char *what, pg_node *const *nodes,
                         size_t count, bind_scope *scope, int32_t location, expr **out)
{
    expr **args;
    data_type type;
    TRY(bind_list(b, nodes, count, scope, &args));
    TRY(bind_coerce_values(b, args, count, location, what, &type));
    return bind_call(b, op, type, args, (uint32_t)count, location, out);
}

/* ---- operators ---- */

static const char *operator_name(const A_Expr *e)
{
    return list_length(e->name) ? strVal(list_nth(e->name, list_length(e->name) - 1)) : "";
}

static bool is_row(const pg_node *node)
{
    return node && IsA(node, RowExpr);
}

/* Rows whose values are bound; comparisons take copies. */
typedef struct row_pair {
    size_t left_count, right_count;
    expr **left, **right;
    int32_t location;
} row_pair;

static status expr_bind_row(binder *b, const pg_node *node, bind_scope *scope, size_t *out_count,
                            expr ***out)
{
    const RowExpr *row = castNode(RowExpr, node);
    *out_count = list_length(row->args);
    return bind_list(b, list_items(row->args), list_length(row->args), scope, out);
}

static status bind_expr_bind_rows_of(binder *b, const A_Expr *e, bind_scope *scope, row_pair *out)
{
    out->location = e->location;
    TRY(expr_bind_row(b, e->lexpr, scope, &out->left_count, &out->left));
    return expr_bind_row(b, e->rexpr, scope, &out->right_count, &out->right);
}

static status compare_items(binder *b, const row_pair *rows, size_t i, expr_op op, expr **out)
{
    expr *left, *right;
    TRY(copy_expr(b, rows->left[i], &left));
    TRY(copy_expr(b, rows->right[i], &right));
    return bind_comparison(b, op, left, right, rows->location, out);
}

/* (a, b) < (c, d): a < c, or a = c and b < d; from the last to the first. */
static status bind_row_order(binder *b, const row_pair *rows, expr_op op, expr **out)
{
    size_t i = rows->left_count - 1;
    expr_op strict = op == EXPR_LE ? EXPR_LT : op == EXPR_GE ? EXPR_GT : op;
    expr *less, *equal;
    TRY(compare_items(b, rows, i, op, out));
    while (i-- > 0) {
        TRY(compare_items(b, rows, i, EXPR_EQ, &equal));
        TRY(compare_items(b, rows, i, strict, &less));
        TRY(bind_call2(b, EXPR_AND, boolean(), equal, *out, rows->location, &equal));
        TRY(bind_call2(b, EXPR_OR, boolean(), less, equal, rows->location, out));
    }
    return STATUS_OK;
}

/* Rows compared item by item. */
static status bind_row_comparison(binder *b, const row_pair *rows, expr_op op, expr **out)
{
    ARRAY(expr *) pairs = {0};
    size_t count = rows->left_count;
    bool is_equal = op == EXPR_EQ || op == EXPR_IS_NOT_DISTINCT;
    if (count != rows->right_count)
        return bind_error(b, STATUS_KIND_INVALID, rows->location,
                          "rows of %zu and %zu values cannot be compared", count,
                          rows->right_count);
    if (!count)
        return bind_error(b, STATUS_KIND_INVALID, rows->location,
                          "rows of no values cannot be compared");
    if (op == EXPR_LT || op == EXPR_LE || op == EXPR_GT || op == EXPR_GE)
        return bind_row_order(b, rows, op, out);
    for (size_t i = 0; i < count; i++) {
        expr *pair;
        TRY(compare_items(b, rows, i, op, &pair));
        TRY(array_push(b->memory, &pairs, pair));
    }
    if (pairs.count == 1) {
        *out = pairs.items[0];
        return STATUS_OK;
    }
    return bind_call(b, is_equal ? EXPR_AND : EXPR_OR, boolean(), pairs.items,
                     (uint32_t)pairs.count, rows->location, out);
}

static status bind_operation(binder *b, const char *name, expr *left, expr *right, int32_t location,
                             expr **out)
{
    expr_op op;
    bool is_done;
    if (bind_comparison_op(name, &op))
        return bind_comparison(b, op, left, right, location, out);
    TRY(bind_json_operator(b, name, left, right, location, &is_done, out));
    if (is_done)
        return STATUS_OK;
    return bind_arithmetic(b, name, left, right, location, out);
}

static status bind_operator(binder *b, const A_Expr *e, bind_scope *scope, expr **out)
{
    const char *name = operator_name(e);
    expr *left, *right;
    expr_op op;
    if (is_row(e->lexpr) && is_row(e->rexpr) && bind_comparison_op(name, &op)) {
        row_pair rows;
        TRY(bind_expr_bind_rows_of(b, e, scope, &rows));
        return bind_row_comparison(b, &rows, op, out);
    }
    if (!e->lexpr && bind_prefix_function(name))
        return bind_prefix_call(b, e, bind_prefix_function(name), scope, out);
    TRY(bind_expr(b, e->rexpr, scope, &right));
    if (!e->lexpr) {
        if (!strcmp(name, "-"))
            return bind_negate(b, right, e->location, out);
        if (!strcmp(name, "~"))
            return bind_not_bits(b, right, e->location, out);
        if (strcmp(name, "+"))
            return bind_error(b, STATUS_KIND_UNSUPPORTED, e->location,
                              "operator %s is not supported", name);
        *out = right;
        return STATUS_OK;
    }
    TRY(bind_expr(b, e->lexpr, scope, &left));
    return bind_operation(b, name, left, right, e->location, out);
}

static status negate_if(binder *b, bool is_negated, int32_t location, expr **out)
{
    return is_negated ? bind_call1(b, EXPR_NOT, boolean(), *out, location, out) : STATUS_OK;
}

/* LIKE, ILIKE and their negations as operators. */
static bool is_like_operator(const A_Expr *e)
{
    const char *name = operator_name(e) + (*operator_name(e) == '!');
    return e->lexpr && (!strcmp(name, "~~") || !strcmp(name, "~~*"));
}

/* Binds a LIKE of a text, a pattern and perhaps an escape. */
static status bind_like_call(binder *b, const char *name, expr **args, uint32_t count,
                             int32_t location, expr **out)
{
    for (uint32_t i = 0; i < count; i++)
        TRY(bind_coerce(b, args[i], type_make(TYPE_VARCHAR), location, "argument of LIKE",
                        &args[i]));
    expr_op op = name[strlen(name) - 1] == '*' ? EXPR_ILIKE : EXPR_LIKE;
    TRY(bind_call(b, op, boolean(), args, count, location, out));
    return negate_if(b, name[0] == '!', location, out);
}

/* LIKE 'pattern' ESCAPE 'x' comes as like_escape('pattern', 'x'). */
static status bind_like(binder *b, const A_Expr *e, bind_scope *scope, expr **out)
{
    const pg_node *pattern = e->rexpr;
    expr *args[3];
    uint32_t count = 2;
    TRY(bind_expr(b, e->lexpr, scope, &args[0]));
    bool has_escape =
        IsA(pattern, FuncCall) && list_length(castNode(FuncCall, pattern)->funcname) == 2 &&
        list_length(castNode(FuncCall, pattern)->args) == 2 &&
        !strcmp(strVal(list_nth(castNode(FuncCall, pattern)->funcname, 1)), "like_escape");
    if (has_escape) {
        TRY(bind_expr(b, list_nth(castNode(FuncCall, pattern)->args, 0), scope, &args[1]));
        TRY(bind_expr(b, list_nth(castNode(FuncCall, pattern)->args, 1), scope, &args[2]));
        count = 3;
    } else {
        TRY(bind_expr(b, pattern, scope, &args[1]));
    }
    return bind_like_call(b, operator_name(e), args, count, e->location, out);
}

/* SIMILAR TO 'pattern' ESCAPE 'x' comes as similar_to_escape('pattern', 'x'). */
static status bind_similar(binder *b, const A_Expr *e, bind_scope *scope, expr **out)
{
    const FuncCall *call = castNode(FuncCall, e->rexpr);
    expr *args[2], *escape = NULL;
    TRY(bind_expr(b, e->lexpr, scope, &args[0]));
    TRY(bind_coerce(b, args[0], type_make(TYPE_VARCHAR), e->location, "argument of SIMILAR TO",
                    &args[0]));
    TRY(bind_expr(b, list_nth(call->args, 0), scope, &args[1]));
    if (list_length(call->args) > 1)
        TRY(bind_expr(b, list_nth(call->args, 1), scope, &escape));
    TRY(bind_similar_pattern(b, args[1], escape, false, e->location, &args[1]));
    TRY(bind_call(b, EXPR_REGEXP_MATCH, boolean(), args, 2, e->location, out));
    return negate_if(b, operator_name(e)[0] == '!', e->location, out);
}

status bind_similar_part(binder *b, expr *const args[3], int32_t location, expr **out)
{
    expr *pair[2];
    TRY(bind_coerce(b, args[0], type_make(TYPE_VARCHAR), location, "argument of SIMILAR",
                    &pair[0]));
    TRY(bind_similar_pattern(b, args[1], args[2], true, location, &pair[1]));
    return bind_call(b, EXPR_REGEXP_PART, type_make(TYPE_VARCHAR), pair, 2, location, out);
}

static status bind_range(binder *b, expr *subject, expr *low, expr *high, int32_t location,
                         expr **out)
{
    expr *copy, *above, *below;
    TRY(copy_expr(b, subject, &copy));
    TRY(bind_comparison(b, EXPR_GE, subject, low, location, &above));
    TRY(bind_comparison(b, EXPR_LE, copy, high, location, &below));
    return bind_call2(b, EXPR_AND, boolean(), above, below, location, out);
}

static status bind_between(binder *b, const A_Expr *e, bind_scope *scope, expr **out)
{
    bool is_symmetric = e->kind == AEXPR_BETWEEN_SYM || e->kind == AEXPR_NOT_BETWEEN_SYM;
    bool is_negated = e->kind == AEXPR_NOT_BETWEEN || e->kind == AEXPR_NOT_BETWEEN_SYM;
    expr *subject, *low, *high;
    TRY(bind_expr(b, e->lexpr, scope, &subject));
    TRY(bind_expr(b, list_nth(castNode(List, e->rexpr), 0), scope, &low));
    TRY(bind_expr(b, list_nth(castNode(List, e->rexpr), 1), scope, &high));
    if (is_symmetric) {
        expr *again, *other_low, *other_high, *forth, *back;
        TRY(copy_expr(b, subject, &again));
        TRY(copy_expr(b, high, &other_low));
        TRY(copy_expr(b, low, &other_high));
        TRY(bind_range(b, subject, low, high, e->location, &forth));
        TRY(bind_range(b, again, other_low, other_high, e->location, &back));
        TRY(bind_call2(b, EXPR_OR, boolean(), forth, back, e->location, out));
    } else {
        TRY(bind_range(b, subject, low, high, e->location, out));
    }
    return negate_if(b, is_negated, e->location, out);
}

/* ---- IN ---- */

/* Gives all items the subject's type if they are constants that fit it. */
static status adapt_items(binder *b, const expr *subject, expr **items, size_t count,
                          int32_t location, bool *out_done)
{
    *out_done = false;
    if (subject->type.id == TYPE_NULL || (bind_is_literal(subject) && count))
        return STATUS_OK;
    for (size_t i = 0; i < count; i++) {
        value v;
        if (items[i]->kind != EXPR_CONSTANT)
            return STATUS_OK;
        if (bind_is_literal(items[i]) && items[i]->type.id != TYPE_NULL &&
            subject->type.id == TYPE_DECIMAL)
            TRY(bind_literal_number(b, items[i], &items[i]));
        if (bind_is_literal(items[i])) {
            TRY(bind_coerce(b, items[i], subject->type, location, "IN", &items[i]));
            continue;
        }
        if (bind_zone_crosses(b, items[i]->type, subject->type) ||
            !value_cast_exact(&items[i]->constant, subject->type, &v))
            return STATUS_OK;
        items[i] = expr_new_constant(b->memory, &v, items[i]->position);
        if (!items[i])
            return bind_no_memory();
    }
    *out_done = true;
    return STATUS_OK;
}

/* subject = item OR subject = item ... */
static status bind_in_comparisons(binder *b, const expr *subject, expr *const *items, size_t count,
                                  int32_t location, expr **out)
{
    expr **equal = arena_alloc_array(b->memory, count, sizeof *equal);
    if (!equal)
        return bind_no_memory();
    for (size_t i = 0; i < count; i++) {
        expr *copy;
        TRY(copy_expr(b, subject, &copy));
        TRY(bind_comparison(b, EXPR_EQ, copy, items[i], location, &equal[i]));
    }
    if (count == 1) {
        *out = equal[0];
        return STATUS_OK;
    }
    return bind_call(b, EXPR_OR, boolean(), equal, (uint32_t)count, location, out);
}

/* args[0] is the subject, the `count` items follow. */
static status bind_in_list(binder *b, expr **args, size_t count, int32_t location, expr **out)
{
    bool is_adapted, is_constant = true;
    data_type type;
    if (count >= UINT32_MAX)
        return bind_unsupported(b, location, "a list of more than 4,294,967,294 items is");
    TRY(adapt_items(b, args[0], args + 1, count, location, &is_adapted));
    for (size_t i = 1; i <= count; i++)
        is_constant &= args[i]->kind == EXPR_CONSTANT;
    if (count == 1 || !is_constant)
        return bind_in_comparisons(b, args[0], args + 1, count, location, out);
    if (!is_adapted)
        TRY(bind_coerce_all(b, args, count + 1, location, "IN", &type));
    return bind_call(b, EXPR_IN_LIST, boolean(), args, (uint32_t)count + 1, location, out);
}

static status bind_row_in(binder *b, const A_Expr *e, bind_scope *scope, expr **out)
{
    const List *list = castNode(List, e->rexpr);
    ARRAY(expr *) equal = {0};
    row_pair rows = {.location = e->location};
    TRY(expr_bind_row(b, e->lexpr, scope, &rows.left_count, &rows.left));
    for (size_t i = 0; i < list_length(list); i++) {
        expr *row;
        if (!is_row(list_nth(list, i)))
            return bind_error(b, STATUS_KIND_INVALID, e->location,
                              "a row can only be compared with rows");
        TRY(expr_bind_row(b, list_nth(list, i), scope, &rows.right_count, &rows.right));
        TRY(bind_row_comparison(b, &rows, EXPR_EQ, &row));
        TRY(array_push(b->memory, &equal, row));
    }
    *out = equal.items[0];
    if (equal.count > 1)
        return bind_call(b, EXPR_OR, boolean(), equal.items, (uint32_t)equal.count, e->location,
                         out);
    return STATUS_OK;
}

static status bind_in(binder *b, const A_Expr *e, bind_scope *scope, expr **out)
{
    const List *list = castNode(List, e->rexpr);
    bool is_negated = operator_name(e)[0] == '<';
    if (is_row(e->lexpr)) {
        TRY(bind_row_in(b, e, scope, out));
        return negate_if(b, is_negated, e->location, out);
    }
    expr **args = arena_alloc_array(b->memory, list_length(list) + 1, sizeof *args);
    if (!args)
        return bind_no_memory();
    TRY(bind_expr(b, e->lexpr, scope, &args[0]));
    for (size_t i = 0; i < list_length(list); i++)
        TRY(bind_expr(b, list_nth(list, i), scope, &args[i + 1]));
    if (list_length(list) == 1 && type_is_nested(args[1]->type) &&
        !type_equal(args[0]->type, args[1]->type))
        TRY(bind_in_nested(b, args, e->location, out));
    else
        TRY(bind_in_list(b, args, list_length(list), e->location, out));
    return negate_if(b, is_negated, e->location, out);
}

/* The operator between the subject and one item. */
static status bind_item(binder *b, const A_Expr *e, expr *subject, expr *item, expr **out)
{
    expr *pair[2] = {subject, item};
    if (is_like_operator(e))
        return bind_like_call(b, operator_name(e), pair, 2, e->location, out);
    TRY(bind_operation(b, operator_name(e), subject, item, e->location, out));
    if ((*out)->type.id != TYPE_BOOL)
        return bind_error(b, STATUS_KIND_INVALID, e->location,
                          "op ANY/ALL (array) requires operator to yield boolean");
    return STATUS_OK;
}

/* x = ANY (ARRAY[...]), x <> ALL (ARRAY[...]), x LIKE ANY (ARRAY[...]). */
static status bind_array_comparison(binder *b, const A_Expr *e, bind_scope *scope, expr **out)
{
    bool is_any = e->kind == AEXPR_OP_ANY;
    if (!e->rexpr || !IsA(e->rexpr, A_ArrayExpr) ||
        !list_length(castNode(A_ArrayExpr, e->rexpr)->elements))
        return bind_list_comparison(b, e, scope, out);
    const A_ArrayExpr *array = castNode(A_ArrayExpr, e->rexpr);
    ARRAY(expr *) results = {0};
    expr *subject, *item, *result, *copy;
    TRY(bind_expr(b, e->lexpr, scope, &subject));
    for (size_t i = 0; i < list_length(array->elements); i++) {
        TRY(bind_expr(b, list_nth(array->elements, i), scope, &item));
        TRY(copy_expr(b, subject, &copy));
        TRY(bind_item(b, e, copy, item, &result));
        TRY(array_push(b->memory, &results, result));
    }
    *out = results.items[0];
    if (results.count == 1)
        return STATUS_OK;
    return bind_call(b, is_any ? EXPR_OR : EXPR_AND, boolean(), results.items,
                     (uint32_t)results.count, e->location, out);
}

static status bind_pair(binder *b, expr_op op, const A_Expr *e, bind_scope *scope, expr **out)
{
    expr *left, *right;
    if (is_row(e->lexpr) && is_row(e->rexpr) && op != EXPR_NULLIF) {
        row_pair rows;
        TRY(bind_expr_bind_rows_of(b, e, scope, &rows));
        return bind_row_comparison(b, &rows, op, out);
    }
    TRY(bind_expr(b, e->lexpr, scope, &left));
    TRY(bind_expr(b, e->rexpr, scope, &right));
    return bind_comparison(b, op, left, right, e->location, out);
}

static status bind_a_expr(binder *b, const A_Expr *e, bind_scope *scope, expr **out)
{
    switch (e->kind) {
    case AEXPR_OP:
        return is_like_operator(e) ? bind_like(b, e, scope, out) : bind_operator(b, e, scope, out);
    case AEXPR_OP_ANY:
    case AEXPR_OP_ALL:
        return bind_array_comparison(b, e, scope, out);
    case AEXPR_DISTINCT:
        return bind_pair(b, EXPR_IS_DISTINCT, e, scope, out);
    case AEXPR_NOT_DISTINCT:
        return bind_pair(b, EXPR_IS_NOT_DISTINCT, e, scope, out);
    case AEXPR_NULLIF:
        return bind_pair(b, EXPR_NULLIF, e, scope, out);
    case AEXPR_IN:
        return bind_in(b, e, scope, out);
    case AEXPR_LIKE:
    case AEXPR_ILIKE:
        return bind_like(b, e, scope, out);
    case AEXPR_BETWEEN:
    case AEXPR_NOT_BETWEEN:
    case AEXPR_BETWEEN_SYM:
    case AEXPR_NOT_BETWEEN_SYM:
        return bind_between(b, e, scope, out);
    case AEXPR_SIMILAR:
        return bind_similar(b, e, scope, out);
    default:
        return bind_unsupported(b, e->location, "this operator is");
    }
}

/* Texts are compared by their bytes, which is what these say. */
static status bind_collate(binder *b, const CollateClause *clause, bind_scope *scope, expr **out)
{
    char type[40];
    const char *name = list_length(clause->collname)
                           ? strVal(list_nth(clause->collname, list_length(clause->collname) - 1))
                           : "";
    if (strcmp(name, "default") != 0 && strcmp(name, "C") != 0 && strcmp(name, "POSIX") != 0 &&
        strcmp(name, "ucs_basic") != 0)
        return status_hint(bind_error(b, STATUS_KIND_UNSUPPORTED, clause->location,
                                      "collation \"%s\" is not supported", name),
                           "texts are compared by their bytes, as \"C\" does");
    TRY(bind_expr(b, clause->arg, scope, out));
    if (!type_is_text((*out)->type) && (*out)->type.id != TYPE_NULL && !bind_is_literal(*out))
        return bind_error(b, STATUS_KIND_INVALID, clause->location,
                          "collations are not supported by type %s", type_name((*out)->type, type));
    return STATUS_OK;
}

/* Binds a parameter of the macro that is being bound: what it was called with, bound where the call stands; *out
 * NULL: the name is not a parameter's. */
static status bind_macro_argument(binder *b, const ColumnRef *ref, expr **out)
{
    const bind_macro *macro = b->macro;
    const sql_text *text = b->text;
    const bind_view *views = b->views;
    *out = NULL;
    const pg_node *field = list_nth(ref->fields, 0);
    for (size_t i = 0; macro && list_length(ref->fields) == 1 && i < macro->count; i++) {
        if (!IsA(field, String) || strcasecmp(strVal(field), macro->names[i]) != 0)
            continue;
        b->macro = macro->is_own[i] ? NULL : macro->outer;
        b->text = macro->is_own[i] ? macro->own : macro->text;
        b->views = macro->is_own[i] ? views : macro->views;
        const lambda_frame *lambda = b->lambda;
        b->lambda = macro->lambda;
        status st = bind_expr(b, macro->args[i], macro->scope, out);
        b->macro = macro;
        b->text = text;
        b->views = views;
        b->lambda = lambda;
        return st;
    }
    return STATUS_OK;
}

static status bind_call_of(binder *b, const FuncCall *call, bind_scope *scope, expr **out)
{
    bool is_macro = false;
    if (b->bind_macro)
        TRY(b->bind_macro(b, call, scope, &is_macro, out));
    return is_macro ? STATUS_OK : bind_function(b, call, scope, out);
}

/* An expression of PIVOT: its aggregates see the rows of one value alone. */
static status bind_filtered(binder *b, const FilteredExpr *tree, bind_scope *scope, expr **out)
{
    const pg_node *before = scope->filter;
    scope->filter = tree->filter;
    status st = bind_expr(b, tree->arg, scope, out);
    scope->filter = before;
    return st;
}

/* COLUMNS(...), where an expression may stand for several. */
static status expr_bind_columns(binder *b, const ColumnsExpr *tree, bind_scope *scope, expr **out)
{
    return scope->expansion.bind ? scope->expansion.bind(b, tree, scope, out)
                                 : bind_unsupported(b, tree->location, "COLUMNS in this place is");
}

/* ---- all of them ---- */

status bind_expr(binder *b, const pg_node *node, bind_scope *scope, expr **out)
{
    TRY(guard_check());
    switch (nodeTag(node)) {
    case T_ColumnRef:
        TRY(bind_lambda_name(b, castNode(ColumnRef, node), out));
        if (!*out)
            TRY(bind_macro_argument(b, castNode(ColumnRef, node), out));
        return *out ? STATUS_OK : bind_column_ref(b, castNode(ColumnRef, node), scope, out);
    case T_ParamRef:
        if (castNode(ParamRef, node)->node)
            return bind_expr(b, castNode(ParamRef, node)->node, scope, out);
        return castNode(ParamRef, node)->bound ? copy_expr(b, castNode(ParamRef, node)->bound, out)
                                               : bind_parameter(b, castNode(ParamRef, node), out);
    case T_A_Const:
        return bind_a_const(b, castNode(A_Const, node), out);
    case T_TypeCast:
        return bind_type_cast(b, castNode(TypeCast, node), scope, out);
    case T_A_Expr:
        return bind_a_expr(b, castNode(A_Expr, node), scope, out);
    case T_BoolExpr:
        return bind_bool_expr(b, castNode(BoolExpr, node), scope, out);
    case T_NullTest:
        return bind_null_test(b, castNode(NullTest, node), scope, out);
    case T_BooleanTest:
        return bind_boolean_test(b, castNode(BooleanTest, node), scope, out);
    case T_CaseExpr:
        return bind_case(b, castNode(CaseExpr, node), scope, out);
    case T_CoalesceExpr:
        return bind_alike(b, EXPR_COALESCE, "COALESCE",
                          list_items(castNode(CoalesceExpr, node)->args),
                          list_length(castNode(CoalesceExpr, node)->args), scope,
                          castNode(CoalesceExpr, node)->location, out);
    case T_MinMaxExpr: {
        bool is_greatest = castNode(MinMaxExpr, node)->op == IS_GREATEST;
        return bind_alike(b, is_greatest ? EXPR_GREATEST : EXPR_LEAST,
                          is_greatest ? "GREATEST" : "LEAST",
                          list_items(castNode(MinMaxExpr, node)->args),
                          list_length(castNode(MinMaxExpr, node)->args), scope,
                          castNode(MinMaxExpr, node)->location, out);
    }
    case T_FuncCall:
        return bind_call_of(b, castNode(FuncCall, node), scope, out);
    case T_FilteredExpr:
        return bind_filtered(b, castNode(FilteredExpr, node), scope, out);
    case T_ColumnsExpr:
        return expr_bind_columns(b, castNode(ColumnsExpr, node), scope, out);
    case T_SubLink:
        return bind_sublink(b, castNode(SubLink, node), scope, out);
    case T_SQLValueFunction:
        return bind_sql_value_function(b, castNode(SQLValueFunction, node), out);
    case T_RowExpr:
        return bind_row(b, castNode(RowExpr, node), scope, out);
    case T_CollateClause:
        return bind_collate(b, castNode(CollateClause, node), scope, out);
    case T_A_ArrayExpr:
        return bind_array(b, castNode(A_ArrayExpr, node), scope, out);
    case T_GroupingFunc:
        return bind_grouping_call(b, castNode(GroupingFunc, node), scope, out);
    case T_A_Indirection:
        return bind_indirection(b, castNode(A_Indirection, node), scope, out);
    case T_NamedArgExpr:
        return status_hint(bind_unsupported(b, castNode(NamedArgExpr, node)->location,
                                            "an argument with a name is"),
                           "write the arguments without names, in the order that docs/SQL.md says");
    case T_SetToDefault:
        return bind_unsupported(b, castNode(SetToDefault, node)->location, "DEFAULT is");
    default:
        return bind_unsupported(b, bind_location(node), "this expression is");
    }
}
