/* test_null_values.c - what lies under a NULL, of every kernel that makes columns with NULLs, on
 * every ISA and the CUDA device: it does not depend on what the memory held before, a text there can be read, and where
 * the kernel makes the NULL it is zero (kernels.def says so). Other values are those of the scalar kernel.
 *
 * Which kernels these are comes from kernels.def: each one that is told of a validity, or makes one,
 * has a case below, or stands among the exceptions with the reason.
 * test_label: not-tsan */
#include "device/cpu/tables.h"
#include "device/kernels/kernel_ops.h"
#include "kernel_tables.h"
#include "test.h"

#include <math.h>

#define ROWS 200
#define WORDS ((ROWS + 63) / 64)
#define VALUE_BYTES ((ROWS + 8) * 16)
#define HEAP_BYTES (ROWS * 64)

/* ---- the list ---- */

#define POINTER(type, name) #type " *" #name ";"
#define VALUE(type, name) #type " " #name ";"
#define COUNT(name) "count " #name ";"
static const struct {
    const char *name, *fields;
} kernels[DEV_KERNEL_COUNT] = {
#define KERNEL(name, ...) {#name, "" __VA_ARGS__},
#include "device/kernels/kernels.def"
#undef KERNEL
};
#undef POINTER
#undef VALUE
#undef COUNT

static bool knows_validity(size_t kernel)
{
    return strstr(kernels[kernel].fields, "validity;") || strstr(kernels[kernel].name, "validity");
}

static const struct {
    dev_kernel_id kernel;
    const char *reason;
} exceptions[] = {
    {DEV_KERNEL_mask_to_index, "row numbers"},
    {DEV_KERNEL_repeat_rows, "row numbers"},
    {DEV_KERNEL_join_drop_nulls, "group numbers"},
    {DEV_KERNEL_join_spread_nulls, "hashes"},
    {DEV_KERNEL_rank_find, "group numbers"},
    {DEV_KERNEL_code_pack, "codes"},
    {DEV_KERNEL_code_insert, "group numbers"},
    {DEV_KERNEL_code_find, "group numbers"},
    {DEV_KERNEL_codes_number, "codes"},
    {DEV_KERNEL_hash_values, "hashes"},
    {DEV_KERNEL_keys_pack, "packed rows, zeroed before"},
    {DEV_KERNEL_sort_pack, "sort keys"},
    {DEV_KERNEL_order_codes, "sort keys"},
    {DEV_KERNEL_filter_bitmap, "a mask"},
    {DEV_KERNEL_filter_bloom, "a mask"},
    {DEV_KERNEL_bloom_add, "a filter's bits"},
    {DEV_KERNEL_join_key_bounds, "bounds"},
    {DEV_KERNEL_narrow_range, "bounds"},
    {DEV_KERNEL_narrow_sum, "a sum"},
    {DEV_KERNEL_join_key_bitmap, "a bitmap of keys"},
    {DEV_KERNEL_key_statistics, "statistics"},
    {DEV_KERNEL_string_bytes, "a count of bytes"},
    {DEV_KERNEL_string_offsets, "offsets"},
    {DEV_KERNEL_string_place, "bytes of texts, of a NULL none"},
    {DEV_KERNEL_string_build_bytes, "a count of bytes"},
    {DEV_KERNEL_parquet_levels, "a validity alone"},
    {DEV_KERNEL_parquet_batch_levels, "a validity alone"},
    {DEV_KERNEL_aggregate_count, "states"},
    {DEV_KERNEL_aggregate_sum, "states"},
    {DEV_KERNEL_aggregate_sum_number, "states"},
    {DEV_KERNEL_aggregate_pick, "states"},
    {DEV_KERNEL_aggregate_bits, "states"},
    {DEV_KERNEL_aggregate_pick_text, "states"},
    {DEV_KERNEL_aggregate_vary, "states"},
    {DEV_KERNEL_aggregate_add_pair, "states"},
    {DEV_KERNEL_over_changes, "bits of changes"},
    {DEV_KERNEL_over_range_bound, "row numbers"},
    {DEV_KERNEL_over_shift, "row numbers"},
    {DEV_KERNEL_over_nth, "row numbers"},
    {DEV_KERNEL_over_count, "states"},
    {DEV_KERNEL_over_sum, "states"},
    {DEV_KERNEL_over_sum_number, "states"},
    {DEV_KERNEL_over_vary, "states"},
    {DEV_KERNEL_over_pair, "states"},
    {DEV_KERNEL_values_add, "values without NULLs"},
    {DEV_KERNEL_values_from_blob, "states"},
    {DEV_KERNEL_values_to_blob, "states as texts, an empty one where there is none"},
    {DEV_KERNEL_list_count, "a count of words"},
    {DEV_KERNEL_list_add, "words, of a NULL two or one of a kind of their own"},
    {DEV_KERNEL_list_view, "states as texts, an empty one where there is none"},
    {DEV_KERNEL_over_bits, "states"},
    {DEV_KERNEL_over_pick, "row numbers"},
    {DEV_KERNEL_aggregate_text_values, "states, and an empty text where there is none"},
};

