/* Tests of what ADBC tells of a database, its options and bulk ingest, under the sanitizers: every wrong order,
 * arrays that are released apart, allocations that fail. Contents: tests/clients. */
#include "adbc_test.h"
#include "arrow_feed.h"
#include "base/fault.h"
#include "test.h"

static void open_all(void)
{
    struct AdbcError error = ADBC_ERROR_INIT;
    adbc_open();
    CHECK(!driver.DatabaseSetOptionInt(&database, "pistachio.threads", 1, &error));
}

static const int32_t numbers[] = {7, 8, 9};
static const arrow_feed_column columns[] = {{"i", "x", {NULL, numbers}, 2, 3, 0, 0, NULL}};
static const char *folder;

static void open_folder(void)
{
    struct AdbcError error = ADBC_ERROR_INIT;
    folder = test_folder();
    open_all();
    CHECK(!driver.ConnectionNew(&connection, &error));
}

/* The database has a folder with one file. */
static void connect_all(void)
{
    struct AdbcError error = ADBC_ERROR_INIT;
    char path[600];
    pistachio_database *d;
    pistachio_connection *c;
    pistachio_result *result;
    snprintf(path, sizeof path, "COPY (SELECT 1 AS i, 'a' AS s) TO '%s/one.parquet'", folder);
    CHECK(!pistachio_open(NULL, 0, &d));
    CHECK(!pistachio_connect(d, &c));
    CHECK(!pistachio_query(c, path, NULL, &result));
    pistachio_result_free(result);
    pistachio_disconnect(c);
    pistachio_close(d);
    CHECK(!driver.DatabaseSetOption(&database, "path", folder, &error));
    AdbcStatusCode code = driver.DatabaseInit(&database, &error);
    if (code)
        test_fail(__FILE__, __LINE__, "%s", error.message);
    CHECK(!driver.ConnectionInit(&connection, &database, &error));
    CHECK(!driver.StatementNew(&connection, &statement, &error));
}

/* ---- options ---- */

TEST(options_of_four_types)
{
    struct AdbcError error = ADBC_ERROR_INIT;
    char text[8];
    uint8_t bytes[8];
    size_t length = sizeof text;
    int64_t number;
    double real;
    open_all();
    CHECK(!driver.DatabaseGetOption(&database, "pistachio.threads", text, &length, &error));
    CHECK_TEXT_EQ(text, "1");
    CHECK_EQ(length, 2);
    length = 1; /* too small: nothing is written */
    memset(text, 'x', sizeof text);
    CHECK(!driver.DatabaseGetOption(&database, "pistachio.threads", text, &length, &error));
    CHECK(text[0] == 'x' && length == 2);
    length = sizeof bytes;
    CHECK(!driver.DatabaseGetOptionBytes(&database, "pistachio.threads", bytes, &length, &error));
    CHECK(length == 1 && bytes[0] == '1');
    CHECK(!driver.DatabaseGetOptionInt(&database, "pistachio.threads", &number, &error));
    CHECK_EQ(number, 1);
    CHECK(!driver.DatabaseSetOptionDouble(&database, "pistachio.device", 1.5, &error));
    CHECK(!driver.DatabaseGetOptionDouble(&database, "pistachio.device", &real, &error));
    CHECK_EQ(real, 1.5);
    adbc_fails(driver.DatabaseGetOptionInt(&database, "pistachio.device", &number, &error),
               ADBC_STATUS_INVALID_ARGUMENT, &error, "not a number");
    adbc_fails(driver.DatabaseSetOptionBytes(&database, "path", (const uint8_t *)"a\0b", 3, &error),
               ADBC_STATUS_INVALID_ARGUMENT, &error, "not text");
    adbc_fails(driver.DatabaseSetOption(&database, NULL, "1", &error), ADBC_STATUS_INVALID_ARGUMENT,
               &error, "no name");
    adbc_fails(driver.DatabaseGetOption(&database, "path", text, NULL, &error),
               ADBC_STATUS_INVALID_ARGUMENT, &error, "no room");
    adbc_fails(driver.DatabaseGetOption(&database, "nonsense", text, &length, &error),
               ADBC_STATUS_NOT_FOUND, &error, "nonsense");
    adbc_fails(driver.DatabaseInit(&database, &error), ADBC_STATUS_INVALID_ARGUMENT, &error,
               "device");
    CHECK(!driver.DatabaseRelease(&database, &error));
    adbc_fails(driver.DatabaseSetOptionInt(&database, "pistachio.threads", 1, &error),
               ADBC_STATUS_INVALID_STATE, &error, "released");
    adbc_fails(driver.StatementGetOption(&statement, "x", text, &length, &error),
               ADBC_STATUS_INVALID_STATE, &error, "released");
    adbc_close();
}

