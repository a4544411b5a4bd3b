/* number.c - functions of numbers: bits, common divisors, factorials, buckets, what is finite. */
#include "device/host/host.h"

#include <math.h>

/* ---- bits ---- */

/* An argument of any integer type, or a decimal that stands for one of 128 bits. */
static int128 number_bits_of(const host_call *c, uint32_t arg, uint64_t row)
{
    const host_operand *o = &c->args[arg];
    size_t width = o->type.width;
    const char *at = (const char *)o->values + row * o->stride * width;
    uint64_t word = 0;
    int128 wide;
    if (width == sizeof wide) {
        memcpy(&wide, at, sizeof wide);
        return wide;
    }
    memcpy(&word, at, width);
    if (!type_is_signed(o->type))
        return word;
    unsigned shift = 64 - 8 * (unsigned)width;
    return (int64_t)(word << shift) >> shift;
}

/* As many of the bits as the result's type has. */
static void put_bits(host_call *c, uint64_t row, int128 bits)
{
    size_t width = c->type.width;
    memcpy((char *)c->values + row * width, &bits, width);
}

status host_bit_and(host_call *c, uint64_t row)
{
    put_bits(c, row, number_bits_of(c, 0, row) & number_bits_of(c, 1, row));
    return STATUS_OK;
}

status host_bit_or(host_call *c, uint64_t row)
{
    put_bits(c, row, number_bits_of(c, 0, row) | number_bits_of(c, 1, row));
    return STATUS_OK;
}

status host_bit_xor(host_call *c, uint64_t row)
{
    put_bits(c, row, number_bits_of(c, 0, row) ^ number_bits_of(c, 1, row));
    return STATUS_OK;
}

status host_bit_not(host_call *c, uint64_t row)
{
    put_bits(c, row, ~number_bits_of(c, 0, row));
    return STATUS_OK;
}

status host_bit_count(host_call *c, uint64_t row)
{
    size_t width = c->args[0].type.width;
    uint128 bits = (uint128)number_bits_of(c, 0, row);
    if (width < sizeof bits)
        bits &= ((uint128)1 << 8 * width) - 1;
    host_put_integer(c, row,
                     __builtin_popcountll((uint64_t)bits) +
                         __builtin_popcountll((uint64_t)(bits >> 64)));
    return STATUS_OK;
}

/* As the processor shifts: by the distance's last 6 bits, or of types of at most 32 bits its last 5. */
static unsigned number_distance(const host_call *c, uint64_t row)
{
    unsigned bits = c->type.width == sizeof(uint64_t) ? 63 : 31;
    return (unsigned)number_bits_of(c, 1, row) & bits;
}

status host_shift_left(host_call *c, uint64_t row)
{
    put_bits(c, row, (int128)((uint128)number_bits_of(c, 0, row) << number_distance(c, row)));
    return STATUS_OK;
}

status host_shift_right(host_call *c, uint64_t row)
{
    put_bits(c, row, number_bits_of(c, 0, row) >> number_distance(c, row));
    return STATUS_OK;
}

/* ---- divisors ---- */

static uint64_t number_magnitude(int64_t x)
{
    return x < 0 ? -(uint64_t)x : (uint64_t)x;
}

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static status put_magnitude(host_call *c, uint64_t row, uint64_t number, bool overflows)
{
    if (overflows || number > INT64_MAX)
        return status_new(STATUS_KIND_DATA, "the result for %lld and %lld does not fit bigint",
                          (long long)host_integer(c, 0, row), (long long)host_integer(c, 1, row));
    host_put_integer(c, row, (int64_t)number);
    return STATUS_OK;
}

status host_gcd(host_call *c, uint64_t row)
{
    uint64_t a = number_magnitude(host_integer(c, 0, row)),
             b = number_magnitude(host_integer(c, 1, row));
    return put_magnitude(c, row, common_divisor(a, b), false);
}

status host_lcm(host_call *c, uint64_t row)
{
    uint64_t a = number_magnitude(host_integer(c, 0, row)),
             b = number_magnitude(host_integer(c, 1, row));
    uint64_t product = 0;
    bool overflows = a && b && __builtin_mul_overflow(a / common_divisor(a, b), b, &product);
    return put_magnitude(c, row, product, overflows);
}

