/* runtime_bound.c - a bound's values, and conditions made of them. */
#include "exec/sched/runtime_bound.h"

#include "base/system/mutex.h"

struct bound_values {
    _Atomic uint32_t references;
    arena *memory;
    uint64_t version;
    uint32_t count;
    value *items;
};

void runtime_bound_init(runtime_bound *bound)
{
    mutex_init(&bound->lock);
}

void runtime_bound_release(runtime_bound *bound)
{
    bound_values_unref(bound->values);
    bound->values = NULL;
    mutex_destroy(&bound->lock);
}

void bound_values_unref(bound_values *values)
{
    if (values && atomic_fetch_sub(&values->references, 1) == 1)
        arena_free(values->memory);
}

uint64_t bound_values_version(const bound_values *values)
{
    return values->version;
}

uint64_t runtime_bound_version(const runtime_bound *bound)
{
    return atomic_load_explicit(&bound->version, memory_order_acquire);
}

bound_values *runtime_bound_get(runtime_bound *bound)
{
    if (!runtime_bound_version(bound))
        return NULL;
    mutex_lock(&bound->lock);
    bound_values *values = bound->values;
    atomic_fetch_add(&values->references, 1);
    mutex_unlock(&bound->lock);
    return values;
}

/* Below zero: the first comes first. */
static int runtime_bound_compare_values(const plan_sort_key *key, const value *a, const value *b)
{
    if (a->is_null || b->is_null)
        return a->is_null == b->is_null ? 0 : a->is_null == key->nulls_first ? -1 : 1;
    int order = value_compare(a, b);
    return key->is_descending ? -order : order;
}

int bound_compare(const plan_sort_key *keys, const value *a, const value *b, uint32_t count)
{
    int order = 0;
    for (uint32_t k = 0; k < count && !order; k++)
        order = runtime_bound_compare_values(&keys[k], &a[k], &b[k]);
    return order;
}

static status runtime_bound_copy_values(arena *a, const value *from, uint32_t count,
                                        bound_values **out)
{
    bound_values *v = arena_alloc(a, sizeof *v);
    if (!v)
        return status_no_memory("sort", sizeof *v);
    *v = (bound_values){.references = 1, .memory = a, .count = count};
    v->items = arena_alloc_array(a, count, sizeof *v->items);
    if (!v->items)
        return status_no_memory("sort", count * sizeof *v->items);
    for (uint32_t k = 0; k < count; k++) {
        v->items[k] = from[k];
        if (from[k].is_null || !type_is_text(from[k].type))
            continue;
        v->items[k].text = arena_copy_text(a, from[k].text, from[k].bytes);
        if (!v->items[k].text)
            return status_no_memory("sort", from[k].bytes);
    }
    *out = v;
    return STATUS_OK;
}

status runtime_bound_tighten(runtime_bound *bound, const plan_sort_key *keys, const value *values,
                             uint32_t count)
{
    arena *memory;
    bound_values *made = NULL;
    TRY(arena_new(&memory));
    status st = runtime_bound_copy_values(memory, values, count, &made);
    if (st) {
        arena_free(memory);
        return st;
    }
    mutex_lock(&bound->lock);
    if (!bound->values || bound_compare(keys, values, bound->values->items, count) < 0) {
        bound_values *before = bound->values;
        made->version = bound->version + 1;
        bound->values = made;
        made = before;
        atomic_fetch_add_explicit(&bound->version, 1, memory_order_release);
    }
    mutex_unlock(&bound->lock);
    bound_values_unref(made);
    return STATUS_OK;
}

/* ---- conditions: NULL stands for false ---- */

typedef struct condition_maker {
    arena *memory;
    bool has_failed;
} condition_maker;

static expr *make_call(condition_maker *m, expr_op op, expr *left, expr *right)
{
    expr *args[] = {left, right}, *e = NULL;
    if (left)
        e = expr_new_call(m->memory, op, type_make(TYPE_BOOL), args, right ? 2 : 1, -1);
    m->has_failed |= !e;
    return e;
}

static expr *make_or(condition_maker *m, expr *left, expr *right)
{
    return left && right ? make_call(m, EXPR_OR, left, right) : left ? left : right;
}

static expr *runtime_bound_make_column(condition_maker *m, const bound_key *key)
{
    expr *e = expr_new_column(m->memory, key->column_id, key->type, true, NULL);
    m->has_failed |= !e;
    return e;
}

static expr *make_comparison(condition_maker *m, expr_op op, const bound_key *key, const value *v)
{
    value of_key = key->type.id == TYPE_DECIMAL ? value_decimal(value_int128(v), key->type) : *v;
    expr *constant = expr_new_constant(m->memory, &of_key, -1);
    m->has_failed |= !constant;
    return make_call(m, op, runtime_bound_make_column(m, key), constant);
}

/* The key comes before the value, or, or_equal, is equal. */
static expr *make_before(condition_maker *m, const bound_key *key, const value *v, bool or_equal)
{
    if (v->is_null && key->nulls_first)
        return or_equal ? make_call(m, EXPR_IS_NULL, runtime_bound_make_column(m, key), NULL)
                        : NULL;
    if (v->is_null)
        return make_call(m, EXPR_IS_NOT_NULL, runtime_bound_make_column(m, key), NULL);
    expr_op op = key->is_descending ? (or_equal ? EXPR_GE : EXPR_GT) : or_equal ? EXPR_LE : EXPR_LT;
    expr *before = make_comparison(m, op, key, v);
    if (!key->nulls_first)
        return before;
    return make_or(m, before, make_call(m, EXPR_IS_NULL, runtime_bound_make_column(m, key), NULL));
}

static expr *make_equal(condition_maker *m, const bound_key *key, const value *v)
{
    if (v->is_null)
        return make_call(m, EXPR_IS_NULL, runtime_bound_make_column(m, key), NULL);
    return make_comparison(m, EXPR_EQ, key, v);
}

/* Returns whether the bound is a NULL and NULLs are last: nothing comes after it then. */
static bool runtime_bound_is_open(const bound_key *key, const value *v)
{
    return v->is_null && !key->nulls_first;
}

status bound_condition(arena *a, const bound_values *values, const bound_key *keys, uint32_t count,
                       bool has_all_keys, expr **out)
{
    condition_maker m = {.memory = a};
    expr *rest = NULL;
    *out = NULL;
    if (!has_all_keys && runtime_bound_is_open(&keys[count - 1], &values->items[count - 1])) {
        count--; /* all of that key are wanted: it is as if the rows did not have it */
        while (count && runtime_bound_is_open(&keys[count - 1], &values->items[count - 1]))
            count--;
    }
    for (uint32_t k = count; k-- > 0 && !m.has_failed;) {
        const value *v = &values->items[k];
        bool is_last = k + 1 == count;
        expr *before = make_before(&m, &keys[k], v, is_last && !has_all_keys);
        expr *equal = rest ? make_equal(&m, &keys[k], v) : NULL;
        rest = rest ? make_or(&m, before, make_call(&m, EXPR_AND, equal, rest)) : before;
    }
    *out = rest;
    return m.has_failed ? status_no_memory("sort", sizeof(expr)) : STATUS_OK;
}
