/* test_kernels_window.c - aggregates of ranges, on every ISA, against plain loops: sliding frames, frames of
 * any length whose ends never fall, frames in two parts. And every kernel of windows against the scalar one,
 * over more rows than one block of threads has.
 *
 * test_label: release */
#include "device/cpu/tables.h"
#include "device/kernels/kernel_ops.h"
#include "kernel_tables.h"
#include "test.h"

#include <math.h>
#include <string.h>

enum { ROWS = 300 };

static const char *const isas[] = {"scalar", "avx2", "avx512", "cuda"};

static int64_t values[ROWS];
static double reals[ROWS];
static uint64_t validity[(ROWS + 63) / 64];
static uint32_t from[2][ROWS], to[2][ROWS];

static bool is_valid(size_t i)
{
    return validity[i / 64] >> (i % 64) & 1;
}

/* Ranges of about so many rows, the second behind the first. */
static void make_ranges(size_t most)
{
    uint32_t at[4] = {0};
    for (size_t i = 0; i < ROWS; i++) {
        for (size_t k = 0; k < 4; k++) {
            uint32_t step = (uint32_t)test_random_below(3), least = k ? at[k - 1] : 0;
            at[k] = at[k] + step < least ? least : at[k] + step;
            at[k] = at[k] > ROWS ? ROWS : at[k];
            if (k % 2 && at[k] > at[k - 1] + most)
                at[k] = at[k] > at[k - 1] + (uint32_t)most + 3 ? at[k] : at[k - 1] + (uint32_t)most;
        }
        from[0][i] = at[0];
        to[0][i] = i && at[1] < to[0][i - 1] ? to[0][i - 1] : at[1];
        from[1][i] = at[2] < to[0][i] ? to[0][i] : at[2];
        to[1][i] = i && at[3] < to[1][i - 1] ? to[1][i - 1] : at[3];
    }
}

static void make_values(void)
{
    for (size_t i = 0; i < ROWS; i++) {
        values[i] = (int64_t)test_random_below(1000) - 500;
        reals[i] = (double)values[i] / 8;
        if (i % 64 == 0)
            validity[i / 64] = test_random() | test_random();
    }
}

typedef struct expected {
    uint64_t count;
    int128 sum;
    uint32_t least;
} expected;

/* Expected of the first `parts` ranges of row i. */
static expected of_row(size_t i, size_t parts)
{
    expected e = {.least = ROW_NULL};
    for (size_t p = 0; p < parts; p++)
        for (uint32_t k = from[p][i]; k < to[p][i]; k++) {
            if (!is_valid(k))
                continue;
            e.count++;
            e.sum += values[k];
            if (e.least == ROW_NULL || values[k] < values[e.least])
                e.least = k;
        }
    return e;
}

static struct {
    uint32_t sums[ROWS + 1], rows[ROWS], row_scratch[ROWS];
    uint64_t counts[ROWS];
    int128 totals[ROWS], scratch[ROWS];
    aggregate_number numbers[ROWS], number_scratch[ROWS];
} out;

static void run(const dev_kernel_function *table, size_t part)
{
    dev_count count = dev_count_exact(ROWS);
    dev_error error = {0};
    table[DEV_KERNEL_over_count](&(over_count_arguments){.validity = validity,
                                                         .from = from[part],
                                                         .to = to[part],
                                                         .count = count,
                                                         .combine = part > 0,
                                                         .sums = out.sums,
                                                         .states = out.counts});
    table[DEV_KERNEL_over_sum](&(over_sum_arguments){.type = type_make(TYPE_INT64),
                                                     .values = values,
                                                     .validity = validity,
                                                     .from = from[part],
                                                     .to = to[part],
                                                     .count = count,
                                                     .combine = part > 0,
                                                     .scratch = out.scratch,
                                                     .states = out.totals,
                                                     .error = &error});
    table[DEV_KERNEL_over_sum_number](&(over_sum_number_arguments){.values = reals,
                                                                   .validity = validity,
                                                                   .from = from[part],
                                                                   .to = to[part],
                                                                   .count = count,
                                                                   .combine = part > 0,
                                                                   .scratch = out.number_scratch,
                                                                   .states = out.numbers});
    table[DEV_KERNEL_over_pick](&(over_pick_arguments){.type = type_make(TYPE_INT64),
                                                       .values = values,
                                                       .validity = validity,
                                                       .from = from[part],
                                                       .to = to[part],
                                                       .count = count,
                                                       .combine = part > 0,
                                                       .scratch = out.row_scratch,
                                                       .states = out.rows});
    CHECK_EQ(error.code, DEV_ERROR_NONE);
}

