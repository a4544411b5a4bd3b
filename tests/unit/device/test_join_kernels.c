/* test_join_kernels.c - the kernels of join tables, of every ISA, against what plain loops give.
 *
 * test_label: release */
#include "device/cpu/tables.h"
#include "device/kernels/kernel_ops.h"
#include "kernel_tables.h"
#include "test.h"

#define ROWS_MAX 1100
#define BITS_MAX 4000
#define SENTINEL 0xa5a5a5a5u

static const size_t counts[] = {0, 1, 7, 8, 63, 64, 65, 127, 1000, 1024, 1025};
#define COUNTS (sizeof counts / sizeof *counts)
static const char *const isas[] = {"scalar", "avx2", "avx512", "cuda"};
#define ISAS (sizeof isas / sizeof *isas)

static _Alignas(64) char keys[ROWS_MAX * 8 + 64];
static int64_t numbers[ROWS_MAX]; /* the keys, as numbers */
static uint64_t validity[ROWS_MAX / 64 + 9];
static uint64_t bitmap[BITS_MAX / 64 + 9];
static uint32_t ranks[BITS_MAX / 64 + 9];

/* A kernel of one ISA; NULL: this machine has it not. */
static size_t key_types(data_type *types)
{
    static const type_id ids[] = {TYPE_INT8,   TYPE_INT16,  TYPE_INT32, TYPE_INT64,    TYPE_UINT8,
                                  TYPE_UINT16, TYPE_UINT32, TYPE_DATE,  TYPE_TIMESTAMP};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++)
        types[i] = type_make(ids[i]);
    return sizeof ids / sizeof *ids;
}

/* Keys around `minimum`, some of them extreme; validity; a bitmap and its ranks. */
static void fill(data_type type, int64_t minimum, uint64_t bits)
{
    uint32_t rank = 0;
    for (size_t i = 0; i < ROWS_MAX; i++) {
        int64_t number = test_random_below(10) == 0
                             ? (int64_t)test_random()
                             : minimum - 20 + (int64_t)test_random_below(bits + 40);
        memcpy(keys + i * type.width, &number, type.width);
        bool is_signed = type_is_signed(type) || type_is_time(type);
        unsigned shift = 64 - 8 * type.width;
        numbers[i] = is_signed ? (int64_t)((uint64_t)number << shift) >> shift
                               : (int64_t)((uint64_t)number << shift >> shift);
    }
    for (size_t w = 0; w < ROWS_MAX / 64 + 9; w++)
        validity[w] = test_random() | test_random();
    for (size_t w = 0; w * 64 < BITS_MAX; w++) {
        bitmap[w] = test_random() & test_random();
        if (w * 64 + 64 > bits)
            bitmap[w] &= w * 64 >= bits ? 0 : ((uint64_t)1 << (bits - w * 64)) - 1;
        ranks[w] = rank;
        rank += (uint32_t)__builtin_popcountll(bitmap[w]);
    }
}

static bool is_valid(size_t row)
{
    return validity[row / 64] >> (row % 64) & 1;
}

static bool has_bit(int64_t number, int64_t minimum, uint64_t bits)
{
    uint64_t at = (uint64_t)number - (uint64_t)minimum;
    return at < bits && bitmap[at / 64] >> (at % 64) & 1;
}

static uint32_t rank_of(int64_t number, int64_t minimum)
{
    uint32_t rank = 0;
    for (uint64_t at = 0; at < (uint64_t)number - (uint64_t)minimum; at++)
        rank += bitmap[at / 64] >> (at % 64) & 1;
    return rank;
}

static void check_ranks(size_t isa, data_type type, int64_t minimum, uint64_t bits, size_t count,
                        bool has_nulls)
{
    static uint32_t out[ROWS_MAX + 16];
    static uint64_t mask[ROWS_MAX / 64 + 9];
    const uint64_t *valid = has_nulls ? validity : NULL;
    dev_kernel_function find = test_kernel(isas[isa], DEV_KERNEL_rank_find);
    dev_kernel_function filter = test_kernel(isas[isa], DEV_KERNEL_filter_bitmap);
    if (!find)
        return;
    out[count] = SENTINEL;
    find(&(rank_find_arguments){.type = type,
                                .keys = keys,
                                .validity = valid,
                                .count = dev_count_exact(count),
                                .minimum = minimum,
                                .bits = bits,
                                .bitmap = bitmap,
                                .ranks = ranks,
                                .out = out});
    filter(&(filter_bitmap_arguments){.type = type,
                                      .keys = keys,
                                      .validity = valid,
                                      .count = dev_count_exact(count),
                                      .minimum = minimum,
                                      .bits = bits,
                                      .bitmap = bitmap,
                                      .out = mask});
    for (size_t i = 0; i < count; i++) {
        bool is_there = (!has_nulls || is_valid(i)) && has_bit(numbers[i], minimum, bits);
        CHECK_EQ(out[i], is_there ? rank_of(numbers[i], minimum) : ROW_NULL);
        CHECK_EQ(mask[i / 64] >> (i % 64) & 1, is_there);
    }
    CHECK_EQ(out[count], SENTINEL);
}

