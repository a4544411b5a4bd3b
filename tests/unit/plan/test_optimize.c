/* test_optimize.c - rules of the optimizer that are left out. */
#include "plan/rules/optimize.h"
#include "plan/tree/rule.h"
#include "run_statement.h"
#include "test.h"

TEST(a_list_of_names_is_a_set_of_rules)
{
    uint64_t bits, all;
    CHECK_OK(plan_rules_parse("none", &bits));
    CHECK_EQ(bits, 0);
    CHECK_OK(plan_rules_parse("", &bits));
    CHECK_EQ(bits, 0);
    CHECK_OK(plan_rules_parse("join_order, Ranges", &bits));
    CHECK_EQ(bits, (uint64_t)1 << RULE_join_order | (uint64_t)1 << RULE_ranges);
    CHECK_OK(plan_rules_parse("all", &all));
    CHECK(all & bits);
    CHECK(!(all >> RULE_subqueries & 1));
}

TEST(unknown_and_needed_rules_are_refused)
{
    uint64_t bits;
    CHECK_FAILS(plan_rules_parse("ranges,join", &bits), STATUS_KIND_INVALID,
                "there is no optimizer rule named \"join\"");
    CHECK_FAILS(plan_rules_parse("subqueries", &bits), STATUS_KIND_INVALID,
                "the optimizer rule \"subqueries\" cannot be left out");
}

/* The plan of a statement with a rule left out. */
static void explain(const char *rules, const char *sql, char *text, size_t bytes)
{
    setenv("PISTACHIO_DISABLED_OPTIMIZER_RULES", rules, 1);
    CHECK(!run_statement(sql, NULL, "cpu", text, bytes));
    unsetenv("PISTACHIO_DISABLED_OPTIMIZER_RULES");
}

TEST(a_rule_that_is_left_out_does_nothing)
{
    char plan[2048];
    explain("outer_joins",
            "explain select * from (values (1)) l (a) left join (values (1)) r (a) "
            "on l.a = r.a where r.a = 1",
            plan, sizeof plan);
    CHECK(strstr(plan, "left join"));
    explain("none",
            "explain select * from (values (1)) l (a) left join (values (1)) r (a) "
            "on l.a = r.a where r.a = 1",
            plan, sizeof plan);
    CHECK(strstr(plan, "inner join"));
    CHECK(!strstr(plan, "left join"));
}

TEST(a_join_above_makes_an_outer_join_an_inner_one)
{
    char plan[2048];
    const char *sql = "explain select * from (values (1)) l (a) left join (values (1, 2)) r (a, b) "
                      "on l.a = r.a, (values (2)) w (b) where r.b = w.b";
    explain("none", sql, plan, sizeof plan);
    CHECK(!strstr(plan, "left join"));
    explain("outer_joins", sql, plan, sizeof plan);
    CHECK(strstr(plan, "left join"));
}

TEST(what_an_or_says_of_groups_goes_below_them)
{
    char plan[2048];
    const char *sql = "explain select * from (select n, count(*) as k from (values (1), (2)) v (n) "
                      "group by n) g where n = 1 or (n = 2 and k > 1)";
    explain("none", sql, plan, sizeof plan);
    const char *lower = strstr(plan, "aggregate groups");
    CHECK(lower && strstr(lower, "filter ((n = 1) or (n = 2))"));
    explain("implied_conditions", sql, plan, sizeof plan);
    lower = strstr(plan, "aggregate groups");
    CHECK(lower && !strstr(lower, "filter"));
    explain("none",
            "explain select * from (select n, rank() over (partition by n order by m) as k "
            "from (values (1, 2), (2, 3)) v (n, m)) g where n = 1 or (n = 2 and k > 1)",
            plan, sizeof plan);
    lower = strstr(plan, "window");
    CHECK(lower && strstr(lower, "filter ((n = 1) or (n = 2))"));
}

TEST(functions_of_constant_texts_are_computed_once)
{
    char plan[2048];
    explain("none",
            "explain select a from (values ('A'), ('y')) v (a) where a = upper('ab') || "
            "substr('cde', 2, 1) || reverse(left(trim(' fg '), 1))",
            plan, sizeof plan);
    CHECK(strstr(plan, "(a = 'ABdf')"));
}

