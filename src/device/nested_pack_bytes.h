/* nested_pack_bytes.h - inside nested_pack.c and nested_unpack.c: the bytes of one value. */
#ifndef PISTACHIO_DEVICE_NESTED_PACK_BYTES_H
#define PISTACHIO_DEVICE_NESTED_PACK_BYTES_H

#include "base/nested_type.h"

enum { NESTED_END, NESTED_IS_THERE, NESTED_IS_NULL };
#define NESTED_ZERO 0xff /* follows a text's 00 */

static inline uint128 nested_sign(unsigned width)
{
    return (uint128)1 << (8 * width - 1);
}

static inline bool nested_has_sign(data_type type)
{
    return type.id < TYPE_UINT8 || type.id > TYPE_UINT64;
}

/* Bits of a float in whose order as numbers floats are. */
static inline uint64_t nested_flip(uint64_t bits, unsigned width)
{
    uint64_t sign = 1ULL << (8 * width - 1), all = sign | (sign - 1);
    return bits & sign ? ~bits & all : bits | sign;
}

static inline uint64_t nested_flip_back(uint64_t bits, unsigned width)
{
    uint64_t sign = 1ULL << (8 * width - 1), all = sign | (sign - 1);
    return bits & sign ? bits & ~sign : ~bits & all;
}

/* Writes the lowest `width` bytes, the highest of them first. */
static inline void nested_put_number(uint8_t *to, uint128 number, unsigned width)
{
    for (unsigned i = 0; i < width; i++)
        to[i] = (uint8_t)(number >> 8 * (width - 1 - i));
}

static inline uint128 nested_get_number(const uint8_t *from, unsigned width)
{
    uint128 number = 0;
    for (unsigned i = 0; i < width; i++)
        number = number << 8 | from[i];
    return number;
}

/* Reads a number of the type's width; its sign fills the rest. */
static inline uint128 nested_read_number(const char *at, data_type type)
{
    int128 number = 0;
    memcpy(&number, at, type.width);
    unsigned free_bits = 128 - 8 * type.width;
    return (uint128)((int128)((uint128)number << free_bits) >> free_bits);
}

/* Microseconds by which intervals are compared: a month has 30 days. */
static inline int128 nested_interval_length(const interval_value *v)
{
    int128 days = (int128)v->months * 30 + v->days;
    return days * 86400000000 + v->microseconds;
}

#endif