static void check(size_t parts)
{
    for (size_t i = 0; i < ROWS; i++) {
        expected e = of_row(i, parts);
        CHECK_EQ(out.counts[i], e.count);
        CHECK(out.totals[i] == e.sum);
        CHECK(out.numbers[i].sum + out.numbers[i].error == (double)e.sum / 8);
        CHECK_EQ(out.rows[i] == ROW_NULL, e.least == ROW_NULL);
        if (e.least != ROW_NULL)
            CHECK_EQ(values[out.rows[i]], values[e.least]);
    }
}

TEST(ranges_have_the_aggregates_of_their_rows)
{
    for (size_t round = 0; round < 40; round++) {
        make_values();
        make_ranges(round * 4);
        for (size_t isa = 0; isa < sizeof isas / sizeof *isas; isa++) {
            const char *name;
            const dev_kernel_function *table = test_kernel_table(isas[isa], &name);
            if (!table || (test_is_cuda(isas[isa]) && round % 8))
                continue; /* the emulation is slow */
            run(table, 0);
            check(1);
            run(table, 1);
            check(2);
        }
    }
}

/* ---- every kernel against the scalar one ---- */

enum { MANY = 4500, MANY_WORDS = (MANY + 63) / 64, VALUE_BYTES = 16, RESULTS = 64 };

/* Partitions, runs of peers in them, a frame that slides over both, and columns of each type. */
static struct {
    uint64_t validity[MANY_WORDS], starts[MANY_WORDS], bits[MANY_WORDS];
    uint32_t from[MANY], to[MANY], peer_from[MANY], peer_to[MANY], low[MANY], high[MANY];
    int64_t numbers[MANY];
    double reals[MANY];
    uint64_t states[MANY];
    _Alignas(16) char values[TYPE_FLAT_COUNT][MANY * VALUE_BYTES];
} in;

/* Rows that there are; as many as MANY, for all that who launches knows. */
static uint64_t many;

/* Output of kernels: `results` parts of it, compared byte for byte unless they are doubles. */
static struct table_output {
    _Alignas(16) char parts[RESULTS][(MANY + 64) * VALUE_BYTES];
    dev_error errors[RESULTS];
    uint32_t count;
} outputs[2], *output;

static _Alignas(16) char scratch[(MANY + 1) * sizeof(aggregate_pair)];
static aggregate_number number_states[2][MANY];
static aggregate_variance variance_states[2][MANY];
static aggregate_pair pair_states[2][MANY];

static void *result(void)
{
    memset(output->parts[output->count], 0, sizeof *output->parts);
    CHECK(output->count < RESULTS);
    return output->parts[output->count++];
}

static dev_error *failure(void)
{
    dev_error *error = &output->errors[output->count];
    *error = (dev_error){0};
    return error;
}

static bool starts_at(const uint64_t *bits, size_t i)
{
    return !i || bits[i / 64] >> (i % 64) & 1;
}

static void find_runs(const uint64_t *bits, uint32_t *begin, uint32_t *end)
{
    for (uint32_t i = 0; i < many; i++)
        begin[i] = starts_at(bits, i) ? i : begin[i - 1];
    for (uint32_t i = (uint32_t)many; i--;)
        end[i] = i + 1 == many || starts_at(bits, i + 1) ? i + 1 : end[i + 1];
}

