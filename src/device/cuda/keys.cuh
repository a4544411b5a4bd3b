/* keys.cuh - packed rows of keys: words, equality, hashes; as device/cpu/kernel_keys.h has them. */
#ifndef PISTACHIO_DEVICE_CUDA_KEYS_CUH
#define PISTACHIO_DEVICE_CUDA_KEYS_CUH

#include "device/cuda/hash.cuh"

/* The shape of rows: words in all, of which two for each text and then two for each interval. */
typedef struct key_shape {
    uint32_t words, text_count, interval_count;
} key_shape;

DEVICE int128 interval_words_weight(const uint64_t *words)
{
    interval_value interval;
    memcpy(&interval, words, sizeof interval);
    return kernel_interval_weight(&interval);
}

DEVICE bool keys_are_equal(const uint64_t *left, const uint64_t *right, key_shape shape)
{
    uint32_t word = 0;
    for (uint32_t k = 0; k < shape.text_count; k++, word += 2)
        if (!kernel_view_equal((const kernel_view *)(left + word),
                               (const kernel_view *)(right + word)))
            return false;
    for (uint32_t k = 0; k < shape.interval_count; k++, word += 2)
        if (interval_words_weight(left + word) != interval_words_weight(right + word))
            return false;
    uint64_t difference = 0;
    for (; word < shape.words; word++)
        difference |= left[word] ^ right[word];
    return !difference;
}

/* The upper half is the hash. */
DEVICE uint64_t key_mix_in(uint64_t hash, uint64_t word)
{
    uint64_t x = hash * 0x9e3779b97f4a7c15u + word;
    x = (x ^ (x >> 32)) * 0xd6e8feb86659fd93u;
    x = (x ^ (x >> 32)) * 0xd6e8feb86659fd93u;
    return x;
}

DEVICE uint64_t key_load_word(const char *data)
{
    uint64_t word;
    memcpy(&word, data, 8);
    return word;
}

DEVICE uint64_t key_fold(uint64_t left, uint64_t right)
{
    uint128 product = (uint128)left * right;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

DEVICE uint64_t key_hash_text(uint64_t hash, const kernel_view *view)
{
    uint64_t bytes = kernel_view_bytes(view);
    if (!kernel_view_is_long(view)) {
        uint64_t x = key_fold(view->head ^ hash ^ 0x9e3779b97f4a7c15u, view->tail ^ 0xa0761d6478bd642full);
        return (x ^ (x >> 32)) * 0xd6e8feb86659fd93u;
    }
    const char *data = kernel_view_data(view), *end = data + bytes;
    const char *last = bytes < 16 ? data : end - 16;
    hash = key_mix_in(hash, bytes);
    for (; data < last; data += 16)
        hash = key_fold(key_load_word(data) ^ hash, key_load_word(data + 8) ^ 0xa0761d6478bd642full);
    return key_mix_in(key_mix_in(hash, key_load_word(last)), key_load_word(end - 8));
}

DEVICE uint32_t key_hash(const uint64_t *row, key_shape shape)
{
    uint64_t hash = 0;
    uint32_t word = 0;
    for (uint32_t k = 0; k < shape.text_count; k++, word += 2)
        hash = key_hash_text(hash, (const kernel_view *)(row + word));
    for (uint32_t k = 0; k < shape.interval_count; k++, word += 2) {
        int128 total = interval_words_weight(row + word);
        hash = key_mix_in(key_mix_in(hash, (uint64_t)total), (uint64_t)(total >> 64));
    }
    for (; word < shape.words; word++)
        hash = key_mix_in(hash, row[word]);
    return (uint32_t)(hash >> 32);
}

/* Hashes rows that are told by their first four bytes: other rows have another hash. */
DEVICE uint32_t key_hash_narrow(const uint64_t *row)
{
    uint32_t x = (uint32_t)row[0];
    x = (x ^ (x >> 16)) * 0x85ebca6bu;
    x = (x ^ (x >> 13)) * 0xc2b2ae35u;
    return x ^ (x >> 16);
}

DEVICE const uint64_t *key_row(const uint8_t *rows, uint32_t stride, uint64_t i)
{
    return (const uint64_t *)(rows + i * stride);
}

/* Returns the bytes that the heap will have to hold of the row. */
DEVICE uint64_t key_text_bytes(const uint64_t *row, uint32_t text_count)
{
    uint64_t bytes = 0;
    for (uint32_t k = 0; k < text_count; k++) {
        uint32_t text = kernel_view_bytes((const kernel_view *)row + k);
        bytes += text > STRING_INLINE_BYTES ? text : 0;
    }
    return bytes;
}

/* Copies the long texts of a row to `target`, one after another; the views point there. */
DEVICE void key_move_text(uint64_t *row, uint32_t text_count, char *target)
{
    for (uint32_t k = 0; k < text_count; k++) {
        kernel_view *view = (kernel_view *)row + k;
        uint32_t bytes = kernel_view_bytes(view);
        if (bytes <= STRING_INLINE_BYTES)
            continue;
        memcpy(target, kernel_view_data(view), bytes);
        view->tail = (uint64_t)target;
        target += bytes;
    }
}

/* Long texts of a row go to the heap; the views point there. */
DEVICE void key_own_text(uint64_t *row, uint32_t text_count, char *heap, uint64_t *heap_used)
{
    uint64_t bytes = key_text_bytes(row, text_count);
    if (bytes)
        key_move_text(row, text_count, heap + kernel_atomic_add(heap_used, bytes));
}

#endif
