/* test_tiles.c - runs of an expression's instructions in one launch: each kind of step against the kernel
 * that computes it alone, of every type, with NULLs, for sizes around words and blocks, on every ISA and on
 * the CUDA device; and longer runs, of which the rows are known.
 * test_label: not-tsan */
#include "device/cpu/tables.h"
#include "device/kernels/kernel_ops.h"
#include "kernel_tables.h"
#include "test.h"

#define ROWS_MAX 1100
#define WORDS_MAX (ROWS_MAX / 64 + 9)
#define SENTINEL 0xa5
#define OUT_BYTES (ROWS_MAX * 16 + 64)

static const size_t counts[] = {0, 1, 63, 65, 256, 1025};
static const char *const isas[] = {"scalar", "avx2", "avx512", "simulated", "cuda"};

typedef struct column {
    _Alignas(64) char values[OUT_BYTES];
    uint64_t validity[WORDS_MAX];
} column;

static column inputs[3];
static column expected, actual;
static dev_error expected_error, actual_error;

static void fill_column(column *c, data_type type, bool with_extremes)
{
    for (size_t w = 0; w < WORDS_MAX; w++)
        c->validity[w] = test_random() | test_random();
    for (size_t i = 0; i < ROWS_MAX; i++) {
        int128 number = (int128)test_random_below(9) - (type.id == TYPE_TIME ? 0 : 4);
        if (with_extremes && test_random_below(200) == 0)
            number = (int64_t)test_random();
        double real = test_random_below(12) == 0 ? __builtin_nan("") : (double)number / 2;
        float narrow = (float)real;
        char *at = c->values + i * type.width;
        if (type.id == TYPE_BOOL)
            ((uint64_t *)(void *)c->values)[i / 64] = test_random();
        else if (type.id == TYPE_FLOAT)
            memcpy(at, &narrow, sizeof narrow);
        else if (type.id == TYPE_DOUBLE)
            memcpy(at, &real, sizeof real);
        else
            memcpy(at, &number, type.width);
    }
}

/* ---- runs ---- */

static tile_step load_step(uint8_t input, data_type type, uint8_t target)
{
    return (tile_step){.kind = TILE_LOAD, .target = target, .args = {input}, .type = type};
}

static void add_step(expression_arguments *a, tile_step step)
{
    a->code.steps[a->code.step_count++] = step;
}

static void take_inputs(expression_arguments *a, bool with_nulls)
{
    a->input0 = inputs[0].values;
    a->input1 = inputs[1].values;
    a->input2 = inputs[2].values;
    a->validity0 = with_nulls ? inputs[0].validity : NULL;
    a->validity1 = with_nulls ? inputs[1].validity : NULL;
    a->validity2 = with_nulls ? inputs[2].validity : NULL;
}

/* Registers of operand 0, 1, 2 of a type; and of a result. */
static uint8_t place_of(data_type type, unsigned number)
{
    return (uint8_t)(type.id == TYPE_BOOL ? TILE_WORDS + number
                                          : number * (type.width == 16 ? 2 : 1));
}

static void reset_column(column *c, dev_error *error)
{
    memset(c, SENTINEL, sizeof *c);
    memset(error, 0, sizeof *error);
}

/* The output of the run, on each table, is `expected`, to the byte, and nothing behind it. */
static void check_run(const expression_arguments *run, data_type type, const char *what)
{
    size_t count = run->count.bound;
    bool failed = expected_error.code != DEV_ERROR_NONE;
    for (size_t i = 0; i < sizeof isas / sizeof *isas; i++) {
        const char *name;
        const dev_kernel_function *table = test_kernel_table(isas[i], &name);
        if (!strcmp(isas[i], "simulated"))
            table = kernel_table_simulated;
        if (!table)
            continue;
        expression_arguments a = *run;
        reset_column(&actual, &actual_error);
        a.out0 = actual.values;
        a.out_validity0 = actual.validity;
        a.error = &actual_error;
        table[DEV_KERNEL_expression](&a);
        if (actual_error.code != expected_error.code)
            test_fail(__FILE__, __LINE__, "%s, %s: error %u, not %u", isas[i], what,
                      (unsigned)actual_error.code, (unsigned)expected_error.code);
        if (failed)
            continue;
        size_t bytes = type.width ? count * type.width : (count + 63) / 64 * 8;
        test_unify_nans(type, actual.values, count);
        test_unify_nans(type, expected.values, count);
        CHECK(!memcmp(actual.validity, expected.validity, (count + 63) / 64 * 8));
        if (memcmp(actual.values, expected.values, bytes))
            test_fail(__FILE__, __LINE__, "%s, %s of %zu rows: another result", isas[i], what,
                      count);
        CHECK((unsigned char)actual.values[bytes] == SENTINEL);
    }
}

