/* number.c - functions of numbers: bits, common divisors, what is finite. */
#include "device/host/host.h"

#include <math.h>

/* ---- bits ---- */

status host_bit_and(host_call *c, uint64_t row)
{
    host_put_integer(c, row, host_integer(c, 0, row) & host_integer(c, 1, row));
    return STATUS_OK;
}

status host_bit_or(host_call *c, uint64_t row)
{
    host_put_integer(c, row, host_integer(c, 0, row) | host_integer(c, 1, row));
    return STATUS_OK;
}

status host_bit_xor(host_call *c, uint64_t row)
{
    host_put_integer(c, row, host_integer(c, 0, row) ^ host_integer(c, 1, row));
    return STATUS_OK;
}

status host_bit_not(host_call *c, uint64_t row)
{
    host_put_integer(c, row, ~host_integer(c, 0, row));
    return STATUS_OK;
}

/* As the processor shifts: by the distance's last bits. */
status host_shift_left(host_call *c, uint64_t row)
{
    uint64_t number = (uint64_t)host_integer(c, 0, row);
    host_put_integer(c, row, (int64_t)(number << (host_integer(c, 1, row) & 63)));
    return STATUS_OK;
}

status host_shift_right(host_call *c, uint64_t row)
{
    host_put_integer(c, row, host_integer(c, 0, row) >> (host_integer(c, 1, row) & 63));
    return STATUS_OK;
}

status host_shift_left_32(host_call *c, uint64_t row)
{
    uint32_t number = (uint32_t)host_integer(c, 0, row);
    host_put_integer(c, row, (int32_t)(number << (host_integer(c, 1, row) & 31)));
    return STATUS_OK;
}

status host_shift_right_32(host_call *c, uint64_t row)
{
    int32_t number = (int32_t)host_integer(c, 0, row);
    host_put_integer(c, row, number >> (host_integer(c, 1, row) & 31));
    return STATUS_OK;
}

/* ---- divisors ---- */

static uint64_t magnitude(int64_t x)
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
    uint64_t a = magnitude(host_integer(c, 0, row)), b = magnitude(host_integer(c, 1, row));
    return put_magnitude(c, row, common_divisor(a, b), false);
}

status host_lcm(host_call *c, uint64_t row)
{
    uint64_t a = magnitude(host_integer(c, 0, row)), b = magnitude(host_integer(c, 1, row));
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
