/* test_effort.c - what ends statements that are too deep or cancelled, and how much work planning is. */
#include "base/cancel.h"
#include "base/fault.h"
#include "base/system/guard.h"
#include "pistachio/pistachio.h"
#include "plan/distribute/distribute.h"
#include "plan/rules/optimize.h"
#include "run_statement.h"
#include "sql/statement/sql.h"
#include "test.h"

#include <pthread.h>

/* ---- the guard itself ---- */

TEST(a_cancel_fails_checks_until_the_guard_is_left)
{
    cancel_flag is_cancelled = false;
    cancel_flag *flag = cancel_set(&is_cancelled);
    guard_state before = guard_enter();
    CHECK_OK(guard_check());
    atomic_store(&is_cancelled, true);
    CHECK_FAILS(guard_check(), STATUS_KIND_CANCELLED, "query cancelled");
    atomic_store(&is_cancelled, false);
    CHECK(!guard_may_go_on());
    status st = guard_explain(status_new(STATUS_KIND_INTERNAL, "cut short"));
    CHECK_EQ(status_get_kind(st), STATUS_KIND_CANCELLED);
    status_free(st);
    CHECK(!guard_explain(STATUS_OK));
    guard_leave(before);
    CHECK_OK(guard_check());
    cancel_set(flag);
}

static int descend(int levels)
{
    volatile char frame[256];
    frame[0] = 1;
    if (!guard_may_go_on() || levels == 100000000)
        return levels;
    return descend(levels + 1) + frame[0] - 1;
}

static void *descend_guarded(void *context)
{
    int *levels = context;
    guard_state before = guard_enter();
    *levels = descend(0);
    status st = guard_check();
    CHECK_EQ(status_get_kind(st), STATUS_KIND_LIMIT);
    status_free(st);
    guard_leave(before);
    return NULL;
}

TEST(recursion_ends_before_the_stack_does)
{
    pthread_attr_t attributes;
    pthread_t thread;
    int levels = 0;
    CHECK(!pthread_attr_init(&attributes));
    CHECK(!pthread_attr_setstacksize(&attributes, 4 << 20));
    CHECK(!pthread_create(&thread, &attributes, descend_guarded, &levels));
    CHECK(!pthread_join(thread, NULL));
    CHECK(!pthread_attr_destroy(&attributes));
    CHECK(levels > 1000 && levels < (4 << 20) / 256);
}

/* ---- statements ---- */

typedef struct text {
    char *at;
    size_t bytes, room;
} text;

static void add(text *t, const char *format, ...) PRINTF_LIKE(2, 3);
static void add(text *t, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    t->bytes += (size_t)vsnprintf(t->at + t->bytes, t->room - t->bytes, format, arguments);
    va_end(arguments);
    CHECK(t->bytes < t->room);
}

static void many_branches(text *t, int n)
{
    add(t, "select case");
    for (int i = 0; i < n; i++)
        add(t, " when i = %d then 12 / i", i);
    add(t, " end from range(5) g(i)");
}

static void many_conditions(text *t, int n)
{
    add(t, "select i from range(5) g(i) where true");
    for (int i = 0; i < n; i++)
        add(t, " and i <> %d", i);
}

static void many_items(text *t, int n)
{
    add(t, "select i from range(5) g(i) where i in (1");
    for (int i = 0; i < n; i++)
        add(t, ", i + %d", i);
    add(t, ")");
}

static void many_keys(text *t, int n)
{
    add(t, "select i");
    for (int i = 0; i < n; i++)
        add(t, ", i + %d, sum(i * %d)", i, i);
    add(t, " from range(5) g(i) group by i");
    for (int i = 0; i < n; i++)
        add(t, ", i + %d", i);
    add(t, " order by i");
    for (int i = 0; i < n; i++)
        add(t, ", i + %d", i);
}

static void many_parts(text *t, int n)
{
    add(t, "select 0 as i");
    for (int i = 1; i < n; i++)
        add(t, " union select %d", i);
}

static void many_levels(text *t, int n)
{
    for (int i = 0; i < n; i++)
        add(t, "select i from (");
    add(t, "select i from range(5) g(i)");
    for (int i = 0; i < n; i++)
        add(t, ") t%d", i);
}

static char table[512];

static void write_table(void)
{
    char sql[1024];
    snprintf(table, sizeof table, "%s/t.parquet", test_folder());
    snprintf(sql, sizeof sql, "copy (select i from range(30) g(i)) to '%s'", table);
    run_alone(sql);
}

