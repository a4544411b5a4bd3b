/* Arrow streams as tables: every layout, on each device and over ranks, within memory_limit, again and
 * again, and what is hostile. Rows that are expected are what the arrays were made of. Types as clients
 * make them: tests/clients. */
#include "arrow_feed.h"
#include "base/fault.h"
#include "exec/scan/column_cache.h"
#include "parquet/table/footer.h"
#include "run_statement.h"
#include "test.h"

typedef struct world {
    pistachio_database *database;
    pistachio_connection *connection;
} world;

static world open_world(const pistachio_option *options, size_t count)
{
    world w;
    check_none(pistachio_open(options, count, &w.database));
    check_none(pistachio_connect(w.database, &w.connection));
    return w;
}

static void close_world(world *w)
{
    pistachio_disconnect(w->connection);
    pistachio_close(w->database);
    pq_footer_cache_clear();
    column_cache_clear();
}

static void fails(pistachio_error *error, pistachio_error_kind kind, const char *part)
{
    CHECK_EQ((int)pistachio_error_get_kind(error), (int)kind);
    if (!strstr(pistachio_error_message(error), part))
        test_fail(__FILE__, __LINE__, "message is \"%s\"", pistachio_error_message(error));
    pistachio_error_free(error);
}

static void add(const world *w, const char *name, arrow_feed *feed)
{
    struct ArrowArrayStream stream = arrow_feed_open(feed);
    check_none(pistachio_add_arrow(w->connection, name, &stream));
    CHECK(!stream.release);
    CHECK_EQ(feed->open, 0);
}

/* The rows as text: cells behind one another with a space between, rows with a newline. */
static void check_rows(const world *w, const char *sql, const char *expected)
{
    char rows[4096] = "";
    pistachio_result *result;
    const pistachio_batch *batch;
    size_t length = 0;
    check_none(pistachio_query(w->connection, sql, NULL, &result));
    for (;;) {
        check_none(pistachio_next(result, &batch));
        if (!batch)
            break;
        for (uint64_t row = 0; row < pistachio_batch_rows(batch); row++)
            for (uint32_t c = 0; c < pistachio_column_count(result); c++) {
                size_t bytes = 4;
                const char *text = pistachio_text(batch, c, row, &bytes);
                bool is_last = c + 1 == pistachio_column_count(result);
                length += (size_t)snprintf(rows + length, sizeof rows - length, "%.*s%s",
                                           text ? (int)bytes : 4, text ? text : "NULL",
                                           is_last ? "\n" : " ");
                CHECK(length < sizeof rows);
            }
    }
    pistachio_result_free(result);
    CHECK_TEXT_EQ(rows, expected);
}

/* ---- layouts ---- */

#define LONG "a text that does not lie in its view"

static const uint8_t second_is_null[] = {0xfd}, third_is_null[] = {0xfb};
static const int32_t numbers[] = {70, 71, 72, 73}, offsets[] = {0, 1, 1, 37, 39};
static const int64_t large_offsets[] = {0, 1, 1, 37, 39};
static const char texts[] = "x" LONG "yz";
static const uint8_t codes[] = {1, 0, 2, 1}, booleans[] = {0x0d};
static const int64_t view_lengths[] = {sizeof LONG - 1};
static const struct view {
    int32_t bytes;
    char prefix[4];
    int32_t buffer, offset;
} views[] = {{1, "x", 0, 0}, {0, "", 0, 0}, {36, "a te", 0, 0}, {2, "yz", 0, 0}};
static const int32_t entry_offsets[] = {0, 1, 37, 39};
static const char entry_texts[] = "x" LONG "yz";
static const arrow_feed_column text_entries = {
    "u", "", {third_is_null, entry_offsets, entry_texts}, 3, 3, 0, 1, NULL};

/* Rows 0 to 3 of each layout of texts; the second is NULL in two of them. */
static const arrow_feed_column text_columns[] = {
    {"i", "n", {NULL, numbers}, 2, 4, 0, 0, NULL},
    {"u", "s", {NULL, offsets, texts}, 3, 4, 0, 0, NULL},
    {"U", "l", {second_is_null, large_offsets, texts}, 3, 4, 0, 1, NULL},
    {"vu", "v", {second_is_null, views, LONG, view_lengths}, 4, 4, 0, -1, NULL},
    {"C", "d", {NULL, codes}, 2, 4, 0, 0, &text_entries},
    {"b", "b", {third_is_null, booleans}, 2, 4, 0, 1, NULL},
    {"z", "z", {NULL, offsets, texts}, 3, 4, 0, 0, NULL},
    {"n", "u", {NULL}, 0, 4, 0, 4, NULL},
};
#define TEXT_ROWS                                                                                  \
    "70 x x x " LONG " true NULL\n"                                                                \
    "71  NULL NULL x false NULL\n"                                                                 \
    "72 " LONG " " LONG " " LONG " NULL NULL NULL\n"                                               \
    "73 yz yz yz " LONG " true NULL\n"

