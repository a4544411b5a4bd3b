/* kernel_compare.c - comparisons, ranges and IN lists: values to bitmaps.
 *
 * All six comparisons are "equal" or "less", perhaps with swapped operands or an inverted result.
 */
#include "device/cpu/kernel_pack.h"
#include "device/cpu/kernel_text.h"
#include "device/kernels/kernel_ops.h"

/* NaN equals NaN and is above everything. */
#define PLAIN_LESS(x, y) ((x) < (y))
#define PLAIN_EQUAL(x, y) ((x) == (y))
#define FLOAT_LESS(x, y) (((x) < (y)) | (((y) != (y)) & ((x) == (x))))
#define FLOAT_EQUAL(x, y) (((x) == (y)) | (((x) != (x)) & ((y) != (y))))

typedef struct comparison {
    const void *left, *right;
    uint8_t left_stride, right_stride;
    bool is_less;
    uint64_t flip;
    size_t count;
    uint64_t *out;
} comparison;

#define ROWS(test) KERNEL_PACK_ROWS(c->count, c->flip, c->out, test)
#define COMPARE(function, ctype, LESS, EQUAL)                                                      \
    static void function(const comparison *c)                                                      \
    {                                                                                              \
        const ctype *left = c->left, *right = c->right;                                            \
        ctype first = left[0], second = right[0];                                                  \
        if (!c->is_less && c->right_stride == 0)                                                   \
            ROWS(EQUAL(left[i], second))                                                           \
        else if (!c->is_less)                                                                      \
            ROWS(EQUAL(left[i], right[i]))                                                         \
        else if (c->right_stride == 0)                                                             \
            ROWS(LESS(left[i], second))                                                            \
        else if (c->left_stride == 0)                                                              \
            ROWS(LESS(first, right[i]))                                                            \
        else                                                                                       \
            ROWS(LESS(left[i], right[i]))                                                          \
    }

COMPARE(compare_int8, int8_t, PLAIN_LESS, PLAIN_EQUAL)
COMPARE(compare_uint8, uint8_t, PLAIN_LESS, PLAIN_EQUAL)
COMPARE(compare_int16, int16_t, PLAIN_LESS, PLAIN_EQUAL)
COMPARE(compare_uint16, uint16_t, PLAIN_LESS, PLAIN_EQUAL)
COMPARE(compare_uint32, uint32_t, PLAIN_LESS, PLAIN_EQUAL)
COMPARE(compare_uint64, uint64_t, PLAIN_LESS, PLAIN_EQUAL)
COMPARE(compare_int128, int128, PLAIN_LESS, PLAIN_EQUAL)
COMPARE(compare_float, float, FLOAT_LESS, FLOAT_EQUAL)
COMPARE(compare_int32_rows, int32_t, PLAIN_LESS, PLAIN_EQUAL)
COMPARE(compare_int64_rows, int64_t, PLAIN_LESS, PLAIN_EQUAL)
COMPARE(compare_double_rows, double, FLOAT_LESS, FLOAT_EQUAL)

#if defined __AVX512F__

/* The rest of a comparison after `done` rows (a multiple of 64). */
static comparison rest_of(const comparison *c, size_t done, size_t width)
{
    comparison rest = *c;
    rest.left = (const char *)c->left + done * width * c->left_stride;
    rest.right = (const char *)c->right + done * width * c->right_stride;
    rest.count -= done;
    rest.out += done / 64;
    return rest;
}

/* Whole words by compares into mask registers, `lanes` rows each. */
#define COMPARE_MASKS(function, rows_function, ctype, lanes, vector, LOAD, LESS, EQUAL)            \
    static void function(const comparison *c)                                                      \
    {                                                                                              \
        size_t words = c->count / 64;                                                              \
        const ctype *left = c->left, *right = c->right;                                            \
        ctype first[lanes], second[lanes];                                                         \
        for (int i = 0; i < lanes; i++) {                                                          \
            first[i] = left[0];                                                                    \
            second[i] = right[0];                                                                  \
        }                                                                                          \
        if (!c->left_stride)                                                                       \
            left = first;                                                                          \
        if (!c->right_stride)                                                                      \
            right = second;                                                                        \
        for (size_t w = 0; w < words; w++) {                                                       \
            uint64_t word = 0;                                                                     \
            for (int part = 0; part < 64 / lanes; part++) {                                        \
                vector x = LOAD(left), y = LOAD(right);                                            \
                uint64_t mask = c->is_less ? LESS(x, y) : EQUAL(x, y);                             \
                word |= mask << (part * lanes);                                                    \
                left += c->left_stride * lanes;                                                    \
                right += c->right_stride * lanes;                                                  \
            }                                                                                      \
            c->out[w] = word ^ c->flip;                                                            \
        }                                                                                          \
        comparison rest = rest_of(c, words * 64, sizeof(ctype));                                   \
        if (rest.count)                                                                            \
            rows_function(&rest);                                                                  \
    }

