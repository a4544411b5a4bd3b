/* test_range_kernels.c - the kernels of joins by ranges, of every ISA, against all pairs.
 * test_label: not-tsan release */
#include "device/cpu/tables.h"
#include "kernel_tables.h"
#include "test.h"

#define BUILD_ROWS 9000 /* more than two runs of 4,096 heights */
#define PROBE_ROWS 130
#define TOPS ((BUILD_ROWS + 63) / 64)
#define TOPS_OF_TOPS ((TOPS + 63) / 64)
#define GROUPS 3

static const char *const isas[] = {"scalar", "avx2", "avx512", "cuda"};
#define ISAS (sizeof isas / sizeof *isas)

/* Lists by group in the order of a first value; the second ones are the heights' own. */
static uint64_t first_values[BUILD_ROWS * 2], second_values[BUILD_ROWS * 2];
static uint32_t starts[GROUPS + 2], heights[BUILD_ROWS], build_rows[BUILD_ROWS];
static uint32_t tops[TOPS], tops_of_tops[TOPS_OF_TOPS];
static uint64_t lower[PROBE_ROWS * 3], upper[PROBE_ROWS * 3], second[PROBE_ROWS * 3];
static uint32_t row_groups[PROBE_ROWS], groups[PROBE_ROWS], places[PROBE_ROWS * 2];
static uint32_t least[PROBE_ROWS], out_probe[BUILD_ROWS], out_build[BUILD_ROWS];

static void set_value(uint64_t *words, uint64_t number)
{
    words[0] = number >> 4; /* both words count */
    words[1] = number << 60;
}

/* Second values are places of a permutation: all differ, and the one of height h is h. */
static void fill(bool is_upper)
{
    for (uint32_t g = 0; g < GROUPS; g++)
        starts[g + 1] = g ? starts[g] + BUILD_ROWS / 4 * (g == 2 ? 3 : 0) : 0;
    starts[GROUPS + 1] = BUILD_ROWS; /* lists of 0, 3/4 and 1/4 of the rows */
    for (uint32_t i = 0; i < BUILD_ROWS; i++) {
        uint32_t in_list = i < starts[GROUPS] ? i : i - starts[GROUPS];
        set_value(first_values + 2 * (size_t)i, in_list / 3);
        set_value(second_values + 2 * (size_t)i, i);
        heights[i] = (uint32_t)((uint64_t)i * 4999 % BUILD_ROWS);
        heights[i] = is_upper ? BUILD_ROWS - 1 - heights[i] : heights[i];
        build_rows[i] = BUILD_ROWS - i;
    }
    for (size_t i = 0; i < PROBE_ROWS; i++) {
        uint64_t from = test_random_below(3000);
        row_groups[i] = i % 7 == 6 ? ROW_NULL : (uint32_t)test_random_below(GROUPS);
        lower[3 * i] = upper[3 * i] = second[3 * i] = 0;
        set_value(lower + 3 * i + 1, from);
        set_value(upper + 3 * i + 1, from + test_random_below(400));
        set_value(second + 3 * i + 1, test_random_below(BUILD_ROWS + 2));
        if (i % 11 == 10)
            (i % 2 ? upper : second)[3 * i] = 1; /* NULL */
    }
}

static int compare(const uint64_t *left, const uint64_t *right)
{
    for (int i = 0; i < 2; i++)
        if (left[i] != right[i])
            return left[i] < right[i] ? -1 : 1;
    return 0;
}

static bool is_partner(size_t probe, uint32_t place, bool is_strict, bool is_upper)
{
    uint32_t group = row_groups[probe];
    uint32_t rank = is_upper ? BUILD_ROWS - 1 - heights[place] : heights[place];
    if (group == ROW_NULL || lower[3 * probe] || upper[3 * probe] || second[3 * probe] ||
        place < starts[group + 1] || place >= starts[group + 2])
        return false;
    const uint64_t *value = first_values + 2 * (size_t)place;
    int above = compare(value, lower + 3 * probe + 1),
        below = -compare(value, upper + 3 * probe + 1);
    int third = compare(second_values + 2 * (size_t)rank, second + 3 * probe + 1);
    third = is_upper ? -third : third;
    return above >= is_strict && below >= !is_strict && third >= is_strict;
}

static void find_tops(size_t isa, const uint32_t *of, uint32_t count, uint32_t *out)
{
    test_kernel(isas[isa], DEV_KERNEL_range_tops)(
        &(range_tops_arguments){.heights = of,
                                .height_count = count,
                                .count = dev_count_exact((count + 63) / 64),
                                .out = out});
}

