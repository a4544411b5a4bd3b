/* test_read_ahead.c - what queries hold of what they read ahead: one budget for the process,
 * shared, and nothing when they are over, whichever way they end.
 *
 * test_label: threads
 * test_cost: 30 */
#include "exec/scan/scan_ahead.h"
#include "parquet/write/writer.h"
#include "pistachio/pistachio.h"
#include "test.h"

enum { GROUPS = 48, ROWS = 32768, GROUP_BYTES = ROWS * 8, QUERIES = 3 };

static char path[512];

/* Row groups of 256 KiB that do not compress. */
static void write_file(void)
{
    static int64_t values[ROWS];
    pq_column_schema column = {.name = "x", .type = type_make(TYPE_INT64)};
    pq_writer_options options = pq_writer_options_default();
    pq_writer *writer;
    uint64_t state = 1;
    options.codec = PQ_CODEC_NONE;
    snprintf(path, sizeof path, "%s/t.parquet", test_folder());
    CHECK_OK(pq_writer_open(path, &column, 1, &options, &writer));
    for (int g = 0; g < GROUPS; g++) {
        for (int i = 0; i < ROWS; i++)
            values[i] = (int64_t)(state = state * 6364136223846793005 + 1442695040888963407);
        CHECK_OK(pq_writer_write(writer, (pq_column_values[]){{values, NULL}}, ROWS));
    }
    CHECK_OK(pq_writer_finish(writer));
}

static pistachio_database *open_database(const char *setting, const char *value,
                                         pistachio_connection **connection)
{
    pistachio_option options[] = {{"threads", "1"},
                                  {"direct_io", "always"},
                                  {"read_ahead", "4MiB"},
                                  {"cache_memory", "0"}, /* what was decoded is read again */
                                  {setting, value}};
    pistachio_database *database;
    CHECK(!pistachio_open(options, setting ? 5 : 4, &database));
    CHECK(!pistachio_connect(database, connection));
    CHECK(!pistachio_add_table(*connection, "t", path));
    return database;
}

static uint64_t read_rows(pistachio_result *result, uint64_t most)
{
    const pistachio_batch *batch;
    uint64_t rows = 0;
    while (rows < most && !pistachio_next(result, &batch) && batch)
        rows += pistachio_batch_rows(batch);
    return rows;
}

/* Each may have a part of a row group more than its share: the one it needs. */
TEST(queries_share_one_budget)
{
    pistachio_database *databases[QUERIES];
    pistachio_connection *connections[QUERIES];
    pistachio_result *results[QUERIES];
    write_file();
    for (int q = 0; q < QUERIES; q++) {
        databases[q] = open_database(NULL, NULL, &connections[q]);
        CHECK(!pistachio_query(connections[q], "select x from t", NULL, &results[q]));
    }
    uint64_t rows[QUERIES] = {0}, most = 0;
    for (int turn = 1; turn <= GROUPS; turn++)
        for (int q = 0; q < QUERIES; q++) {
            rows[q] += read_rows(results[q], ROWS);
            uint64_t held = scan_ahead_process_bytes();
            most = held > most ? held : most;
        }
    CHECK(most > GROUP_BYTES);
    CHECK(most <= (4 << 20) + (uint64_t)QUERIES * 2 * (GROUP_BYTES + (64 << 10)));
    for (int q = 0; q < QUERIES; q++) {
        rows[q] += read_rows(results[q], UINT64_MAX);
        CHECK_EQ(rows[q], (uint64_t)GROUPS * ROWS);
        pistachio_result_free(results[q]);
        pistachio_disconnect(connections[q]);
        pistachio_close(databases[q]);
    }
    CHECK_EQ(scan_ahead_process_bytes(), 0);
}

/* Runs a query with direct reads and a setting; the text of its rows, a line each. */
static void run_text(const char *sql, const char *setting, const char *value, char *out,
                     size_t room)
{
    pistachio_connection *connection;
    pistachio_result *result;
    const pistachio_batch *batch;
    size_t length = 0, bytes;
    pistachio_database *database = open_database(setting, value, &connection);
    CHECK(!pistachio_query(connection, sql, NULL, &result));
    while (!pistachio_next(result, &batch) && batch)
        for (uint64_t row = 0; row < pistachio_batch_rows(batch); row++) {
            const char *text = pistachio_text(batch, 0, row, &bytes);
            length += (size_t)snprintf(out + length, room - length, "%.*s\n", (int)bytes, text);
            CHECK(length < room);
        }
    pistachio_result_free(result);
    pistachio_disconnect(connection);
    pistachio_close(database);
    CHECK_EQ(scan_ahead_process_bytes(), 0);
}

TEST(statements_without_a_scan_run_however_scans_read)
{
    static const char *const settings[][2] = {{"reader_combining", "off"},
                                              {"overlap", "deferred"},
                                              {"overlap", "chunking"},
                                              {"overlap", "blocking"}};
    write_file();
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        char rows[64];
        run_text("select 1", settings[i][0], settings[i][1], rows, sizeof rows);
        CHECK(!strcmp(rows, "1\n"));
    }
}