static const char text_query[] = "SELECT n, s, l, v, d, b, u FROM t ORDER BY n";

static void check_layouts(const pistachio_option *options, size_t count)
{
    world w = open_world(options, count);
    arrow_feed feed = {.columns = text_columns, .column_count = 8, .length = 4, .arrays = 1};
    add(&w, "t", &feed);
    check_rows(&w, text_query, TEXT_ROWS);
    check_rows(&w, "SELECT count(DISTINCT z), min(z), count(z) FROM t", "4 \\x 4\n");
    check_rows(&w, "SELECT count(*) FROM t JOIN t u ON t.s = u.v", "3\n"); /* twice in one plan */
    close_world(&w);
}

TEST(every_layout_of_text)
{
    check_layouts(NULL, 0);
}

TEST(on_a_device_with_memory_of_its_own)
{
    const pistachio_option simulated[] = {{"device", "simulated"}, {"threads", "2"}};
    check_layouts(simulated, 2);
}

TEST(over_ranks)
{
    const pistachio_option ranks[] = {{"ranks", "3"}, {"distribute", "always"}, {"threads", "3"}};
    check_layouts(ranks, 3);
}

TEST(offsets_and_validity_of_rows)
{
    static const uint8_t rows_valid[] = {0x0d}; /* not row 1 */
    static const arrow_feed_column columns[] = {
        {"i", "n", {NULL, numbers}, 2, 3, 1, 0, NULL},
        {"u", "s", {second_is_null, offsets, texts}, 3, 3, 1, -1, NULL},
    };
    world w = open_world(NULL, 0);
    arrow_feed feed = {.columns = columns,
                       .column_count = 2,
                       .length = 2,
                       .offset = 1,
                       .null_count = 1,
                       .validity = rows_valid,
                       .arrays = 2};
    add(&w, "t", &feed);
    check_rows(&w, "SELECT * FROM t ORDER BY 1", "73 yz\n73 yz\nNULL NULL\nNULL NULL\n");
    close_world(&w);
}

TEST(other_units_and_widths)
{
    static const uint16_t halves[] = {0x3e00, 0xc000}; /* 1.5, -2 */
    static const int64_t milliseconds[] = {-1, 86400000}, large_days[] = {-86400000, 172800000};
    static const int32_t seconds[] = {1, 86399}, small[] = {-12345, 1};
    static const __int128 decimals[] = {-1250, 99999};
    static const arrow_feed_column columns[] = {
        {"e", "e", {NULL, halves}, 2, 2, 0, 0, NULL},
        {"tsm:", "ts", {NULL, milliseconds}, 2, 2, 0, 0, NULL},
        {"tdm", "d", {NULL, large_days}, 2, 2, 0, 0, NULL},
        {"tts", "t", {NULL, seconds}, 2, 2, 0, 0, NULL},
        {"d:5,2", "x", {NULL, decimals}, 2, 2, 0, 0, NULL},
        {"d:5,2,32", "y", {NULL, small}, 2, 2, 0, 0, NULL},
        {"w:3", "z", {NULL, "abcdef"}, 2, 2, 0, 0, NULL},
    };
    world w = open_world(NULL, 0);
    arrow_feed feed = {.columns = columns, .column_count = 7, .length = 2, .arrays = 1};
    add(&w, "t", &feed);
    check_rows(&w, "SELECT * FROM t",
               "1.5 1969-12-31 23:59:59.999 1969-12-31 00:00:01 -12.50 -123.45 \\x616263\n"
               "-2 1970-01-02 00:00:00 1970-01-03 23:59:59 999.99 0.01 \\x646566\n");
    close_world(&w);
}

/* ---- how tables live ---- */

TEST(no_rows)
{
    world w = open_world(NULL, 0);
    arrow_feed feed = {.columns = text_columns, .column_count = 8};
    add(&w, "t", &feed);
    check_rows(&w, "SELECT count(*), min(s) FROM t", "0 NULL\n");
    feed.arrays = 3; /* of no rows */
    add(&w, "t", &feed);
    check_rows(&w, "SELECT count(*), min(s) FROM t", "0 NULL\n");
    close_world(&w);
}

