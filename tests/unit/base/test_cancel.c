/* test_cancel.c - statements and long kernels are cancelled wherever a loop looks (base/cancel.h), and stop after few
 * looks more: how many rows lie between two looks is counted, no time is taken.
 *
 * test_label: slow */
#include "test.h"

#include "base/cancel.h"
#include "device/cpu/tables.h"
#include "device/kernels/kernel_ops.h"
#include "fault_sweep.h"
#include "run_statement.h"

/* ---- kernels ---- */

#define ROWS 100000
#define LOOKS_MIN (ROWS / CANCEL_STEPS)
#define LOOKS_AFTER_MAX 64 /* a sort's passes look once each */

static const char *const isas[] = {"scalar", "avx2", "avx512"};

static uint64_t keys[3 * ROWS], bits[ROWS / 64 + 1];
static uint32_t from[ROWS + 1], to[ROWS + 1], index_[ROWS], scratch[4 * ROWS], out_32[ROWS + 1];
static int64_t numbers[ROWS];
static _Alignas(16) uint64_t states[8 * ROWS], back[8 * ROWS];
static dev_error error;

static void fill_rows(void)
{
    for (uint32_t i = 0; i < ROWS; i++) {
        numbers[i] = (int64_t)test_random_below(1000000);
        keys[3 * i] = 0;
        keys[3 * i + 1] = (uint64_t)numbers[i];
        keys[3 * i + 2] = 0;
        index_[i] = (uint32_t)test_random_below(ROWS);
        from[i] = i < 50 ? 0 : i - 50;
        to[i] = i + 1;
    }
}

/* Runs once to count the looks, then with the statement cancelled at the second one, or the only one. */
static void check_looks(const char *isa, dev_kernel_id id, const char *name, const void *arguments)
{
    const char *name_of_table;
    const dev_kernel_function *table = dev_kernel_table(isa, &name_of_table);
    cancel_flag flag = false;
    if (!table)
        return;
    cancel_flag *before = cancel_set(&flag);
    fault_arm(FAULT_CANCEL, UINT64_MAX, FAULT_ONCE);
    table[id](arguments);
    fault_disarm(FAULT_CANCEL);
    uint64_t looks = fault_checks(FAULT_CANCEL);
    if (looks < LOOKS_MIN)
        fprintf(stderr, "%s, %s: %" PRIu64 " looks\n", name, isa, looks);
    CHECK(looks >= LOOKS_MIN);
    fault_arm(FAULT_CANCEL, 2, FAULT_ONCE);
    table[id](arguments);
    CHECK(fault_disarm(FAULT_CANCEL));
    CHECK(fault_checks(FAULT_CANCEL) <= LOOKS_AFTER_MAX);
    CHECK(flag);
    cancel_set(before);
}

