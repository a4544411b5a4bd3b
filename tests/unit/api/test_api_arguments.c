/* Every function of the public header with NULL for each of its arguments, with numbers out of
 * range, and the kinds of errors. A function that the header declares and no test here calls fails
 * the first test. */
#include "exec/scan/column_cache.h"
#include "parquet/table/footer.h"
#include "pistachio/pistachio.h"
#include "test.h"

#include <sys/stat.h>

static pistachio_database *database;
static pistachio_connection *connection;
static pistachio_result *result;
static const pistachio_batch *batch;

static void open_all(void)
{
    CHECK(!pistachio_open(NULL, 0, &database));
    CHECK(!pistachio_connect(database, &connection));
    CHECK(!pistachio_query(connection,
                           "SELECT * FROM (VALUES (1, 'a', true), (2, NULL, false)) v(i, s, b) "
                           "ORDER BY i",
                           NULL, &result));
    CHECK(!pistachio_next(result, &batch));
    CHECK_EQ(pistachio_batch_rows(batch), 2);
}

static void close_all(void)
{
    pistachio_result_free(result);
    pistachio_disconnect(connection);
    pistachio_close(database);
    pq_footer_cache_clear();
    column_cache_clear();
}

static void check_kind(int line, pistachio_error *error, pistachio_error_kind kind,
                       const char *part)
{
    if (!error)
        test_fail(__FILE__, line, "no error, expected kind %d", kind);
    pistachio_error_kind got = pistachio_error_get_kind(error);
    bool is_right = got == kind && strstr(pistachio_error_message(error), part);
    if (!is_right)
        fprintf(stderr, "kind %d: %s\n", got, pistachio_error_message(error));
    pistachio_error_free(error);
    if (!is_right)
        test_fail(__FILE__, line, "expected kind %d, \"%s\"", kind, part);
}

#define CHECK_KIND(call, kind, part) check_kind(__LINE__, (call), PISTACHIO_ERROR_##kind, (part))

/* ---- NULL: one function for each of the header's ---- */

static void null_pistachio_error_get_kind(void)
{
    CHECK_EQ(pistachio_error_get_kind(NULL), 0);
}

static void null_pistachio_error_message(void)
{
    CHECK_TEXT_EQ(pistachio_error_message(NULL), "");
}

static void null_pistachio_error_hint(void)
{
    CHECK(!pistachio_error_hint(NULL));
}

static void null_pistachio_error_position(void)
{
    CHECK_EQ(pistachio_error_position(NULL), -1);
}

static void null_pistachio_error_free(void)
{
    pistachio_error_free(NULL);
}

static void null_pistachio_version(void)
{
    CHECK(strlen(pistachio_version()) > 0);
}

static void null_pistachio_open(void)
{
    pistachio_database *none = database;
    const pistachio_option no_name[] = {{"threads", "1"}, {NULL, "1"}},
                           no_value[] = {{"isa", NULL}};
    CHECK_KIND(pistachio_open(NULL, 0, NULL), INVALID, "\"out\" is NULL");
    CHECK_KIND(pistachio_open(NULL, 1, &none), INVALID, "\"options\" is NULL");
    CHECK(!none);
    CHECK_KIND(pistachio_open(no_name, 2, &none), INVALID, "option 1 has no name");
    CHECK_KIND(pistachio_open(no_value, 1, &none), INVALID, "option 0 has no value");
}

static void null_pistachio_close(void)
{
    pistachio_close(NULL);
}

static void null_pistachio_connect(void)
{
    pistachio_connection *none = connection;
    CHECK_KIND(pistachio_connect(NULL, &none), INVALID, "\"database\" is NULL");
    CHECK(!none);
    CHECK_KIND(pistachio_connect(database, NULL), INVALID, "\"out\" is NULL");
}

static void null_pistachio_disconnect(void)
{
    pistachio_disconnect(NULL);
}

static void null_pistachio_add_table(void)
{
    CHECK_KIND(pistachio_add_table(NULL, "t", "t.parquet"), INVALID, "\"connection\" is NULL");
    CHECK_KIND(pistachio_add_table(connection, "t", NULL), INVALID, "\"path\" is NULL");
}

static void null_pistachio_add_path(void)
{
    CHECK_KIND(pistachio_add_path(NULL, "t.parquet"), INVALID, "\"connection\" is NULL");
    CHECK_KIND(pistachio_add_path(connection, NULL), INVALID, "\"path\" is NULL");
}

