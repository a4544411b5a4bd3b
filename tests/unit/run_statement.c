/* run_statement.c - a statement through the public interface, its rows as text. */
#include "run_statement.h"

#include "exec/scan/column_cache.h"
#include "parquet/table/footer.h"
#include "test.h"

#include <pthread.h>

pistachio_error *run_statement(const char *sql, const char *table_path, const char *device,
                               char *rows, size_t room)
{
    pistachio_option options[] = {{"threads", "2"}, {"device", device}};
    pistachio_database *database = NULL;
    pistachio_connection *connection = NULL;
    pistachio_result *result = NULL;
    size_t length = 0;
    rows[0] = '\0';
    pistachio_error *error = pistachio_open(options, 2, &database);
    if (!error)
        error = pistachio_connect(database, &connection);
    if (!error && table_path)
        error = pistachio_add_table(connection, "t", table_path);
    if (!error)
        error = pistachio_query(connection, sql, NULL, &result);
    while (!error && result) {
        const pistachio_batch *batch;
        error = pistachio_next(result, &batch);
        if (error || !batch)
            break;
        for (uint64_t row = 0; row < pistachio_batch_rows(batch); row++)
            for (uint32_t c = 0; c < pistachio_column_count(result); c++) {
                size_t bytes;
                const char *text = pistachio_text(batch, c, row, &bytes);
                CHECK_EQ(!text, pistachio_is_null(batch, c, row));
                if (length < room)
                    length += (size_t)snprintf(rows + length, room - length, "%.*s;",
                                               text ? (int)bytes : 1, text ? text : "-");
            }
    }
    CHECK(length < room);
    pistachio_result_free(result);
    pistachio_disconnect(connection);
    pistachio_close(database);
    pq_footer_cache_clear();
    column_cache_clear();
    return error;
}

void run_check_none(const char *file, int line, pistachio_error *error)
{
    if (error)
        test_fail(file, line, "%s", pistachio_error_message(error));
}

void run_alone(const char *sql)
{
    pistachio_database *database;
    pistachio_connection *connection;
    pistachio_result *result;
    check_none(pistachio_open(NULL, 0, &database));
    check_none(pistachio_connect(database, &connection));
    check_none(pistachio_query(connection, sql, NULL, &result));
    pistachio_result_free(result);
    pistachio_disconnect(connection);
    pistachio_close(database);
}

typedef struct releaser {
    void *world;
    void (*release)(void *world, unsigned what);
    unsigned what;
    pthread_barrier_t *start;
} releaser;

static void *release_one(void *argument)
{
    releaser *r = argument;
    pthread_barrier_wait(r->start);
    r->release(r->world, r->what);
    return NULL;
}

#define RELEASERS_MAX 16

void release_by_threads(void *world, unsigned count, void (*release)(void *world, unsigned what))
{
    pthread_barrier_t start;
    pthread_t threads[RELEASERS_MAX];
    releaser releasers[RELEASERS_MAX];
    CHECK(count <= RELEASERS_MAX);
    pthread_barrier_init(&start, NULL, count);
    for (unsigned i = 0; i < count; i++) {
        releasers[i] = (releaser){world, release, i, &start};
        CHECK(!pthread_create(&threads[i], NULL, release_one, &releasers[i]));
    }
    for (unsigned i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    pthread_barrier_destroy(&start);
}