/* The memory that clients hold is asked for like an option, and cannot be set. */
TEST(memory_that_arrays_hold)
{
    struct AdbcError error = ADBC_ERROR_INIT;
    struct ArrowArrayStream stream;
    struct ArrowArray rows;
    int64_t held;
    open_folder();
    connect_all();
    CHECK(!driver.ConnectionGetOptionInt(&connection, "pistachio.memory_exported", &held, &error));
    CHECK_EQ(held, 0);
    CHECK(!driver.StatementSetSqlQuery(&statement,
                                       "SELECT x FROM generate_series(1, 10000) AS t(x)", &error));
    CHECK(!driver.StatementExecuteQuery(&statement, &stream, NULL, &error));
    CHECK(!stream.get_next(&stream, &rows));
    stream.release(&stream);
    CHECK(!driver.ConnectionGetOptionInt(&connection, "pistachio.memory_exported", &held, &error));
    CHECK(held >= rows.length * 4);
    rows.release(&rows);
    CHECK(!driver.ConnectionGetOptionInt(&connection, "pistachio.memory_exported", &held, &error));
    CHECK_EQ(held, 0);
    CHECK(!driver.ConnectionGetOptionInt(&connection, "pistachio.memory_peak", &held, &error));
    CHECK(held > 0);
    adbc_fails(driver.ConnectionSetOptionInt(&connection, "pistachio.memory_exported", 1, &error),
               ADBC_STATUS_NOT_FOUND, &error, "memory_exported");
    adbc_fails(driver.ConnectionGetOptionInt(&connection, "pistachio.memory", &held, &error),
               ADBC_STATUS_NOT_FOUND, &error, "memory");
    adbc_close();
}

/* ---- the catalog ---- */

static void release_apart(struct ArrowArrayStream *stream)
{
    struct ArrowSchema first, second;
    struct ArrowArray array, child;
    CHECK(!stream->get_schema(stream, &first));
    CHECK(!stream->get_schema(stream, &second)); /* as often as one likes */
    CHECK(!stream->get_next(stream, &array));
    CHECK(array.release != NULL);
    stream->release(stream);
    child = *array.children[array.n_children - 1]; /* moved out */
    array.children[array.n_children - 1]->release = NULL;
    array.release(&array);
    CHECK_EQ(child.length >= 0, true);
    child.release(&child);
    first.release(&first);
    second.release(&second);
}

TEST(answers_about_the_catalog)
{
    struct AdbcError error = ADBC_ERROR_INIT;
    struct ArrowArrayStream stream;
    const uint32_t codes[] = {ADBC_INFO_DRIVER_NAME, 77};
    const char *types[] = {"table", NULL};
    open_folder();
    adbc_fails(driver.ConnectionGetInfo(&connection, NULL, 0, &stream, &error),
               ADBC_STATUS_INVALID_STATE, &error, "not open");
    adbc_fails(driver.ConnectionGetTableTypes(&connection, &stream, &error),
               ADBC_STATUS_INVALID_STATE, &error, "not open");
    adbc_fails(driver.ConnectionGetStatistics(&connection, NULL, NULL, NULL, 1, &stream, &error),
               ADBC_STATUS_INVALID_STATE, &error, "not open");
    connect_all();
    CHECK(!driver.ConnectionGetInfo(&connection, codes, 2, &stream, &error));
    release_apart(&stream);
    CHECK(!driver.ConnectionGetInfo(&connection, NULL, 0, &stream, &error));
    release_apart(&stream);
    CHECK(!driver.ConnectionGetTableTypes(&connection, &stream, &error));
    release_apart(&stream);
    for (int depth = 0; depth < 4; depth++) {
        CHECK(!driver.ConnectionGetObjects(&connection, depth, NULL, "%", "o%", types, NULL,
                                           &stream, &error));
        release_apart(&stream);
    }
    adbc_fails(
        driver.ConnectionGetObjects(&connection, 4, NULL, NULL, NULL, NULL, NULL, &stream, &error),
        ADBC_STATUS_INVALID_ARGUMENT, &error, "depth 4");
    CHECK(!driver.ConnectionGetStatistics(&connection, NULL, NULL, NULL, 1, &stream, &error));
    release_apart(&stream);
    CHECK(!driver.ConnectionGetStatisticNames(&connection, &stream, &error));
    release_apart(&stream);
    adbc_close();
}

TEST(each_allocation_of_an_answer_may_fail)
{
    struct AdbcError error = ADBC_ERROR_INIT;
    open_folder();
    connect_all();
    for (int which = 0; which < 3; which++)
        for (uint64_t nth = 1;; nth += 1 + nth / 20) {
            struct ArrowArrayStream stream = {0};
            fault_arm(FAULT_ALLOC, nth, FAULT_ONCE);
            AdbcStatusCode code =
                which == 0   ? driver.ConnectionGetInfo(&connection, NULL, 0, &stream, &error)
                : which == 1 ? driver.ConnectionGetObjects(&connection, 0, NULL, NULL, NULL, NULL,
                                                           NULL, &stream, &error)
                             : driver.ConnectionGetStatistics(&connection, NULL, NULL, NULL, 1,
                                                              &stream, &error);
            bool has_fired = fault_disarm(FAULT_ALLOC);
            CHECK(has_fired || !code);
            if (!code)
                stream.release(&stream);
            else if (error.release)
                error.release(&error);
            if (!has_fired)
                break;
        }
    adbc_close();
}

