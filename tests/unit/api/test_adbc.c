/* The ADBC driver's entry and the order of its calls, and Arrow arrays that are hostile or released in
 * every order: what a driver manager does not show, and all of it under the sanitizers. */
#include "adbc_test.h"
#include "pistachio/pistachio.h"
#include "test.h"

static void open_all(void)
{
    struct AdbcError error = ADBC_ERROR_INIT;
    adbc_open();
    CHECK(!driver.DatabaseSetOption(&database, "pistachio.threads", "2", &error));
    CHECK(!driver.DatabaseInit(&database, &error));
    CHECK(!driver.ConnectionNew(&connection, &error));
    CHECK(!driver.ConnectionInit(&connection, &database, &error));
    CHECK(!driver.StatementNew(&connection, &statement, &error));
}

TEST(entry_writes_no_byte_beyond_a_version)
{
    struct AdbcDriver small;
    struct AdbcError error = ADBC_ERROR_INIT;
    memset(&small, 0x5a, sizeof small);
    CHECK(!AdbcDriverInit(ADBC_VERSION_1_0_0, &small, &error));
    for (size_t i = ADBC_DRIVER_1_0_0_SIZE; i < sizeof small; i++)
        CHECK_EQ(((const unsigned char *)&small)[i], 0x5a);
    CHECK(small.StatementExecuteQuery && small.release);
    adbc_fails(AdbcDriverInit(1234, &small, &error), ADBC_STATUS_NOT_IMPLEMENTED, &error, "1234");
    adbc_fails(AdbcDriverInit(ADBC_VERSION_1_1_0, NULL, &error), ADBC_STATUS_INVALID_ARGUMENT,
               &error, "NULL");
    CHECK_EQ(AdbcDriverInit(1234, &small, NULL), ADBC_STATUS_NOT_IMPLEMENTED);
}

/* An error of version 1.0.0 has no room behind `release`. */
TEST(errors_write_no_byte_beyond_a_version)
{
    struct AdbcError error;
    open_all();
    memset(&error, 0, sizeof error);
    memset((char *)&error + ADBC_ERROR_1_0_0_SIZE, 0x5a, sizeof error - ADBC_ERROR_1_0_0_SIZE);
    CHECK(!driver.StatementSetSqlQuery(&statement, "SELECT nosuch", &error));
    CHECK_EQ(driver.StatementPrepare(&statement, &error), ADBC_STATUS_NOT_FOUND);
    CHECK(!memcmp(error.sqlstate, "42704", 5));
    error.release(&error);
    for (size_t i = ADBC_ERROR_1_0_0_SIZE; i < sizeof error; i++)
        CHECK_EQ(((const unsigned char *)&error)[i], 0x5a);
    adbc_close();
}

TEST(details_of_errors)
{
    struct AdbcError error = ADBC_ERROR_INIT;
    open_all();
    CHECK(!driver.StatementSetSqlQuery(&statement, "SELECT nosuch FROM (VALUES (1)) v(nosuck)",
                                       &error));
    CHECK_EQ(driver.StatementPrepare(&statement, &error), ADBC_STATUS_NOT_FOUND);
    CHECK_EQ(driver.ErrorGetDetailCount(&error), 2);
    struct AdbcErrorDetail position = driver.ErrorGetDetail(&error, 0);
    CHECK_TEXT_EQ(position.key, "position");
    CHECK(position.value_length == 1 && *position.value == '7');
    CHECK_TEXT_EQ(driver.ErrorGetDetail(&error, 1).key, "hint");
    CHECK(!driver.ErrorGetDetail(&error, 2).key && !driver.ErrorGetDetail(&error, -1).key);
    error.release(&error);
    adbc_close();
}

