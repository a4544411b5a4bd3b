/* test_text_kernels.c - kernels of grouped texts and of bits: every ISA and the CUDA device against
 * plain loops.
 *
 * test_label: release */
#include "device/cpu/tables.h"
#include "kernel_tables.h"
#include "test.h"

#define ROWS_MAX 1025
#define STRIDE 24 /* a text, a number */
#define TEXT_MAX 40
#define SLOTS (1u << 15) /* those of a large directory are fetched ahead */
#define SLOTS_SMALL 4096

static const size_t counts[] = {0, 1, 31, 32, 33, 255, 256, 257, 1024, ROWS_MAX};
#define COUNTS (sizeof counts / sizeof *counts)
static const char *const isas[] = {"scalar", "avx2", "avx512", "cuda"};
#define ISAS (sizeof isas / sizeof *isas)

typedef struct key {
    string_view text;
    uint64_t number;
} key;

static key keys[ROWS_MAX], group_rows[ROWS_MAX];
static char texts[ROWS_MAX][TEXT_MAX];

static const dev_kernel_function *table_of(size_t isa)
{
    const char *name;
    return test_kernel_table(isas[isa], &name);
}

/* `distinct` different keys, with texts of 0 to TEXT_MAX bytes. */
static void fill_keys(size_t distinct)
{
    for (size_t i = 0; i < ROWS_MAX; i++) {
        uint64_t which = test_random_below(distinct), bytes = which * 7 % TEXT_MAX;
        memset(texts[i], 'a' + (int)(which % 26), TEXT_MAX);
        keys[i].text = string_view_make(texts[i], (uint32_t)bytes);
        keys[i].number = which;
    }
}

static const char *data_of(const string_view *text)
{
    return text->bytes > STRING_INLINE_BYTES ? text->data : text->inlined;
}

static bool text_is_same(const string_view *left, const string_view *right)
{
    return left->bytes == right->bytes && !memcmp(data_of(left), data_of(right), left->bytes);
}

static uint64_t long_bytes(const string_view *text)
{
    return text->bytes > STRING_INLINE_BYTES ? text->bytes : 0;
}

/* Bytes of the long texts of different keys. */
static uint64_t distinct_bytes(size_t count, size_t distinct, uint64_t *out_groups)
{
    static bool is_seen[ROWS_MAX];
    uint64_t bytes = 0;
    memset(is_seen, 0, sizeof is_seen);
    *out_groups = 0;
    for (size_t i = 0; i < count; i++) {
        CHECK(keys[i].number < distinct);
        if (is_seen[keys[i].number])
            continue;
        is_seen[keys[i].number] = true;
        bytes += long_bytes(&keys[i].text);
        ++*out_groups;
    }
    return bytes;
}

static bool is_inside(const void *at, const char *heap, size_t bytes)
{
    return (const char *)at >= heap && (const char *)at < heap + bytes;
}

/* How the strings of new groups are taken. */
typedef enum owning { OWNS_NOTHING, COUNTS_BYTES, OWNS_TEXT, OWNINGS } owning;

static void check_find(const dev_kernel_function *table, size_t count, size_t distinct, owning how,
                       uint64_t slot_count)
{
    static uint64_t slots[SLOTS];
    static uint32_t hashes[ROWS_MAX], found[ROWS_MAX];
    static char heap[ROWS_MAX * TEXT_MAX];
    uint64_t groups = 0, used = 0, expected_groups;
    uint64_t expected = distinct_bytes(count, distinct, &expected_groups);
    keys_hash_arguments h = {.rows = (const uint8_t *)keys,
                             .count = dev_count_exact(count),
                             .stride = STRIDE,
                             .text_count = 1,
                             .out = hashes};
    table[DEV_KERNEL_keys_hash](&h);
    memset(slots, 0, sizeof slots);
    groups_find_arguments f = {.rows = (const uint8_t *)keys,
                               .hashes = hashes,
                               .count = dev_count_exact(count),
                               .stride = STRIDE,
                               .text_count = 1,
                               .slots = slots,
                               .slot_count = slot_count,
                               .group_rows = (uint8_t *)group_rows,
                               .group_count = &groups,
                               .heap = how == OWNS_TEXT ? heap : NULL,
                               .heap_used = how == OWNS_NOTHING ? NULL : &used,
                               .out = found};
    table[DEV_KERNEL_groups_find](&f);
    CHECK_EQ(groups, expected_groups);
    CHECK_EQ(used, how == OWNS_NOTHING ? 0 : expected);
    for (size_t i = 0; i < count; i++) {
        const key *group = &group_rows[found[i]];
        CHECK(found[i] < groups && group->number == keys[i].number);
        CHECK(text_is_same(&group->text, &keys[i].text));
        if (how == OWNS_TEXT && long_bytes(&group->text))
            CHECK(is_inside(data_of(&group->text), heap, sizeof heap));
    }
}