TEST(ranks_of_keys)
{
    data_type types[16];
    size_t type_count = key_types(types);
    for (size_t t = 0; t < type_count; t++)
        for (size_t c = 0; c < COUNTS; c++)
            for (size_t isa = 0; isa < ISAS; isa++) {
                bool is_signed = type_is_signed(types[t]) || type_is_time(types[t]);
                int64_t minimum = is_signed ? -60 : 40;
                uint64_t bits = types[t].width == 1 ? 100 : 1 + test_random_below(BITS_MAX);
                fill(types[t], minimum, bits);
                check_ranks(isa, types[t], minimum, bits, counts[c], c % 2);
            }
}

TEST(bounds_and_bits_of_keys)
{
    data_type types[16];
    size_t type_count = key_types(types);
    for (size_t t = 0; t < type_count; t++)
        for (size_t isa = 0; isa < ISAS; isa++) {
            static uint64_t bits[(1 << 17) / 64];
            int64_t bounds[3] = {INT64_MAX, INT64_MIN, 5}, low = INT64_MAX, high = INT64_MIN;
            size_t count = 1000, valid = 0;
            dev_kernel_function find = test_kernel(isas[isa], DEV_KERNEL_join_key_bounds);
            dev_kernel_function set = test_kernel(isas[isa], DEV_KERNEL_join_key_bitmap);
            if (!find)
                continue;
            fill(types[t], 100, 1000);
            find(&(join_key_bounds_arguments){.type = types[t],
                                              .keys = keys,
                                              .validity = validity,
                                              .count = dev_count_exact(count),
                                              .bounds = bounds});
            for (size_t i = 0; i < count; i++)
                if (is_valid(i)) {
                    valid++;
                    low = numbers[i] < low ? numbers[i] : low;
                    high = numbers[i] > high ? numbers[i] : high;
                }
            CHECK_EQ(bounds[0], low);
            CHECK_EQ(bounds[1], high);
            CHECK_EQ(bounds[2], valid + 5);
            if (types[t].width > 2)
                continue;
            memset(bits, 0, sizeof bits);
            set(&(join_key_bitmap_arguments){.type = types[t],
                                             .keys = keys,
                                             .validity = validity,
                                             .count = dev_count_exact(count),
                                             .minimum = low,
                                             .bitmap = bits});
            size_t missing = 0, ones = 0, distinct = 0;
            static bool seen[1 << 17];
            memset(seen, 0, sizeof seen);
            for (size_t i = 0; i < count; i++) {
                size_t at = (size_t)(numbers[i] - low);
                if (!is_valid(i))
                    continue;
                missing += !(bits[at / 64] >> (at % 64) & 1);
                distinct += !seen[at];
                seen[at] = true;
            }
            for (size_t w = 0; w < sizeof bits / 8; w++)
                ones += (size_t)__builtin_popcountll(bits[w]);
            CHECK_EQ(missing, 0);
            CHECK_EQ(ones, distinct);
        }
}

TEST(pairs_of_unique_groups)
{
    static uint32_t groups[ROWS_MAX], rows[ROWS_MAX], probe[ROWS_MAX + 16], build[ROWS_MAX + 16];
    for (size_t isa = 0; isa < ISAS; isa++)
        for (size_t c = 0; c < COUNTS; c++)
            for (unsigned share = 1; share < 5; share++) {
                dev_kernel_function pairs = test_kernel(isas[isa], DEV_KERNEL_join_pairs_unique);
                uint64_t made = 0, expected = 0;
                if (!pairs)
                    continue;
                for (size_t i = 0; i < ROWS_MAX; i++) {
                    rows[i] = (uint32_t)test_random_below(1u << 30);
                    groups[i] =
                        test_random_below(share) ? ROW_NULL : (uint32_t)test_random_below(ROWS_MAX);
                }
                probe[counts[c]] = build[counts[c]] = SENTINEL;
                pairs(&(join_pairs_unique_arguments){.groups = groups,
                                                     .count = dev_count_exact(counts[c]),
                                                     .rows = rows,
                                                     .out_probe = probe,
                                                     .out_build = build,
                                                     .out_count = &made});
                for (size_t i = 0; i < counts[c]; i++)
                    if (groups[i] != ROW_NULL) {
                        CHECK_EQ(probe[expected], i);
                        CHECK_EQ(build[expected], rows[groups[i]]);
                        expected++;
                    }
                CHECK_EQ(made, expected);
                CHECK_EQ(probe[counts[c]], SENTINEL);
                CHECK_EQ(build[counts[c]], SENTINEL);
                pairs(&(join_pairs_unique_arguments){.groups = groups,
                                                     .count = dev_count_exact(counts[c]),
                                                     .out_probe = probe,
                                                     .out_build = build,
                                                     .out_count = &made});
                CHECK_EQ(made, expected);
                for (size_t k = 0; k < expected; k++)
                    CHECK_EQ(build[k], groups[probe[k]]);
                CHECK_EQ(build[counts[c]], SENTINEL);
            }
}