TEST(streams_say_why_they_failed)
{
    struct AdbcError error = ADBC_ERROR_INIT;
    struct ArrowArrayStream stream, other = {0};
    struct ArrowArray rows;
    AdbcStatusCode code = 99;
    int64_t count;
    open_all();
    CHECK(!driver.StatementSetSqlQuery(&statement, "SELECT 1 // (i - 5000) FROM range(9000) t(i)",
                                       &error));
    CHECK(!driver.StatementExecuteQuery(&statement, &stream, &count, &error));
    CHECK(!driver.ErrorFromArrayStream(&stream, &code));
    CHECK_EQ(code, ADBC_STATUS_OK);
    CHECK(!driver.StatementCancel(&statement, &error));
    CHECK(stream.get_next(&stream, &rows));
    const struct AdbcError *failure = driver.ErrorFromArrayStream(&stream, &code);
    CHECK(failure && !memcmp(failure->sqlstate, "57014", 5));
    CHECK_EQ(code, ADBC_STATUS_CANCELLED);
    CHECK_TEXT_EQ(failure->message, stream.get_last_error(&stream));
    stream.release(&stream);
    CHECK(!driver.ErrorFromArrayStream(&other, &code));
    adbc_close();
}

TEST(calls_in_the_wrong_order)
{
    struct AdbcError error = ADBC_ERROR_INIT;
    struct AdbcConnection closed = {0};
    struct AdbcStatement none = {0};
    struct ArrowArrayStream stream;
    struct ArrowSchema schema;
    open_all();
    adbc_fails(driver.StatementExecuteQuery(&statement, &stream, NULL, &error),
               ADBC_STATUS_INVALID_STATE, &error, "no query");
    CHECK(!stream.release);
    adbc_fails(driver.StatementPrepare(&statement, &error), ADBC_STATUS_INVALID_STATE, &error,
               "no query");
    adbc_fails(driver.StatementGetParameterSchema(&statement, &schema, &error),
               ADBC_STATUS_INVALID_STATE, &error, "no query");
    adbc_fails(driver.StatementSetSqlQuery(&statement, NULL, &error), ADBC_STATUS_INVALID_ARGUMENT,
               &error, "NULL");
    adbc_fails(driver.DatabaseInit(&database, &error), ADBC_STATUS_INVALID_STATE, &error,
               "already");
    adbc_fails(driver.DatabaseSetOption(&database, "path", "x", &error), ADBC_STATUS_INVALID_STATE,
               &error, "once the database is open");
    adbc_fails(driver.ConnectionInit(&connection, &database, &error), ADBC_STATUS_INVALID_STATE,
               &error, "already");
    adbc_fails(driver.ConnectionInit(&closed, &database, &error), ADBC_STATUS_INVALID_STATE, &error,
               "not new");
    CHECK(!driver.ConnectionNew(&closed, &error));
    adbc_fails(driver.StatementNew(&closed, &none, &error), ADBC_STATUS_INVALID_STATE, &error,
               "not open");
    adbc_fails(driver.ConnectionCommit(&connection, &error), ADBC_STATUS_INVALID_STATE, &error,
               "autocommit");
    CHECK(!driver.ConnectionRelease(&closed, &error));
    adbc_fails(driver.ConnectionRelease(&closed, &error), ADBC_STATUS_INVALID_STATE, &error,
               "released");
    adbc_fails(driver.StatementRelease(&none, &error), ADBC_STATUS_INVALID_STATE, &error,
               "released");
    adbc_fails(driver.StatementExecuteQuery(&none, NULL, NULL, &error), ADBC_STATUS_INVALID_STATE,
               &error, "released");
    adbc_close();
}

/* ---- streams ---- */

#define TEXT "a text that does not lie in its view"

/* A stream, database, connection and statement are released in each order; its array at the end. */
TEST(streams_outlive_what_made_them)
{
    for (unsigned order = 0; order < 24; order++) {
        struct AdbcError error = ADBC_ERROR_INIT;
        struct ArrowArrayStream stream;
        struct ArrowArray array, child;
        struct ArrowSchema schema;
        unsigned left[4] = {0, 1, 2, 3}, code = order;
        open_all();
        CHECK(!driver.StatementSetSqlQuery(&statement,
                                           "SELECT '" TEXT "' AS s, 1.5 AS d, i FROM "
                                           "(VALUES (1), (2)) v(i) ORDER BY i",
                                           &error));
        CHECK(!driver.StatementExecuteQuery(&statement, &stream, NULL, &error));
        CHECK(!stream.get_schema(&stream, &schema));
        CHECK(!stream.get_next(&stream, &array));
        for (unsigned count = 4; count; count--) {
            unsigned at = code % count, what = left[at];
            code /= count;
            left[at] = left[count - 1];
            if (what == 0)
                stream.release(&stream);
            else if (what == 1)
                CHECK(!driver.StatementRelease(&statement, &error));
            else if (what == 2)
                CHECK(!driver.ConnectionRelease(&connection, &error));
            else
                CHECK(!driver.DatabaseRelease(&database, &error));
        }
        child = *array.children[0]; /* moved out */
        array.children[0]->release = NULL;
        array.release(&array);
        CHECK_TEXT_EQ(schema.children[0]->format, "vu");
        CHECK_TEXT_EQ(schema.children[1]->format, "d:2,1");
        schema.release(&schema);
        CHECK(child.length >= 1 && child.n_buffers >= 4);
        CHECK(memmem(child.buffers[2],
                     (size_t)((const int64_t *)child.buffers[child.n_buffers - 1])[0], TEXT,
                     sizeof TEXT - 1));
        child.release(&child);
        adbc_close();
    }
}