TEST(a_join_that_nobody_counts_makes_no_pairs)
{
    char plan[2048];
    const char *sql = "explain select distinct l.a from (values (1), (2)) l (a) "
                      "join (values (1), (1)) r (a) on l.a = r.a";
    explain("none", sql, plan, sizeof plan);
    CHECK(strstr(plan, "semi join"));
    CHECK(!strstr(plan, "inner join"));
    explain("duplicates", sql, plan, sizeof plan);
    CHECK(strstr(plan, "inner join"));
    static const char *const counted[] = {
        "explain select l.a, count(*) from (values (1), (2)) l (a) "
        "join (values (1), (1)) r (a) on l.a = r.a group by 1",
        "explain select distinct l.a, r.b from (values (1), (2)) l (a) "
        "join (values (1, 1), (1, 2)) r (a, b) on l.a = r.a",
        "explain select l.a from (values (1), (2)) l (a) "
        "join (values (1), (1)) r (a) on l.a = r.a",
        "explain select distinct a from (select l.a from (values (1), (2)) l (a) "
        "join (values (1), (1)) r (a) on l.a = r.a limit 1) v",
    };
    for (size_t i = 0; i < sizeof counted / sizeof *counted; i++) {
        explain("none", counted[i], plan, sizeof plan);
        CHECK(strstr(plan, "inner join"));
    }
}

TEST(distinct_rows_below_distinct_ones_are_not_made_twice)
{
    char plan[2048];
    const char *sql = "explain select * from (select 1 as a union select 2) v union select 3";
    explain("none", sql, plan, sizeof plan);
    const char *first = strstr(plan, "aggregate");
    CHECK(first && !strstr(first + 1, "aggregate"));
    explain("duplicates", sql, plan, sizeof plan);
    first = strstr(plan, "aggregate");
    CHECK(first && strstr(first + 1, "aggregate"));
}

/* Row groups that lie one behind the other have values of their own, whatever others say that have the whole range. */
TEST(values_of_row_groups_apart_add_up)
{
    char path[128], sql[512], plan[2048];
    snprintf(path, sizeof path, "%s/apart.parquet", test_folder());
    snprintf(sql, sizeof sql,
             "COPY (WITH d (x) AS (VALUES (0), (1), (2), (3), (4), (5), (6), (7), (8), (9)) "
             "SELECT CASE WHEN c.x >= 5 THEN b.x * 10000 ELSE b.x + c.x * 10 END AS n "
             "FROM d a, d b, d c ORDER BY c.x) TO '%s' (ROW_GROUP_SIZE 100)",
             path);
    CHECK(!run_statement(sql, NULL, "cpu", plan, sizeof plan));
    CHECK(!run_statement("explain select n, count(*) from t group by n", path, "cpu", plan,
                         sizeof plan));
    CHECK(strstr(plan, " 50    aggregate"));
}

/* Ten row groups of ten values each: they are a hundred where each row group has its own, ten where all have them all. */
TEST(values_of_row_groups_add_up_where_these_share_the_range)
{
    static const char *const values[] = {"a.x * 1000 + c.x * 10000", "a.x * 1000"};
    static const char *const rows[] = {" 100    aggregate", " 10    aggregate"};
    for (int i = 0; i < 2; i++) {
        char path[128], sql[512], plan[2048];
        snprintf(path, sizeof path, "%s/share%d.parquet", test_folder(), i);
        snprintf(sql, sizeof sql,
                 "COPY (WITH d (x) AS (VALUES (0), (1), (2), (3), (4), (5), (6), (7), (8), (9)) "
                 "SELECT %s AS n FROM d a, d b, d c ORDER BY c.x) TO '%s' (ROW_GROUP_SIZE 100)",
                 values[i], path);
        CHECK(!run_statement(sql, NULL, "cpu", plan, sizeof plan));
        CHECK(!run_statement("explain select n, count(*) from t group by n", path, "cpu", plan,
                             sizeof plan));
        CHECK(strstr(plan, rows[i]));
    }
}

TEST(rows_without_a_partner_are_an_anti_join)
{
    char plan[2048];
    explain("none",
            "explain select * from (values (1)) l (a) left join (values (1, 2)) r (a, b) "
            "on l.a = r.a where r.a is null",
            plan, sizeof plan);
    CHECK(strstr(plan, "anti join"));
    CHECK(!strstr(plan, "left join"));
    explain(
        "none", /* b may be NULL in pairs, too */
        "explain select * from (values (1)) l (a) left join (values (1, 2), (2, null)) r (a, b) "
        "on l.a = r.a where r.b is null",
        plan, sizeof plan);
    CHECK(strstr(plan, "left join"));
}

