/* nested_number.c - sums, averages, numbers and extremes of the elements of lists. NULLs are passed over; of no element
 * they are NULL, and the number 0. */
#include "device/nested/nested_build.h"
#include "device/nested/nested_order.h"

/* Sums as doubles or, of decimals, exactly. */
typedef struct list_sum {
    double real;
    int128 exact;
    uint64_t count;
    bool overflows;
} list_sum;

static list_sum sum_of(const tensor *child, nested_value list)
{
    list_sum s = {0};
    for (uint64_t at = list.offset; at < (uint64_t)list.offset + list.length; at++) {
        if (!nested_is_valid(child, at))
            continue;
        s.count++;
        if (child->type.id == TYPE_DOUBLE)
            s.real += ((const double *)child->values)[at];
        else if (child->type.width == 8)
            s.overflows |=
                __builtin_add_overflow(s.exact, ((const int64_t *)child->values)[at], &s.exact);
        else
            s.overflows |=
                __builtin_add_overflow(s.exact, ((const int128 *)child->values)[at], &s.exact);
    }
    return s;
}

static status put_sum(const nested_args *c, tensor *result, uint64_t row, list_sum s)
{
    int128 most = DECIMAL_MAX;
    if (c->type.id == TYPE_DOUBLE) {
        ((double *)result->values)[row] = s.real;
        return STATUS_OK;
    }
    if (s.overflows || s.exact > most || s.exact < -most)
        return status_new(STATUS_KIND_DATA, "the sum of a list has more than 38 digits");
    ((int128 *)result->values)[row] = s.exact;
    return STATUS_OK;
}

/* The elements are doubles, and so is the result; or decimals, and the result is one of 16 bytes. */
status compute_sum(const nested_args *c, tensor **out)
{
    tensor *child;
    status st = nested_new(c, c->type, true, out);
    TRY(st);
    TRY(nested_child_flat(c->stream, c->args[0], 0, &child));
    for (uint64_t i = 0; i < c->count && !st; i++) {
        list_sum s = sum_of(child, nested_pair(c->args[0], i));
        if (s.count)
            st = put_sum(c, *out, i, s);
        else
            nested_put_null(*out, i);
    }
    tensor_unref(child);
    return st;
}

/* The elements are doubles. */
status compute_average(const nested_args *c, tensor **out)
{
    tensor *child;
    TRY(nested_new(c, c->type, true, out));
    TRY(nested_child_flat(c->stream, c->args[0], 0, &child));
    for (uint64_t i = 0; i < c->count; i++) {
        list_sum s = sum_of(child, nested_pair(c->args[0], i));
        if (s.count)
            ((double *)(*out)->values)[i] = s.real / (double)s.count;
        else
            nested_put_null(*out, i);
    }
    tensor_unref(child);
    return STATUS_OK;
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