#define CHECK_LOOKS(name, ...)                                                                     \
    for (size_t isa_ = 0; isa_ < sizeof isas / sizeof *isas; isa_++)                               \
    check_looks(isas[isa_], DEV_KERNEL_##name, #name, &(name##_arguments){__VA_ARGS__})

#define COUNT_ROWS .count = dev_count_exact(ROWS)

TEST(kernels_of_sorts_look)
{
    data_type bigint = type_make(TYPE_INT64);
    fill_rows();
    CHECK_LOOKS(sort_pack, .type = bigint, .values = numbers, COUNT_ROWS, .key_count = 1,
                .rows = keys);
    CHECK_LOOKS(sort_rows, .rows = keys, .key_count = 1, COUNT_ROWS, .scratch = scratch,
                .out = out_32);
    CHECK_LOOKS(sort_keep, .rows = keys, .last = keys, COUNT_ROWS, .out = out_32,
                .out_count = back);
}

TEST(kernels_of_joins_by_ranges_look)
{
    static uint32_t tops[ROWS], groups[1] = {0}, places[2] = {0, ROWS}, least[1] = {0};
    fill_rows();
    CHECK_LOOKS(range_values, .rows = keys, .index = index_, .key_count = 1, COUNT_ROWS,
                .out = back);
    CHECK_LOOKS(range_ranks, .order = index_, COUNT_ROWS, .out = out_32);
    memset(tops, 0xff, sizeof tops);
    CHECK_LOOKS(range_pairs_total, .groups = groups, .count = dev_count_exact(1), .places = places,
                .least = least, .heights = index_, .tops = tops, .tops_of_tops = tops,
                .out_total = back);
}

TEST(kernels_of_windows_look)
{
    data_type bigint = type_make(TYPE_INT64);
    fill_rows();
    CHECK_LOOKS(over_changes, .type = bigint, .values = numbers, COUNT_ROWS, .out = bits);
    memset(bits, 0, sizeof bits);
    CHECK_LOOKS(over_runs, .bits = bits, COUNT_ROWS, .from = out_32, .to = scratch);
    CHECK_LOOKS(over_rows_bound, .distance = 5, .from = from, .to = to, COUNT_ROWS, .out = out_32);
    CHECK_LOOKS(over_groups_bound, .distance = 5, .from = from, .to = to, .peer_from = from,
                COUNT_ROWS, .run_starts = scratch, .out = out_32);
    CHECK_LOOKS(over_range_bound, .type = bigint, .keys = numbers, .limits = numbers, .from = from,
                .to = to, COUNT_ROWS, .out = out_32);
    CHECK_LOOKS(over_exclude, .from = from, .to = to, COUNT_ROWS, .out_from = out_32,
                .out_to = scratch);
    for (int op = OVER_ROW_NUMBER; op <= OVER_CUME_DIST; op++)
        CHECK_LOOKS(over_number, .op = op, .from = from, .to = to, .peer_from = from, .peer_to = to,
                    COUNT_ROWS, .out = back);
    CHECK_LOOKS(over_shift, .is_back = true, .from = from, .to = to, COUNT_ROWS, .out = out_32);
    CHECK_LOOKS(over_nth, .from_0 = from, .to_0 = to, COUNT_ROWS, .out = out_32, .error = &error);
    CHECK_LOOKS(over_count, .from = from, .to = to, COUNT_ROWS, .states = states);
    CHECK_LOOKS(over_sum, .type = bigint, .values = numbers, .from = from, .to = to, COUNT_ROWS,
                .scratch = back, .states = states, .error = &error);
    CHECK_LOOKS(over_pick, .type = bigint, .values = numbers, .from = from, .to = to, COUNT_ROWS,
                .scratch = scratch, .states = out_32);
    CHECK_LOOKS(over_narrow, .states = states, COUNT_ROWS, .width = 4, .out = back);
}

/* ---- statements ---- */

/* Statements with at least one of each kind of plan node (nodes.def); exchanges come where there are ranks. */
static const char *const statements[] = {
    "SELECT i, s, d, t, b, f FROM t WHERE j < 10 ORDER BY j LIMIT 5",
    "SELECT s, count(*), sum(d), avg(f), count(DISTINCT i), median(j) FROM t GROUP BY s ORDER BY s",
    "SELECT b, s, sum(j) FROM t GROUP BY CUBE (b, s) ORDER BY 1, 2, 3",
    "SELECT count(*) FROM t a JOIN t b ON a.i = b.i LEFT JOIN t c ON c.j = b.j AND c.s ~ 'a.*'",
    "SELECT count(*) FROM t a JOIN t b ON a.j < b.j AND a.i > b.i - 50",
    "SELECT i, s, n, w, q FROM (SELECT i, s, rank() OVER (PARTITION BY b ORDER BY s, i DESC) AS n, "
    "max(j) OVER (PARTITION BY b ORDER BY j ROWS 2 PRECEDING) AS w, median(f) OVER (ORDER BY j) AS "
    "q, "
    "string_agg(s, ',') OVER (ORDER BY j) AS x FROM t) AS q WHERE n <= 3 ORDER BY 1, 2, 3, 4",
    "SELECT i FROM (SELECT i, row_number() OVER (PARTITION BY b ORDER BY j) AS n FROM t) q WHERE n "
    "< 3 ORDER BY 1",
    "SELECT s FROM t INTERSECT ALL SELECT s FROM t WHERE j > 3 EXCEPT SELECT 'b' ORDER BY 1",
    "SELECT j FROM t UNION ALL SELECT i FROM t ORDER BY 1 NULLS FIRST OFFSET 3",
    "WITH RECURSIVE r(n) AS (SELECT 1 UNION SELECT n + 1 FROM r WHERE n < 4) SELECT count(*), "
    "max(n) FROM r",
    "WITH x AS (SELECT j, count(*) AS n FROM t GROUP BY j) SELECT count(*) FROM x a, x b WHERE a.n "
    "= b.n "
    "AND a.j > (SELECT avg(j) FROM t) - 5",
    "SELECT n, x FROM generate_series(1, 3) AS g(n), LATERAL (SELECT sum(j) + n FROM t WHERE j > "
    "n) AS l(x) ORDER BY 1",
    "SELECT count(*) FROM t WHERE j > (SELECT u.j FROM t u WHERE u.s || u.j = 'x')",
    "VALUES (1, 'a'), (2, 'b')",
    "SELECT max(regexp_replace(repeat(s, 100), '[a-c]+', 'x', 'g')), max(sha256(s)) FROM t",
};
enum { STATEMENTS = sizeof statements / sizeof *statements };

TEST(a_statement_may_be_cancelled_at_each_look)
{
    for (size_t i = 0; i < STATEMENTS; i++)
        fault_sweep(statements[i], "cpu", FAULT_CANCEL, 10);
}

TEST(a_statement_of_the_simulated_device_may_be_cancelled_at_each_look)
{
    fault_sweep(statements[1], "simulated", FAULT_CANCEL, 5);
    fault_sweep(statements[3], "simulated", FAULT_CANCEL, 5);
}

TEST(stages_of_two_devices_end_cleanly)
{
    for (size_t i = 0; i < 4; i++) {
        char seed[] = {(char)('1' + i), 0};
        CHECK_EQ(setenv("PISTACHIO_DEVICE_MIX", seed, 1), 0);
        fault_sweep(statements[i], "simulated", FAULT_CANCEL, 5);
        fault_sweep(statements[i], "simulated", FAULT_ALLOC, 5);
    }
    CHECK_EQ(unsetenv("PISTACHIO_DEVICE_MIX"), 0);
}

TEST(each_kind_of_plan_node_is_cancelled)
{
    static const char *const names[] = {
#define PLAN_NODE(kind, file, name, children) name,
#include "plan/tree/nodes.def"
#undef PLAN_NODE
    };
    static char plans[STATEMENTS][1 << 16];
    for (size_t i = 0; i < STATEMENTS; i++) {
        char sql[4096];
        snprintf(sql, sizeof sql, "EXPLAIN %s", statements[i]);
        if (!strstr(sql, "RECURSIVE"))
            check_none(run_statement(sql, fault_sample_path(), "cpu", plans[i], sizeof plans[i]));
    }
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        bool is_there = !strcmp(names[n], "exchange") || !strcmp(names[n], "grouping sets") ||
                        !strcmp(names[n], "move"); /* the test above has some */
        for (size_t i = 0; i < STATEMENTS && !is_there; i++)
            is_there = strstr(plans[i], names[n]) != NULL;
        if (!is_there)
            fprintf(stderr, "no statement has a node \"%s\"\n", names[n]);
        CHECK(is_there);
    }
}