TEST(groups_own_or_count_their_texts)
{
    static const size_t distincts[] = {1, 2, 600, ROWS_MAX};
    EACH_TABLE (v, 0, ISAS)
        for (size_t c = 0; c < COUNTS; c++)
            for (size_t d = 0; d < sizeof distincts / sizeof *distincts; d++)
                for (owning how = 0; how < OWNINGS; how++) {
                    fill_keys(distincts[d]);
                    check_find(table_of(v), counts[c], distincts[d], how, SLOTS_SMALL);
                    check_find(table_of(v), counts[c], distincts[d], how, SLOTS);
                }
}

/* A text and nothing else. */
TEST(texts_alone_are_grouped)
{
    static uint64_t slots[SLOTS];
    static string_view rows[ROWS_MAX], groups[ROWS_MAX];
    static uint32_t hashes[ROWS_MAX], found[ROWS_MAX];
    EACH_TABLE (v, 0, ISAS)
        for (uint64_t slot_count = SLOTS_SMALL; slot_count <= SLOTS; slot_count *= 8) {
            uint64_t count = 0;
            fill_keys(ROWS_MAX);
            for (size_t i = 0; i < ROWS_MAX; i++)
                rows[i] = keys[i].text;
            keys_hash_arguments h = {.rows = (const uint8_t *)rows,
                                     .count = dev_count_exact(ROWS_MAX),
                                     .stride = sizeof *rows,
                                     .text_count = 1,
                                     .out = hashes};
            table_of(v)[DEV_KERNEL_keys_hash](&h);
            memset(slots, 0, sizeof slots);
            groups_find_arguments f = {.rows = (const uint8_t *)rows,
                                       .hashes = hashes,
                                       .count = dev_count_exact(ROWS_MAX),
                                       .stride = sizeof *rows,
                                       .text_count = 1,
                                       .slots = slots,
                                       .slot_count = slot_count,
                                       .group_rows = (uint8_t *)groups,
                                       .group_count = &count,
                                       .out = found};
            table_of(v)[DEV_KERNEL_groups_find](&f);
            for (size_t i = 0; i < ROWS_MAX; i++)
                CHECK(found[i] < count && text_is_same(&groups[found[i]], &rows[i]));
            for (size_t g = 0; g < count; g++)
                for (size_t other = 0; other < g; other++)
                    CHECK(!text_is_same(&groups[g], &groups[other]));
        }
}

TEST(texts_of_states_as_values)
{
    static string_view states[ROWS_MAX], out[ROWS_MAX];
    static uint64_t validity[ROWS_MAX / 64 + 1];
    fill_keys(ROWS_MAX);
    for (size_t i = 0; i < ROWS_MAX; i++) {
        states[i] = keys[i].text;
        if (test_random_below(3) == 0)
            states[i].bytes = AGGREGATE_NO_TEXT;
    }
    EACH_TABLE (v, 0, ISAS)
        for (size_t c = 0; c < COUNTS; c++) {
            aggregate_text_values_arguments a = {.states = states,
                                                 .count = dev_count_exact(counts[c]),
                                                 .out = out,
                                                 .out_validity = validity};
            memset(out, 0xa5, sizeof out);
            memset(validity, 0xa5, sizeof validity);
            table_of(v)[DEV_KERNEL_aggregate_text_values](&a);
            for (size_t i = 0; i < (counts[c] + 63) / 64 * 64; i++) {
                bool has_text = i < counts[c] && states[i].bytes != AGGREGATE_NO_TEXT;
                CHECK_EQ(validity[i / 64] >> (i % 64) & 1, has_text);
                if (i < counts[c] && has_text)
                    CHECK(text_is_same(&out[i], &states[i]));
                else if (i < counts[c])
                    CHECK_EQ(out[i].bytes, 0);
            }
        }
}

TEST(bits_are_counted)
{
    uint64_t bits[300];
    for (size_t i = 0; i < 300; i++)
        bits[i] = test_random() & test_random();
    EACH_TABLE (v, 0, ISAS)
        for (uint64_t words = 0; words <= 300; words += words < 34 ? 1 : 133) {
            uint64_t expected = 5, total = 5;
            for (uint64_t i = 0; i < words * 64; i++)
                expected += bits[i / 64] >> (i % 64) & 1;
            count_bits_arguments a = {.bits = bits, .word_count = words, .out_total = &total};
            table_of(v)[DEV_KERNEL_count_bits](&a);
            CHECK_EQ(total, expected);
        }
}

/* Hashes of NULLs are spread; a lazy count's rows are those that there are. */
TEST(hashes_of_nulls_are_spread)
{
    static uint32_t hashes[ROWS_MAX];
    static uint64_t validity[ROWS_MAX / 64 + 1];
    for (size_t i = 0; i < sizeof validity / sizeof *validity; i++)
        validity[i] = test_random();
    EACH_TABLE (v, 0, ISAS)
        for (size_t c = 0; c < COUNTS; c++) {
            uint64_t actual = counts[c];
            join_spread_nulls_arguments a = {
                .validity = validity, .count = {ROWS_MAX, &actual}, .hashes = hashes};
            memset(hashes, 0, sizeof hashes);
            table_of(v)[DEV_KERNEL_join_spread_nulls](&a);
            for (uint32_t i = 0; i < ROWS_MAX; i++) {
                bool is_null = i < actual && !(validity[i / 64] >> (i % 64) & 1);
                CHECK_EQ(hashes[i], is_null ? i * 2654435769u : 0);
            }
        }
}

