/* test_stages.c - what is not read, as another part of the statement has no rows. With one thread stages run one after
 * the other, so that it is known what has run when one has none.
 *
 * test_label: threads */
#include "run_statement.h"
#include "test.h"

/* The table t: 2,000 rows, n = 0 ... 1999; and u, 20 rows, m = 0 ... 19. */
static void make_tables(char *t, char *u, size_t bytes)
{
    char sql[512];
    snprintf(t, bytes, "%s/t.parquet", test_folder());
    snprintf(u, bytes, "%s/u.parquet", test_folder());
    snprintf(sql, sizeof sql, "COPY (SELECT n FROM generate_series(0, 1999) AS g(n)) TO '%s'", t);
    run_alone(sql);
    snprintf(sql, sizeof sql, "COPY (SELECT m FROM generate_series(0, 19) AS g(m)) TO '%s'", u);
    run_alone(sql);
}

/* The last cell of a column of text. */
static void keep_plan(pistachio_result *result, char *out, size_t room)
{
    const pistachio_batch *batch;
    size_t length = 0;
    for (;;) {
        check_none(pistachio_next(result, &batch));
        if (!batch)
            return;
        for (uint64_t row = 0; row < pistachio_batch_rows(batch) && length < room; row++) {
            size_t bytes;
            const char *text = pistachio_text(batch, 0, row, &bytes);
            length += (size_t)snprintf(out + length, room - length, "%.*s\n", (int)bytes, text);
        }
    }
}

/* EXPLAIN ANALYZE of the statement, by one thread. */
static void analyze(const char *sql, char *out, size_t room)
{
    char t[256], u[256], text[1024];
    pistachio_option options[] = {{"threads", "1"}};
    pistachio_database *database;
    pistachio_connection *connection;
    pistachio_result *result;
    make_tables(t, u, sizeof t);
    check_none(pistachio_open(options, 1, &database));
    check_none(pistachio_connect(database, &connection));
    check_none(pistachio_add_table(connection, "t", t));
    check_none(pistachio_add_table(connection, "u", u));
    snprintf(text, sizeof text, "EXPLAIN ANALYZE %s", sql);
    check_none(pistachio_query(connection, text, NULL, &result));
    keep_plan(result, out, room);
    pistachio_result_free(result);
    pistachio_disconnect(connection);
    pistachio_close(database);
}

/* Returns the rows that came out by the line that has the text: its first number. */
static long rows_of(const char *plan, const char *text)
{
    const char *at = strstr(plan, text);
    if (!at)
        test_fail(__FILE__, __LINE__, "no \"%s\" in\n%s", text, plan);
    while (at > plan && at[-1] != '\n')
        at--;
    return strtol(at, NULL, 10);
}

TEST(what_feeds_a_side_is_not_read_where_the_other_has_no_rows)
{
    char plan[8192];
    analyze("SELECT count(*) FROM (SELECT n % 100 AS k, sum(n) AS s FROM t GROUP BY 1) a "
            "JOIN u ON a.s = u.m AND u.m % 7 = 8",
            plan, sizeof plan);
    CHECK_EQ(rows_of(plan, "scan t"), 0);
    CHECK_EQ(rows_of(plan, "scan u"), 0);
}

TEST(what_has_rows_is_read)
{
    char plan[8192];
    analyze("SELECT count(*) FROM (SELECT n % 100 AS k, min(n) AS s FROM t GROUP BY 1) a "
            "JOIN u ON a.s = u.m AND u.m % 7 = 6",
            plan, sizeof plan);
    CHECK_EQ(rows_of(plan, "scan t"), 2000);
    CHECK_EQ(rows_of(plan, "scan u"), 2); /* 6, 13 */
}

/* The groups have no rows: the build side is not needed. */
TEST(a_build_side_is_not_read_where_groups_are_none)
{
    char plan[8192];
    analyze("SELECT count(*) FROM (SELECT m % 3 AS k, count(*) AS c FROM u WHERE m % 7 = 8 GROUP "
            "BY 1) a "
            "LEFT JOIN (SELECT n % 50 AS k, max(n) AS x FROM t GROUP BY 1) b ON a.k = b.k",
            plan, sizeof plan);
    CHECK_EQ(rows_of(plan, "scan t"), 0);
}

TEST(rows_without_a_partner_are_read)
{
    char plan[8192];
    analyze("SELECT count(*) FROM (SELECT n % 100 AS k, sum(n) AS s FROM t GROUP BY 1) a "
            "LEFT JOIN u ON a.s = u.m AND u.m % 7 = 8",
            plan, sizeof plan);
    CHECK_EQ(rows_of(plan, "scan t"), 2000);
}
