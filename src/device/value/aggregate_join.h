/* aggregate_join.h - two states of an aggregate as one: that of the rows of both, those of `left` first. */
#ifndef PISTACHIO_DEVICE_VALUE_AGGREGATE_JOIN_H
#define PISTACHIO_DEVICE_VALUE_AGGREGATE_JOIN_H

#include "base/type/portable.h"
#include "device/kernels/aggregate_state.h"

/* Joins sums; the error keeps what rounding loses (D. Knuth's two-sum). */
PORTABLE aggregate_number number_join(aggregate_number left, aggregate_number right)
{
    aggregate_number joined;
    double sum = left.sum + right.sum, part = sum - left.sum;
    double lost = (left.sum - (sum - part)) + (right.sum - part);
    joined.sum = sum;
    joined.error = left.error + right.error + lost;
    return joined;
}

PORTABLE aggregate_variance variance_join(aggregate_variance left, aggregate_variance right)
{
    if (!left.count || !right.count)
        return left.count ? left : right;
    double n = (double)left.count, m = (double)right.count, delta = right.mean - left.mean;
    aggregate_variance joined;
    joined.mean = left.mean + delta * (m / (n + m));
    joined.squares = left.squares + right.squares + delta * delta * (n * m / (n + m));
    joined.count = left.count + right.count;
    return joined;
}

#endif
