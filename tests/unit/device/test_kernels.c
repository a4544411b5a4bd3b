/* test_kernels.c - every ISA's kernels against the scalar ones, which are the specification: random
 * values with NULLs, sizes around words and vectors, a sentinel behind each output.
 * test_label: not-tsan release smoke */
#include "device/cpu/tables.h"
#include "device/kernels/kernel_ops.h"
#include "kernel_tables.h"
#include "test.h"

#define ROWS_MAX 1100
#define SLACK 64
#define SENTINEL 0xa5
#define OUT_BYTES (ROWS_MAX * 16 + SLACK)

static const size_t counts[] = {0, 1, 63, 64, 65, 127, 1000, 1024, 1025};
#define COUNTS (sizeof counts / sizeof *counts)

static const char *const isas[] = {"avx2", "avx512", "cuda"};

/* The inputs of a launch, filled anew for each. */
static struct {
    _Alignas(64) char left[OUT_BYTES];
    _Alignas(64) char right[OUT_BYTES];
    _Alignas(64) char third[OUT_BYTES];
    uint64_t validity[ROWS_MAX / 64 + 9];
    uint64_t other_validity[ROWS_MAX / 64 + 9];
    uint64_t mask[ROWS_MAX / 64 + 9];
    uint32_t index[ROWS_MAX + 16];
    char text[ROWS_MAX * 100 + SLACK];
} in;

/* The outputs of the scalar kernel and of another. */
typedef struct outputs {
    _Alignas(64) char values[OUT_BYTES];
    uint64_t validity[ROWS_MAX / 64 + 9];
    char heap[ROWS_MAX * 100];
    uint64_t number;
    dev_error error;
} outputs;
static outputs expected, actual;

static void fill_bits(uint64_t *bits)
{
    for (size_t i = 0; i < ROWS_MAX / 64 + 9; i++)
        bits[i] = test_random() | test_random();
}

/* Few different small values, now and then an extreme one. */
static int64_t small_number(void)
{
    return (int64_t)test_random_below(7) - 3;
}

static void fill_values(data_type type, char *values, bool with_extremes)
{
    for (size_t i = 0; i < ROWS_MAX; i++) {
        int128 number = small_number();
        if (with_extremes && test_random_below(20) == 0)
            number = (int64_t)test_random();
        char *at = values + i * type.width;
        double real = test_random_below(12) == 0 ? __builtin_nan("") : (double)number / 2;
        float narrow = (float)real;
        switch (type.id) {
        case TYPE_BOOL:
            ((uint64_t *)values)[i / 64] = test_random();
            break;
        case TYPE_FLOAT:
            memcpy(at, &narrow, sizeof narrow);
            break;
        case TYPE_DOUBLE:
            memcpy(at, &real, sizeof real);
            break;
        case TYPE_INTERVAL: {
            interval_value interval = {(int32_t)small_number(), (int32_t)small_number() * 15,
                                       small_number() * 43200000000};
            memcpy(at, &interval, sizeof interval);
            break;
        }
        default:
            memcpy(at, &number, type.width);
        }
    }
}

/* Words over a small alphabet; half of them too long to be in place. */
static void fill_text(char *views, char *text)
{
    size_t used = 0;
    for (size_t i = 0; i < ROWS_MAX; i++) {
        size_t bytes = test_random_below(2) ? test_random_below(13) : test_random_below(70);
        for (size_t k = 0; k < bytes; k++)
            text[used + k] = "abc "[test_random_below(4)];
        string_view view = string_view_make(text + used, (uint32_t)bytes);
        memcpy(views + i * 16, &view, 16);
        used += bytes;
    }
}

static void fill(data_type type)
{
    if (type_is_text(type)) {
        static char other[sizeof in.text];
        fill_text(in.left, in.text);
        fill_text(in.right, other);
    } else {
        fill_values(type, in.left, true);
        fill_values(type, in.right, true);
    }
    fill_bits(in.validity);
    fill_bits(in.other_validity);
    fill_bits(in.mask);
}

