/* fuzz_arrow_file.c - any bytes as a file or stream of Arrow's IPC format: statements over it give rows or an error that such a
 * file may cause. The first byte chooses the statement. */
#include "fuzz.h"
#include "pistachio/pistachio.h"

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

static const char *const calls[] = {
    "FROM read_arrow('%s')",
    "SELECT count(*) FROM read_arrow('%s')",
    "FROM read_arrow(['%s'], union_by_name => true, filename => true) ORDER BY filename",
    "SUMMARIZE FROM read_arrow('%s')",
};

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    static const pistachio_option options[] = {
        {"threads", "1"}, {"memory_limit", "256MB"}, {"chunk_rows", "64"}};
    uint64_t blocks = mem_in_use();
    pistachio_database *database = NULL;
    pistachio_connection *connection = NULL;
    char sql[300];
    if (!length)
        return 0;
    fuzz_file f = fuzz_file_open(bytes + 1, length - 1);
    pistachio_error *error = pistachio_open(options, 3, &database);
    if (!error)
        error = pistachio_connect(database, &connection);
    FUZZ_CHECK(!error);
    snprintf(sql, sizeof sql, calls[bytes[0] % (sizeof calls / sizeof *calls)], f.path);
    run(connection, sql);
    pistachio_disconnect(connection);
    pistachio_close(database);
    fuzz_file_close(&f);
    FUZZ_CHECK(mem_in_use() == blocks);
    return 0;
}
