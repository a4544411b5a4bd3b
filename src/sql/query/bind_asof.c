/* bind_asof.c - ASOF JOIN and POSITIONAL JOIN, as joins that are there already.
 *
 * l ASOF JOIN r ON l.k = r.k AND l.t >= r.t finds for each row of l the last row of r. A window makes the range of each row
 * of r, from its own t to that of the row after it, and the join is one by ranges:
 *
 *     l.k = r.k AND l.t >= r.t AND l.t < lead(r.t, 1, a value above all others) OVER (PARTITION BY r.k ORDER BY r.t)
 *
 * Of rows of r with equal t all but one have an empty range. With <= it is lag, and a value below all others.
 *
 * NaN is the greatest double and -Infinity the least: the range of doubles that begins with its row's own value (>=, <=) ends with
 * the last double before the neighbour's, and has that end. So does the range of dates and timestamps with >=: no number is
 * above infinity. */
#include "sql/query/bind_asof.h"

#include "plan/nodes/visit.h"
#include "sql/expression/bind_expr.h"
#include "sql/expression/bind_scope.h"
#include "sql/expression/bind_window.h"
#include "sql/function/bind_made.h"
#include "sql/query/query_parts.h"
#include "sql/types/bind_operator.h"
#include "sql/types/bind_type.h"

#include <math.h>

typedef struct asof {
    binder *b;
    bind_asof_sides *sides;
    expr_list equal;    /* conditions that are kept */
    expr_list keys;     /* of the right side */
    expr *left, *right; /* of the inequality */
    expr_op op;         /* left op right */
} asof;

/* ---- the condition ---- */

typedef struct side_search {
    const bind_asof_sides *sides;
    bool has_left, has_right;
} side_search;

static bool asof_has_id(const bind_scope *scope, uint32_t id)
{
    for (size_t i = 0; i < scope->entries.count; i++)
        if (scope->entries.items[i].id == id)
            return true;
    return false;
}

static void note_side(uint32_t id, void *context)
{
    side_search *search = context;
    search->has_left |= asof_has_id(search->sides->left, id);
    search->has_right |= asof_has_id(search->sides->right, id);
}

static bool is_of_left_alone(const asof *a, expr *e)
{
    side_search search = {.sides = a->sides};
    expr_visit_columns(e, note_side, &search);
    return search.has_left && !search.has_right;
}

static bool is_of_right_alone(const asof *a, expr *e)
{
    side_search search = {.sides = a->sides};
    expr_visit_columns(e, note_side, &search);
    return search.has_right && !search.has_left;
}

/* The inequality with its sides exchanged. */
static expr_op bind_asof_turned(expr_op op)
{
    switch (op) {
    case EXPR_GE:
        return EXPR_LE;
    case EXPR_GT:
        return EXPR_LT;
    case EXPR_LE:
        return EXPR_GE;
    case EXPR_LT:
        return EXPR_GT;
    default:
        return op;
    }
}

static status asof_wrong(const asof *a, const expr *e)
{
    int32_t location = e->position >= 0 ? e->position : a->sides->tree->location;
    return status_hint(bind_error(a->b, STATUS_KIND_INVALID, location,
                                  "this condition of ASOF JOIN is not supported"),
                       "ASOF JOIN takes equalities between the sides and one inequality, like l.k "
                       "= r.k AND l.t >= r.t");
}

static status take_condition(asof *a, expr *e)
{
    if (e->kind == EXPR_CALL && e->op == EXPR_AND) {
        for (uint32_t i = 0; i < e->arg_count; i++)
            TRY(take_condition(a, e->args[i]));
        return STATUS_OK;
    }
    bool is_comparison = e->kind == EXPR_CALL && e->arg_count == 2 &&
                         (e->op == EXPR_EQ || bind_asof_turned(e->op) != e->op);
    if (!is_comparison)
        return asof_wrong(a, e);
    bool is_straight = is_of_left_alone(a, e->args[0]) && is_of_right_alone(a, e->args[1]);
    if (!is_straight && !(is_of_right_alone(a, e->args[0]) && is_of_left_alone(a, e->args[1])))
        return asof_wrong(a, e);
    if (e->op == EXPR_EQ) {
        TRY(array_push(a->b->memory, &a->equal, e));
        return array_push(a->b->memory, &a->keys, e->args[is_straight ? 1 : 0]);
    }
    if (a->left)
        return asof_wrong(a, e);
    a->op = is_straight ? e->op : bind_asof_turned(e->op);
    a->left = e->args[is_straight ? 0 : 1];
    a->right = e->args[is_straight ? 1 : 0];
    return STATUS_OK;
}

