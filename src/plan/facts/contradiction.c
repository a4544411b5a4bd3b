/* contradiction.c - conjunctions that no row can meet.
 *
 * What the conditions say of one expression, their subject, is put together:
 *
 *     x >= 2 and x <= 1                      bounds that leave nothing
 *     x in (1, 2) and (x > 5 or x = 3)       a list of which no value passes the others
 *     x = 1 and x is null                    a value and none
 *     p and not p
 *
 * Bounds are in the order of comparisons, where NaN is above all numbers and both zeros are one. */
#include "plan/facts/contradiction.h"

#include "plan/tree/function.h"

/* More conditions, or a longer list, are left to whoever checks the rows. */
#define CONDITIONS_MOST 64
#define LIST_MOST 1000

typedef struct bound {
    const value *value; /* NULL: none */
    bool is_open;       /* the value itself does not pass */
} bound;

/* Values that pass the conditions on one subject that have been looked at. */
typedef struct domain {
    const expr *subject;
    bool may_be_null, may_be_value;
    bound least, greatest;
    const expr *list; /* the shortest IN list that it is in; NULL: none */
} domain;

static bool is_call(const expr *e, expr_op op)
{
    return e->kind == EXPR_CALL && e->op == op;
}

/* ---- the kinds of conditions ---- */

/* subject IN (constants of its type, or NULLs). */
static bool contradiction_is_list(const expr *e)
{
    if (!is_call(e, EXPR_IN_LIST))
        return false;
    for (uint32_t i = 1; i < e->arg_count; i++)
        if (e->args[i]->kind != EXPR_CONSTANT || !type_equal(e->args[i]->type, e->args[0]->type))
            return false;
    return true;
}

static bool is_comparison(const expr *e, const expr **out_subject, expr_op *out_op,
                          const value **out_constant)
{
    return expr_comparison(e, out_subject, out_op, out_constant) &&
           type_equal((*out_subject)->type, (*out_constant)->type);
}

/* Returns the subject of a condition, or NULL. */
static const expr *subject_of(const expr *e)
{
    const expr *subject;
    const value *constant;
    expr_op op;
    if (is_comparison(e, &subject, &op, &constant))
        return subject;
    if (is_call(e, EXPR_IS_NULL) || is_call(e, EXPR_IS_NOT_NULL) || contradiction_is_list(e))
        return e->args[0];
    return is_call(e, EXPR_NOT) && contradiction_is_list(e->args[0]) ? e->args[0]->args[0] : NULL;
}

static bool is_of_interest(const expr *subject)
{
    bool is_ordered = value_has_range(subject->type) || subject->type.id == TYPE_BOOL;
    return is_ordered && subject->kind != EXPR_CONSTANT && !expr_is_volatile(subject);
}

/* ---- bounds ---- */

static void raise_least(bound *least, const value *v, bool is_open)
{
    int order = least->value ? value_compare(v, least->value) : 1;
    if (order > 0)
        *least = (bound){v, is_open};
    else if (!order)
        least->is_open |= is_open;
}

static void lower_greatest(bound *greatest, const value *v, bool is_open)
{
    int order = greatest->value ? value_compare(v, greatest->value) : -1;
    if (order < 0)
        *greatest = (bound){v, is_open};
    else if (!order)
        greatest->is_open |= is_open;
}

static void contradiction_compare(domain *d, expr_op op, const value *constant)
{
    d->may_be_null = false;
    if (constant->is_null)
        d->may_be_value = false;
    else if (op == EXPR_GT || op == EXPR_GE || op == EXPR_EQ)
        raise_least(&d->least, constant, op == EXPR_GT);
    if (!constant->is_null && (op == EXPR_LT || op == EXPR_LE || op == EXPR_EQ))
        lower_greatest(&d->greatest, constant, op == EXPR_LT);
}

/* Whole numbers, of which none lies between two neighbours: decimals, days and ticks are. */
static bool is_counted(data_type type)
{
    return type_is_integer(type) || type.id == TYPE_DECIMAL || type_is_time(type);
}

static bool contradiction_lies_within(const domain *d, const value *v)
{
    int above = d->least.value ? value_compare(v, d->least.value) : 1;
    int below = d->greatest.value ? value_compare(v, d->greatest.value) : -1;
    return (above > 0 || (!above && !d->least.is_open)) &&
           (below < 0 || (!below && !d->greatest.is_open));
}

static bool are_bounds_apart(const domain *d)
{
    const bound *least = &d->least, *greatest = &d->greatest;
    if (!least->value || !greatest->value)
        return false;
    int order = value_compare(least->value, greatest->value);
    if (order >= 0 || !least->is_open || !greatest->is_open || !is_counted(d->subject->type))
        return order > 0 || (!order && (least->is_open || greatest->is_open));
    return value_int128(least->value) + 1 == value_int128(greatest->value);
}

/* ---- single values ---- */

