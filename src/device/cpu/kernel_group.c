/* kernel_group.c - rows to group numbers: packed keys in an open-addressing directory. */
#include "device/cpu/kernel_rows.h"

#define PACK(ctype)                                                                                \
    do {                                                                                           \
        const ctype *values = a->values;                                                           \
        for (size_t i = 0; i < count; i++) {                                                       \
            int128 number = (int128)values[i];                                                     \
            memcpy(row + i * stride, &number, 16);                                                 \
        }                                                                                          \
    } while (0)

/* All NaNs are one key, and so are both zeros. */
static int128 double_key(double number)
{
    int64_t bits;
    if (number != number)
        return (int128)1 << 64;
    number += 0.0;
    memcpy(&bits, &number, sizeof bits);
    return bits;
}

void ISA_(group_pack)(const group_pack_arguments *a)
{
    size_t count = kernel_count(a->count), stride = a->stride_words;
    uint64_t *row = a->rows + 1 + (size_t)a->key * 2;
    switch (a->type.id) {
    case TYPE_BOOL: {
        const uint64_t *bits = a->values;
        for (size_t i = 0; i < count; i++) {
            row[i * stride] = kernel_bit(bits, i);
            row[i * stride + 1] = 0;
        }
        break;
    }
    case TYPE_INT8:
        PACK(int8_t);
        break;
    case TYPE_INT16:
        PACK(int16_t);
        break;
    case TYPE_INT32:
    case TYPE_DATE:
        PACK(int32_t);
        break;
    case TYPE_UINT8:
        PACK(uint8_t);
        break;
    case TYPE_UINT16:
        PACK(uint16_t);
        break;
    case TYPE_UINT32:
        PACK(uint32_t);
        break;
    case TYPE_FLOAT:
    case TYPE_DOUBLE:
        for (size_t i = 0; i < count; i++) {
            int128 key = double_key(a->type.id == TYPE_FLOAT ? (double)((const float *)a->values)[i]
                                                             : ((const double *)a->values)[i]);
            memcpy(row + i * stride, &key, 16);
        }
        break;
    default:
        if (a->type.width == 16)
            for (size_t i = 0; i < count; i++)
                memcpy(row + i * stride, (const char *)a->values + i * 16, 16);
        else
            PACK(int64_t);
    }
    uint64_t *nulls = a->rows;
    for (size_t i = 0; i < count; i++) {
        bool is_null = !kernel_is_valid(a->validity, i);
        nulls[i * stride] = (a->key ? nulls[i * stride] : 0) | (uint64_t)is_null << a->key;
        if (is_null)
            row[i * stride] = row[i * stride + 1] = 0;
    }
}

static inline uint64_t hash_view(const uint64_t *words)
{
    string_view view;
    uint64_t hash, word;
    memcpy(&view, words, sizeof view);
    if (view.bytes <= STRING_INLINE_BYTES)
        return kernel_mix(words[0] * 0x9e3779b97f4a7c15ull ^ words[1]);
    const char *data = kernel_string_data(&view);
    size_t bytes = view.bytes;
    for (hash = bytes; bytes >= 8; bytes -= 8, data += 8) {
        memcpy(&word, data, 8);
        hash = kernel_mix(hash * 0x9e3779b97f4a7c15ull ^ word);
    }
    word = 0;
    memcpy(&word, data, bytes);
    return kernel_mix(hash * 0x9e3779b97f4a7c15ull ^ word);
}

void ISA_(group_hash)(const group_hash_arguments *a)
{
    size_t count = kernel_count(a->count), stride = a->stride_words;
    for (size_t i = 0; i < count; i++) {
        const uint64_t *row = a->rows + i * stride;
        uint64_t hash = row[0];
        for (size_t k = 0; k * 2 + 1 < stride; k++) {
            const uint64_t *key = row + 1 + k * 2;
            uint64_t part = a->text_keys >> k & 1 ? hash_view(key) : key[0] ^ key[1] << 1;
            hash = kernel_mix(hash * 0x9e3779b97f4a7c15ull + part);
        }
        a->out[i] = hash;
    }
}

static void add_group(const group_lookup_arguments *a, const uint64_t *row, uint64_t group,
                      uint64_t hash)
{
    uint64_t *target = a->group_rows + group * a->stride_words;
    memcpy(target, row, a->stride_words * sizeof *row);
    a->group_hashes[group] = hash;
    for (uint64_t keys = a->text_keys; keys; keys &= keys - 1) {
        uint64_t *key = target + 1 + (size_t)__builtin_ctzll(keys) * 2;
        string_view view;
        memcpy(&view, key, sizeof view);
        if (view.bytes <= STRING_INLINE_BYTES)
            continue;
        char *copy = a->heap + *a->heap_used;
        memcpy(copy, kernel_string_data(&view), view.bytes);
        *a->heap_used += view.bytes;
        view.data = copy - KERNEL_STRING_OFFSET;
        memcpy(key, &view, sizeof view);
    }
}

