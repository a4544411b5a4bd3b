/* kernel_move.cu - selecting, moving and hashing values. */
#include "base/text/utf8.h"
#include "base/text/uuid_text.h"
#include "device/value/arrow_value.h"
#include "device/cuda/copy_text.cuh"
#include "device/cuda/hash.cuh"

KERNEL_TOGETHER_MIDDLE(mask_to_index)
{
    __shared__ uint64_t shared[MARKS_SHARED_WORDS];
    const uint32_t *mask = (const uint32_t *)a.mask, *validity = (const uint32_t *)a.validity;
    const uint32_t first_row = a.first_row;
    uint32_t *rows = a.rows;
    kernel_number_bits(
        extra, kernel_count(a.count), shared, a.out_count,
        [&](uint64_t w) { return mask[w] & (validity ? validity[w] : ~0u); },
        [=](uint64_t i, uint64_t before, bool is_set) {
            if (is_set)
                rows[before] = first_row + (uint32_t)i;
        });
}

template <class T>
DEVICE void gather_rows(const gather_arguments &a, uint64_t first, uint64_t count,
                        const uint32_t *rows)
{
    T values[CUDA_ROWS] = {};
    for (unsigned k = 0; k < CUDA_ROWS; k++)
        if (rows[k] != ROW_NULL)
            values[k] = ((const T *)a.base)[rows[k]];
    for (unsigned k = 0; k < CUDA_ROWS; k++)
        if (first + k * CUDA_WARP < count)
            ((T *)a.out)[first + k * CUDA_WARP] = values[k];
}

KERNEL_TOGETHER(gather)
{
    uint64_t count = kernel_count(a.count), first = kernel_first_row();
    uint32_t rows[CUDA_ROWS];
    unsigned bits = 0, valid = 0;
    for (unsigned k = 0; k < CUDA_ROWS; k++) {
        uint64_t i = first + k * CUDA_WARP;
        rows[k] = i < count ? a.index[i] : ROW_NULL;
    }
    if (a.width) {
        WITH_WIDTH(a.width, gather_rows<bytes>(a, first, count, rows);)
    } else {
        for (unsigned k = 0; k < CUDA_ROWS; k++)
            if (rows[k] != ROW_NULL)
                bits |= (unsigned)kernel_bit((const uint64_t *)a.base, rows[k]) << k;
        kernel_write_bits((uint64_t *)a.out, first, count, bits);
    }
    if (!a.out_validity)
        return;
    for (unsigned k = 0; k < CUDA_ROWS; k++)
        if (rows[k] != ROW_NULL)
            valid |= (unsigned)kernel_is_valid(a.base_validity, rows[k]) << k;
    kernel_write_bits(a.out_validity, first, count, valid);
}

KERNEL_ALONE(gather_index)
{
    uint64_t count = kernel_count(a.count), first = kernel_first_row();
    uint32_t rows[CUDA_ROWS];
    for (unsigned k = 0; k < CUDA_ROWS; k++) {
        uint64_t i = first + k * CUDA_WARP;
        rows[k] = i < count ? a.second[i] : ROW_NULL;
    }
    for (unsigned k = 0; k < CUDA_ROWS; k++)
        rows[k] = rows[k] == ROW_NULL ? ROW_NULL : a.first[rows[k]];
    for (unsigned k = 0; k < CUDA_ROWS; k++)
        if (first + k * CUDA_WARP < count)
            a.out[first + k * CUDA_WARP] = rows[k];
}

KERNEL_ALONE(count_up)
{
    uint64_t count = kernel_count(a.count), first = kernel_first_row();
    for (unsigned k = 0; k < CUDA_ROWS; k++) {
        uint64_t i = first + k * CUDA_WARP;
        if (i < count)
            a.out[i] = a.first + (uint32_t)i;
    }
}

KERNEL_ALONE(index_to_zero)
{
    uint64_t count = kernel_count(a.count), i = kernel_row();
    if (i < count)
        a.out[i] = a.index[i] == ROW_NULL ? ROW_NULL : 0;
}

KERNEL_ALONE(spread)
{
    uint64_t count = kernel_count(a.count), i = kernel_row();
    if (i < count) {
        WITH_WIDTH(a.width, ((bytes *)a.out)[i] = *(const bytes *)a.source;)
    }
}