static void null_pistachio_query(void)
{
    pistachio_result *none = result;
    const char *rest = NULL;
    CHECK_KIND(pistachio_query(NULL, "SELECT 1", &rest, &none), INVALID, "\"connection\" is NULL");
    CHECK(!none);
    CHECK_TEXT_EQ(rest, "");
    CHECK_KIND(pistachio_query(connection, NULL, &rest, &none), INVALID, "\"sql\" is NULL");
    CHECK_TEXT_EQ(rest, "");
    CHECK_KIND(pistachio_query(connection, "SELECT 1", NULL, NULL), INVALID, "\"out\" is NULL");
}

static void null_pistachio_cancel(void)
{
    pistachio_cancel(NULL);
}

static void null_pistachio_progress(void)
{
    uint64_t done = 1, total = 1;
    pistachio_progress(NULL, &done, &total);
    CHECK(!done && !total);
    pistachio_progress(connection, NULL, NULL);
}

static void null_pistachio_column_count(void)
{
    CHECK_EQ(pistachio_column_count(NULL), 0);
}

static void null_pistachio_column_name(void)
{
    CHECK(!pistachio_column_name(NULL, 0));
}

static void null_pistachio_column_type(void)
{
    CHECK(!pistachio_column_type(NULL, 0));
}

static void null_pistachio_column_get_class(void)
{
    CHECK_EQ(pistachio_column_get_class(NULL, 0), PISTACHIO_CLASS_OTHER);
}

static void null_pistachio_next(void)
{
    const pistachio_batch *none = batch;
    CHECK_KIND(pistachio_next(NULL, &none), INVALID, "\"result\" is NULL");
    CHECK(!none);
    CHECK_KIND(pistachio_next(result, NULL), INVALID, "\"out\" is NULL");
}

static void null_pistachio_batch_ref(void)
{
    CHECK(!pistachio_batch_ref(NULL));
}

static void null_pistachio_batch_unref(void)
{
    pistachio_batch_unref(NULL);
}

static void null_pistachio_batch_rows(void)
{
    CHECK_EQ(pistachio_batch_rows(NULL), 0);
}

static void null_pistachio_is_null(void)
{
    CHECK(pistachio_is_null(NULL, 0, 0));
}

static void null_pistachio_text(void)
{
    size_t bytes = 1;
    CHECK(!pistachio_text(NULL, 0, 0, &bytes));
    CHECK_EQ(bytes, 0);
    CHECK(!memcmp(pistachio_text(batch, 0, 0, NULL), "1", 1));
}

static void null_pistachio_rows_written(void)
{
    CHECK_EQ(pistachio_rows_written(NULL), 0);
}

static void null_pistachio_memory_peak(void)
{
    CHECK_EQ(pistachio_memory_peak(NULL), 0);
}

static void null_pistachio_notice(void)
{
    CHECK(!pistachio_notice(NULL, 0));
}

static void null_pistachio_statement_notice(void)
{
    CHECK(!pistachio_statement_notice(NULL, 0));
}

static void null_pistachio_tag(void)
{
    CHECK(!pistachio_tag(NULL));
}

static void null_pistachio_cache_table(void)
{
    const char *const columns[] = {"a", NULL};
    CHECK_KIND(pistachio_cache_table(NULL, "t", NULL, 0), INVALID, "\"connection\" is NULL");
    CHECK_KIND(pistachio_cache_table(connection, NULL, NULL, 0), INVALID, "\"table\" is NULL");
    CHECK_KIND(pistachio_cache_table(connection, "t", NULL, 1), INVALID, "\"columns\" is NULL");
    CHECK_KIND(pistachio_cache_table(connection, "t", columns, 2), INVALID, "\"columns\" is NULL");
}

static void null_pistachio_cache_clear(void)
{
    CHECK_KIND(pistachio_cache_clear(NULL), INVALID, "\"connection\" is NULL");
}

static void null_pistachio_memory_exported(void)
{
    CHECK_EQ(pistachio_memory_exported(NULL), 0);
}

static void null_pistachio_connect_session(void)
{
    pistachio_connection *none = connection;
    CHECK_KIND(pistachio_connect_session(NULL, &none), INVALID, "\"database\" is NULL");
    CHECK(!none);
    CHECK_KIND(pistachio_connect_session(database, NULL), INVALID, "\"out\" is NULL");
}

