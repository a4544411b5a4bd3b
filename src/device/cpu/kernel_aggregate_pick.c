/* kernel_aggregate_pick.c - least and greatest values by group. */
#include "device/cpu/kernel_aggregate.h"
#include "device/cpu/kernel_keys.h"
#include "device/cpu/kernel_text.h"

/* NaN is greater than all other numbers, as in sorting. */
static inline bool double_is_less(double x, double y)
{
    return x != x ? false : y != y ? true : x < y;
}

#define INTEGER_IS_LESS(x, y) ((x) < (y))
#define INTERVAL_IS_LESS(x, y) (interval_total(&(x)) < interval_total(&(y)))

/* The state's group: `body` with x the row's value. */
#define PICK_BY_GROUP(ctype, is_better)                                                            \
    do {                                                                                           \
        bool is_large = is_large_of(a->groups, a->group_count, sizeof(ctype));                     \
        FOR_GROUP_ROWS(a, count, sizeof(ctype), is_large, {                                        \
            ctype x = values[i];                                                                   \
            ctype *state = &states[a->groups[i]];                                                  \
            if (is_better)                                                                         \
                *state = x;                                                                        \
        });                                                                                        \
    } while (0)

#define PICK_OF_ALL(ctype, is_better)                                                              \
    do {                                                                                           \
        ctype best = *states, *state = &best;                                                      \
        FOR_ROWS(a, count, {                                                                       \
            ctype x = values[i];                                                                   \
            *state = (is_better) ? x : *state;                                                     \
        });                                                                                        \
        *states = best;                                                                            \
    } while (0)

#define PICK(ctype, is_less)                                                                       \
    do {                                                                                           \
        const ctype *values = a->values;                                                           \
        ctype *states = a->states;                                                                 \
        if (a->groups && a->is_greatest)                                                           \
            PICK_BY_GROUP(ctype, is_less(*state, x));                                              \
        else if (a->groups)                                                                        \
            PICK_BY_GROUP(ctype, is_less(x, *state));                                              \
        else if (a->is_greatest)                                                                   \
            PICK_OF_ALL(ctype, is_less(*state, x));                                                \
        else                                                                                       \
            PICK_OF_ALL(ctype, is_less(x, *state));                                                \
    } while (0)

static void pick_bits(const aggregate_pick_arguments *a, size_t count)
{
    const uint64_t *values = a->values;
    uint8_t *states = a->states;
    FOR_ROWS(a, count, {
        uint8_t *state = &states[a->groups ? a->groups[i] : 0];
        uint8_t x = kernel_bit(values, i);
        *state = a->is_greatest ? *state | x : *state & x;
    });
}

void ISA_(aggregate_pick)(const aggregate_pick_arguments *a)
{
    size_t count = kernel_count(a->count);
    switch (a->type.id) {
    case TYPE_BOOL:
        if (a->is_state)
            PICK(uint8_t, INTEGER_IS_LESS);
        else
            pick_bits(a, count);
        break;
    case TYPE_INT8:
        PICK(int8_t, INTEGER_IS_LESS);
        break;
    case TYPE_UINT8:
        PICK(uint8_t, INTEGER_IS_LESS);
        break;
    case TYPE_INT16:
        PICK(int16_t, INTEGER_IS_LESS);
        break;
    case TYPE_UINT16:
        PICK(uint16_t, INTEGER_IS_LESS);
        break;
    case TYPE_INT32:
    case TYPE_DATE:
        PICK(int32_t, INTEGER_IS_LESS);
        break;
    case TYPE_UINT32:
        PICK(uint32_t, INTEGER_IS_LESS);
        break;
    case TYPE_UINT64:
        PICK(uint64_t, INTEGER_IS_LESS);
        break;
    case TYPE_FLOAT:
        PICK(float, double_is_less);
        break;
    case TYPE_DOUBLE:
        PICK(double, double_is_less);
        break;
    case TYPE_INTERVAL:
        PICK(interval_value, INTERVAL_IS_LESS);
        break;
    default:
        if (a->type.width == 16)
            PICK(int128, INTEGER_IS_LESS);
        else
            PICK(int64_t, INTEGER_IS_LESS);
    }
}

/* ---- text ---- */

void ISA_(aggregate_pick_text)(const aggregate_pick_text_arguments *a)
{
    size_t count = kernel_count(a->count);
    uint64_t changes = 0;
    FOR_ROWS(a, count, {
        uint32_t group = a->groups ? a->groups[i] : 0;
        string_view *state = &a->states[group];
        const string_view *x = &a->values[i];
        if (x->bytes != AGGREGATE_NO_TEXT &&
            (state->bytes == AGGREGATE_NO_TEXT ||
             (a->is_greatest ? kernel_text_less(state, x) : kernel_text_less(x, state)))) {
            *state = *x;
            if (a->changed && x->bytes > STRING_INLINE_BYTES)
                a->changed[changes++] = group;
        }
    });
    if (a->changed_count)
        *a->changed_count = changes;
}

static bool is_long(const string_view *state)
{
    return state->bytes > STRING_INLINE_BYTES && state->bytes != AGGREGATE_NO_TEXT;
}

void ISA_(aggregate_text_bytes)(const aggregate_text_bytes_arguments *a)
{
    size_t count = kernel_count(a->count);
    uint64_t total = 0;
    for (size_t i = 0; i < count; i++) {
        const string_view *state = &a->states[a->changed ? a->changed[i] : i];
        total += is_long(state) ? state->bytes : 0;
    }
    *a->out_total += total;
}

void ISA_(aggregate_text_values)(const aggregate_text_values_arguments *a)
{
    size_t count = kernel_count(a->count);
    memset(a->out_validity, 0, bitmap_bytes(count));
    for (size_t i = 0; i < count; i++) {
        bool has_text = a->states[i].bytes != AGGREGATE_NO_TEXT;
        a->out[i] = has_text ? a->states[i] : (string_view){0};
        a->out_validity[i / 64] |= (uint64_t)has_text << i % 64;
    }
}

void ISA_(aggregate_own_text)(const aggregate_own_text_arguments *a)
{
    size_t count = kernel_count(a->count);
    uint64_t used = *a->heap_used;
    for (size_t i = 0; i < count; i++) {
        string_view *state = &a->states[a->changed ? a->changed[i] : i];
        if (is_long(state))
            kernel_own_text(state, a->heap, &used);
    }
    *a->heap_used = used;
}
