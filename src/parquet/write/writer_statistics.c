/* writer_statistics.c - least and greatest value of a column chunk or page, in the column's order.
 *
 * NaN takes part in no bound, and a zero bound is written as -0 below and +0 above, since readers
 * may tell the two apart. Long text is cut: the lower bound to a prefix, the upper one to a prefix
 * whose last character is raised. */
#include "parquet/write/writer_statistics.h"

#include "parquet/write/writer_column.h"

#define MEASURE(type)                                                                              \
    do {                                                                                           \
        const type *values = dense->values;                                                        \
        type low = values[0], high = values[0];                                                    \
        for (uint64_t i = 1; i < dense->count; i++) {                                              \
            low = values[i] < low ? values[i] : low;                                               \
            high = values[i] > high ? values[i] : high;                                            \
        }                                                                                          \
        set_exact(&out->min, &low, sizeof low);                                                    \
        set_exact(&out->max, &high, sizeof high);                                                  \
    } while (0)

#define MEASURE_FLOATS(type)                                                                       \
    do {                                                                                           \
        const type *values = dense->values;                                                        \
        type low = (type)__builtin_inf(), high = -(type)__builtin_inf();                           \
        bool is_any = false;                                                                       \
        for (uint64_t i = 0; i < dense->count; i++) {                                              \
            is_any |= values[i] == values[i];                                                      \
            low = values[i] < low ? values[i] : low;                                               \
            high = values[i] > high ? values[i] : high;                                            \
        }                                                                                          \
        low = low == 0 ? -(type)0 : low;                                                           \
        high = high == 0 ? (type)0 : high;                                                         \
        if (is_any) {                                                                              \
            set_exact(&out->min, &low, sizeof low);                                                \
            set_exact(&out->max, &high, sizeof high);                                              \
        }                                                                                          \
    } while (0)

static void set_exact(pq_bound *bound, const void *bytes, uint32_t count)
{
    memcpy(bound->bytes, bytes, count);
    bound->count = (uint8_t)count;
    bound->is_known = bound->is_exact = true;
}

/* ---- text ---- */

static uint32_t prefix_of(const string_view *view)
{
    uint32_t prefix;
    memcpy(&prefix, view->inlined, 4); /* zeros behind a shorter string */
    return __builtin_bswap32(prefix);
}

static int text_compare(const string_view *a, const string_view *b)
{
    uint32_t a_prefix = prefix_of(a), b_prefix = prefix_of(b);
    if (a_prefix != b_prefix)
        return a_prefix < b_prefix ? -1 : 1;
    uint32_t shorter = a->bytes < b->bytes ? a->bytes : b->bytes;
    int order = memcmp(string_data(a), string_data(b), shorter);
    return order ? order : (a->bytes > b->bytes) - (a->bytes < b->bytes);
}

static bool is_continuation(uint8_t byte)
{
    return (byte & 0xc0) == 0x80;
}

/* Returns the end of a prefix of at most PQ_BOUND_BYTES bytes that splits no UTF-8 character. */
static uint32_t writer_statistics_cut(const char *data, bool is_utf8)
{
    uint32_t count = PQ_BOUND_BYTES;
    while (is_utf8 && count > PQ_BOUND_BYTES - 4 && is_continuation((uint8_t)data[count]))
        count--;
    return count;
}

/* Raises the last byte that can be raised and drops what follows. In UTF-8 that is an ASCII
 * character below DEL, or the last byte of a longer one below 0xbf: both stay characters. */
static bool raise(pq_bound *bound, bool is_utf8)
{
    for (; bound->count; bound->count--) {
        uint8_t *last = &bound->bytes[bound->count - 1];
        bool can =
            is_utf8 ? *last < 0x7f || (is_continuation(*last) && *last < 0xbf) : *last < 0xff;
        if (can) {
            ++*last;
            return true;
        }
        /* The rest of a character goes with its last byte. */
        while (is_utf8 && bound->count > 1 && is_continuation(bound->bytes[bound->count - 1]))
            bound->count--;
    }
    return false;
}