static void null_pistachio_prepare(void)
{
    pistachio_statement *none = (pistachio_statement *)(void *)result;
    const char *rest = NULL;
    CHECK_KIND(pistachio_prepare(NULL, "SELECT 1", &rest, &none), INVALID,
               "\"connection\" is NULL");
    CHECK(!none);
    CHECK_TEXT_EQ(rest, "");
    CHECK_KIND(pistachio_prepare(connection, NULL, &rest, &none), INVALID, "\"sql\" is NULL");
    CHECK_KIND(pistachio_prepare(connection, "SELECT 1", NULL, NULL), INVALID, "\"out\" is NULL");
}

static void null_pistachio_statement_column_count(void)
{
    CHECK_EQ(pistachio_statement_column_count(NULL), 0);
}

static void null_pistachio_statement_column_name(void)
{
    CHECK(!pistachio_statement_column_name(NULL, 0));
}

static void null_pistachio_statement_column_type(void)
{
    CHECK(!pistachio_statement_column_type(NULL, 0));
}

static void null_pistachio_parameter_count(void)
{
    CHECK_EQ(pistachio_parameter_count(NULL), 0);
}

static void null_pistachio_parameter_name(void)
{
    CHECK(!pistachio_parameter_name(NULL, 0));
}

static void null_pistachio_parameter_type(void)
{
    CHECK(!pistachio_parameter_type(NULL, 0));
}

static void null_pistachio_bind_null(void)
{
    CHECK_KIND(pistachio_bind_null(NULL, 0), INVALID, "\"statement\" is NULL");
}

static void null_pistachio_bind_boolean(void)
{
    CHECK_KIND(pistachio_bind_boolean(NULL, 0, true), INVALID, "\"statement\" is NULL");
}

static void null_pistachio_bind_int64(void)
{
    CHECK_KIND(pistachio_bind_int64(NULL, 0, 1), INVALID, "\"statement\" is NULL");
}

static void null_pistachio_bind_double(void)
{
    CHECK_KIND(pistachio_bind_double(NULL, 0, 1), INVALID, "\"statement\" is NULL");
}

static void null_pistachio_bind_text(void)
{
    CHECK_KIND(pistachio_bind_text(NULL, 0, "a", 1), INVALID, "\"statement\" is NULL");
    CHECK_KIND(pistachio_bind_text(NULL, 0, NULL, 1), INVALID, "\"text\" is NULL");
}

static void null_pistachio_execute(void)
{
    pistachio_result *none = result;
    CHECK_KIND(pistachio_execute(NULL, &none), INVALID, "\"statement\" is NULL");
    CHECK(!none);
    CHECK_KIND(pistachio_execute(NULL, NULL), INVALID, "\"out\" is NULL");
}

static void null_pistachio_statement_cancel(void)
{
    pistachio_statement_cancel(NULL);
}

static void null_pistachio_statement_free(void)
{
    pistachio_statement_free(NULL);
}

static void null_pistachio_add_arrow(void)
{
    struct ArrowArrayStream stream = {0};
    CHECK_KIND(pistachio_add_arrow(NULL, "t", &stream), INVALID, "\"connection\" is NULL");
    CHECK_KIND(pistachio_add_arrow(connection, NULL, &stream), INVALID, "\"name\" is NULL");
    CHECK_KIND(pistachio_add_arrow(connection, "t", NULL), INVALID, "\"stream\" is NULL");
}

static void null_pistachio_dlpack(void)
{
    struct DLManagedTensorVersioned *tensor = (void *)&connection;
    CHECK_KIND(pistachio_dlpack(NULL, 0, &tensor), INVALID, "\"batch\" is NULL");
    CHECK(!tensor);
    CHECK_KIND(pistachio_dlpack(batch, 0, NULL), INVALID, "\"out\" is NULL");
    CHECK_KIND(pistachio_dlpack(batch, 3, &tensor), INVALID, "no column 3");
}

static void null_pistachio_arrow_dlpack(void)
{
    struct DLManagedTensorVersioned *tensor = (void *)&connection;
    const struct ArrowArray none = {0};
    CHECK_KIND(pistachio_arrow_dlpack(NULL, 0, &tensor), INVALID, "\"rows\" is NULL");
    CHECK(!tensor);
    CHECK_KIND(pistachio_arrow_dlpack(&none, 0, NULL), INVALID, "\"out\" is NULL");
}