KERNEL_TOGETHER(fill)
{
    uint64_t count = kernel_count(a.count), i = kernel_row();
    uint64_t words[2] = {a.value_low, a.value_high};
    if (!a.width) {
        kernel_write_bit((uint64_t *)a.out, i, count, a.value_low & 1);
    } else if (i < count) {
        WITH_WIDTH(a.width, memcpy((bytes *)a.out + i, words, sizeof(bytes));)
    }
}

DEVICE uint64_t hash_word(data_type type, uint64_t word)
{
    if (type.id == TYPE_FLOAT)
        return kernel_hash_double((double)kernel_word_float(word));
    if (type.id == TYPE_DOUBLE)
        return kernel_hash_double(kernel_word_double(word));
    return kernel_mix((uint64_t)kernel_word_integer(type, word));
}

KERNEL_ALONE(hash_values)
{
    uint64_t count = kernel_count(a.count), first = kernel_first_row(), words[CUDA_ROWS];
    bool has_words = a.type.width > 0 && a.type.width <= 8;
    unsigned valid = kernel_valid_rows(a.validity, first, count);
    if (has_words)
        kernel_load_words(a.type.width, a.values, 1, first, count, words);
    KERNEL_UNROLLED
    for (unsigned k = 0; k < CUDA_ROWS; k++) {
        uint64_t i = first + k * CUDA_WARP, hash = KERNEL_NULL_HASH;
        if (valid >> k & 1)
            hash = has_words ? hash_word(a.type, words[k]) : kernel_hash_value(a.type, a.values, i);
        if (i < count)
            a.out[i] = a.combine ? kernel_mix(a.out[i] * 0x9e3779b97f4a7c15ull + hash) : hash;
    }
}

/* Bits from anywhere to anywhere: a thread a word of the target, of which the first and the last
 * keep what is not copied. */
DEVICE uint64_t bits_from(const uint64_t *bits, uint64_t at, uint64_t count)
{
    unsigned shift = at % 64;
    uint64_t word = bits[at / 64] >> shift;
    if (shift && shift + count > 64)
        word |= bits[at / 64 + 1] << (64 - shift);
    return word;
}

KERNEL_ALONE(copy_bits)
{
    uint64_t count = kernel_count(a.count), w = a.target_at / 64 + kernel_row();
    uint64_t end = a.target_at + count, first = w * 64 > a.target_at ? w * 64 : a.target_at;
    if (first >= end)
        return;
    uint64_t last = (w + 1) * 64 < end ? (w + 1) * 64 : end, bits = last - first;
    unsigned shift = first % 64;
    uint64_t mask = (bits == 64 ? ~(uint64_t)0 : ((uint64_t)1 << bits) - 1) << shift;
    uint64_t word = ~(uint64_t)0;
    if (a.source)
        word = bits_from(a.source, a.source_at + (first - a.target_at), bits) << shift;
    a.target[w] = (a.target[w] & ~mask) | (word & mask);
}

KERNEL_TOGETHER(count_bits)
{
    uint64_t w = kernel_row();
    kernel_add_total(w < a.word_count ? (uint64_t)__popcll(a.bits[w]) : 0, a.out_total);
}

/* ---- strings ---- */

KERNEL_TOGETHER(string_bytes)
{
    uint64_t count = kernel_count(a.count), i = kernel_row(), bytes = 0;
    if (i < count && kernel_is_valid(a.validity, i)) {
        const kernel_view *view = (const kernel_view *)a.values + i;
        bytes = kernel_view_is_long(view) ? kernel_view_bytes(view) : 0;
    }
    kernel_add_total(bytes, a.out_total);
}

/* Each long string takes its place in the heap: in what order is not said. */
KERNEL_TOGETHER(string_copy)
{
    uint64_t count = kernel_count(a.count), i = kernel_row();
    kernel_view view = {0, 0};
    if (i < count && kernel_is_valid(a.validity, i))
        view = ((const kernel_view *)a.values)[i];
    bool is_long = kernel_view_is_long(&view);
    uint64_t bytes = is_long ? kernel_view_bytes(&view) : 0;
    char *place = a.heap + kernel_take_room(a.heap_used, bytes);
    kernel_copy_texts(place, (const char *)view.tail, bytes);
    if (is_long)
        view.tail = (uint64_t)place;
    if (i < count)
        ((kernel_view *)a.out)[i] = view;
}

KERNEL_ALONE(string_point)
{
    uint64_t i = kernel_row();
    if (i >= kernel_count(a.count))
        return;
    kernel_view view = ((const kernel_view *)a.values)[i];
    if (kernel_view_is_long(&view))
        view.tail = (uint64_t)a.heap + (view.tail - a.from);
    ((kernel_view *)a.out)[i] = view;
}

