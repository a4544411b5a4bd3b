/* Columns of few entries as Arrow: what their rows are, for every type whose values are made, with each allocation
 * failing; and that the first batch is there when its rows are. */
#include "base/fault.h"
#include "exec/scan/column_cache.h"
#include "parquet/table/footer.h"
#include "pistachio/pistachio.h"
#include "run_statement.h"
#include "test.h"

#define LONG "a text that does not lie in its view"
#define ROWS 300
/* Row x, NULL in each third: texts of which one is long, bytes, decimals of 8 and of 16 bytes; and numbers. */
#define OF_ROW(value) "CASE WHEN x % 3 = 1 THEN NULL WHEN x % 2 = 0 THEN " value " END AS "
#define QUERY                                                                                      \
    "SELECT " OF_ROW("'" LONG "' ELSE 'x'") "s, " OF_ROW(                                          \
        "'" LONG                                                                                   \
        "'::blob ELSE 'y'::blob") "b, " OF_ROW("-7.25::decimal(9,2) ELSE 1.5") "d, " OF_ROW("-7."  \
                                                                                            "25::" \
                                                                                            "deci" \
                                                                                            "mal(" \
                                                                                            "30,"  \
                                                                                            "2) "  \
                                                                                            "ELSE" \
                                                                                            " 1."  \
                                                                                            "5") "w, (x % 5)::bigint AS i FROM generate_series(0, 299) AS t(x)"
enum { TEXT, BYTES, DECIMAL, WIDE, INTEGER, COLUMNS };

/* A file with the query's rows: all but the last column have a dictionary of two entries. */
static const char *make_file(void)
{
    static char path[512], sql[1024];
    snprintf(path, sizeof path, "%s/entries.parquet", test_folder());
    snprintf(sql, sizeof sql, "COPY (%s ORDER BY x) TO '%s'", QUERY, path);
    run_alone(sql);
    return path;
}

static bool is_valid(const struct ArrowArray *column, int row)
{
    const uint8_t *valid = column->buffers[0];
    return !valid || valid[row / 8] >> (row % 8) & 1;
}

static void check_text(const struct ArrowArray *column, int row, const char *expected)
{
    const int32_t *view = (const int32_t *)column->buffers[1] + (size_t)row * 4;
    int32_t bytes = (int32_t)strlen(expected);
    CHECK_EQ(view[0], bytes);
    const char *text = bytes <= 12 ? (const char *)(view + 1)
                                   : (const char *)column->buffers[2 + view[2]] + view[3];
    CHECK(!memcmp(text, expected, (size_t)bytes));
}

static void check_decimal(const struct ArrowArray *column, unsigned words, int row,
                          int64_t expected)
{
    const int64_t *value = (const int64_t *)column->buffers[1] + (size_t)row * words;
    CHECK_EQ(value[0], expected);
    CHECK(words == 1 || value[1] == (expected < 0 ? -1 : 0));
}

/* `first`: the number of the first row; each `step` further ones. */
static void check_rows(const struct ArrowArray *rows, bool is_narrow, int first, int step)
{
    struct ArrowArray *const *c = rows->children;
    static const int64_t none[2];
    for (int at = 0; at < rows->length; at++) {
        int row = first + at * step;
        CHECK_EQ(((const int64_t *)c[INTEGER]->buffers[1])[at], row % 5);
        for (int k = 0; k < INTEGER; k++)
            CHECK_EQ(is_valid(c[k], at), row % 3 != 1);
        if (row % 3 == 1) { /* zeroes */
            CHECK(!memcmp((const char *)c[TEXT]->buffers[1] + at * 16, none, 16));
            CHECK(!memcmp((const char *)c[WIDE]->buffers[1] + at * 16, none, 16));
            continue;
        }
        check_text(c[TEXT], at, row % 2 ? "x" : LONG);
        check_text(c[BYTES], at, row % 2 ? "y" : LONG);
        check_decimal(c[DECIMAL], is_narrow ? 1 : 2, at, row % 2 ? 150 : -725);
        check_decimal(c[WIDE], 2, at, row % 2 ? 150 : -725);
    }
}