static void reset(outputs *o)
{
    memset(o, SENTINEL, sizeof *o);
    memset(&o->error, 0, sizeof o->error);
}

/* Runs a kernel of the scalar table and of each other one. `setup` makes the arguments for an
 * output; `bytes` of the values are compared, and the sentinel behind them. */
typedef void make_arguments(outputs *o, void *arguments, size_t count, const void *context);

/* Type of values that an operation makes, of which any NaN is as good as another; else of no floats. */
static data_type made_type;

static void compare_outputs(const char *isa, dev_kernel_id kernel, size_t count, size_t bytes,
                            size_t validity_bytes)
{
    bool failed = expected.error.code != DEV_ERROR_NONE;
    if (expected.error.code != actual.error.code ||
        (!test_is_cuda(isa) && expected.error.detail != actual.error.detail))
        test_fail(__FILE__, __LINE__, "%s: kernel %d of %zu rows reports error %u of row %zu", isa,
                  (int)kernel, count, (unsigned)actual.error.code, (size_t)actual.error.detail);
    if (made_type.width) {
        test_unify_nans(made_type, expected.values, bytes / made_type.width);
        test_unify_nans(made_type, actual.values, bytes / made_type.width);
    }
    for (size_t i = 0; i < bytes && !failed; i++)
        if (expected.values[i] != actual.values[i])
            test_fail(__FILE__, __LINE__, "%s: kernel %d of %zu rows differs at byte %zu", isa,
                      (int)kernel, count, i);
    for (size_t i = bytes; i < bytes + SLACK; i++)
        if ((unsigned char)actual.values[i] != SENTINEL)
            test_fail(__FILE__, __LINE__, "%s: kernel %d of %zu rows writes behind its output", isa,
                      (int)kernel, count);
    CHECK(!memcmp(expected.validity, actual.validity, validity_bytes + 8));
    CHECK_EQ(expected.number, actual.number);
}

static void run_all(dev_kernel_id kernel, make_arguments *make, const void *context, size_t count,
                    size_t bytes, size_t validity_bytes)
{
    _Alignas(16) char arguments[DEV_ARGUMENT_BYTES];
    const char *name;
    reset(&expected);
    memset(arguments, 0, sizeof arguments);
    make(&expected, arguments, count, context);
    test_kernel_table("scalar", &name)[kernel](arguments);
    for (size_t i = 0; i < sizeof isas / sizeof *isas; i++) {
        const dev_kernel_function *table = test_kernel_table(isas[i], &name);
        if (!table)
            continue;
        reset(&actual);
        memset(arguments, 0, sizeof arguments);
        make(&actual, arguments, count, context);
        table[kernel](arguments);
        compare_outputs(name, kernel, count, bytes, validity_bytes);
    }
}

#define WORD_BYTES(count) (((count) + 63) / 64 * 8)

static data_type wide(void)
{
    data_type type = type_decimal(30, 2);
    return type;
}

static size_t all_types(data_type *types)
{
    size_t count = 0;
    for (int id = TYPE_BOOL; id < TYPE_FLAT_COUNT; id++)
        types[count++] = id == TYPE_DECIMAL ? type_decimal(15, 2) : type_make((type_id)id);
    types[count++] = wide();
    return count;
}

/* ---- comparing ---- */

typedef struct compare_case {
    data_type type;
    uint8_t op, left_stride, right_stride;
} compare_case;

static void make_compare(outputs *o, void *arguments, size_t count, const void *context)
{
    const compare_case *c = context;
    *(compare_arguments *)arguments = (compare_arguments){.type = c->type,
                                                          .op = c->op,
                                                          .left = in.left,
                                                          .left_stride = c->left_stride,
                                                          .right = in.right,
                                                          .right_stride = c->right_stride,
                                                          .count = dev_count_exact(count),
                                                          .out = (uint64_t *)o->values};
}

