/* sketch.c - approx_count_distinct, of two functions around a count of distinct coupons.
 *
 *     value ─ hash ─ bucket (12 bits), rank: leading zeros of the rest ─ coupon: both, a small integer
 *
 * How many different coupons n values draw is known for each n: E(n) = sum over ranks r of k (1 - (1 - 2^-r / k)^n), of
 * k = 4,096 buckets. The estimate is the n whose E(n) is what was counted. Its standard error is 0.693 / sqrt(k) = 1.1%,
 * that of counts below some hundreds much smaller. Coupons are at most about 4,096 (log2(n / 4096) + 2).
 * (Flajolet and Martin, JCSS 1985; Lang, "Back to the Future", 2017.) */
#include "device/host/host.h"

#include <math.h>

#define BUCKET_BITS 12
#define BUCKETS 4096.0
#define RANK_BITS 6
#define FEW_COUPONS 64
#define STEPS_MAX 60

static uint64_t sketch_scramble(uint64_t number)
{
    number = (number ^ number >> 33) * UINT64_C(0xff51afd7ed558ccd);
    number = (number ^ number >> 33) * UINT64_C(0xc4ceb9fe1a85ec53);
    return number ^ number >> 33;
}

static uint64_t sketch_hash_bytes(const char *bytes, size_t count)
{
    uint64_t hash = sketch_scramble(count + 1), word;
    for (; count >= sizeof word; count -= sizeof word, bytes += sizeof word) {
        memcpy(&word, bytes, sizeof word);
        hash = sketch_scramble(hash ^ word) + UINT64_C(0x9e3779b97f4a7c15);
    }
    word = 0;
    memcpy(&word, bytes, count);
    return sketch_scramble(hash ^ word);
}

static uint64_t sketch_hash_wide(int128 number)
{
    return sketch_scramble(sketch_scramble((uint64_t)number) ^
                           (uint64_t)(number >> 64) * UINT64_C(0x9e3779b97f4a7c15));
}

/* Equal numbers are one: 0 and -0, all NaN. */
static uint64_t sketch_hash_double(double number)
{
    uint64_t bits;
    number = number == 0 ? 0 : isnan(number) ? (double)NAN : number;
    memcpy(&bits, &number, sizeof bits);
    return sketch_scramble(bits);
}

/* Intervals are equal where months of 30 days and days of 24 hours make them so. */
static int128 interval_number(const interval_value *v)
{
    return ((int128)v->months * 30 + v->days) * INT64_C(86400000000) + v->microseconds;
}

static uint64_t sketch_hash_value(const host_operand *x, uint64_t at)
{
    switch (x->type.id) {
    case TYPE_BOOL:
        return sketch_scramble(((const uint64_t *)x->values)[at / 64] >> (at % 64) & 1);
    case TYPE_FLOAT:
        return sketch_hash_double(((const float *)x->values)[at]);
    case TYPE_DOUBLE:
        return sketch_hash_double(((const double *)x->values)[at]);
    case TYPE_INTERVAL:
        return sketch_hash_wide(interval_number((const interval_value *)x->values + at));
    case TYPE_VARCHAR:
    case TYPE_BLOB: {
        const string_view *text = (const string_view *)x->values + at;
        return sketch_hash_bytes(string_data(text), text->bytes);
    }
    default:
        break;
    }
    switch (x->type.width) {
    case 1:
        return sketch_hash_wide(((const int8_t *)x->values)[at]);
    case 2:
        return sketch_hash_wide(((const int16_t *)x->values)[at]);
    case 4:
        return sketch_hash_wide(((const int32_t *)x->values)[at]);
    case 8:
        return sketch_hash_wide(((const int64_t *)x->values)[at]);
    default:
        return sketch_hash_wide(((const int128 *)x->values)[at]);
    }
}

status host_coupon(host_call *c, uint64_t row)
{
    const host_operand *x = &c->args[0];
    uint64_t hash = sketch_hash_value(x, row * x->stride);
    uint64_t rest = hash << BUCKET_BITS;
    unsigned rank = rest ? (unsigned)__builtin_clzll(rest) : 64 - BUCKET_BITS;
    host_put_integer(c, row, (int64_t)(hash >> (64 - BUCKET_BITS) << RANK_BITS | rank));
    return STATUS_OK;
}

/* E(n), and how fast it grows. */
static double coupons_of(double n, double *out_slope)
{
    double sum = 0, slope = 0;
    for (int rank = 1; rank <= 64 - BUCKET_BITS; rank++) {
        double never = log1p(-ldexp(1, -rank) / BUCKETS); /* log of: this coupon is not drawn */
        sum -= BUCKETS * expm1(n * never);
        slope -= BUCKETS * never * exp(n * never);
    }
    *out_slope = slope;
    return sum;
}

/* Newton's method on the logarithm of n, in which E is nearly straight where it is not nearly n itself. */
static double sketch_values_of(double coupons)
{
    double n = coupons, slope;
    if (coupons <= FEW_COUPONS) /* E(n) = n - n^2 / 6k + ... */
        return coupons + coupons * coupons / (6 * BUCKETS);
    for (int i = 0; i < STEPS_MAX; i++) {
        double miss = coupons - coupons_of(n, &slope);
        double step = miss / (n * slope);
        n *= exp(step > 2 ? 2 : step < -2 ? -2 : step);
        if (fabs(step) < 1e-9)
            break;
    }
    return n;
}

status host_values_of_coupons(host_call *c, uint64_t row)
{
    double n = sketch_values_of((double)host_integer(c, 0, row));
    host_put_integer(c, row, n < 0x1p62 ? (int64_t)llround(n) : INT64_MAX);
    return STATUS_OK;
}