/* One batch of the file's rows, for the statement's WHERE. */
static pistachio_error *take(const char *path, const char *decimal, const char *device,
                             const char *where, struct ArrowArray *out)
{
    const pistachio_option options[] = {
        {"threads", "1"}, {"device", device}, {"arrow_decimal", decimal}};
    char sql[600];
    pistachio_database *database;
    pistachio_connection *connection = NULL;
    pistachio_result *result;
    struct ArrowArrayStream stream;
    *out = (struct ArrowArray){0};
    snprintf(sql, sizeof sql, "SELECT s, b, d, w, i FROM '%s' %s", path, where);
    pistachio_error *error = pistachio_open(options, 3, &database);
    if (!error)
        error = pistachio_connect(database, &connection);
    if (!error)
        error = pistachio_query(connection, sql, NULL, &result);
    if (!error) {
        error = pistachio_arrow_stream(result, &stream);
        if (error) {
            pistachio_result_free(result);
        } else {
            (void)stream.get_next(&stream, out); /* failed: it gives nothing */
            stream.release(&stream);
        }
    }
    pistachio_disconnect(connection);
    pistachio_close(database);
    return error;
}

static void check_file(const char *device)
{
    const char *path = make_file();
    struct ArrowArray rows;
    for (int is_narrow = 0; is_narrow < 2; is_narrow++) {
        check_none(take(path, is_narrow ? "64" : "128", device, "", &rows));
        CHECK_EQ(rows.length, ROWS);
        check_rows(&rows, is_narrow, 0, 1);
        rows.release(&rows);
        /* Fewer rows than entries pay for. */
        check_none(take(path, is_narrow ? "64" : "128", device, "WHERE i = 3 LIMIT 6", &rows));
        CHECK_EQ(rows.length, 6);
        check_rows(&rows, is_narrow, 3, 5);
        rows.release(&rows);
    }
    pq_footer_cache_clear();
    column_cache_clear();
}

TEST(rows_of_few_entries)
{
    check_file("cpu");
}

TEST(rows_of_few_entries_on_the_simulated_device)
{
    check_file("simulated");
}

/* False: there was no nth allocation. */
static bool fails_cleanly(const char *path, uint64_t nth, fault_mode mode)
{
    struct ArrowArray rows;
    uint64_t blocks = mem_in_use();
    fault_arm(FAULT_ALLOC, nth, mode);
    pistachio_error *error = take(path, "128", "cpu", "", &rows);
    bool has_fired = fault_disarm(FAULT_ALLOC);
    if (error)
        CHECK_EQ((int)pistachio_error_get_kind(error), (int)PISTACHIO_ERROR_NO_MEMORY);
    pistachio_error_free(error);
    CHECK(has_fired || rows.release);
    if (rows.release) {
        check_rows(&rows, false, 0, 1);
        rows.release(&rows);
    }
    pq_footer_cache_clear();
    column_cache_clear();
    CHECK_EQ(mem_in_use(), blocks);
    return has_fired;
}

TEST(each_allocation_may_fail)
{
    const char *path = make_file();
    unsigned part = test_has_less_to_do() ? 10 : 60;
    pq_footer_cache_clear();
    column_cache_clear();
    for (int mode = FAULT_ONCE; mode <= FAULT_ALWAYS; mode++)
        for (uint64_t nth = 1; fails_cleanly(path, nth, (fault_mode)mode);)
            nth += 1 + nth / part;
}

/* Batches of 16,384 rows and 8 columns of as many bytes: the query is left with the first, not with as many as it may
 * keep ready. */
TEST(the_first_batch_is_not_waited_for)
{
    const pistachio_option options[] = {{"threads", "1"}};
    pistachio_database *database;
    pistachio_connection *connection;
    pistachio_result *result;
    const pistachio_batch *batch;
    check_none(pistachio_open(options, 1, &database));
    check_none(pistachio_connect(database, &connection));
    check_none(pistachio_query(connection,
                               "SELECT i, i + 1, i + 2, i + 3, i + 4, i + 5, i + 6, i + 7 FROM "
                               "generate_series(1, 1000000) AS t(i)",
                               NULL, &result));
    check_none(pistachio_next(result, &batch));
    CHECK(batch != NULL);
    CHECK(pistachio_memory_peak(connection) < 6u << 20);
    uint64_t rows = 0;
    for (; batch; check_none(pistachio_next(result, &batch)))
        rows += pistachio_batch_rows(batch);
    CHECK_EQ(rows, 1000000);
    pistachio_result_free(result);
    pistachio_disconnect(connection);
    pistachio_close(database);
}
