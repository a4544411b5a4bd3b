/* fuzz_query.c - any bytes as a Parquet file that statements run over, whose statistics prune, size
 * and narrow what they do: each gives rows or an error that such a file may cause. */
#include "fuzz.h"
#include "parquet/table/table.h"
#include "pistachio/pistachio.h"

#include <string.h>

#define COLUMNS_MAX 6
#define ROW_COUNT_MAX 100000 /* a footer may promise any number of rows */

/* %s: the column. */
static const char *const statements[] = {
    "SELECT count(\"%s\"), min(\"%s\"), max(\"%s\") FROM t",
    "SELECT \"%s\", count(*) FROM t GROUP BY \"%s\"",
    "SELECT sum(\"%s\" * \"%s\" + 1), sum(10 / \"%s\") FROM t",
    "SELECT count(*) FROM t WHERE \"%s\" > 3 AND \"%s\" < 1000",
    "SELECT count(*) FROM t WHERE \"%s\" IS NULL OR \"%s\" IN ('a', 'b')",
    "SELECT count(*) FROM t a JOIN (SELECT * FROM t LIMIT 100) b ON a.\"%s\" = b.\"%s\"",
    "SELECT \"%s\" FROM t ORDER BY \"%s\" DESC LIMIT 3",
};

static void settle(pistachio_error *error)
{
    FUZZ_CHECK(!error || (pistachio_error_get_kind(error) != PISTACHIO_ERROR_INTERNAL &&
                          pistachio_error_message(error)[0]));
    pistachio_error_free(error);
}

static void run(pistachio_connection *connection, const char *sql)
{
    pistachio_result *result = NULL;
    const pistachio_batch *batch;
    pistachio_error *error = pistachio_query(connection, sql, NULL, &result);
    do {
        batch = NULL;
        if (!error)
            error = pistachio_next(result, &batch);
    } while (!error && batch);
    pistachio_result_free(result);
    settle(error);
}

/* Names with a quote or a percent sign would not be what the statements mean. */
static bool is_plain_name(const char *name)
{
    return name[0] && strlen(name) < 100 && !strpbrk(name, "\"%\\");
}

static void run_all(pistachio_connection *connection)
{
    char names[COLUMNS_MAX][100];
    uint32_t count = 0;
    pistachio_result *result = NULL;
    pistachio_error *error = pistachio_query(connection, "SELECT * FROM t LIMIT 1", NULL, &result);
    for (uint32_t c = 0; !error && c < pistachio_column_count(result) && count < COLUMNS_MAX; c++)
        if (is_plain_name(pistachio_column_name(result, c)))
            snprintf(names[count++], sizeof names[0], "%s", pistachio_column_name(result, c));
    pistachio_result_free(result);
    settle(error);
    for (uint32_t c = 0; c < count; c++)
        for (size_t s = 0; s < sizeof statements / sizeof *statements; s++) {
            char sql[1000];
            const char *n = names[c];
            snprintf(sql, sizeof sql, statements[s], n, n, n);
            run(connection, sql);
        }
}

static bool is_small(const char *path)
{
    pq_table *table = NULL;
    status st = pq_table_open(path, false, &table);
    bool is_small = !st && table->row_count <= ROW_COUNT_MAX;
    status_free(st);
    pq_table_close(table);
    return is_small;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    static const pistachio_option options[] = {{"threads", "1"}, {"memory_limit", "256MB"}};
    uint64_t blocks = mem_in_use();
    fuzz_file f = fuzz_file_open(bytes, length);
    if (is_small(f.path)) {
        pistachio_database *database = NULL;
        pistachio_connection *connection = NULL;
        pistachio_error *error = pistachio_open(options, 2, &database);
        if (!error)
            error = pistachio_connect(database, &connection);
        FUZZ_CHECK(!error);
        error = pistachio_add_table(connection, "t", f.path);
        if (!error)
            run_all(connection);
        settle(error);
        pistachio_disconnect(connection);
        pistachio_close(database);
    }
    fuzz_file_close(&f);
    FUZZ_CHECK(mem_in_use() == blocks);
    return 0;
}
