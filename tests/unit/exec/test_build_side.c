/* test_build_side.c - which side of an inner join is built on.
 *
 * test_label: threads */
#include "parquet/write/writer.h"
#include "run_statement.h"
#include "test.h"

enum { MANY = 65536 };

/* A file of one column x = 0, 1, 2 ... */
static void write_numbers(const char *folder, const char *name, int count)
{
    static int64_t values[MANY];
    char path[600];
    pq_column_schema column = {.name = "x", .type = type_make(TYPE_INT64)};
    pq_writer_options options = pq_writer_options_default();
    pq_writer *writer;
    for (int i = 0; i < count; i++)
        values[i] = i;
    snprintf(path, sizeof path, "%s/%s.parquet", folder, name);
    CHECK_OK(pq_writer_open(path, &column, 1, &options, &writer));
    CHECK_OK(pq_writer_write(writer, (pq_column_values[]){{values, NULL}}, (size_t)count));
    CHECK_OK(pq_writer_finish(writer));
}

/* Joins `few` rows with many under a condition: the plan's scans in their order, the probe side's
 * first, are `expected`. */
static void check_scans(int few, const char *condition, const char *expected)
{
    char sql[2048], plan[4096], scans[64] = "";
    const char *folder = test_folder();
    write_numbers(folder, "few", few);
    write_numbers(folder, "many", MANY);
    snprintf(sql, sizeof sql,
             "explain select count(*) from '%s/few.parquet' few join '%s/many.parquet' many "
             "on few.x = many.x where %s",
             folder, folder, condition);
    CHECK(!run_statement(sql, NULL, "cpu", plan, sizeof plan));
    for (const char *at = strstr(plan, "scan "); at; at = strstr(at + 1, "scan ")) {
        const char *end = strstr(at, ".parquet"), *name = end;
        while (name && name > at && name[-1] != '/' && name[-1] != ' ')
            name--;
        size_t length = strlen(scans);
        snprintf(scans + length, sizeof scans - length, "%.*s ", end ? (int)(end - name) : 0,
                 end ? name : "");
    }
    CHECK(!strcmp(scans, expected));
}

TEST(the_smaller_side_is_built_on)
{
    check_scans(16384, "true", "many few ");
    check_scans(16384, "many.x < 10", "few many ");
}

/* The filter leaves ten rows of the large table, but its scan takes long: the small one is there
 * before it. */
TEST(a_quick_side_is_built_on_even_if_it_is_larger)
{
    check_scans(1024, "many.x < 10", "many few ");
}