static void null_pistachio_arrow_schema(void)
{
    struct ArrowSchema schema;
    CHECK_KIND(pistachio_arrow_schema(NULL, &schema), INVALID, "\"result\" is NULL");
    CHECK(!schema.release);
    CHECK_KIND(pistachio_arrow_schema(result, NULL), INVALID, "\"out\" is NULL");
}

static void null_pistachio_statement_schema(void)
{
    struct ArrowSchema schema;
    CHECK_KIND(pistachio_statement_schema(NULL, &schema), INVALID, "\"statement\" is NULL");
    CHECK(!schema.release);
    CHECK_KIND(pistachio_statement_schema(NULL, NULL), INVALID, "\"out\" is NULL");
}

static void null_pistachio_arrow_stream(void)
{
    struct ArrowArrayStream stream;
    CHECK_KIND(pistachio_arrow_stream(NULL, &stream), INVALID, "\"result\" is NULL");
    CHECK(!stream.release);
    CHECK_KIND(pistachio_arrow_stream(result, NULL), INVALID, "\"out\" is NULL");
}

static void null_pistachio_arrow_device_stream(void)
{
    struct ArrowDeviceArrayStream stream;
    CHECK_KIND(pistachio_arrow_device_stream(NULL, &stream), INVALID, "\"result\" is NULL");
    CHECK(!stream.release);
    CHECK_KIND(pistachio_arrow_device_stream(result, NULL), INVALID, "\"out\" is NULL");
}

static void null_pistachio_result_free(void)
{
    pistachio_result_free(NULL);
}

static const struct {
    const char *name;
    void (*check)(void);
} functions[] = {
#define FUNCTION(name)                                                                             \
    {                                                                                              \
#name, null_##name                                                                         \
    }
    FUNCTION(pistachio_error_get_kind),
    FUNCTION(pistachio_error_message),
    FUNCTION(pistachio_error_hint),
    FUNCTION(pistachio_error_position),
    FUNCTION(pistachio_error_free),
    FUNCTION(pistachio_version),
    FUNCTION(pistachio_open),
    FUNCTION(pistachio_close),
    FUNCTION(pistachio_connect),
    FUNCTION(pistachio_disconnect),
    FUNCTION(pistachio_add_table),
    FUNCTION(pistachio_cache_clear),
    FUNCTION(pistachio_cache_table),
    FUNCTION(pistachio_add_path),
    FUNCTION(pistachio_query),
    FUNCTION(pistachio_cancel),
    FUNCTION(pistachio_progress),
    FUNCTION(pistachio_column_count),
    FUNCTION(pistachio_column_name),
    FUNCTION(pistachio_column_type),
    FUNCTION(pistachio_column_get_class),
    FUNCTION(pistachio_next),
    FUNCTION(pistachio_batch_ref),
    FUNCTION(pistachio_batch_unref),
    FUNCTION(pistachio_batch_rows),
    FUNCTION(pistachio_is_null),
    FUNCTION(pistachio_text),
    FUNCTION(pistachio_tag),
    FUNCTION(pistachio_notice),
    FUNCTION(pistachio_statement_notice),
    FUNCTION(pistachio_rows_written),
    FUNCTION(pistachio_memory_peak),
    FUNCTION(pistachio_memory_exported),
    FUNCTION(pistachio_connect_session),
    FUNCTION(pistachio_prepare),
    FUNCTION(pistachio_statement_column_count),
    FUNCTION(pistachio_statement_column_name),
    FUNCTION(pistachio_statement_column_type),
    FUNCTION(pistachio_parameter_count),
    FUNCTION(pistachio_parameter_name),
    FUNCTION(pistachio_parameter_type),
    FUNCTION(pistachio_bind_null),
    FUNCTION(pistachio_bind_boolean),
    FUNCTION(pistachio_bind_int64),
    FUNCTION(pistachio_bind_double),
    FUNCTION(pistachio_bind_text),
    FUNCTION(pistachio_execute),
    FUNCTION(pistachio_statement_cancel),
    FUNCTION(pistachio_statement_free),
    FUNCTION(pistachio_add_arrow),
    FUNCTION(pistachio_dlpack),
    FUNCTION(pistachio_arrow_dlpack),
    FUNCTION(pistachio_arrow_schema),
    FUNCTION(pistachio_statement_schema),
    FUNCTION(pistachio_arrow_stream),
    FUNCTION(pistachio_arrow_device_stream),
    FUNCTION(pistachio_result_free),
#undef FUNCTION
};
#define FUNCTION_COUNT (sizeof functions / sizeof *functions)

