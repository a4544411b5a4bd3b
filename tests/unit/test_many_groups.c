/* test_many_groups.c - groups that are more than a cache holds: tables kept aside, rows that pass. */
#include "parquet/write/writer.h"
#include "run_statement.h"
#include "test.h"

enum { ROWS = 1 << 19 };

static char path[600];

/* t.x = 0, 1, 2 ... */
static void write_numbers(void)
{
    int64_t *values = malloc(ROWS * sizeof *values);
    pq_column_schema column = {.name = "x", .type = type_make(TYPE_INT64)};
    pq_writer_options options = pq_writer_options_default();
    pq_writer *writer;
    CHECK(values);
    for (int i = 0; i < ROWS; i++)
        values[i] = i;
    snprintf(path, sizeof path, "%s/t.parquet", test_folder());
    CHECK_OK(pq_writer_open(path, &column, 1, &options, &writer));
    CHECK_OK(pq_writer_write(writer, (pq_column_values[]){{values, NULL}}, ROWS));
    CHECK_OK(pq_writer_finish(writer));
    free(values);
}

static void check(const char *sql, const char *expected)
{
    char rows[256];
    pistachio_error *error = run_statement(sql, path, "cpu", rows, sizeof rows);
    if (error)
        printf("%s: %s\n", sql, pistachio_error_message(error));
    CHECK(!error);
    if (strcmp(rows, expected))
        printf("%s: %s\n", sql, rows);
    CHECK(!strcmp(rows, expected));
}

/* Keys far apart, so that they get no codes. */
static void check_all(void)
{
    check("select count(*), sum(n), sum(s), min(s), max(s) from (select x * 1000003 as k, count(*) "
          "as n, sum(x) as s from t group by k) g",
          "524288;524288;137438691328;0;524287;");
    check("select count(*), min(n), max(n), sum(s) from (select x * 1000003 as k, count(*) as n, "
          "sum(x + 0.5) as s from (select x from t union all select x from t) u group by k) g",
          "524288;2;2;274877906944.0;");
    /* The first half are different, the second half five that are among these: 262144 = 5 * 52428 + 4,
     * of which the rests begin with 4. */
    check("select count(*), sum(n), max(n), min(m) from (select case when x < 262144 then x else x % "
          "5 end * 1000003 as k, count(*) as n, max(x) as m from t group by k) g",
          "262144;524288;52430;5;");
    check("select count(*), count(k), max(n), sum(n) from (select case when x % 4 = 0 then null else "
          "x * 1000003 end as k, count(*) as n from t group by k) g",
          "393217;393216;131072;524288;");
    check("select count(distinct x * 1000003), count(distinct x % 1000 * 1000003) from t",
          "524288;1000;");
}

/* Long texts, short ones, and empty ones beside a number. */
static void check_texts(void)
{
    check("select count(*), sum(n), max(k), min(m) from (select 'group number ' || x as k, count(*) "
          "as n, min('state number ' || x) as m from t where x < 262144 group by k) g",
          "262144;262144;group number 99999;state number 0;");
    check("select count(*), sum(n), max(k), sum(length(k)) from (select x % 200000 as j, case when x "
          "% 3 = 0 then '' else 'group number ' || x % 200000 end as k, count(*) as n from t where "
          "x < 262144 group by j, k) g",
          "241430;262144;group number 99998;2828421;");
}

TEST(many_groups)
{
    write_numbers();
    check_all();
    check_texts();
}

TEST(many_groups_in_little_memory)
{
    write_numbers();
    setenv("PISTACHIO_MEMORY_LIMIT", "48MiB", 1);
    check_all();
    check_texts();
    unsetenv("PISTACHIO_MEMORY_LIMIT");
}