/* ---- ingest ---- */

static AdbcStatusCode ingest(const char *table, const char *mode, arrow_feed *feed,
                             struct AdbcError *error)
{
    int64_t rows = 0;
    struct ArrowArrayStream stream = arrow_feed_open(feed);
    CHECK(!driver.StatementSetOption(&statement, ADBC_INGEST_OPTION_TARGET_TABLE, table, error));
    CHECK(!driver.StatementSetOption(&statement, ADBC_INGEST_OPTION_MODE, mode, error));
    CHECK(!driver.StatementBindStream(&statement, &stream, error));
    AdbcStatusCode code = driver.StatementExecuteQuery(&statement, NULL, &rows, error);
    CHECK(code || rows == feed->length * feed->arrays);
    CHECK_EQ(feed->open, 0);
    return code;
}

TEST(ingest_in_each_order)
{
    struct AdbcError error = ADBC_ERROR_INIT;
    arrow_feed feed = {.columns = columns, .column_count = 1, .length = 3, .arrays = 2};
    open_folder();
    connect_all();
    CHECK(!driver.StatementSetOption(&statement, ADBC_INGEST_OPTION_TARGET_TABLE, "two", &error));
    adbc_fails(driver.StatementExecuteQuery(&statement, NULL, NULL, &error),
               ADBC_STATUS_INVALID_STATE, &error, "no rows are bound");
    CHECK(!ingest("two", ADBC_INGEST_OPTION_MODE_CREATE, &feed, &error));
    adbc_fails(ingest("two", ADBC_INGEST_OPTION_MODE_CREATE, &feed, &error),
               ADBC_STATUS_ALREADY_EXISTS, &error, "exists");
    CHECK(!ingest("two", ADBC_INGEST_OPTION_MODE_REPLACE, &feed, &error));
    adbc_fails(ingest("two", ADBC_INGEST_OPTION_MODE_APPEND, &feed, &error),
               ADBC_STATUS_NOT_IMPLEMENTED, &error, "one file");
    adbc_fails(ingest("nosuch", ADBC_INGEST_OPTION_MODE_APPEND, &feed, &error),
               ADBC_STATUS_NOT_FOUND, &error, "nosuch");
    adbc_fails(driver.StatementSetOption(&statement, ADBC_INGEST_OPTION_MODE, "adbc.ingest.mode.x",
                                         &error),
               ADBC_STATUS_INVALID_ARGUMENT, &error, "mode.x");
    adbc_fails(
        driver.StatementSetOption(&statement, ADBC_INGEST_OPTION_TARGET_CATALOG, "c", &error),
        ADBC_STATUS_NOT_IMPLEMENTED, &error, "no catalogs");
    /* A query takes the table's place. */
    CHECK(!driver.StatementSetSqlQuery(&statement, "SELECT 1", &error));
    CHECK(!driver.StatementExecuteQuery(&statement, NULL, NULL, &error));
    adbc_close();
}

static bool has_file(const char *name)
{
    char path[600];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "r");
    if (f)
        fclose(f);
    return f;
}

TEST(each_write_of_an_ingest_may_fail)
{
    struct AdbcError error = ADBC_ERROR_INIT;
    arrow_feed feed = {.columns = columns, .column_count = 1, .length = 3, .arrays = 2};
    open_folder();
    connect_all();
    for (uint64_t nth = 1;; nth++) {
        fault_arm(FAULT_WRITE, nth, FAULT_ONCE);
        AdbcStatusCode code = ingest("broken", ADBC_INGEST_OPTION_MODE_CREATE, &feed, &error);
        if (!fault_disarm(FAULT_WRITE)) {
            CHECK(!code);
            break;
        }
        adbc_fails(code, ADBC_STATUS_IO, &error, "broken.parquet");
        CHECK(!has_file("broken.parquet"));
    }
    CHECK(has_file("broken.parquet"));
    adbc_close();
}

TEST(an_empty_folder_is_a_database)
{
    struct AdbcError error = ADBC_ERROR_INIT;
    arrow_feed feed = {.columns = columns, .column_count = 1, .length = 3, .arrays = 1};
    open_folder();
    CHECK(!driver.DatabaseSetOption(&database, "path", folder, &error));
    CHECK(!driver.DatabaseInit(&database, &error));
    CHECK(!driver.ConnectionInit(&connection, &database, &error));
    CHECK(!driver.StatementNew(&connection, &statement, &error));
    CHECK(!ingest("two", ADBC_INGEST_OPTION_MODE_CREATE, &feed, &error));
    CHECK(has_file("two.parquet"));
    adbc_close();
}