TEST(without_reading_ahead_scans_end_however_they_read)
{
    static const char *const overlaps[] = {"blocking", "chunking", "deferred", "full"};
    write_file();
    for (size_t i = 0; i < sizeof overlaps / sizeof *overlaps; i++) {
        pistachio_connection *connection;
        pistachio_result *result;
        pistachio_database *database = open_database("overlap", overlaps[i], &connection);
        CHECK(!pistachio_query(connection, "set read_ahead = 0", NULL, &result));
        pistachio_result_free(result);
        CHECK(!pistachio_query(connection, "select x from t", NULL, &result));
        CHECK_EQ(read_rows(result, UINT64_MAX), (uint64_t)GROUPS * ROWS);
        pistachio_result_free(result);
        pistachio_disconnect(connection);
        pistachio_close(database);
    }
}

/* However little keeps the storage busy: 8 MiB, when a scan begins. */
TEST(blocking_reads_all_that_it_may_before_it_computes)
{
    pistachio_connection *connection;
    pistachio_result *result;
    write_file();
    pistachio_database *database = open_database("overlap", "blocking", &connection);
    CHECK(!pistachio_query(connection, "set read_ahead = '16MiB'", NULL, &result));
    pistachio_result_free(result);
    CHECK(!pistachio_query(connection, "select x from t", NULL, &result));
    CHECK(read_rows(result, 1) > 0);
    CHECK(scan_ahead_process_bytes() > (uint64_t)(GROUPS - 8) * GROUP_BYTES);
    pistachio_result_free(result);
    CHECK_EQ(scan_ahead_process_bytes(), 0);
    pistachio_disconnect(connection);
    pistachio_close(database);
}

TEST(a_query_that_is_given_up_holds_nothing)
{
    static const char *const settings[][2] = {{"reader_combining", "off"},
                                              {"registered_memory", "off"},
                                              {"adaptive_regulation", "off"},
                                              {"overlap", "deferred"},
                                              {"overlap", "blocking"}};
    write_file();
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        pistachio_connection *connection;
        pistachio_result *result;
        pistachio_database *database = open_database(settings[i][0], settings[i][1], &connection);
        CHECK(!pistachio_query(connection, "select x from t", NULL, &result));
        CHECK(read_rows(result, 1) > 0);
        CHECK(scan_ahead_process_bytes() > 0);
        pistachio_result_free(result);
        CHECK_EQ(scan_ahead_process_bytes(), 0);
        pistachio_disconnect(connection);
        pistachio_close(database);
    }
}

#define SELF_JOIN "select count(*) from t a join t b on a.x = b.x"

/* "... read 12.6 MB from storage, 12.6 MB in total; 11.5 MB were kept and used again": the first
 * and the last, 0 if it does not say. */
static void read_megabytes(const char *setting, const char *value, double *out_read,
                           double *out_kept)
{
    static char text[16384];
    run_text("explain analyze " SELF_JOIN, setting, value, text, sizeof text);
    const char *line = strstr(text, "\nread ");
    const char *end = line ? strchr(line + 1, '\n') : NULL;
    const char *kept = line ? strstr(line, "total; ") : NULL;
    CHECK(end != NULL);
    *out_read = strtod(line + strlen("\nread "), NULL);
    *out_kept = kept && kept < end ? strtod(kept + strlen("total; "), NULL) : 0;
}

TEST(what_two_scans_want_is_read_once)
{
    double all = (double)GROUPS * GROUP_BYTES / 1e6, read, kept;
    char rows[64], expected[64];
    write_file();
    snprintf(expected, sizeof expected, "%d\n", GROUPS * ROWS);

    /* All but what the first scan still works on when the second one begins. */
    run_text(SELF_JOIN, "adaptive_regulation", "off", rows, sizeof rows);
    CHECK(!strcmp(rows, expected));
    if (test_has_less_to_do())
        return;
    read_megabytes("adaptive_regulation", "off", &read, &kept);
    CHECK(kept > all / 2);
    CHECK(read < all * 1.6);
    CHECK(read + kept > all * 2);

    run_text(SELF_JOIN, "reader_combining", "off", rows, sizeof rows);
    CHECK(!strcmp(rows, expected));
    read_megabytes("reader_combining", "off", &read, &kept);
    CHECK_EQ(kept, 0.0);
    CHECK(read > all * 2);
}

/* An eighth of the limit at a time, and nothing from when the join spills. */
TEST(little_memory_keeps_little)
{
    double all = (double)GROUPS * GROUP_BYTES / 1e6, read, kept;
    char rows[64], expected[64];
    write_file();
    snprintf(expected, sizeof expected, "%d\n", GROUPS * ROWS);
    CHECK_EQ(setenv("PISTACHIO_ADAPTIVE_REGULATION", "off", 1), 0);
    run_text(SELF_JOIN, "memory_limit", "32MiB", rows, sizeof rows);
    CHECK(!strcmp(rows, expected));
    if (!test_has_less_to_do()) {
        read_megabytes("memory_limit", "32MiB", &read, &kept);
        CHECK(kept <= all - 4.2);
        CHECK(read + kept > all * 2);
    }
    unsetenv("PISTACHIO_ADAPTIVE_REGULATION");
}