static uint64_t word_mask(size_t count, size_t word)
{
    return count - word * 64 >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << (count - word * 64)) - 1;
}

/* NULL where one of so many inputs is. */
static void expect_validity(size_t count, unsigned args, bool with_nulls)
{
    for (size_t w = 0; w * 64 < count; w++) {
        uint64_t word = word_mask(count, w);
        for (unsigned i = 0; i < args && with_nulls; i++)
            word &= inputs[i].validity[w];
        expected.validity[w] = word;
    }
}

static void run_scalar(dev_kernel_id kernel, const void *arguments)
{
    const char *name;
    dev_kernel_table("scalar", &name)[kernel](arguments);
}

/* The run of one step over inputs of the types. */
static expression_arguments one_step(tile_step step, const data_type *types, unsigned args,
                                     size_t count, bool with_nulls)
{
    expression_arguments a = {.count = dev_count_exact(count)};
    uint8_t next = 0;
    take_inputs(&a, with_nulls);
    for (unsigned i = 0; i < args; i++) {
        step.args[i] = types[i].id == TYPE_BOOL ? (uint8_t)(TILE_WORDS + i) : next;
        next = (uint8_t)(next + (types[i].width == 16 ? 2 : 1));
        add_step(&a, load_step((uint8_t)i, types[i], step.args[i]));
    }
    step.target = step.type.id == TYPE_BOOL ? TILE_REGISTERS - 1 : TILE_WORDS - 2;
    step.output = 1;
    add_step(&a, step);
    return a;
}

#define EACH_SIZE                                                                                  \
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)                                    \
        for (int nulls = 0; nulls < 2; nulls++)

static size_t number_types(data_type *types)
{
    size_t count = 0;
    for (int id = TYPE_BOOL; id <= TYPE_TIMESTAMP_TZ; id++)
        types[count++] = id == TYPE_DECIMAL ? type_decimal(15, 2) : type_make((type_id)id);
    types[count++] = type_decimal(30, 2);
    return count;
}

/* ---- each kind of step ---- */

TEST(steps_compare)
{
    data_type types[32], boolean = type_make(TYPE_BOOL);
    size_t type_count = number_types(types);
    for (size_t t = 0; t < type_count; t++)
        for (uint8_t op = DEV_COMPARE_EQ; op <= DEV_COMPARE_GE; op++)
            EACH_SIZE
            {
                data_type both[2] = {types[t], types[t]};
                fill_column(&inputs[0], types[t], true);
                fill_column(&inputs[1], types[t], true);
                reset_column(&expected, &expected_error);
                run_scalar(DEV_KERNEL_compare,
                           &(compare_arguments){.type = types[t],
                                                .op = op,
                                                .left = inputs[0].values,
                                                .left_stride = 1,
                                                .right = inputs[1].values,
                                                .right_stride = 1,
                                                .count = dev_count_exact(counts[c]),
                                                .out = (uint64_t *)(void *)expected.values});
                expect_validity(counts[c], 2, nulls);
                tile_step step = {
                    .kind = TILE_COMPARE, .op = op, .type = boolean, .from = types[t]};
                expression_arguments a = one_step(step, both, 2, counts[c], nulls);
                check_run(&a, boolean, "comparison");
            }
}

