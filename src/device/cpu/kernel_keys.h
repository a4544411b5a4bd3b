/* kernel_keys.h - packed grouping keys (kernels_aggregate.def): equality and hashing of rows. */
#ifndef PISTACHIO_DEVICE_CPU_KERNEL_KEYS_H
#define PISTACHIO_DEVICE_CPU_KERNEL_KEYS_H

#include "device/cpu/kernel.h"

/* As PostgreSQL compares intervals: a month is 30 days, a day 24 hours. */
static inline int128 interval_total(const void *interval)
{
    interval_value v;
    memcpy(&v, interval, sizeof v);
    return ((int128)v.months * 30 + v.days) * 86400000000 + v.microseconds;
}

static inline uint64_t row_word(const uint8_t *row, size_t word)
{
    uint64_t bits;
    memcpy(&bits, row + word * 8, sizeof bits);
    return bits;
}

/* Compares by words, which stay in registers: a copy of a view would be written in parts and read across them. */
static inline bool texts_are_equal(const uint8_t *left, const uint8_t *right)
{
    uint64_t head = row_word(left, 0), tail = row_word(left, 1), other = row_word(right, 1);
    uint32_t bytes = (uint32_t)head;
    if (head != row_word(right, 0))
        return false;
    if (tail == other || bytes <= STRING_INLINE_BYTES)
        return tail == other;
    const char *a = (const char *)(uintptr_t)tail + KERNEL_STRING_OFFSET;
    const char *b = (const char *)(uintptr_t)other + KERNEL_STRING_OFFSET;
    return !memcmp(a + 4, b + 4, bytes - 4);
}

/* With constant arguments the compiler makes a comparison of its own for each shape of rows. */
static inline __attribute__((always_inline)) bool keys_are_equal(const uint8_t *left,
                                                                 const uint8_t *right, size_t words,
                                                                 size_t text_count,
                                                                 size_t interval_count)
{
    size_t word = 0;
    for (size_t k = 0; k < text_count; k++, word += 2)
        if (!texts_are_equal(left + word * 8, right + word * 8))
            return false;
    for (size_t k = 0; k < interval_count; k++, word += 2)
        if (interval_total(left + word * 8) != interval_total(right + word * 8))
            return false;
    uint64_t difference = 0;
    for (; word < words; word++)
        difference |= row_word(left, word) ^ row_word(right, word);
    return !difference;
}

/* Copies a row of whole words: inline, where a call of memcpy would cost more than the copy. */
static inline void row_copy(uint8_t *target, const uint8_t *source, size_t words)
{
    for (size_t word = 0; word < words; word++)
        memcpy(target + word * 8, source + word * 8, 8);
}

/* Bytes that a text key has outside its row. */
static inline uint32_t kernel_long_bytes(const void *key)
{
    uint32_t bytes;
    memcpy(&bytes, key, sizeof bytes);
    return bytes > STRING_INLINE_BYTES ? bytes : 0;
}

/* A long string's bytes go to heap + *used, and the view points there. Its parts are read and written one by
 * one: as a whole it would wait for stores of its words that are on their way. */
static inline void kernel_own_text(void *key, char *heap, uint64_t *used)
{
    uint32_t bytes = kernel_long_bytes(key);
    char *copy = heap + *used, *place = (char *)key + offsetof(string_view, data);
    const char *data;
    if (!bytes)
        return;
    memcpy(&data, place, sizeof data);
    memcpy(copy, data + KERNEL_STRING_OFFSET, bytes);
    *used += bytes;
    copy -= KERNEL_STRING_OFFSET;
    memcpy(place, &copy, sizeof copy);
}

#endif
