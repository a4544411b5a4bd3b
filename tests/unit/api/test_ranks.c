/* Statements on several ranks of one process: a failure on any of them, results that are given up,
 * limits, several statements at once, more ranks than row groups. Rows: tests/sql, tests/tpch.
 *
 * test_label: threads
 * test_cost: 20 */
#include "pistachio/pistachio.h"
#include "run_statement.h"
#include "test.h"

#include <pthread.h>
#include <unistd.h>

#define ROWS 100000
#define RANKS "3"

/* Digits times digits: x from 0 to ROWS - 1. */
static const char values[] =
    "(WITH d(i) AS (VALUES (0), (1), (2), (3), (4), (5), (6), (7), (8), (9)) "
    "SELECT a.i + 10 * b.i + 100 * c.i + 1000 * e.i + 10000 * f.i AS x "
    "FROM d a, d b, d c, d e, d f ORDER BY 1)";

typedef struct world {
    pistachio_database *database;
    pistachio_connection *connection;
} world;

static world open_world(const char *ranks)
{
    const pistachio_option options[] = {{"threads", "6"},
                                        {"ranks", ranks},
                                        {"distribute", "always"},
                                        {"network_message_bytes", "4096"},
                                        {"chunk_rows", "512"}};
    world w;
    check_none(pistachio_open(options, 5, &w.database));
    check_none(pistachio_connect(w.database, &w.connection));
    return w;
}

static void close_world(world *w)
{
    pistachio_disconnect(w->connection);
    pistachio_close(w->database);
}

/* Table t: ROWS rows in row groups of 1000. */
static void add_table(world *w)
{
    static char path[512];
    char sql[2048];
    pistachio_result *result;
    if (!*path) {
        snprintf(path, sizeof path, "%s/t.parquet", test_folder());
        snprintf(sql, sizeof sql, "COPY %s TO '%s' (ROW_GROUP_SIZE 1000)", values, path);
        check_none(pistachio_query(w->connection, sql, NULL, &result));
        pistachio_result_free(result);
    }
    check_none(pistachio_add_table(w->connection, "t", path));
}

/* The rows' number, or the failure. */
static pistachio_error *count_rows(pistachio_connection *connection, const char *sql,
                                   uint64_t *out_rows)
{
    pistachio_result *result;
    const pistachio_batch *batch;
    pistachio_error *error = pistachio_query(connection, sql, NULL, &result);
    *out_rows = 0;
    if (error)
        return error;
    do {
        error = pistachio_next(result, &batch);
        *out_rows += batch ? pistachio_batch_rows(batch) : 0;
    } while (!error && batch);
    pistachio_result_free(result);
    return error;
}

static void check_rows(world *w, const char *sql, uint64_t expected)
{
    uint64_t rows;
    check_none(count_rows(w->connection, sql, &rows));
    CHECK_EQ(rows, expected);
}

static void check_failure(world *w, const char *sql, const char *message)
{
    uint64_t rows;
    pistachio_error *error = count_rows(w->connection, sql, &rows);
    CHECK(error != NULL);
    if (error && !strstr(pistachio_error_message(error), message))
        test_fail(__FILE__, __LINE__, "%s, not %s", pistachio_error_message(error), message);
    pistachio_error_free(error);
}

/* The message names the rank that read the row, but not rank 0. Ranks take row groups from each other. */
TEST(a_failure_on_any_rank_is_the_statements)
{
    world w = open_world(RANKS);
    add_table(&w);
    check_failure(&w, "SELECT 1 / (x - 99999) FROM t", "division by zero");
    check_failure(&w, "SELECT 1 / (x - 50000) FROM t", "division by zero");
    check_failure(&w, "SELECT 1 / x FROM t", "division by zero");
    check_failure(&w, "SELECT a.x FROM t a JOIN t b ON a.x = 1 / (b.x - 99999)",
                  "division by zero");
    check_failure(&w, "SELECT (SELECT x FROM t WHERE x < 2) FROM t", "more than one row");
    check_rows(&w, "SELECT x FROM t WHERE x % 2 = 0", ROWS / 2);
    close_world(&w);
}

static void set(world *w, const char *sql)
{
    pistachio_result *result;
    check_none(pistachio_query(w->connection, sql, NULL, &result));
    pistachio_result_free(result);
}

