/* test_kernels_alike.c - kernels that no other test compares with the scalar ones: moving, texts, aggregates, groups, joins,
 * sorting.
 * test_label: not-tsan release */
#include "kernel_tables.h"
#include "kernels_alike.h"

#define ROWS ALIKE_ROWS
#define COUNT .count = dev_count_exact(ROWS)
#define WORDS ((ROWS + 63) / 64)

typedef const dev_kernel_function *tables;

#define TEST_ALIKE(name)                                                                           \
    static void launch_##name(tables t, alike_output *o);                                          \
    TEST(name##_is_the_scalar_one)                                                                 \
    {                                                                                              \
        alike_check(#name, launch_##name);                                                         \
    }                                                                                              \
    static void launch_##name(tables t, alike_output *o)

/* Row numbers, some of them ROW_NULL. */
static uint32_t *index_with_nulls(uint32_t below)
{
    uint32_t *index = alike_numbers(ROWS, below + below / 4);
    for (size_t i = 0; i < ROWS; i++)
        if (index[i] >= below)
            index[i] = ROW_NULL;
    return index;
}

/* Numbers from 0 on, each once, in any order. */
static uint32_t *permutation(void)
{
    uint32_t *numbers = alike_numbers(ROWS, 1);
    for (uint32_t i = 0; i < ROWS; i++) {
        uint32_t k = (uint32_t)test_random_below(i + 1);
        numbers[i] = numbers[k];
        numbers[k] = i;
    }
    return numbers;
}

/* ---- moving ---- */

TEST_ALIKE(invert_bits)
{
    ALIKE(t, invert_bits, .bits = alike_bits(ROWS), COUNT, .out = alike_take(o, WORDS * 8));
}

TEST_ALIKE(count_up)
{
    ALIKE(t, count_up, .first = 77, COUNT, .out = alike_take(o, ROWS * 4));
}

TEST_ALIKE(index_to_zero)
{
    ALIKE(t, index_to_zero, .index = index_with_nulls(100), COUNT, .out = alike_take(o, ROWS * 4));
}

TEST_ALIKE(spread)
{
    static const uint8_t widths[] = {1, 2, 4, 8, 16};
    void *source = alike_bytes(16);
    for (size_t i = 0; i < sizeof widths; i++)
        ALIKE(t, spread, .width = widths[i], .source = source, COUNT,
              .out = alike_take(o, ROWS * widths[i]));
}

TEST_ALIKE(fill)
{
    static const uint8_t widths[] = {0, 1, 2, 4, 8, 16};
    for (size_t i = 0; i < sizeof widths; i++)
        ALIKE(t, fill, .width = widths[i], .value_low = test_random() | 1,
              .value_high = test_random(), .count = dev_count_exact(ROWS - ROWS % 64),
              .out = alike_take(o, widths[i] ? (ROWS - ROWS % 64) * widths[i] : ROWS / 64 * 8));
}

TEST_ALIKE(copy_bits)
{
    uint64_t *source = alike_bits(ROWS * 2);
    for (unsigned i = 0; i < 8; i++)
        ALIKE(t, copy_bits, .source = i == 7 ? NULL : source, .source_at = i * 37,
              .count = dev_count_exact(ROWS - i * 31), .target = alike_take(o, ROWS * 2 / 8),
              .target_at = i * 53);
}

TEST_ALIKE(scatter_rows)
{
    ALIKE(t, scatter_rows, .groups = permutation(), COUNT, .first_row = 9,
          .rows = alike_take(o, ROWS * 4));
}

/* ---- codes, groups, keys ---- */

TEST_ALIKE(codes_to_index)
{
    ALIKE(t, codes_to_index, .codes = alike_numbers(ROWS, 5000), .first = 3, COUNT, .radix = 7,
          .digit = 11, .out = alike_take(o, ROWS * 4));
    ALIKE(t, codes_to_index, .codes = NULL, .first = 3, COUNT, .radix = 1, .digit = 50,
          .out = alike_take(o, ROWS * 4));
}

TEST_ALIKE(codes_shift)
{
    ALIKE(t, codes_shift, .codes = alike_numbers(ROWS, 5000), .shift = 77, COUNT,
          .out = alike_take(o, ROWS * 4));
}

TEST_ALIKE(groups_rehash)
{
    uint64_t *slots = alike_bytes(ROWS * 8);
    for (size_t i = 0; i < ROWS; i += 3)
        slots[i] = 0;
    ALIKE(t, groups_rehash, .old_slots = slots, .old_slot_count = ROWS,
          .slots = alike_take_set(o, 4096), .slot_count = 4096);
}

TEST_ALIKE(keys_gather)
{
    ALIKE(t, keys_gather, .rows = alike_bytes(ROWS * 24), .stride = 24,
          .index = alike_numbers(ROWS, ROWS), COUNT, .out = alike_take(o, ROWS * 24));
}

/* Rows of two texts and a number. */
static uint8_t *rows_of_texts(alike_output *o)
{
    enum { STRIDE = 40 };
    uint8_t *rows = alike_take(o, 0);
    const string_view *first = alike_texts(ROWS, 40), *second = alike_texts(ROWS, 14);
    o->used += ROWS * STRIDE;
    CHECK(o->used < ALIKE_BYTES);
    for (size_t i = 0; i < ROWS; i++) {
        memcpy(rows + i * STRIDE, &first[i], sizeof *first);
        memcpy(rows + i * STRIDE + sizeof *first, &second[i], sizeof *second);
        memcpy(rows + i * STRIDE + 2 * sizeof *first, &i, sizeof i);
    }
    return rows;
}

TEST_ALIKE(keys_text_bytes)
{
    const uint8_t *rows = rows_of_texts(o);
    ALIKE(t, keys_text_bytes, .rows = rows, COUNT, .stride = 40, .text_count = 2,
          .out_total = alike_take(o, 8));
}

TEST_ALIKE(keys_own_text)
{
    uint8_t *rows = rows_of_texts(o);
    ALIKE(t, keys_own_text, .rows = rows, COUNT, .stride = 40, .text_count = 2,
          .heap = o->bytes + ALIKE_BYTES / 2, .heap_used = alike_take(o, 8));
    string_view *texts = alike_take_texts(o, 2 * ROWS);
    uint64_t *numbers = alike_take(o, ROWS * 8);
    for (size_t i = 0; i < ROWS; i++) {
        memcpy(&texts[2 * i], rows + i * 40, 2 * sizeof *texts);
        memcpy(&numbers[i], rows + i * 40 + 32, 8);
    }
}

/* ---- aggregates ---- */

TEST_ALIKE(aggregate_mark)
{
    ALIKE(t, aggregate_mark, .groups = alike_numbers(ROWS, ROWS), COUNT,
          .states = alike_take(o, ROWS));
}

TEST_ALIKE(aggregate_widen)
{
    ALIKE(t, aggregate_widen, .source = alike_bytes(ROWS * 8), COUNT,
          .out = alike_take(o, ROWS * 16));
}

TEST_ALIKE(aggregate_present)
{
    uint64_t *counts = alike_bytes(ROWS * 8);
    uint8_t *marks = alike_bytes(ROWS);
    for (size_t i = 0; i < ROWS; i++) {
        counts[i] &= 1;
        marks[i] &= 1;
    }
    ALIKE(t, aggregate_present, .counts = counts, .marks = marks, COUNT,
          .out = alike_take(o, WORDS * 8));
    ALIKE(t, aggregate_present, .counts = counts, COUNT, .out = alike_take(o, WORDS * 8));
    ALIKE(t, aggregate_present, .marks = marks, COUNT, .out = alike_take(o, WORDS * 8));
}

TEST_ALIKE(aggregate_finish_sum)
{
    int64_t *states = alike_bytes(ROWS * 16);
    for (size_t i = 0; i < 2 * ROWS; i++)
        states[i] /= 1000;
    ALIKE(t, aggregate_finish_sum, .type = type_make(TYPE_INT64), .states = states,
          .state_width = 8, COUNT, .out = alike_take(o, ROWS * 8), ALIKE_FAILURES);
    ALIKE(t, aggregate_finish_sum, .type = type_decimal(38, 2), .states = states, .state_width = 8,
          COUNT, .out = alike_take(o, ROWS * 16), ALIKE_FAILURES);
    for (size_t i = 0; i < ROWS; i++)
        states[2 * i + 1] = 0;
    for (size_t i = 0; i < ROWS; i++)
        states[2 * i] &= INT64_MAX;
    ALIKE(t, aggregate_finish_sum, .type = type_make(TYPE_INT64), .states = states,
          .state_width = 16, COUNT, .out = alike_take(o, ROWS * 8), ALIKE_FAILURES);
}

TEST_ALIKE(aggregate_finish_number)
{
    uint64_t *counts = alike_bytes(ROWS * 8);
    int64_t *sums = alike_bytes(ROWS * 8);
    aggregate_number *numbers = alike_bytes(ROWS * sizeof *numbers);
    for (size_t i = 0; i < ROWS; i++) {
        counts[i] = 1 + counts[i] % 9;
        sums[i] /= 1 << 20;
        numbers[i] = (aggregate_number){(double)sums[i] / 3, 0.25};
    }
    ALIKE(t, aggregate_finish_number, .is_number = true, .states = numbers, .state_width = 16,
          .counts = counts, COUNT, .width = 8, .out = alike_take(o, ROWS * 8));
    ALIKE(t, aggregate_finish_number, .is_number = true, .states = numbers, .state_width = 16,
          COUNT, .width = 4, .out = alike_take(o, ROWS * 4));
    ALIKE(t, aggregate_finish_number, .states = sums, .state_width = 8, .scale = 3,
          .counts = counts, COUNT, .width = 8, .out = alike_take(o, ROWS * 8));
}

TEST_ALIKE(aggregate_finish_bool)
{
    uint8_t *states = alike_bytes(ROWS);
    for (size_t i = 0; i < ROWS; i++)
        states[i] &= 1;
    ALIKE(t, aggregate_finish_bool, .states = states, COUNT, .out = alike_take(o, WORDS * 8));
}

/* States of texts, of which some have none. */
static string_view *text_states(alike_output *o)
{
    string_view *states = alike_take_texts(o, ROWS);
    memcpy(states, alike_texts(ROWS, 40), ROWS * sizeof *states);
    return states;
}

TEST_ALIKE(aggregate_text_bytes)
{
    const string_view *states = text_states(o);
    ALIKE(t, aggregate_text_bytes, .states = states, COUNT, .out_total = alike_take(o, 8));
    ALIKE(t, aggregate_text_bytes, .states = states, .changed = permutation(),
          .count = dev_count_exact(ROWS / 2), .out_total = alike_take(o, 8));
}

TEST_ALIKE(aggregate_own_text)
{
    string_view *states = text_states(o);
    ALIKE(t, aggregate_own_text, .states = states, .changed = permutation(), COUNT,
          .heap = o->bytes + ALIKE_BYTES / 2, .heap_used = alike_take(o, 8));
}

/* ---- joins ---- */

TEST_ALIKE(join_drop_nulls)
{
    uint32_t *groups = alike_take(o, ROWS * 4);
    memcpy(groups, alike_numbers(ROWS, 50), ROWS * 4);
    ALIKE(t, join_drop_nulls, .validity = alike_bits(ROWS), COUNT, .groups = groups);
}

TEST_ALIKE(bloom_add)
{
    ALIKE(t, bloom_add, .hashes = alike_bytes(ROWS * 8), .validity = alike_bits(ROWS), COUNT,
          .blocks = alike_take(o, 256 * 8), .block_count = 256);
}

TEST_ALIKE(rank_sums)
{
    ALIKE(t, rank_sums, .bitmap = alike_bits(ROWS * 64), .word_count = ROWS,
          .ranks = alike_take(o, ROWS * 4), .out_total = alike_take(o, 8));
}

/* Lists of rows; each is put in order, as that is not said. */
TEST_ALIKE(join_list_count)
{
    enum { GROUPS = 100 };
    const uint32_t *groups = index_with_nulls(GROUPS);
    uint32_t *starts = alike_take(o, (GROUPS + 2) * 4);
    uint32_t *before = alike_take(o, (GROUPS + 2) * 4);
    uint64_t *stats = alike_take(o, 16);
    uint64_t *lists = alike_take_set(o, ROWS);
    uint32_t *rows = alike_bytes(ROWS * 4);
    ALIKE(t, join_list_count, .groups = groups, COUNT, .starts = starts);
    memcpy(before, starts, (GROUPS + 2) * 4);
    ALIKE(t, join_list_sums, .group_count = GROUPS, .starts = starts, .stats = stats);
    ALIKE(t, join_list_fill, .groups = groups, COUNT, .first_row = 5, .starts = starts,
          .rows = rows);
    for (uint32_t g = 0; g < GROUPS; g++)
        for (uint32_t i = starts[g]; i < starts[g + 1] && i < ROWS; i++)
            lists[i] = (uint64_t)g << 32 | rows[i];
}

TEST_ALIKE(join_matched)
{
    ALIKE(t, join_matched, .groups = index_with_nulls(50), COUNT, .out = alike_take(o, WORDS * 8));
}

TEST_ALIKE(join_mark)
{
    ALIKE(t, join_mark, .index = index_with_nulls(ROWS), COUNT, .bits = alike_take(o, WORDS * 8));
}

TEST_ALIKE(join_check_single)
{
    uint32_t *starts = alike_numbers(101, 1);
    for (uint32_t i = 0; i < 101; i++)
        starts[i] = i < 60 ? i : i + 1;
    uint32_t *few = alike_numbers(ROWS, 59);
    ALIKE(t, join_check_single, .groups = few, COUNT, .starts = starts, ALIKE_FAILURES);
    unsigned *code = alike_take(o, sizeof *code);
    *code = atomic_load(&o->error.code);
    few[500] = 59;
    ALIKE(t, join_check_single, .groups = few, COUNT, .starts = starts, ALIKE_FAILURES);
}

TEST_ALIKE(range_values)
{
    ALIKE(t, range_values, .rows = alike_bytes(ROWS * 48), .key = 1, .key_count = 2,
          .index = permutation(), COUNT, .out = alike_take(o, ROWS * 16));
}

TEST_ALIKE(range_tops)
{
    ALIKE(t, range_tops, .heights = alike_numbers(ROWS, 100000), .height_count = ROWS,
          .count = dev_count_exact(WORDS), .out = alike_take(o, WORDS * 4));
}

/* One row has most of the pairs, and some have none; the room ends within a row, and once more. */
TEST_ALIKE(join_pairs)
{
    enum { GROUPS = 60, LISTED = 30000, ROOM = 20011 };
    uint32_t *starts = alike_numbers(GROUPS + 1, 1), *groups = index_with_nulls(GROUPS);
    uint64_t *cursor = alike_take(o, 16);
    for (uint32_t g = 0; g <= GROUPS; g++)
        starts[g] = g < 20 ? g / 2 : g < 40 ? 5000 + g : g == GROUPS ? LISTED : LISTED - GROUPS + g;
    for (unsigned turn = 0; turn < 3; turn++)
        ALIKE(t, join_pairs, .groups = groups, COUNT, .starts = starts,
              .rows = alike_numbers(LISTED, LISTED), .room = ROOM, .cursor = cursor,
              .out_probe = alike_take(o, ROOM * 4), .out_build = alike_take(o, ROOM * 4),
              .out_count = alike_take(o, 8));
    uint64_t *end = alike_take(o, 16);
    memcpy(end, cursor, 16);
}

/* ---- texts ---- */

TEST_ALIKE(starts_with)
{
    ALIKE(t, starts_with, .values = alike_texts(ROWS, 30), .value_stride = 1,
          .prefixes = alike_texts(ROWS, 2), .prefix_stride = 1, COUNT,
          .out = alike_take(o, WORDS * 8));
}

TEST_ALIKE(string_bytes)
{
    ALIKE(t, string_bytes, .values = alike_texts(ROWS, 40), .validity = alike_bits(ROWS), COUNT,
          .out_total = alike_take(o, 8));
}

TEST_ALIKE(string_trim)
{
    const string_view *values = alike_texts(ROWS, 40), *set = alike_texts(1, 3);
    for (unsigned ends = DEV_TRIM_LEFT; ends <= DEV_TRIM_BOTH; ends++)
        ALIKE(t, string_trim, .ends = (uint8_t)ends, .values = values, .value_stride = 1,
              .set = set, .set_stride = 0, COUNT, .out = alike_take_texts(o, ROWS));
}

TEST_ALIKE(string_build_bytes)
{
    const string_view *first = alike_texts(ROWS, 40), *second = alike_texts(ROWS, 2),
                      *third = alike_texts(ROWS, 20);
    for (unsigned op = DEV_BUILD_UPPER; op <= DEV_BUILD_ENCODE; op++)
        ALIKE(t, string_build_bytes, .op = (uint8_t)op, .first = first, .first_stride = 1,
              .second = second, .second_stride = 1, .third = third, .third_stride = 1, COUNT,
              .out_total = alike_take(o, 8), ALIKE_FAILURES);
}

/* Texts with bytes that are invalid UTF-8. */
static string_view *wrong_texts(alike_output *o)
{
    string_view *values = alike_take_texts(o, ROWS);
    const string_view *right = alike_texts(ROWS, 20);
    char *bytes = alike_bytes(ROWS * 20);
    for (size_t i = 0; i < ROWS; i++) {
        char *text = bytes + i * 20;
        if (i % 3)
            memcpy(text, string_data(&right[i]), right[i].bytes);
        values[i] = string_view_make(text, right[i].bytes);
    }
    return values;
}

TEST_ALIKE(text_replaced_bytes)
{
    const string_view *values = wrong_texts(o);
    ALIKE(t, text_replaced_bytes, .values = values, COUNT, .out_total = alike_take(o, 8),
          ALIKE_FAILURES);
}

TEST_ALIKE(text_replace)
{
    string_view *values = wrong_texts(o);
    ALIKE(t, text_replace, .values = values, COUNT, .heap = o->bytes + ALIKE_BYTES / 2,
          .heap_used = alike_take(o, 8));
}

/* ---- times ---- */

TEST_ALIKE(time_arithmetic)
{
    int64_t *left = alike_bytes(ROWS * 16), *right = alike_bytes(ROWS * 16);
    uint64_t *validity = alike_bits(ROWS);
    memset(validity, 0xff, WORDS * 8);
    for (size_t i = 0; i < 2 * ROWS; i++) {
        left[i] %= 1000000000;
        right[i] &= 0x000000ff000000ff; /* days and months of intervals */
    }
    for (unsigned op = DEV_TIME_DATE_ADD_DAYS; op <= DEV_TIME_TIMESTAMP_DIFFERENCE; op++)
        ALIKE(t, time_arithmetic, .op = (uint8_t)op, .precision = 6, .left = left, .left_stride = 1,
              .right = right, .right_stride = 1, .validity = validity, COUNT,
              .out = alike_take(o, op == DEV_TIME_TIMESTAMP_DIFFERENCE ? ROWS * 16
                                   : op == DEV_TIME_DATE_ADD_DAYS      ? ROWS * 4
                                                                       : ROWS * 8),
              ALIKE_FAILURES);
}

/* ---- sorting ---- */

TEST_ALIKE(sort_pack)
{
    void *values = alike_bytes(ROWS * 16);
    const uint64_t *validity = alike_bits(ROWS);
    const string_view *texts = alike_texts(ROWS, 30);
    for (unsigned i = 0; i < 4; i++)
        ALIKE(t, sort_pack, .type = type_make(i % 2 ? TYPE_INT64 : TYPE_INT32), .values = values,
              .validity = validity, COUNT, .key = 0, .key_count = 1, .is_descending = i / 2,
              .nulls_first = i % 2, .rows = alike_take(o, ROWS * 24));
    uint64_t *rows = alike_take(o, 0);
    o->used += ROWS * 24;
    ALIKE(t, sort_pack, .type = type_make(TYPE_VARCHAR), .values = texts, .validity = validity,
          COUNT, .key = 0, .key_count = 1, .rows = rows);
    string_view *packed = alike_take_texts(o, ROWS);
    for (size_t i = 0; i < ROWS; i++)
        memcpy(&packed[i], &rows[3 * i + 1], sizeof *packed);
}

TEST_ALIKE(sort_keep)
{
    int64_t *values = alike_bytes(ROWS * 8);
    uint64_t *rows = alike_bytes(ROWS * 24);
    const dev_kernel_function *scalar = dev_kernel_table("scalar", &(const char *){NULL});
    ALIKE(scalar, sort_pack, .type = type_make(TYPE_INT64), .values = values, COUNT, .key = 0,
          .key_count = 1, .rows = rows);
    uint32_t *kept = alike_bytes(ROWS * 4), *out = alike_take(o, ROWS * 4);
    uint64_t *count = alike_take(o, 8);
    ALIKE(t, sort_keep, .rows = rows, .last = rows + 3 * 17, COUNT, .out = kept,
          .out_count = count);
    memcpy(out, kept, *count * sizeof *out); /* what is written after these says nothing */
}