TEST(what_spills_may_be_cancelled_at_each_look)
{
    static const char *const spilling[] = {
        "SELECT count(*), sum(i), max(x), min(x) FROM (SELECT a.i, b.s || ' and more of it ' || "
        "a.s AS x "
        "FROM t a, t b WHERE b.j < 8 ORDER BY x DESC, a.i LIMIT 100000) AS q",
        ("SELECT sum(i), count(n) FROM (SELECT a.i, count(*) AS n FROM t a, t b GROUP BY a.i, b.j) "
         "AS q"),
        "SELECT count(*), sum(length(b.s)) FROM t a JOIN t b ON a.j = b.j AND a.s <> b.s || 'x'",
    };
    const char *folder = test_folder();
    CHECK_EQ(setenv("PISTACHIO_TEMP_DIRECTORY", folder, 1), 0);
    fault_arm(FAULT_ROOM, 1, FAULT_ALWAYS);
    for (size_t i = 0; i < sizeof spilling / sizeof *spilling; i++) {
        fault_sweep(spilling[i], "cpu", FAULT_CANCEL, 4);
        CHECK_EQ(fault_entry_count(folder), 0);
    }
    fault_disarm(FAULT_ROOM);
    unsetenv("PISTACHIO_TEMP_DIRECTORY");
}

TEST(a_copy_that_is_cancelled_leaves_no_file)
{
    static const char *const endings[] = {"parquet", "csv", "json"};
    for (size_t e = 0; e < sizeof endings / sizeof *endings; e++)
        for (uint64_t nth = 1;; nth += 1 + nth / 4) {
            char sql[512], rows[256];
            const char *folder = test_folder();
            snprintf(sql, sizeof sql, "COPY (SELECT * FROM t ORDER BY s, j) TO '%s/out.%s'", folder,
                     endings[e]);
            uint64_t blocks = mem_in_use();
            fault_arm(FAULT_CANCEL, nth, FAULT_ONCE);
            pistachio_error *failure =
                run_statement(sql, fault_sample_path(), "cpu", rows, sizeof rows);
            bool has_fired = fault_disarm(FAULT_CANCEL);
            CHECK_EQ(fault_entry_count(folder), failure ? 0 : 1);
            pistachio_error_free(failure);
            CHECK_EQ(mem_in_use(), blocks);
            if (!has_fired)
                break;
        }
}