static int count_of(const char *text, const char *part)
{
    int count = 0;
    for (const char *at = strstr(text, part); at; at = strstr(at + 1, part))
        count++;
    return count;
}

/* Scan r takes the filter that s takes: n, of what comes to the left join, is one of i's. Not where rows come
 * otherwise. */
TEST(scans_of_build_sides_take_filters_of_the_probe_side)
{
    static const struct {
        const char *rules, *joins;
        int taken;
    } cases[] = {
        {"build_side", "s join t i on s.n = i.n and i.k % 7 = 3 left join t r on s.n = r.n", 2},
        {"build_side,side_filters",
         "s join t i on s.n = i.n and i.k % 7 = 3 left join t r on s.n = r.n", 1},
        {"build_side,runtime_filters",
         "s join t i on s.n = i.n and i.k % 7 = 3 left join t r on s.n = r.n", 0},
        {"build_side", "s join t i on s.n = i.n and i.k % 7 = 3 left join t r on s.n = r.k", 2},
        {"build_side", "s join t i on s.n = i.n and i.k % 7 = 3 left join t r on s.k = r.n", 1},
        {"build_side", "s join t i on s.n = i.n and i.k % 7 = 3 full join t r on s.n = r.n", 1},
        {"build_side", "s left join t i on s.n = i.n and i.k % 7 = 3 left join t r on s.n = r.n",
         0},
    };
    char path[128], sql[1024], plan[4096];
    snprintf(path, sizeof path, "%s/p.parquet", test_folder());
    snprintf(sql, sizeof sql,
             "COPY (SELECT n, n %% 1000 AS k FROM generate_series(1, 3000) AS g(n)) TO '%s'", path);
    CHECK(!run_statement(sql, NULL, "cpu", plan, sizeof plan));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snprintf(sql, sizeof sql, "explain select count(*) from t %s", cases[i].joins);
        setenv("PISTACHIO_DISABLED_OPTIMIZER_RULES", cases[i].rules, 1);
        CHECK(!run_statement(sql, path, "cpu", plan, sizeof plan));
        unsetenv("PISTACHIO_DISABLED_OPTIMIZER_RULES");
        CHECK_EQ(count_of(plan, "takes filter 0"), cases[i].taken);
    }
}

TEST(explain_analyze_says_how_long_each_rule_took)
{
    char plan[4096];
    CHECK(!run_statement("explain analyze select 1", NULL, "cpu", plan, sizeof plan));
    CHECK(strstr(plan, "optimized in "));
    CHECK(strstr(plan, ": subqueries "));
}

TEST(footers_answer_what_they_tell_exactly)
{
    char path[128], sql[256], plan[2048];
    snprintf(path, sizeof path, "%s/footers.parquet", test_folder());
    snprintf(sql, sizeof sql,
             "COPY (SELECT i, i::double precision AS f FROM (VALUES (1), (2)) v (i)) TO '%s'",
             path);
    CHECK(!run_statement(sql, NULL, "cpu", plan, sizeof plan));
    CHECK(!run_statement("explain select count(*), count(i), min(i), max(i) from t", path, "cpu",
                         plan, sizeof plan));
    CHECK(strstr(plan, "values"));
    CHECK(!strstr(plan, "scan"));
    CHECK(!run_statement("explain select count(*), max(f) from t", path, "cpu", plan, sizeof plan));
    CHECK(strstr(plan, "scan t [f]"));
    CHECK(!strstr(plan, "count(*)"));
    CHECK(!run_statement("explain select count(*) from t where i > 1", path, "cpu", plan,
                         sizeof plan));
    CHECK(strstr(plan, "count(*)"));
}

