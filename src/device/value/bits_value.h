/* bits_value.h - 64 bits of two states put together: and, or, xor, and the product of two doubles. */
#ifndef PISTACHIO_DEVICE_VALUE_BITS_VALUE_H
#define PISTACHIO_DEVICE_VALUE_BITS_VALUE_H

#include "base/type/portable.h"

#include <stdint.h>
#include <string.h>

/* Bits of the double 1. */
#define BITS_OF_ONE ((uint64_t)0x3ff << 52)

/* Returns what a state begins as. */
PORTABLE uint64_t bits_begin(char op)
{
    return op == '&' ? ~(uint64_t)0 : op == '*' ? BITS_OF_ONE : 0;
}

PORTABLE uint64_t bits_product(uint64_t x, uint64_t y)
{
    double left, right;
    memcpy(&left, &x, sizeof left);
    memcpy(&right, &y, sizeof right);
    left *= right;
    memcpy(&x, &left, sizeof x);
    return x;
}

PORTABLE uint64_t bits_join(char op, uint64_t x, uint64_t y)
{
    return op == '&' ? x & y : op == '|' ? x | y : op == '*' ? bits_product(x, y) : x ^ y;
}

#endif
