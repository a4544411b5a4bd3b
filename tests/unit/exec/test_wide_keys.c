/* test_wide_keys.c - grouping, set operations, sorting and joins by hundreds of columns.
 * test_label: not-tsan
 * test_cost: 14 */
#include "parquet/write/writer.h"
#include "run_statement.h"
#include "test.h"

enum { ROWS = 120, SQL_BYTES = 1 << 20 };

static char path[600];

/* t.x = 0, 1, 2 ... */
static void write_numbers(void)
{
    int64_t values[ROWS];
    pq_column_schema column = {.name = "x", .type = type_make(TYPE_INT64)};
    pq_writer_options options = pq_writer_options_default();
    pq_writer *writer;
    for (int i = 0; i < ROWS; i++)
        values[i] = i;
    snprintf(path, sizeof path, "%s/t.parquet", test_folder());
    CHECK_OK(pq_writer_open(path, &column, 1, &options, &writer));
    CHECK_OK(pq_writer_write(writer, (pq_column_values[]){{values, NULL}}, ROWS));
    CHECK_OK(pq_writer_finish(writer));
}

typedef struct text {
    char *bytes;
    size_t count;
} text;

static void add(text *t, const char *more)
{
    size_t bytes = strlen(more);
    CHECK(t->count + bytes < SQL_BYTES);
    memcpy(t->bytes + t->count, more, bytes + 1);
    t->count += bytes;
}

/* The text once for each column, with its number where there is a #. */
static void add_each(text *t, const char *pattern, const char *between, int first, int end)
{
    for (int c = first; c < end; c++) {
        add(t, c > first ? between : "");
        for (const char *at = pattern; *at; at++) {
            char one[16];
            snprintf(one, sizeof one, *at == '#' ? "%d" : "%c", *at == '#' ? c : *at);
            add(t, one);
        }
    }
}

/* c0 is x % 3; the others tell even x from odd ones, and every fifth one is NULL where c0 is 0. All
 * together are 6 different rows. */
static void add_columns(text *t, int count)
{
    static const char *const kinds[] = {
        "'s' || x % 2 as c#", "case when x % 3 <> 0 then x % 2 end as c#",
        "(x % 2)::double precision as c#", "date '2020-01-01' + (x % 2)::integer as c#",
        "(x % 2)::decimal(20, 2) as c#"};
    add(t, "(select x, x % 3 as c0");
    for (int c = 1; c < count; c++) {
        add(t, ", ");
        add_each(t, kinds[c % 5], "", c, c + 1);
    }
    add(t, " from t)");
}

/* In the statement @ is the list of all columns, $ that of a sort's descending keys, & that all
 * are equal in a and b, and ~ the table. */
static void check(int count, const char *statement, const char *expected)
{
    char rows[64], one[2] = "";
    text t = {malloc(SQL_BYTES), 0};
    CHECK(t.bytes);
    for (const char *at = statement; *at; at++) {
        one[0] = *at;
        if (*at == '@')
            add_each(&t, "c#", ", ", 0, count);
        else if (*at == '$')
            add_each(&t, "c# desc", ", ", 0, count);
        else if (*at == '&')
            add_each(&t, "a.c# = b.c#", " and ", 0, count);
        else if (*at == '~')
            add_columns(&t, count);
        else
            add(&t, one);
    }
    pistachio_error *error = run_statement(t.bytes, path, "cpu", rows, sizeof rows);
    if (error)
        printf("%d columns, %s: %s\n", count, statement, pistachio_error_message(error));
    CHECK(!error);
    CHECK(!strcmp(rows, expected));
    free(t.bytes);
}

TEST(hundreds_of_keys)
{
    static const int counts[] = {64, 65, 66, 100, 300, 2000};
    write_numbers();
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        int count = counts[i];
        if (!test_is_in_turn(i, 2))
            continue;
        check(count, "select count(*) from (select distinct @ from ~ q) d", "6;");
        check(count,
              "select count(*), min(n), max(d) from (select @, count(*) as n, "
              "count(distinct x % 4) as d from ~ q group by @) g",
              "6;20;2;");
        check(count, "select count(*) from (select @ from ~ p union select @ from ~ q) u", "6;");
        check(count,
              "select count(*) from (select @ from ~ p intersect select @ from ~ q where c0 = 1) u",
              "2;");
        check(
            count,
            "select count(*) from (select @ from ~ p except all select @ from ~ q where x < 60) u",
            "60;");
        check(count, "select x from ~ q order by @, x limit 3", "0;6;12;");
        check(count, "select x from ~ q order by $, x limit 3", "5;11;17;");
        /* 20 rows each of the four kinds without NULL. */
        check(count, "with w as (select * from ~ q) select count(*) from w a join w b on &",
              "1600;");
    }
}

TEST(as_many_keys_as_there_may_be)
{
    char *sql = malloc(SQL_BYTES), rows[64];
    text t = {sql, 0};
    CHECK(sql);
    write_numbers();
    add(&t, "select count(*), sum(d) from (select count(distinct x) as d from (select x, ");
    add_each(&t, "(x + #) % 3 as c#", ", ", 1, 20000);
    add(&t, " from t) q group by x % 7, ");
    add_each(&t, "c#", ", ", 1, 20000);
    add(&t, ") g");
    CHECK(!run_statement(sql, path, "cpu", rows, sizeof rows));
    CHECK(!strcmp(rows, "21;120;"));
    free(sql);
}

TEST(more_keys_than_there_may_be)
{
    char *sql = malloc(SQL_BYTES), rows[64];
    text t = {sql, 0};
    CHECK(sql);
    write_numbers();
    add(&t, "select distinct ");
    add_each(&t, "x + # as c#", ", ", 0, 20001);
    add(&t, " from t");
    pistachio_error *error = run_statement(sql, path, "cpu", rows, sizeof rows);
    CHECK(error && strstr(pistachio_error_message(error), "more than 20000 columns to group by"));
    CHECK(pistachio_error_hint(error));
    pistachio_error_free(error);
    free(sql);
}
