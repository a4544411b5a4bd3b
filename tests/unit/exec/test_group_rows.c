/* test_group_rows.c - groups by texts of a join's build side, by the numbers of its rows, which may have equal texts. */
#include "run_statement.h"
#include "test.h"

/* 4,500 things, each with a name of its own, two twins with one; 13,500 sales, some of nothing that is there. */
#define TABLES                                                                                     \
    "with thing as (select i as id, 'thing number ' || cast(i as varchar) as name, 'kind ' || "    \
    "cast(i % 5 as varchar) as kind, 'twin ' || cast((i - i % 2) / 2 as bigint) as twin, case "    \
    "when i % 3 > 0 then 'note number ' || cast(i as varchar) end as note from "                   \
    "generate_series(1, 4500) g (i)), sale as (select i * 37 % 4600 as thing, i % 3 as day, i as " \
    "price from generate_series(1, 13500) g (i)) "

static void check(const char *sql, const char *expected)
{
    static const char *const devices[] = {"cpu", "simulated"};
    for (int i = 0; i < 2; i++) {
        char rows[256];
        pistachio_error *error = run_statement(sql, NULL, devices[i], rows, sizeof rows);
        if (error)
            printf("%s: %s\n", sql, pistachio_error_message(error));
        CHECK(!error);
        CHECK_TEXT_EQ(rows, expected);
    }
}

/* Rows as DuckDB gives them. */
TEST(rows_that_differ_in_a_text_are_groups)
{
    check(TABLES "select count(*), sum(c), sum(s), min(name), max(kind) from (select name, kind, "
                 "count(*) as c, "
                 "sum(price) as s from sale join thing on thing = id group by name, kind) v",
          "4500;13209;89162469;thing number 1;kind 4;");
    check(TABLES "select count(*), sum(c), sum(s), min(name), max(day) from (select name, kind, "
                 "day, count(*) as c, "
                 "sum(price) as s from sale join thing on thing = id group by name, kind, day) v",
          "13209;13209;89162469;thing number 1;2;");
    check(TABLES "select count(*), sum(c), min(name), max(note) from (select name, note, day, "
                 "count(*) as c from sale "
                 "join thing on thing = id group by name, note, day) v",
          "13209;13209;thing number 1;note number 998;");
}

TEST(rows_with_equal_texts_are_one_group)
{
    check(TABLES "select count(*), sum(c), sum(s), min(twin) from (select twin, day, count(*) as "
                 "c, sum(price) as s "
                 "from sale join thing on thing = id group by twin, day) v",
          "6753;13209;89162469;twin 0;");
}

TEST(rows_without_a_partner_are_a_group)
{
    check(TABLES "select count(*), sum(c), count(name), count(note) from (select name, note, "
                 "count(*) as c from sale "
                 "left join thing on thing = id group by name, note) v",
          "4501;13500;4500;3000;");
}
