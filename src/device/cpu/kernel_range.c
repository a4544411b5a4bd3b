/* kernel_range.c - joins by ranges: places in lists that are in the order of a value. */
#include "device/cpu/kernel.h"
#include "device/sort_key.h"
#include "device/tensor.h"

void ISA_(range_values)(const range_values_arguments *a)
{
    size_t count = kernel_count(a->count);
    for (size_t i = 0; i < count; i++) {
        const uint64_t *key = a->rows + ((size_t)a->index[i] * a->key_count + a->key) * 3;
        a->out[2 * i] = key[1];
        a->out[2 * i + 1] = key[2];
    }
}

static inline uint128 number_at(const uint64_t *words)
{
    return (uint128)words[0] << 64 | words[1];
}

/* The first of the places [first, end) whose value comes behind the bound (is_behind) or not before
 * it. */
static uint32_t find_number(const uint64_t *values, uint32_t first, uint32_t end,
                            const uint64_t *bound, bool is_behind)
{
    uint128 number = number_at(bound);
    for (uint32_t left = end - first; left;) {
        uint32_t half = left / 2;
        uint128 value = number_at(values + 2 * (size_t)(first + half));
        bool is_before = is_behind ? value <= number : value < number;
        first = is_before ? first + half + 1 : first;
        left = is_before ? left - half - 1 : half;
    }
    return first;
}

static uint32_t find_text(const uint64_t *values, uint32_t first, uint32_t end,
                          const uint64_t *bound, bool is_behind)
{
    while (first < end) {
        uint32_t middle = first + (end - first) / 2;
        int order = sort_key_compare_text(values + 2 * (size_t)middle, bound, kernel_string_data);
        if (order < is_behind)
            first = middle + 1;
        else
            end = middle;
    }
    return first;
}

static uint32_t find_place(const range_find_arguments *a, uint32_t first, uint32_t end,
                           const uint64_t *bound, bool is_behind)
{
    return a->is_text ? find_text(a->values, first, end, bound, is_behind)
                      : find_number(a->values, first, end, bound, is_behind);
}

static bool is_null(const uint64_t *bounds, size_t i)
{
    return bounds && (bounds[i * 3] & 1);
}

void ISA_(range_find)(const range_find_arguments *a)
{
    size_t count = kernel_count(a->count);
    for (size_t i = 0; i < count; i++) {
        uint32_t group = a->groups[i];
        a->groups[i] = ROW_NULL;
        if (group == ROW_NULL || is_null(a->lower, i) || is_null(a->upper, i))
            continue;
        uint32_t first = a->starts[group + 1], end = a->starts[group + 2];
        if (a->lower)
            first = find_place(a, first, end, a->lower + i * 3 + 1, a->lower_is_strict);
        if (a->upper)
            end = find_place(a, first, end, a->upper + i * 3 + 1, !a->upper_is_strict);
        if (first == end)
            continue;
        a->out[2 * i] = first;
        a->out[2 * i + 1] = end;
        a->groups[i] = (uint32_t)(2 * i);
    }
}