/* ---- ranges ---- */

/* A type with room for more than the values of this one; false: there is none. */
static bool wider_type(data_type type, data_type *out)
{
    *out = type;
    if (type_is_integer(type))
        *out = type.width < 8 ? type_make(TYPE_INT64) : type_decimal(21, 0);
    else if (type.id == TYPE_FLOAT)
        *out = type_make(TYPE_DOUBLE);
    else if (type.id == TYPE_DECIMAL)
        *out = type_decimal(type.precision + 1u, type.scale);
    return type_is_integer(type) || type.id == TYPE_FLOAT || type.id == TYPE_DOUBLE ||
           (type.id == TYPE_DECIMAL && type.precision < 38) || type.id == TYPE_DATE ||
           type.id == TYPE_TIMESTAMP || type.id == TYPE_TIMESTAMP_TZ || type.id == TYPE_TIME;
}

/* A value of the wider type above, or below, all that the other one has. */
static value outermost(data_type type, bool is_above)
{
    value v = {.type = type};
    int128 limit = 1;
    switch (type.id) {
    case TYPE_DECIMAL:
        for (unsigned i = 1; i < type.precision; i++)
            limit *= 10;
        return value_decimal(is_above ? limit : -limit, type);
    case TYPE_DOUBLE:
        v.f64 = is_above ? (double)NAN : -(double)INFINITY;
        return v;
    case TYPE_DATE:
        v.i64 = is_above ? INT32_MAX : INT32_MIN;
        return v;
    default:
        v.i64 = is_above ? INT64_MAX : INT64_MIN;
        return v;
    }
}

static bool has_infinity(data_type type)
{
    return type_is_time(type) && type.id != TYPE_TIME;
}

/* Tells whether the ranges have both their ends: of doubles that begin with their row's own value, and of times where the last
 * one may be infinite. */
static bool has_closed_ends(const asof *a)
{
    bool is_double = a->right->type.id == TYPE_DOUBLE;
    return ((is_double || has_infinity(a->right->type)) && a->op == EXPR_GE) ||
           (is_double && a->op == EXPR_LE);
}

/* Makes the value by which the range of the neighbour ends; NULL: the neighbour's range is empty. */
static status asof_end(asof *a, expr **out)
{
    static const char
        before[] = "CASE WHEN $1 = 'NaN' THEN 'Infinity'::double precision WHEN $1 > '-Infinity' "
                   "THEN nextafter($1, '-Infinity') END",
        after[] = "CASE WHEN $1 = 'Infinity' THEN 'NaN'::double precision WHEN $1 < 'Infinity' "
                  "THEN nextafter($1, 'Infinity') END";
    bind_scope none = {0};
    FuncCall place = {.location = a->sides->tree->location};
    expr *argument = expr_copy(a->b->memory, a->right);
    made_call made = {.tree = &place, .args = &argument, .count = 1};
    const Node *tree;
    if (!argument)
        return bind_no_memory();
    *out = argument;
    if (!has_closed_ends(a))
        return STATUS_OK;
    if (has_infinity(argument->type))
        return bind_call1(a->b, EXPR_PREVIOUS, argument->type, argument, -1, out);
    TRY(made_parse(a->b, &made, a->op == EXPR_GE ? before : after, &tree));
    return bind_expr(a->b, tree, &none, out);
}

/* Adds the call that gives the end of a right row's range, which its neighbour's value says. */
static status asof_neighbour(asof *a, bool is_after, bind_scope *scope, plan_column *out)
{
    binder *b = a->b;
    value one = value_int(TYPE_INT64, 1), end = outermost(a->right->type, is_after);
    bind_window window = {.partition = a->keys};
    plan_sort_key key = {.key = expr_copy(b->memory, a->right)};
    expr *argument;
    if (!key.key)
        return bind_no_memory();
    TRY(asof_end(a, &argument));
    window.call = (plan_window_call){
        .function = is_after ? WINDOW_LEAD : WINDOW_LAG, .arg_count = 3, .position = -1};
    window.call.args[0] = argument;
    TRY(bind_constant(b, &one, -1, &window.call.args[1]));
    TRY(bind_constant(b, &end, -1, &window.call.args[2]));
    TRY(array_push(b->memory, &window.order, key));
    window.column = (plan_column){
        .id = bind_new_id(b), .name = "neighbour", .type = a->right->type, .is_nullable = true};
    *out = window.column;
    TRY(array_push(b->memory, &b->statement->range_ends, window.column.id));
    return array_push(b->memory, &scope->windows, window);
}

