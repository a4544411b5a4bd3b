/* test_fault_tables.c - tables as people have them, with each allocation, read and write made to fail: folders of
 * keys, files whose columns differ, and COPY with PARTITION_BY, which leaves no folder that is not whole. */
#include "test.h"

#include "fault_sweep.h"
#include "run_statement.h"

#include <ftw.h>
#include <unistd.h>

static char root[512];

static void run(const char *format, ...)
{
    char sql[1024], rows[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sql, sizeof sql, format, arguments);
    va_end(arguments);
    pistachio_error *error = run_statement(sql, fault_sample_path(), "cpu", rows, sizeof rows);
    if (error)
        test_fail(__FILE__, __LINE__, "%s: %s", sql, pistachio_error_message(error));
}

/* Makes a folder of two partitions. */
static void make_folder(const char *second_columns)
{
    snprintf(root, sizeof root, "%s/folder", test_folder());
    run("COPY (SELECT i::smallint AS i, s, 1 AS k FROM t) TO '%s' (PARTITION_BY k)", root);
    run("COPY (SELECT %s, 2 AS k FROM t) TO '%s' (PARTITION_BY k, OVERWRITE_OR_IGNORE)",
        second_columns, root);
}

static void sweep_all(const char *format)
{
    char sql[1024];
    uint64_t part = 40;
    snprintf(sql, sizeof sql, format, root, root);
    fault_sweep(sql, "cpu", FAULT_ALLOC, part);
    fault_sweep(sql, "cpu", FAULT_READ, part);
    fault_sweep(sql, "simulated", FAULT_ALLOC, part / 5);
}

TEST(folders_of_keys)
{
    make_folder("i::smallint AS i, s");
    sweep_all("SELECT count(*), sum(i), max(k), min(s) FROM '%s/k=1' WHERE k < 2 OR i IS NULL");
    sweep_all("SELECT count(*), sum(a.k) FROM '%s/*/*' a JOIN (SELECT max(k) AS k FROM '%s') b ON "
              "a.k = b.k");
}

TEST(columns_by_name)
{
    make_folder("s, j, i::bigint AS i");
    sweep_all("SELECT count(*), sum(i), max(j), min(s), max(k) FROM "
              "read_parquet('%s', union_by_name => true) WHERE i < 100 OR j IS NULL");
}

/* ---- lists, structs and maps ---- */

TEST(nested_columns)
{
    snprintf(root, sizeof root, "%s/nested.parquet", test_folder());
    run("COPY (SELECT i, j, [s, NULL, s || 'x'] AS l, {'a': s, 'b': [i, j]} AS st, MAP {j: s} AS m "
        "FROM t) TO '%s'",
        root);
    sweep_all("SELECT l, st, m FROM '%s' WHERE len(l) > 2 ORDER BY st, l LIMIT 5");
    sweep_all("SELECT st.a, count(*), max(l), list(st.b ORDER BY j) FROM '%s' GROUP BY st.a "
              "ORDER BY 1");
    sweep_all("SELECT count(*), sum(list_sum(list_transform(st.b, lambda x: x + 1))), max(x) FROM "
              "'%s', unnest(l) u(x)");
    sweep_all(
        "SELECT count(*), count(DISTINCT a.m) FROM '%s' a JOIN '%s' b ON a.l = b.l AND a.st = "
        "b.st");
}

/* ---- PARTITION_BY ---- */

static int remove_entry(const char *path, const struct stat *info, int kind, struct FTW *place)
{
    (void)info, (void)kind, (void)place;
    return remove(path);
}

/* Also what is hidden. */
static unsigned entries_of(const char *folder)
{
    char hidden[600];
    unsigned count = fault_entry_count(folder);
    for (unsigned number = 0; number < 3; number++) {
        snprintf(hidden, sizeof hidden, "%s/.out.%ld.%u.tmp", folder, (long)getpid(), number);
        count += 100 * !access(hidden, F_OK);
    }
    return count;
}

static bool is_there(const char *folder, const char *file)
{
    char path[700];
    snprintf(path, sizeof path, "%s/out/%s", folder, file);
    return !access(path, F_OK);
}

/* One failure; what is at `out` after it. False: there was no nth. */
static bool check_copy(const char *folder, const char *options, const char *ending, bool replaces,
                       fault_kind kind, uint64_t nth, bool always)
{
    char sql[1024], rows[256], file[64], before[64], path[600];
    snprintf(sql, sizeof sql, "COPY (SELECT i, s, j %% 3 AS k, j < 9 AS b FROM t) TO '%s/out' (%s)",
             folder, options);
    snprintf(file, sizeof file, "b=false/k=2/data_0.%s", ending);
    snprintf(before, sizeof before, "k=7/data_0.%s", ending);
    snprintf(path, sizeof path, "%s/out", folder);
    if (replaces)
        run("COPY (SELECT i, 7 AS k FROM t) TO '%s' (FORMAT %s, PARTITION_BY k)", path, ending);
    uint64_t blocks = mem_in_use();
    fault_arm(kind, nth, always);
    pistachio_error *error = run_statement(sql, fault_sample_path(), "cpu", rows, sizeof rows);
    bool has_fired = fault_disarm(kind);
    if (error && !has_fired)
        test_fail(__FILE__, __LINE__, "%s", pistachio_error_message(error));
    CHECK_EQ(entries_of(folder), replaces || !error);
    CHECK_EQ(is_there(folder, file), !error);
    CHECK_EQ(is_there(folder, before), replaces && error);
    pistachio_error_free(error);
    CHECK_EQ(mem_in_use(), blocks);
    nftw(path, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
    return has_fired;
}

static void check_copies(const char *options, const char *ending, bool replaces)
{
    static const fault_kind kinds[] = {FAULT_WRITE, FAULT_ALLOC, FAULT_READ};
    const char *folder = test_folder();
    uint64_t part = test_has_less_to_do() ? 3 : 20;
    for (int k = 0; k < 3; k++)
        for (int always = 0; always <= 1; always++)
            for (uint64_t nth = 1;
                 check_copy(folder, options, ending, replaces, kinds[k], nth, always);)
                nth += 1 + nth / part;
}

TEST(a_new_folder_is_whole_or_absent)
{
    check_copies("PARTITION_BY (b, k)", "parquet", false);
    check_copies("FORMAT csv, PARTITION_BY (b, k)", "csv", false);
}

TEST(a_folder_is_replaced_wholly_or_not)
{
    check_copies("PARTITION_BY (b, k), OVERWRITE", "parquet", true);
}