TEST(compare_agrees)
{
    data_type types[TYPE_FLAT_COUNT + 1];
    size_t type_count = all_types(types);
    for (size_t t = 0; t < type_count; t++)
        for (size_t c = 0; c < COUNTS; c++)
            for (uint8_t op = 0; op <= DEV_COMPARE_GE; op++)
                for (uint8_t steps = 1; steps < 4; steps++) {
                    compare_case one = {types[t], op, steps & 1, steps >> 1};
                    fill(types[t]);
                    run_all(DEV_KERNEL_compare, make_compare, &one, counts[c],
                            WORD_BYTES(counts[c]), 0);
                }
}

static void make_range(outputs *o, void *arguments, size_t count, const void *context)
{
    const data_type *type = context;
    *(compare_range_arguments *)arguments = (compare_range_arguments){
        *type, in.left, -2 + type->width % 2, 1, dev_count_exact(count), (uint64_t *)o->values};
}

TEST(compare_range_agrees)
{
    const data_type types[] = {type_make(TYPE_INT8),  type_make(TYPE_INT16), type_make(TYPE_INT32),
                               type_make(TYPE_INT64), type_make(TYPE_DATE),  type_decimal(15, 2)};
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        for (size_t c = 0; c < COUNTS; c++) {
            fill(types[t]);
            run_all(DEV_KERNEL_compare_range, make_range, &types[t], counts[c],
                    WORD_BYTES(counts[c]), 0);
        }
}

typedef struct list_case {
    data_type type;
    size_t items;
} list_case;

/* Ascending and distinct. */
static void fill_items(data_type type, size_t items)
{
    for (size_t i = 0; i < items; i++) {
        int128 number = (int128)i * 2 - 4;
        double real = (double)number;
        float narrow = (float)real;
        char *at = in.third + i * type.width;
        if (type.id == TYPE_DOUBLE)
            memcpy(at, &real, 8);
        else if (type.id == TYPE_FLOAT)
            memcpy(at, &narrow, 4);
        else
            memcpy(at, &number, type.width);
    }
}

static void make_list(outputs *o, void *arguments, size_t count, const void *context)
{
    const list_case *c = context;
    *(in_list_arguments *)arguments = (in_list_arguments){
        c->type, in.left, dev_count_exact(count), in.third, c->items, (uint64_t *)o->values};
}

TEST(in_list_agrees)
{
    const data_type types[] = {type_make(TYPE_INT8),
                               type_make(TYPE_INT16),
                               type_make(TYPE_INT32),
                               type_make(TYPE_INT64),
                               wide(),
                               type_make(TYPE_FLOAT),
                               type_make(TYPE_DOUBLE),
                               type_decimal(15, 2)};
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        for (size_t c = 0; c < COUNTS; c++)
            for (size_t items = 1; items < 40; items += 6) {
                list_case one = {types[t], items};
                fill(types[t]);
                fill_items(types[t], items);
                run_all(DEV_KERNEL_in_list, make_list, &one, counts[c], WORD_BYTES(counts[c]), 0);
            }
}

/* ---- logic ---- */

static void make_logic(outputs *o, void *arguments, size_t count, const void *context)
{
    const compare_case *c = context;
    *(logic_arguments *)arguments = (logic_arguments){c->op,
                                                      (uint64_t *)in.left,
                                                      in.validity,
                                                      c->left_stride,
                                                      (uint64_t *)in.right,
                                                      in.other_validity,
                                                      c->right_stride,
                                                      dev_count_exact(count),
                                                      (uint64_t *)o->values,
                                                      c->op <= DEV_LOGIC_OR ? o->validity : NULL};
}

TEST(logic_agrees)
{
    for (size_t c = 0; c < COUNTS; c++)
        for (uint8_t op = 0; op <= DEV_LOGIC_DIFFERENT; op++)
            for (uint8_t steps = 1; steps < 4; steps++) {
                compare_case one = {type_make(TYPE_BOOL), op, steps & 1, steps >> 1};
                fill(type_make(TYPE_BOOL));
                run_all(DEV_KERNEL_logic, make_logic, &one, counts[c], WORD_BYTES(counts[c]),
                        WORD_BYTES(counts[c]));
            }
}

