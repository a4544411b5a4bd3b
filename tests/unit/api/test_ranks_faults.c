/* Statements on ranks whose network is simulated: by each seed messages are late and overtake each
 * other, and in three of four cases one rank goes, falls silent or sends rubbish at some message.
 * Rows are right, or there is a failure that a fault explains; nothing hangs. A seed that failed
 * is run alone with SEEDS=FIRST-END in the environment.
 *
 * test_label: threads
 * test_cost: 20 */
#include "pistachio/pistachio.h"
#include "run_statement.h"
#include "test.h"

#include <stdlib.h>

#define ROWS 1000
#define SEEDS_END (test_has_less_to_do() ? 20 : 50)
#define SILENT 2 /* alone is noticed by the clock: others are told, however busy the machine is */

typedef struct statement {
    const char *sql;
    uint64_t rows;
    double sum; /* of all values, as DuckDB has them; true is 1 */
} statement;

/* Every kind of exchange and of join. */
static const statement statements[] = {
    {"SELECT x FROM t WHERE x % 3 = 0", 334, 166833},
    {"SELECT count(*), sum(x), avg(x) FROM t", 1, 500999.5},
    {"SELECT x % 7, count(*), count(DISTINCT x % 5) FROM t GROUP BY 1", 7, 1056},
    {"SELECT x FROM t ORDER BY x DESC LIMIT 10 OFFSET 5", 10, 9895},
    {"SELECT x FROM t ORDER BY x % 7, x", 1000, 499500}, /* by ranges that ranks agree on */
    {"SELECT row_number() OVER (ORDER BY x % 7, x), sum(x % 2) OVER (ORDER BY x) FROM t", 1000,
     750500},
    {"SELECT a.x FROM t a JOIN t b ON a.x = b.x + 1", 999, 499500},
    {"SELECT a.x FROM t a LEFT JOIN t b ON a.x = b.x * 2", 1000, 499500},
    {"SELECT a.x FROM t a FULL JOIN t b ON a.x = b.x + 500", 1500, 499500},
    {"SELECT x FROM t WHERE x IN (SELECT x * 2 FROM t)", 500, 249500},
    {"SELECT x FROM t WHERE x NOT IN (SELECT x * 2 FROM t)", 500, 250000},
    {"SELECT x, x IN (SELECT x * 2 FROM t) FROM t", 1000, 500000},
    {"SELECT x, (SELECT max(x) FROM t) FROM t WHERE x > (SELECT avg(x) FROM t)", 500, 874250},
    {"WITH w AS (SELECT x % 10 AS k, count(*) AS n FROM t GROUP BY 1) "
     "SELECT a.k FROM w a JOIN w b ON a.n = b.n UNION ALL SELECT x FROM t",
     1100, 499950},
    {"SELECT a.x FROM t a LEFT JOIN t b ON CASE WHEN a.x % 2 = 0 THEN 7 ELSE a.x END = b.x", 1000,
     499500}, /* a key that half of the rows have */
    {"SELECT a.x FROM t a JOIN t b ON a.x = b.x WHERE b.x // 100000 = 0 AND b.x % 2 < 2 AND b.x % "
     "3 < 3",
     1000, 499500}, /* a broadcast that overflows */
    {"WITH RECURSIVE r(n) AS (SELECT min(x) FROM t UNION ALL SELECT n + 1 FROM r JOIN t ON n = x "
     "WHERE n < 2) SELECT n FROM r",
     3, 3},
    {"CREATE TABLE u AS SELECT x FROM t WHERE x < 500", 0, 0},
    {"SELECT count(*), sum(u.x) FROM u JOIN t ON u.x = t.x", 1, 125250},
};
#define STATEMENTS (sizeof statements / sizeof *statements)

static const char *path(void)
{
    static char text[512];
    if (!*text)
        snprintf(text, sizeof text, "%s/t.parquet", test_folder());
    return text;
}