/* Lists of groups: how many pairs there are, and that join_pairs makes as many, however they are cut. */
TEST(pairs_of_lists)
{
    static uint32_t groups[ROWS_MAX], starts[ROWS_MAX + 2], rows[ROWS_MAX * 4];
    static uint32_t probe[ROWS_MAX * 4], build[ROWS_MAX * 4];
    for (size_t isa = 0; isa < ISAS; isa++)
        for (size_t c = 0; c < COUNTS; c++) {
            dev_kernel_function total = test_kernel(isas[isa], DEV_KERNEL_join_pairs_total);
            dev_kernel_function pairs = test_kernel(isas[isa], DEV_KERNEL_join_pairs);
            uint64_t expected = 0, counted = 1, made = 0, all = 0, cursor[2] = {0, 0};
            if (!total)
                continue;
            for (size_t g = 0; g <= ROWS_MAX; g++)
                starts[g + 1] = starts[g] + (uint32_t)test_random_below(4);
            for (size_t i = 0; i < ROWS_MAX; i++) {
                groups[i] = test_random_below(3) ? (uint32_t)test_random_below(ROWS_MAX) : ROW_NULL;
                if (i < counts[c] && groups[i] != ROW_NULL)
                    expected += starts[groups[i] + 1] - starts[groups[i]];
            }
            total(&(join_pairs_total_arguments){.groups = groups,
                                                .count = dev_count_exact(counts[c]),
                                                .starts = starts,
                                                .out_total = &counted});
            CHECK_EQ(counted, expected);
            do {
                pairs(&(join_pairs_arguments){.groups = groups,
                                              .count = dev_count_exact(counts[c]),
                                              .starts = starts,
                                              .rows = rows,
                                              .room = 100,
                                              .cursor = cursor,
                                              .out_probe = probe,
                                              .out_build = build,
                                              .out_count = &made});
                all += made;
                CHECK(made == 100 || all == expected);
            } while (made == 100);
            CHECK_EQ(all, expected);
        }
}

/* Bits of what several pieces of a build side have matched. */
TEST(bits_seen_before)
{
    uint64_t seen[2] = {0x5, 0}, mask[2] = {0xa, 0x1}, both[2] = {0x8, 0};
    for (size_t isa = 0; isa < ISAS; isa++) {
        dev_kernel_function run = test_kernel(isas[isa], DEV_KERNEL_join_seen);
        dev_error error = {0};
        join_seen_arguments arguments = {.count = dev_count_exact(65),
                                         .mask = mask,
                                         .seen = seen,
                                         .is_single = true,
                                         .error = &error,
                                         .location = 9};
        if (!run)
            continue;
        memcpy(seen, (uint64_t[]){0x5, 0}, sizeof seen);
        memcpy(mask, (uint64_t[]){0xa, 0x1}, sizeof mask);
        run(&arguments);
        CHECK(seen[0] == 0xf && seen[1] == 0x1 && mask[0] == 0xf && mask[1] == 0x1);
        CHECK_EQ(atomic_load(&error.code), DEV_ERROR_NONE);
        arguments.mask = both;
        arguments.is_single = false;
        run(&arguments);
        CHECK_EQ(atomic_load(&error.code), DEV_ERROR_NONE);
        memcpy(both, (uint64_t[]){0x8, 0}, sizeof both);
        arguments.is_single = true;
        run(&arguments);
        CHECK_EQ(atomic_load(&error.code), DEV_ERROR_MULTIPLE_ROWS);
        CHECK_EQ(error.location, 9);
    }
}