TEST(many_arrays_within_memory_limit)
{
    static int64_t many[20000];
    static const arrow_feed_column columns[] = {{"l", "x", {NULL, many}, 2, 20000, 0, 0, NULL}};
    const pistachio_option options[] = {{"memory_limit", "24MiB"}, {"threads", "2"}};
    world w = open_world(options, 2);
    arrow_feed feed = {.columns = columns, .column_count = 1, .length = 20000, .arrays = 100};
    for (int64_t i = 0; i < 20000; i++)
        many[i] = i;
    add(&w, "t", &feed);
    check_rows(&w, "SELECT count(*), sum(x), max(x) FROM t", "2000000 19999000000 19999\n");
    CHECK(pistachio_memory_peak(w.connection) <= 24 << 20);
    close_world(&w);
}

/* A column of 64 KB texts, all the same: 32 MiB of them. */
TEST(long_texts_within_memory_limit)
{
    static char text[65536];
    static struct view repeated[512];
    static const int64_t length[] = {sizeof text};
    static const arrow_feed_column columns[] = {
        {"vu", "x", {NULL, repeated, text, length}, 4, 512, 0, 0, NULL}};
    const pistachio_option options[] = {{"memory_limit", "96MiB"}, {"threads", "2"}};
    world w = open_world(options, 2);
    arrow_feed feed = {.columns = columns, .column_count = 1, .length = 512, .arrays = 4};
    memset(text, 'x', sizeof text);
    for (size_t i = 0; i < 512; i++)
        repeated[i] = (struct view){sizeof text, "xxxx", 0, 0};
    add(&w, "t", &feed);
    check_rows(&w, "SELECT count(*), min(length(x)) FROM t", "2048 65536\n");
    close_world(&w);
}

TEST(tables_are_replaced_by_their_like_alone)
{
    world w = open_world(NULL, 0);
    arrow_feed feed = {.columns = text_columns, .column_count = 1, .length = 4, .arrays = 1};
    struct ArrowArrayStream stream;
    pistachio_result *result;
    add(&w, "t", &feed);
    feed.arrays = 2;
    add(&w, "t", &feed);
    check_rows(&w, "SELECT count(*) FROM t", "8\n");
    check_none(pistachio_query(w.connection, "CREATE VIEW v AS SELECT 1 AS x", NULL, &result));
    pistachio_result_free(result);
    stream = arrow_feed_open(&feed);
    fails(pistachio_add_arrow(w.connection, "v", &stream), PISTACHIO_ERROR_INVALID,
          "there is a view named \"v\"");
    CHECK_EQ(feed.open, 0);
    CHECK_EQ(feed.calls, 0); /* nothing was read */
    close_world(&w);
}

TEST(tables_of_a_session)
{
    world w = open_world(NULL, 0), session = {.database = w.database};
    arrow_feed feed = {.columns = text_columns, .column_count = 1, .length = 4, .arrays = 1};
    pistachio_result *result;
    check_none(pistachio_connect_session(w.database, &session.connection));
    add(&session, "t", &feed);
    check_rows(&session, "SELECT sum(n) FROM t", "286\n");
    fails(pistachio_query(w.connection, "SELECT sum(n) FROM t", NULL, &result),
          PISTACHIO_ERROR_NOT_FOUND, "\"t\"");
    pistachio_disconnect(session.connection);
    close_world(&w);
}

/* ---- what is refused ---- */

TEST(wrong_arguments)
{
    world w = open_world(NULL, 0);
    arrow_feed feed = {.columns = text_columns, .column_count = 1, .length = 4, .arrays = 1};
    struct ArrowArrayStream stream = {0};
    fails(pistachio_add_arrow(w.connection, "t", NULL), PISTACHIO_ERROR_INVALID, "stream");
    fails(pistachio_add_arrow(w.connection, "t", &stream), PISTACHIO_ERROR_INVALID, "released");
    stream = arrow_feed_open(&feed);
    fails(pistachio_add_arrow(NULL, "t", &stream), PISTACHIO_ERROR_INVALID, "connection");
    CHECK_EQ(feed.open, 0);
    stream = arrow_feed_open(&feed);
    fails(pistachio_add_arrow(w.connection, NULL, &stream), PISTACHIO_ERROR_INVALID, "name");
    CHECK_EQ(feed.open, 0);
    stream = arrow_feed_open(&feed);
    fails(pistachio_add_arrow(w.connection, "", &stream), PISTACHIO_ERROR_INVALID, "empty");
    CHECK_EQ(feed.open, 0);
    close_world(&w);
}