static void make_choose(outputs *o, void *arguments, size_t count, const void *context)
{
    const compare_case *c = context;
    *(choose_arguments *)arguments = (choose_arguments){.width = c->type.width,
                                                        .condition = in.mask,
                                                        .condition_validity = in.validity,
                                                        .first = in.left,
                                                        .first_validity = in.other_validity,
                                                        .first_stride = c->left_stride,
                                                        .second = in.right,
                                                        .second_stride = c->right_stride,
                                                        .count = dev_count_exact(count),
                                                        .out = o->values,
                                                        .out_validity = o->validity};
}

TEST(choose_agrees)
{
    const data_type types[] = {type_make(TYPE_BOOL),  type_make(TYPE_INT8),  type_make(TYPE_INT16),
                               type_make(TYPE_INT32), type_make(TYPE_INT64), wide()};
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        for (size_t c = 0; c < COUNTS; c++)
            for (uint8_t steps = 0; steps < 4; steps++) {
                compare_case one = {types[t], 0, steps & 1, steps >> 1};
                size_t bytes = types[t].width ? counts[c] * types[t].width : WORD_BYTES(counts[c]);
                fill(types[t]);
                run_all(DEV_KERNEL_choose, make_choose, &one, counts[c], bytes,
                        WORD_BYTES(counts[c]));
            }
}

/* ---- arithmetic and casts ---- */

typedef struct arithmetic_case {
    data_type type;
    uint8_t op, left_width, right_width, left_stride, right_stride;
    bool is_checked;
} arithmetic_case;

static void make_arithmetic(outputs *o, void *arguments, size_t count, const void *context)
{
    const arithmetic_case *c = context;
    *(arithmetic_arguments *)arguments = (arithmetic_arguments){.op = c->op,
                                                                .type = c->type,
                                                                .is_checked = c->is_checked,
                                                                .left = in.left,
                                                                .left_width = c->left_width,
                                                                .left_stride = c->left_stride,
                                                                .right = in.right,
                                                                .right_width = c->right_width,
                                                                .right_stride = c->right_stride,
                                                                .validity = in.validity,
                                                                .count = dev_count_exact(count),
                                                                .out = o->values,
                                                                .error = &o->error};
}

static void arithmetic_of(arithmetic_case one, bool with_extremes)
{
    data_type left = one.type, right = one.type;
    made_type = one.type;
    left.width = one.left_width;
    right.width = one.right_width;
    for (size_t c = 0; c < COUNTS; c++)
        for (uint8_t op = 0; op <= DEV_MODULO; op++)
            for (uint8_t steps = 1; steps < 4; steps++) {
                one.op = op;
                one.left_stride = steps & 1;
                one.right_stride = steps >> 1;
                fill_values(left, in.left, with_extremes);
                fill_values(right, in.right, with_extremes && op < DEV_MULTIPLY);
                fill_bits(in.validity);
                run_all(DEV_KERNEL_arithmetic, make_arithmetic, &one, counts[c],
                        counts[c] * one.type.width, 0);
            }
}

TEST(arithmetic_agrees)
{
    for (int is_checked = 0; is_checked < 2; is_checked++) {
        const data_type types[] = {type_make(TYPE_INT32), type_make(TYPE_INT64),
                                   type_make(TYPE_FLOAT), type_make(TYPE_DOUBLE), wide()};
        for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
            uint8_t width = types[t].width;
            arithmetic_case one = {types[t], 0, width, width, 0, 0, is_checked};
            arithmetic_of(one, false);
            arithmetic_of(one, true);
        }
        arithmetic_of((arithmetic_case){wide(), 0, 8, 8, 0, 0, is_checked}, true);
        arithmetic_of((arithmetic_case){wide(), 0, 16, 8, 0, 0, is_checked}, true);
        arithmetic_of((arithmetic_case){wide(), 0, 8, 16, 0, 0, is_checked}, true);
    }
}