/* Two columns to codes, codes to slots and back. */
TEST(codes_of_two_columns)
{
    static uint64_t codes[ROWS_MAX], slots[4096];
    static uint32_t groups[ROWS_MAX], found[ROWS_MAX];
    for (size_t isa = 0; isa < ISAS; isa++) {
        dev_kernel_function pack = test_kernel(isas[isa], DEV_KERNEL_code_pack);
        dev_kernel_function insert = test_kernel(isas[isa], DEV_KERNEL_code_insert);
        dev_kernel_function find = test_kernel(isas[isa], DEV_KERNEL_code_find);
        if (!pack)
            continue;
        static int32_t first[ROWS_MAX];
        static int64_t second[ROWS_MAX];
        dev_count count = dev_count_exact(1000);
        uint64_t stats[2] = {0, 0}, with_code = 0, distinct = 0;
        for (size_t i = 0; i < ROWS_MAX; i++) {
            first[i] = (int32_t)test_random_below(12) - 6;
            second[i] = (int64_t)test_random_below(12) * 1000000;
        }
        fill(type_make(TYPE_INT64), 0, 100);
        pack(&(code_pack_arguments){.type = type_make(TYPE_INT32),
                                    .keys = first,
                                    .validity = validity,
                                    .count = count,
                                    .minimum = -5,
                                    .range = 10,
                                    .out = codes});
        pack(&(code_pack_arguments){.type = type_make(TYPE_INT64),
                                    .keys = second,
                                    .count = count,
                                    .minimum = 1000000,
                                    .range = 9000001,
                                    .combine = true,
                                    .out = codes});
        for (size_t i = 0; i < count.bound; i++) {
            bool has = is_valid(i) && first[i] >= -5 && first[i] < 5 && second[i] >= 1000000 &&
                       second[i] <= 10000000;
            CHECK_EQ(codes[i],
                     has ? (uint64_t)(first[i] + 5) * 9000001 + (uint64_t)(second[i] - 1000000) + 1
                         : 0);
            with_code += has;
            bool is_new = has;
            for (size_t j = 0; j < i && is_new; j++)
                is_new = codes[j] != codes[i];
            distinct += is_new;
        }
        memset(slots, 0, sizeof slots);
        insert(&(code_insert_arguments){.codes = codes,
                                        .count = count,
                                        .slots = slots,
                                        .slot_count = 4096,
                                        .stats = stats,
                                        .out = groups});
        CHECK_EQ(stats[0], with_code);
        CHECK_EQ(stats[1], distinct);
        codes[0] = 77777; /* that nobody has put in */
        find(&(code_find_arguments){
            .codes = codes, .count = count, .slots = slots, .slot_count = 4096, .out = found});
        CHECK_EQ(found[0], ROW_NULL);
        for (size_t i = 1; i < count.bound; i++) {
            CHECK_EQ(found[i], groups[i]);
            if (codes[i])
                CHECK_EQ(slots[groups[i]], codes[i]);
            else
                CHECK_EQ(groups[i], ROW_NULL);
        }
    }
}

/* Codes are made of a column of keys, NULLs and keys outside the range among them, as code_pack makes them. */
TEST(codes_of_a_key)
{
    enum { SLOTS = 4096, COUNT = 1090 };
    static uint64_t codes[ROWS_MAX], slots[SLOTS];
    static int32_t column[ROWS_MAX];
    static uint32_t groups[ROWS_MAX], found[ROWS_MAX], expected[ROWS_MAX];
    fill(type_make(TYPE_INT32), 0, 100);
    for (size_t i = 0; i < COUNT; i++)
        column[i] = (int32_t)test_random_below(1500) - 700;
    for (size_t isa = 0; isa < ISAS; isa++) {
        dev_kernel_function pack = test_kernel(isas[isa], DEV_KERNEL_code_pack);
        dev_kernel_function insert = test_kernel(isas[isa], DEV_KERNEL_code_insert);
        dev_kernel_function find = test_kernel(isas[isa], DEV_KERNEL_code_find);
        if (!pack)
            continue;
        uint64_t stats[2] = {0, 0};
        dev_count count = dev_count_exact(COUNT);
        memset(slots, 0, sizeof slots);
        insert(&(code_insert_arguments){.type = type_make(TYPE_INT32),
                                        .keys = column,
                                        .validity = validity,
                                        .minimum = -650,
                                        .range = 1400,
                                        .count = count,
                                        .slots = slots,
                                        .slot_count = SLOTS,
                                        .stats = stats,
                                        .out = groups});
        pack(&(code_pack_arguments){.type = type_make(TYPE_INT32),
                                    .keys = column,
                                    .validity = validity,
                                    .count = count,
                                    .minimum = -650,
                                    .range = 1400,
                                    .out = codes});
        find(&(code_find_arguments){
            .codes = codes, .count = count, .slots = slots, .slot_count = SLOTS, .out = expected});
        find(&(code_find_arguments){.type = type_make(TYPE_INT32),
                                    .keys = column,
                                    .validity = validity,
                                    .minimum = -650,
                                    .range = 1400,
                                    .count = count,
                                    .slots = slots,
                                    .slot_count = SLOTS,
                                    .out = found});
        for (size_t i = 0; i < COUNT; i++) {
            CHECK_EQ(groups[i], expected[i]);
            CHECK_EQ(found[i], expected[i]);
            CHECK_EQ(groups[i] != ROW_NULL, is_valid(i) && column[i] >= -650 && column[i] < 750);
        }
    }
}

