/* test_doubtful_statistics.c - files whose statistics contradict each other, or the format: their rows are those of
 * their pages. tests/parquet/make_doubtful_fixtures.py makes them; all of them have these rows:
 *
 *     p    n     u    d     s  r   e
 *     1    1     1    -1.5  a  10  NULL
 *     2    NULL  2    0.0   b  20  NULL
 *     50   NULL  3    -0.0  c  30  NULL
 *     50   NULL  200  2.5   d  40  NULL
 *     70   5     250  3.0   e  50  NULL
 *     80   6     255  4.0   f  60  NULL */
#include "test.h"

#include "run_statement.h"

#include <dirent.h>

static const struct {
    const char *sql, *rows;
} statements[] = {
    {"SELECT p FROM t WHERE p = 50", "50;50;"},
    {"SELECT p FROM t WHERE p <= 50", "1;2;50;50;"},
    {"SELECT p FROM t WHERE p > 60", "70;80;"},
    {"SELECT p FROM t ORDER BY p LIMIT 2", "1;2;"},
    {"SELECT count(*), count(p), min(p), max(p) FROM t", "6;6;1;80;"},
    {"SELECT count(*) FROM t WHERE p IS NULL", "0;"},
    {"SELECT sum(p * p), count(DISTINCT p) FROM t", "16305;5;"},
    {"SELECT n FROM t WHERE n IS NULL OR n = 6", "-;-;-;6;"},
    {"SELECT n FROM t WHERE n IS NOT NULL", "1;5;6;"},
    {"SELECT count(n), min(n), max(n) FROM t", "3;1;6;"},
    {"SELECT n + 1 FROM t WHERE n < 6", "2;6;"},
    {"SELECT u FROM t WHERE u >= 200", "200;250;255;"},
    {"SELECT u FROM t WHERE u = 2", "2;"},
    {"SELECT min(u), max(u) FROM t", "1;255;"},
    {"SELECT count(*) FROM t WHERE d < 0", "1;"},
    {"SELECT count(*) FROM t WHERE d = 0", "2;"},
    {"SELECT count(*) FROM t WHERE d > 2.5", "2;"},
    {"SELECT min(d), max(d) FROM t", "-1.5;4;"},
    {"SELECT s FROM t WHERE s = 'f' OR s < 'b'", "a;f;"},
    {"SELECT min(s), max(s) FROM t", "a;f;"},
    {"SELECT r FROM t WHERE r > 20 AND r < 50", "30;40;"},
    {"SELECT count(r), min(r), max(r) FROM t", "6;10;60;"},
    {"SELECT count(*) FROM t WHERE r IS NULL", "0;"},
    {"SELECT count(e), count(*) FROM t WHERE e IS NULL", "0;6;"},
    {"SELECT count(*) FROM t a JOIN t b ON a.p = b.p", "8;"},
};

static void check_file(const char *path, const char *device)
{
    char rows[256];
    for (size_t i = 0; i < sizeof statements / sizeof *statements; i++) {
        pistachio_error *error = run_statement(statements[i].sql, path, device, rows, sizeof rows);
        if (error || strcmp(rows, statements[i].rows))
            fprintf(stderr, "%s: %s\n%s\n", path, statements[i].sql,
                    error ? pistachio_error_message(error) : rows);
        check_none(error);
        CHECK_TEXT_EQ(rows, statements[i].rows);
    }
}

TEST(rows_of_files_whose_statistics_contradict_each_other)
{
    char folder[512], path[1024];
    unsigned count = 0;
    snprintf(folder, sizeof folder, "%s/tests/data/doubtful", test_source());
    DIR *entries = opendir(folder);
    CHECK(entries != NULL);
    for (struct dirent *entry; (entry = readdir(entries));) {
        if (!strstr(entry->d_name, ".parquet"))
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        check_file(path, "cpu");
        check_file(path, "simulated");
        count++;
    }
    closedir(entries);
    CHECK(count >= 30);
}