static inline uint64_t double_less(__m512d x, __m512d y)
{
    return _mm512_cmp_pd_mask(x, y, _CMP_LT_OQ) |
           (_mm512_cmp_pd_mask(y, y, _CMP_UNORD_Q) & _mm512_cmp_pd_mask(x, x, _CMP_ORD_Q));
}

static inline uint64_t double_equal(__m512d x, __m512d y)
{
    return _mm512_cmp_pd_mask(x, y, _CMP_EQ_OQ) |
           (_mm512_cmp_pd_mask(y, y, _CMP_UNORD_Q) & _mm512_cmp_pd_mask(x, x, _CMP_UNORD_Q));
}

#define LOAD_INTEGERS(p) _mm512_loadu_si512(p)
COMPARE_MASKS(compare_int32, compare_int32_rows, int32_t, 16, __m512i, LOAD_INTEGERS,
              (uint64_t)_mm512_cmplt_epi32_mask, (uint64_t)_mm512_cmpeq_epi32_mask)
COMPARE_MASKS(compare_int64, compare_int64_rows, int64_t, 8, __m512i, LOAD_INTEGERS,
              (uint64_t)_mm512_cmplt_epi64_mask, (uint64_t)_mm512_cmpeq_epi64_mask)
COMPARE_MASKS(compare_double, compare_double_rows, double, 8, __m512d, _mm512_loadu_pd, double_less,
              double_equal)

#else
#define compare_int32 compare_int32_rows
#define compare_int64 compare_int64_rows
#define compare_double compare_double_rows
#endif

static void compare_bits(const comparison *c)
{
    const uint64_t *left = c->left, *right = c->right;
    for (size_t w = 0; w * 64 < c->count; w++) {
        uint64_t x = c->left_stride ? left[w] : -(left[0] & 1);
        uint64_t y = c->right_stride ? right[w] : -(right[0] & 1);
        uint64_t word = c->is_less ? ~x & y : ~(x ^ y);
        c->out[w] = (word ^ c->flip) & kernel_word_mask(c->count, w);
    }
}

/* A constant of at most 12 bytes on the right is equal where both words are. */
static void compare_text_short(const comparison *c, const string_view *values)
{
    uint64_t head, tail;
    memcpy(&head, c->right, 8);
    memcpy(&tail, (const char *)c->right + 8, 8);
    ROWS((kernel_text_head(&values[i]) == head) & (kernel_text_tail(&values[i]) == tail))
}

static void compare_text(const comparison *c)
{
    const string_view *left = c->left, *right = c->right;
    if (!c->is_less && !c->right_stride && right->bytes <= STRING_INLINE_BYTES)
        compare_text_short(c, left);
    else if (!c->is_less)
        ROWS(kernel_text_equal(&left[i * c->left_stride], &right[i * c->right_stride]))
    else
        ROWS(kernel_text_less(&left[i * c->left_stride], &right[i * c->right_stride]))
}

static int128 compare_interval_weight(const interval_value *interval)
{
    return ((int128)interval->months * 30 + interval->days) * 86400000000 + interval->microseconds;
}

static void compare_interval(const comparison *c)
{
    const interval_value *left = c->left, *right = c->right;
    if (c->is_less)
        ROWS(compare_interval_weight(&left[i * c->left_stride]) <
             compare_interval_weight(&right[i * c->right_stride]))
    else
        ROWS(compare_interval_weight(&left[i * c->left_stride]) ==
             compare_interval_weight(&right[i * c->right_stride]))
}