void ISA_(group_lookup)(const group_lookup_arguments *a)
{
    size_t count = kernel_count(a->count), stride = a->stride_words;
    uint64_t mask = a->slot_count - 1, groups = *a->group_count;
    for (size_t i = 0; i < count; i++) {
        if (i + PREFETCH_ROWS < count)
            __builtin_prefetch(&a->slots[a->hashes[i + PREFETCH_ROWS] & mask]);
        const uint64_t *row = a->rows + i * stride;
        uint64_t hash = a->hashes[i], at = hash & mask;
        for (;; at = (at + 1) & mask) {
            uint64_t group = a->slots[at];
            if (!group) {
                add_group(a, row, groups, hash);
                a->slots[at] = (uint32_t)++groups;
                a->out[i] = (uint32_t)(groups - 1);
                break;
            }
            if (a->group_hashes[group - 1] == hash &&
                rows_are_equal(a->group_rows + (group - 1) * stride, row, stride, a->text_keys)) {
                a->out[i] = (uint32_t)(group - 1);
                break;
            }
        }
    }
    *a->group_count = groups;
}

void ISA_(group_rehash)(const group_rehash_arguments *a)
{
    size_t count = kernel_count(a->count);
    uint64_t mask = a->slot_count - 1;
    for (size_t i = 0; i < count; i++) {
        uint64_t at = a->group_hashes[i] & mask;
        while (a->slots[at])
            at = (at + 1) & mask;
        a->slots[at] = (uint32_t)(i + 1);
    }
}

void ISA_(group_string_bytes)(const group_string_bytes_arguments *a)
{
    size_t count = kernel_count(a->count), stride = a->stride_words;
    uint64_t total = 0;
    for (uint64_t keys = a->text_keys; keys; keys &= keys - 1)
        for (size_t i = 0; i < count; i++) {
            uint32_t bytes = (uint32_t)a->rows[i * stride + 1 + (size_t)__builtin_ctzll(keys) * 2];
            total += bytes > STRING_INLINE_BYTES ? bytes : 0;
        }
    *a->out_total += total;
}

#define UNPACK(ctype)                                                                              \
    do {                                                                                           \
        ctype *values = a->values;                                                                 \
        for (size_t i = 0; i < count; i++)                                                         \
            values[i] = (ctype)row[i * stride];                                                    \
    } while (0)

static void unpack_double(double *target, const uint64_t *key)
{
    *target = __builtin_nan("");
    if (!key[1] || key[1] == UINT64_MAX)
        memcpy(target, key, sizeof *target);
}

void ISA_(group_unpack)(const group_unpack_arguments *a)
{
    size_t count = kernel_count(a->count), stride = a->stride_words;
    const uint64_t *row = a->rows + 1 + (size_t)a->key * 2;
    for (size_t w = 0; w * 64 < count; w++) {
        uint64_t word = 0, bits = 0;
        for (size_t i = w * 64; i < count && i < w * 64 + 64; i++) {
            word |= (~a->rows[i * stride] >> a->key & 1) << (i % 64);
            bits |= (row[i * stride] & 1) << (i % 64);
        }
        if (a->validity)
            a->validity[w] = word;
        if (a->type.id == TYPE_BOOL)
            ((uint64_t *)a->values)[w] = bits;
    }
    if (a->type.id == TYPE_FLOAT || a->type.id == TYPE_DOUBLE) {
        for (size_t i = 0; i < count; i++) {
            double number;
            unpack_double(&number, row + i * stride);
            if (a->type.id == TYPE_FLOAT)
                ((float *)a->values)[i] = (float)number;
            else
                ((double *)a->values)[i] = number;
        }
        return;
    }
    switch (a->type.width) {
    case 0:
        break;
    case 1:
        UNPACK(uint8_t);
        break;
    case 2:
        UNPACK(uint16_t);
        break;
    case 4:
        UNPACK(uint32_t);
        break;
    case 8:
        UNPACK(uint64_t);
        break;
    default:
        for (size_t i = 0; i < count; i++)
            memcpy((char *)a->values + i * 16, row + i * stride, 16);
    }
}
