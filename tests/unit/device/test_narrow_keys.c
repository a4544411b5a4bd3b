/* test_narrow_keys.c - packed keys of at most four bytes, told by their hashes alone. Every ISA, and the CUDA device where it has the kernel.
 * test_label: not-tsan */
#include "device/cpu/tables.h"
#include "kernel_tables.h"
#include "test.h"

#define ROWS_MAX 70000
#define SLOTS_MAX (1u << 18)

static const char *const isas[] = {"scalar", "avx2", "avx512", "cuda"};
#define ISAS (sizeof isas / sizeof *isas)

static uint64_t rows[ROWS_MAX + 8], group_rows[ROWS_MAX + 8], slots[SLOTS_MAX];
static uint32_t hashes[ROWS_MAX], found[ROWS_MAX];

static const dev_kernel_function *table_of(size_t isa)
{
    const char *name;
    return test_kernel_table(isas[isa], &name);
}

static void hash(const dev_kernel_function *table, size_t count, uint32_t *out)
{
    keys_hash_arguments h = {.rows = (const uint8_t *)rows,
                             .count = dev_count_exact(count),
                             .stride = 8,
                             .is_narrow = true,
                             .out = out};
    table[DEV_KERNEL_keys_hash](&h);
}

static int compare_hashes(const void *left, const void *right)
{
    uint32_t l = *(const uint32_t *)left, r = *(const uint32_t *)right;
    return (l > r) - (l < r);
}

/* Numbers that follow each other, and their multiples, have different hashes; all ISAs have the same ones. */
TEST(different_narrow_rows_have_different_hashes)
{
    static uint32_t first[ROWS_MAX];
    const uint32_t steps[] = {1, 2, 1000, 1u << 16, 0x9e3779b9u};
    for (size_t s = 0; s < sizeof steps / sizeof *steps; s++)
        EACH_TABLE (v, 0, ISAS) {
            size_t count = steps[s] == 1u << 16 ? 65536 : ROWS_MAX;
            for (size_t i = 0; i < count; i++)
                rows[i] = (uint32_t)(i * steps[s] - 1000);
            hash(table_of(v), count, v ? hashes : first);
            CHECK(!v || !memcmp(hashes, first, count * sizeof *first));
            if (v)
                continue;
            memcpy(hashes, first, count * sizeof *first);
            qsort(hashes, count, sizeof *hashes, compare_hashes);
            for (size_t i = 1; i < count; i++)
                CHECK(hashes[i] != hashes[i - 1]);
        }
}

/* Groups of rows: each has its row's key, and no two have the same. */
static void check_found(size_t count, const uint64_t *keys, uint64_t groups, uint64_t different)
{
    CHECK_EQ(groups, different);
    for (size_t i = 0; i < count; i++) {
        CHECK(found[i] < groups);
        CHECK_EQ(group_rows[found[i]], keys[i]);
    }
}

static const size_t counts[] = {0, 1, 63, 64, 65, 1000, ROWS_MAX};

static void check_find(size_t count, uint64_t different, uint64_t slot_count, bool is_narrow)
{
    static uint64_t keys[ROWS_MAX];
    uint64_t most = different < count ? different : count;
    for (size_t i = 0; i < count; i++)
        rows[i] = keys[i] = (uint32_t)(i % different * 0x10001 + 3);
    EACH_TABLE (v, 0, ISAS) {
        uint64_t groups = 0;
        memset(slots, 0, slot_count * sizeof *slots);
        hash(table_of(v), count, hashes);
        groups_find_arguments f = {.rows = (const uint8_t *)rows,
                                   .hashes = hashes,
                                   .count = dev_count_exact(count),
                                   .stride = 8,
                                   .is_narrow = is_narrow,
                                   .slots = slots,
                                   .slot_count = slot_count,
                                   .group_rows = (uint8_t *)group_rows,
                                   .group_count = &groups,
                                   .out = found};
        table_of(v)[DEV_KERNEL_groups_find](&f);
        check_found(count, keys, groups, most);
        /* Once more: all are there. */
        table_of(v)[DEV_KERNEL_groups_find](&f);
        check_found(count, keys, groups, most);
    }
}

/* Directories that are fetched ahead and such that are not, few groups, and as many as rows. */
TEST(groups_of_narrow_rows)
{
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
        for (int flags = 0; flags < 2; flags++) {
            bool is_narrow = flags & 1;
            check_find(counts[c], 1, 2048, is_narrow);
            check_find(counts[c], 700, 2048, is_narrow);
            check_find(counts[c], 9000, SLOTS_MAX, is_narrow);
            check_find(counts[c], ROWS_MAX, SLOTS_MAX, is_narrow);
        }
}

static void check_pack(data_type type, const void *values, size_t count,
                       uint64_t (*expected)(size_t))
{
    EACH_TABLE (v, 0, ISAS) {
        memset(rows, 0xa5, sizeof rows);
        keys_pack_arguments p = {.type = type,
                                 .values = values,
                                 .count = dev_count_exact(count),
                                 .stride = 8,
                                 .is_alone = true,
                                 .rows = (uint8_t *)rows};
        table_of(v)[DEV_KERNEL_keys_pack](&p);
        for (size_t i = 0; i < count; i++)
            CHECK_EQ(rows[i], expected(i));
        CHECK_EQ(rows[count], 0xa5a5a5a5a5a5a5a5u);
    }
}

static uint64_t byte_at(size_t i)
{
    return (uint8_t)(i * 7);
}

static uint64_t half_at(size_t i)
{
    return (uint16_t)(i * 70001);
}

static uint64_t number_at(size_t i)
{
    return (uint32_t)(i * 0x9e3779b9u);
}

/* 0, which is both zeros', and the one NaN. */
static uint64_t float_at(size_t i)
{
    return i % 3 == 1 ? 0 : i % 3 ? 0x7fc00000u : 0x3f800000u;
}

TEST(a_number_alone_fills_its_row)
{
    enum { COUNT = 1000 };
    static uint8_t bytes[COUNT];
    static uint16_t halves[COUNT];
    static uint32_t numbers[COUNT];
    static float floats[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
        bytes[i] = (uint8_t)byte_at(i);
        halves[i] = (uint16_t)half_at(i);
        numbers[i] = (uint32_t)number_at(i);
        floats[i] = i % 3 == 1 ? -0.0f : i % 3 ? -__builtin_nanf("1") : 1.0f;
    }
    for (size_t count = 0; count <= COUNT; count += count < 70 ? 1 : 93) {
        check_pack(type_make(TYPE_INT8), bytes, count, byte_at);
        check_pack(type_make(TYPE_INT16), halves, count, half_at);
        check_pack(type_make(TYPE_INT32), numbers, count, number_at);
        check_pack(type_make(TYPE_DATE), numbers, count, number_at);
        check_pack(type_make(TYPE_FLOAT), floats, count, float_at);
    }
}