/* Any ten of 1,000 numbers, in row groups of 300, after the first 570 are those that follow them. */
TEST(an_offset_reads_only_the_rows_that_it_leaves)
{
    char path[128], sql[512], text[2048];
    snprintf(path, sizeof path, "%s/offset.parquet", test_folder());
    snprintf(sql, sizeof sql,
             "COPY (WITH d (x) AS (VALUES (0), (1), (2), (3), (4), (5), (6), (7), (8), (9)) "
             "SELECT a.x + b.x * 10 + c.x * 100 AS n FROM d a, d b, d c ORDER BY 1) TO '%s' "
             "(ROW_GROUP_SIZE 300)",
             path);
    CHECK(!run_statement(sql, NULL, "cpu", text, sizeof text));
    const char *any = "explain select n from t limit 10 offset 570";
    CHECK(!run_statement(any, path, "cpu", text, sizeof text));
    CHECK(strstr(text, "rows 556 to 600"));
    static const char *const devices[] = {"cpu", "simulated"};
    for (int i = 0; i < 2; i++) {
        CHECK(!run_statement("select count(*), min(n), max(n) from (select n from t limit 10 "
                             "offset 570) v",
                             path, devices[i], text, sizeof text));
        CHECK_TEXT_EQ(text, "10;570;579;");
        CHECK(!run_statement("select count(*), min(n) from (select n from t limit 10 offset 995) v",
                             path, devices[i], text, sizeof text));
        CHECK_TEXT_EQ(text, "5;995;");
    }
}

TEST(a_limit_of_distinct_rows_is_told_to_the_grouping)
{
    char plan[2048];
    const char *sql =
        "explain select distinct n from (values (1), (2), (3)) v (n) limit 1 offset 1";
    CHECK(!run_statement(sql, NULL, "cpu", plan, sizeof plan));
    CHECK(strstr(plan, "aggregate groups [n] any 2"));
    explain("limits", sql, plan, sizeof plan);
    CHECK(!strstr(plan, "any 2"));
}

TEST(a_sort_with_a_limit_bounds_the_scans_that_stream_into_it)
{
    char path[128], sql[512], plan[2048];
    snprintf(path, sizeof path, "%s/bound.parquet", test_folder());
    snprintf(sql, sizeof sql, "COPY (SELECT n, n AS m FROM (VALUES (1), (2)) v (n)) TO '%s'", path);
    CHECK(!run_statement(sql, NULL, "cpu", plan, sizeof plan));
    CHECK(!run_statement("explain select n from t order by n, m desc limit 1", path, "cpu", plan,
                         sizeof plan));
    CHECK(strstr(plan, "limit 1 gives bound 1"));
    CHECK(strstr(plan, "takes bound 1"));
    CHECK(!run_statement("explain select n, sum(m) from t group by n order by n limit 1", path,
                         "cpu", plan, sizeof plan));
    CHECK(!strstr(plan, "bound"));
    CHECK(!run_statement("explain select b.n from t a left join t b on a.m = b.m + 1 "
                         "order by b.n limit 1",
                         path, "cpu", plan, sizeof plan));
    CHECK(!strstr(plan, "bound"));
    CHECK(!run_statement("explain select n from t order by n", path, "cpu", plan, sizeof plan));
    CHECK(!strstr(plan, "bound"));
}