/* Codes are looked up in the tables of three ranks, one after the other, each of a number of slots other than a power
 * of two: a code is found in that of the rank that its hash belongs to. */
TEST(codes_in_parts)
{
    enum { PARTS = 3, SLOTS = 704, CODES = 1000 };
    static uint64_t codes[CODES + 1], hashes[CODES + 1], slots[PARTS * SLOTS];
    static uint32_t order[CODES + 1], offsets[PARTS + 1], found[CODES + 1], groups[CODES];
    for (size_t isa = 0; isa < ISAS; isa++) {
        dev_kernel_function insert = test_kernel(isas[isa], DEV_KERNEL_code_insert);
        dev_kernel_function find = test_kernel(isas[isa], DEV_KERNEL_code_find);
        if (!insert)
            continue;
        for (size_t i = 0; i < CODES; i++)
            codes[i] = (i + 1) * 0x9e3779b97f4a7c15u;
        dev_count count = dev_count_exact(CODES);
        test_kernel(isas[isa], DEV_KERNEL_hash_values)(&(hash_values_arguments){
            .type = type_make(TYPE_UINT64), .values = codes, .count = count, .out = hashes});
        test_kernel(isas[isa], DEV_KERNEL_ranks_partition)(&(ranks_partition_arguments){
            .hashes = hashes, .count = count, .ranks = PARTS, .out = order, .offsets = offsets});
        memset(slots, 0, sizeof slots);
        for (size_t part = 0; part < PARTS; part++) {
            static uint64_t mine[CODES];
            uint64_t stats[2] = {0, 0};
            uint32_t rows = offsets[part + 1] - offsets[part];
            for (uint32_t i = 0; i < rows; i++)
                mine[i] = codes[order[offsets[part] + i]];
            insert(&(code_insert_arguments){.codes = mine,
                                            .count = dev_count_exact(rows),
                                            .slots = slots + part * SLOTS,
                                            .slot_count = SLOTS,
                                            .stats = stats,
                                            .out = groups});
            CHECK_EQ(stats[1], rows);
        }
        codes[CODES] = 1; /* that nobody has put in */
        find(&(code_find_arguments){.codes = codes,
                                    .count = dev_count_exact(CODES + 1),
                                    .slots = slots,
                                    .slot_count = SLOTS,
                                    .parts = PARTS,
                                    .out = found});
        for (size_t i = 0; i < CODES; i++) {
            CHECK(found[i] < PARTS * SLOTS);
            CHECK_EQ(slots[found[i]], codes[i]);
        }
        CHECK_EQ(found[CODES], ROW_NULL);
    }
}

/* Slots that have the rows beside the codes: two launches put in codes of which some are there twice. A code is found with
 * one of its rows, and with the slot that both launches were given. */