/* ---- rows of parameters that are hostile ---- */

static unsigned releases;

static void release_array(struct ArrowArray *array)
{
    releases++;
    array->release = NULL;
}

static void release_schema(struct ArrowSchema *schema)
{
    releases++;
    schema->release = NULL;
}

static const int32_t numbers[] = {7, 8}, offsets[] = {0, 3, 2}, negative[] = {-1, 3, 4};
static const int64_t lengths[] = {10};
static const struct {
    int32_t bytes;
    char prefix[4];
    int32_t buffer, offset;
} views[] = {{20, "abcd", 0, 0}, {-1, "abcd", 0, 0}, {20, "abcd", 3, 0}, {13, "abcd", 0, -4}};

static const struct hostile {
    const char *format, *message;
    int64_t length, offset, n_buffers, child_length;
    const void *buffers[4];
} cases[] = {
    {"i", "negative length", -1, 0, 2, 1, {NULL, numbers}},
    {"i", "negative length", 1, -1, 2, 1, {NULL, numbers}},
    {"i", "negative length", INT64_MAX, 1, 2, 1, {NULL, numbers}},
    {"i", "negative length", 1, 0, 2, -5, {NULL, numbers}},
    {"i", "shorter", 2, 0, 2, 1, {NULL, numbers}},
    {"i", "number of buffers", 1, 0, 1, 1, {NULL, numbers}},
    {"i", "number of buffers", 1, 0, 3, 1, {NULL, numbers}},
    {"i", "number of buffers", 1, 0, INT64_MAX, 1, {NULL, numbers}},
    {"i", "no values", 1, 0, 2, 1, {NULL, NULL}},
    {"u", "number of buffers", 1, 0, 2, 1, {NULL, offsets}},
    {"u", "offsets of texts", 1, 0, 3, 1, {NULL, negative, "abc"}},
    {"u", "offsets of texts", 1, 1, 3, 2, {NULL, offsets, "abc"}},
    {"u", "offsets of texts", 1, 0, 3, 1, {NULL, offsets, NULL}},
    {"vu", "outside of its buffers", 1, 0, 4, 1, {NULL, &views[0], "0123456789", lengths}},
    {"vu", "negative length", 1, 0, 4, 1, {NULL, &views[1], "0123456789", lengths}},
    {"vu", "outside of its buffers", 1, 0, 4, 1, {NULL, &views[2], "0123456789", lengths}},
    {"vu", "outside of its buffers", 1, 0, 4, 1, {NULL, &views[3], "0123456789", lengths}},
    {"vu", "how long", 1, 0, 4, 1, {NULL, &views[0], "0123456789", NULL}},
    {"+l", "no SQL type", 1, 0, 2, 1, {NULL, numbers}},
    {"d:99,2", "no SQL type", 1, 0, 2, 1, {NULL, numbers}},
    {"", "no SQL type", 1, 0, 2, 1, {NULL, numbers}},
    {NULL, "no SQL type", 1, 0, 2, 1, {NULL, numbers}},
};