/* Each WITH query is read twice by the next one. */
static void semi_joins(text *t, int n)
{
    add(t, "with t0 as (select i from '%s')", table);
    for (int i = 1; i <= n; i++)
        add(t, ", t%d as (select i from t%d where i in (select i from t%d where i > %d))", i, i - 1,
            i - 1, i % 3);
    add(t, " select count(*) from t%d", n);
}

static void quantified(text *t, int n)
{
    add(t, "select count(*) from '%s' q0 where true", table);
    for (int i = 1; i <= n; i++)
        add(t, " and i < all (select i from '%s' q%d where q%d.i > q%d.i", table, i, i, i - 1);
    for (int i = 1; i <= n; i++)
        add(t, ")");
}

/* ---- effort ---- */

/* Prepares and plans a statement for two ranks. */
static status prepare(sql_catalog *catalog, const char *sql, sql_statement **out)
{
    const char *rest;
    plan_distribution distribution = {.ranks = 2, .mode = DISTRIBUTE_ALWAYS};
    *out = NULL;
    const sql_session session = {.catalog = catalog};
    status st = sql_prepare(&session, sql, out, &rest);
    if (!st)
        st = plan_optimize(&(*out)->query);
    if (!st)
        st = plan_distribute(&(*out)->query, &distribution);
    return st;
}

static uint64_t effort(void (*write)(text *t, int n), int n)
{
    text t = {calloc(1, 1 << 20), 0, 1 << 20};
    sql_catalog *catalog;
    sql_statement *statement;
    write(&t, n);
    CHECK(!sql_catalog_new(&catalog));
    uint64_t before = guard_checks_made();
    guard_state state = guard_enter();
    status st = prepare(catalog, t.at, &statement);
    guard_leave(state);
    if (st)
        fprintf(stderr, "%s\n", status_message(st));
    CHECK(!st);
    uint64_t made = guard_checks_made() - before;
    sql_statement_free(statement);
    sql_catalog_free(catalog);
    free(t.at);
    return made;
}

/* Twice as much of something is about twice the work. */
static void check_linear(void (*write)(text *t, int n), int n)
{
    uint64_t once = effort(write, n), twice = effort(write, 2 * n);
    if (twice > once * 3)
        fprintf(stderr, "%llu checks, %llu of twice as many\n", (unsigned long long)once,
                (unsigned long long)twice);
    CHECK(twice <= once * 3);
}

TEST(planning_is_linear_in_what_a_statement_lists)
{
    check_linear(many_branches, 200);
    check_linear(many_conditions, 200);
    check_linear(many_items, 200);
    check_linear(many_keys, 100);
    check_linear(many_parts, 200);
    check_linear(many_levels, 50);
}

/* Plans that are used twice by plans that are used twice are looked at once. */
TEST(planning_of_shared_plans_does_not_multiply)
{
    write_table();
    CHECK(effort(semi_joins, 24) < 6 * effort(semi_joins, 12));
    /* A comparison with ALL becomes four plans, each with what is nested in it. */
    CHECK(effort(quantified, 3) < 12 * effort(quantified, 2));
}

/* ---- cancelling ---- */

/* Cancelled at any moment of its preparation, a statement fails as cancelled and leaves nothing behind. */
static void check_cancel(void (*write)(text *t, int n), int n)
{
    text t = {calloc(1, 1 << 20), 0, 1 << 20};
    sql_catalog *catalog;
    sql_statement *statement;
    bool is_done = false;
    write(&t, n);
    CHECK(!sql_catalog_new(&catalog));
    for (uint64_t looks = 1; !is_done; looks = looks * 5 / 3 + 1) {
        cancel_flag is_cancelled = false;
        cancel_flag *flag = cancel_set(&is_cancelled);
        fault_arm(FAULT_CANCEL, looks, FAULT_ONCE);
        guard_state state = guard_enter();
        status st = guard_explain(prepare(catalog, t.at, &statement));
        guard_leave(state);
        is_done = !fault_disarm(FAULT_CANCEL);
        cancel_set(flag);
        CHECK_EQ(!st, is_done);
        CHECK(!st || status_get_kind(st) == STATUS_KIND_CANCELLED);
        status_free(st);
        sql_statement_free(statement);
    }
    sql_catalog_free(catalog);
    free(t.at);
}

TEST(preparation_can_be_cancelled_at_any_moment)
{
    write_table();
    check_cancel(many_branches, 40);
    check_cancel(many_keys, 40);
    check_cancel(many_parts, 40);
    check_cancel(many_levels, 150);
    check_cancel(semi_joins, 6);
    check_cancel(quantified, 2);
}
