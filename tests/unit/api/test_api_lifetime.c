/* Databases, connections, results and batches, closed and freed in every order, by one thread and
 * by several, and what is held across a SET. What is still held works as before.
 *
 * test_label: threads */
#include "exec/scan/column_cache.h"
#include "parquet/table/footer.h"
#include "pistachio/pistachio.h"
#include "run_statement.h"
#include "test.h"

#include <pthread.h>
#include <stdatomic.h>

#define ROWS 40000 /* several batches of 16384 */
#define TEXT "a text that is too long to lie in its view, number "

/* Digits times digits: x from 0 to ROWS - 1, and a text made of it. */
#define COPY_ROWS                                                                                  \
    "COPY (WITH d(i) AS (VALUES (0), (1), (2), (3), (4), (5), (6), (7), (8), (9)) "                \
    "SELECT a.i + 10 * b.i + 100 * c.i + 1000 * e.i + 10000 * f.i AS x, "                          \
    "'" TEXT "' || cast(a.i + 10 * b.i + 100 * c.i + 1000 * e.i + 10000 * f.i AS varchar) AS s "   \
    "FROM d a, d b, d c, d e, (VALUES (0), (1), (2), (3)) f(i)) TO '%s'"

static void run(pistachio_connection *connection, const char *sql)
{
    pistachio_result *result;
    check_none(pistachio_query(connection, sql, NULL, &result));
    pistachio_result_free(result);
}

/* A file of ROWS rows. */
static const char *make_file(void)
{
    static char path[512], sql[2048];
    snprintf(path, sizeof path, "%s/rows.parquet", test_folder());
    snprintf(sql, sizeof sql, COPY_ROWS, path);
    run_alone(sql);
    return path;
}

typedef enum kind { DATABASE, CONNECTION, RESULT, BATCH, MADE_BATCH, KINDS } kind;

/* One of each; NULL: released. */
typedef struct world {
    pistachio_database *database;
    pistachio_connection *connection;
    pistachio_result *result; /* not at its end */
    const pistachio_batch *batch, *made;
    uint64_t rows_left; /* in the result */
} world;

static const pistachio_batch *next_batch(pistachio_result *result)
{
    const pistachio_batch *batch;
    check_none(pistachio_next(result, &batch));
    return batch;
}

static world open_world(const char *path, const char *device)
{
    const pistachio_option options[] = {{"threads", "2"}, {"device", device}};
    char sql[600];
    world w;
    pistachio_result *made;
    check_none(pistachio_open(options, 2, &w.database));
    check_none(pistachio_connect(w.database, &w.connection));
    check_none(pistachio_query(w.connection, "SHOW threads", NULL, &made));
    w.made = pistachio_batch_ref(next_batch(made));
    pistachio_result_free(made);
    snprintf(sql, sizeof sql, "SELECT x, s, 'a constant text that is not short' FROM '%s'", path);
    check_none(pistachio_query(w.connection, sql, NULL, &w.result));
    w.batch = pistachio_batch_ref(next_batch(w.result));
    w.rows_left = ROWS - pistachio_batch_rows(w.batch);
    return w;
}

static void check_batch(const pistachio_batch *batch)
{
    uint64_t rows = pistachio_batch_rows(batch);
    for (uint64_t row = 0; row < rows; row += rows / 3 + 1) {
        char expected[100];
        size_t bytes;
        const char *text = pistachio_text(batch, 0, row, &bytes);
        int length = snprintf(expected, sizeof expected, "%s%.*s", TEXT, (int)bytes, text);
        text = pistachio_text(batch, 1, row, &bytes);
        CHECK(bytes == (size_t)length && !memcmp(text, expected, bytes));
        text = pistachio_text(batch, 2, row, &bytes);
        CHECK(bytes == 33 && !memcmp(text, "a constant text that is not short", bytes));
    }
}

static void check_made(const pistachio_batch *batch)
{
    size_t bytes;
    const char *text = pistachio_text(batch, 0, 0, &bytes);
    CHECK(bytes == 7 && !memcmp(text, "threads", bytes));
}