static bool contradiction_has_value(const expr *list, const value *v)
{
    for (uint32_t i = 1; i < list->arg_count; i++)
        if (!list->args[i]->constant.is_null && !value_compare(&list->args[i]->constant, v))
            return true;
    return false;
}

/* A column is taken to have one value. */
typedef struct assumption {
    uint32_t column_id;
    value_range range;
    value_range_column *column; /* of the others */
    void *context;
} assumption;

static value_range assumed_range(uint32_t id, void *context)
{
    const assumption *a = context;
    return id == a->column_id ? a->range : a->column(id, a->context);
}

/* May a condition on the subject be true where it has this value, which lies within the bounds? */
static bool may_hold(const expr *e, const value *v)
{
    const expr *subject;
    const value *constant;
    expr_op op;
    if (contradiction_is_list(e))
        return contradiction_has_value(e, v);
    if (is_call(e, EXPR_NOT) && contradiction_is_list(e->args[0]))
        return !contradiction_has_value(e->args[0], v);
    return !is_comparison(e, &subject, &op, &constant) || op != EXPR_NE || constant->is_null ||
           value_compare(v, constant) != 0;
}

/* May all the conditions be true where the subject is this, or NULL? */
static bool may_pass(const domain *d, const expr_list *conditions, const value *v, assumption *a)
{
    a->range = value_range_of_constant(v);
    for (size_t i = 0; i < conditions->count; i++) {
        const expr *e = conditions->items[i], *subject = subject_of(e);
        if (subject && !v->is_null && expr_equal(subject, d->subject) && !may_hold(e, v))
            return false;
        if (d->subject->kind == EXPR_COLUMN && !value_truth_of(e, assumed_range, a).may_be_true)
            return false;
    }
    return true;
}

/* None of the few values that are left passes. */
static bool are_few_in_vain(const domain *d, const expr_list *conditions, assumption *a)
{
    const value none = {.type = d->subject->type, .is_null = true};
    bool is_one =
        d->least.value && d->greatest.value && !value_compare(d->least.value, d->greatest.value);
    if (!d->may_be_value)
        return !may_pass(d, conditions, &none, a);
    if (d->may_be_null || !(d->list || is_one))
        return false;
    for (uint32_t i = 1; d->list && i < d->list->arg_count; i++) {
        const value *v = &d->list->args[i]->constant;
        if (!v->is_null && contradiction_lies_within(d, v) && may_pass(d, conditions, v, a))
            return false;
    }
    return d->list || !may_pass(d, conditions, d->least.value, a);
}

/* ---- a subject ---- */

static void contradiction_narrow(domain *d, const expr *e)
{
    const expr *subject;
    const value *constant;
    expr_op op;
    if (is_comparison(e, &subject, &op, &constant)) {
        contradiction_compare(d, op, constant);
    } else if (is_call(e, EXPR_IS_NULL)) {
        d->may_be_value = false;
    } else if (is_call(e, EXPR_IS_NOT_NULL)) {
        d->may_be_null = false;
    } else if (contradiction_is_list(e)) {
        d->may_be_null = false;
        if (e->arg_count <= LIST_MOST && (!d->list || e->arg_count < d->list->arg_count))
            d->list = e;
    } else if (is_call(e, EXPR_NOT) && contradiction_is_list(e->args[0])) {
        d->may_be_null = false;
    }
}

static bool contradict_about(const expr *subject, const expr_list *conditions, assumption *a)
{
    domain d = {.subject = subject, .may_be_null = true, .may_be_value = true};
    for (size_t i = 0; i < conditions->count; i++) {
        const expr *other = subject_of(conditions->items[i]);
        if (other && expr_equal(other, subject))
            contradiction_narrow(&d, conditions->items[i]);
    }
    a->column_id = subject->kind == EXPR_COLUMN ? subject->column_id : 0;
    if (!d.may_be_null && (!d.may_be_value || are_bounds_apart(&d)))
        return true;
    return are_few_in_vain(&d, conditions, a);
}

/* ---- all of them ---- */

static bool is_negated(const expr *e, const expr_list *conditions)
{
    if (!is_call(e, EXPR_NOT) || expr_is_volatile(e))
        return false;
    for (size_t i = 0; i < conditions->count; i++)
        if (expr_equal(conditions->items[i], e->args[0]))
            return true;
    return false;
}

bool plan_conditions_contradict(const expr_list *conditions, value_range_column *column,
                                void *context)
{
    assumption a = {.column = column, .context = context};
    if (conditions->count < 2 || conditions->count > CONDITIONS_MOST)
        return false;
    for (size_t i = 0; i < conditions->count; i++) {
        const expr *subject = subject_of(conditions->items[i]);
        bool is_known = !subject || !is_of_interest(subject);
        for (size_t j = 0; j < i && !is_known; j++) {
            const expr *other = subject_of(conditions->items[j]);
            is_known = other && expr_equal(other, subject);
        }
        if ((!is_known && contradict_about(subject, conditions, &a)) ||
            is_negated(conditions->items[i], conditions))
            return true;
    }
    return false;
}
