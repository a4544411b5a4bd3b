/* Tables that statements make: how long their rows live, what they cost, several statements at once.
 * What they hold: tests/sql/table.test. */
#include "pistachio/pistachio.h"
#include "run_statement.h"
#include "test.h"

#include <dirent.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pistachio_database *open_database(const char *memory_limit, pistachio_connection **out)
{
    const pistachio_option options[] = {
        {"threads", "2"}, {"memory_limit", memory_limit}, {"chunk_rows", "64"}};
    pistachio_database *database;
    check_none(pistachio_open(options, 3, &database));
    check_none(pistachio_connect(database, out));
    return database;
}

static void close_database(pistachio_database *database, pistachio_connection *connection)
{
    pistachio_disconnect(connection);
    pistachio_close(database);
}

/* Takes the rest of the result's rows, and frees it. */
static pistachio_error *take_rows(pistachio_result *result, uint64_t *out_rows)
{
    const pistachio_batch *batch = NULL;
    pistachio_error *error = NULL;
    *out_rows = 0;
    while (result && !(error = pistachio_next(result, &batch)) && batch)
        *out_rows += pistachio_batch_rows(batch);
    pistachio_result_free(result);
    return error;
}

static pistachio_error *run(pistachio_connection *connection, const char *sql)
{
    pistachio_result *result = NULL;
    uint64_t rows;
    pistachio_error *error = pistachio_query(connection, sql, NULL, &result);
    return error ? error : take_rows(result, &rows);
}

static void does(pistachio_connection *connection, const char *sql)
{
    check_none(run(connection, sql));
}

/* The number that a query gives. */
static long number(pistachio_connection *connection, const char *sql)
{
    pistachio_result *result;
    const pistachio_batch *batch;
    size_t bytes;
    check_none(pistachio_query(connection, sql, NULL, &result));
    check_none(pistachio_next(result, &batch));
    long n = strtol(pistachio_text(batch, 0, 0, &bytes), NULL, 10);
    pistachio_result_free(result);
    return n;
}

static void fails(pistachio_connection *connection, const char *sql, const char *part)
{
    pistachio_error *error = run(connection, sql);
    if (!error || !strstr(pistachio_error_message(error), part))
        test_fail(__FILE__, __LINE__, "message is \"%s\"", pistachio_error_message(error));
    pistachio_error_free(error);
}

static size_t open_files(void)
{
    DIR *folder = opendir("/proc/self/fd");
    size_t count = 0;
    while (folder && readdir(folder))
        count++;
    closedir(folder);
    return count;
}

#define DIGITS "(VALUES (0), (1), (2), (3), (4), (5), (6), (7), (8), (9)) AS "
/* 10,000 rows. */
#define MANY                                                                                       \
    "SELECT a + 10 * b + 100 * c + 1000 * d AS x FROM " DIGITS "w(a), " DIGITS "x(b), " DIGITS     \
    "y(c), " DIGITS "z(d)"

/* A statement has the rows that were there when it began, whatever becomes of the table. */
TEST(rows_outlive_their_table)
{
    pistachio_connection *connection;
    pistachio_database *database = open_database("1GB", &connection);
    pistachio_result *result;
    uint64_t rows;
    does(connection, "CREATE TABLE t AS " MANY);
    check_none(pistachio_query(connection, "SELECT x FROM t", NULL, &result));
    does(connection, "INSERT INTO t VALUES (-1)");
    does(connection, "CREATE OR REPLACE TABLE t AS SELECT 5 AS x");
    CHECK_EQ(number(connection, "SELECT sum(x) FROM t"), 5);
    does(connection, "DROP TABLE t");
    fails(connection, "SELECT x FROM t", "does not exist");
    check_none(take_rows(result, &rows));
    CHECK_EQ(rows, 10000);
    close_database(database, connection);
}

/* Rows that come one by one are few files, and none is left of those that are gone. */
TEST(many_inserts)
{
    pistachio_connection *connection;
    pistachio_database *database = open_database("1GB", &connection);
    does(connection, "CREATE TABLE t (x integer)");
    does(connection, "INSERT INTO t VALUES (0)");
    size_t before = open_files();
    for (int i = 1; i <= 200; i++) {
        char sql[64];
        snprintf(sql, sizeof sql, "INSERT INTO t VALUES (%d)", i);
        does(connection, sql);
    }
    CHECK(open_files() < before + 40);
    CHECK_EQ(number(connection, "SELECT sum(x) FROM t"), 200 * 201 / 2);
    CHECK_EQ(number(connection, "SELECT count(DISTINCT x) FROM t"), 201);
    does(connection, "DROP TABLE t");
    CHECK(open_files() < before);
    close_database(database, connection);
}