static const int32_t falling[] = {0, 3, 2}, negative[] = {-1, 3, 4}, ones[] = {1, 2};
static const int64_t ten[] = {10};
static const uint8_t far_codes[] = {7}, latin1[] = {'a', 0xe9, 'b'};
static const struct view hostile_views[] = {
    {20, "abcd", 0, 0}, {-1, "abcd", 0, 0}, {20, "abcd", 3, 0}, {13, "abcd", 0, -4}};
static const int32_t three[] = {0, 3};
static const __int128 wide[] = {123456};

/* ---- lists, structs and maps ---- */

static const int32_t four[] = {10, 20, 30, 40}, two_lists[] = {0, 3, 4}, far_lists[] = {0, 3, 9};
static const int32_t list_places[] = {2, 0}, list_lengths[] = {2, 3}, far_places[] = {2, 3},
                     negative_lengths[] = {2, -1};
#define LAST_CHILD                                                                                 \
    {                                                                                              \
        NULL, NULL, {NULL}, 0, 0, 0, 0, NULL                                                       \
    }
static const arrow_feed_column four_numbers[] = {
    {"i", "item", {second_is_null, four}, 2, 4, 0, 1, NULL}, LAST_CHILD};
static const arrow_feed_column three_numbers[] = {{"i", "item", {NULL, four}, 2, 3, 1, 0, NULL},
                                                  LAST_CHILD};
static const arrow_feed_column named_texts[] = {
    {"u", "a", {NULL, two_lists, "xyz!"}, 3, 2, 0, 0, NULL},
    {"i", "b", {NULL, four}, 2, 3, 1, 0, NULL},
    LAST_CHILD};
static const arrow_feed_column pairs[] = {{"+s", "entries", {NULL}, 1, 2, 1, 0, four_numbers},
                                          LAST_CHILD};
static const arrow_feed_column key_value[] = {
    {"i", "key", {NULL, four}, 2, 4, 0, 0, NULL},
    {"i", "value", {second_is_null, four}, 2, 4, 0, 1, NULL},
    LAST_CHILD};
static const arrow_feed_column entries[] = {{"+s", "entries", {NULL}, 1, 4, 0, 0, key_value},
                                            LAST_CHILD};
static const arrow_feed_column nested_columns[] = {
    {"+l", "l", {NULL, two_lists}, 2, 2, 0, 0, four_numbers},
    {"+vl", "v", {NULL, list_places, list_lengths}, 3, 2, 0, 0, four_numbers},
    {"+w:2", "f", {NULL}, 1, 2, 0, 0, four_numbers},
    {"+s", "s", {NULL}, 1, 2, 0, 0, named_texts},
    {"+m", "m", {NULL, two_lists}, 2, 2, 0, 0, entries}};

TEST(nested_layouts)
{
    world w = open_world(NULL, 0);
    const uint8_t first_row[] = {0x01};
    arrow_feed feed = {.columns = nested_columns, .column_count = 5, .length = 2, .arrays = 1};
    add(&w, "t", &feed);
    check_rows(&w, "SELECT l::varchar, v::varchar, f::varchar, s::varchar, m::varchar FROM t",
               "[10, NULL, 30] [30, 40] [10, NULL] {'a': xyz, 'b': 20} {10=10, 20=NULL, 30=30}\n"
               "[40] [10, NULL, 30] [30, 40] {'a': !, 'b': 30} {40=40}\n");
    feed = (arrow_feed){.columns = nested_columns,
                        .column_count = 5,
                        .length = 1,
                        .offset = 1,
                        .null_count = 1,
                        .validity = first_row,
                        .arrays = 2};
    add(&w, "n", &feed);
    check_rows(&w,
               "SELECT l IS NULL, v IS NULL, f IS NULL, s IS NULL, m IS NULL, count(*) FROM n "
               "GROUP BY ALL",
               "true true true true true 2\n");
    close_world(&w);
}

