/* number.c - functions of numbers that C's library has: neighbours, gamma, rounding to even. */
#include "device/host/host.h"

#include <math.h>
#include <stdlib.h>

status host_nextafter(host_call *c, uint64_t row)
{
    host_put_double(c, row, nextafter(host_double(c, 0, row), host_double(c, 1, row)));
    return STATUS_OK;
}

/* Fails where the result is infinite, but for an infinite argument. */
static status put_finite(host_call *c, uint64_t row, double number)
{
    if (isinf(number) && !isinf(host_double(c, 0, row)))
        return status_new(STATUS_KIND_DATA, "a function's value for %g is infinite",
                          host_double(c, 0, row));
    host_put_double(c, row, number);
    return STATUS_OK;
}

status host_gamma(host_call *c, uint64_t row)
{
    return put_finite(c, row, tgamma(host_double(c, 0, row)));
}

status host_lgamma(host_call *c, uint64_t row)
{
    int sign;
    return put_finite(c, row, lgamma_r(host_double(c, 0, row), &sign));
}

/* Digits beyond a double's range round it to 0 or leave it. */
status host_round_even(host_call *c, uint64_t row)
{
    double number = host_double(c, 0, row);
    int64_t digits = host_integer(c, 1, row);
    if (digits > 308 || !isfinite(number)) {
        host_put_double(c, row, number);
        return STATUS_OK;
    }
    double power = pow(10, digits < -308 ? 308 : (double)llabs(digits));
    double rounded = digits < 0 ? rint(number / power) * power : rint(number * power) / power;
    host_put_double(c, row, isfinite(rounded) ? rounded : number);
    return STATUS_OK;
}
