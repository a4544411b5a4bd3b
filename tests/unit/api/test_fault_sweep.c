/* test_fault_sweep.c - whole statements with each allocation, read and write made to fail, once and
 * from there on: the failure is a clean one, nothing stays allocated, no file is left behind, and
 * the same statement works right after.
 *
 * test_label: slow threads
 * test_cost: 54 */
#include "test.h"

#include "base/fault.h"
#include "fault_sweep.h"
#include "run_statement.h"

static void sweep(const char *sql, const char *device, fault_kind kind)
{
    fault_sweep(sql, device, kind, 50);
}

static const char *const statements[] = {
    "SELECT 1",
    "SELECT i, s, d, t, b, f FROM t WHERE j < 10 ORDER BY j LIMIT 5",
    "SELECT s, count(*), sum(d), avg(f), min(t), count(DISTINCT i) FROM t GROUP BY s ORDER BY s",
    "SELECT count(*) FROM t a JOIN t b ON a.i = b.i LEFT JOIN t c ON c.j = b.j AND c.s LIKE 'a%'",
    ("WITH x AS (SELECT j FROM t WHERE EXISTS (SELECT 1 FROM t u WHERE u.j = t.j + 1)) "
     "SELECT count(*) FROM x WHERE j IN (SELECT j FROM t) AND j > (SELECT avg(j) FROM t) - 5"),
    "SELECT s FROM t UNION SELECT 'x' ORDER BY 1",
    "EXPLAIN ANALYZE SELECT count(*) FROM t WHERE b",
    "SHOW ALL",
    "DESCRIBE SELECT * FROM t",
};
#define STATEMENT_COUNT (sizeof statements / sizeof *statements)

TEST(each_allocation_of_a_statement_may_fail)
{
    for (size_t i = 0; i < STATEMENT_COUNT; i++)
        if (!strstr(statements[i], "EXPLAIN"))
            sweep(statements[i], "cpu", FAULT_ALLOC);
}

static const char *const further_statements[] = {
    "SELECT i, s, n FROM (SELECT i, s, rank() OVER (PARTITION BY b ORDER BY s, i DESC) AS n, "
    "sum(j) OVER (PARTITION BY b ORDER BY j ROWS 2 PRECEDING) AS w FROM t) AS q WHERE n <= 3 "
    "ORDER BY 1, 2, 3, w",
    "SELECT b, s, sum(j), count(DISTINCT i), grouping(b, s) FROM t GROUP BY CUBE (b, s) "
    "ORDER BY 1, 2, 3, 5",
    "WITH RECURSIVE r(n, x) AS (SELECT 1, 'a' UNION SELECT n + 1, x || t.j % 3 FROM r JOIN t "
    "ON t.j % 5 = n WHERE n < 3) SELECT count(*), max(x) FROM r",
    "SELECT string_agg(s, '/' ORDER BY j DESC), median(j), percentile_disc(0.3) WITHIN GROUP "
    "(ORDER BY i), mode(b), arg_min(s, j), approx_count_distinct(i) FROM t",
    "SELECT n, x FROM generate_series(1, 3) AS g(n), LATERAL (SELECT sum(j) + n FROM t WHERE j > "
    "n) "
    "AS l(x), range(n) ORDER BY 1, 2",
    "SELECT count(*), min(to_char(a.j, 'S999')), max(regexp_replace(a.s, '[a-c]+', 'x')), "
    "min(to_char(a.t, 'FMDay DD')) FROM t a JOIN t b ON a.j < b.j AND a.i > b.i - 50",
    "SELECT * EXCLUDE (b) REPLACE (j + 1 AS j) FROM t WHERE (i, j) IN (SELECT i, j FROM t) "
    "ORDER BY j LIMIT 2",
    "SELECT DISTINCT ON (b) b, j, (SELECT max(u.j) FROM t u WHERE u.j < t.j) FROM t ORDER BY b, j",
    "SELECT s FROM t INTERSECT ALL SELECT s FROM t WHERE j > 3 EXCEPT SELECT 'b' ORDER BY 1",
};

TEST(each_allocation_of_other_kinds_of_statements_may_fail)
{
    for (size_t i = 0; i < sizeof further_statements / sizeof *further_statements; i++)
        fault_sweep(further_statements[i], "cpu", FAULT_ALLOC, 5);
}

/* Names in a footer are copied, some of them to a new block. */
TEST(each_allocation_of_a_footer_of_many_columns_may_fail)
{
    static char sql[40000];
    static const char name[] = "a_column_with_a_name_that_is_about_as_long_as_one_can_be_";
    const char *folder = test_folder();
    char rows[256], select[512];
    int length = snprintf(sql, sizeof sql, "COPY (SELECT ");
    for (int i = 0; i < 300; i++)
        length += snprintf(sql + length, sizeof sql - (size_t)length, "%s1 AS %s%d", i ? ", " : "",
                           name, i);
    snprintf(select, sizeof select, "SELECT count(*) FROM '%s/many.parquet'", folder);
    snprintf(sql + length, sizeof sql - (size_t)length, ") TO '%s/many.parquet'", folder);
    CHECK(!run_statement(sql, NULL, "cpu", rows, sizeof rows));
    sweep(select, "cpu", FAULT_ALLOC);
}