TEST(steps_range)
{
    const data_type types[] = {
        type_make(TYPE_INT8),   type_make(TYPE_INT16), type_make(TYPE_INT32),
        type_make(TYPE_INT64),  type_make(TYPE_UINT8), type_make(TYPE_UINT32),
        type_make(TYPE_UINT64), type_make(TYPE_DATE),  type_decimal(15, 2)};
    data_type boolean = type_make(TYPE_BOOL);
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        EACH_SIZE
        {
            fill_column(&inputs[0], types[t], true);
            reset_column(&expected, &expected_error);
            bool is_signed = type_is_signed(types[t]) || type_is_time(types[t]);
            int64_t low = is_signed ? -2 : 1, high = 3;
            run_scalar(DEV_KERNEL_compare_range,
                       &(compare_range_arguments){.type = types[t],
                                                  .values = inputs[0].values,
                                                  .low = low,
                                                  .high = high,
                                                  .count = dev_count_exact(counts[c]),
                                                  .out = (uint64_t *)(void *)expected.values});
            expect_validity(counts[c], 1, nulls);
            tile_step step = {
                .kind = TILE_RANGE, .type = boolean, .from = types[t], .args = {0, 5}};
            expression_arguments a = one_step(step, &types[t], 1, counts[c], nulls);
            a.code.constants[5] = (uint64_t)low;
            a.code.constants[6] = (uint64_t)high;
            check_run(&a, boolean, "range");
        }
}

TEST(steps_of_logic)
{
    const uint8_t ops[] = {DEV_LOGIC_AND,         DEV_LOGIC_OR,       DEV_LOGIC_NOT,
                           DEV_LOGIC_IS_TRUE,     DEV_LOGIC_IS_FALSE, DEV_LOGIC_IS_NULL,
                           DEV_LOGIC_IS_NOT_NULL, DEV_LOGIC_SAME,     DEV_LOGIC_DIFFERENT};
    data_type boolean = type_make(TYPE_BOOL), three[3] = {boolean, boolean, boolean};
    for (size_t o = 0; o < sizeof ops; o++)
        EACH_SIZE
        {
            for (int i = 0; i < 3; i++)
                fill_column(&inputs[i], boolean, false);
            reset_column(&expected, &expected_error);
            bool compares = ops[o] == DEV_LOGIC_SAME || ops[o] == DEV_LOGIC_DIFFERENT;
            bool decides = ops[o] == DEV_LOGIC_AND || ops[o] == DEV_LOGIC_OR;
            expect_validity(counts[c], ops[o] == DEV_LOGIC_NOT ? 1 : 0, nulls);
            const column *left = compares ? &inputs[2] : &inputs[0];
            run_scalar(DEV_KERNEL_logic,
                       &(logic_arguments){.op = ops[o],
                                          .left = (const uint64_t *)(const void *)left->values,
                                          .left_validity = nulls ? inputs[0].validity : NULL,
                                          .left_stride = 1,
                                          .right = (uint64_t *)(void *)inputs[1].values,
                                          .right_validity = nulls ? inputs[1].validity : NULL,
                                          .right_stride = 1,
                                          .count = dev_count_exact(counts[c]),
                                          .out = (uint64_t *)(void *)expected.values,
                                          .out_validity = decides ? expected.validity : NULL});
            tile_step step = {.kind = TILE_LOGIC, .op = ops[o], .type = boolean, .from = boolean};
            expression_arguments a = one_step(step, three, 3, counts[c], nulls);
            check_run(&a, boolean, "logic");
        }
}

TEST(steps_choose)
{
    data_type types[32], boolean = type_make(TYPE_BOOL);
    size_t type_count = number_types(types);
    for (size_t t = 0; t < type_count; t++)
        EACH_SIZE
        {
            data_type three[3] = {boolean, types[t], types[t]};
            fill_column(&inputs[0], boolean, false);
            fill_column(&inputs[1], types[t], true);
            fill_column(&inputs[2], types[t], true);
            reset_column(&expected, &expected_error);
            expect_validity(counts[c], 0, false);
            run_scalar(DEV_KERNEL_choose,
                       &(choose_arguments){.width = types[t].width,
                                           .condition = (uint64_t *)(void *)inputs[0].values,
                                           .condition_validity = nulls ? inputs[0].validity : NULL,
                                           .first = inputs[1].values,
                                           .first_validity = nulls ? inputs[1].validity : NULL,
                                           .first_stride = 1,
                                           .second = inputs[2].values,
                                           .second_validity = nulls ? inputs[2].validity : NULL,
                                           .second_stride = 1,
                                           .count = dev_count_exact(counts[c]),
                                           .out = expected.values,
                                           .out_validity = nulls ? expected.validity : NULL});
            tile_step step = {.kind = TILE_CHOOSE, .type = types[t], .from = types[t]};
            expression_arguments a = {.count = dev_count_exact(counts[c])};
            take_inputs(&a, nulls);
            step.args[0] = TILE_REGISTERS - 2;
            step.args[1] = place_of(types[t], 0);
            step.args[2] = place_of(types[t], 1);
            for (uint8_t i = 0; i < 3; i++)
                add_step(&a, load_step(i, three[i], step.args[i]));
            step.target = place_of(types[t], 2);
            step.output = 1;
            add_step(&a, step);
            check_run(&a, types[t], "choice");
        }
}