TEST(rows_behind_the_first_of_a_partition_are_not_sorted)
{
    char sql[512], plan[2048];
    const char *with =
        "explain select * from (select n, m, %s as k from (values (1, 2), (3, 4)) v (n, "
        "m)) u where %s";
    static const struct {
        const char *call, *condition, *expected; /* NULL: nothing is dropped early */
    } cases[] = {
        {"row_number() over (partition by n order by m)", "k <= 3", "order [m] first 3"},
        {"rank() over (partition by n order by m desc)", "k < 3",
         "order [m desc] first 2 and their peers"},
        {"row_number() over (order by m)", "1 = k", "limit 1"},
        {"row_number() over (partition by n order by m)", "k > 3", NULL},
        {"row_number() over (partition by n order by m)", "k <= 3000", NULL},
        {"row_number() over (partition by n)", "k <= 3", "order [n] first 3"},
        {"rank() over (partition by n)", "k <= 3", NULL},
        {"dense_rank() over (partition by n order by m)", "k <= 3", NULL},
        {"count(*) over (partition by n order by m)", "k <= 3", NULL},
        {"lead(n) over (partition by n order by m)", "k <= 3", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snprintf(sql, sizeof sql, with, cases[i].call, cases[i].condition);
        CHECK(!run_statement(sql, NULL, "cpu", plan, sizeof plan));
        CHECK(cases[i].expected ? strstr(plan, cases[i].expected) != NULL : !strstr(plan, "limit"));
        explain("window_limits", sql, plan, sizeof plan);
        CHECK(!strstr(plan, "limit"));
    }
}

/* Rows of tables and common subplans are grouped; not partitions of few rows, of doubles, or beside a window that needs
 * the order. */
TEST(aggregates_over_whole_partitions_are_made_of_groups)
{
    char sql[512], plan[8192];
    static const struct {
        const char *call;
        int joins, shared, sorts;
    } cases[] = {
        {"avg(n) over (partition by k)", 1, 1, 0},
        {"count(distinct m) over (partition by k), sum(n) over (partition by k)", 1, 1, 0},
        {"sum(n) over ()", 1, 1, 0},
        {"sum(n) over (partition by k), count(*) over (), max(n) over (partition by k, d)", 3, 1,
         0},
        {"sum(n) over (partition by n)", 0, 0, 1},
        {"sum(n) over (partition by k::double precision)", 0, 0, 1},
        {"sum(n) over (partition by k order by n)", 0, 0, 1},
        {"sum(n) over (partition by k), row_number() over (partition by k order by n)", 0, 0, 1},
        {"sum(n) over (partition by k), row_number() over (partition by k)", 0, 0, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snprintf(sql, sizeof sql,
                 "explain select %s from (select n, n %% 3 as k, n %% 2 as d, n as m from "
                 "generate_series(1, 900) g (n)) v",
                 cases[i].call);
        explain("none", sql, plan, sizeof plan);
        CHECK_EQ(count_of(plan, "join"), cases[i].joins);
        CHECK_EQ(count_of(plan, "shared 0:"), cases[i].shared);
        CHECK_EQ(count_of(plan, "sort ["), cases[i].sorts);
        explain("window_groups", sql, plan, sizeof plan);
        CHECK(!strstr(plan, "join"));
    }
    explain("none",
            "explain select max(n) from (select n, sum(n) over (partition by n % 3) from "
            "generate_series(1, 900) g (n)) v",
            plan, sizeof plan);
    CHECK(!strstr(plan, "join") && !strstr(plan, "window ["));
}

/* Keys, not a condition that all pairs are tried with: also beside others, and what cannot be NULL as if by =. */
TEST(is_not_distinct_gives_keys)
{
    static const char with[] =
        "explain select count(*) from (values (1, 2), (2, null)) a (k, n) %s join "
        "(values (1, null), (3, 2)) as b (k, n) on %s";
    static const struct {
        const char *on, *keys;
    } cases[] = {
        {"b.n is not distinct from a.n", "column2#2 is not distinct from column2#4"},
        {"b.k is not distinct from a.n", "on column2#2 = column1#3"},
        {"a.k = b.k and a.n is not distinct from b.n",
         "= coalesce(column2#4, 0) and (column2#2 is null) = (column2#4 is null)"},
        {"a.k = b.k and a.k + 1 is not distinct from b.k + 1", " = (column1#3 + 1)"},
    };
    static const char *const types[] = {"", "left", "right", "full", "semi", "anti"};
    char sql[512], plan[2048];
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
            snprintf(sql, sizeof sql, with, types[i], cases[c].on);
            CHECK(!run_statement(sql, NULL, "cpu", plan, sizeof plan));
            CHECK(strstr(plan, cases[c].keys));
        }
}

/* A plan of each statement has the text, and without the rule it has not. */
typedef struct planned {
    const char *sql, *text;
} planned;

static void check_plans(const char *rule, const planned *cases, size_t count)
{
    static const char tables[] = "explain with a as (select n, n % 7 as k from generate_series(1, "
                                 "900) as g(n)), b as (select * from a where n > 9) ";
    char sql[1024], plan[4096];
    for (size_t i = 0; i < count; i++) {
        snprintf(sql, sizeof sql, "%s%s", tables, cases[i].sql);
        CHECK(!run_statement(sql, NULL, "cpu", plan, sizeof plan));
        CHECK(strstr(plan, cases[i].text));
        if (!rule)
            continue;
        explain(rule, sql, plan, sizeof plan);
        CHECK(!strstr(plan, cases[i].text));
    }
}

TEST(values_beside_keys_wait_for_the_limit)
{
    static const planned cases[] = {
        {"select n, sqrt(n) as s from a order by n limit 3", "as s];         3      sort"},
        {"select sqrt(n) as s, k + 1 as m from a order by k, s limit 2", "[s, (order + 1) as m]"},
    };
    char plan[4096];
    check_plans("late_values", cases, sizeof cases / sizeof *cases);
    CHECK(!run_statement("explain select n from generate_series(1, 900) a(n) union all select n "
                         "from generate_series(1, 900) b(n) order by 1 limit 3",
                         NULL, "cpu", plan, sizeof plan));
    CHECK(strstr(strstr(plan, "union all"), "sort"));
}

TEST(conditions_beside_volatile_ones_move)
{
    static const planned cases[] = {
        {"select count(*) from a join b on a.n = b.n and random() < 1", "inner join on n"},
        {"select count(*) from a left join b on a.n = b.n and random() < 1", "left join on n"},
        {"select count(*) from a, b where a.n = b.n and random() < 1", "inner join on n"},
        {"select count(*) from a semi join b on a.n = b.n and random() < 1", "semi join on n"},
    };
    check_plans(NULL, cases, sizeof cases / sizeof *cases);
}

/* Nodes that need rows of a node without rows are not in the plan. */
TEST(what_can_have_no_rows_is_not_run)
{
    static const char with[] = "explain with v as (select n, n % 3 as k from generate_series(1, 9) "
                               "as g(n)) select count(*) from ";
    static const struct {
        const char *from;
        bool is_run;
    } cases[] = {
        {"v where false", false},
        {"v where null::boolean", false},
        {"(select k from v group by k having 1 = 2) w", false},
        {"(select * from v limit 0) w join v on w.k = v.k", false},
        {"v where exists (select 1 from v where false)", false},
        {"v where 3 in (1, 2) or nullif(true, true) or starts_with('a', 'b')", false},
        {"v where replace(null, n::varchar, '') = 'x'", false},
        {"generate_series(2, 1) g", false},
        {"range(date '2020-01-01', date '2020-01-01', interval '1 day') g", false},
        {"(values (1)) w (k) left join v on w.k = v.k and false", false},
        {"v right join (values (1)) w (k) on w.k = v.k and false", false},
        {"generate_series(1, 0, -1) g", true},
        {"v full join (values (1)) w (k) on false", true},
        {"(select * from v where false union all select * from v limit 0) w", false},
        {"(select * from v where false) w right join v on w.k = v.k", true},
        {"v left join (select * from v where false) w on w.k = v.k", true},
        {"v where not exists (select 1 from v where false)", true},
        {"(select count(*) as k from v where false) w join v on w.k = v.k", true},
    };
    char sql[512], plan[2048];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snprintf(sql, sizeof sql, "%s%s", with, cases[i].from);
        CHECK(!run_statement(sql, NULL, "cpu", plan, sizeof plan));
        CHECK_EQ(strstr(plan, "series") != NULL, cases[i].is_run);
        explain("empty", sql, plan, sizeof plan);
        CHECK(strstr(plan, "series"));
    }
}