/* The statements of the file that PISTACHIO_SWEEP names, parted by lines of two semicolons, as
 * tests/differential makes them. */
TEST(each_allocation_of_the_statements_of_a_file_may_fail)
{
    const char *path = getenv("PISTACHIO_SWEEP");
    FILE *file = path ? fopen(path, "r") : NULL;
    static char texts[1 << 22], rows[FAULT_TEXT_ROOM];
    if (!file)
        return;
    texts[fread(texts, 1, sizeof texts - 1, file)] = '\0';
    fclose(file);
    uint64_t statements = 0, runs = 0;
    for (char *sql = texts, *end; (end = strstr(sql, "\n;;\n")); sql = end + 4) {
        *end = '\0';
        pistachio_error *error = run_statement(sql, NULL, "cpu", rows, sizeof rows);
        if (error)
            fprintf(stderr, "%s: %s\n", sql, pistachio_error_message(error));
        CHECK(!error);
        for (uint64_t nth = 1; fault_fails_cleanly(sql, "cpu", FAULT_ALLOC, nth, nth % 2, NULL);
             runs++)
            nth += 1 + nth / 20;
        statements++;
    }
    printf("%" PRIu64 " statements, %" PRIu64 " allocations that failed\n", statements, runs);
}

TEST(each_allocation_on_the_simulated_device_may_fail)
{
    sweep(statements[2], "simulated", FAULT_ALLOC);
}

TEST(each_read_of_a_statement_may_fail)
{
    for (size_t i = 1; i < 6; i++)
        sweep(statements[i], "cpu", FAULT_READ);
}

TEST(each_read_past_the_page_cache_and_its_memory_may_fail)
{
    static const char *const engines[] = {"auto", "threads"};
    CHECK_EQ(setenv("PISTACHIO_DIRECT_IO", "always", 1), 0);
    for (int e = 0; e < 2; e++) {
        CHECK_EQ(setenv("PISTACHIO_IO_ENGINE", engines[e], 1), 0);
        for (size_t i = 1; i < 4; i++)
            sweep(statements[i], "cpu", FAULT_READ);
        sweep(statements[2], "cpu", FAULT_ALLOC);
    }
    /* Scans of one table, of which each keeps for the others what it has read. */
    CHECK_EQ(setenv("PISTACHIO_ADAPTIVE_REGULATION", "off", 1), 0);
    sweep(statements[3], "cpu", FAULT_READ);
    sweep(statements[3], "cpu", FAULT_ALLOC);
    unsetenv("PISTACHIO_ADAPTIVE_REGULATION");
    unsetenv("PISTACHIO_DIRECT_IO");
    unsetenv("PISTACHIO_IO_ENGINE");
}

TEST(each_allocation_of_a_traced_statement_may_fail)
{
    char path[512];
    snprintf(path, sizeof path, "%s/trace.json", test_folder());
    CHECK_EQ(setenv("PISTACHIO_TRACE", path, 1), 0);
    sweep(statements[2], "cpu", FAULT_ALLOC);
    sweep(statements[2], "cpu", FAULT_WRITE);
    unsetenv("PISTACHIO_TRACE");
}

/* Each `step`-th of the statement's last checks, once and from there on in turn. */
static void sweep_end(const char *sql, const char *device, fault_kind kind, uint64_t last,
                      uint64_t step)
{
    char expected[4096];
    fault_arm(kind, UINT64_MAX, FAULT_ONCE);
    pistachio_error *error =
        run_statement(sql, fault_sample_path(), device, expected, sizeof expected);
    fault_disarm(kind);
    CHECK(!error);
    uint64_t count = fault_checks(kind);
    CHECK(count > last);
    if (test_has_less_to_do())
        step *= 7;
    for (uint64_t back = 0; back < last; back += step)
        fault_fails_cleanly(sql, device, kind, count - back, back % 2, expected);
}

/* A task that has 16,384 rows beyond the limit throws those away, and of the chunks that follow it
 * drops what comes after the rows that are left (sort_bound.c). Here one task gets 40,000 rows in
 * five chunks, so that this is among the last allocations. */
TEST(each_allocation_of_a_bounded_sort_may_fail)
{
    static const char bounded[] = "SELECT a.i, a.s FROM t a, t b, t c, t d WHERE d.j < 5 "
                                  "ORDER BY a.i DESC NULLS LAST, a.i * 2, a.s LIMIT 50";
    CHECK_EQ(setenv("PISTACHIO_CHUNK_ROWS", "8000", 1), 0);
    sweep_end(bounded, "cpu", FAULT_ALLOC, 250, 1);
    sweep_end(bounded, "simulated", FAULT_ALLOC, 600, 11);
    unsetenv("PISTACHIO_CHUNK_ROWS");
}