typedef struct cast_case {
    data_type from, to;
} cast_case;

static void make_cast(outputs *o, void *arguments, size_t count, const void *context)
{
    const cast_case *c = context;
    *(cast_number_arguments *)arguments = (cast_number_arguments){.from = c->from,
                                                                  .to = c->to,
                                                                  .is_checked = true,
                                                                  .values = in.left,
                                                                  .validity = in.validity,
                                                                  .count = dev_count_exact(count),
                                                                  .out = o->values,
                                                                  .error = &o->error};
}

TEST(cast_number_agrees)
{
    data_type types[TYPE_FLAT_COUNT + 1];
    size_t type_count = all_types(types);
    for (size_t f = 0; f < type_count; f++)
        for (size_t t = 0; t < type_count; t++) {
            if ((!type_is_numeric(types[f]) && types[f].id != TYPE_BOOL) ||
                (!type_is_numeric(types[t]) && types[t].id != TYPE_BOOL))
                continue;
            for (size_t c = 0; c < COUNTS; c++) {
                cast_case one = {types[f], types[t]};
                size_t bytes = types[t].width ? counts[c] * types[t].width : WORD_BYTES(counts[c]);
                fill_values(types[f], in.left, c % 2);
                fill_bits(in.validity);
                run_all(DEV_KERNEL_cast_number, make_cast, &one, counts[c], bytes, 0);
            }
        }
}

/* ---- moving ---- */

static void make_mask(outputs *o, void *arguments, size_t count, const void *context)
{
    (void)context;
    *(mask_to_index_arguments *)arguments = (mask_to_index_arguments){
        in.mask, in.validity, dev_count_exact(count), 100, (uint32_t *)o->values, &o->number};
}

TEST(mask_to_index_agrees)
{
    for (size_t c = 0; c < COUNTS; c++)
        for (int density = 0; density < 3; density++) {
            fill_bits(in.mask);
            fill_bits(in.validity);
            for (size_t i = 0; i < ROWS_MAX / 64; i++)
                in.mask[i] = density == 0   ? 0
                             : density == 1 ? in.mask[i] & test_random() & test_random()
                                            : ~(uint64_t)0;
            reset(&expected);
            mask_to_index_arguments a;
            const char *name;
            make_mask(&expected, &a, counts[c], NULL);
            test_kernel_table("scalar", &name)[DEV_KERNEL_mask_to_index](&a);
            size_t bytes = expected.number * 4;
            CHECK(expected.number <= counts[c]);
            for (size_t i = 0; i < sizeof isas / sizeof *isas; i++) {
                const dev_kernel_function *table = test_kernel_table(isas[i], &name);
                if (!table)
                    continue;
                reset(&actual);
                make_mask(&actual, &a, counts[c], NULL);
                table[DEV_KERNEL_mask_to_index](&a);
                CHECK_EQ(actual.number, expected.number);
                CHECK(!memcmp(expected.values, actual.values, bytes));
                CHECK_EQ((unsigned char)actual.values[counts[c] * 4], SENTINEL);
            }
        }
}

/* More tiles than a warp of the CUDA device looks back over at once; a count below the bound. */
#define MANY_ROWS ((size_t)300000)