TEST(sessions)
{
    pistachio_connection *plain, *one, *other;
    pistachio_database *database = open_database("1GB", &plain);
    check_none(pistachio_connect_session(database, &one));
    check_none(pistachio_connect_session(database, &other));
    does(plain, "CREATE TABLE common AS SELECT 1 AS x");
    does(one, "CREATE TABLE t AS SELECT 2 AS x");
    does(other, "CREATE TABLE t AS SELECT 3 AS x");
    does(other, "CREATE TABLE common AS SELECT 4 AS x");
    does(one, "INSERT INTO common VALUES (10)");
    fails(one, "DROP TABLE common", "belongs to the database");
    fails(plain, "SELECT x FROM t", "does not exist");
    CHECK_EQ(number(plain, "SELECT sum(x) FROM common"), 11);
    CHECK_EQ(number(one, "SELECT x FROM t"), 2);
    CHECK_EQ(number(other, "SELECT x FROM t"), 3);
    CHECK_EQ(number(other, "SELECT x FROM common"), 4);
    pistachio_disconnect(other);
    pistachio_disconnect(one);
    CHECK_EQ(number(plain, "SELECT sum(x) FROM common"), 11);
    close_database(database, plain);
}

/* More text than memory_limit: it is written as it comes. */
TEST(more_than_memory)
{
    pistachio_connection *connection;
    pistachio_database *database = open_database("48MB", &connection);
    does(connection,
         "CREATE TABLE t AS SELECT x, repeat(chr(65 + x % 26), 2000) AS word FROM (" MANY
         ") AS many, (VALUES (0), (1), (2), (3)) AS more");
    CHECK_EQ(number(connection, "SELECT count(*) FROM t WHERE length(word) = 2000"), 40000);
    close_database(database, connection);
}

TEST(no_temporary_files)
{
    pistachio_connection *connection;
    pistachio_database *database = open_database("1GB", &connection);
    does(connection, "SET temp_directory = '/nowhere/at/all'");
    fails(connection, "CREATE TABLE t AS SELECT 1 AS x", "could not make a temporary file");
    fails(connection, "SELECT x FROM t", "does not exist");
    close_database(database, connection);
}

typedef struct inserter {
    pistachio_database *database;
    long done;
} inserter;

/* A row that another one was quicker with is told, and not done. */
static void *insert(void *context)
{
    inserter *self = context;
    pistachio_connection *connection;
    check_none(pistachio_connect(self->database, &connection));
    for (int i = 0; i < 20; i++) {
        pistachio_error *error = run(connection, "INSERT INTO t SELECT 1");
        if (!error)
            self->done++;
        else if (!strstr(pistachio_error_message(error), "has changed table"))
            test_fail(__FILE__, __LINE__, "%s", pistachio_error_message(error));
        pistachio_error_free(error);
    }
    pistachio_disconnect(connection);
    return NULL;
}

TEST(inserts_at_once)
{
    pistachio_connection *connection;
    pistachio_database *database = open_database("1GB", &connection);
    pthread_t threads[3];
    inserter inserters[3];
    long done = 0;
    does(connection, "CREATE TABLE t (x integer)");
    for (int i = 0; i < 3; i++) {
        inserters[i] = (inserter){.database = database};
        CHECK(!pthread_create(&threads[i], NULL, insert, &inserters[i]));
    }
    for (int i = 0; i < 3; i++) {
        pthread_join(threads[i], NULL);
        done += inserters[i].done;
    }
    CHECK(done > 0);
    CHECK_EQ(number(connection, "SELECT count(*) FROM t"), done);
    close_database(database, connection);
}

/* ---- recursive queries: tests/sql/recursive.test ---- */

TEST(rounds_leave_nothing_open)
{
    pistachio_connection *connection;
    pistachio_database *database = open_database("1GB", &connection);
    CHECK_EQ(
        number(connection,
               "WITH RECURSIVE t(n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM t WHERE n < 100) "
               "SELECT sum(n) FROM t"),
        5050);
    size_t before = open_files();
    CHECK_EQ(number(connection,
                    "WITH RECURSIVE t(n) AS (VALUES (1) UNION SELECT n + 1 FROM t WHERE n < 100) "
                    "SELECT sum(n) FROM t"),
             5050);
    fails(
        connection,
        "WITH RECURSIVE t(n) AS (VALUES (1) UNION ALL SELECT n + 1 + 0 / (20 - n) FROM t) SELECT n "
        "FROM t",
        "division by zero");
    CHECK_EQ(open_files(), before);
    close_database(database, connection);
}

typedef struct endless {
    pistachio_connection *connection;
    pistachio_error *error;
    _Atomic bool is_over;
} endless;

static void *run_endless(void *context)
{
    endless *self = context;
    self->error =
        run(self->connection,
            "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n FROM t) SELECT n FROM t");
    self->is_over = true;
    return NULL;
}

/* Also between two rounds, when no query runs. */
TEST(endless_recursion_is_cancelled)
{
    endless recursion = {0};
    pistachio_database *database = open_database("1GB", &recursion.connection);
    pthread_t thread;
    CHECK(!pthread_create(&thread, NULL, run_endless, &recursion));
    while (!recursion.is_over) { /* it may not have begun yet */
        pistachio_cancel(recursion.connection);
        usleep(1000);
    }
    pthread_join(thread, NULL);
    CHECK_EQ((int)pistachio_error_get_kind(recursion.error), (int)PISTACHIO_ERROR_CANCELLED);
    pistachio_error_free(recursion.error);
    does(recursion.connection, "SELECT 1");
    close_database(database, recursion.connection);
}
