/* test_many_groups.c - groups that are more than a cache holds: tables kept aside, rows that pass.
 * test_label: slow threads
 * test_cost: 40 */
#include "parquet/write/writer.h"
#include "run_statement.h"
#include "test.h"

enum { ROWS = 1 << 19, ROW_GROUPS = 4, TEXTS = 20000, TEXT_BYTES = 24 };

static char path[600];

/* Writes the file of all tests, once: t.x = 0, 1, 2 ...; t.s is one of 20,000 texts of its row group's own, NULL where x % 10 is 9. */
static void write_rows(void)
{
    if (path[0])
        return;
    enum { COUNT = ROWS / ROW_GROUPS };
    int64_t *values = malloc(COUNT * sizeof *values);
    string_view *texts = malloc(COUNT * sizeof *texts);
    char *bytes = malloc(COUNT * TEXT_BYTES);
    uint64_t *validity = malloc(COUNT / 8);
    pq_column_schema columns[] = {
        {.name = "x", .type = type_make(TYPE_INT64)},
        {.name = "s", .type = type_make(TYPE_VARCHAR), .is_nullable = true}};
    pq_writer_options options = pq_writer_options_default();
    pq_writer *writer;
    CHECK(values && texts && bytes && validity);
    snprintf(path, sizeof path, "%s/t.parquet", test_folder());
    CHECK_OK(pq_writer_open(path, columns, 2, &options, &writer));
    for (int first = 0; first < ROWS; first += COUNT) {
        memset(validity, 0xff, COUNT / 8);
        for (int i = 0; i < COUNT; i++) {
            char *text = bytes + i * TEXT_BYTES;
            int x = first + i;
            int length =
                snprintf(text, TEXT_BYTES, "text number %d", first / COUNT * TEXTS + x % TEXTS);
            values[i] = x;
            texts[i] = string_view_make(text, (uint32_t)length);
            if (x % 10 == 9) {
                texts[i] = (string_view){0};
                validity[i / 64] &= ~((uint64_t)1 << i % 64);
            }
        }
        CHECK_OK(pq_writer_write(writer, (pq_column_values[]){{values, NULL}, {texts, validity}},
                                 COUNT));
    }
    CHECK_OK(pq_writer_finish(writer));
    free(values);
    free(texts);
    free(bytes);
    free(validity);
}

static const char *device_name = "cpu";

static void check(const char *sql, const char *expected)
{
    char rows[256];
    pistachio_error *error = run_statement(sql, path, device_name, rows, sizeof rows);
    if (error)
        printf("%s: %s\n", sql, pistachio_error_message(error));
    CHECK(!error);
    if (strcmp(rows, expected))
        printf("%s: %s\n", sql, rows);
    CHECK(!strcmp(rows, expected));
}

/* Keys far apart, so that they get no codes. */
static void check_all(void)
{
    check("select count(*), sum(n), sum(s), min(s), max(s) from (select x * 1000003 as k, count(*) "
          "as n, sum(x) as s from t group by k) g",
          "524288;524288;137438691328;0;524287;");
    check("select count(*), min(n), max(n), sum(s) from (select x * 1000003 as k, count(*) as n, "
          "sum(x + 0.5) as s from (select x from t union all select x from t) u group by k) g",
          "524288;2;2;274877906944.0;");
    /* The first half are different, the second half five that are among these: 262144 = 5 * 52428 + 4,
     * of which the rests begin with 4. */
    check(
        "select count(*), sum(n), max(n), min(m) from (select case when x < 262144 then x else x % "
        "5 end * 1000003 as k, count(*) as n, max(x) as m from t group by k) g",
        "262144;524288;52430;5;");
    check(
        "select count(*), count(k), max(n), sum(n) from (select case when x % 4 = 0 then null else "
        "x * 1000003 end as k, count(*) as n from t group by k) g",
        "393217;393216;131072;524288;");
    check("select count(*) from (select distinct case when x / 2 % 2 = 0 then x / 2 else -x / 2 "
          "end * "
          "1000003 as k from t limit 200000) d",
          "200000;");
    check("select count(distinct x * 1000003), count(distinct x % 1000 * 1000003) from t",
          "524288;1000;");
}