/* Keys that lie apart, conditions that hold for no row or for each: what is known of the values tells. */
TEST(ranges_of_values_answer_conditions)
{
    static const char with[] = "explain with l as (select n, n + 0 as u from generate_series(1, 9) "
                               "as g (n)), r as (select * from (values (20), (30)) v (n)), "
                               "o as (select * from (values (5), (30), (null)) v (n)) ";
    static const struct {
        const char *sql, *has, *lacks;
    } cases[] = {
        {"select l.n, r.n from l join r on l.n = r.n", "values", " join"},
        {"select l.n, o.n from l join o on l.n = o.n", "inner join", NULL},
        {"select l.u, r.n from l join r on l.u = r.n", " join", NULL},
        {"select l.n, r.n from l left join r on l.n = r.n", "NULL as n", " join"},
        {"select l.n, r.n from r right join l on l.n = r.n", "NULL as n", " join"},
        {"select l.n, r.n from l full join r on l.n = r.n", "union all", " join"},
        {"select n from l where exists (select 1 from r where r.n = l.n)", "values", " join"},
        {"select n from l where not exists (select 1 from r where r.n = l.n)", "series", " join"},
        {"select n from l where n not in (select n from r)", "series", " join"},
        {"select n from l where n not in (select n from o)", "anti join", NULL},
        {"select l.n from l join r on l.n is not distinct from r.n", "values", " join"},
        {"select o.n from o join (select nullif(n, 1) as n from l) l on o.n = l.n", " join", NULL},
        {"select n from o where n > 30", "values", "filter"},
        {"select n from o where n >= 5", "filter", NULL},
        {"select n from r where n >= 20 and n <> 31", "values", "filter"},
        {"select n from r where n is null or n in (1, 2)", "values", "filter"},
        {"select l.n from l join o on l.n = o.n join r on o.n = r.n", "values", " join"},
        {"select l.n from l left join r on l.n = r.n where r.n is null", "series", " join"},
        {"select m from (select max(n) as m from l) g join r on g.m = r.n", "values", " join"},
        {"select m from (select max(n) as m from l) g where m is null", "filter", NULL},
    };
    char sql[1024], plan[4096];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snprintf(sql, sizeof sql, "%s%s", with, cases[i].sql);
        explain("none", sql, plan, sizeof plan);
        CHECK(strstr(plan, cases[i].has));
        CHECK(!cases[i].lacks || !strstr(plan, cases[i].lacks));
    }
}