static void arithmetic_agrees(data_type type, data_type left, data_type right, uint8_t op,
                              size_t count, bool nulls, bool with_extremes)
{
    bool is_checked = type.width == 16 || (left.width < 16 && right.width < 16);
    fill_column(&inputs[0], left, with_extremes);
    fill_column(&inputs[1], right, with_extremes);
    reset_column(&expected, &expected_error);
    expect_validity(count, 2, nulls);
    run_scalar(DEV_KERNEL_arithmetic, &(arithmetic_arguments){.op = op,
                                                              .type = type,
                                                              .is_checked = is_checked,
                                                              .left = inputs[0].values,
                                                              .left_width = left.width,
                                                              .left_stride = 1,
                                                              .right = inputs[1].values,
                                                              .right_width = right.width,
                                                              .right_stride = 1,
                                                              .validity = expected.validity,
                                                              .count = dev_count_exact(count),
                                                              .out = expected.values,
                                                              .error = &expected_error});
    tile_step step = {.kind = TILE_ARITHMETIC, .op = op, .type = type, .from = type};
    step.flags =
        (uint8_t)((is_checked ? TILE_CHECKED : 0) | (left.width == 16 ? TILE_LEFT_WIDE : 0) |
                  (right.width == 16 ? TILE_RIGHT_WIDE : 0));
    data_type both[2] = {left, right};
    expression_arguments a = one_step(step, both, 2, count, nulls);
    check_run(&a, type, "arithmetic");
}

TEST(steps_of_arithmetic)
{
    data_type narrow = type_decimal(15, 2), wide = type_decimal(30, 2);
    const data_type types[][3] = {
        {type_make(TYPE_INT32), type_make(TYPE_INT32), type_make(TYPE_INT32)},
        {type_make(TYPE_INT64), type_make(TYPE_INT64), type_make(TYPE_INT64)},
        {type_make(TYPE_FLOAT), type_make(TYPE_FLOAT), type_make(TYPE_FLOAT)},
        {type_make(TYPE_DOUBLE), type_make(TYPE_DOUBLE), type_make(TYPE_DOUBLE)},
        {narrow, narrow, narrow},
        {wide, wide, wide},
        {wide, narrow, narrow},
        {wide, wide, narrow},
        {wide, narrow, wide},
        {narrow, wide, narrow},
        {narrow, narrow, wide}};
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        for (uint8_t op = DEV_ADD; op <= DEV_MULTIPLY; op++)
            EACH_SIZE
            {
                arithmetic_agrees(types[t][0], types[t][1], types[t][2], op, counts[c], nulls,
                                  false);
                arithmetic_agrees(types[t][0], types[t][1], types[t][2], op, counts[c], nulls,
                                  true);
            }
}

/* A divisor of zero is reported; without one the quotients agree. */
TEST(steps_that_divide)
{
    const data_type types[] = {type_make(TYPE_INT32), type_make(TYPE_INT64), type_make(TYPE_DOUBLE),
                               type_decimal(30, 2)};
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        for (uint8_t op = DEV_DIVIDE; op <= DEV_MODULO; op++)
            EACH_SIZE
    arithmetic_agrees(types[t], types[t], types[t], op, counts[c], nulls, false);
}

static void cast_agrees(data_type from, data_type to, size_t count, bool nulls, bool with_extremes)
{
    fill_column(&inputs[0], from, with_extremes);
    reset_column(&expected, &expected_error);
    expect_validity(count, 1, nulls);
    run_scalar(DEV_KERNEL_cast_number, &(cast_number_arguments){.from = from,
                                                                .to = to,
                                                                .is_checked = true,
                                                                .values = inputs[0].values,
                                                                .validity = expected.validity,
                                                                .count = dev_count_exact(count),
                                                                .out = expected.values,
                                                                .error = &expected_error});
    tile_step step = {
        .kind = TILE_CAST, .flags = TILE_CHECKED, .type = to, .from = from, .location = 7};
    expression_arguments a = one_step(step, &from, 1, count, nulls);
    check_run(&a, to, "cast");
}

