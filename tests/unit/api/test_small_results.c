/* Tests of the memory that a client keeps of few rows, which is not the pages that they were read from: as an Arrow
 * stream and as batches; and of a database that is closed nothing but that.
 *
 * test_label: threads
 * test_cost: 30 */
#include "exec/scan/column_cache.h"
#include "parquet/table/footer.h"
#include "pistachio/pistachio.h"
#include "run_statement.h"
#include "test.h"

#define ROWS (test_has_less_to_do() ? 100000 : 400000)
#define KEPT_MAX 64
#define LITTLE (UINT64_C(1) << 20)
/* Rows of lineitem's shape: four rows an order, comments of some 27 bytes that are all different. */
#define LINES                                                                                      \
    "SELECT x / 4 AS l_orderkey, 'carefully regular, ' || x || repeat('.', (x %% 17)::int) AS "    \
    "l_comment, CASE WHEN x %% 3 = 0 THEN 'packages that sleep, ' || x END AS l_note, "            \
    "x::double precision AS l_tax, x::decimal(15,2) AS l_price, (x %% 100)::tinyint AS l_part, "   \
    "CASE WHEN x %% 7 > 0 THEN x::bigint END AS l_key FROM generate_series(0, %d) AS t(x)"

static const char *const statements[] = {
    "SELECT l_comment FROM lineitem WHERE l_orderkey % 1000 = 0",
    "SELECT l_note, l_orderkey FROM lineitem WHERE l_orderkey % 1000 = 0",
    "SELECT * FROM lineitem LIMIT 3",
    "SELECT * FROM lineitem WHERE l_orderkey = 17777",
    "SELECT l_tax, l_price, l_part, l_key FROM lineitem WHERE l_orderkey % 1000 = 0",
    "SELECT l_comment, l_note FROM lineitem ORDER BY l_comment DESC LIMIT 5",
    "SELECT max(l_comment), min(l_note), count(*) FROM lineitem",
};

static pistachio_database *database;
static pistachio_connection *connection;

/* Its texts take ten times as much as a result may hold, with ThreadSanitizer three times. */
static const char *make_file(void)
{
    static char path[512], sql[1024];
    snprintf(path, sizeof path, "%s/lineitem.parquet", test_folder());
    snprintf(sql, sizeof sql, "COPY (" LINES ") TO '%s'", ROWS - 1, path);
    run_alone(sql);
    return path;
}

static void open_all(const char *path, const char *device, const char *threads)
{
    const pistachio_option options[] = {{"device", device}, {"threads", threads}};
    check_none(pistachio_open(options, 2, &database));
    check_none(pistachio_connect(database, &connection));
    check_none(pistachio_add_table(connection, "lineitem", path));
}

static void close_all(void)
{
    pistachio_disconnect(connection);
    pistachio_close(database);
    pq_footer_cache_clear();
    column_cache_clear();
}

static pistachio_result *start(const char *statement)
{
    pistachio_result *result;
    check_none(pistachio_query(connection, statement, NULL, &result));
    return result;
}

/* Returns how many arrays there are. */
static unsigned keep_arrays(pistachio_result *result, struct ArrowArray *kept)
{
    struct ArrowArrayStream stream;
    unsigned count = 0;
    check_none(pistachio_arrow_stream(result, &stream));
    for (;; count++) {
        CHECK(count < KEPT_MAX);
        CHECK_EQ(stream.get_next(&stream, &kept[count]), 0);
        if (!kept[count].release)
            break;
    }
    stream.release(&stream);
    return count;
}

static unsigned keep_batches(pistachio_result *result, const pistachio_batch **kept)
{
    const pistachio_batch *batch;
    unsigned count = 0;
    for (;; count++) {
        check_none(pistachio_next(result, &batch));
        if (!batch)
            break;
        CHECK(count < KEPT_MAX);
        kept[count] = pistachio_batch_ref(batch);
    }
    pistachio_result_free(result);
    return count;
}

static void check_little(const char *what, const char *statement)
{
    uint64_t held = pistachio_memory_exported(connection);
    if (!held || held >= LITTLE)
        test_fail(__FILE__, __LINE__, "%s of \"%s\" hold %llu bytes", what, statement,
                  (unsigned long long)held);
}

static void check_statement(const char *statement)
{
    struct ArrowArray arrays[KEPT_MAX];
    const pistachio_batch *batches[KEPT_MAX];
    unsigned count = keep_arrays(start(statement), arrays);
    check_little("arrays", statement);
    for (unsigned i = 0; i < count; i++)
        arrays[i].release(&arrays[i]);
    CHECK_EQ(pistachio_memory_exported(connection), 0);
    count = keep_batches(start(statement), batches);
    check_little("batches", statement);
    for (unsigned i = 0; i < count; i++)
        pistachio_batch_unref(batches[i]);
    CHECK_EQ(pistachio_memory_exported(connection), 0);
}

static void check_all(const char *path, const char *device, const char *threads)
{
    open_all(path, device, threads);
    for (unsigned i = 0; i < sizeof statements / sizeof *statements; i++)
        check_statement(statements[i]);
    close_all();
}

TEST(small_results_hold_little)
{
    const char *path = make_file();
    if (!test_has_less_to_do())
        check_all(path, "cpu", "1");
    check_all(path, "cpu", "2");
}

TEST(small_results_hold_little_of_the_simulated_device)
{
    check_all(make_file(), "simulated", "2");
}

/* The texts of batches that were made smaller, every value and NULL. */
TEST(texts_are_what_they_were)
{
    const pistachio_batch *kept[KEPT_MAX];
    char expected[80];
    uint64_t at = 0;
    open_all(make_file(), "cpu", "2");
    unsigned count = keep_batches(
        start("SELECT l_comment, l_note FROM lineitem WHERE l_orderkey % 1000 = 0"), kept);
    pistachio_disconnect(connection);
    pistachio_close(database);
    for (unsigned i = 0; i < count; i++) {
        for (uint64_t row = 0; row < pistachio_batch_rows(kept[i]); row++, at++) {
            uint64_t x = at / 4 * 4000 + at % 4;
            size_t bytes;
            const char *text = pistachio_text(kept[i], 0, row, &bytes);
            snprintf(expected, sizeof expected, "carefully regular, %llu%.*s",
                     (unsigned long long)x, (int)(x % 17), ".................");
            CHECK(bytes == strlen(expected) && !memcmp(text, expected, bytes));
            snprintf(expected, sizeof expected, "packages that sleep, %llu", (unsigned long long)x);
            text = pistachio_text(kept[i], 1, row, &bytes);
            CHECK_EQ(!text, x % 3 != 0);
            CHECK(!text || (bytes == strlen(expected) && !memcmp(text, expected, bytes)));
        }
        pistachio_batch_unref(kept[i]);
    }
    CHECK_EQ(at, ROWS / 1000);
    pq_footer_cache_clear();
    column_cache_clear();
}