static bool is_listed(const char *name, size_t bytes)
{
    for (size_t i = 0; i < FUNCTION_COUNT; i++)
        if (strlen(functions[i].name) == bytes && !memcmp(functions[i].name, name, bytes))
            return true;
    return false;
}

/* A declaration begins with PISTACHIO_API; its name is the first word that a parenthesis follows.
 */
TEST(list_has_all_functions_of_the_header)
{
    char path[600], line[400];
    size_t count = 0;
    snprintf(path, sizeof path, "%s/include/pistachio/pistachio.h", test_source());
    FILE *header = fopen(path, "r");
    CHECK(header != NULL);
    while (fgets(line, sizeof line, header)) {
        char *open = strncmp(line, "PISTACHIO_API ", 14) ? NULL : strchr(line, '(');
        if (!open)
            continue;
        char *name = open;
        while (name > line && (name[-1] == '_' || (name[-1] >= 'a' && name[-1] <= 'z') ||
                               (name[-1] >= '0' && name[-1] <= '9')))
            name--;
        if (!is_listed(name, (size_t)(open - name)))
            test_fail(__FILE__, __LINE__, "%.*s is not called with NULL", (int)(open - name), name);
        count++;
    }
    fclose(header);
    CHECK_EQ(count, FUNCTION_COUNT);
}

TEST(null_is_taken_or_an_error)
{
    open_all();
    for (size_t i = 0; i < FUNCTION_COUNT; i++)
        functions[i].check();
    close_all();
}

/* ---- numbers out of range ---- */

TEST(columns_and_rows_out_of_range)
{
    static const uint32_t columns[] = {3, 4, 1000, UINT32_MAX};
    static const uint64_t rows[] = {2, 3, 64, UINT32_MAX, UINT64_MAX};
    open_all();
    for (size_t c = 0; c < sizeof columns / sizeof *columns; c++) {
        size_t bytes = 1;
        CHECK(!pistachio_column_name(result, columns[c]));
        CHECK(!pistachio_column_type(result, columns[c]));
        CHECK_EQ(pistachio_column_get_class(result, columns[c]), PISTACHIO_CLASS_OTHER);
        CHECK(pistachio_is_null(batch, columns[c], 0));
        CHECK(!pistachio_text(batch, columns[c], 0, &bytes) && !bytes);
    }
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        for (uint32_t c = 0; c < 3; c++) {
            size_t bytes = 1;
            CHECK(pistachio_is_null(batch, c, rows[r]));
            CHECK(!pistachio_text(batch, c, rows[r], &bytes) && !bytes);
        }
    CHECK_EQ(pistachio_column_get_class(result, 2), PISTACHIO_CLASS_BOOLEAN);
    close_all();
}

TEST(results_without_rows_and_columns)
{
    static const char *const statements[] = {"SET threads = 1", "CREATE VIEW w AS SELECT 1",
                                             "SHOW TABLES"};
    open_all();
    for (size_t i = 0; i < 3; i++) {
        pistachio_result *other;
        const pistachio_batch *rows;
        CHECK(!pistachio_query(connection, statements[i], NULL, &other));
        uint32_t count = pistachio_column_count(other);
        CHECK_EQ(count, i == 2 ? 4 : 0);
        CHECK(!pistachio_column_name(other, count));
        CHECK(!pistachio_column_type(other, count));
        CHECK_EQ(pistachio_column_get_class(other, count), PISTACHIO_CLASS_OTHER);
        CHECK(!pistachio_next(other, &rows));
        CHECK_EQ(rows != NULL, i == 2);
        CHECK(!pistachio_next(other, &rows) && !rows);
        pistachio_result_free(other);
    }
    close_all();
}

/* ---- kinds of errors ---- */

static pistachio_error *query_error(const char *sql)
{
    pistachio_result *none;
    pistachio_error *error = pistachio_query(connection, sql, NULL, &none);
    CHECK(error && !none);
    return error;
}