/* After a failure there is no file, neither of the final name nor a temporary one. */
TEST(a_copy_that_fails_leaves_no_file)
{
    static const char *const endings[] = {"parquet", "csv"};
    static const fault_kind kinds[] = {FAULT_WRITE, FAULT_ALLOC, FAULT_READ};
    uint64_t part = test_has_less_to_do() ? 3 : 20;
    for (int e = 0; e < 2; e++)
        for (int k = 0; k < 3; k++)
            for (int always = 0; always <= 1; always++)
                for (uint64_t nth = 1;; nth += 1 + nth / part) {
                    char sql[512], rows[256];
                    const char *folder = test_folder();
                    snprintf(sql, sizeof sql, "COPY (SELECT * FROM t) TO '%s/out.%s'", folder,
                             endings[e]);
                    uint64_t blocks = mem_in_use();
                    fault_arm(kinds[k], nth, always);
                    pistachio_error *error =
                        run_statement(sql, fault_sample_path(), "cpu", rows, sizeof rows);
                    bool has_fired = fault_disarm(kinds[k]);
                    CHECK_EQ(fault_entry_count(folder), error ? 0 : 1);
                    pistachio_error_free(error);
                    CHECK_EQ(mem_in_use(), blocks);
                    if (!has_fired)
                        break;
                }
}

/* Operators that find memory full write temporary files. */
static const char *const spilling[] = {
    "SELECT count(*), sum(i), max(x), min(x) FROM (SELECT a.i, b.s || ' and on the other hand ' || "
    "a.s AS x FROM t a, t b WHERE b.j < 8 ORDER BY x DESC, a.i LIMIT 100000) AS q",
    "SELECT sum(i), count(n), min(x), max(x), count(DISTINCT y) FROM (SELECT a.i, count(*) AS n, "
    "min(b.s || ' and more of it') AS x, max(a.s) AS y, var_pop(b.f) AS v "
    "FROM t a, t b GROUP BY a.i, b.j) AS q",
    "WITH q AS (SELECT a.i, b.s || ' and more of it' AS x FROM t a, t b) SELECT count(*), "
    "min(p.x), "
    "max(r.x) FROM q p, q r WHERE p.i = r.i",
};

TEST(what_spills_may_fail_anywhere)
{
    static const fault_kind kinds[] = {FAULT_WRITE, FAULT_READ, FAULT_ALLOC};
    static const uint64_t parts[] = {8, 8, 4};
    const char *folder = test_folder();
    CHECK_EQ(setenv("PISTACHIO_TEMP_DIRECTORY", folder, 1), 0);
    enum { COUNT = sizeof spilling / sizeof *spilling };
    for (size_t i = 0; i < COUNT; i++) {
        char rows[4096];
        fault_arm(FAULT_ROOM, 1, FAULT_ALWAYS);
        fault_arm(FAULT_WRITE, 1, FAULT_ONCE);
        pistachio_error *error =
            run_statement(spilling[i], fault_sample_path(), "cpu", rows, sizeof rows);
        CHECK(fault_disarm(FAULT_WRITE)); /* it does spill */
        CHECK(error && strstr(pistachio_error_message(error), folder));
        pistachio_error_free(error);
        for (int k = 0; k < 3; k++) {
            if (test_has_less_to_do() && (size_t)k != (i + 1) % COUNT)
                continue; /* each kind once */
            fault_sweep(spilling[i], "cpu", kinds[k], parts[k]);
            CHECK_EQ(fault_entry_count(folder), 0);
        }
        fault_disarm(FAULT_ROOM);
    }
    unsetenv("PISTACHIO_TEMP_DIRECTORY");
}

/* Three keys, so that a part of the build side is cut again, and then has one key alone. */
#define WIDE_ROWS                                                                                  \
    "(SELECT a.j % 3 AS k, a.s || ' and ' || b.s || ' and a text that makes the row a wide one' "  \
    "AS s FROM t a, t b)"
static const char spilling_join[] = "SELECT count(*), count(x.k), sum(length(y.s)) FROM " WIDE_ROWS
                                    " x FULL JOIN " WIDE_ROWS " y ON x.k = y.k AND x.s <> y.s";

TEST(a_join_that_spills_may_fail_anywhere)
{
    static const fault_kind kinds[] = {FAULT_WRITE, FAULT_READ, FAULT_ALLOC};
    static const uint64_t parts[] = {8, 8, 4};
    const char *folder = test_folder();
    CHECK_EQ(setenv("PISTACHIO_TEMP_DIRECTORY", folder, 1), 0);
    fault_arm(FAULT_ROOM, 1, FAULT_ALWAYS);
    fault_arm(FAULT_WRITE, 1, FAULT_ONCE);
    char rows[256];
    pistachio_error *error =
        run_statement(spilling_join, fault_sample_path(), "cpu", rows, sizeof rows);
    CHECK(fault_disarm(FAULT_WRITE)); /* it does spill */
    CHECK(strstr(pistachio_error_message(error), folder));
    pistachio_error_free(error);
    for (int k = 0; k < 3; k++) {
        fault_sweep(spilling_join, "cpu", kinds[k], parts[k]);
        CHECK_EQ(fault_entry_count(folder), 0);
    }
    fault_disarm(FAULT_ROOM);
    unsetenv("PISTACHIO_TEMP_DIRECTORY");
}
