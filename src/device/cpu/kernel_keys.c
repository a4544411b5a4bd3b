/* kernel_keys.c - grouping keys to packed rows and back; hashing and moving packed rows. */
#include "device/cpu/kernel_keys.h"

/* ---- packing ---- */

/* All NaNs are one key, and so are both zeros. */
static inline double plain_double(double number)
{
    return number != number ? __builtin_nan("") : number + 0.0;
}

static inline float plain_float(float number)
{
    return number != number ? __builtin_nanf("") : number + 0.0f;
}

#define PACK(ctype, expression)                                                                    \
    do {                                                                                           \
        const ctype *values = a->values;                                                           \
        for (size_t i = 0; a->is_alone && i < count; i++) {                                        \
            ctype x = (expression);                                                                \
            uint64_t word = 0;                                                                     \
            memcpy(&word, &x, sizeof x);                                                           \
            memcpy(field + i * sizeof word, &word, sizeof word);                                   \
        }                                                                                          \
        for (size_t i = 0; !a->is_alone && i < count; i++) {                                       \
            ctype x = (expression);                                                                \
            memcpy(field + i * stride, &x, sizeof x);                                              \
        }                                                                                          \
    } while (0)

static void pack_nulls(const keys_pack_arguments *a, size_t count)
{
    size_t width = a->type.width ? a->type.width : 1;
    for (size_t w = 0; w * 64 < count; w++) {
        uint64_t nulls = ~a->validity[w] & kernel_word_mask(count, w);
        if (nulls && !a->has_null_bits) {
            kernel_fail(a->error, DEV_ERROR_NULL, DEV_LOCATION_NONE, 0);
            return;
        }
        for (; nulls; nulls &= nulls - 1) {
            uint8_t *row = a->rows + (w * 64 + (size_t)__builtin_ctzll(nulls)) * a->stride;
            memset(row + a->offset, 0, width);
            row[a->null_bit / 8] |= (uint8_t)(1u << a->null_bit % 8);
        }
    }
}

void ISA_(keys_pack)(const keys_pack_arguments *a)
{
    size_t count = kernel_count(a->count), stride = a->stride;
    uint8_t *field = a->rows + a->offset;
    if (a->type.id == TYPE_BOOL) {
        for (size_t i = 0; i < count; i++)
            field[i * stride] = kernel_bit(a->values, i);
    } else if (a->type.id == TYPE_FLOAT) {
        PACK(float, plain_float(values[i]));
    } else if (a->type.id == TYPE_DOUBLE) {
        PACK(double, plain_double(values[i]));
    } else {
        switch (a->type.width) {
        case 0:
            break;
        case 1:
            PACK(uint8_t, values[i]);
            break;
        case 2:
            PACK(uint16_t, values[i]);
            break;
        case 4:
            PACK(uint32_t, values[i]);
            break;
        case 8:
            PACK(uint64_t, values[i]);
            break;
        default:
            for (size_t i = 0; i < count; i++)
                memcpy(field + i * stride, (const char *)a->values + i * 16, 16);
        }
    }
    if (a->validity)
        pack_nulls(a, count);
}

#define UNPACK(ctype)                                                                              \
    do {                                                                                           \
        ctype *values = a->values;                                                                 \
        for (size_t i = 0; i < count; i++)                                                         \
            memcpy(&values[i], field + i * stride, sizeof(ctype));                                 \
    } while (0)

static void keys_unpack_bits(const keys_unpack_arguments *a, size_t count)
{
    uint64_t *values = a->type.id == TYPE_BOOL ? a->values : NULL;
    for (size_t w = 0; w * 64 < count; w++) {
        uint64_t bits = 0, valid = 0;
        for (size_t i = w * 64; i < count && i < w * 64 + 64; i++) {
            const uint8_t *row = a->rows + i * a->stride;
            bits |= (uint64_t)(row[a->offset] & 1) << (i % 64);
            if (a->validity)
                valid |= (uint64_t)(~row[a->null_bit / 8] >> a->null_bit % 8 & 1) << (i % 64);
        }
        if (values)
            values[w] = bits;
        if (a->validity)
            a->validity[w] = valid;
    }
}

void ISA_(keys_unpack)(const keys_unpack_arguments *a)
{
    size_t count = kernel_count(a->count), stride = a->stride;
    const uint8_t *field = a->rows + a->offset;
    if (a->type.id == TYPE_BOOL || a->validity)
        keys_unpack_bits(a, count);
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
            memcpy((char *)a->values + i * 16, field + i * stride, 16);
    }
}

/* ---- hashing ---- */

/* The upper half is the hash. */
static inline uint64_t mix_in(uint64_t hash, uint64_t word)
{
    uint64_t x = hash * 0x9e3779b97f4a7c15u + word;
    x = (x ^ (x >> 32)) * 0xd6e8feb86659fd93u;
    x = (x ^ (x >> 32)) * 0xd6e8feb86659fd93u;
    return x;
}

static inline uint64_t load_word(const char *data)
{
    uint64_t word;
    memcpy(&word, data, sizeof word);
    return word;
}