/* Whichever rank is first to find that it cannot run the plan says why: here that there is no memory for
 * the least messages of so many exchanges. */
TEST(a_failure_before_it_runs_is_the_statements)
{
    world w = open_world(RANKS);
    char sql[8192] = "SELECT sum(x) FROM t";
    add_table(&w);
    set(&w, "SET network_message_bytes = '1MiB'");
    set(&w, "SET memory_limit = '16MiB'");
    for (int i = 1; i < 120; i++)
        snprintf(sql + strlen(sql), sizeof sql - strlen(sql),
                 " UNION ALL SELECT sum(x + %d) FROM t", i);
    for (int i = 0; i < 5; i++)
        check_failure(&w, sql, "memory_limit");
    close_world(&w);
}

TEST(a_limit_ends_the_other_ranks)
{
    world w = open_world(RANKS);
    add_table(&w);
    for (int i = 0; i < 20; i++) {
        check_rows(&w, "SELECT x FROM t LIMIT 3", 3);
        check_rows(&w, "SELECT a.x FROM t a JOIN t b ON a.x = b.x LIMIT 3", 3);
    }
    close_world(&w);
}

TEST(a_result_can_be_given_up)
{
    world w = open_world(RANKS);
    add_table(&w);
    for (int i = 0; i < 20; i++) {
        pistachio_result *result;
        const pistachio_batch *batch;
        check_none(pistachio_query(w.connection,
                                   "SELECT a.x FROM t a JOIN t b ON a.x % 1000 = b.x % 1000", NULL,
                                   &result));
        if (i % 2)
            check_none(pistachio_next(result, &batch));
        pistachio_result_free(result);
    }
    check_rows(&w, "SELECT x FROM t", ROWS);
    close_world(&w);
}

static void *cancel(void *connection)
{
    usleep(50000);
    pistachio_cancel(connection);
    return NULL;
}

TEST(a_statement_can_be_cancelled)
{
    world w = open_world(RANKS);
    pthread_t thread;
    add_table(&w);
    CHECK_EQ(pthread_create(&thread, NULL, cancel, w.connection), 0);
    check_failure(&w, "SELECT count(*) FROM t a, t b WHERE a.x + b.x = 7", "cancelled");
    CHECK_EQ(pthread_join(thread, NULL), 0);
    check_rows(&w, "SELECT x FROM t WHERE x < 5", 5);
    close_world(&w);
}

TEST(ranks_may_be_more_than_row_groups)
{
    world w = open_world("64");
    char path[512], sql[700];
    snprintf(path, sizeof path, "%s/few.parquet", test_folder());
    snprintf(sql, sizeof sql, "COPY (VALUES (1), (2), (3)) TO '%s' (ROW_GROUP_SIZE 1)", path);
    pistachio_result *result;
    check_none(pistachio_query(w.connection, sql, NULL, &result));
    pistachio_result_free(result);
    check_none(pistachio_add_table(w.connection, "few", path));
    check_rows(&w, "SELECT a.column1 FROM few a JOIN few b ON a.column1 = b.column1", 3);
    check_rows(&w, "SELECT count(*) FROM few WHERE column1 > 5", 1);
    check_rows(&w, "SELECT column1 FROM few WHERE column1 NOT IN (SELECT 2 FROM few)", 2);
    close_world(&w);
}

static void *run_some(void *argument)
{
    world *w = argument;
    pistachio_connection *connection;
    uint64_t rows;
    check_none(pistachio_connect(w->database, &connection));
    for (int i = 0; i < 10; i++) {
        check_none(count_rows(connection, "SELECT a.x FROM t a JOIN t b ON a.x = b.x", &rows));
        CHECK_EQ(rows, ROWS);
    }
    pistachio_disconnect(connection);
    return NULL;
}

TEST(statements_run_side_by_side)
{
    world w = open_world(RANKS);
    pthread_t threads[3];
    add_table(&w);
    for (int i = 0; i < 3; i++)
        CHECK_EQ(pthread_create(&threads[i], NULL, run_some, &w), 0);
    for (int i = 0; i < 3; i++)
        CHECK_EQ(pthread_join(threads[i], NULL), 0);
    close_world(&w);
}