/* Uses everything that is not released: it works. */
static void use(world *w)
{
    pistachio_connection *another;
    if (w->database) {
        check_none(pistachio_connect(w->database, &another));
        run(another, "SELECT 1");
        pistachio_disconnect(another);
    }
    if (w->connection)
        run(w->connection, "SELECT 2");
    if (w->batch)
        check_batch(w->batch);
    if (w->made)
        check_made(w->made);
    const pistachio_batch *next = w->result && w->rows_left > 17000 ? next_batch(w->result) : NULL;
    if (next) {
        check_batch(next);
        w->rows_left -= pistachio_batch_rows(next);
    }
}

static void release(void *all, unsigned what)
{
    world *w = all;
    switch (what) {
    case DATABASE:
        pistachio_close(w->database);
        w->database = NULL;
        break;
    case CONNECTION:
        pistachio_disconnect(w->connection);
        w->connection = NULL;
        break;
    case RESULT:
        pistachio_result_free(w->result);
        w->result = NULL;
        break;
    case BATCH:
        pistachio_batch_unref(w->batch);
        w->batch = NULL;
        break;
    default:
        pistachio_batch_unref(w->made);
        w->made = NULL;
    }
}

static bool next_order(unsigned *order)
{
    int i = KINDS - 2, j = KINDS - 1;
    while (i >= 0 && order[i] > order[i + 1])
        i--;
    if (i < 0)
        return false;
    while (order[j] < order[i])
        j--;
    unsigned t = order[i];
    order[i] = order[j];
    order[j] = t;
    for (int a = i + 1, b = KINDS - 1; a < b; a++, b--) {
        t = order[a];
        order[a] = order[b];
        order[b] = t;
    }
    return true;
}

/* Every step-th order. */
static void check_orders(const char *device, unsigned step)
{
    const char *path = make_file();
    unsigned order[KINDS] = {0, 1, 2, 3, 4}, count = 0;
    do {
        if (count++ % step)
            continue;
        world w = open_world(path, device);
        for (unsigned i = 0; i < KINDS; i++) {
            release(&w, order[i]);
            use(&w);
        }
    } while (next_order(order));
    CHECK_EQ(count, 120);
    pq_footer_cache_clear();
    column_cache_clear();
}

TEST(every_order_on_the_cpu)
{
    check_orders("cpu", test_has_less_to_do() ? 7 : 1);
}

/* Its streams are threads, which takes longer. */
TEST(orders_on_the_simulated_device)
{
    check_orders("simulated", test_has_less_to_do() ? 17 : 7);
}

/* ---- several threads ---- */

TEST(each_released_by_a_thread_of_its_own)
{
    const char *path = make_file();
    unsigned rounds = test_has_less_to_do() ? 20 : 40;
    for (unsigned round = 0; round < rounds; round++) {
        world w = open_world(path, round % 4 ? "cpu" : "simulated");
        release_by_threads(&w, KINDS, release);
    }
    pq_footer_cache_clear();
    column_cache_clear();
}

static void *cancel_all_the_time(void *argument)
{
    pistachio_connection *connection = argument;
    for (unsigned i = 0; i < 20000; i++) {
        uint64_t done, total;
        pistachio_cancel(connection);
        pistachio_progress(connection, &done, &total);
    }
    return NULL;
}

TEST(cancel_while_queries_start_and_end)
{
    const char *path = make_file();
    pistachio_database *database;
    pistachio_connection *connection;
    pthread_t canceller;
    char sql[600];
    unsigned cancelled = 0;
    snprintf(sql, sizeof sql, "SELECT count(*), max(s) FROM '%s'", path);
    check_none(pistachio_open(NULL, 0, &database));
    check_none(pistachio_connect(database, &connection));
    CHECK(!pthread_create(&canceller, NULL, cancel_all_the_time, connection));
    for (unsigned i = 0; i < 50; i++) {
        pistachio_result *result;
        const pistachio_batch *batch;
        pistachio_error *error = pistachio_query(connection, sql, NULL, &result);
        if (!error)
            error = pistachio_next(result, &batch);
        if (error)
            cancelled += pistachio_error_get_kind(error) == PISTACHIO_ERROR_CANCELLED;
        else
            CHECK(batch != NULL);
        pistachio_error_free(error);
        pistachio_result_free(result);
    }
    pthread_join(canceller, NULL);
    run(connection, sql); /* what came before it does not reach it */
    pistachio_disconnect(connection);
    pistachio_close(database);
    pq_footer_cache_clear();
    column_cache_clear();
    CHECK(cancelled <= 50);
}