/* Folds the two halves of the product. */
static inline uint64_t keys_fold(uint64_t left, uint64_t right)
{
    uint128 product = (uint128)left * right;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* A text that lies in its row: both words by one multiplication. */
static inline uint64_t hash_short(uint64_t hash, const uint8_t *key)
{
    uint64_t x = keys_fold(row_word(key, 0) ^ hash ^ 0x9e3779b97f4a7c15u,
                           row_word(key, 1) ^ 0xa0761d6478bd642fu);
    return (x ^ (x >> 32)) * 0xd6e8feb86659fd93u;
}

/* Long texts by 16 bytes a multiplication; the last 16 may overlap those before. */
static uint64_t keys_hash_text(uint64_t hash, const uint8_t *key)
{
    string_view view;
    memcpy(&view, key, sizeof view);
    if (view.bytes <= STRING_INLINE_BYTES)
        return hash_short(hash, key);
    const char *data = kernel_string_data(&view), *end = data + view.bytes;
    const char *last = view.bytes < 16 ? data : end - 16;
    hash = mix_in(hash, view.bytes);
    for (; data < last; data += 16)
        hash = keys_fold(load_word(data) ^ hash, load_word(data + 8) ^ 0xa0761d6478bd642fu);
    return mix_in(mix_in(hash, load_word(last)), load_word(end - 8));
}

static inline __attribute__((always_inline)) uint32_t
hash_row(const uint8_t *row, size_t words, size_t text_count, size_t interval_count)
{
    uint64_t hash = 0;
    size_t word = 0;
    for (size_t k = 0; k < text_count; k++, word += 2)
        hash = keys_hash_text(hash, row + word * 8);
    for (size_t k = 0; k < interval_count; k++, word += 2) {
        int128 total = interval_total(row + word * 8);
        hash = mix_in(mix_in(hash, (uint64_t)total), (uint64_t)(total >> 64));
    }
    for (; word < words; word++)
        hash = mix_in(hash, row_word(row, word));
    return (uint32_t)(hash >> 32);
}

/* The last step of MurmurHash3: each step can be undone, so that different numbers have different hashes. */
static inline uint32_t hash_narrow(uint32_t x)
{
    x = (x ^ (x >> 16)) * 0x85ebca6bu;
    x = (x ^ (x >> 13)) * 0xc2b2ae35u;
    return x ^ (x >> 16);
}

static void hash_narrow_rows(const keys_hash_arguments *a, size_t count)
{
    const uint8_t *rows = a->rows;
    uint32_t *out = a->out;
    for (size_t i = 0; i < count; i++) {
        uint32_t x;
        memcpy(&x, rows + i * 8, sizeof x);
        out[i] = hash_narrow(x);
    }
}

#define HASH(words, text_count, interval_count)                                                    \
    do {                                                                                           \
        for (size_t i = 0; i < count; i++)                                                         \
            a->out[i] = hash_row(a->rows + i * stride, words, text_count, interval_count);         \
    } while (0)

void ISA_(keys_hash)(const keys_hash_arguments *a)
{
    size_t count = kernel_count(a->count), stride = a->stride;
    if (a->is_narrow)
        hash_narrow_rows(a, count);
    else if (stride == 16 && a->text_count == 1)
        HASH(2, 1, 0);
    else if (a->text_count || a->interval_count)
        HASH(stride / 8, a->text_count, a->interval_count);
    else if (stride == 8)
        HASH(1, 0, 0);
    else if (stride == 16)
        HASH(2, 0, 0);
    else if (stride == 24)
        HASH(3, 0, 0);
    else
        HASH(stride / 8, 0, 0);
}

/* ---- moving ---- */

#define GATHER(words)                                                                              \
    do {                                                                                           \
        for (size_t i = 0; i < count; i++)                                                         \
            row_copy(a->out + i * stride, a->rows + (size_t)a->index[i] * stride, words);          \
    } while (0)

void ISA_(keys_gather)(const keys_gather_arguments *a)
{
    size_t count = kernel_count(a->count), stride = a->stride;
    if (stride == 8)
        GATHER(1);
    else if (stride == 16)
        GATHER(2);
    else if (stride == 24)
        GATHER(3);
    else if (stride % 8 == 0)
        GATHER(stride / 8);
    else
        for (size_t i = 0; i < count; i++)
            memcpy(a->out + i * stride, a->rows + (size_t)a->index[i] * stride, stride);
}

void ISA_(keys_text_bytes)(const keys_text_bytes_arguments *a)
{
    size_t count = kernel_count(a->count);
    uint64_t total = 0;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < a->text_count; k++) {
            uint32_t bytes = (uint32_t)row_word(a->rows + i * a->stride, k * 2);
            total += bytes > STRING_INLINE_BYTES ? bytes : 0;
        }
    *a->out_total += total;
}

void ISA_(keys_own_text)(const keys_own_text_arguments *a)
{
    size_t count = kernel_count(a->count);
    uint64_t used = *a->heap_used;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < a->text_count; k++)
            kernel_own_text(a->rows + i * a->stride + k * 16, a->heap, &used);
    *a->heap_used = used;
}