TEST(many_rows_are_selected_and_numbered)
{
    static uint64_t mask[MANY_ROWS / 64 + 1];
    static uint32_t rows[MANY_ROWS + 1];
    uint64_t actual_rows = MANY_ROWS - 77, number;
    dev_count count = {.bound = MANY_ROWS, .actual = &actual_rows};
    const char *name;
    for (size_t i = 0; i < sizeof mask / sizeof *mask; i++)
        mask[i] = i / 500 % 2 ? ~(uint64_t)0 : test_random() & test_random();
    for (size_t k = 0; k < sizeof isas / sizeof *isas; k++) {
        const dev_kernel_function *table = test_kernel_table(isas[k], &name);
        uint64_t set = 0;
        if (!table)
            continue;
        memset(rows, SENTINEL, sizeof rows);
        table[DEV_KERNEL_mask_to_index](&(mask_to_index_arguments){
            .mask = mask, .count = count, .first_row = 3, .rows = rows, .out_count = &number});
        for (size_t i = 0; i < actual_rows; i++)
            if (mask[i / 64] >> (i % 64) & 1)
                CHECK_EQ(rows[set++], i + 3);
        CHECK_EQ(number, set);
        table[DEV_KERNEL_runs_number](
            &(runs_number_arguments){.bits = mask, .count = count, .first = 9, .out = rows});
        number = 9;
        for (size_t i = 0; i < actual_rows; i++) {
            number += mask[i / 64] >> (i % 64) & 1;
            CHECK_EQ(rows[i], number);
        }
    }
}

typedef struct gather_case {
    uint8_t width;
    bool has_nulls, has_validity;
    uint32_t base_rows;
} gather_case;

static void make_gather(outputs *o, void *arguments, size_t count, const void *context)
{
    const gather_case *c = context;
    *(gather_arguments *)arguments =
        (gather_arguments){.width = c->width,
                           .index_has_nulls = c->has_nulls,
                           .base_rows = c->base_rows,
                           .base = in.left,
                           .base_validity = c->has_validity ? in.validity : NULL,
                           .index = in.index,
                           .count = dev_count_exact(count),
                           .out = o->values,
                           .out_validity = c->has_nulls || c->has_validity ? o->validity : NULL};
}

/* Row numbers below base_rows anywhere, or near the one before, most of them ascending. */
static void fill_index(uint32_t base_rows, bool is_near, bool has_nulls)
{
    uint32_t row = 0;
    for (size_t i = 0; i < ROWS_MAX; i++) {
        row += (uint32_t)test_random_below(i % 200 < 150 ? 2 : 4);
        if (!is_near || row >= base_rows)
            row = (uint32_t)test_random_below(base_rows);
        in.index[i] = has_nulls && test_random_below(5) == 0 ? ROW_NULL : row;
    }
}

TEST(gather_agrees)
{
    static const uint8_t widths[] = {0, 1, 2, 4, 8, 16};
    static const uint32_t bases[] = {1, 5, 16, 17, 32, 50, 64, ROWS_MAX};
    for (size_t k = 0; k < sizeof widths; k++)
        for (size_t c = 0; c < COUNTS; c++)
            for (unsigned flags = 0; flags < 8 * sizeof bases / sizeof *bases; flags++) {
                gather_case one = {widths[k], flags & 1, flags >> 1 & 1, bases[flags / 8]};
                bool is_near = flags & 4;
                fill(type_make(TYPE_INT64));
                fill_index(one.base_rows, is_near, one.has_nulls);
                if (is_near && test_random_below(2))
                    one.base_rows = 0;
                size_t bytes = widths[k] ? counts[c] * widths[k] : WORD_BYTES(counts[c]);
                run_all(DEV_KERNEL_gather, make_gather, &one, counts[c], bytes,
                        flags & 3 ? WORD_BYTES(counts[c]) : 0);
            }
}

/* Bits of longer bases than the other inputs are. */
TEST(gather_of_bits_agrees_for_every_length_of_base)
{
    static uint64_t bits[6000 / 64 + 1];
    static const uint32_t bases[] = {1023, 1024, 1025, 2048, 2049, 3001, 4096, 4097, 5999};
    uint32_t index[1000];
    uint64_t out[1000 / 64 + 1];
    for (size_t i = 0; i < sizeof bits / sizeof *bits; i++)
        bits[i] = test_random();
    for (size_t b = 0; b < sizeof bases / sizeof *bases; b++) {
        for (size_t i = 0; i < 1000; i++)
            index[i] = (uint32_t)test_random_below(bases[b]);
        for (size_t n = 0; n < sizeof isas / sizeof *isas; n++) {
            const char *name;
            const dev_kernel_function *table = test_kernel_table(isas[n], &name);
            if (!table)
                continue;
            table[DEV_KERNEL_gather](&(gather_arguments){.base_rows = bases[b],
                                                         .base = bits,
                                                         .index = index,
                                                         .count = dev_count_exact(1000),
                                                         .out = out});
            for (size_t i = 0; i < 1000; i++)
                CHECK_EQ(out[i / 64] >> (i % 64) & 1, bits[index[i] / 64] >> (index[i] % 64) & 1);
        }
    }
}