/* ---- inputs: values, zero under their NULLs ---- */

static struct {
    _Alignas(64) char numbers[VALUE_BYTES], others[VALUE_BYTES];
    _Alignas(64) string_view texts[ROWS + 8], needles[ROWS + 8];
    _Alignas(64) uint64_t validity[WORDS + 8], other_validity[WORDS + 8], both[WORDS + 8];
    _Alignas(64) uint64_t bits[WORDS + 8];
    _Alignas(64) uint32_t index[ROWS + 16], scattered[ROWS + 16];
    char heap[HEAP_BYTES];
    uint64_t counts[ROWS];
} in;

typedef struct output {
    _Alignas(64) char values[VALUE_BYTES];
    _Alignas(64) uint64_t validity[WORDS + 8];
    char heap[HEAP_BYTES * 3];
    uint64_t number;
    dev_error error;
} output;
static output outputs[2], scalar_output;

static bool bit(const uint64_t *bits, size_t i)
{
    return bits[i / 64] >> (i % 64) & 1;
}

/* Numbers of `width` bytes, small and not zero; 0: bits. */
static void fill_numbers(char *values, const uint64_t *validity, data_type type)
{
    memset(values, 0, VALUE_BYTES);
    for (size_t i = 0; i < ROWS; i++) {
        int128 number = (int128)test_random_below(50) + 1;
        double real = (double)number;
        float narrow = (float)real;
        interval_value interval = {1, 2, 3};
        char *at = values + i * type.width;
        if (!bit(validity, i))
            continue;
        if (!type.width)
            ((uint64_t *)(void *)values)[i / 64] |= (uint64_t)1 << (i % 64);
        else if (type.id == TYPE_DOUBLE)
            memcpy(at, &real, sizeof real);
        else if (type.id == TYPE_FLOAT)
            memcpy(at, &narrow, sizeof narrow);
        else if (type.id == TYPE_INTERVAL)
            memcpy(at, &interval, sizeof interval);
        else
            memcpy(at, &number, type.width);
    }
}

static void fill_texts(string_view *views, const uint64_t *validity, size_t most)
{
    memset(views, 0, (ROWS + 8) * sizeof *views);
    for (size_t i = 0; i < ROWS; i++)
        if (bit(validity, i))
            views[i] = string_view_make(in.heap + i * 32, (uint32_t)(1 + test_random_below(most)));
}