static void check_rows_of_codes(const char *isa, uint32_t row_bits, uint64_t factor)
{
    enum { SLOTS = 1504, CODES = 1000, HALF = 400, DISTINCT = 700, STRANGERS = 50 };
    static _Alignas(16) uint64_t slots[2 * SLOTS];
    static uint64_t codes[CODES + STRANGERS];
    static uint32_t groups[CODES], at[CODES + STRANGERS], rows[CODES + STRANGERS];
    dev_kernel_function insert = test_kernel(isa, DEV_KERNEL_code_insert);
    dev_kernel_function find = test_kernel(isa, DEV_KERNEL_code_find);
    uint64_t stats[2] = {0, 0}, with_code = 0, wrong = 0;
    if (!insert)
        return;
    for (size_t i = 0; i < CODES + STRANGERS; i++)
        codes[i] = i % 50 == 0 ? 0 : (i < CODES ? 1 + i % DISTINCT : 1 + i) * factor;
    for (size_t i = 0; i < CODES; i++)
        with_code += codes[i] != 0;
    memset(slots, 0, sizeof slots);
    for (uint32_t first = 0; first < CODES; first += first ? CODES - HALF : HALF)
        insert(&(code_insert_arguments){.codes = codes + first,
                                        .count = dev_count_exact(first ? CODES - HALF : HALF),
                                        .slots = slots,
                                        .slot_count = SLOTS,
                                        .row_bits = row_bits,
                                        .first_row = first,
                                        .stats = stats,
                                        .out = groups + first});
    CHECK_EQ(stats[0], with_code);
    CHECK_EQ(stats[1], DISTINCT - DISTINCT / 50);
    for (int gives_rows = 0; gives_rows < 2; gives_rows++)
        find(&(code_find_arguments){.codes = codes,
                                    .count = dev_count_exact(CODES + STRANGERS),
                                    .slots = slots,
                                    .slot_count = SLOTS,
                                    .row_bits = row_bits,
                                    .gives_rows = gives_rows,
                                    .out = gives_rows ? rows : at});
    for (size_t i = 0; i < CODES; i++)
        wrong += at[i] != groups[i] || (rows[i] == ROW_NULL) != !codes[i] ||
                 (codes[i] && (rows[i] >= CODES || codes[rows[i]] != codes[i]));
    for (size_t i = CODES; i < CODES + STRANGERS; i++)
        wrong += at[i] != ROW_NULL || rows[i] != ROW_NULL;
    CHECK_EQ(wrong, 0);
}

TEST(codes_with_rows)
{
    for (size_t isa = 0; isa < ISAS; isa++) {
        check_rows_of_codes(isas[isa], 10, 1);
        check_rows_of_codes(isas[isa], 10, (uint64_t)1 << 43); /* all 64 bits */
        check_rows_of_codes(isas[isa], 32, 4000000);
        check_rows_of_codes(isas[isa], DEV_SLOT_PAIR, 1);
        check_rows_of_codes(isas[isa], DEV_SLOT_PAIR, 0x9e3779b97f4a7c15u);
    }
}

/* Codes with rows are looked up in the tables of ranks as well. */
TEST(codes_with_rows_in_parts)
{
    enum { PARTS = 3, SLOTS = 704, CODES = 1000 };
    static _Alignas(16) uint64_t slots[PARTS * SLOTS * 2];
    static uint64_t codes[CODES + 1], hashes[CODES + 1];
    static uint32_t order[CODES + 1], offsets[PARTS + 1], found[CODES + 1], groups[CODES];
    static const uint32_t bits[] = {12, DEV_SLOT_PAIR};
    for (size_t isa = 0; isa < ISAS; isa++)
        for (size_t b = 0; b < 2; b++) {
            dev_kernel_function insert = test_kernel(isas[isa], DEV_KERNEL_code_insert);
            uint64_t part_words = bits[b] == DEV_SLOT_PAIR ? 2 * SLOTS : SLOTS, wrong = 0;
            dev_count count = dev_count_exact(CODES);
            if (!insert)
                continue;
            for (size_t i = 0; i <= CODES; i++)
                codes[i] = (i + 1) * 0x9e3779b97f4a7c15u >> 13;
            test_kernel(isas[isa], DEV_KERNEL_hash_values)(&(hash_values_arguments){
                .type = type_make(TYPE_UINT64), .values = codes, .count = count, .out = hashes});
            test_kernel(isas[isa], DEV_KERNEL_ranks_partition)(
                &(ranks_partition_arguments){.hashes = hashes,
                                             .count = count,
                                             .ranks = PARTS,
                                             .out = order,
                                             .offsets = offsets});
            memset(slots, 0, sizeof slots);
            for (size_t part = 0; part < PARTS; part++) {
                static uint64_t mine[CODES];
                uint64_t stats[2] = {0, 0};
                for (uint32_t i = offsets[part]; i < offsets[part + 1]; i++)
                    mine[i] = codes[order[i]];
                insert(&(code_insert_arguments){
                    .codes = mine + offsets[part],
                    .count = dev_count_exact(offsets[part + 1] - offsets[part]),
                    .slots = slots + part * part_words,
                    .slot_count = SLOTS,
                    .row_bits = bits[b],
                    .first_row = offsets[part],
                    .stats = stats,
                    .out = groups});
            }
            test_kernel(isas[isa], DEV_KERNEL_code_find)(
                &(code_find_arguments){.codes = codes,
                                       .count = dev_count_exact(CODES + 1),
                                       .slots = slots,
                                       .slot_count = SLOTS,
                                       .row_bits = bits[b],
                                       .gives_rows = true,
                                       .parts = PARTS,
                                       .out = found});
            for (size_t i = 0; i < CODES; i++)
                wrong += found[i] >= CODES || order[found[i]] != i;
            CHECK_EQ(wrong, 0);
            CHECK_EQ(found[CODES], ROW_NULL);
        }
}

