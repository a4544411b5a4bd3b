/* Prepared statements: parameters of each style, their types, executions again and again; sessions;
 * memory that was handed out. Expected answers by hand.
 *
 * test_label: threads */
#include "exec/scan/column_cache.h"
#include "parquet/table/footer.h"
#include "pistachio/pistachio.h"
#include "run_statement.h"
#include "test.h"

#include <pthread.h>

static pistachio_database *database;
static pistachio_connection *connection;

static void open_all(void)
{
    CHECK(!pistachio_open(NULL, 0, &database));
    CHECK(!pistachio_connect_session(database, &connection));
}

static void close_all(void)
{
    pistachio_disconnect(connection);
    pistachio_close(database);
    pq_footer_cache_clear();
    column_cache_clear();
}

static void check_error(pistachio_error *error, pistachio_error_kind kind, const char *part)
{
    CHECK(error != NULL);
    if (pistachio_error_get_kind(error) != kind || !strstr(pistachio_error_message(error), part))
        test_fail(__FILE__, __LINE__, "error %d: %s", (int)pistachio_error_get_kind(error),
                  pistachio_error_message(error));
    pistachio_error_free(error);
}

static pistachio_statement *prepare(const char *sql)
{
    pistachio_statement *statement;
    check_none(pistachio_prepare(connection, sql, NULL, &statement));
    CHECK(statement != NULL);
    return statement;
}

/* Rows as "a,b;c,d;", NULL as "NULL". */
static const char *rows_of(pistachio_result *result)
{
    static char all[4000];
    size_t at = 0;
    const pistachio_batch *batch;
    all[0] = '\0';
    for (;;) {
        check_none(pistachio_next(result, &batch));
        if (!batch)
            return all;
        for (uint64_t row = 0; row < pistachio_batch_rows(batch); row++)
            for (uint32_t c = 0; c < pistachio_column_count(result); c++) {
                size_t bytes;
                const char *text = pistachio_text(batch, c, row, &bytes);
                at += (size_t)snprintf(all + at, sizeof all - at, "%.*s%s", text ? (int)bytes : 4,
                                       text ? text : "NULL",
                                       c + 1 == pistachio_column_count(result) ? ";" : ",");
            }
    }
}

static const char *execute(pistachio_statement *statement)
{
    pistachio_result *result;
    check_none(pistachio_execute(statement, &result));
    const char *rows = rows_of(result);
    pistachio_result_free(result);
    return rows;
}

static const char *query(pistachio_connection *on, const char *sql)
{
    pistachio_result *result;
    check_none(pistachio_query(on, sql, NULL, &result));
    const char *rows = rows_of(result);
    pistachio_result_free(result);
    return rows;
}

#define NUMBERS "(VALUES (1, 'one', date '2000-01-01'), (2, 'two', date '2000-01-02')) v(i, s, d)"

TEST(values_again_and_again)
{
    open_all();
    pistachio_statement *p =
        prepare("SELECT i, s FROM " NUMBERS " WHERE i >= ? AND s <> ? ORDER BY i");
    CHECK_EQ(pistachio_parameter_count(p), 2);
    CHECK_EQ(pistachio_statement_column_count(p), 2);
    CHECK_TEXT_EQ(pistachio_statement_column_name(p, 1), "s");
    CHECK_TEXT_EQ(pistachio_statement_column_type(p, 0), "integer");
    CHECK_TEXT_EQ(pistachio_parameter_type(p, 0), "integer");
    CHECK_TEXT_EQ(pistachio_parameter_type(p, 1), "varchar");
    for (int i = 0; i < 3; i++) {
        check_none(pistachio_bind_int64(p, 0, 1));
        check_none(pistachio_bind_text(p, 1, "three", 5));
        CHECK_TEXT_EQ(execute(p), "1,one;2,two;");
        check_none(pistachio_bind_text(p, 1, "one", 3));
        CHECK_TEXT_EQ(execute(p), "2,two;");
        check_none(pistachio_bind_int64(p, 0, 3));
        CHECK_TEXT_EQ(execute(p), "");
        check_none(pistachio_bind_null(p, 0));
        CHECK_TEXT_EQ(execute(p), "");
    }
    pistachio_statement_free(p);
    close_all();
}

