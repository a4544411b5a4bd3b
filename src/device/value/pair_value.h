/* pair_value.h - sums of squared distances from the means and of their products, of pairs (x, y): what the
 * kernels of every device do with a row, a state and a result. */
#ifndef PISTACHIO_DEVICE_VALUE_PAIR_VALUE_H
#define PISTACHIO_DEVICE_VALUE_PAIR_VALUE_H

#include "base/type/portable.h"
#include "device/kernels/aggregate_state.h"

#include <math.h>

/* Welford's step, with one division, which waits for no earlier row. */
PORTABLE void pair_add(aggregate_pair *s, double x, double y)
{
    if (!s->count) {
        s->first_x = x;
        s->first_y = y;
    }
    x -= s->first_x;
    y -= s->first_y;
    double part = 1 / (double)++s->count, dx = x - s->mean_x, dy = y - s->mean_y;
    s->mean_x += dx * part;
    s->mean_y += dy * part;
    double left = y - s->mean_y;
    s->xx += dx * (x - s->mean_x);
    s->yy += dy * left;
    s->xy += dx * left;
}

/* As Chan, Golub, LeVeque do it. */
PORTABLE void pair_merge(aggregate_pair *s, const aggregate_pair *other)
{
    if (!other->count)
        return;
    if (!s->count) {
        *s = *other;
        return;
    }
    double n = (double)s->count, m = (double)other->count, part = m / (n + m), weight = n * part;
    double dx = other->first_x - s->first_x + (other->mean_x - s->mean_x);
    double dy = other->first_y - s->first_y + (other->mean_y - s->mean_y);
    s->mean_x += dx * part;
    s->mean_y += dy * part;
    s->xx += other->xx + dx * dx * weight;
    s->yy += other->yy + dy * dy * weight;
    s->xy += other->xy + dx * dy * weight;
    s->count += other->count;
}

/* Rounding makes it no greater than 1; of numbers whose product is out of range it is that of the roots. */
PORTABLE double pair_correlation(const aggregate_pair *s)
{
    double product = s->xx * s->yy;
    bool is_in_range = product > 0x1p-1000 && product < 0x1p1000;
    double r = s->xy / (is_in_range ? sqrt(product) : sqrt(s->xx) * sqrt(s->yy));
    return r > 1 ? 1 : r < -1 ? -1 : r;
}

/* One of aggregate_result from CORR on, but PAIRS. False: NULL. */
PORTABLE bool pair_result(const aggregate_pair *s, int result, double *out)
{
    double n = (double)s->count;
    switch (result) {
    case AGGREGATE_RESULT_CORR:
        *out = pair_correlation(s);
        return s->count && s->xx != 0 && s->yy != 0;
    case AGGREGATE_RESULT_COVAR_POP:
        *out = s->xy / n;
        return s->count > 0;
    case AGGREGATE_RESULT_COVAR_SAMP:
        *out = s->xy / (n - 1);
        return s->count > 1;
    case AGGREGATE_RESULT_REGR_AVGX:
        *out = s->first_x + s->mean_x;
        return s->count > 0;
    case AGGREGATE_RESULT_REGR_AVGY:
        *out = s->first_y + s->mean_y;
        return s->count > 0;
    case AGGREGATE_RESULT_REGR_SXX:
        *out = s->xx;
        return s->count > 0;
    case AGGREGATE_RESULT_REGR_SYY:
        *out = s->yy;
        return s->count > 0;
    case AGGREGATE_RESULT_REGR_SXY:
        *out = s->xy;
        return s->count > 0;
    case AGGREGATE_RESULT_REGR_SLOPE:
        *out = s->xy / s->xx;
        return s->count && s->xx != 0;
    case AGGREGATE_RESULT_REGR_INTERCEPT:
        *out = s->first_y + s->mean_y - s->xy / s->xx * (s->first_x + s->mean_x);
        return s->count && s->xx != 0;
    default: /* REGR_R2 */
        *out = s->yy == 0 ? 1 : s->xy / s->xx * (s->xy / s->yy);
        return s->count && s->xx != 0;
    }
}

#endif