/* A table of which one slot is free: codes overflow their lines, and the last line into the first. */
TEST(codes_in_a_table_that_is_nearly_full)
{
    enum { SLOTS = 32, CODES = SLOTS - 1, STRANGERS = 100 };
    static uint64_t codes[CODES + STRANGERS], slots[SLOTS], stats[2];
    static uint32_t groups[CODES], found[CODES + STRANGERS];
    for (size_t isa = 0; isa < ISAS; isa++) {
        dev_kernel_function insert = test_kernel(isas[isa], DEV_KERNEL_code_insert);
        dev_kernel_function find = test_kernel(isas[isa], DEV_KERNEL_code_find);
        if (!insert)
            continue;
        for (uint64_t round = 0; round < 20; round++) {
            for (uint64_t i = 0; i < CODES + STRANGERS; i++)
                codes[i] = 1 + round * 1000 + i;
            memset(slots, 0, sizeof slots);
            memset(stats, 0, sizeof stats);
            insert(&(code_insert_arguments){.codes = codes,
                                            .count = dev_count_exact(CODES),
                                            .slots = slots,
                                            .slot_count = SLOTS,
                                            .stats = stats,
                                            .out = groups});
            CHECK_EQ(stats[0], CODES);
            CHECK_EQ(stats[1], CODES);
            find(&(code_find_arguments){.codes = codes,
                                        .count = dev_count_exact(CODES + STRANGERS),
                                        .slots = slots,
                                        .slot_count = SLOTS,
                                        .out = found});
            for (size_t i = 0; i < CODES; i++) {
                CHECK_EQ(slots[groups[i]], codes[i]);
                CHECK_EQ(found[i], groups[i]);
            }
            for (size_t i = CODES; i < CODES + STRANGERS; i++)
                CHECK_EQ(found[i], ROW_NULL);
        }
    }
}

TEST(bits_copied_to_any_place)
{
    for (size_t isa = 0; isa < ISAS; isa++)
        for (size_t c = 0; c < COUNTS; c++) {
            static uint64_t target[ROWS_MAX / 64 + 9];
            dev_kernel_function copy = test_kernel(isas[isa], DEV_KERNEL_join_copy_bits);
            size_t at = test_random_below(130), wrong = 0;
            if (!copy)
                continue;
            fill(type_make(TYPE_INT64), 0, 100);
            memset(target, 0, sizeof target);
            copy(&(join_copy_bits_arguments){.source = validity,
                                             .count = dev_count_exact(counts[c]),
                                             .target = target,
                                             .target_at = at});
            for (size_t i = 0; i < ROWS_MAX + 200; i++) {
                bool is_inside = i >= at && i < at + counts[c];
                wrong += (target[i / 64] >> (i % 64) & 1) != (is_inside && is_valid(i - at));
            }
            CHECK_EQ(wrong, 0);
        }
}

TEST(marked_groups_mark_their_rows)
{
    /* Groups of 0, 1, 2, 3, 4 rows. */
    const uint32_t starts[] = {0, 0, 1, 3, 6, 10}, rows[] = {9, 70, 1, 2, 3, 4, 5, 6, 7, 8};
    for (size_t isa = 0; isa < ISAS; isa++) {
        uint64_t groups[1] = {1 | 1 << 1 | 1 << 3}, bits[2] = {0, 0};
        dev_kernel_function mark = test_kernel(isas[isa], DEV_KERNEL_join_mark_rows);
        if (!mark)
            continue;
        mark(&(join_mark_rows_arguments){
            .groups = groups, .group_count = 5, .starts = starts, .rows = rows, .bits = bits});
        CHECK_EQ(bits[0], 1u << 9 | 1 << 2 | 1 << 3 | 1 << 4);
        CHECK_EQ(bits[1], 0);
        bits[0] = 0;
        mark(&(join_mark_rows_arguments){.groups = groups, .group_count = 5, .bits = bits});
        CHECK_EQ(bits[0], groups[0]);
    }
}