/* ---- SET ---- */

static uint64_t count_rest(pistachio_result *result)
{
    const pistachio_batch *batch;
    uint64_t rows = 0;
    while ((batch = next_batch(result))) {
        check_batch(batch);
        rows += pistachio_batch_rows(batch);
    }
    return rows;
}

TEST(set_leaves_what_is_held)
{
    static const char *const sets[] = {"SET threads = 1",           "SET device = 'simulated'",
                                       "SET memory_limit = '64MB'", "SET isa = 'scalar'",
                                       "SET chunk_rows = 100",      "SET device = 'cpu'"};
    const char *path = make_file();
    world w = open_world(path, "cpu");
    const pistachio_batch *kept[6];
    for (unsigned i = 0; i < 6; i++) {
        pistachio_result *result;
        char sql[600];
        run(w.connection, sets[i]);
        check_batch(w.batch);
        snprintf(sql, sizeof sql, "SELECT x, s, 'a constant text that is not short' FROM '%s'",
                 path);
        check_none(pistachio_query(w.connection, sql, NULL, &result));
        kept[i] = pistachio_batch_ref(next_batch(result));
        if (i == 3)
            CHECK_EQ(pistachio_batch_rows(kept[i]) + count_rest(result), ROWS);
        pistachio_result_free(result);
    }
    CHECK_EQ(count_rest(w.result), w.rows_left); /* as it was begun */
    for (unsigned i = 0; i < KINDS; i++)
        release(&w, i);
    for (unsigned i = 0; i < 6; i++) {
        check_batch(kept[i]);
        pistachio_batch_unref(kept[i]);
    }
    pq_footer_cache_clear();
    column_cache_clear();
}

typedef struct client {
    pistachio_database *database;
    const char *path;
    bool sets;
    _Atomic unsigned failures;
} client;

static void *query_or_set(void *argument)
{
    client *c = argument;
    pistachio_connection *connection;
    char sql[600];
    snprintf(sql, sizeof sql, "SELECT count(*) FROM '%s' WHERE x >= 0", c->path);
    if (pistachio_connect(c->database, &connection)) {
        c->failures++;
        return NULL;
    }
    for (unsigned i = 0; i < 30; i++) {
        pistachio_result *result;
        const pistachio_batch *batch;
        size_t bytes;
        const char *set = i % 3 == 0   ? "SET threads = 3"
                          : i % 3 == 1 ? "SET isa = 'scalar'; "
                                       : "RESET threads";
        if (pistachio_query(connection, c->sets ? set : sql, NULL, &result)) {
            c->failures++;
            continue;
        }
        if (!c->sets) {
            bool is_right = !pistachio_next(result, &batch) && batch;
            const char *text = is_right ? pistachio_text(batch, 0, 0, &bytes) : NULL;
            c->failures += !(text && bytes == 5 && !memcmp(text, "40000", 5));
        }
        pistachio_result_free(result);
    }
    pistachio_disconnect(connection);
    return NULL;
}

TEST(set_while_others_query)
{
    client clients[3] = {{.path = make_file()}};
    pthread_t threads[3];
    pistachio_database *database;
    check_none(pistachio_open(NULL, 0, &database));
    for (unsigned i = 0; i < 3; i++) {
        clients[i] = (client){.database = database, .path = clients[0].path, .sets = i == 2};
        CHECK(!pthread_create(&threads[i], NULL, query_or_set, &clients[i]));
    }
    for (unsigned i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    pistachio_close(database);
    pq_footer_cache_clear();
    column_cache_clear();
    for (unsigned i = 0; i < 3; i++)
        CHECK_EQ(clients[i].failures, 0);
}