TEST(styles_of_parameters)
{
    open_all();
    pistachio_statement *p = prepare("SELECT $2::date - $1::date, '$1 ?', \"$2\" /* ? $3 */ "
                                     "FROM (VALUES (1)) v(\"$2\") -- ?\n");
    CHECK_EQ(pistachio_parameter_count(p), 2);
    CHECK_TEXT_EQ(pistachio_parameter_type(p, 0), "date");
    check_none(pistachio_bind_text(p, 0, "2000-02-01", 10));
    check_none(pistachio_bind_text(p, 1, "2000-03-01", 10));
    CHECK_TEXT_EQ(execute(p), "29,$1 ?,1;");
    pistachio_statement_free(p);

    p = prepare("SELECT $a * 2 AS x, $b || 'c', $a WHERE $b = $b");
    CHECK_EQ(pistachio_parameter_count(p), 2);
    CHECK_TEXT_EQ(pistachio_parameter_name(p, 0), "a");
    CHECK_TEXT_EQ(pistachio_parameter_name(p, 1), "b");
    check_none(pistachio_bind_int64(p, 0, 21));
    check_none(pistachio_bind_text(p, 1, "b", 1));
    CHECK_TEXT_EQ(execute(p), "42,bc,21;");
    pistachio_statement_free(p);

    p = prepare("SELECT ?,?::date,i FROM " NUMBERS " WHERE d>=? AND i IN (?,2) LIMIT ?");
    CHECK_TEXT_EQ(pistachio_statement_column_name(p, 0), "?column?");
    CHECK(!pistachio_parameter_name(p, 0));
    CHECK_TEXT_EQ(pistachio_parameter_type(p, 2), "date");
    CHECK_TEXT_EQ(pistachio_parameter_type(p, 4), "bigint");
    check_none(pistachio_bind_double(p, 0, 0.5));
    check_none(pistachio_bind_text(p, 1, "2001-01-01", 10));
    check_none(pistachio_bind_text(p, 2, "2000-01-02", 10));
    check_none(pistachio_bind_int64(p, 3, 1));
    check_none(pistachio_bind_int64(p, 4, 10));
    CHECK_TEXT_EQ(execute(p), "0.5,2001-01-01,2;");
    check_none(pistachio_bind_int64(p, 4, 0));
    CHECK_TEXT_EQ(execute(p), "");
    pistachio_statement_free(p);
    close_all();
}

TEST(parameters_that_are_wrong)
{
    static const struct {
        const char *sql, *message;
    } cases[] = {
        {"SELECT ?, $1", "are all ?, all $1 or all $name"},
        {"SELECT 1 LIMIT?", "touches a word"},
        {"SELECT $0", "numbered from $1"},
        {"SELECT $70000", "numbered from $1"},
        {"SELECT $1a", "$1 to $65535"},
        {"SELECT 1 ?", "syntax error at or near"},
        {"SELECT * FROM ?", "syntax error"},
        {"SELECT i FROM " NUMBERS " ?", "syntax error"},
        {"CREATE VIEW p AS SELECT ?", "in a view"},
        {"SET trace = ?", ""},
        {"SELECT sum(?.x)", ""},
    };
    pistachio_statement *p;
    pistachio_result *result;
    open_all();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        pistachio_error *error = pistachio_prepare(connection, cases[i].sql, NULL, &p);
        CHECK(error && !p);
        if (!strstr(pistachio_error_message(error), cases[i].message))
            test_fail(__FILE__, __LINE__, "%s: %s", cases[i].sql, pistachio_error_message(error));
        pistachio_error_free(error);
    }
    check_error(pistachio_query(connection, "SELECT $x", NULL, &result), PISTACHIO_ERROR_INVALID,
                "parameter $x has no value");
    p = prepare("SELECT i FROM " NUMBERS " WHERE i = ?");
    check_error(pistachio_execute(p, &result), PISTACHIO_ERROR_INVALID, "parameter 1 of 1 has no");
    check_error(pistachio_bind_null(p, 1), PISTACHIO_ERROR_INVALID, "none has the number 1");
    check_error(pistachio_bind_text(p, 0, "\xff", 1), PISTACHIO_ERROR_INVALID, "UTF-8");
    check_none(pistachio_bind_text(p, 0, "no number", 9));
    check_error(pistachio_execute(p, &result), PISTACHIO_ERROR_DATA, "no number");
    pistachio_statement_free(p);
    close_all();
}

