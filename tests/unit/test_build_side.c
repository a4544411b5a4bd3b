/* test_build_side.c - which side of an inner join is built on. */
#include "parquet/writer.h"
#include "run_statement.h"
#include "test.h"

enum { MANY = 65536 };

static const char *folder;

/* A file of one column x = 0, 1, 2 ... */
static void write_numbers(const char *name, int count)
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

/* The plan's scans in their order, the probe side's first: "many few " */
static void find_scans(const char *condition, char *out, size_t room)
{
    char sql[2048], plan[4096];
    snprintf(sql, sizeof sql,
             "explain select count(*) from '%s/few.parquet' few join '%s/many.parquet' many "
             "on few.x = many.x where %s",
             folder, folder, condition);
    pistachio_error *error = run_statement(sql, NULL, "cpu", plan, sizeof plan);
    CHECK(!error);
    *out = '\0';
    for (const char *at = strstr(plan, "scan "); at; at = strstr(at + 1, "scan ")) {
        const char *end = strstr(at, ".parquet"), *name = end;
        while (name && name > at && name[-1] != '/' && name[-1] != ' ')
            name--;
        size_t length = strlen(out);
        snprintf(out + length, room - length, "%.*s ", end ? (int)(end - name) : 0,
                 end ? name : "");
    }
}

TEST(the_smaller_side_is_built_on)
{
    char scans[64];
    folder = test_folder();
    write_numbers("few", 16384);
    write_numbers("many", MANY);
    find_scans("true", scans, sizeof scans);
    CHECK(!strcmp(scans, "many few "));
    find_scans("many.x < 10", scans, sizeof scans);
    CHECK(!strcmp(scans, "few many "));
}

/* The filter leaves ten rows of the large table, but its scan takes long: the small one is there
 * before it. */
TEST(a_quick_side_is_built_on_even_if_it_is_larger)
{
    char scans[64];
    folder = test_folder();
    write_numbers("few", 1024);
    write_numbers("many", MANY);
    find_scans("many.x < 10", scans, sizeof scans);
    CHECK(!strcmp(scans, "many few "));
}