/* Rows without a value are in no range, and would end that of another. */
static status bind_asof_drop_nulls(asof *a)
{
    expr *copy = expr_copy(a->b->memory, a->right), *condition;
    if (!copy)
        return bind_no_memory();
    if (!copy->is_nullable)
        return STATUS_OK;
    TRY(bind_call1(a->b, EXPR_IS_NOT_NULL, type_make(TYPE_BOOL), copy, -1, &condition));
    return bind_filter(a->b, a->sides->right_node, condition, &a->sides->right_node);
}

static status bind_asof_copy_keys(asof *a)
{
    expr_list copies = {0};
    for (size_t i = 0; i < a->keys.count; i++) {
        expr *copy = expr_copy(a->b->memory, a->keys.items[i]);
        if (!copy)
            return bind_no_memory();
        TRY(array_push(a->b->memory, &copies, copy));
    }
    a->keys = copies;
    return STATUS_OK;
}

static status range_condition(asof *a, const plan_column *neighbour)
{
    static const expr_op ends[] = {
        [EXPR_GE] = EXPR_LT, [EXPR_GT] = EXPR_LE, [EXPR_LE] = EXPR_GT, [EXPR_LT] = EXPR_GE};
    binder *b = a->b;
    expr *begin, *end, *again = expr_copy(b->memory, a->left),
                       *until = bind_column_expr(b, neighbour);
    if (!again || !until)
        return bind_no_memory();
    TRY(bind_comparison(b, a->op, a->left, a->right, -1, &begin));
    expr_op is_within = has_closed_ends(a) ? bind_asof_turned(a->op) : ends[a->op];
    TRY(bind_comparison(b, is_within, again, until, -1, &end));
    TRY(array_push(b->memory, &a->equal, begin));
    TRY(array_push(b->memory, &a->equal, end));
    return bind_call(b, EXPR_AND, type_make(TYPE_BOOL), a->equal.items, (uint32_t)a->equal.count,
                     -1, &a->sides->condition);
}

status bind_asof(binder *b, bind_asof_sides *sides)
{
    asof a = {.b = b, .sides = sides};
    bind_scope windows = {0};
    plan_column neighbour;
    data_type wider;
    char name[TYPE_NAME_BYTES];
    int32_t location = sides->tree->location;
    if (sides->type != JOIN_INNER && sides->type != JOIN_LEFT)
        return bind_unsupported(b, location, "ASOF RIGHT and ASOF FULL JOIN are");
    if (sides->condition)
        TRY(take_condition(&a, sides->condition));
    if (!a.left)
        return bind_error(b, STATUS_KIND_INVALID, location,
                          "ASOF JOIN needs an inequality between its sides, like l.t >= r.t");
    if (!wider_type(a.right->type, &wider))
        return bind_error(b, STATUS_KIND_UNSUPPORTED, location,
                          "ASOF JOIN by values of type %s is not supported",
                          type_name(a.right->type, name));
    TRY(bind_cast(b, a.left, wider, -1, &a.left));
    TRY(bind_cast(b, a.right, wider, -1, &a.right));
    TRY(bind_asof_drop_nulls(&a));
    TRY(bind_asof_copy_keys(&a));
    TRY(asof_neighbour(&a, a.op == EXPR_GE || a.op == EXPR_GT, &windows, &neighbour));
    TRY(bind_windows(b, &windows, &sides->right_node));
    return range_condition(&a, &neighbour);
}

/* ---- POSITIONAL JOIN ---- */

status bind_positional(binder *b, bind_asof_sides *sides)
{
    expr *left, *right;
    TRY(bind_row_number(b, &sides->left_node, &left));
    TRY(bind_row_number(b, &sides->right_node, &right));
    return bind_comparison(b, EXPR_EQ, left, right, -1, &sides->condition);
}