/* Two of one connection run at once; one is cancelled. */
TEST(statements_run_beside_each_other)
{
    open_all();
    pistachio_statement *p =
                            prepare("WITH d(i) AS (VALUES (0),(1),(2),(3),(4),(5),(6),(7),(8),(9)) "
                                    "SELECT a.i FROM d a, d b, d c, d e, d f, d g WHERE a.i < ?"),
                        *q = prepare("SELECT i + ? FROM " NUMBERS " ORDER BY 1");
    pistachio_result *long_one, *short_one;
    const pistachio_batch *batch;
    check_none(pistachio_bind_int64(p, 0, 9));
    check_none(pistachio_bind_int64(q, 0, 1));
    check_none(pistachio_execute(p, &long_one));
    check_none(pistachio_execute(q, &short_one));
    check_none(pistachio_next(long_one, &batch));
    CHECK(batch != NULL);
    pistachio_statement_cancel(p);
    CHECK_TEXT_EQ(rows_of(short_one), "2;3;");
    pistachio_error *error = NULL;
    while (!error && batch)
        error = pistachio_next(long_one, &batch);
    check_error(error, PISTACHIO_ERROR_CANCELLED, "");
    pistachio_statement_free(p);
    pistachio_result_free(long_one);
    pistachio_result_free(short_one);
    CHECK_TEXT_EQ(execute(q), "2;3;");
    pistachio_statement_free(q);
    close_all();
}

/* Other ranks bind the statement with the same values, and with the session's views. */
TEST(values_and_views_reach_all_ranks)
{
    const pistachio_option options[] = {{"ranks", "3"}, {"distribute", "always"}, {"threads", "3"}};
    const char *folder = test_folder();
    char sql[700];
    CHECK(!pistachio_open(options, 3, &database));
    CHECK(!pistachio_connect_session(database, &connection));
    snprintf(sql, sizeof sql, "COPY (SELECT * FROM " NUMBERS ") TO '%s/r.parquet'", folder);
    query(connection, sql);
    snprintf(sql, sizeof sql, "CREATE VIEW r AS SELECT * FROM '%s/r.parquet'", folder);
    query(connection, sql);
    pistachio_statement *p = prepare("SELECT d, count(*) FROM r WHERE s = $text AND d >= $day "
                                     "AND i < $most GROUP BY d");
    check_none(pistachio_bind_text(p, 0, "two", 3));
    check_none(pistachio_bind_text(p, 1, "2000-01-01", 10));
    check_none(pistachio_bind_double(p, 2, 2.5));
    CHECK_TEXT_EQ(execute(p), "2000-01-02,1;");
    check_none(pistachio_bind_double(p, 2, 1.5));
    CHECK_TEXT_EQ(execute(p), "");
    pistachio_statement_free(p);
    close_all();
}

/* ---- sessions ---- */