/* ---- casts: as the scalar kernel, which parses and prints as the host does ---- */

static const char *const samples[] = {"0",
                                      "-1",
                                      "127",
                                      "300",
                                      "-32768",
                                      "65536",
                                      "2147483648",
                                      "9223372036854775807",
                                      "99999999999999999999",
                                      "1.25",
                                      "-0.005",
                                      "1e3",
                                      "1e400",
                                      "0.1",
                                      "123456789.123456789",
                                      "NaN",
                                      "-Infinity",
                                      "3.4e38",
                                      "5e-324",
                                      "1995-03-15",
                                      "0044-03-15 BC",
                                      "1995-03-15 12:34:56.789012",
                                      "2000-01-01 00:00:00+02",
                                      "24:00:00",
                                      "03:04:05.6",
                                      "1 year 2 mons -3 days 04:05:06.7",
                                      "P1Y2M3DT4H5M6.5S",
                                      "2.5 weeks",
                                      "-1.5 months",
                                      "90 days ago",
                                      "true",
                                      "off",
                                      "o",
                                      "",
                                      "  12  ",
                                      "x",
                                      "1 2"};
#define SAMPLES (sizeof samples / sizeof *samples)

static const data_type *cast_types(size_t *out_count)
{
    static data_type types[20];
    size_t count = 0;
    for (type_id id = TYPE_BOOL; id <= TYPE_INTERVAL; id++)
        if (id != TYPE_DECIMAL)
            types[count++] = type_make(id);
    types[count++] = type_decimal(9, 2);
    types[count++] = type_decimal(38, 10);
    types[count] = type_make(TYPE_TIMESTAMP);
    types[count++].precision = 9;
    *out_count = count;
    return types;
}

static dev_error_code cast_text(const dev_kernel_function *table, data_type type,
                                const string_view *values, const uint64_t *validity,
                                dev_count count, void *made)
{
    dev_error error = {.code = DEV_ERROR_NONE};
    cast_from_text_arguments a = {.to = type,
                                  .values = values,
                                  .validity = validity,
                                  .count = count,
                                  .out = made,
                                  .error = &error};
    table[DEV_KERNEL_cast_from_text](&a);
    return atomic_load(&error.code);
}

static void print_values(const dev_kernel_function *table, data_type type, const void *values,
                         const uint64_t *validity, dev_count count, char *heap, string_view *made)
{
    cast_to_text_arguments a = {.from = type,
                                .values = values,
                                .validity = validity,
                                .count = count,
                                .heap = heap,
                                .heap_stride = INTERVAL_TEXT_BYTES,
                                .out = made};
    table[DEV_KERNEL_cast_to_text](&a);
}

/* Each sample alone; those that are values of the type, all rows of them, and back to text. */
static void check_casts(const dev_kernel_function *table, data_type type)
{
    static string_view values[ROWS_MAX], printed[2][ROWS_MAX];
    static int128 made[2][ROWS_MAX];
    static char heap[2][ROWS_MAX * INTERVAL_TEXT_BYTES];
    uint64_t validity[ROWS_MAX / 64 + 1], actual = 1000;
    size_t good[SAMPLES], good_count = 0;
    const dev_kernel_function *scalar = table_of(0);
    for (size_t i = 0; i < SAMPLES; i++) {
        values[0] = string_view_make(samples[i], (uint32_t)strlen(samples[i]));
        dev_error_code expected =
            cast_text(scalar, type, values, NULL, dev_count_exact(1), made[0]);
        CHECK_EQ(cast_text(table, type, values, NULL, dev_count_exact(1), made[1]), expected);
        if (!expected)
            good[good_count++] = i;
    }
    CHECK(good_count > 0);
    for (size_t i = 0; i < ROWS_MAX; i++) {
        size_t which = good[test_random_below(good_count)];
        values[i] = string_view_make(samples[which], (uint32_t)strlen(samples[which]));
    }
    for (size_t w = 0; w < ROWS_MAX / 64 + 1; w++)
        validity[w] = test_random();
    dev_count count = {ROWS_MAX, &actual};
    for (int k = 0; k < 2; k++) {
        memset(made[k], 0, sizeof made[k]);
        memset(printed[k], 0, sizeof printed[k]);
        CHECK_EQ(cast_text(k ? table : scalar, type, values, validity, count, made[k]), 0);
        print_values(k ? table : scalar, type, made[k], validity, count, heap[k], printed[k]);
    }
    CHECK(!memcmp(made[0], made[1], sizeof made[0]));
    for (size_t i = 0; i < ROWS_MAX; i++)
        CHECK(text_is_same(&printed[0][i], &printed[1][i]));
}

TEST(casts_from_and_to_text)
{
    size_t count;
    const data_type *types = cast_types(&count);
    EACH_TABLE (v, 1, ISAS)
        for (size_t t = 0; t < count; t++)
            check_casts(table_of(v), types[t]);
}
