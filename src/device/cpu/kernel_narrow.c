/* kernel_narrow.c - numbers in fewer bytes, and back: what the column cache keeps. */
#include "device/cpu/kernel.h"

/* ---- least and greatest ---- */

#define RANGE_OF(type, name)                                                                       \
    static void name(const type *values, size_t count, int128 *least, int128 *greatest)            \
    {                                                                                              \
        type low = values[0], high = values[0];                                                    \
        for (size_t i = 1; i < count; i++) {                                                       \
            low = values[i] < low ? values[i] : low;                                               \
            high = values[i] > high ? values[i] : high;                                            \
        }                                                                                          \
        *least = low;                                                                              \
        *greatest = high;                                                                          \
    }
RANGE_OF(int8_t, range_int8)
RANGE_OF(int16_t, range_int16)
RANGE_OF(int32_t, range_int32)
RANGE_OF(int64_t, range_int64)
RANGE_OF(uint8_t, range_uint8)
RANGE_OF(uint16_t, range_uint16)
RANGE_OF(uint32_t, range_uint32)
RANGE_OF(uint64_t, range_uint64)
RANGE_OF(int128, range_int128)
#undef RANGE_OF

static int128 value_at(const void *values, uint8_t width, bool is_unsigned, size_t i)
{
    switch (width) {
    case 1:
        return is_unsigned ? ((const uint8_t *)values)[i] : ((const int8_t *)values)[i];
    case 2:
        return is_unsigned ? ((const uint16_t *)values)[i] : ((const int16_t *)values)[i];
    case 4:
        return is_unsigned ? (int128)((const uint32_t *)values)[i]
                           : (int128)((const int32_t *)values)[i];
    case 8:
        return is_unsigned ? (int128)((const uint64_t *)values)[i]
                           : (int128)((const int64_t *)values)[i];
    default:
        return ((const int128 *)values)[i];
    }
}

static void range_all(const narrow_range_arguments *a, size_t count, int128 *out)
{
    switch (a->width) {
    case 1:
        return a->is_unsigned ? range_uint8(a->values, count, out, out + 1)
                              : range_int8(a->values, count, out, out + 1);
    case 2:
        return a->is_unsigned ? range_uint16(a->values, count, out, out + 1)
                              : range_int16(a->values, count, out, out + 1);
    case 4:
        return a->is_unsigned ? range_uint32(a->values, count, out, out + 1)
                              : range_int32(a->values, count, out, out + 1);
    case 8:
        return a->is_unsigned ? range_uint64(a->values, count, out, out + 1)
                              : range_int64(a->values, count, out, out + 1);
    default:
        return range_int128(a->values, count, out, out + 1);
    }
}

/* Finds the range of the rows that are valid. */
static void range_valid(const narrow_range_arguments *a, size_t count, int128 *out)
{
    bool has_any = false;
    for (size_t i = 0; i < count; i++) {
        if (!kernel_bit(a->validity, i))
            continue;
        int128 v = value_at(a->values, a->width, a->is_unsigned, i);
        out[0] = !has_any || v < out[0] ? v : out[0];
        out[1] = !has_any || v > out[1] ? v : out[1];
        has_any = true;
    }
}

void ISA_(narrow_range)(const narrow_range_arguments *a)
{
    size_t count = kernel_count(a->count);
    int128 ranges[] = {1, 0, 1, 0};
    if (count)
        range_all(a, count, ranges);
    if (a->validity)
        range_valid(a, count, ranges + 2);
    else
        memcpy(ranges + 2, ranges, 2 * sizeof *ranges);
    memcpy(a->out, ranges, sizeof ranges);
}

/* ---- narrower and wider ---- */

/* Rows whose values are fetched together, and how many rows before they are needed. */
#define FETCH_ROWS 16
#define FETCH_AHEAD 48
#define FAR_APART_BYTES 32

/* Returns whether ascending rows lie so far apart that hardly two values share a cache line, which no processor fetches by
 * itself. */
static bool are_far_apart(const uint32_t *rows, size_t count, size_t width)
{
    return count > FETCH_AHEAD &&
           (rows[count - 1] - rows[0]) / (uint32_t)count * width >= FAR_APART_BYTES;
}

#define CONVERT(name, from, to, expression)                                                        \
    static void name(const from *restrict values, size_t count, to *restrict out, uint128 origin)  \
    {                                                                                              \
        for (size_t i = 0; i < count; i++)                                                         \
            out[i] = (to)(expression);                                                             \
    }
#define NARROW(from, to) CONVERT(narrow_##from##_##to, from, to, (from)(values[i] - (from)origin))
#define WIDEN(from, to) CONVERT(widen_##from##_##to, from, to, (to)((to)origin + (to)values[i]))
#define WIDEN_SOME(from, to)                                                                       \
    static void widen_some_##from##_##to(const from *restrict values,                              \
                                         const uint32_t *restrict rows, size_t count,              \
                                         to *restrict out, uint128 origin)                         \
    {                                                                                              \
        size_t done = 0;                                                                           \
        if (are_far_apart(rows, count, sizeof(from)))                                              \
            for (; done + FETCH_AHEAD + FETCH_ROWS <= count; done += FETCH_ROWS) {                 \
                for (size_t i = done + FETCH_AHEAD; i < done + FETCH_AHEAD + FETCH_ROWS; i++)      \
                    __builtin_prefetch(&values[rows[i]]);                                          \
                for (size_t i = done; i < done + FETCH_ROWS; i++)                                  \
                    out[i] = (to)((to)origin + (to)values[rows[i]]);                               \
            }                                                                                      \
        for (size_t i = done; i < count; i++)                                                      \
            out[i] = (to)((to)origin + (to)values[rows[i]]);                                       \
    }