TEST(hostile_rows_are_refused)
{
    struct AdbcError error = ADBC_ERROR_INIT;
    struct ArrowArrayStream stream;
    open_all();
    CHECK(!driver.StatementSetSqlQuery(&statement, "SELECT ?", &error));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct hostile *h = &cases[i];
        const void *nothing[] = {NULL};
        struct ArrowSchema field = {.format = h->format, .name = "x", .release = release_schema},
                           *fields[] = {&field},
                           schema = {.format = "+s",
                                     .n_children = 1,
                                     .children = fields,
                                     .release = release_schema};
        struct ArrowArray values = {.length = h->child_length,
                                    .n_buffers = h->n_buffers,
                                    .buffers = (const void **)h->buffers,
                                    .null_count = 0,
                                    .release = release_array},
                          *children[] = {&values},
                          array = {.length = h->length,
                                   .offset = h->offset,
                                   .n_buffers = 1,
                                   .buffers = nothing,
                                   .n_children = 1,
                                   .children = children,
                                   .release = release_array};
        releases = 0;
        CHECK(!driver.StatementBind(&statement, &array, &schema, &error));
        AdbcStatusCode code = driver.StatementExecuteQuery(&statement, &stream, NULL, &error);
        adbc_fails(code, code == ADBC_STATUS_NOT_IMPLEMENTED ? code : ADBC_STATUS_INVALID_ARGUMENT,
                   &error, h->message);
        CHECK(!stream.release);
        CHECK_EQ(releases, 2); /* theirs, once */
    }
    adbc_close();
}

static void bind_number(struct ArrowSchema *schema, struct ArrowArray *array,
                        struct AdbcError *error)
{
    static const void *const buffers[] = {NULL, numbers};
    static struct ArrowSchema field, *fields[] = {&field};
    static struct ArrowArray values, *children[] = {&values};
    static const void *nothing[] = {NULL};
    field = (struct ArrowSchema){.format = "i", .name = "x", .release = release_schema};
    values = (struct ArrowArray){
        .length = 1, .n_buffers = 2, .buffers = (const void **)buffers, .release = release_array};
    *schema = (struct ArrowSchema){
        .format = "+s", .n_children = 1, .children = fields, .release = release_schema};
    *array = (struct ArrowArray){.length = 1,
                                 .n_buffers = 1,
                                 .buffers = nothing,
                                 .n_children = 1,
                                 .children = children,
                                 .release = release_array};
    CHECK(!driver.StatementBind(&statement, array, schema, error));
}

/* Bound rows of a statement that failed, when it was prepared or run, are not there for the next one. */
TEST(bound_rows_are_of_one_execution)
{
    static const char *const failing[] = {"SELECT percentile_disc(CAST($1 AS integer))",
                                          "SELECT CAST($1 AS integer) FROM nowhere",
                                          "SELECT 1 / (CAST($1 AS integer) * 0)"};
    for (size_t i = 0; i < sizeof failing / sizeof *failing; i++) {
        struct AdbcError error = ADBC_ERROR_INIT;
        struct ArrowArrayStream stream = {0};
        struct ArrowSchema schema;
        struct ArrowArray array;
        open_all();
        releases = 0;
        CHECK(!driver.StatementSetSqlQuery(&statement, failing[i], &error));
        bind_number(&schema, &array, &error);
        AdbcStatusCode code = driver.StatementExecuteQuery(&statement, &stream, NULL, &error);
        if (!code) { /* rows fail as they are read */
            struct ArrowArray rows;
            CHECK(stream.get_next(&stream, &rows));
            stream.release(&stream);
        } else {
            error.release(&error);
            error = (struct AdbcError)ADBC_ERROR_INIT;
        }
        CHECK_EQ(releases, 2);
        CHECK(!driver.StatementSetSqlQuery(&statement, "SELECT 1", &error));
        CHECK(!driver.StatementExecuteQuery(&statement, &stream, NULL, &error));
        stream.release(&stream);
        adbc_close();
    }
}

TEST(released_rows_are_refused)
{
    struct AdbcError error = ADBC_ERROR_INIT;
    struct ArrowArrayStream stream = {0};
    struct ArrowArray array = {0};
    struct ArrowSchema schema = {0};
    open_all();
    adbc_fails(driver.StatementBind(&statement, &array, &schema, &error),
               ADBC_STATUS_INVALID_ARGUMENT, &error, "released");
    adbc_fails(driver.StatementBindStream(&statement, &stream, &error),
               ADBC_STATUS_INVALID_ARGUMENT, &error, "released");
    adbc_close();
}
