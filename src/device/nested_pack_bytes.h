/* nested_pack_bytes.h - the bytes of one value in a packed row, for those who write and read them (nested_pack.h). */
#ifndef PISTACHIO_DEVICE_NESTED_PACK_BYTES_H
#define PISTACHIO_DEVICE_NESTED_PACK_BYTES_H

#include "base/type/nested_type.h"

#include <string.h>

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
    uint64_t low = __builtin_bswap64((uint64_t)number),
             high = __builtin_bswap64((uint64_t)(number >> 64));
    if (width == 8) {
        memcpy(to, &low, 8);
    } else if (width == 4) {
        memcpy(to, (const uint8_t *)&low + 4, 4);
    } else if (width > 8) {
        memcpy(to, (const uint8_t *)&high + 16 - width, width - 8);
        memcpy(to + width - 8, &low, 8);
    } else {
        memcpy(to, (const uint8_t *)&low + 8 - width, width);
    }
}

static inline uint128 nested_get_number(const uint8_t *from, unsigned width)
{
    uint64_t low = 0, high = 0;
    if (width == 8) {
        memcpy(&low, from, 8);
    } else if (width == 4) {
        memcpy((uint8_t *)&low + 4, from, 4);
    } else if (width > 8) {
        memcpy((uint8_t *)&high + 16 - width, from, width - 8);
        memcpy(&low, from + width - 8, 8);
    } else {
        memcpy((uint8_t *)&low + 8 - width, from, width);
    }
    return (uint128)__builtin_bswap64(high) << 64 | __builtin_bswap64(low);
}

/* Reads a number of the type's width; its sign fills the rest. */
static inline uint128 nested_read_number(const char *at, data_type type)
{
    int128 number = 0;
    if (type.width == 8)
        return (uint128)(int128) * (const int64_t *)at;
    if (type.width == 4)
        return (uint128)(int128) * (const int32_t *)at;
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

/* ---- reading: false where the bytes end too early ---- */

typedef struct nested_bytes {
    const uint8_t *at, *end;
} nested_bytes;

static inline bool nested_take_byte(nested_bytes *from, uint8_t *out)
{
    if (from->at == from->end)
        return false;
    *out = *from->at++;
    return true;
}

static inline bool nested_take_number(nested_bytes *from, unsigned width, uint128 *out)
{
    if ((size_t)(from->end - from->at) < width)
        return false;
    *out = nested_get_number(from->at, width);
    from->at += width;
    return true;
}

/* A number, of the type's width in memory. */
static inline bool nested_take_fixed(nested_bytes *from, data_type type, void *to)
{
    uint128 number;
    if (!nested_take_number(from, type.width, &number))
        return false;
    if (type.id == TYPE_DOUBLE || type.id == TYPE_FLOAT)
        number = nested_flip_back((uint64_t)number, type.width);
    else if (type.width && nested_has_sign(type))
        number ^= nested_sign(type.width);
    if (type.width == 8)
        memcpy(to, &number, 8);
    else
        memcpy(to, &number, type.width);
    return true;
}

/* A text, without what escapes its zeros, goes to `to` unless that is NULL. */
static inline bool nested_take_text(nested_bytes *from, char *to, uint64_t *out_bytes)
{
    uint64_t bytes = 0;
    for (;;) {
        const uint8_t *zero = memchr(from->at, 0, (size_t)(from->end - from->at));
        if (!zero || zero + 1 == from->end || (zero[1] && zero[1] != NESTED_ZERO))
            return false;
        size_t piece = (size_t)(zero - from->at) + (zero[1] == NESTED_ZERO);
        if (to)
            memcpy(to + bytes, from->at, piece);
        bytes += piece;
        from->at = zero + 2;
        if (!zero[1])
            break;
    }
    *out_bytes = bytes;
    return true;
}

#endif