static void fill_inputs(data_type type)
{
    for (size_t w = 0; w < WORDS; w++) {
        uint64_t mask = ROWS - w * 64 >= 64 ? UINT64_MAX : ((uint64_t)1 << (ROWS % 64)) - 1;
        in.validity[w] = (test_random() | test_random()) & mask;
        in.other_validity[w] = (test_random() | test_random()) & mask;
        in.both[w] = in.validity[w] & in.other_validity[w];
        in.bits[w] = test_random() & mask;
    }
    for (size_t i = 0; i < sizeof in.heap; i++)
        in.heap[i] = "abc "[test_random_below(4)];
    for (size_t i = 0; i < ROWS; i++) {
        in.index[i] = bit(in.bits, i) ? (uint32_t)i : ROW_NULL;
        in.scattered[i] = (uint32_t)(ROWS - 1 - i);
        in.counts[i] = bit(in.validity, i);
    }
    fill_numbers(in.numbers, in.validity, type);
    fill_numbers(in.others, in.other_validity, type);
    fill_texts(in.texts, in.validity, 30);
    fill_texts(in.needles, in.other_validity, 3);
}

/* ---- cases ---- */

typedef enum null_rule {
    NULLS_ARE_ZERO,   /* the kernel makes them, or says that it clears them */
    NULLS_ARE_DEFINED /* something that follows from the operands */
} null_rule;

typedef struct run {
    const dev_kernel_function *table;
    output *out;
} run;

/* The shape of what came out: its width (0: bits), whether it is text, and the validity (NULL: the output's). */
typedef struct shape {
    null_rule rule;
    uint32_t width;
    bool is_text;
    const uint64_t *validity;
} shape;