TEST(steps_cast)
{
    data_type types[32];
    size_t type_count = number_types(types);
    types[type_count++] = type_decimal(12, 0);
    types[type_count++] = type_decimal(38, 6);
    for (size_t from = 0; from < type_count; from++)
        for (size_t to = 0; to < type_count; to++) {
            bool is_time = type_is_time(types[from]);
            if (is_time != type_is_time(types[to]) ||
                (is_time && types[from].id == TYPE_TIME && types[to].id != TYPE_TIME) ||
                (types[from].id == TYPE_DATE && types[to].id == TYPE_TIME))
                continue;
            EACH_SIZE
            {
                cast_agrees(types[from], types[to], counts[c], nulls, false);
                cast_agrees(types[from], types[to], counts[c], nulls, true);
            }
        }
}

/* ---- longer runs ---- */

/* x * (1 - y) of lazily known rows, and whether it is above 5; NULL where x is. Two outputs. */
TEST(run_of_several_outputs)
{
    data_type type = type_make(TYPE_INT64), boolean = type_make(TYPE_BOOL);
    const int64_t x[] = {10, -2, 7, 1, 100}, y[] = {0, 3, 1, -4, -1};
    const int64_t product[] = {10, 4, 0, 5, 200};
    uint64_t rows = 5;
    int64_t *values = (int64_t *)(void *)actual.values;
    for (size_t i = 0; i < sizeof isas / sizeof *isas; i++) {
        const char *name;
        const dev_kernel_function *table = test_kernel_table(isas[i], &name);
        static uint64_t above[WORDS_MAX], valid[WORDS_MAX];
        if (!strcmp(isas[i], "simulated"))
            table = kernel_table_simulated;
        if (!table)
            continue;
        memcpy(inputs[0].values, x, sizeof x);
        memcpy(inputs[1].values, y, sizeof y);
        inputs[0].validity[0] = 0x1d; /* the second is NULL */
        reset_column(&actual, &actual_error);
        expression_arguments a = {.input0 = inputs[0].values,
                                  .input1 = inputs[1].values,
                                  .validity0 = inputs[0].validity,
                                  .out0 = values,
                                  .out_validity0 = valid,
                                  .out1 = above,
                                  .count = {300, &rows},
                                  .error = &actual_error,
                                  .code.constants = {1, 5}};
        const tile_step steps[] = {load_step(0, type, 0),
                                   {.kind = TILE_CONSTANT, .target = 1, .args = {0}, .type = type},
                                   load_step(1, type, 2),
                                   {.kind = TILE_ARITHMETIC,
                                    .op = DEV_SUBTRACT,
                                    .target = 3,
                                    .args = {1, 2},
                                    .type = type,
                                    .flags = TILE_CHECKED},
                                   {.kind = TILE_ARITHMETIC,
                                    .op = DEV_MULTIPLY,
                                    .target = 1,
                                    .args = {0, 3},
                                    .type = type,
                                    .flags = TILE_CHECKED,
                                    .output = 1},
                                   {.kind = TILE_CONSTANT, .target = 0, .args = {1}, .type = type},
                                   {.kind = TILE_COMPARE,
                                    .op = DEV_COMPARE_GT,
                                    .target = 8,
                                    .args = {1, 0},
                                    .type = boolean,
                                    .from = type,
                                    .output = 2}};
        for (size_t s = 0; s < sizeof steps / sizeof *steps; s++)
            add_step(&a, steps[s]);
        table[DEV_KERNEL_expression](&a);
        CHECK_EQ(actual_error.code, DEV_ERROR_NONE);
        for (size_t r = 0; r < rows; r++)
            CHECK(r == 1 || values[r] == product[r]);
        CHECK_EQ(valid[0], 0x1d);
        CHECK_EQ(above[0] & 0x1d, 0x11);
        CHECK_EQ((unsigned char)actual.values[rows * 8], SENTINEL);
    }
}