static const struct refused {
    const char *message;
    int64_t length;
    arrow_feed_column column;
} refused[] = {
    {"no SQL type", 1, {"+l", "x", {NULL, ones}, 2, 1, 0, 0, NULL}},
    {"no SQL type", 1, {"d:99,2", "x", {NULL, ones}, 2, 1, 0, 0, NULL}},
    {"no SQL type", 1, {NULL, "x", {NULL, ones}, 2, 1, 0, 0, NULL}},
    {"column \"x\" is of type interval", 1, {"tin", "x", {NULL, ones}, 2, 1, 0, 0, NULL}},
    {"negative length", -1, {"i", "x", {NULL, ones}, 2, 1, 0, 0, NULL}},
    {"negative length", 1, {"i", "x", {NULL, ones}, 2, 1, -1, 0, NULL}},
    {"too large", 1, {"i", "x", {NULL, ones}, 2, INT64_MAX, 1, 0, NULL}},
    {"shorter", 3, {"i", "x", {NULL, ones}, 2, 2, 0, 0, NULL}},
    {"number of buffers", 1, {"i", "x", {NULL, ones}, 1, 1, 0, 0, NULL}},
    {"no values", 1, {"i", "x", {NULL, NULL}, 2, 1, 0, 0, NULL}},
    {"offsets of texts", 1, {"u", "x", {NULL, negative, "abc"}, 3, 1, 0, 0, NULL}},
    {"offsets of texts", 2, {"u", "x", {NULL, falling, "abc"}, 3, 2, 0, 0, NULL}},
    {"outside", 1, {"vu", "x", {NULL, &hostile_views[0], "0123456789", ten}, 4, 1, 0, 0, NULL}},
    {"negative length", 1, {"vu", "x", {NULL, &hostile_views[1], "0123", ten}, 4, 1, 0, 0, NULL}},
    {"outside", 1, {"vu", "x", {NULL, &hostile_views[2], "0123456789", ten}, 4, 1, 0, 0, NULL}},
    {"outside", 1, {"vu", "x", {NULL, &hostile_views[3], "0123456789", ten}, 4, 1, 0, 0, NULL}},
    {"how long", 1, {"vu", "x", {NULL, &hostile_views[0], "0123456789", NULL}, 4, 1, 0, 0, NULL}},
    {"code", 1, {"C", "x", {NULL, far_codes}, 2, 1, 0, 0, &text_entries}},
    {"not integers", 1, {"g", "x", {NULL, far_codes}, 2, 1, 0, 0, &text_entries}},
    {"UTF-8 from its byte 1", 1, {"u", "x", {NULL, three, latin1}, 3, 1, 0, 0, NULL}},
    {"more digits", 1, {"d:5,2", "x", {NULL, wide}, 2, 1, 0, 0, NULL}},
    {"valid UTF-8", 1, {"i", "\xff", {NULL, ones}, 2, 1, 0, 0, NULL}},
    {"no SQL type", 1, {"+us:0", "x", {NULL}, 1, 1, 0, 0, four_numbers}},
    {"no SQL type", 1, {"+w:", "x", {NULL}, 1, 1, 0, 0, four_numbers}},
    {"no SQL type", 1, {"+s", "x", {NULL}, 1, 1, 0, 0, NULL}},
    {"maps with", 2, {"+m", "x", {NULL, two_lists}, 2, 2, 0, 0, pairs}},
    {"fewer rows", 2, {"+l", "x", {NULL, far_lists}, 2, 2, 0, 0, four_numbers}},
    {"go back", 2, {"+l", "x", {NULL, falling}, 2, 2, 0, 0, four_numbers}},
    {"go back", 2, {"+l", "x", {NULL, negative}, 2, 2, 0, 0, four_numbers}},
    {"fewer rows", 2, {"+l", "x", {NULL, two_lists}, 2, 2, 0, 0, three_numbers}},
    {"fewer rows", 2, {"+vl", "x", {NULL, far_places, list_lengths}, 3, 2, 0, 0, four_numbers}},
    {"too many", 2, {"+vl", "x", {NULL, list_places, negative_lengths}, 3, 2, 0, 0, four_numbers}},
    {"fewer rows", 3, {"+w:2", "x", {NULL}, 1, 3, 0, 0, four_numbers}},
    {"fewer rows", 3, {"+s", "x", {NULL}, 1, 3, 0, 0, named_texts}},
    {"number of buffers", 2, {"+l", "x", {NULL, two_lists}, 1, 2, 0, 0, four_numbers}},
    {"no values", 2, {"+l", "x", {NULL, NULL}, 2, 2, 0, 0, four_numbers}},
    {"negative length", 2, {"+l", "x", {NULL, two_lists}, 2, 2, -1, 0, four_numbers}},
    {"too large", 2, {"+l", "x", {NULL, two_lists}, 2, INT64_MAX, 1, 0, four_numbers}},
    {"shorter", 3, {"+l", "x", {NULL, two_lists}, 2, 2, 0, 0, four_numbers}},
};