#define BOTH(narrow, wide) NARROW(wide, narrow) WIDEN(narrow, wide) WIDEN_SOME(narrow, wide)
BOTH(uint8_t, uint8_t)
BOTH(uint8_t, uint16_t)
BOTH(uint8_t, uint32_t)
BOTH(uint8_t, uint64_t)
BOTH(uint8_t, uint128)
BOTH(uint16_t, uint16_t)
BOTH(uint16_t, uint32_t)
BOTH(uint16_t, uint64_t)
BOTH(uint16_t, uint128)
BOTH(uint32_t, uint32_t)
BOTH(uint32_t, uint64_t)
BOTH(uint32_t, uint128)
BOTH(uint64_t, uint64_t)
BOTH(uint64_t, uint128)
BOTH(uint128, uint128)
#undef BOTH

/* Two widths in one number. */
#define PAIR(narrow, wide) ((narrow) << 8 | (wide))
#define CASES(direction)                                                                           \
    CASE(direction, 1, uint8_t, 1, uint8_t)                                                        \
    CASE(direction, 1, uint8_t, 2, uint16_t)                                                       \
    CASE(direction, 1, uint8_t, 4, uint32_t)                                                       \
    CASE(direction, 1, uint8_t, 8, uint64_t)                                                       \
    CASE(direction, 1, uint8_t, 16, uint128)                                                       \
    CASE(direction, 2, uint16_t, 2, uint16_t)                                                      \
    CASE(direction, 2, uint16_t, 4, uint32_t)                                                      \
    CASE(direction, 2, uint16_t, 8, uint64_t)                                                      \
    CASE(direction, 2, uint16_t, 16, uint128)                                                      \
    CASE(direction, 4, uint32_t, 4, uint32_t)                                                      \
    CASE(direction, 4, uint32_t, 8, uint64_t)                                                      \
    CASE(direction, 4, uint32_t, 16, uint128)                                                      \
    CASE(direction, 8, uint64_t, 8, uint64_t)                                                      \
    CASE(direction, 8, uint64_t, 16, uint128)                                                      \
    CASE(direction, 16, uint128, 16, uint128)
#define NARROWING(narrow, wide) narrow_##wide##_##narrow
#define WIDENING(narrow, wide) widen_##narrow##_##wide
#define CASE(direction, narrow_width, narrow, wide_width, wide)                                    \
    case PAIR(narrow_width, wide_width):                                                           \
        direction(narrow, wide)(a->values, kernel_count(a->count), a->out,                         \
                                (uint128)a->origin_high << 64 | a->origin_low);                    \
        break;

void ISA_(narrow)(const narrow_arguments *a)
{
    switch (PAIR(a->out_width, a->width)) {
        CASES(NARROWING)
    }
}

void ISA_(widen)(const widen_arguments *a)
{
    switch (PAIR(a->width, a->out_width)) {
        CASES(WIDENING)
    }
}

#undef CASE
#define CASE(direction, narrow_width, narrow, wide_width, wide)                                    \
    case PAIR(narrow_width, wide_width):                                                           \
        widen_some_##narrow##_##wide(a->values, a->rows, kernel_count(a->count), a->out,           \
                                     (uint128)a->origin_high << 64 | a->origin_low);               \
        break;

void ISA_(widen_some)(const widen_some_arguments *a)
{
    switch (PAIR(a->width, a->out_width)) {
        CASES(WIDENING)
    }
}

/* ---- row numbers ---- */

#define INDEX_OF(type)                                                                             \
    static void narrow_index_##type(const uint32_t *restrict index, size_t count,                  \
                                    type *restrict out)                                            \
    {                                                                                              \
        for (size_t i = 0; i < count; i++)                                                         \
            out[i] = (type)index[i]; /* ROW_NULL is all ones */                                    \
    }                                                                                              \
    static void widen_index_##type(const type *restrict index, size_t count,                       \
                                   uint32_t *restrict out)                                         \
    {                                                                                              \
        for (size_t i = 0; i < count; i++)                                                         \
            out[i] = index[i] == (type)ROW_NULL ? ROW_NULL : index[i];                             \
    }                                                                                              \
    static void widen_some_index_##type(const type *restrict index, const uint32_t *restrict rows, \
                                        size_t count, uint32_t *restrict out)                      \
    {                                                                                              \
        for (size_t i = 0; i < count; i++)                                                         \
            out[i] = index[rows[i]] == (type)ROW_NULL ? ROW_NULL : index[rows[i]];                 \
    }
INDEX_OF(uint8_t)
INDEX_OF(uint16_t)
INDEX_OF(uint32_t)
#undef INDEX_OF

void ISA_(narrow_index)(const narrow_index_arguments *a)
{
    size_t count = kernel_count(a->count);
    if (a->width == 1)
        narrow_index_uint8_t(a->index, count, a->out);
    else if (a->width == 2)
        narrow_index_uint16_t(a->index, count, a->out);
    else
        narrow_index_uint32_t(a->index, count, a->out);
}

void ISA_(widen_index)(const widen_index_arguments *a)
{
    size_t count = kernel_count(a->count);
    if (a->width == 1)
        widen_index_uint8_t(a->index, count, a->out);
    else if (a->width == 2)
        widen_index_uint16_t(a->index, count, a->out);
    else
        widen_index_uint32_t(a->index, count, a->out);
}

void ISA_(widen_index_some)(const widen_index_some_arguments *a)
{
    size_t count = kernel_count(a->count);
    if (a->width == 1)
        widen_some_index_uint8_t(a->index, a->rows, count, a->out);
    else if (a->width == 2)
        widen_some_index_uint16_t(a->index, a->rows, count, a->out);
    else
        widen_some_index_uint32_t(a->index, a->rows, count, a->out);
}