static void measure_text(const writer_column *column, const pq_dense *dense,
                         pq_written_statistics *out)
{
    const string_view *views = dense->values, *low = views, *high = views;
    bool is_utf8 = column->type.id == TYPE_VARCHAR;
    for (uint64_t i = 1; i < dense->count; i++) {
        if (text_compare(&views[i], low) < 0)
            low = &views[i];
        else if (text_compare(&views[i], high) > 0)
            high = &views[i];
    }
    if (low->bytes <= PQ_BOUND_BYTES) {
        set_exact(&out->min, string_data(low), low->bytes);
    } else {
        set_exact(&out->min, low->data, writer_statistics_cut(low->data, is_utf8));
        out->min.is_exact = false;
    }
    if (high->bytes <= PQ_BOUND_BYTES) {
        set_exact(&out->max, string_data(high), high->bytes);
    } else {
        set_exact(&out->max, high->data, writer_statistics_cut(high->data, is_utf8));
        out->max.is_exact = false;
        out->max.is_known = raise(&out->max, is_utf8);
    }
}

/* ---- big-endian: two's complement, or (UUIDs) not ---- */

static int fixed_compare(const writer_column *column, const uint8_t *a, const uint8_t *b,
                         uint32_t bytes)
{
    if (a[0] != b[0] && column->type.id != TYPE_UUID)
        return (int8_t)a[0] < (int8_t)b[0] ? -1 : 1;
    return memcmp(a, b, bytes);
}

static void measure_fixed(const writer_column *column, const pq_dense *dense,
                          pq_written_statistics *out)
{
    const uint8_t *values = dense->values, *low = values, *high = values;
    uint32_t stride = dense->type_length;
    for (uint64_t i = 1; i < dense->count; i++) {
        const uint8_t *value = values + i * stride;
        if (fixed_compare(column, value, low, stride) < 0)
            low = value;
        if (fixed_compare(column, value, high, stride) > 0)
            high = value;
    }
    set_exact(&out->min, low, stride);
    set_exact(&out->max, high, stride);
}

static bool writer_statistics_is_unsigned(const writer_column *column)
{
    return column->type.id >= TYPE_UINT8 && column->type.id <= TYPE_UINT64;
}

void pq_measure(const writer_column *column, const pq_dense *dense, pq_written_statistics *out)
{
    out->min.is_known = out->max.is_known = false;
    if (!dense->count || column->options.no_statistics || column->type.id == TYPE_INTERVAL)
        return; /* intervals have no order in files */
    switch (dense->physical) {
    case PQ_BOOLEAN:
        MEASURE(uint8_t);
        break;
    case PQ_INT32:
        if (writer_statistics_is_unsigned(column))
            MEASURE(uint32_t);
        else
            MEASURE(int32_t);
        break;
    case PQ_INT64:
        if (writer_statistics_is_unsigned(column))
            MEASURE(uint64_t);
        else
            MEASURE(int64_t);
        break;
    case PQ_FLOAT:
        MEASURE_FLOATS(float);
        break;
    case PQ_DOUBLE:
        MEASURE_FLOATS(double);
        break;
    case PQ_BYTE_ARRAY:
        measure_text(column, dense, out);
        break;
    default:
        measure_fixed(column, dense, out);
    }
}

#define COMPARE(type)                                                                              \
    do {                                                                                           \
        type x, y;                                                                                 \
        memcpy(&x, a->bytes, sizeof x);                                                            \
        memcpy(&y, b->bytes, sizeof y);                                                            \
        return (x > y) - (x < y);                                                                  \
    } while (0)

int pq_bound_compare(const writer_column *column, const pq_bound *a, const pq_bound *b)
{
    switch (column->physical) {
    case PQ_BOOLEAN:
        COMPARE(uint8_t);
    case PQ_INT32:
        if (writer_statistics_is_unsigned(column))
            COMPARE(uint32_t);
        COMPARE(int32_t);
    case PQ_INT64:
        if (writer_statistics_is_unsigned(column))
            COMPARE(uint64_t);
        COMPARE(int64_t);
    case PQ_FLOAT:
        COMPARE(float);
    case PQ_DOUBLE:
        COMPARE(double);
    case PQ_BYTE_ARRAY: {
        int order = memcmp(a->bytes, b->bytes, a->count < b->count ? a->count : b->count);
        return order ? order : (a->count > b->count) - (a->count < b->count);
    }
    default:
        return fixed_compare(column, a->bytes, b->bytes, a->count);
    }
}