/* Rows of a text and a number: equal ones share a slot, whichever launch put them in. */
TEST(packed_rows_in_slots)
{
    enum { STRIDE = 24, ROWS = 600 };
    static _Alignas(8) uint8_t rows[ROWS * STRIDE];
    static uint32_t hashes[ROWS], groups[ROWS], found[ROWS];
    static uint64_t slots[1024];
    static char texts[8][40];
    for (size_t t = 0; t < 8; t++)
        snprintf(texts[t], sizeof texts[t], t % 2 ? "%zu" : "text number %zu, a long one", t / 2);
    for (size_t isa = 0; isa < ISAS; isa++) {
        dev_kernel_function insert = test_kernel(isas[isa], DEV_KERNEL_packed_insert);
        dev_kernel_function find = test_kernel(isas[isa], DEV_KERNEL_packed_find);
        uint64_t stats[2] = {0, 0};
        if (!insert)
            continue;
        memset(slots, 0, sizeof slots);
        for (size_t i = 0; i < ROWS; i++) {
            const char *text = texts[test_random_below(8)];
            uint64_t number = test_random_below(5);
            string_view view = string_view_make(text, (uint32_t)strlen(text));
            memcpy(rows + i * STRIDE, &view, sizeof view);
            memcpy(rows + i * STRIDE + 16, &number, 8);
            hashes[i] = (uint32_t)(strlen(text) + number) % 7; /* many meet */
        }
        for (uint32_t first = 0; first < 400; first += 200)
            insert(&(packed_insert_arguments){.rows = rows,
                                              .hashes = hashes + first,
                                              .count = dev_count_exact(200),
                                              .first_row = first,
                                              .stride = STRIDE,
                                              .text_count = 1,
                                              .slots = slots,
                                              .slot_count = 1024,
                                              .stats = stats,
                                              .out = groups + first});
        static uint32_t given[ROWS];
        packed_find_arguments wanted = {.rows = rows,
                                        .hashes = hashes,
                                        .count = dev_count_exact(ROWS),
                                        .stride = STRIDE,
                                        .text_count = 1,
                                        .build_rows = rows,
                                        .slots = slots,
                                        .slot_count = 1024,
                                        .out = found};
        find(&wanted);
        wanted.gives_rows = true;
        wanted.out = given;
        find(&wanted);
        size_t wrong = 0, distinct = 0;
        for (size_t i = 0; i < ROWS; i++)
            wrong += (given[i] == ROW_NULL) != (found[i] == ROW_NULL) ||
                     (given[i] != ROW_NULL &&
                      (given[i] >= 400 ||
                       memcmp(rows + i * STRIDE, rows + given[i] * STRIDE, STRIDE) != 0));
        for (size_t i = 0; i < ROWS; i++) {
            uint32_t expected = ROW_NULL;
            for (size_t j = 0; j < 400 && expected == ROW_NULL; j++)
                if (!memcmp(rows + i * STRIDE, rows + j * STRIDE, STRIDE)) {
                    expected = groups[j];
                    distinct += i == j;
                }
            wrong += found[i] != expected || (i < 400 && groups[i] != expected);
        }
        CHECK_EQ(wrong, 0);
        CHECK_EQ(stats[0], 400);
        CHECK_EQ(stats[1], distinct);
    }
}

/* Hashes that were put in are found; of the rest hardly any. */
TEST(bloom_filters_of_hashes)
{
    enum { BLOCKS = 256 };
    static uint64_t hashes[ROWS_MAX], others[ROWS_MAX], blocks[BLOCKS], mask[ROWS_MAX / 64 + 9];
    for (size_t isa = 0; isa < ISAS; isa++) {
        dev_kernel_function add = test_kernel(isas[isa], DEV_KERNEL_bloom_add);
        dev_kernel_function filter = test_kernel(isas[isa], DEV_KERNEL_filter_bloom);
        size_t missing = 0, false_ones = 0;
        if (!add)
            continue;
        fill(type_make(TYPE_INT64), 0, 100);
        for (size_t i = 0; i < ROWS_MAX; i++) {
            hashes[i] = test_random();
            others[i] = test_random();
        }
        memset(blocks, 0, sizeof blocks);
        add(&(bloom_add_arguments){.hashes = hashes,
                                   .validity = validity,
                                   .count = dev_count_exact(1000),
                                   .blocks = blocks,
                                   .block_count = BLOCKS});
        filter(&(filter_bloom_arguments){.hashes = hashes,
                                         .validity = validity,
                                         .count = dev_count_exact(1000),
                                         .blocks = blocks,
                                         .block_count = BLOCKS,
                                         .out = mask});
        for (size_t i = 0; i < 1000; i++)
            missing += (mask[i / 64] >> (i % 64) & 1) != is_valid(i);
        CHECK_EQ(missing, 0);
        filter(&(filter_bloom_arguments){.hashes = others,
                                         .count = dev_count_exact(1000),
                                         .blocks = blocks,
                                         .block_count = BLOCKS,
                                         .out = mask});
        for (size_t i = 0; i < 1000; i++)
            false_ones += mask[i / 64] >> (i % 64) & 1;
        CHECK(false_ones < 100);
    }
}