static void make_gather_index(outputs *o, void *arguments, size_t count, const void *context)
{
    (void)context;
    *(gather_index_arguments *)arguments = (gather_index_arguments){
        (uint32_t *)in.left, in.index, dev_count_exact(count), (uint32_t *)o->values};
}

TEST(gather_index_agrees)
{
    for (size_t c = 0; c < COUNTS; c++)
        for (unsigned flags = 0; flags < 4; flags++) {
            fill(type_make(TYPE_INT32));
            fill_index(ROWS_MAX, flags & 1, flags & 2);
            run_all(DEV_KERNEL_gather_index, make_gather_index, NULL, counts[c], counts[c] * 4, 0);
        }
}

static void make_hash(outputs *o, void *arguments, size_t count, const void *context)
{
    const compare_case *c = context;
    *(hash_values_arguments *)arguments =
        (hash_values_arguments){c->type,
                                c->op,
                                in.left,
                                c->left_stride ? in.validity : NULL,
                                dev_count_exact(count),
                                (uint64_t *)o->values};
}

TEST(hash_values_agrees)
{
    data_type types[TYPE_FLAT_COUNT + 1];
    size_t type_count = all_types(types);
    for (size_t t = 0; t < type_count; t++)
        for (size_t c = 0; c < COUNTS; c++)
            for (uint8_t flags = 0; flags < 4; flags++) {
                compare_case one = {types[t], flags & 1, flags >> 1, 0};
                fill(types[t]);
                run_all(DEV_KERNEL_hash_values, make_hash, &one, counts[c], counts[c] * 8, 0);
            }
}

/* A number has one hash, whatever its width. */
TEST(hash_values_ignores_width)
{
    int64_t narrow[3] = {-5, 0, 123456789012};
    int128 broad[3] = {-5, 0, 123456789012};
    int32_t small[1] = {-5};
    uint64_t hashes[3], same[3];
    const char *name;
    const dev_kernel_function *table = test_kernel_table("auto", &name);
    table[DEV_KERNEL_hash_values](&(hash_values_arguments){type_decimal(15, 2), false, narrow, NULL,
                                                           dev_count_exact(3), hashes});
    table[DEV_KERNEL_hash_values](
        &(hash_values_arguments){wide(), false, broad, NULL, dev_count_exact(3), same});
    CHECK(!memcmp(hashes, same, sizeof hashes));
    table[DEV_KERNEL_hash_values](&(hash_values_arguments){type_make(TYPE_INT32), false, small,
                                                           NULL, dev_count_exact(1), same});
    CHECK_EQ(same[0], hashes[0]);
}

/* ---- text and dates ---- */

typedef struct pattern_case {
    dev_pattern header;
    uint32_t ends[3];
    char bytes[12];
} pattern_case;

static void make_like(outputs *o, void *arguments, size_t count, const void *context)
{
    *(like_arguments *)arguments = (like_arguments){(string_view *)in.left, dev_count_exact(count),
                                                    context, (uint64_t *)o->values};
}

