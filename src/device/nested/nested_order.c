/* nested_order.c - see nested_order.h. */
#include "device/nested/nested_order.h"

#include "base/type/nested_type.h"
#include "device/nested.h"
#include "device/tensor_value.h"

/* A row of a FLAT or CONSTANT tensor. */
typedef struct row_place {
    const tensor *t; /* NULL: the value is NULL */
    uint64_t row;
} row_place;

static row_place find_place(const tensor *t, uint64_t row)
{
    if (t->form == TENSOR_INDEXED) {
        row = t->index->rows[row];
        if (row == ROW_NULL)
            return (row_place){0};
        t = t->base;
    }
    bool is_valid = t->form == TENSOR_CONSTANT ? !t->constant.is_null : nested_is_valid(t, row);
    return is_valid && t->type.id != TYPE_NULL ? (row_place){t, row} : (row_place){0};
}

bool nested_value_is_valid(const tensor *t, uint64_t row)
{
    return find_place(t, row).t;
}

static int compare_children(row_place a, nested_value left, row_place b, nested_value right)
{
    const tensor *x = a.t, *y = b.t;
    uint32_t shared = left.length < right.length ? left.length : right.length;
    for (uint32_t i = 0; i < shared; i++)
        for (uint32_t k = 0; k < x->heap->child_count && k < y->heap->child_count; k++) {
            int order = nested_compare(x->heap->children[k], left.offset + i, y->heap->children[k],
                                       right.offset + i);
            if (order)
                return order;
        }
    return left.length < right.length ? -1 : left.length > right.length;
}

static int compare_integers(int64_t left, int64_t right)
{
    return left < right ? -1 : left > right;
}

static int compare_places(row_place a, row_place b)
{
    if (type_is_nested(a.t->type))
        return compare_children(a, ((const nested_value *)a.t->values)[a.row], b,
                                ((const nested_value *)b.t->values)[b.row]);
    if (a.t->form == TENSOR_FLAT && b.t->form == TENSOR_FLAT && a.t->type.id == TYPE_INT32)
        return compare_integers(((const int32_t *)a.t->values)[a.row],
                                ((const int32_t *)b.t->values)[b.row]);
    if (a.t->form == TENSOR_FLAT && b.t->form == TENSOR_FLAT && a.t->type.id == TYPE_INT64)
        return compare_integers(((const int64_t *)a.t->values)[a.row],
                                ((const int64_t *)b.t->values)[b.row]);
    value left = tensor_value(a.t, a.row), right = tensor_value(b.t, b.row);
    return value_compare(&left, &right);
}

int nested_compare(const tensor *left, uint64_t i, const tensor *right, uint64_t k)
{
    row_place a = find_place(left, i), b = find_place(right, k);
    if (!a.t || !b.t)
        return (a.t == NULL) - (b.t == NULL);
    return compare_places(a, b);
}