static void make_table(void)
{
    char sql[2048];
    snprintf(sql, sizeof sql,
             "COPY (WITH d(i) AS (VALUES (0), (1), (2), (3), (4), (5), (6), (7), (8), (9)) "
             "SELECT a.i + 10 * b.i + 100 * c.i AS x FROM d a, d b, d c) TO '%s' "
             "(ROW_GROUP_SIZE 50)",
             path());
    run_alone(sql);
}

static double value_at(const pistachio_batch *batch, uint32_t column, uint64_t row)
{
    size_t bytes;
    const char *text =
        pistachio_is_null(batch, column, row) ? "0" : pistachio_text(batch, column, row, &bytes);
    return *text == 't' ? 1 : strtod(text, NULL);
}

static pistachio_error *add_up(pistachio_connection *connection, const char *sql,
                               uint64_t *out_rows, double *out_sum)
{
    pistachio_result *result;
    const pistachio_batch *batch;
    pistachio_error *error = pistachio_query(connection, sql, NULL, &result);
    *out_rows = 0;
    *out_sum = 0;
    if (error)
        return error;
    do {
        error = pistachio_next(result, &batch);
        uint64_t rows = !error && batch ? pistachio_batch_rows(batch) : 0;
        *out_rows += rows;
        for (uint64_t row = 0; row < rows; row++)
            for (uint32_t i = 0; i < pistachio_column_count(result); i++)
                *out_sum += value_at(batch, i, row);
    } while (!error && batch);
    pistachio_result_free(result);
    return error;
}

static void run_seed(unsigned seed)
{
    static const char *const kinds[] = {"none", "gone", [SILENT] = "silent", "rubbish"};
    char seed_text[16], fault[64];
    bool has_fault = seed % 4 != 0;
    snprintf(seed_text, sizeof seed_text, "%u", seed + 1);
    snprintf(fault, sizeof fault, has_fault ? "%s:%u:%u" : "%s", kinds[seed % 4], seed / 4 % 3,
             1 + seed * 37 % 900);
    const pistachio_option options[] = {{"threads", "3"},
                                        {"ranks", "3"},
                                        {"distribute", "always"},
                                        {"peer_timeout", seed % 4 == SILENT ? "300" : "60000"},
                                        {"network_seed", seed_text},
                                        {"network_fault", fault},
                                        {"network_message_bytes", "256"}};
    pistachio_database *database;
    pistachio_connection *connection;
    check_none(pistachio_open(options, sizeof options / sizeof *options, &database));
    check_none(pistachio_connect(database, &connection));
    check_none(pistachio_add_table(connection, "t", path()));
    bool has_failed = false;
    for (size_t i = 0; i < STATEMENTS && !has_failed; i++) {
        uint64_t rows;
        double sum;
        pistachio_error *error = add_up(connection, statements[i].sql, &rows, &sum);
        has_failed = error != NULL;
        if (error && !has_fault)
            test_fail(__FILE__, __LINE__, "seed %u, %s: %s", seed, statements[i].sql,
                      pistachio_error_message(error));
        if (!error && (rows != statements[i].rows || sum != statements[i].sum))
            test_fail(__FILE__, __LINE__, "seed %u, %s: %llu rows, %f", seed, statements[i].sql,
                      (unsigned long long)rows, sum);
        pistachio_error_free(error);
    }
    pistachio_disconnect(connection);
    pistachio_close(database);
}

TEST(rows_are_right_or_a_fault_is_named)
{
    unsigned first = 0, end = SEEDS_END;
    const char *seeds = getenv("SEEDS");
    if (seeds && sscanf(seeds, "%u-%u", &first, &end) != 2)
        test_fail(__FILE__, __LINE__, "SEEDS is FIRST-END, not %s", seeds);
    make_table();
    for (unsigned seed = first; seed < end; seed++)
        if (seeds || test_is_in_turn(seed, 2))
            run_seed(seed);
}