TEST(like_agrees)
{
    for (int k = 0; k < 200; k++) {
        _Alignas(64) char pattern[sizeof(pattern_case) + SLACK] = {0};
        dev_pattern header = {.piece_count = 1 + (uint32_t)test_random_below(3),
                              .at_start = (uint8_t)test_random_below(2),
                              .at_end = (uint8_t)test_random_below(2)};
        uint32_t ends[3];
        char bytes[12];
        for (uint32_t p = 0; p < header.piece_count; p++) {
            uint32_t more = 1 + (uint32_t)test_random_below(4);
            for (uint32_t i = 0; i < more; i++)
                bytes[header.piece_bytes++] = "abc "[test_random_below(4)];
            ends[p] = header.piece_bytes;
        }
        memcpy(pattern, &header, sizeof header);
        memcpy(pattern + sizeof header, ends, header.piece_count * 4);
        memcpy(pattern + sizeof header + header.piece_count * 4, bytes, header.piece_bytes);
        fill(type_make(TYPE_VARCHAR));
        size_t count = counts[k % COUNTS];
        run_all(DEV_KERNEL_like, make_like, pattern, count, WORD_BYTES(count), 0);
    }
}

static void make_measure(outputs *o, void *arguments, size_t count, const void *context)
{
    const uint8_t *op = context;
    *(string_measure_arguments *)arguments = (string_measure_arguments){*op,
                                                                        (string_view *)in.left,
                                                                        1,
                                                                        (string_view *)in.right,
                                                                        1,
                                                                        dev_count_exact(count),
                                                                        (int64_t *)o->values};
}

TEST(string_measure_agrees)
{
    for (uint8_t op = 0; op <= DEV_MEASURE_POSITION; op++)
        for (size_t c = 0; c < COUNTS; c++) {
            fill(type_make(TYPE_VARCHAR));
            run_all(DEV_KERNEL_string_measure, make_measure, &op, counts[c], counts[c] * 8, 0);
        }
}

static void make_date_part(outputs *o, void *arguments, size_t count, const void *context)
{
    const uint8_t *part = context;
    *(date_part_arguments *)arguments = (date_part_arguments){*part, type_make(TYPE_DATE), in.left,
                                                              dev_count_exact(count), o->values};
}

TEST(date_part_agrees)
{
    for (uint8_t part = 0; part < DEV_PART_COUNT; part++)
        for (size_t c = 0; c < COUNTS; c++) {
            int32_t *days = (int32_t *)in.left;
            for (size_t i = 0; i < ROWS_MAX; i++)
                days[i] = (int32_t)test_random_below(4000000) - 2000000;
            run_all(DEV_KERNEL_date_part, make_date_part, &part, counts[c], counts[c] * 8, 0);
        }
}

/* The vectorized calendar against the general one, day by day over a few centuries and far out. */
TEST(date_part_knows_the_calendar)
{
    static const int32_t starts[] = {-800000, -141428, 0, 10957, 2500000, -1000000000, 999998999};
    const char *name;
    for (size_t s = 0; s < sizeof starts / sizeof *starts; s++) {
        int32_t days[1000];
        int64_t years[1000], months[1000], numbers[1000], quarters[1000];
        for (int i = 0; i < 1000; i++)
            days[i] = starts[s] + i;
        const dev_kernel_function *table = test_kernel_table("auto", &name);
        dev_count count = dev_count_exact(1000);
        data_type date = type_make(TYPE_DATE);
        table[DEV_KERNEL_date_part](
            &(date_part_arguments){DEV_PART_YEAR, date, days, count, years});
        table[DEV_KERNEL_date_part](
            &(date_part_arguments){DEV_PART_MONTH, date, days, count, months});
        table[DEV_KERNEL_date_part](
            &(date_part_arguments){DEV_PART_DAY, date, days, count, numbers});
        table[DEV_KERNEL_date_part](
            &(date_part_arguments){DEV_PART_QUARTER, date, days, count, quarters});
        for (int i = 0; i < 1000; i++) {
            int32_t year;
            unsigned month, day;
            date_to_civil(days[i], &year, &month, &day);
            CHECK_EQ(years[i], year > 0 ? year : year - 1);
            CHECK_EQ(months[i], month);
            CHECK_EQ(numbers[i], day);
            CHECK_EQ(quarters[i], (month + 2) / 3);
        }
    }
}