TEST(hostile_arrays)
{
    world w = open_world(NULL, 0);
    pistachio_result *result;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        arrow_feed feed = {.columns = &refused[i].column,
                           .column_count = 1,
                           .length = refused[i].length,
                           .arrays = 2};
        struct ArrowArrayStream stream = arrow_feed_open(&feed);
        pistachio_error *error = pistachio_add_arrow(w.connection, "t", &stream);
        CHECK(error != NULL);
        fails(error, pistachio_error_get_kind(error), refused[i].message);
        CHECK_EQ(feed.open, 0);
    }
    fails(pistachio_query(w.connection, "SELECT * FROM t", NULL, &result),
          PISTACHIO_ERROR_NOT_FOUND, "\"t\"");
    close_world(&w);
}

TEST(streams_that_fail)
{
    world w = open_world(NULL, 0);
    arrow_feed feed = {
        .columns = text_columns, .column_count = 1, .length = 4, .arrays = 3, .fails_at = 2};
    struct ArrowArrayStream stream = arrow_feed_open(&feed);
    fails(pistachio_add_arrow(w.connection, "t", &stream), PISTACHIO_ERROR_INVALID,
          "table \"t\": Arrow stream gives no more rows: the feed was told to fail");
    CHECK_EQ(feed.open, 0);
    feed = (arrow_feed){
        .columns = text_columns, .column_count = 2, .length = 4, .arrays = 1, .array_columns = 1};
    stream = arrow_feed_open(&feed);
    fails(pistachio_add_arrow(w.connection, "t", &stream), PISTACHIO_ERROR_INVALID,
          "1 columns, its schema 2");
    CHECK_EQ(feed.open, 0);
    feed = (arrow_feed){.column_count = 0};
    stream = arrow_feed_open(&feed);
    fails(pistachio_add_arrow(w.connection, "t", &stream), PISTACHIO_ERROR_INVALID, "0 columns");
    CHECK_EQ(feed.open, 0);
    close_world(&w);
}

TEST(no_temporary_folder)
{
    const pistachio_option options[] = {{"temp_directory", "/nowhere"}};
    world w = open_world(options, 1);
    arrow_feed feed = {.columns = text_columns, .column_count = 1, .length = 4, .arrays = 1};
    struct ArrowArrayStream stream = arrow_feed_open(&feed);
    fails(pistachio_add_arrow(w.connection, "t", &stream), PISTACHIO_ERROR_NOT_FOUND, "/nowhere");
    CHECK_EQ(feed.open, 0);
    close_world(&w);
}

/* ---- faults ---- */

/* The nth check of the kind fails; false: there was no nth. */
static bool fails_cleanly(fault_kind kind, uint64_t nth, fault_mode mode)
{
    const pistachio_option options[] = {{"threads", "1"}};
    world w = open_world(options, 1);
    arrow_feed feed = {.columns = text_columns, .column_count = 8, .length = 4, .arrays = 2};
    struct ArrowArrayStream stream = arrow_feed_open(&feed);
    fault_arm(kind, nth, mode);
    pistachio_error *error = pistachio_add_arrow(w.connection, "t", &stream);
    bool has_fired = fault_disarm(kind);
    CHECK(has_fired || !error);
    CHECK_EQ(feed.open, 0);
    if (error)
        CHECK_EQ((int)pistachio_error_get_kind(error),
                 (int)(kind == FAULT_ALLOC ? PISTACHIO_ERROR_NO_MEMORY : PISTACHIO_ERROR_IO));
    pistachio_error_free(error);
    if (error)
        add(&w, "t", &feed);
    check_rows(&w, "SELECT count(*) FROM t", "8\n");
    close_world(&w);
    return has_fired;
}

TEST(each_allocation_read_and_write_may_fail)
{
    static const fault_kind kinds[] = {FAULT_ALLOC, FAULT_READ, FAULT_WRITE};
    unsigned part = test_has_less_to_do() ? 4 : 20;
    for (size_t k = 0; k < 3; k++)
        for (int mode = FAULT_ONCE; mode <= FAULT_ALWAYS; mode++)
            for (uint64_t nth = 1; fails_cleanly(kinds[k], nth, (fault_mode)mode);)
                nth += 1 + nth / part;
}
