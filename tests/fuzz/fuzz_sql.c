/* fuzz_sql.c - any text as SQL: refused with a position inside the text, or bound and optimized,
 * and the rest of the text is behind what was read. */
#include "fuzz.h"
#include "plan/rules/optimize.h"
#include "sql/statement/sql.h"

#include <string.h>

static sql_catalog *catalog;

/* Two tables of the corpus, opened once: what is fuzzed is the text. */
static void open_catalog(void)
{
    FUZZ_CHECK(!sql_catalog_new(&catalog));
    FUZZ_CHECK(!sql_catalog_add_table(catalog, "t", FUZZ_CORPUS "/fuzz_parquet_file/int96"));
    FUZZ_CHECK(
        !sql_catalog_add_table(catalog, "u", FUZZ_CORPUS "/fuzz_parquet_file/dictionary_snappy"));
}

static void close_catalog(void)
{
    sql_catalog_free(catalog);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    if (!catalog) {
        open_catalog();
        atexit(close_catalog);
    }
    char *sql = mem_copy_text((const char *)bytes, length);
    FUZZ_CHECK(sql);
    size_t sql_bytes = strlen(sql);
    /* Names of files would open whatever the fuzzer makes up. */
    if (strchr(sql, '/') || strcasestr(sql, "read_parquet")) {
        mem_free(sql);
        return 0;
    }
    const char *rest = NULL;
    sql_statement *statement = NULL;
    const sql_session session = {.catalog = catalog};
    status st = sql_prepare(&session, sql, &statement, &rest);
    FUZZ_CHECK(!st == (statement != NULL));
    if (st)
        FUZZ_CHECK(status_position(st) >= -1 && status_position(st) <= (int64_t)sql_bytes);
    if (rest)
        FUZZ_CHECK(rest >= sql && rest <= sql + sql_bytes);
    if (fuzz_settle(st) && statement->query.root)
        fuzz_settle(plan_optimize(&statement->query));
    sql_statement_free(statement);
    mem_free(sql);
    return 0;
}
