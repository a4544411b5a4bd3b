/* nested_number.c - sums, averages, numbers and extremes of the elements of lists. NULLs are passed over; of no element
 * they are NULL, and the number 0. */
#include "device/nested/nested_build.h"
#include "device/nested/nested_order.h"

/* A list's sum: a double or, of integers and decimals, exact. */
typedef struct list_sum {
    double real;
    int128 exact;
    uint64_t count;
    bool overflows;
} list_sum;

typedef void (*sum_function)(const tensor *child, nested_value list, list_sum *to);

/* Defines a function of lists of numbers, whose sum has the type `wide` and goes to the member. */
#define LIST_SUM(name, number, wide, member)                                                       \
    static void name##_sum(const tensor *child, nested_value list, list_sum *to)                   \
    {                                                                                              \
        const number *values = (const number *)child->values + list.offset;                        \
        wide sum = 0;                                                                              \
        uint64_t count = list.length;                                                              \
        for (uint32_t k = 0; k < list.length; k++) {                                               \
            if (child->validity && !nested_is_valid(child, (uint64_t)list.offset + k))             \
                count--;                                                                           \
            else                                                                                   \
                sum += (wide)values[k];                                                            \
        }                                                                                          \
        to->member = sum;                                                                          \
        to->count = count;                                                                         \
    }

LIST_SUM(int8, int8_t, int64_t, exact)
LIST_SUM(int16, int16_t, int64_t, exact)
LIST_SUM(int32, int32_t, int64_t, exact)
LIST_SUM(int64, int64_t, int128, exact)
LIST_SUM(uint8, uint8_t, int64_t, exact)
LIST_SUM(uint16, uint16_t, int64_t, exact)
LIST_SUM(uint32, uint32_t, int64_t, exact)
LIST_SUM(uint64, uint64_t, int128, exact)
LIST_SUM(real_int8, int8_t, double, real)
LIST_SUM(real_int16, int16_t, double, real)
LIST_SUM(real_int32, int32_t, double, real)
LIST_SUM(real_int64, int64_t, double, real)
LIST_SUM(real_uint8, uint8_t, double, real)
LIST_SUM(real_uint16, uint16_t, double, real)
LIST_SUM(real_uint32, uint32_t, double, real)
LIST_SUM(real_uint64, uint64_t, double, real)
LIST_SUM(float, float, double, real)
LIST_SUM(double, double, double, real)

static void int128_sum(const tensor *child, nested_value list, list_sum *to)
{
    const int128 *values = (const int128 *)child->values + list.offset;
    for (uint32_t k = 0; k < list.length; k++)
        if (nested_is_valid(child, (uint64_t)list.offset + k)) {
            to->count++;
            to->overflows |= __builtin_add_overflow(to->exact, values[k], &to->exact);
        }
}

/* Finds the function for lists of the type; NULL: numbers of the type have no such sum. */
static sum_function sum_of(data_type type, bool is_real)
{
    switch (type.id) {
    case TYPE_INT8:
        return is_real ? real_int8_sum : int8_sum;
    case TYPE_INT16:
        return is_real ? real_int16_sum : int16_sum;
    case TYPE_INT32:
        return is_real ? real_int32_sum : int32_sum;
    case TYPE_INT64:
        return is_real ? real_int64_sum : int64_sum;
    case TYPE_UINT8:
        return is_real ? real_uint8_sum : uint8_sum;
    case TYPE_UINT16:
        return is_real ? real_uint16_sum : uint16_sum;
    case TYPE_UINT32:
        return is_real ? real_uint32_sum : uint32_sum;
    case TYPE_UINT64:
        return is_real ? real_uint64_sum : uint64_sum;
    case TYPE_FLOAT:
        return is_real ? float_sum : NULL;
    case TYPE_DOUBLE:
        return is_real ? double_sum : NULL;
    case TYPE_DECIMAL:
        return is_real ? NULL : type.width == 8 ? int64_sum : int128_sum;
    default:
        return NULL;
    }
}

static status put_sum(const nested_args *c, bool is_average, tensor *result, uint64_t row,
                      const list_sum *s)
{
    int128 most = DECIMAL_MAX;
    if (!s->count) {
        nested_put_null(result, row);
        return STATUS_OK;
    }
    if (c->type.id == TYPE_DOUBLE) {
        ((double *)result->values)[row] = is_average ? s->real / (double)s->count : s->real;
        return STATUS_OK;
    }
    if (s->overflows || s->exact > most || s->exact < -most)
        return status_new(STATUS_KIND_DATA, "the sum of a list has more than 38 digits");
    ((int128 *)result->values)[row] = s->exact;
    return STATUS_OK;
}

/* The result is a double, or a decimal of 16 bytes. */
static status compute_sums(const nested_args *c, bool is_average, tensor **out)
{
    tensor *child;
    TRY(nested_new(c, c->type, true, out));
    TRY(nested_child_flat(c->stream, c->args[0], 0, &child));
    sum_function sum = sum_of(child->type, c->type.id == TYPE_DOUBLE);
    status st =
        sum ? STATUS_OK
            : status_new(STATUS_KIND_INTERNAL, "lists of type %d have no such sum", child->type.id);
    for (uint64_t i = 0; i < c->count && !st; i++) {
        list_sum s = {0};
        sum(child, nested_pair(c->args[0], i), &s);
        st = put_sum(c, is_average, *out, i, &s);
    }
    tensor_unref(child);
    return st ? st : cancel_check();
}

status compute_sum(const nested_args *c, tensor **out)
{
    return compute_sums(c, false, out);
}

status compute_average(const nested_args *c, tensor **out)
{
    return compute_sums(c, true, out);
}

status compute_count(const nested_args *c, tensor **out)
{
    tensor *child;
    TRY(nested_new(c, c->type, true, out));
    TRY(nested_child_flat(c->stream, c->args[0], 0, &child));
    for (uint64_t i = 0; i < c->count; i++) {
        nested_value list = nested_pair(c->args[0], i);
        for (uint32_t k = 0; k < list.length; k++)
            ((int64_t *)(*out)->values)[i] += nested_value_is_valid(child, list.offset + k);
        if (!nested_is_valid(c->args[0], i))
            nested_put_null(*out, i);
    }
    tensor_unref(child);
    return STATUS_OK;
}

static uint32_t find_extreme(const tensor *child, nested_value list, int sign)
{
    uint32_t best = ROW_NULL;
    for (uint32_t k = 0; k < list.length; k++) {
        uint32_t at = list.offset + k;
        if (nested_value_is_valid(child, at) &&
            (best == ROW_NULL || nested_compare(child, at, child, best) * sign > 0))
            best = at;
    }
    return best;
}

static status extreme(const nested_args *c, int sign, tensor **out)
{
    tensor *child;
    nested_index index;
    TRY(nested_child_flat(c->stream, c->args[0], 0, &child));
    status st = nested_index_new(c->stream, c->count, &index);
    for (uint64_t i = 0; i < c->count && !st; i++) {
        uint32_t at = find_extreme(child, nested_pair(c->args[0], i), sign);
        if (at == ROW_NULL)
            nested_index_add_null(&index);
        else
            nested_index_add(&index, at);
    }
    tensor_unref(child);
    if (!st) {
        st = nested_pick(c->stream, c->args[0], 0, index.rows, c->count, out);
        row_index_unref(index.rows);
    }
    return st ? st : cancel_check();
}

status compute_least(const nested_args *c, tensor **out)
{
    return extreme(c, -1, out);
}

status compute_greatest(const nested_args *c, tensor **out)
{
    return extreme(c, 1, out);
}
