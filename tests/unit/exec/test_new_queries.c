/* test_new_queries.c - a statement of a moment is over while each thread of the pool is in a step that takes seconds, and
 * many at once all come to their end.
 *
 * test_label: threads */
#include "run_statement.h"
#include "test.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

enum { MOST = 2, ATTEMPTS = 10, CROWD = 6, SIPPING = 3, STATEMENTS = 20 };

/* One step: the edits between two texts of 60,000 letters. */
static const char long_step[] = "SELECT levenshtein(repeat('a', 60000 + n), repeat('b', 60000)) "
                                "FROM generate_series(1, 1) AS g(n)";

typedef struct client {
    pistachio_connection *connection;
    pthread_t thread;
    _Atomic bool is_over;
} client;

static void *ask(void *argument)
{
    client *c = argument;
    pistachio_result *result = NULL;
    const pistachio_batch *batch;
    pistachio_error *error = pistachio_query(c->connection, long_step, NULL, &result);
    if (!error)
        error = pistachio_next(result, &batch);
    atomic_store(&c->is_over, true);
    pistachio_error_free(error);
    pistachio_result_free(result);
    return NULL;
}

static void check_count(pistachio_connection *connection, const char *statement, const char *count)
{
    pistachio_result *result;
    const pistachio_batch *batch;
    size_t bytes;
    check_none(pistachio_query(connection, statement, NULL, &result));
    check_none(pistachio_next(result, &batch));
    const char *text = pistachio_text(batch, 0, 0, &bytes);
    CHECK(bytes == strlen(count) && !memcmp(text, count, bytes));
    pistachio_result_free(result);
}

static void count_rows(pistachio_connection *connection)
{
    check_count(connection, "SELECT count(*) FROM generate_series(1, 1000) AS g(n) WHERE n % 2 = 0",
                "500");
}

/* Returns whether the short statements were over before the long steps. */
static bool is_beside(pistachio_connection *connection, client *clients, unsigned count)
{
    bool is_beside = true;
    for (unsigned i = 0; i < count; i++) {
        atomic_store(&clients[i].is_over, false);
        CHECK(!pthread_create(&clients[i].thread, NULL, ask, &clients[i]));
    }
    usleep(100000); /* until they are in their steps: else nothing is tried, and nothing fails */
    for (unsigned i = 0; i < 20; i++)
        count_rows(connection);
    for (unsigned i = 0; i < count; i++) {
        is_beside &= !atomic_load(&clients[i].is_over);
        pistachio_cancel(clients[i].connection);
    }
    for (unsigned i = 0; i < count; i++)
        CHECK(!pthread_join(clients[i].thread, NULL));
    return is_beside;
}

/* A busy machine may let a short statement take longer than statements are new for (shares.h), and then it waits: one of
 * some attempts must show that it does not. */
static void try_with(const char *threads, unsigned count)
{
    pistachio_option options[] = {{"threads", threads}};
    pistachio_database *database;
    pistachio_connection *connection;
    client clients[MOST] = {0};
    bool is_shown = false;
    check_none(pistachio_open(options, 1, &database));
    check_none(pistachio_connect(database, &connection));
    for (unsigned i = 0; i < count; i++)
        check_none(pistachio_connect(database, &clients[i].connection));
    for (unsigned i = 0; i < ATTEMPTS && !is_shown; i++)
        is_shown = is_beside(connection, clients, count);
    CHECK(is_shown);
    for (unsigned i = 0; i < count; i++)
        pistachio_disconnect(clients[i].connection);
    pistachio_disconnect(connection);
    pistachio_close(database);
}

TEST(one_thread_is_in_a_long_step)
{
    try_with("1", 1);
}

TEST(both_threads_are_in_long_steps)
{
    try_with("2", 2);
}

/* Statements whose tasks take some turns each, as they leave their thread to others after a millisecond. */
static void *ask_often(void *argument)
{
    for (unsigned i = 0; i < STATEMENTS; i++)
        check_count(argument,
                    "SELECT count(*) FROM generate_series(1, 400000) AS g(n) WHERE n % 4 = 0",
                    "100000");
    return NULL;
}

static _Atomic unsigned asking;

/* Takes some rows, and no more until those that ask often are done: its tasks stay ready, and nobody asks for them. */
static void *sip(void *argument)
{
    pistachio_result *result;
    const pistachio_batch *batch;
    check_none(pistachio_query(argument, "SELECT n FROM generate_series(1, 100000000) AS g(n)",
                               NULL, &result));
    for (unsigned i = 0; i < STATEMENTS; i++) {
        check_none(pistachio_next(result, &batch));
        usleep(2000);
    }
    while (atomic_load(&asking))
        usleep(10000);
    pistachio_result_free(result);
    return NULL;
}

static void *ask_in_crowd(void *argument)
{
    (void)ask_often(argument);
    atomic_fetch_sub(&asking, 1);
    return NULL;
}

/* More statements than there are places for, and no thread that takes tasks but those that ask: whoever leaves a place has
 * to tell one that waits for it. */
TEST(crowd_of_new_queries_with_one_thread)
{
    pistachio_option options[] = {{"threads", "1"}};
    pistachio_database *database;
    client clients[CROWD + SIPPING] = {0};
    check_none(pistachio_open(options, 1, &database));
    atomic_store(&asking, CROWD);
    for (unsigned i = 0; i < CROWD + SIPPING; i++)
        check_none(pistachio_connect(database, &clients[i].connection));
    for (unsigned i = 0; i < CROWD + SIPPING; i++)
        CHECK(!pthread_create(&clients[i].thread, NULL, i < CROWD ? ask_in_crowd : sip,
                              clients[i].connection));
    for (unsigned i = 0; i < CROWD + SIPPING; i++) {
        CHECK(!pthread_join(clients[i].thread, NULL));
        pistachio_disconnect(clients[i].connection);
    }
    pistachio_close(database);
}