void ISA_(compare)(const compare_arguments *a)
{
    comparison c = {a->left,   a->right, a->left_stride,         a->right_stride,
                    a->op > 1, 0,        kernel_count(a->count), a->out};
    if (!c.count)
        return;
    if (a->op == DEV_COMPARE_NE || a->op == DEV_COMPARE_LE || a->op == DEV_COMPARE_GE)
        c.flip = ~(uint64_t)0;
    bool is_swapped = a->op == DEV_COMPARE_GT || a->op == DEV_COMPARE_LE;
    if (is_swapped || (!c.is_less && !c.left_stride)) {
        c.left = a->right;
        c.left_stride = a->right_stride;
        c.right = a->left;
        c.right_stride = a->left_stride;
    }
    switch (a->type.id) {
    case TYPE_BOOL:
        compare_bits(&c);
        break;
    case TYPE_INT8:
        compare_int8(&c);
        break;
    case TYPE_UINT8:
        compare_uint8(&c);
        break;
    case TYPE_INT16:
        compare_int16(&c);
        break;
    case TYPE_UINT16:
        compare_uint16(&c);
        break;
    case TYPE_INT32:
    case TYPE_DATE:
        compare_int32(&c);
        break;
    case TYPE_UINT32:
        compare_uint32(&c);
        break;
    case TYPE_UINT64:
        compare_uint64(&c);
        break;
    case TYPE_FLOAT:
        compare_float(&c);
        break;
    case TYPE_DOUBLE:
        compare_double(&c);
        break;
    case TYPE_VARCHAR:
    case TYPE_BLOB:
        compare_text(&c);
        break;
    case TYPE_INTERVAL:
        compare_interval(&c);
        break;
    default:
        if (a->type.width == 16)
            compare_int128(&c);
        else
            compare_int64(&c);
    }
}

/* One unsigned comparison: value - low <= high - low. */
#define RANGE(ctype, utype)                                                                        \
    do {                                                                                           \
        const ctype *values = a->values;                                                           \
        utype low = (utype)a->low, width = (utype)((utype)a->high - (utype)a->low);                \
        KERNEL_PACK_ROWS(count, 0, a->out, (utype)((utype)values[i] - low) <= width)               \
    } while (0)

#if defined __AVX512F__
static size_t range_words_32(const compare_range_arguments *a, size_t words)
{
    const int32_t *values = a->values;
    __m512i low = _mm512_set1_epi32((int32_t)a->low);
    __m512i width = _mm512_set1_epi32((int32_t)((uint32_t)a->high - (uint32_t)a->low));
    for (size_t w = 0; w < words; w++) {
        uint64_t word = 0;
        for (int part = 0; part < 4; part++) {
            __m512i x = _mm512_loadu_si512(values + w * 64 + part * 16);
            word |= (uint64_t)_mm512_cmple_epu32_mask(_mm512_sub_epi32(x, low), width)
                    << (part * 16);
        }
        a->out[w] = word;
    }
    return words * 64;
}

static size_t range_words_64(const compare_range_arguments *a, size_t words)
{
    const int64_t *values = a->values;
    __m512i low = _mm512_set1_epi64(a->low);
    __m512i width = _mm512_set1_epi64((int64_t)((uint64_t)a->high - (uint64_t)a->low));
    for (size_t w = 0; w < words; w++) {
        uint64_t word = 0;
        for (int part = 0; part < 8; part++) {
            __m512i x = _mm512_loadu_si512(values + w * 64 + part * 8);
            word |= (uint64_t)_mm512_cmple_epu64_mask(_mm512_sub_epi64(x, low), width)
                    << (part * 8);
        }
        a->out[w] = word;
    }
    return words * 64;
}
#endif

static void compare_range_rows(const compare_range_arguments *a, size_t count)
{
    switch (a->type.id) {
    case TYPE_INT8:
        RANGE(int8_t, uint8_t);
        break;
    case TYPE_UINT8:
        RANGE(uint8_t, uint8_t);
        break;
    case TYPE_INT16:
        RANGE(int16_t, uint16_t);
        break;
    case TYPE_UINT16:
        RANGE(uint16_t, uint16_t);
        break;
    case TYPE_INT32:
    case TYPE_DATE:
        RANGE(int32_t, uint32_t);
        break;
    case TYPE_UINT32:
        RANGE(uint32_t, uint32_t);
        break;
    default:
        RANGE(int64_t, uint64_t);
    }
}

void ISA_(compare_range)(const compare_range_arguments *a)
{
    size_t count = kernel_count(a->count);
    compare_range_arguments rest = *a;
#if defined __AVX512F__
    size_t done = 0;
    if (a->type.width == 4)
        done = range_words_32(a, count / 64);
    else if (a->type.width == 8)
        done = range_words_64(a, count / 64);
    rest.values = (const char *)a->values + done * a->type.width;
    rest.out += done / 64;
    count -= done;
#endif
    compare_range_rows(&rest, count);
}

/* ---- IN ---- */

#define FEW_ITEMS 8 /* compared one by one, vectorized over rows */