/* Rows of a dictionary, one of them of none; of the second only whether it is NULL. */
TEST(run_of_indexed_inputs)
{
    data_type type = type_decimal(30, 2), boolean = type_make(TYPE_BOOL);
    const int128 base[] = {5, -7, 11};
    const uint32_t index[] = {2, 0, ROW_NULL, 1, 2};
    const int128 doubled[] = {22, 10, 0, -14, 22};
    for (size_t i = 0; i < sizeof isas / sizeof *isas; i++) {
        const char *name;
        const dev_kernel_function *table = test_kernel_table(isas[i], &name);
        static uint64_t is_null[WORDS_MAX], is_missing[WORDS_MAX], valid[WORDS_MAX];
        if (!strcmp(isas[i], "simulated"))
            table = kernel_table_simulated;
        if (!table)
            continue;
        memcpy(inputs[0].values, base, sizeof base);
        inputs[0].validity[0] = 0x5; /* the second entry is NULL */
        reset_column(&actual, &actual_error);
        expression_arguments a = {.input0 = inputs[0].values,
                                  .validity0 = inputs[0].validity,
                                  .index0 = index,
                                  .validity1 = inputs[0].validity,
                                  .index1 = index,
                                  .index2 = index,
                                  .out0 = actual.values,
                                  .out_validity0 = valid,
                                  .out1 = is_null,
                                  .out2 = is_missing,
                                  .count = dev_count_exact(5),
                                  .error = &actual_error};
        const tile_step steps[] = {load_step(0, type, 0),
                                   {.kind = TILE_ARITHMETIC,
                                    .op = DEV_ADD,
                                    .target = 2,
                                    .args = {0, 0},
                                    .type = type,
                                    .flags = TILE_CHECKED | TILE_LEFT_WIDE | TILE_RIGHT_WIDE,
                                    .output = 1},
                                   load_step(1, boolean, 8),
                                   {.kind = TILE_LOGIC,
                                    .op = DEV_LOGIC_IS_NULL,
                                    .target = 9,
                                    .args = {8, 8},
                                    .type = boolean,
                                    .from = boolean,
                                    .output = 2},
                                   load_step(2, boolean, 8),
                                   {.kind = TILE_LOGIC,
                                    .op = DEV_LOGIC_IS_NULL,
                                    .target = 9,
                                    .args = {8, 8},
                                    .type = boolean,
                                    .from = boolean,
                                    .output = 3}};
        for (size_t s = 0; s < sizeof steps / sizeof *steps; s++)
            add_step(&a, steps[s]);
        table[DEV_KERNEL_expression](&a);
        CHECK_EQ(actual_error.code, DEV_ERROR_NONE);
        CHECK(!memcmp(actual.values, doubled, sizeof doubled));
        CHECK_EQ(valid[0], 0x13);
        CHECK_EQ(is_null[0], 0xc);
        CHECK_EQ(is_missing[0], 0x4);
    }
}

/* A row that is NULL does not fail; one that is there does, with its place in the SQL. */
TEST(run_that_overflows)
{
    data_type type = type_make(TYPE_INT64);
    for (int is_null = 0; is_null < 2; is_null++)
        for (size_t i = 0; i < sizeof isas / sizeof *isas; i++) {
            const char *name;
            const dev_kernel_function *table = test_kernel_table(isas[i], &name);
            if (!strcmp(isas[i], "simulated"))
                table = kernel_table_simulated;
            if (!table)
                continue;
            int64_t *x = (int64_t *)(void *)inputs[0].values;
            memset(inputs[0].validity, 0xff, sizeof inputs[0].validity);
            memset(x, 0, 1000 * sizeof *x);
            x[700] = INT64_MAX;
            if (is_null)
                inputs[0].validity[700 / 64] &= ~((uint64_t)1 << (700 % 64));
            reset_column(&actual, &actual_error);
            expression_arguments a = {.input0 = x,
                                      .validity0 = inputs[0].validity,
                                      .out0 = actual.values,
                                      .out_validity0 = actual.validity,
                                      .count = dev_count_exact(1000),
                                      .error = &actual_error};
            add_step(&a, load_step(0, type, 0));
            add_step(&a, (tile_step){.kind = TILE_ARITHMETIC,
                                     .op = DEV_ADD,
                                     .flags = TILE_CHECKED,
                                     .target = 1,
                                     .output = 1,
                                     .args = {0, 0},
                                     .type = type,
                                     .location = 42});
            table[DEV_KERNEL_expression](&a);
            CHECK_EQ(actual_error.code, is_null ? DEV_ERROR_NONE : DEV_ERROR_OVERFLOW);
            CHECK(is_null || (actual_error.location == 42 && actual_error.detail == 700));
        }
}