/* Long texts, short ones, and empty ones beside a number. */
static void check_texts(void)
{
    check(
        "select count(*), sum(n), max(k), min(m) from (select 'group number ' || x as k, count(*) "
        "as n, min('state number ' || x) as m from t where x < 262144 group by k) g",
        "262144;262144;group number 99999;state number 0;");
    check(
        "select count(*), sum(n), max(k), sum(length(k)) from (select x % 200000 as j, case when x "
        "% 3 = 0 then '' else 'group number ' || x % 200000 end as k, count(*) as n from t where "
        "x < 262144 group by j, k) g",
        "241430;262144;group number 99998;2828421;");
    /* Long enough, and with repeats enough, not to be kept aside: two rows each, then one in eight. */
    check("select count(*), sum(n), max(n), max(k), sum(m) from (select 'a text that is long, of "
          "group "
          "number ' || x / 2 as k, count(*) as n, min(x) as m from t group by k) g",
          "262144;524288;2;a text that is long, of group number 99999;68719214592;");
    check("select count(*), sum(n), max(n), max(k) from (select 'a text that is long, of group "
          "number ' "
          "|| case when x % 8 = 7 then x - 1 else x end as k, count(*) as n from t group by k) g",
          "458752;524288;2;a text that is long, of group number 99998;");
}

/* Texts of dictionaries: of 80,000 the tenth part are NULL, as 20,000 is divisible by 10. */
static void check_dictionaries(void)
{
    check("select count(distinct s), count(distinct s) filter (where x < 1000), count(s), count(*) "
          "from t",
          "72000;900;471860;524288;");
    check("select count(*), count(s), sum(n), max(n), min(s), max(s) from (select s, count(*) as n "
          "from t group by s) g",
          "72001;72000;524288;52428;text number 0;text number 9998;");
    check(
        "select count(*), sum(n), max(n), max(s) from (select x % 2 as k, s, count(*) as n from t "
        "group by x % 2, s) g",
        "72001;524288;52428;text number 9998;");
    check(
        "select count(*), count(s), sum(n), max(n) from (select x * 1000003 as k, s, count(*) as n "
        "from t group by k, s) g",
        "524288;471860;524288;1;");
}

/* Keys some of which come as a dictionary's rows and are numbers, while others are text; from the fourth row group
 * on, and where there is little memory, texts are too many for that. */
static void check_some_coded(void)
{
    check("select count(*), count(s), sum(n), max(n), min(k), max(s) from (select s, 'a number of "
          "a key ' || x % 1000 as k, count(*) as n from t group by s, k) g",
          "72100;72000;524288;525;a number of a key 0;text number 9998;");
    check("select count(*), count(s), sum(n), max(n), min(k), max(s), max(h) from (select s, 'key "
          "' || x % 1000 as k, x % 3 as j, count(*) as n, min(s) as h from t where x < 200000 or x "
          "% 7 = 0 group by s, k, j) g",
          "142004;141704;246327;83;key 0;text number 9998;text number 9998;");
    check("select count(*), count(k), min(n), max(n) from (select coalesce(s, 'none') as k, case "
          "when x % 3 > 0 then s end as l, count(*) as n from t group by 1, 2) g",
          "144001;144001;2;52428;");
}

/* In no order. */
#define SHUFFLED "(select x * 7919 % 524288 as x, s from t) t "