/* 0: the text is UTF-8, or too long after replacement. */
DEVICE uint64_t replaced_bytes(const kernel_view *view, bool *is_wrong)
{
    const char *text = kernel_view_data(view);
    uint64_t bytes = kernel_view_bytes(view);
    *is_wrong = utf8_valid_bytes(text, bytes) < bytes;
    uint64_t replaced = *is_wrong ? utf8_replaced_bytes(text, bytes) : 0;
    return replaced > UTF8_REPLACED_MOST ? 0 : replaced;
}

KERNEL_TOGETHER(text_replaced_bytes)
{
    uint64_t count = kernel_count(a.count), i = kernel_row(), bytes = 0;
    bool is_wrong = false;
    if (i < count)
        bytes = replaced_bytes((const kernel_view *)a.values + i, &is_wrong);
    if (is_wrong && !bytes)
        kernel_fail(a.error, DEV_ERROR_TEXT, a.location, i << 32);
    kernel_add_total(bytes, a.out_total);
}

KERNEL_TOGETHER(text_replace)
{
    uint64_t count = kernel_count(a.count), i = kernel_row(), bytes = 0;
    bool is_wrong = false;
    kernel_view *view = (kernel_view *)a.values + i;
    if (i < count)
        bytes = replaced_bytes(view, &is_wrong);
    char *place = a.heap + kernel_take_room(a.heap_used, bytes);
    if (!bytes)
        return;
    utf8_replace(kernel_view_data(view), kernel_view_bytes(view), place);
    *view = kernel_view_make(place, (uint32_t)bytes);
}

#define OFFSETS_A_THREAD (CUDA_TILE_ROWS / CUDA_BLOCK)

DEVICE uint64_t text_bytes(const string_offsets_arguments &a, uint64_t i)
{
    return kernel_is_valid(a.validity, i) ? kernel_view_bytes((const kernel_view *)a.values + i) : 0;
}

/* A thread takes rows that lie side by side; a block's are one tile of the scan. */
KERNEL_TOGETHER_WIDE(string_offsets)
{
    __shared__ uint64_t sums[8], tile_number, base;
    uint64_t count = kernel_count(a.count), own = 0, total;
    uint64_t tile = kernel_take_tile(extra.scratch, &tile_number);
    uint64_t first = tile * CUDA_TILE_ROWS + threadIdx.x * OFFSETS_A_THREAD;
    uint64_t end = first + OFFSETS_A_THREAD < count ? first + OFFSETS_A_THREAD : count;
    for (uint64_t i = first; i < end; i++)
        own += text_bytes(a, i);
    uint64_t before = kernel_block_scan(own, sums, &total);
    uint64_t at = kernel_tile_base(extra.scratch, tile, total, &base) + before;
    for (uint64_t i = first; i < end; i++) {
        a.out[i] = (int64_t)at;
        at += text_bytes(a, i);
    }
    if (threadIdx.x == 0 && tile + 1 == extra.blocks)
        a.out[count] = (int64_t)(base + total);
}

KERNEL_TOGETHER(string_place)
{
    uint64_t count = kernel_count(a.count), i = kernel_row(), bytes = 0;
    const kernel_view *view = (const kernel_view *)a.values + i;
    const char *text = NULL;
    char *place = NULL;
    if (i < count && kernel_is_valid(a.validity, i)) {
        bytes = kernel_view_bytes(view);
        text = kernel_view_data(view);
        place = a.out + a.offsets[i];
    }
    kernel_copy_texts(place, text, bytes);
}

/* ---- values for clients ---- */

KERNEL_ALONE(arrow_values)
{
    uint64_t count = kernel_count(a.count), i = kernel_row();
    if (i >= count)
        return;
    bool is_valid = kernel_is_valid(a.validity, i);
    if (a.type.id == TYPE_INTERVAL) {
        arrow_interval made = {0, 0, 0};
        if (is_valid && !arrow_interval_make(((const interval_value *)a.values)[i], &made))
            kernel_fail(a.error, DEV_ERROR_NANOSECONDS, a.location, i);
        ((arrow_interval *)a.out)[i] = made;
    } else {
        uint8_t *out = (uint8_t *)a.out + i * UUID_BYTES;
        memset(out, 0, UUID_BYTES);
        if (is_valid)
            uuid_to_bytes(((const int128 *)a.values)[i], out);
    }
}