/* A value that is equal for equal keys, and in their order. */
static void set_value(type_id id, size_t i, uint32_t key)
{
    char *at = in.values[id];
    if (id == TYPE_BOOL) {
        uint64_t *words = (uint64_t *)(void *)at, bit = (uint64_t)1 << (i % 64);
        words[i / 64] = (words[i / 64] & ~bit) | (key & 1 ? bit : 0);
    } else if (id == TYPE_INT32) {
        ((int32_t *)(void *)at)[i] = (int32_t)key - 7;
    } else if (id == TYPE_UINT8) {
        ((uint8_t *)at)[i] = (uint8_t)(key + 120);
    } else if (id == TYPE_UINT64) {
        ((uint64_t *)(void *)at)[i] = key + (UINT64_MAX >> 1);
    } else if (id == TYPE_DOUBLE) {
        ((double *)(void *)at)[i] = key > 20 ? NAN : key / 4.0;
    } else if (id == TYPE_DECIMAL) {
        ((int128 *)(void *)at)[i] = (int128)key * INT64_MAX - 5;
    } else if (id == TYPE_INTERVAL) {
        ((interval_value *)(void *)at)[i] =
            (interval_value){(int32_t)key / 2, (int32_t)key % 2 * 7, 0};
    } else if (id == TYPE_VARCHAR) {
        static const char *const texts[] = {"", "a", "a longer one, 1", "a longer one, 2", "b"};
        const char *text = texts[key % 5];
        ((string_view *)(void *)at)[i] = string_view_make(text, (uint32_t)strlen(text));
    }
}

static const type_id type_ids[] = {TYPE_BOOL,   TYPE_INT32,   TYPE_UINT8,    TYPE_UINT64,
                                   TYPE_DOUBLE, TYPE_DECIMAL, TYPE_INTERVAL, TYPE_VARCHAR};
#define TYPE_IDS (sizeof type_ids / sizeof *type_ids)

static data_type type_of(type_id id)
{
    return id == TYPE_DECIMAL ? type_decimal(38, 0) : type_make(id);
}

static void make_input(size_t partition_rows, size_t frame_rows)
{
    memset(in.starts, 0, sizeof in.starts);
    for (size_t i = 0; i < MANY; i++) {
        uint64_t bit = (uint64_t)1 << (i % 64);
        if (!test_random_below(partition_rows))
            in.starts[i / 64] |= bit;
        in.bits[i / 64] = (in.bits[i / 64] & ~bit) | (test_random_below(4) ? 0 : bit);
        in.validity[i / 64] = (in.validity[i / 64] & ~bit) | (test_random_below(3) ? bit : 0);
        in.numbers[i] = (int64_t)test_random_below(9) + 1;
        in.reals[i] = (double)test_random_below(1000) / 8;
        in.states[i] = test_random();
        for (size_t t = 0; t < TYPE_IDS; t++)
            set_value(type_ids[t], i, (uint32_t)test_random_below(24));
    }
    for (size_t w = 0; w < MANY_WORDS; w++)
        in.bits[w] |= in.starts[w];
    find_runs(in.starts, in.from, in.to);
    find_runs(in.bits, in.peer_from, in.peer_to);
    for (size_t i = 0; i < MANY; i++) {
        in.low[i] = i - in.from[i] > frame_rows ? (uint32_t)(i - frame_rows) : in.from[i];
        in.high[i] = in.to[i] - i > frame_rows ? (uint32_t)(i + frame_rows) : in.to[i];
    }
}

#define COUNT_MANY .count = {MANY, &many}
#define PARTITIONS .from = in.from, .to = in.to, COUNT_MANY
#define FRAMES .from = in.low, .to = in.high, COUNT_MANY
#define LAUNCH(name, ...) table[DEV_KERNEL_##name](&(name##_arguments){__VA_ARGS__})

