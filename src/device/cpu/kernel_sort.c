/* kernel_sort.c - packed sort keys, and a stable merge sort of row numbers by them. */
#include "device/cpu/kernel.h"
#include "device/value/sort_key.h"
#include "device/value/value_code.h"

static void store_key(uint64_t *key, uint128 bits, bool is_descending)
{
    if (is_descending)
        bits = ~bits;
    key[1] = (uint64_t)(bits >> 64);
    key[2] = (uint64_t)bits;
}

#define SIGN ((uint128)1 << 127)

#define PACK(ctype)                                                                                \
    do {                                                                                           \
        const ctype *values = a->values;                                                           \
        KERNEL_FOR (i, 0, count)                                                                   \
            store_key(key + i * stride, (uint128)(int128)values[i] ^ SIGN, a->is_descending);      \
    } while (0)

static void pack_floats(const sort_pack_arguments *a, uint64_t *key, size_t stride, size_t count)
{
    KERNEL_FOR (i, 0, count) {
        double number = a->type.id == TYPE_FLOAT ? (double)((const float *)a->values)[i]
                                                 : ((const double *)a->values)[i];
        store_key(key + i * stride, (uint128)value_code_of_double(number) << 32, a->is_descending);
    }
}

/* As PostgreSQL compares: a month is 30 days, a day 24 hours. */
static void pack_intervals(const sort_pack_arguments *a, uint64_t *key, size_t stride, size_t count)
{
    const interval_value *values = a->values;
    KERNEL_FOR (i, 0, count) {
        int128 total =
            ((int128)values[i].months * 30 + values[i].days) * 86400000000 + values[i].microseconds;
        store_key(key + i * stride, (uint128)total ^ SIGN, a->is_descending);
    }
}

void ISA_(sort_pack)(const sort_pack_arguments *a)
{
    size_t count = kernel_count(a->count), stride = (size_t)a->key_count * 3;
    uint64_t *key = a->rows + (size_t)a->key * 3;
    switch (a->type.id) {
    case TYPE_NULL:
        break;
    case TYPE_BOOL: {
        const uint64_t *bits = a->values;
        KERNEL_FOR (i, 0, count)
            store_key(key + i * stride, kernel_bit(bits, i), a->is_descending);
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
    case TYPE_UINT64:
        PACK(uint64_t);
        break;
    case TYPE_FLOAT:
    case TYPE_DOUBLE:
        pack_floats(a, key, stride, count);
        break;
    case TYPE_INTERVAL:
        pack_intervals(a, key, stride, count);
        break;
    case TYPE_VARCHAR:
    case TYPE_BLOB:
        KERNEL_FOR (i, 0, count)
            memcpy(key + i * stride + 1, (const string_view *)a->values + i, sizeof(string_view));
        break;
    default:
        if (a->type.width == 16)
            PACK(int128);
        else
            PACK(int64_t);
    }
    uint64_t flags =
        (type_is_text(a->type) ? SORT_KEY_TEXT : 0) | (a->is_descending ? SORT_KEY_DESCENDING : 0);
    KERNEL_FOR (i, 0, count) {
        bool is_null = a->type.id == TYPE_NULL || !kernel_is_valid(a->validity, i);
        key[i * stride] = flags | (is_null != a->nulls_first);
        if (is_null)
            key[i * stride + 1] = key[i * stride + 2] = 0;
    }
}

static inline int compare_rows(const sort_rows_arguments *a, uint32_t left, uint32_t right)
{
    size_t stride = (size_t)a->key_count * 3;
    return sort_key_compare(a->rows + left * stride, a->rows + right * stride, a->key_count,
                            kernel_string_data);
}

static void merge_runs(const sort_rows_arguments *a, const uint32_t *source, size_t start,
                       size_t middle, size_t end, uint32_t *target)
{
    size_t left = start, right = middle;
    KERNEL_FOR (at, start, end) {
        bool take_left =
            left < middle && (right == end || compare_rows(a, source[left], source[right]) <= 0);
        target[at] = take_left ? source[left++] : source[right++];
    }
}

#define INSERTION_ROWS 16

static void insertion_sort(const sort_rows_arguments *a, uint32_t *index, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        uint32_t row = index[i];
        size_t at = i;
        for (; at && compare_rows(a, index[at - 1], row) > 0; at--)
            index[at] = index[at - 1];
        index[at] = row;
    }
}

void ISA_(sort_rows)(const sort_rows_arguments *a)
{
    size_t count = kernel_count(a->count);
    KERNEL_FOR (i, 0, count)
        a->out[i] = (uint32_t)i;
    for (size_t i = 0; i < count && !cancel_look(i); i += INSERTION_ROWS)
        insertion_sort(a, a->out + i, count - i < INSERTION_ROWS ? count - i : INSERTION_ROWS);
    uint32_t *source = a->out, *target = a->scratch;
    for (size_t run = INSERTION_ROWS; run < count; run *= 2) {
        for (size_t start = 0; start < count && !cancel_look(start); start += 2 * run) {
            size_t middle = start + run < count ? start + run : count;
            size_t end = middle + run < count ? middle + run : count;
            merge_runs(a, source, start, middle, end, target);
        }
        uint32_t *swap = source;
        source = target;
        target = swap;
    }
    if (source != a->out)
        memcpy(a->out, source, count * sizeof *source);
}

void ISA_(sort_keep)(const sort_keep_arguments *a)
{
    size_t count = kernel_count(a->count), kept = 0;
    KERNEL_FOR (i, 0, count) {
        const uint64_t *key = a->rows + i * 3, *last = a->last;
        uint128 number = (uint128)key[1] << 64 | key[2], most = (uint128)last[1] << 64 | last[2];
        a->out[kept] = (uint32_t)i;
        kept += key[0] < last[0] || (key[0] == last[0] && number <= most);
    }
    *a->out_count = kept;
}