#define IN_LIST(ctype)                                                                             \
    do {                                                                                           \
        const ctype *values = a->values, *items = a->items;                                        \
        if (a->item_count <= FEW_ITEMS) {                                                          \
            ctype few[FEW_ITEMS];                                                                  \
            for (size_t k = 0; k < FEW_ITEMS; k++)                                                 \
                few[k] = items[k < a->item_count ? k : 0];                                         \
            KERNEL_PACK_ROWS(count, 0, a->out,                                                     \
                             (values[i] == few[0]) | (values[i] == few[1]) |                       \
                                 (values[i] == few[2]) | (values[i] == few[3]) |                   \
                                 (values[i] == few[4]) | (values[i] == few[5]) |                   \
                                 (values[i] == few[6]) | (values[i] == few[7]))                    \
        } else {                                                                                   \
            KERNEL_PACK_ROWS(count, 0, a->out, ({                                                  \
                                 const ctype *at = items;                                          \
                                 size_t left = a->item_count;                                      \
                                 while (left > 1) {                                                \
                                     size_t half = left / 2;                                       \
                                     at += at[half] <= values[i] ? half : 0;                       \
                                     left -= half;                                                 \
                                 }                                                                 \
                                 *at == values[i];                                                 \
                             }))                                                                   \
        }                                                                                          \
    } while (0)

static void in_list_text(const in_list_arguments *a, size_t count)
{
    const string_view *values = a->values, *items = a->items;
    if (a->item_count <= FEW_ITEMS) {
        KERNEL_PACK_ROWS(count, 0, a->out, ({
                             bool found = false;
                             for (size_t k = 0; k < a->item_count && !found; k++)
                                 found = kernel_text_equal(&values[i], &items[k]);
                             found;
                         }))
        return;
    }
    KERNEL_PACK_ROWS(count, 0, a->out, ({
                         const string_view *at = items;
                         size_t left = a->item_count;
                         while (left > 1) {
                             size_t half = left / 2;
                             at += kernel_text_less(&values[i], &at[half]) ? 0 : half;
                             left -= half;
                         }
                         kernel_text_equal(at, &values[i]);
                     }))
}

/* NaN items are last and equal NaN. */
static void in_list_double(const in_list_arguments *a, size_t count, bool is_float)
{
    const double *doubles = a->items;
    const float *floats = a->items;
    KERNEL_PACK_ROWS(count, 0, a->out, ({
                         double x = is_float ? (double)((const float *)a->values)[i]
                                             : ((const double *)a->values)[i];
                         size_t at = 0, left = a->item_count;
                         while (left > 1) {
                             size_t half = left / 2;
                             double y = is_float ? (double)floats[at + half] : doubles[at + half];
                             at += FLOAT_LESS(x, y) ? 0 : half;
                             left -= half;
                         }
                         double y = is_float ? (double)floats[at] : doubles[at];
                         FLOAT_EQUAL(x, y);
                     }))
}

static void in_list_interval(const in_list_arguments *a, size_t count)
{
    const interval_value *values = a->values, *items = a->items;
    KERNEL_PACK_ROWS(count, 0, a->out, ({
                         bool found = false;
                         for (size_t k = 0; k < a->item_count && !found; k++)
                             found = compare_interval_weight(&values[i]) ==
                                     compare_interval_weight(&items[k]);
                         found;
                     }))
}

void ISA_(in_list)(const in_list_arguments *a)
{
    size_t count = kernel_count(a->count);
    switch (a->type.id) {
    case TYPE_INT8:
        IN_LIST(int8_t);
        break;
    case TYPE_UINT8:
        IN_LIST(uint8_t);
        break;
    case TYPE_INT16:
        IN_LIST(int16_t);
        break;
    case TYPE_UINT16:
        IN_LIST(uint16_t);
        break;
    case TYPE_INT32:
    case TYPE_DATE:
        IN_LIST(int32_t);
        break;
    case TYPE_UINT32:
        IN_LIST(uint32_t);
        break;
    case TYPE_UINT64:
        IN_LIST(uint64_t);
        break;
    case TYPE_FLOAT:
        in_list_double(a, count, true);
        break;
    case TYPE_DOUBLE:
        in_list_double(a, count, false);
        break;
    case TYPE_VARCHAR:
    case TYPE_BLOB:
        in_list_text(a, count);
        break;
    case TYPE_INTERVAL:
        in_list_interval(a, count);
        break;
    default:
        if (a->type.width == 16)
            IN_LIST(int128);
        else
            IN_LIST(int64_t);
    }
}
