/* kernel_range.c - joins by ranges: places in lists that are in the order of a value. */
#include "device/cpu/kernel.h"
#include "device/value/sort_key.h"

void ISA_(range_values)(const range_values_arguments *a)
{
    size_t count = kernel_count(a->count);
    KERNEL_FOR (i, 0, count) {
        const uint64_t *key = a->rows + ((size_t)a->index[i] * a->key_count + a->key) * 3;
        a->out[2 * i] = key[1];
        a->out[2 * i + 1] = key[2];
    }
}

static inline uint128 range_number_at(const uint64_t *words)
{
    return (uint128)words[0] << 64 | words[1];
}

/* The first of the places [first, end) whose value comes behind the bound (is_behind) or not before
 * it. */
static uint32_t range_find_number(const uint64_t *values, uint32_t first, uint32_t end,
                                  const uint64_t *bound, bool is_behind)
{
    uint128 number = range_number_at(bound);
    for (uint32_t left = end - first; left;) {
        uint32_t half = left / 2;
        uint128 value = range_number_at(values + 2 * (size_t)(first + half));
        bool is_before = is_behind ? value <= number : value < number;
        first = is_before ? first + half + 1 : first;
        left = is_before ? left - half - 1 : half;
    }
    return first;
}

static uint32_t range_find_text(const uint64_t *values, uint32_t first, uint32_t end,
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

static uint32_t range_find_place(const uint64_t *values, bool is_text, uint32_t first, uint32_t end,
                                 const uint64_t *bound, bool is_behind)
{
    return is_text ? range_find_text(values, first, end, bound, is_behind)
                   : range_find_number(values, first, end, bound, is_behind);
}

static bool range_is_null(const uint64_t *bounds, size_t i)
{
    return bounds && (bounds[i * 3] & 1);
}

void ISA_(range_find)(const range_find_arguments *a)
{
    size_t count = kernel_count(a->count);
    KERNEL_FOR (i, 0, count) {
        uint32_t group = a->groups[i];
        a->groups[i] = ROW_NULL;
        if (group == ROW_NULL || range_is_null(a->lower, i) || range_is_null(a->upper, i))
            continue;
        uint32_t first = a->starts[group + 1], end = a->starts[group + 2];
        if (a->lower)
            first = range_find_place(a->values, a->is_text, first, end, a->lower + i * 3 + 1,
                                     a->lower_is_strict);
        if (a->upper)
            end = range_find_place(a->values, a->is_text, first, end, a->upper + i * 3 + 1,
                                   !a->upper_is_strict);
        if (first == end)
            continue;
        a->out[2 * i] = first;
        a->out[2 * i + 1] = end;
        a->groups[i] = (uint32_t)(2 * i);
    }
}

/* ---- a second value ---- */

void ISA_(range_ranks)(const range_ranks_arguments *a)
{
    size_t count = kernel_count(a->count);
    KERNEL_FOR (i, 0, count)
        a->out[a->order[i]] = (uint32_t)(a->is_upper ? count - 1 - i : i);
}

void ISA_(range_tops)(const range_tops_arguments *a)
{
    size_t count = kernel_count(a->count);
    KERNEL_FOR (i, 0, count) {
        size_t end = (i + 1) * 64 < a->height_count ? (i + 1) * 64 : a->height_count;
        uint32_t top = 0;
        for (size_t j = i * 64; j < end; j++)
            top = a->heights[j] > top ? a->heights[j] : top;
        a->out[i] = top;
    }
}

#define HIGH_LANES 16

/* Returns the first of the places [at, end) that is high enough, looking at several at once; `end`: none is. */
static inline uint64_t first_high(const uint32_t *heights, uint64_t at, uint64_t end,
                                  uint32_t least)
{
    for (uint32_t any = 0; at + HIGH_LANES <= end; at += HIGH_LANES) {
        for (unsigned k = 0; k < HIGH_LANES; k++)
            any |= heights[at + k] >= least;
        if (any)
            break;
    }
    while (at < end && heights[at] < least)
        at++;
    return at;
}

static inline uint64_t least_of(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Returns the first of the places [place, end) that is high enough; `end` or beyond: none is. */
static inline uint64_t next_high(const uint32_t *heights, const uint32_t *tops,
                                 const uint32_t *tops_of_tops, uint64_t place, uint64_t end,
                                 uint32_t least)
{
    while (place < end) {
        if (place % 4096 == 0)
            place = first_high(tops_of_tops, place / 4096, (end + 4095) / 4096, least) * 4096;
        if (place % 64 == 0 && place < end) {
            uint64_t tops_end = least_of((end + 63) / 64, (place / 4096 + 1) * 64);
            place = first_high(tops, place / 64, tops_end, least) * 64;
            if (place % 4096 == 0 && place < end && tops[place / 64] < least)
                continue;
        }
        if (place >= end)
            break;
        uint64_t stop = least_of(end, (place / 64 + 1) * 64);
        place = first_high(heights, place, stop, least);
        if (place < stop)
            break;
    }
    return place;
}

/* Places are counted from the least value, heights of upper bounds from the greatest. */
static uint32_t least_height(const range_narrow_arguments *a, size_t i)
{
    uint32_t count = (uint32_t)a->value_count;
    uint32_t place = range_find_place(a->values, a->is_text, 0, count, a->bounds + i * 3 + 1,
                                      a->is_strict != a->is_upper);
    return a->is_upper ? count - place : place;
}

void ISA_(range_narrow)(const range_narrow_arguments *a)
{
    size_t count = kernel_count(a->count);
    KERNEL_FOR (i, 0, count) {
        uint32_t group = a->groups[i];
        a->groups[i] = ROW_NULL;
        if (group == ROW_NULL || range_is_null(a->bounds, i))
            continue;
        uint32_t *places = a->places + group, least = least_height(a, i);
        uint64_t first =
            next_high(a->heights, a->tops, a->tops_of_tops, places[0], places[1], least);
        if (first >= places[1])
            continue;
        places[0] = (uint32_t)first;
        a->out_least[i] = least;
        a->groups[i] = group;
    }
}

void ISA_(range_pairs_total)(const range_pairs_total_arguments *a)
{
    size_t count = kernel_count(a->count);
    uint64_t total = 0;
    KERNEL_FOR (i, 0, count) {
        if (a->groups[i] == ROW_NULL)
            continue;
        uint64_t place = a->places[a->groups[i]], end = a->places[a->groups[i] + 1];
        for (;; place++, total++) {
            if (cancel_look(place))
                return;
            place = next_high(a->heights, a->tops, a->tops_of_tops, place, end, a->least[i]);
            if (place >= end)
                break;
        }
    }
    *a->out_total = total;
}

/* cursor[1]: how many of the row's places are done. */
void ISA_(range_pairs)(const range_pairs_arguments *a)
{
    size_t count = kernel_count(a->count), made = 0;
    uint64_t row = a->cursor[0], done = a->cursor[1];
    for (; row < count && made < a->room; row++, done = 0) {
        if (a->groups[row] == ROW_NULL)
            continue;
        uint64_t first = a->places[a->groups[row]], end = a->places[a->groups[row] + 1];
        uint64_t place = first + done;
        for (; made < a->room; made++, place++) {
            place = next_high(a->heights, a->tops, a->tops_of_tops, place, end, a->least[row]);
            if (place >= end)
                break;
            a->out_probe[made] = (uint32_t)row;
            a->out_build[made] = a->rows[place];
        }
        done = place < end ? place - first : 0;
        if (done)
            break;
    }
    a->cursor[0] = row;
    a->cursor[1] = done;
    *a->out_count = made;
}