static void run_frames(const dev_kernel_function *table)
{
    for (size_t t = 0; t < TYPE_IDS; t++) {
        uint64_t *bits = result();
        const void *values = in.values[type_ids[t]];
        data_type type = type_of(type_ids[t]);
        LAUNCH(over_changes, .type = type, .values = values, .validity = t % 2 ? in.validity : NULL,
               .previous = t % 3 ? values : NULL, .previous_row = 70, COUNT_MANY, .out = bits);
        LAUNCH(over_changes, .type = type_make(TYPE_INT32), .values = in.values[TYPE_INT32],
               .validity = in.validity, COUNT_MANY, .combine = true, .out = bits);
    }
    LAUNCH(over_last_change, .bits = in.starts, COUNT_MANY, .out = result());
    uint32_t *begin = result(), *end = result();
    LAUNCH(over_runs, .bits = in.starts, COUNT_MANY, .from = begin, .to = end);
    LAUNCH(over_rows_bound, .distance = -3, PARTITIONS, .out = result());
    for (int is_end = 0; is_end < 2; is_end++)
        LAUNCH(over_groups_bound, .distance = is_end ? 2 : -1, .is_end = is_end, PARTITIONS,
               .peer_from = in.peer_from, .run_starts = (uint32_t *)(void *)scratch,
               .out = result());
    for (int behind = 0; behind < 2; behind++) {
        begin = result(), end = result();
        LAUNCH(over_exclude, .is_behind = behind, FRAMES, .hole_from = behind ? in.peer_from : NULL,
               .hole_to = behind ? in.peer_to : NULL, .out_from = begin, .out_to = end);
    }
}

static int by_value(const void *left, const void *right)
{
    int32_t l = *(const int32_t *)left, r = *(const int32_t *)right;
    return (l > r) - (l < r);
}

/* Keys in order, one of each partition's ends NULL; the limits are the keys a little further on. */
static void run_range(const dev_kernel_function *table)
{
    static int32_t keys[MANY], limits[MANY];
    static uint64_t valid[MANY_WORDS];
    memset(valid, 0xff, sizeof valid);
    memcpy(keys, in.values[TYPE_INT32], sizeof keys);
    for (uint32_t i = 0; i < many; i = in.to[i]) {
        uint32_t null = in.to[i] - 1;
        qsort(keys + i, in.to[i] - i, sizeof *keys, by_value);
        valid[null / 64] &= ~((uint64_t)1 << (null % 64));
    }
    for (size_t i = 0; i < MANY; i++)
        limits[i] = keys[i] + 2;
    for (int is_end = 0; is_end < 2; is_end++)
        LAUNCH(over_range_bound, .type = type_make(TYPE_INT32), .keys = keys,
               .keys_validity = valid, .limits = limits, .limits_validity = valid, .is_end = is_end,
               PARTITIONS, .out = result());
}

static void run_rows(const dev_kernel_function *table)
{
    for (int op = OVER_ROW_NUMBER; op <= OVER_CUME_DIST; op++)
        LAUNCH(over_number, .op = op, PARTITIONS, .peer_from = in.peer_from, .peer_to = in.peer_to,
               .out = result());
    int32_t *buckets = result();
    dev_error *error = failure();
    LAUNCH(over_tile, .buckets = in.numbers, .validity = in.validity, PARTITIONS, .out = buckets,
           .out_validity = result(), .error = error);
    for (int back = 0; back < 2; back++) {
        LAUNCH(over_shift, .is_back = back, .distances = back ? NULL : in.numbers,
               .validity = in.validity, .has_default = back, PARTITIONS, .out = result());
        error = failure();
        LAUNCH(over_nth, .is_last = back, .numbers = back ? NULL : in.numbers,
               .validity = in.validity, .from_0 = in.low, .to_0 = in.peer_from,
               .from_1 = in.peer_to, .to_1 = in.high, COUNT_MANY, .out = result(), .error = error);
    }
    error = failure();
    int64_t kept = in.numbers[MANY / 2];
    in.numbers[MANY / 2] = 0; /* which is an error */
    LAUNCH(over_nth, .numbers = in.numbers, .from_0 = in.low, .to_0 = in.high, COUNT_MANY,
           .out = result(), .error = error);
    in.numbers[MANY / 2] = kept;
}

