/* adbc_test.c - what tests of the ADBC driver begin and end with. */
#include "adbc_test.h"

#include "exec/scan/column_cache.h"
#include "parquet/table/footer.h"
#include "test.h"

struct AdbcDriver driver;
struct AdbcDatabase database;
struct AdbcConnection connection;
struct AdbcStatement statement;

void adbc_fails(AdbcStatusCode code, AdbcStatusCode expected, struct AdbcError *error,
                const char *part)
{
    CHECK_EQ(code, expected);
    CHECK(error->message != NULL);
    if (!strstr(error->message, part))
        test_fail(__FILE__, __LINE__, "message is \"%s\"", error->message);
    error->release(error);
}

void adbc_open(void)
{
    struct AdbcError error = ADBC_ERROR_INIT;
    memset(&database, 0, sizeof database);
    memset(&connection, 0, sizeof connection);
    memset(&statement, 0, sizeof statement);
    CHECK(!AdbcDriverInit(ADBC_VERSION_1_1_0, &driver, &error));
    CHECK(!driver.DatabaseNew(&database, &error));
}

void adbc_close(void)
{
    struct AdbcError error = ADBC_ERROR_INIT;
    if (statement.private_data)
        CHECK(!driver.StatementRelease(&statement, &error));
    if (connection.private_data)
        CHECK(!driver.ConnectionRelease(&connection, &error));
    if (database.private_data)
        CHECK(!driver.DatabaseRelease(&database, &error));
    CHECK(!driver.release(&driver, &error));
    pq_footer_cache_clear();
    column_cache_clear();
}