/* ---- doubles ---- */

status host_isfinite(host_call *c, uint64_t row)
{
    host_put_boolean(c, row, isfinite(host_double(c, 0, row)));
    return STATUS_OK;
}

status host_isfinite_time(host_call *c, uint64_t row)
{
    host_put_boolean(c, row, !calendar_is_infinite(host_integer(c, 0, row)));
    return STATUS_OK;
}

status host_isnan(host_call *c, uint64_t row)
{
    host_put_boolean(c, row, isnan(host_double(c, 0, row)));
    return STATUS_OK;
}

status host_isinf(host_call *c, uint64_t row)
{
    host_put_boolean(c, row, isinf(host_double(c, 0, row)));
    return STATUS_OK;
}

status host_signbit(host_call *c, uint64_t row)
{
    host_put_boolean(c, row, signbit(host_double(c, 0, row)));
    return STATUS_OK;
}

status host_even(host_call *c, uint64_t row)
{
    double number = host_double(c, 0, row), whole = ceil(fabs(number));
    if (fmod(whole, 2) != 0 && isfinite(whole))
        whole += 1;
    host_put_double(c, row, isnan(number) ? number : number < 0 ? -whole : whole);
    return STATUS_OK;
}

/* ---- factorials ---- */

/* The next one has more than 38 digits. */
#define FACTORIAL_MAX 33

status host_factorial(host_call *c, uint64_t row)
{
    int64_t n = host_integer(c, 0, row);
    int128 product = 1;
    if (n < 0)
        return status_new(STATUS_KIND_DATA, "factorial of a negative number is undefined");
    if (n > FACTORIAL_MAX)
        return status_new(STATUS_KIND_DATA, "the factorial of %lld does not fit decimal(38,0)",
                          (long long)n);
    for (int64_t i = 2; i <= n; i++)
        product *= i;
    ((int128 *)c->values)[row] = product;
    return STATUS_OK;
}

/* ---- decimals ---- */

/* The number as it is, if it is of so many digits (as an integer, 16 bytes) or fewer. */
status host_limit_digits(host_call *c, uint64_t row)
{
    int128 number = ((const int128 *)c->args[0].values)[row * c->args[0].stride];
    int128 bound = power_of_ten((unsigned)host_integer(c, 1, row));
    if (number >= bound || number <= -bound) {
        char text[INT128_TEXT_BYTES];
        int128_format(number, c->type.scale, text);
        return status_new(STATUS_KIND_DATA, "%s does not fit decimal(%lld,%u)", text,
                          (long long)host_integer(c, 1, row), (unsigned)c->type.scale);
    }
    ((int128 *)c->values)[row] = number;
    return STATUS_OK;
}

/* ---- buckets ---- */

status host_width_bucket(host_call *c, uint64_t row)
{
    double number = host_double(c, 0, row), low = host_double(c, 1, row);
    double high = host_double(c, 2, row);
    int64_t count = host_integer(c, 3, row);
    if (count <= 0 || count > INT32_MAX - 1)
        return status_new(STATUS_KIND_DATA, "a count of %lld buckets is not between 1 and %d",
                          (long long)count, INT32_MAX - 1);
    if (isnan(number) || !isfinite(low) || !isfinite(high))
        return status_new(STATUS_KIND_DATA, isnan(number) || isnan(low) || isnan(high)
                                                ? "number and bounds of buckets cannot be NaN"
                                                : "bounds of buckets must be finite");
    if (low == high)
        return status_new(STATUS_KIND_DATA, "the lower bound of buckets equals the upper one");
    bool is_descending = low > high;
    int64_t bucket;
    if (is_descending ? number > low : number < low)
        bucket = 0;
    else if (is_descending ? number <= high : number >= high)
        bucket = count + 1;
    else /* halves, as their difference may be too large */
        bucket = (int64_t)((double)count * ((number / 2 - low / 2) / (high / 2 - low / 2))) + 1;
    /* Rounding may have brought a number just below the end behind it. */
    bool is_inside = is_descending ? number > high : number < high;
    host_put_integer(c, row, is_inside && bucket > count ? count : bucket);
    return STATUS_OK;
}