TEST(orders_that_nobody_sees_are_not_made)
{
    static const struct {
        const char *sql;
        bool has_sort, has_window;
    } cases[] = {
        {"select max(n) from (select * from generate_series(1, 9) as g (n) order by -n) v", false,
         false},
        {"select n from (select * from generate_series(1, 9) as g (n) order by -n) v", true, false},
        {"select max(n) from (select * from generate_series(1, 9) as g (n) order by -n limit 3) v",
         true, false},
        {"select max(n) from (select * from (select * from generate_series(1, 9) as g (n) order by "
         "-n) v limit 3) w",
         true, false},
        {"select a.n from generate_series(1, 9) as a (n) join (select * from generate_series(1, 9) "
         "as g (n) "
         "order by -n) v on a.n = v.n",
         false, false},
        {"select max(n) from (select n, rank() over (order by -n) as r from generate_series(1, 9) "
         "as g (n)) v",
         false, false},
        {"select max(r) from (select n, rank() over (order by -n) as r from generate_series(1, 9) "
         "as g (n)) v",
         true, true},
        {"select max(n) from (select n from generate_series(1, 9) as g (n) union all (select * "
         "from "
         "generate_series(1, 9) as h (m) order by -m)) v",
         false, false},
    };
    char sql[512], plan[4096];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snprintf(sql, sizeof sql, "explain %s", cases[i].sql);
        explain("none", sql, plan, sizeof plan);
        CHECK_EQ(strstr(plan, "sort [") != NULL, cases[i].has_sort);
        CHECK_EQ(strstr(plan, "window ") != NULL, cases[i].has_window);
    }
}

/* An outer join of which the other side is read by nobody is that side, and a common subplan with it goes. */
TEST(outer_joins_that_nobody_can_tell_go)
{
    static const char with[] = "explain with s as (select n, n % 3 as k from generate_series(1, "
                               "100) as g (n)) ";
    static const struct {
        const char *sql;
        bool has_join, has_shared;
    } cases[] = {
        {"select distinct a.n from generate_series(1, 9) a (n) left join s b on a.n = b.k left "
         "join "
         "s c on a.n = c.n",
         false, false},
        {"select count(distinct a.n) from s b right join s a on a.n = b.k", false, true},
        {"select distinct a.n, c.k from s a left join s b on a.n = b.k left join s c on a.n = c.n",
         true, true},
        {"select a.n from generate_series(1, 9) a (n) left join s b on a.n = b.k", true, false},
        {"select count(*) from generate_series(1, 9) a (n) left join s b on a.n = b.k", true,
         false},
    };
    char sql[512], plan[4096];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snprintf(sql, sizeof sql, "%s%s", with, cases[i].sql);
        CHECK(!run_statement(sql, NULL, "cpu", plan, sizeof plan));
        CHECK(!strstr(plan, " join") == !cases[i].has_join);
        CHECK(!strstr(plan, "shared 0") == !cases[i].has_shared);
    }
}

/* 40,000 pairs of keys, each twice, far from each other: no row may be taken for a group. */
TEST(a_limit_of_many_groups_counts_each_once)
{
    char text[64];
    const char *sql =
        "WITH d (x) AS (VALUES (0), (1), (2), (3), (4), (5), (6), (7), (8), (9)) "
        "SELECT count(*) FROM (SELECT DISTINCT n % 40000 AS a, n % 40000 + 1 AS b FROM "
        "(SELECT a.x + b.x * 10 + c.x * 100 + d.x * 1000 + e.x * 10000 AS n "
        "FROM d a, d b, d c, d, d e WHERE e.x < 8) v LIMIT 60000) v";
    CHECK(!run_statement(sql, NULL, "cpu", text, sizeof text));
    CHECK_TEXT_EQ(text, "40000;");
}
