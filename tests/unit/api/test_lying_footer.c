/* test_lying_footer.c - files whose statistics are not true: what is built on them is checked. */
#include "test.h"

#include "run_statement.h"

#include <unistd.h>

#define LEAST (-7777777)
#define GREATEST 5555555

static char path[64];

/* Integers from LEAST to GREATEST with 0 among them, and a plain and a dictionary-encoded column;
 * in the footer, the bounds are least and greatest. */
static void write_file(int64_t least, int64_t greatest)
{
    char rows[64];
    snprintf(path, sizeof path, "/tmp/pistachio-lying-%d.parquet", (int)getpid());
    char sql[512];
    snprintf(
        sql, sizeof sql,
        "COPY (SELECT i::bigint AS i, d::decimal(15,2) AS d FROM (VALUES (%d, 1.25), (0, 1.25), "
        "(3, 2.5), (%d, 3.75)) v (i, d)) TO '%s'",
        LEAST, GREATEST, path);
    pistachio_error *error = run_statement(sql, NULL, "cpu", rows, sizeof rows);
    CHECK(!error);

    static uint8_t bytes[1 << 16];
    FILE *f = fopen(path, "r+b");
    CHECK(f != NULL);
    size_t length = fread(bytes, 1, sizeof bytes, f);
    uint32_t footer_bytes;
    memcpy(&footer_bytes, bytes + length - 8, 4);
    int64_t from[] = {LEAST, GREATEST}, to[] = {least, greatest};
    unsigned changed = 0;
    for (size_t at = length - 8 - footer_bytes; at < length - 8; at++)
        for (int i = 0; i < 2; i++)
            if (!memcmp(bytes + at, &from[i], 8)) {
                memcpy(bytes + at, &to[i], 8);
                changed++;
            }
    CHECK(changed >= 2);
    rewind(f);
    CHECK_EQ(fwrite(bytes, 1, length, f), length);
    CHECK_EQ(fclose(f), 0);
}

static void check_refused(const char *sql)
{
    static const char *const devices[] = {"cpu", "simulated"};
    for (int i = 0; i < 2; i++) {
        char rows[256];
        pistachio_error *error = run_statement(sql, path, devices[i], rows, sizeof rows);
        CHECK(error != NULL);
        CHECK_EQ(pistachio_error_get_kind(error), PISTACHIO_ERROR_CORRUPT);
        CHECK(strstr(pistachio_error_message(error), "outside of the bounds") != NULL);
        CHECK(strstr(pistachio_error_message(error), "column \"i\"") != NULL);
        CHECK(strstr(pistachio_error_message(error), path) != NULL);
        pistachio_error_free(error);
    }
}

static void check_rows(const char *sql, const char *expected)
{
    char rows[256];
    pistachio_error *error = run_statement(sql, path, "cpu", rows, sizeof rows);
    CHECK(!error);
    CHECK_TEXT_EQ(rows, expected);
}

TEST(values_outside_of_the_bounds_that_arithmetic_relies_on_are_an_error)
{
    write_file(1, 9);
    check_refused("SELECT sum(i * i) FROM t");
    check_refused("SELECT 10 / i FROM t");
    check_refused("SELECT d * i FROM t");
    check_refused("SELECT i::smallint FROM t WHERE i IS NOT NULL");
    unlink(path);
}

TEST(values_outside_of_the_bounds_that_sorted_rows_are_kept_by_are_an_error)
{
    write_file(1, 9);
    check_refused("SELECT i FROM t ORDER BY i");
    check_refused("SELECT i, d FROM t ORDER BY d");
    check_refused("SELECT i, sum(d) OVER (ORDER BY d ROWS UNBOUNDED PRECEDING) FROM t");
    unlink(path);
}

TEST(bounds_that_only_guide_do_not_matter)
{
    write_file(1, 9);
    check_rows("SELECT i FROM t ORDER BY i LIMIT 5", "-7777777;0;3;5555555;");
    check_rows("SELECT i, count(*) FROM t GROUP BY i ORDER BY i LIMIT 2", "-7777777;1;0;1;");
    check_rows("SELECT count(*) FROM t a JOIN t b ON a.i = b.i", "4;");
    unlink(path);
}

TEST(true_bounds_are_no_error)
{
    write_file(LEAST, GREATEST);
    check_rows("SELECT sum(i * i), sum(d * i) FROM t", "91358006419763;11111117.50;");
    check_rows("SELECT i, d FROM t ORDER BY i", "-7777777;1.25;0;1.25;3;2.50;5555555;3.75;");
    unlink(path);
}
