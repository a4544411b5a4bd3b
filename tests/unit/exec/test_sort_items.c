/* test_sort_items.c - rows in order by codes of their keys: as comparing them in full says.
 * test_label: not-tsan */
#include "exec/sort/sort_items.h"
#include "test.h"

enum { ROWS_MAX = 40000, KEYS = 3, TEXT_BYTES = 60 };

static mem_budget *budget;
static device *dev;
static int64_t numbers[ROWS_MAX];
static int128 wide[ROWS_MAX];
static double doubles[ROWS_MAX];
static string_view views[ROWS_MAX];
static char texts[ROWS_MAX][TEXT_BYTES];
static uint64_t validity[ROWS_MAX / 64 + 1];
static uint32_t order[ROWS_MAX];
static bool seen[ROWS_MAX];

/* How alike values are. */
typedef enum likeness { ONE_KEY, FEW_KEYS, MANY_KEYS, EXTREMES } likeness;

static uint64_t draw(likeness how)
{
    uint64_t number = test_random();
    return how == ONE_KEY ? 7 : how == FEW_KEYS ? number % 5 : number;
}

/* Texts that begin alike, some of them longer than a code, some the beginning of others. */
static void make_text(uint32_t row, likeness how)
{
    static const char long_text[] = "the very same words go on for longer than a code has room";
    uint64_t number = draw(how);
    uint32_t bytes = how == ONE_KEY ? 30 : (uint32_t)(number % sizeof long_text);
    memcpy(texts[row], long_text, bytes);
    if (how == EXTREMES && bytes)
        texts[row][bytes - 1] = (char)(number >> 32);
    views[row] = string_view_make(texts[row], bytes);
}

static void make_rows(uint32_t count, likeness how)
{
    for (uint32_t i = 0; i < count; i++) {
        uint64_t number = draw(how);
        numbers[i] = how == EXTREMES && number % 3 == 0 ? INT64_MIN
                     : how == MANY_KEYS                 ? (int64_t)(number % 1000000)
                                                        : (int64_t)number;
        wide[i] = how == EXTREMES ? (int128)number << 60 : (int128)number - 3;
        doubles[i] = number % 7 ? (double)(int64_t)draw(how) : number % 2 ? -0.0 : 0.0;
        make_text(i, how);
    }
    for (uint32_t i = 0; i < count / 64 + 1; i++)
        validity[i] = test_random() | test_random();
}

static void check_order(const sort_keys *keys, uint32_t count)
{
    memset(seen, 0, count);
    for (uint32_t i = 0; i < count; i++) {
        CHECK(order[i] < count && !seen[order[i]]);
        seen[order[i]] = true;
        int compared = i ? sort_compare(keys, (sort_place){0}, order[i - 1], order[i]) : -1;
        if (compared > 0 || (!compared && order[i - 1] > order[i])) {
            CHECK(!"in order");
            return;
        }
    }
}

/* Checks that bytes which tell two rows apart do so as their keys do. */
static void check_bytes(const sort_keys *keys, uint32_t count)
{
    for (uint32_t i = 0; i < 200; i++) {
        uint32_t left = (uint32_t)(test_random() % count),
                 right = (uint32_t)(test_random() % count);
        sort_bytes a, b;
        sort_bytes_make(keys, left, &a);
        sort_bytes_make(keys, right, &b);
        int by_bytes = sort_bytes_compare(&a, &b);
        int compared = sort_compare(keys, (sort_place){0}, left, right);
        if (by_bytes)
            CHECK(by_bytes < 0 ? compared < 0 : compared > 0);
        else
            CHECK(!a.is_whole || !compared);
    }
}

static void sort_and_check(tensor *const *columns, uint32_t count)
{
    const tensor *by_key[KEYS];
    plan_sort_key sort_by[KEYS] = {0};
    for (uint32_t k = 0; k < KEYS; k++) {
        by_key[k] = columns[test_random() % 4];
        sort_by[k].is_descending = test_random() % 2;
        sort_by[k].nulls_first = test_random() % 2;
    }
    sort_keys keys = {1 + (uint32_t)(test_random() % KEYS), sort_by, by_key};
    CHECK_OK(sort_rows_alone(dev, &keys, count, order));
    check_order(&keys, count);
    check_bytes(&keys, count);
}

TEST(rows_are_in_the_order_that_comparing_them_says)
{
    static const uint32_t counts[] = {1, 2, 24, 25, 100, 2047, 2049, ROWS_MAX};
    CHECK_OK(mem_budget_new(0, &budget));
    CHECK_OK(dev_open_cpu("auto", 0, budget, &dev));
    for (likeness how = ONE_KEY; how <= EXTREMES; how++)
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
            for (int has_nulls = 0; has_nulls < 2; has_nulls++) {
                uint64_t *bits = has_nulls ? validity : NULL;
                tensor number = {
                    .type = type_make(TYPE_INT64), .values = numbers, .validity = bits};
                tensor decimal = {.type = type_decimal(38, 0), .values = wide, .validity = bits};
                tensor real = {.type = type_make(TYPE_DOUBLE), .values = doubles, .validity = bits};
                tensor text = {.type = type_make(TYPE_VARCHAR), .values = views, .validity = bits};
                tensor *columns[] = {&number, &decimal, &real, &text};
                make_rows(counts[c], how);
                for (unsigned round = 0; round < 4; round++)
                    sort_and_check(columns, counts[c]);
            }
    dev_close(dev);
    CHECK_EQ(mem_budget_used(budget), 0);
    mem_budget_free(budget);
}

/* Each text is the one before and more: every code tells one row from the others. */
TEST(texts_of_one_beginning_need_no_stack)
{
    enum { COUNT = 1500, STEP = 12 };
    static char bytes[COUNT * STEP];
    memset(bytes, 'a', sizeof bytes);
    CHECK_OK(mem_budget_new(0, &budget));
    CHECK_OK(dev_open_cpu("auto", 0, budget, &dev));
    for (uint32_t i = 0; i < COUNT; i++)
        views[i] = string_view_make(bytes, (uint32_t)(i * 7919 % COUNT) * STEP);
    tensor text = {.type = type_make(TYPE_VARCHAR), .values = views};
    const tensor *columns[] = {&text};
    plan_sort_key key = {.is_descending = true};
    sort_keys keys = {1, &key, columns};
    CHECK_OK(sort_rows_alone(dev, &keys, COUNT, order));
    check_order(&keys, COUNT);
    dev_close(dev);
    CHECK_EQ(mem_budget_used(budget), 0);
    mem_budget_free(budget);
}