static void run_aggregates(const dev_kernel_function *table)
{
    static const char ops[] = "&|^";
    size_t side = output == &outputs[1];
    LAUNCH(over_count, .validity = in.validity, FRAMES, .sums = (uint32_t *)(void *)scratch,
           .states = result());
    for (size_t t = 0; t < TYPE_IDS; t++) {
        data_type type = type_of(type_ids[t]);
        LAUNCH(over_pick, .type = type, .is_greatest = t % 2, .values = in.values[type_ids[t]],
               .validity = in.validity, FRAMES, .scratch = (uint32_t *)(void *)scratch,
               .states = result());
        if (type_is_integer(type) || type.id == TYPE_DECIMAL) {
            dev_error *error = failure();
            LAUNCH(over_sum, .type = type, .values = in.values[type_ids[t]],
                   .validity = in.validity, FRAMES, .scratch = scratch, .states = result(),
                   .error = error);
        }
    }
    for (size_t i = 0; i < 3; i++) {
        uint64_t *states = result();
        LAUNCH(over_bits, .op = ops[i], .width = 8, .values = in.states, .validity = in.validity,
               FRAMES, .scratch = (uint64_t *)(void *)scratch, .states = states);
        LAUNCH(over_bits, .op = ops[i], .width = 2, .values = in.states, PARTITIONS,
               .combine = true, .scratch = (uint64_t *)(void *)scratch, .states = states);
    }
    for (uint32_t width = 1; width <= 8; width *= 2)
        LAUNCH(over_narrow, .states = in.states, COUNT_MANY, .width = width, .out = result());
    LAUNCH(over_sum_number, .values = in.reals, .validity = in.validity, FRAMES,
           .scratch = (aggregate_number *)(void *)scratch, .states = number_states[side]);
    LAUNCH(over_vary, .values = in.reals, .validity = in.validity, FRAMES,
           .scratch = (aggregate_variance *)(void *)scratch, .states = variance_states[side]);
    LAUNCH(over_pair, .values = in.reals, .validity = in.validity, .second = in.reals, FRAMES,
           .scratch = (aggregate_pair *)(void *)scratch, .states = pair_states[side]);
}

static void run_all(const dev_kernel_function *table, size_t side)
{
    output = &outputs[side];
    memset(output, 0, sizeof *output);
    run_frames(table);
    run_range(table);
    run_rows(table);
    run_aggregates(table);
}

static void check_same(const char *isa)
{
    CHECK_EQ(outputs[0].count, outputs[1].count);
    for (uint32_t r = 0; r < outputs[0].count; r++) {
        if (memcmp(outputs[0].parts[r], outputs[1].parts[r], sizeof outputs[0].parts[r]))
            test_fail(__FILE__, __LINE__, "result %u of %s differs", r, isa);
        CHECK_EQ(outputs[0].errors[r].code, outputs[1].errors[r].code);
    }
    for (size_t i = 0; i < MANY; i++) {
        const aggregate_variance *v = &variance_states[0][i], *w = &variance_states[1][i];
        const aggregate_pair *p = &pair_states[0][i], *q = &pair_states[1][i];
        CHECK(number_states[0][i].sum + number_states[0][i].error ==
              number_states[1][i].sum + number_states[1][i].error);
        CHECK_EQ(v->count, w->count);
        CHECK_EQ(v->count, p->count); /* of x and x covariance and variance are one */
        CHECK_EQ(p->count, q->count);
        CHECK(fabs(p->xy - q->xy) <= 1e-9 * p->xy && fabs(p->xy - v->squares) <= 1e-6 * p->xy);
        CHECK(fabs(v->mean - w->mean) < 1e-9 && fabs(v->squares - w->squares) <= 1e-9 * v->squares);
    }
}

TEST(every_kernel_does_what_the_scalar_one_does)
{
    const char *name;
    for (size_t round = 0; round < 3; round++) {
        many = round == 2 ? MANY - 70 : MANY;
        make_input(round == 0 ? 7 : round == 1 ? 400 : 100000, round == 1 ? 20 : 3000);
        run_all(dev_kernel_table("scalar", &name), 0);
        for (size_t isa = 1; isa < sizeof isas / sizeof *isas; isa++) {
            const dev_kernel_function *table = test_kernel_table(isas[isa], &name);
            if (!table)
                continue;
            run_all(table, 1);
            check_same(isas[isa]);
        }
    }
}