TEST(sessions_have_settings_and_views_of_their_own)
{
    static const char *const of_process[] = {"threads = 1", "memory_limit = '1GB'",
                                             "device = 'simulated'", "io_engine = 'threads'",
                                             "temp_directory = '/tmp'"};
    pistachio_connection *other, *plain;
    pistachio_result *result;
    open_all();
    CHECK(!pistachio_connect_session(database, &other));
    CHECK(!pistachio_connect(database, &plain));
    for (size_t i = 0; i < 5; i++) {
        char sql[100];
        snprintf(sql, sizeof sql, "SET %s", of_process[i]);
        check_error(pistachio_query(connection, sql, NULL, &result), PISTACHIO_ERROR_INVALID,
                    "whole database's");
    }
    query(connection, "SET read_ahead = '1MiB'");
    CHECK(strstr(query(connection, "SHOW read_ahead"), "read_ahead,1MiB,"));
    CHECK(strstr(query(other, "SHOW read_ahead"), "read_ahead,96MiB,"));
    query(plain, "SET read_ahead = '2MiB'");
    CHECK(strstr(query(connection, "SHOW read_ahead"), "read_ahead,1MiB,"));
    CHECK(strstr(query(other, "SHOW read_ahead"), "read_ahead,2MiB,"));
    query(connection, "RESET read_ahead");
    CHECK(strstr(query(connection, "SHOW read_ahead"), "read_ahead,2MiB,"));

    query(plain, "CREATE VIEW a AS SELECT 1 AS x");
    query(connection, "CREATE VIEW a AS SELECT 2 AS x");
    query(connection, "CREATE VIEW b AS SELECT x + 1 AS y FROM a");
    CHECK_TEXT_EQ(query(connection, "SELECT x, y FROM a, b"), "2,3;");
    CHECK_TEXT_EQ(query(other, "SELECT x FROM a"), "1;");
    check_error(pistachio_query(other, "SELECT * FROM b", NULL, &result), PISTACHIO_ERROR_NOT_FOUND,
                "b");
    CHECK_TEXT_EQ(query(connection, "SHOW TABLES"), "a,view,NULL,NULL;b,view,NULL,NULL;");
    check_error(pistachio_query(other, "DROP VIEW a", NULL, &result), PISTACHIO_ERROR_INVALID,
                "belongs to the database");
    query(connection, "DROP VIEW a");
    CHECK_TEXT_EQ(query(connection, "SELECT x FROM a"), "1;");
    pistachio_disconnect(other);
    pistachio_disconnect(plain);
    close_all();
}

/* ---- memory that was handed out ---- */

TEST(kept_batches_leave_the_limit)
{
    static const char rows[] =
        "WITH d(i) AS (VALUES (0),(1),(2),(3),(4),(5),(6),(7),(8),(9)) "
        "SELECT a.i + 10 * b.i + 100 * c.i + 1000 * e.i + 10000 * f.i + 100000 * g.i AS x "
        "FROM d a, d b, d c, d e, d f, d g";
    const pistachio_option limit = {"memory_limit", "16MiB"};
    const pistachio_batch *kept[2000], *batch;
    size_t count = 0;
    uint64_t total = 0;
    pistachio_result *result;
    char sql[600];
    CHECK(!pistachio_open(&limit, 1, &database));
    CHECK(!pistachio_connect_session(database, &connection));
    /* 1,000,000 rows of 8 columns of 8 bytes: four times the limit. */
    snprintf(sql, sizeof sql,
             "SELECT x::bigint, x + 1::bigint, x + 2::bigint, x + 3::bigint, x + 4::bigint, "
             "x + 5::bigint, x + 6::bigint, x + 7::bigint FROM (%s) r",
             rows);
    check_none(pistachio_query(connection, sql, NULL, &result));
    for (;;) {
        check_none(pistachio_next(result, &batch));
        if (!batch)
            break;
        CHECK(count < 2000);
        kept[count++] = pistachio_batch_ref(batch);
        total += pistachio_batch_rows(batch);
    }
    CHECK_EQ(total, 1000000);
    CHECK(pistachio_memory_exported(connection) >= 64000000);
    CHECK(pistachio_memory_peak(connection) <= 16 << 20);
    pistachio_result_free(result);
    for (size_t i = 0; i < count; i++)
        pistachio_batch_unref(kept[i]);
    CHECK_EQ(pistachio_memory_exported(connection), 0);
    close_all();
}
