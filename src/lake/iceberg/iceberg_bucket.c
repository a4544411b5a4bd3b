/* iceberg_bucket.c - see iceberg_bucket.h. */
#include "lake/iceberg/iceberg_bucket.h"

static uint32_t iceberg_bucket_rotate(uint32_t v, unsigned bits)
{
    return v << bits | v >> (32 - bits);
}

static uint32_t mix(uint32_t block)
{
    return iceberg_bucket_rotate(block * UINT32_C(0xcc9e2d51), 15) * UINT32_C(0x1b873593);
}

uint32_t iceberg_hash(const void *from, size_t count)
{
    const uint8_t *bytes = from;
    uint32_t hash = 0, tail = 0;
    size_t whole = count / 4 * 4;
    for (size_t i = 0; i < whole; i += 4) {
        uint32_t block = (uint32_t)bytes[i] | (uint32_t)bytes[i + 1] << 8 |
                         (uint32_t)bytes[i + 2] << 16 | (uint32_t)bytes[i + 3] << 24;
        hash = iceberg_bucket_rotate(hash ^ mix(block), 13) * 5 + UINT32_C(0xe6546b64);
    }
    for (size_t i = whole; i < count; i++)
        tail |= (uint32_t)bytes[i] << 8 * (i - whole);
    hash ^= mix(tail);
    hash ^= (uint32_t)count;
    hash = (hash ^ hash >> 16) * UINT32_C(0x85ebca6b);
    hash = (hash ^ hash >> 13) * UINT32_C(0xc2b2ae35);
    return hash ^ hash >> 16;
}

static uint32_t hash_word(int64_t word)
{
    uint8_t bytes[8];
    for (unsigned i = 0; i < 8; i++)
        bytes[i] = (uint8_t)((uint64_t)word >> 8 * i);
    return iceberg_hash(bytes, sizeof bytes);
}

/* The fewest bytes of the number in two's complement, the first one first. */
static uint32_t hash_decimal(int128 number)
{
    uint8_t bytes[16];
    unsigned count = 1;
    for (int128 rest = number; rest < -128 || rest > 127; rest >>= 8)
        count++;
    for (unsigned i = 0; i < count; i++)
        bytes[i] = (uint8_t)(number >> 8 * (count - 1 - i));
    return iceberg_hash(bytes, count);
}

static uint32_t hash_uuid(int128 number)
{
    uint8_t bytes[16];
    uint128 whole = (uint128)number ^ (uint128)1 << 127; /* kept in the order of signed numbers */
    for (unsigned i = 0; i < 16; i++)
        bytes[i] = (uint8_t)(whole >> 8 * (15 - i));
    return iceberg_hash(bytes, sizeof bytes);
}

/* Times are hashed as microseconds. */
static int64_t iceberg_bucket_microseconds(const value *v)
{
    int64_t whole = v->i64 / 1000;
    return v->type.precision == 9 ? whole - (v->i64 % 1000 < 0) : v->i64;
}

bool iceberg_bucket_of(const value *v, int64_t count, int64_t *out)
{
    uint32_t hash;
    if (v->is_null || count < 1 || count > INT32_MAX)
        return false;
    if (type_is_text(v->type))
        hash = iceberg_hash(v->text, v->bytes);
    else if (v->type.id == TYPE_DECIMAL)
        hash = hash_decimal(value_int128(v));
    else if (v->type.id == TYPE_UUID)
        hash = hash_uuid(v->i128);
    else if (v->type.id == TYPE_TIMESTAMP || v->type.id == TYPE_TIMESTAMP_TZ)
        hash = hash_word(iceberg_bucket_microseconds(v));
    else if ((type_is_integer(v->type) && type_is_signed(v->type) && v->type.width <= 8) ||
             v->type.id == TYPE_DATE || v->type.id == TYPE_TIME)
        hash = hash_word(v->i64);
    else
        return false;
    *out = (int64_t)(hash & INT32_MAX) % count;
    return true;
}