#define LAUNCH(name, ...)                                                                          \
    r->table[DEV_KERNEL_##name](&(name##_arguments){__VA_ARGS__, .count = dev_count_exact(ROWS)})
#define FAILURES .error = &r->out->error, .location = 0

static const data_type *numeric_types(size_t *count)
{
    static data_type types[8];
    types[0] = type_make(TYPE_INT32);
    types[1] = type_make(TYPE_INT64);
    types[2] = type_make(TYPE_DOUBLE);
    types[3] = type_make(TYPE_FLOAT);
    types[4] = type_decimal(15, 2);
    types[5] = type_decimal(30, 2);
    *count = 6;
    return types;
}

static shape gather_values(const run *r, data_type type, unsigned variant)
{
    const uint64_t *base_validity = variant ? in.validity : NULL;
    LAUNCH(gather, .width = type.width, .index_has_nulls = true, .base_rows = ROWS,
           .base = in.numbers, .base_validity = base_validity, .index = in.index,
           .out = r->out->values, .out_validity = r->out->validity);
    return (shape){NULLS_ARE_ZERO, type.width, false, NULL};
}

static shape copy_texts(const run *r, data_type type, unsigned variant)
{
    (void)type, (void)variant;
    r->out->number = 0;
    LAUNCH(string_copy, .values = in.texts, .validity = in.both, .heap = r->out->heap,
           .heap_used = &r->out->number, .out = (string_view *)(void *)r->out->values);
    return (shape){NULLS_ARE_ZERO, 16, true, in.both};
}

static shape make_arrow_values(const run *r, data_type type, unsigned variant)
{
    static _Alignas(16) interval_value intervals[ROWS];
    (void)type;
    for (size_t i = 0; i < ROWS; i++)
        intervals[i] = (interval_value){1, 2, 3};
    LAUNCH(arrow_values, .type = type_make(variant ? TYPE_UUID : TYPE_INTERVAL),
           .values = intervals, .validity = in.validity, .out = r->out->values, FAILURES);
    return (shape){NULLS_ARE_ZERO, 16, false, in.validity};
}

static shape choose_values(const run *r, data_type type, unsigned variant)
{
    bool is_null = variant > 0; /* CASE without ELSE, NULLIF: a NULL constant */
    static const uint64_t none[8];
    LAUNCH(choose, .width = type.width, .condition = in.bits, .first = in.numbers,
           .first_validity = in.validity, .first_stride = 1,
           .second = is_null ? (const void *)none : in.others,
           .second_validity = is_null ? none : in.other_validity, .second_stride = !is_null,
           .out = r->out->values, .out_validity = r->out->validity);
    return (shape){NULLS_ARE_ZERO, type.width, false, NULL};
}

/* Scatters the two branches of a lazy CASE. */
static shape scatter_values(const run *r, data_type type, unsigned variant)
{
    (void)variant;
    memset(r->out->validity, 0, WORDS * 8);
    if (!type.width)
        memset(r->out->values, 0, WORDS * 8);
    LAUNCH(scatter, .width = type.width, .values = in.numbers, .validity = in.validity, .stride = 1,
           .index = in.scattered, .out = r->out->values, .out_validity = r->out->validity);
    return (shape){NULLS_ARE_ZERO, type.width, false, NULL};
}

static shape compute(const run *r, data_type type, unsigned variant)
{
    LAUNCH(arithmetic, .op = (uint8_t)variant, .type = type, .is_checked = true, .left = in.numbers,
           .left_width = type.width, .left_stride = 1, .right = in.others,
           .right_width = type.width, .right_stride = 1, .validity = in.both, .out = r->out->values,
           FAILURES);
    return (shape){NULLS_ARE_DEFINED, type.width, false, in.both};
}

static shape round_numbers(const run *r, data_type type, unsigned variant)
{
    bool is_bounded =
        variant == DEV_MATH_ASIN || variant == DEV_MATH_ACOS || variant == DEV_MATH_ATANH;
    if ((type.id != TYPE_DOUBLE && variant >= DEV_MATH_SQRT) || is_bounded)
        variant = DEV_MATH_ABS;
    LAUNCH(math, .op = (uint8_t)variant, .type = type, .digits = 0, .left = in.numbers,
           .left_stride = 1, .right = variant >= DEV_MATH_POWER ? (void *)in.others : NULL,
           .right_stride = 1, .validity = in.both, .out = r->out->values, FAILURES);
    return (shape){NULLS_ARE_DEFINED, type.width, false, in.both};
}

static shape cast_numbers(const run *r, data_type type, unsigned variant)
{
    size_t type_count;
    data_type to = numeric_types(&type_count)[variant];
    LAUNCH(cast_number, .from = type, .to = to, .is_checked = true, .values = in.numbers,
           .validity = in.validity, .out = r->out->values, FAILURES);
    return (shape){NULLS_ARE_DEFINED, to.width, false, in.validity};
}

static shape cast_from_text(const run *r, data_type type, unsigned variant)
{
    (void)variant;
    static string_view numbers[ROWS];
    for (size_t i = 0; i < ROWS; i++)
        numbers[i] = bit(in.validity, i) ? string_view_make("7", 1) : (string_view){0};
    LAUNCH(cast_from_text, .to = type, .values = numbers, .validity = in.validity,
           .out = r->out->values, FAILURES);
    return (shape){NULLS_ARE_ZERO, type.width, false, in.validity};
}

static shape cast_to_text(const run *r, data_type type, unsigned variant)
{
    (void)variant;
    LAUNCH(cast_to_text, .from = type, .values = in.numbers, .validity = in.validity,
           .heap = r->out->heap, .heap_stride = 48, .out = (string_view *)(void *)r->out->values);
    return (shape){NULLS_ARE_ZERO, 16, true, in.validity};
}

static shape like_column(const run *r, data_type type, unsigned variant)
{
    (void)type, (void)variant;
    LAUNCH(like_column, .values = in.texts, .value_stride = 1, .patterns = in.needles,
           .pattern_stride = 1, .escape = -1, .validity = in.both,
           .out = (uint64_t *)(void *)r->out->values, FAILURES);
    return (shape){NULLS_ARE_ZERO, 0, false, in.both};
}

static shape slice_texts(const run *r, data_type type, unsigned variant)
{
    (void)type;
    const int64_t *first = (const int64_t *)(const void *)in.others;
    LAUNCH(string_slice, .op = (uint8_t)variant, .values = in.texts, .value_stride = 1,
           .first = first, .first_stride = 1, .second = first, .second_stride = 1,
           .validity = in.both, .out = (string_view *)(void *)r->out->values, FAILURES);
    return (shape){NULLS_ARE_ZERO, 16, true, in.both};
}

static shape build_texts(const run *r, data_type type, unsigned variant)
{
    (void)type;
    LAUNCH(string_build, .op = (uint8_t)variant, .first = in.texts, .first_stride = 1,
           .second = in.needles, .second_stride = 1, .third = in.needles, .third_stride = 1,
           .validity = in.both, .heap = r->out->heap, .out = (string_view *)(void *)r->out->values);
    return (shape){NULLS_ARE_ZERO, 16, true, in.both};
}

static shape cut_dates(const run *r, data_type type, unsigned variant)
{
    (void)type;
    bool is_part = variant == DEV_PART_MONTH || variant == DEV_PART_YEAR || variant == DEV_PART_DAY;
    LAUNCH(date_trunc, .part = is_part ? (uint8_t)variant : DEV_PART_HOUR,
           .type = type_make(TYPE_TIMESTAMP), .out_type = type_make(TYPE_TIMESTAMP),
           .values = in.numbers, .validity = in.validity, .out = (int64_t *)(void *)r->out->values,
           FAILURES);
    return (shape){NULLS_ARE_DEFINED, 8, false, in.validity};
}

/* An interval that leads out of the range, under NULLs alone. */
static shape add_times(const run *r, data_type type, unsigned variant)
{
    (void)type, (void)variant;
    static int64_t far[ROWS];
    static const interval_value much = {INT32_MAX, INT32_MAX, INT64_MAX};
    for (size_t i = 0; i < ROWS; i++)
        far[i] = INT64_MAX - (int64_t)i;
    static const uint64_t none[WORDS];
    LAUNCH(time_arithmetic, .op = DEV_TIME_TIMESTAMP_ADD_INTERVAL, .precision = 6, .left = far,
           .left_stride = 1, .right = &much, .right_stride = 0, .validity = none,
           .out = r->out->values, FAILURES);
    return (shape){NULLS_ARE_DEFINED, 8, false, none};
}

static shape spread_page(const run *r, data_type type, unsigned variant)
{
    (void)variant;
    r->table[DEV_KERNEL_parquet_spread](&(parquet_spread_arguments){.width = type.width,
                                                                    .dense = in.numbers,
                                                                    .validity = in.validity,
                                                                    .row_count = ROWS,
                                                                    .out = r->out->values});
    return (shape){NULLS_ARE_ZERO, type.width, false, in.validity};
}

/* In two pages, of which the second does not begin a word. */
static shape spread_pages(const run *r, data_type type, unsigned variant)
{
    (void)variant;
    enum { FIRST = ROWS / 2 - 1 };
    parquet_page pages[] = {
        {.kind = PARQUET_PAGE_PLAIN, .row_count = FIRST},
        {.kind = PARQUET_PAGE_PLAIN, .first_row = FIRST, .row_count = ROWS - FIRST}};
    r->table[DEV_KERNEL_parquet_batch_spread](
        &(parquet_batch_spread_arguments){.pages = pages,
                                          .page_count = 2,
                                          .width = type.width,
                                          .dense = in.numbers,
                                          .validity = in.validity,
                                          .row_count = ROWS,
                                          .out = r->out->values});
    return (shape){NULLS_ARE_ZERO, type.width, false, in.validity};
}

static shape unpack_keys(const run *r, data_type type, unsigned variant)
{
    (void)variant;
    static uint8_t rows[ROWS * 24];
    memset(rows, 0, sizeof rows);
    for (size_t i = 0; i < ROWS; i++)
        if (bit(in.validity, i))
            memcpy(rows + i * 24, in.numbers + i * type.width, type.width);
        else
            rows[i * 24 + 16] = 1;
    LAUNCH(keys_unpack, .type = type, .rows = rows, .stride = 24, .offset = 0, .null_bit = 128,
           .values = r->out->values, .validity = r->out->validity);
    return (shape){NULLS_ARE_ZERO, type.width, false, NULL};
}

static shape number_codes(const run *r, data_type type, unsigned variant)
{
    (void)variant;
    if (type.id != TYPE_INT64)
        type = type_make(TYPE_INT32);
    LAUNCH(codes_to_number, .type = type, .first = 0, .minimum = 5, .radix = 7, .digit = 1,
           .out = r->out->values, .out_validity = r->out->validity);
    return (shape){NULLS_ARE_ZERO, type.width, false, NULL};
}

static shape mark_validity(const run *r, data_type type, unsigned variant)
{
    (void)variant;
    memset(r->out->values, 0x7e, ROWS * 16); /* states that no value came to */
    LAUNCH(aggregate_validity, .states = in.counts, .least = 1, .width = type.width,
           .values = r->out->values, .out = r->out->validity);
    return (shape){NULLS_ARE_ZERO, type.width, false, NULL};
}

static shape finish_variance(const run *r, data_type type, unsigned variant)
{
    (void)type;
    static aggregate_variance states[ROWS];
    memset(states, 0, sizeof states);
    for (size_t i = 0; i < ROWS; i++)
        states[i].count = i % 3;
    LAUNCH(aggregate_finish_variance, .result = AGGREGATE_RESULT_VAR_SAMP + (int)(variant % 2),
           .states = states, .out = (double *)(void *)r->out->values,
           .out_validity = r->out->validity);
    return (shape){NULLS_ARE_ZERO, 8, false, NULL};
}

static shape finish_pair(const run *r, data_type type, unsigned variant)
{
    (void)type;
    static aggregate_pair states[ROWS];
    memset(states, 0, sizeof states);
    for (size_t i = 0; i < ROWS; i++)
        states[i].count = i % 3;
    LAUNCH(aggregate_finish_pair, .result = AGGREGATE_RESULT_CORR + (int)variant, .states = states,
           .out = r->out->values, .out_validity = r->out->validity);
    return (shape){NULLS_ARE_ZERO, 8, false, NULL};
}

/* Selects values of groups that no value came to. */
static shape select_values(const run *r, data_type type, unsigned variant)
{
    static const aggregate_values states[ROWS];
    LAUNCH(values_select, .type = type, .between = variant, .share = 0.5, .states = states,
           .out = r->out->values, .out_validity = r->out->validity);
    return (shape){NULLS_ARE_ZERO, variant ? 8 : type.width, false, NULL};
}

static shape combine_bits(const run *r, data_type type, unsigned variant)
{
    (void)type;
    LAUNCH(logic, .op = variant ? DEV_LOGIC_OR : DEV_LOGIC_AND, .left = in.bits,
           .left_validity = in.validity, .left_stride = 1, .right = in.bits,
           .right_validity = in.other_validity, .right_stride = 1,
           .out = (uint64_t *)(void *)r->out->values, .out_validity = r->out->validity);
    return (shape){NULLS_ARE_DEFINED, 0, false, NULL};
}

/* Each row is a partition. */
static shape number_buckets(const run *r, data_type type, unsigned variant)
{
    static uint32_t from[ROWS], to[ROWS];
    (void)type, (void)variant;
    for (uint32_t i = 0; i < ROWS; i++) {
        from[i] = i;
        to[i] = i + 1;
    }
    LAUNCH(over_tile, .buckets = (const int64_t *)in.counts, .validity = in.validity, .from = from,
           .to = to, .out = (int32_t *)(void *)r->out->values, .out_validity = r->out->validity,
           FAILURES);
    return (shape){NULLS_ARE_ZERO, 4, false, NULL};
}

static const struct {
    dev_kernel_id kernel;
    shape (*launch)(const run *r, data_type type, unsigned variant);
    unsigned variants;
    bool of_bits; /* booleans too */
} cases[] = {
    {DEV_KERNEL_gather, gather_values, 2, true},
    {DEV_KERNEL_string_copy, copy_texts, 1, false},
    {DEV_KERNEL_arrow_values, make_arrow_values, 2, false},
    {DEV_KERNEL_choose, choose_values, 2, true},
    {DEV_KERNEL_scatter, scatter_values, 1, true},
    {DEV_KERNEL_arithmetic, compute, DEV_MODULO + 1, false},
    {DEV_KERNEL_math, round_numbers, DEV_MATH_ATAN2 + 1, false},
    {DEV_KERNEL_cast_number, cast_numbers, 6, false},
    {DEV_KERNEL_cast_from_text, cast_from_text, 1, false},
    {DEV_KERNEL_cast_to_text, cast_to_text, 1, false},
    {DEV_KERNEL_like_column, like_column, 1, false},
    {DEV_KERNEL_string_slice, slice_texts, DEV_SLICE_RIGHT + 1, false},
    {DEV_KERNEL_string_build, build_texts, DEV_BUILD_REPLACE + 1, false},
    {DEV_KERNEL_date_trunc, cut_dates, DEV_PART_COUNT, false},
    {DEV_KERNEL_time_arithmetic, add_times, 1, false},
    {DEV_KERNEL_parquet_spread, spread_page, 1, false},
    {DEV_KERNEL_parquet_batch_spread, spread_pages, 1, false},
    {DEV_KERNEL_keys_unpack, unpack_keys, 1, false},
    {DEV_KERNEL_codes_to_number, number_codes, 1, false},
    {DEV_KERNEL_aggregate_validity, mark_validity, 1, true},
    {DEV_KERNEL_aggregate_finish_variance, finish_variance, 2, false},
    {DEV_KERNEL_aggregate_finish_pair, finish_pair,
     AGGREGATE_RESULT_REGR_R2 - AGGREGATE_RESULT_CORR + 1, false},
    {DEV_KERNEL_values_select, select_values, 2, false},
    {DEV_KERNEL_over_tile, number_buckets, 1, false},
    {DEV_KERNEL_logic, combine_bits, 2, false},
};
#define CASES (sizeof cases / sizeof *cases)

TEST(each_kernel_with_a_validity_is_looked_at)
{
    for (size_t k = 0; k < DEV_KERNEL_COUNT; k++) {
        unsigned found = 0;
        for (size_t i = 0; i < CASES; i++)
            found += cases[i].kernel == k;
        for (size_t i = 0; i < sizeof exceptions / sizeof *exceptions; i++)
            found += exceptions[i].kernel == k;
        if (found != knows_validity(k))
            test_fail(__FILE__, __LINE__, "kernel %s has %u cases and exceptions here",
                      kernels[k].name, found);
    }
}

/* ---- checking ---- */

static void check_row(const char *isa, const char *kernel, const shape *s, size_t i)
{
    const char *first = outputs[0].values + i * s->width,
               *second = outputs[1].values + i * s->width;
    static const char zeros[16];
    if (!s->width) {
        const uint64_t *one = (const void *)outputs[0].values, *other = (void *)outputs[1].values;
        if (bit(one, i) != bit(other, i) || (s->rule == NULLS_ARE_ZERO && bit(one, i)))
            test_fail(__FILE__, __LINE__, "%s, %s: the bit under the NULL of row %zu", isa, kernel,
                      i);
        return;
    }
    if (memcmp(first, second, s->width))
        test_fail(__FILE__, __LINE__,
                  "%s, %s: the value under the NULL of row %zu is whatever was "
                  "there",
                  isa, kernel, i);
    if (s->rule == NULLS_ARE_ZERO && memcmp(first, zeros, s->width))
        test_fail(__FILE__, __LINE__, "%s, %s: the value under the NULL of row %zu is not zero",
                  isa, kernel, i);
    if (s->is_text && ((const string_view *)(const void *)first)->bytes)
        test_fail(__FILE__, __LINE__, "%s, %s: the text under the NULL of row %zu is not empty",
                  isa, kernel, i);
}

/* Doubles may differ in how they are rounded. */
static bool is_same_number(const char *left, const char *right, uint32_t width, bool is_double)
{
    double a, b;
    if (!memcmp(left, right, width))
        return true;
    if (!is_double || width != sizeof a)
        return false;
    memcpy(&a, left, sizeof a);
    memcpy(&b, right, sizeof b);
    return isnan(a) == isnan(b) && !(fabs(a - b) > 1e-12 * fabs(a));
}

static bool is_same(const shape *s, size_t i, bool is_double)
{
    const char *left = scalar_output.values + i * s->width,
               *right = outputs[0].values + i * s->width;
    if (!s->width)
        return bit((const void *)scalar_output.values, i) ==
               bit((const void *)outputs[0].values, i);
    if (!s->is_text)
        return is_same_number(left, right, s->width, is_double);
    const string_view *one = (const void *)left, *other = (const void *)right;
    return one->bytes == other->bytes && !memcmp(string_data(one), string_data(other), one->bytes);
}

/* Checks values that are not NULL, and which these are. */
static void check_values(const char *isa, size_t c, data_type type, unsigned variant,
                         const shape *s)
{
    const char *name, *kernel = kernels[cases[c].kernel].name;
    bool is_double = type.id == TYPE_DOUBLE || strstr(kernel, "finish") || strstr(kernel, "select");
    memset(&scalar_output, 0xa5, sizeof scalar_output);
    memset(&scalar_output.error, 0, sizeof scalar_output.error);
    cases[c].launch(&(run){dev_kernel_table("scalar", &name), &scalar_output}, type, variant);
    const uint64_t *validity = s->validity ? s->validity : scalar_output.validity;
    for (size_t i = 0; i < ROWS; i++) {
        if (!s->validity && bit(validity, i) != bit(outputs[0].validity, i))
            test_fail(__FILE__, __LINE__,
                      "%s, %s: row %zu is NULL, or is not, unlike the scalar one", isa, kernel, i);
        if (bit(validity, i) && !is_same(s, i, is_double))
            test_fail(__FILE__, __LINE__,
                      "%s, %s, variant %u: the value of row %zu is not the scalar one", isa, kernel,
                      variant, i);
    }
}

static void check_case(const char *isa, const dev_kernel_function *table, size_t c, data_type type,
                       unsigned variant)
{
    const char *kernel = kernels[cases[c].kernel].name;
    shape s = {0};
    fill_inputs(type);
    for (int i = 0; i < 2; i++) {
        memset(&outputs[i], i ? 0x5a : 0xa5, sizeof outputs[i]);
        memset(&outputs[i].error, 0, sizeof outputs[i].error);
        s = cases[c].launch(&(run){table, &outputs[i]}, type, variant);
        /* A zero divisor of a valid row is not what is looked for; of arguments out of a domain one row is
         * told, and all are computed. */
        unsigned code = atomic_load(&outputs[i].error.code);
        if (code != DEV_ERROR_NONE && code != DEV_ERROR_ARGUMENT)
            test_fail(__FILE__, __LINE__, "%s, %s: error %u of row %zu", isa, kernel, code,
                      (size_t)outputs[i].error.detail);
    }
    const uint64_t *validity = s.validity ? s.validity : outputs[0].validity;
    CHECK(s.validity || !memcmp(outputs[0].validity, outputs[1].validity, WORDS * 8));
    for (size_t i = 0; i < ROWS; i++)
        if (!bit(validity, i))
            check_row(isa, kernel, &s, i);
    check_values(isa, c, type, variant, &s);
}

static void check_table(const char *isa, const dev_kernel_function *table)
{
    size_t type_count;
    const data_type *types = numeric_types(&type_count);
    for (size_t c = 0; c < CASES; c++)
        for (unsigned v = 0; v < cases[c].variants; v++) {
            for (size_t t = 0; t < type_count; t++)
                check_case(isa, table, c, types[t], v);
            if (cases[c].of_bits)
                check_case(isa, table, c, type_make(TYPE_BOOL), v);
        }
}

TEST(values_under_nulls_are_defined)
{
    static const char *const isas[] = {"scalar", "avx2", "avx512", "cuda"};
    const char *name;
    for (size_t i = 0; i < sizeof isas / sizeof *isas; i++) {
        const dev_kernel_function *table = test_kernel_table(isas[i], &name);
        if (table)
            check_table(name, table);
    }
    check_table("simulated", kernel_table_simulated);
}
