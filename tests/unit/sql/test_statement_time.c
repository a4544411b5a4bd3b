/* now() and its like are the instant that the session gives, wherever they stand: no clock is read
 * while a statement is bound.
 *
 * test_label: threads */
#include "plan/nodes/plan_text.h"
#include "sql/statement/sql.h"
#include "test.h"

/* The statement's plan, bound at `time`, has the text in it. */
static void check_plan(int64_t time, const char *sql, const char *text)
{
    sql_session session = {.statement_time = time};
    sql_statement *statement;
    const char *rest;
    CHECK_OK(sql_catalog_new(&session.catalog));
    CHECK_OK(
        sql_catalog_add_view(session.catalog, "v", "SELECT now() AS n, current_date AS d", false));
    CHECK_OK(sql_prepare(&session, sql, &statement, &rest));
    const char *plan = plan_text(statement->query.memory, &statement->query, NULL, NULL);
    bool is_there = plan && strstr(plan, text);
    if (!is_there)
        fprintf(stderr, "%s\n", plan);
    sql_statement_free(statement);
    sql_catalog_free(session.catalog);
    CHECK(is_there);
}

/* 2001-09-09 01:46:40 UTC is a thousand million seconds. */
TEST(the_session_says_what_time_it_is)
{
    const int64_t time = (int64_t)1000000000 * 1000000 + 5;
    check_plan(time, "SELECT now()", "2001-09-09 01:46:40.000005+00");
    check_plan(time, "SELECT current_timestamp", "2001-09-09 01:46:40.000005+00");
    check_plan(time, "SELECT localtimestamp", "2001-09-09 01:46:40.000005");
    check_plan(time, "SELECT current_date", "2001-09-09");
    check_plan(time, "SELECT n FROM v", "2001-09-09 01:46:40.000005+00");
    check_plan(time, "SELECT 1 FROM (VALUES (1)) u(i) WHERE (SELECT d FROM v) > date '2000-01-01'",
               "2001-09-09");
}

TEST(times_before_1970)
{
    check_plan(-1, "SELECT now()", "1969-12-31 23:59:59.999999+00");
    check_plan(-1, "SELECT current_date", "1969-12-31");
    check_plan(-(int64_t)86400 * 1000000, "SELECT current_date", "1969-12-31");
    check_plan(-(int64_t)86400 * 1000000 - 1, "SELECT current_date", "1969-12-30");
}