static void find(size_t isa, bool is_strict, bool is_upper)
{
    memcpy(groups, row_groups, sizeof groups);
    test_kernel(isas[isa],
                DEV_KERNEL_range_find)(&(range_find_arguments){.groups = groups,
                                                               .count = dev_count_exact(PROBE_ROWS),
                                                               .starts = starts,
                                                               .values = first_values,
                                                               .lower = lower,
                                                               .lower_is_strict = is_strict,
                                                               .upper = upper,
                                                               .upper_is_strict = !is_strict,
                                                               .out = places});
    find_tops(isa, heights, BUILD_ROWS, tops);
    find_tops(isa, tops, TOPS, tops_of_tops);
    test_kernel(isas[isa], DEV_KERNEL_range_narrow)(
        &(range_narrow_arguments){.groups = groups,
                                  .count = dev_count_exact(PROBE_ROWS),
                                  .values = second_values,
                                  .value_count = BUILD_ROWS,
                                  .bounds = second,
                                  .is_strict = is_strict,
                                  .is_upper = is_upper,
                                  .heights = heights,
                                  .tops = tops,
                                  .tops_of_tops = tops_of_tops,
                                  .places = places,
                                  .out_least = least});
}

/* Arguments of kernels that go over what was found. */
#define FOUND                                                                                      \
    .groups = groups, .count = dev_count_exact(PROBE_ROWS), .places = places, .least = least,      \
    .heights = heights, .tops = tops, .tops_of_tops = tops_of_tops

/* Makes pairs by one call, checked; returns how many. */
static uint64_t make(size_t isa, uint64_t *cursor, bool is_strict, bool is_upper)
{
    uint64_t made = 0, wrong = 0;
    test_kernel(isas[isa], DEV_KERNEL_range_pairs)(&(range_pairs_arguments){
        FOUND, .rows = build_rows, .room = 100, .cursor = cursor, .out_probe = out_probe,
        .out_build = out_build, .out_count = &made});
    for (uint64_t i = 0; i < made; i++)
        wrong += !is_partner(out_probe[i], BUILD_ROWS - out_build[i], is_strict, is_upper);
    CHECK_EQ(wrong, 0);
    return made;
}

static void check(size_t isa, bool is_strict, bool is_upper)
{
    uint64_t expected = 0, counted = 0, all = 0, made, cursor[2] = {0, 0};
    find(isa, is_strict, is_upper);
    for (size_t i = 0; i < PROBE_ROWS; i++) {
        uint64_t partners = 0;
        for (uint32_t place = 0; place < BUILD_ROWS; place++)
            partners += is_partner(i, place, is_strict, is_upper);
        CHECK_EQ(groups[i] == ROW_NULL, !partners);
        expected += partners;
    }
    test_kernel(isas[isa], DEV_KERNEL_range_pairs_total)(
        &(range_pairs_total_arguments){FOUND, .out_total = &counted});
    CHECK_EQ(counted, expected);
    do {
        made = make(isa, cursor, is_strict, is_upper);
        all += made;
    } while (made == 100);
    CHECK_EQ(all, expected);
}

TEST(pairs_of_two_ranges)
{
    for (size_t isa = 0; isa < ISAS; isa++)
        for (unsigned form = 0; form < 4 && test_kernel(isas[isa], DEV_KERNEL_range_find); form++) {
            fill(form & 2);
            check(isa, form & 1, form & 2);
        }
}

/* Texts, of which the ends differ, and ranks both ways. */
TEST(texts_and_ranks)
{
    static const char *const texts[] = {"", "a", "ab", "long text that ends in a",
                                        "long text that ends in b"};
    string_view views[5];
    uint32_t order[5] = {3, 1, 4, 0, 2}, ranks[5], lists[3] = {0, 0, 5};
    for (size_t i = 0; i < 5; i++)
        views[i] = string_view_make(texts[i], (uint32_t)strlen(texts[i]));
    for (size_t isa = 0; isa < ISAS; isa++)
        for (uint32_t i = 0; i < 5 && test_kernel(isas[isa], DEV_KERNEL_range_find); i++) {
            uint64_t bound[3] = {2};
            uint32_t group = 0, found[2] = {9, 9};
            memcpy(bound + 1, &views[i], sizeof views[i]);
            test_kernel(isas[isa], DEV_KERNEL_range_find)(
                &(range_find_arguments){.groups = &group,
                                        .count = dev_count_exact(1),
                                        .starts = lists,
                                        .values = (const uint64_t *)views,
                                        .is_text = true,
                                        .lower = bound,
                                        .lower_is_strict = true,
                                        .out = found});
            CHECK_EQ(group, i < 4 ? 0 : ROW_NULL);
            CHECK(i == 4 || (found[0] == i + 1 && found[1] == 5));
            test_kernel(isas[isa], DEV_KERNEL_range_ranks)(&(range_ranks_arguments){
                .order = order, .count = dev_count_exact(5), .is_upper = i & 1, .out = ranks});
            for (uint32_t k = 0; k < 5; k++)
                CHECK_EQ(ranks[order[k]], i & 1 ? 4 - k : k);
        }
}