TEST(settings_fail_by_their_kind)
{
    const pistachio_option unknown = {"thread", "1"}, wrong = {"threads", "many"};
    pistachio_database *none;
    open_all();
    CHECK_KIND(pistachio_open(&unknown, 1, &none), NOT_FOUND, "no setting named \"thread\"");
    CHECK_KIND(pistachio_open(&wrong, 1, &none), INVALID, "threads cannot be \"many\"");
    CHECK_KIND(query_error("SET thread = 1"), NOT_FOUND, "no setting named \"thread\"");
    CHECK_KIND(query_error("RESET thread"), NOT_FOUND, "no setting named \"thread\"");
    CHECK_KIND(query_error("SHOW thread"), NOT_FOUND, "no setting named \"thread\"");
    CHECK_KIND(query_error("SET threads = 'many'"), INVALID, "threads cannot be \"many\"");
    close_all();
}

TEST(missing_paths_are_not_found)
{
    char sql[800], path[600];
    open_all();
    snprintf(path, sizeof path, "%s/none.parquet", test_folder());
    CHECK_KIND(pistachio_add_path(connection, path), NOT_FOUND, "none.parquet");
    CHECK_KIND(pistachio_add_table(connection, "t", path), NOT_FOUND, "none.parquet");
    CHECK_KIND(pistachio_add_path(connection, "/nowhere/*.parquet"), NOT_FOUND, "/nowhere");
    CHECK_KIND(pistachio_add_path(connection, test_folder()), NOT_FOUND, "no Parquet files");
    CHECK_KIND(pistachio_add_path(connection, ""), NOT_FOUND, "");
    CHECK_KIND(pistachio_add_table(connection, "", path), INVALID, "empty");
    snprintf(sql, sizeof sql, "SELECT * FROM '%s'", path);
    CHECK_KIND(query_error(sql), NOT_FOUND, "none.parquet");
    CHECK_KIND(query_error("COPY (SELECT 1) TO '/nowhere/x.parquet'"), NOT_FOUND, "/nowhere");
    CHECK_KIND(query_error("SELECT * FROM nothing"), NOT_FOUND, "nothing");
    CHECK_KIND(query_error("SELECT missing FROM (VALUES (1)) v(i)"), NOT_FOUND, "missing");
    CHECK_KIND(query_error("SELECT nofunction(1)"), NOT_FOUND, "nofunction");
    close_all();
}

/* ---- names of tables ---- */

static void make_table(const char *path)
{
    char sql[700];
    pistachio_result *copy;
    snprintf(sql, sizeof sql, "COPY (SELECT 1 AS x) TO '%s'", path);
    CHECK(!pistachio_query(connection, sql, NULL, &copy));
    pistachio_result_free(copy);
}

TEST(names_are_not_replaced)
{
    const char *home = test_folder();
    char one[600], two[600], folder[600], in_folder[700];
    pistachio_result *other;
    open_all();
    snprintf(one, sizeof one, "%s/one.parquet", home);
    snprintf(two, sizeof two, "%s/two.parquet", home);
    make_table(one);
    make_table(two);
    CHECK(!pistachio_add_table(connection, "t", one));
    CHECK_KIND(pistachio_add_table(connection, "t", two), INVALID, "a table named \"t\" already");
    CHECK_KIND(pistachio_add_table(connection, "t", one), INVALID, "a table named \"t\" already");
    CHECK(!pistachio_add_table(connection, "T", two));
    CHECK(!pistachio_query(connection, "CREATE VIEW w AS SELECT 1", NULL, &other));
    pistachio_result_free(other);
    CHECK_KIND(pistachio_add_table(connection, "w", two), INVALID, "a view named \"w\" already");
    CHECK(!pistachio_add_path(connection, two));
    CHECK_KIND(pistachio_add_path(connection, two), INVALID, "a table named \"two\" already");
    /* A folder's tables are added all or none: "one" is free, "two" is not. */
    CHECK_KIND(pistachio_add_path(connection, home), INVALID, "named \"two\" already");
    CHECK_KIND(query_error("SELECT * FROM one"), NOT_FOUND, "one");
    /* In a folder, a file and a folder of one name. */
    snprintf(folder, sizeof folder, "%s/twins", home);
    snprintf(in_folder, sizeof in_folder, "%s/same", folder);
    CHECK(!mkdir(folder, 0777) && !mkdir(in_folder, 0777));
    snprintf(in_folder, sizeof in_folder, "%s/same/part.parquet", folder);
    make_table(in_folder);
    snprintf(in_folder, sizeof in_folder, "%s/same.parquet", folder);
    make_table(in_folder);
    CHECK_KIND(pistachio_add_path(connection, folder), INVALID, "named \"same\" already");
    CHECK_KIND(query_error("SELECT * FROM same"), NOT_FOUND, "same");
    close_all();
}
