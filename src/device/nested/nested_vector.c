/* nested_vector.c - products and distances of two lists of floats or doubles, over their elements as they lie.
 *
 * Sums have several lanes, so that the compiler makes vectors of them: an order of adding of its own, the same for all
 * rows. */
#include "device/nested/nested_build.h"

#include <math.h>

enum { LANES = 16 };

#define VECTOR_SUMS(name, number)                                                                  \
    static number name##_product(const number *x, const number *y, uint32_t count)                 \
    {                                                                                              \
        number lanes[LANES] = {0}, sum = 0;                                                        \
        uint32_t i = 0;                                                                            \
        for (; i + LANES <= count; i += LANES)                                                     \
            for (int k = 0; k < LANES; k++)                                                        \
                lanes[k] += x[i + k] * y[i + k];                                                   \
        for (; i < count; i++)                                                                     \
            lanes[i % LANES] += x[i] * y[i];                                                       \
        for (int k = 0; k < LANES; k++)                                                            \
            sum += lanes[k];                                                                       \
        return sum;                                                                                \
    }                                                                                              \
    static number name##_squares(const number *x, const number *y, uint32_t count)                 \
    {                                                                                              \
        number lanes[LANES] = {0}, sum = 0;                                                        \
        uint32_t i = 0;                                                                            \
        for (; i + LANES <= count; i += LANES)                                                     \
            for (int k = 0; k < LANES; k++)                                                        \
                lanes[k] += (x[i + k] - y[i + k]) * (x[i + k] - y[i + k]);                         \
        for (; i < count; i++)                                                                     \
            lanes[i % LANES] += (x[i] - y[i]) * (x[i] - y[i]);                                     \
        for (int k = 0; k < LANES; k++)                                                            \
            sum += lanes[k];                                                                       \
        return sum;                                                                                \
    }                                                                                              \
    static double name##_of(vector_function function, const number *x, const number *y,            \
                            uint32_t count)                                                        \
    {                                                                                              \
        if (function == VECTOR_DISTANCE)                                                           \
            return sqrt((double)name##_squares(x, y, count));                                      \
        double product = (double)name##_product(x, y, count);                                      \
        if (function == VECTOR_PRODUCT)                                                            \
            return product;                                                                        \
        double left = (double)name##_product(x, x, count),                                         \
               right = (double)name##_product(y, y, count);                                        \
        return cosine_of(product, left, right);                                                    \
    }

typedef enum vector_function { VECTOR_PRODUCT, VECTOR_DISTANCE, VECTOR_COSINE } vector_function;

/* The cosine of the angle between vectors of these products; NaN if one has no length. */
static double cosine_of(double product, double left, double right)
{
    double cosine = product / (sqrt(left) * sqrt(right));
    return cosine > 1 ? 1 : cosine < -1 ? -1 : cosine;
}

VECTOR_SUMS(doubles, double)
VECTOR_SUMS(floats, float)

static bool has_null(const tensor *child, nested_value list)
{
    for (uint32_t k = 0; child->validity && k < list.length; k++)
        if (!nested_is_valid(child, (uint64_t)list.offset + k))
            return true;
    return false;
}

static status check_pair(tensor *const children[2], nested_value left, nested_value right)
{
    if (left.length != right.length)
        return status_new(STATUS_KIND_DATA,
                          "lists of %u and %u elements have no distance or product: both need as "
                          "many",
                          left.length, right.length);
    if (has_null(children[0], left) || has_null(children[1], right))
        return status_new(STATUS_KIND_DATA,
                          "a list with NULL among its elements has no distance or product");
    return STATUS_OK;
}

static void put_vector(const nested_args *c, vector_function function, tensor *const children[2],
                       uint64_t row, tensor *result)
{
    nested_value left = nested_pair(c->args[0], row), right = nested_pair(c->args[1], row);
    if (c->type.id == TYPE_FLOAT)
        ((float *)result->values)[row] =
            (float)floats_of(function, (const float *)children[0]->values + left.offset,
                             (const float *)children[1]->values + right.offset, left.length);
    else
        ((double *)result->values)[row] =
            doubles_of(function, (const double *)children[0]->values + left.offset,
                       (const double *)children[1]->values + right.offset, left.length);
}

static status vector_rows(const nested_args *c, vector_function function, tensor **out)
{
    tensor *children[2] = {NULL, NULL};
    status st = nested_new(c, c->type, true, out);
    for (int k = 0; k < 2 && !st; k++)
        st = nested_child_flat(c->stream, c->args[k], 0, &children[k]);
    for (uint64_t i = 0; i < c->count && !st; i++) {
        if (!nested_row_is_valid(c, i)) {
            nested_put_null(*out, i);
            continue;
        }
        st = check_pair(children, nested_pair(c->args[0], i), nested_pair(c->args[1], i));
        if (!st)
            put_vector(c, function, children, i, *out);
        if (!st && cancel_look(i))
            st = cancel_check();
    }
    tensor_unref(children[0]);
    tensor_unref(children[1]);
    return st;
}

status compute_inner_product(const nested_args *c, tensor **out)
{
    return vector_rows(c, VECTOR_PRODUCT, out);
}

status compute_distance(const nested_args *c, tensor **out)
{
    return vector_rows(c, VECTOR_DISTANCE, out);
}

status compute_cosine(const nested_args *c, tensor **out)
{
    return vector_rows(c, VECTOR_COSINE, out);
}