/* Wide keys, states of every kind, rows that are kept and of which some have equal ones: what DuckDB gives. */
static void check_wide(void)
{
    check("select count(*), sum(n), max(n), count(e), sum(m), min(u), max(u) from (select x % "
          "300000 * 1000003 as a, case when x % 3 > 0 then 'a key that is long, number ' || x % "
          "300000 end as k, cast(x % 300000 as decimal(38, 2)) as b, case when x % 5 = 0 then null "
          "when x % 7 = 0 then cast('nan' as double) else x % 300000 * 0.5e0 end as c, interval "
          "'1 day' * (x % 300000) as d, case when x % 4 > 0 then x % 300000 end as e, count(*) as "
          "n, sum(x) as m, min(s) as u from " SHUFFLED "group by a, k, b, c, d, e) g",
          "351266;524288;2;263450;137438691328;text number 0;text number 9998;");
    /* Sums that are too large for 8 bytes where all tables come together, not before. */
    check("select count(*), sum(n), sum(w), sum(length(l)), sum(q), max(p), count(e), sum(cast(z "
          "as integer)) from (select x % 400000 * 1000003 as k, count(*) as n, sum(x * 100000000) "
          "as w, min('a state that is long, number ' || x) as l, median(x) as q, max(x) filter "
          "(where x % 3 = 0) as p, case when count(s) = 2 then 1 end as e, bool_or(x > 500000) as "
          "z from " SHUFFLED "group by k) g",
          "400000;524288;13743869132800000000;13958421;104857400000;524286;99432;24287;");
    check("select count(*), sum(n), min(k), max(n) from (select case when x % 16 = 0 then x else x "
          "% 3000 end * 1000003 as k, count(*) as n from " SHUFFLED "group by k) g",
          "35580;524288;0;175;");
    check("select count(*), sum(d), max(d), sum(m) from (select x % 90000 * 1000003 as k, "
          "count(distinct s) as d, count(distinct x % 7) as m from " SHUFFLED "group by k) g",
          "90000;471860;6;524288;");
}

/* Each with all memory or with little, where there is less to do or the gate chooses; texts are many bytes. */
static void check_in_turn(unsigned first)
{
    static void (*const checks[])(void) = {check_all, check_texts, check_dictionaries,
                                           check_some_coded, check_wide};
    unsigned parts = test_has_less_to_do() ? 5 : 4;
    write_rows();
    for (unsigned i = 0; i < sizeof checks / sizeof *checks; i++)
        if (test_is_in_turn(first + i, parts))
            checks[i]();
}

TEST(many_groups)
{
    check_in_turn(0);
}

/* Lazy: tables go to one part, or, of chunks so small that there are many, to several. */
TEST(many_groups_of_a_device)
{
    device_name = "simulated";
    check_in_turn(2);
    setenv("PISTACHIO_CHUNK_ROWS", "1024", 1);
    if (test_is_in_turn(3, 4))
        check_all();
    unsetenv("PISTACHIO_CHUNK_ROWS");
    device_name = "cpu";
}

TEST(many_groups_in_little_memory)
{
    setenv("PISTACHIO_MEMORY_LIMIT", "48MiB", 1);
    check_in_turn(1);
    unsetenv("PISTACHIO_MEMORY_LIMIT");
}

/* Six keys of 8 bytes and a count, each row a group: 31 MB with the hashes. They are not there twice. */
TEST(many_groups_take_the_place_of_rows)
{
    pistachio_option options[] = {{"threads", "1"}, {"device", "cpu"}};
    pistachio_database *database;
    pistachio_connection *connection;
    pistachio_result *result;
    const pistachio_batch *batch;
    if (test_has_less_to_do())
        return; /* one thread */
    write_rows();
    check_none(pistachio_open(options, 2, &database));
    check_none(pistachio_connect(database, &connection));
    check_none(pistachio_add_table(connection, "t", path));
    check_none(pistachio_query(connection,
                               "select count(*), sum(n) from (select x * 1000003 as a, x * 7 as b, "
                               "x * 5 as c, x * 3 as d, x * 11 as e, x * 13 as f, count(*) as n "
                               "from " SHUFFLED "group by a, b, c, d, e, f) g",
                               NULL, &result));
    check_none(pistachio_next(result, &batch));
    CHECK_EQ(pistachio_batch_rows(batch), 1);
    CHECK(!strncmp(pistachio_text(batch, 0, 0, NULL), "524288", 6));
    pistachio_result_free(result);
    CHECK(pistachio_memory_peak(connection) <= 48 << 20);
    pistachio_disconnect(connection);
    pistachio_close(database);
}
