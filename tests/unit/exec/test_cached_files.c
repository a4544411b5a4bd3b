/* test_cached_files.c - neither the column cache nor what lazy devices keep gives rows of a file that is no more. One connection asks again and again
 * for a table whose file another thread replaces, by rename or in place, with a file of the same size. All rows of a file
 * hold its number: a statement gives the rows of a file that was there while it ran, or says that the file was being
 * written.
 *
 * test_label: threads
 * test_cost: 20 */
#include "base/fault.h"
#include "exec/scan/column_cache.h"
#include "exec/scan/scan_cache.h"
#include "parquet/table/footer.h"
#include "pistachio/pistachio.h"
#include "run_statement.h"
#include "test.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define ROWS 20000
#define VERSIONS 8
/* PISTACHIO_TEST_REPLACEMENTS: as many. */
#define REPLACEMENTS 200
#define PAUSE_MAX_NANOSECONDS 20000000u

typedef struct contents {
    char *bytes;
    size_t count;
    int number;
} contents;

static contents versions[VERSIONS];
static char table_path[600];
/* The time of modification that the next file has: old enough for the cache, another for each. */
static int64_t modified;
/* The file that is there, + 1, and 0 while one is written in place; and how many were put there. A file that is put
 * by rename takes the place of the one before at once: for a moment both are right. */
static _Atomic unsigned present, before;
static _Atomic uint64_t changes;
static _Atomic bool is_over;

static void read_file(const char *path, contents *out)
{
    FILE *f = fopen(path, "rb");
    struct stat about;
    CHECK(f && !fstat(fileno(f), &about));
    out->count = (size_t)about.st_size;
    out->bytes = malloc(out->count);
    CHECK(out->bytes && fread(out->bytes, 1, out->count, f) == out->count);
    fclose(f);
}

/* A file of the number; false: it is of another size than those that are kept, whose footers happen to be as long. */
static bool make_version(int number, size_t bytes, contents *out)
{
    char path[600], sql[1024];
    snprintf(path, sizeof path, "%s/version.parquet", test_folder());
    snprintf(sql, sizeof sql,
             "COPY (SELECT %d::bigint AS v, (%d + i * 1000)::double precision AS d, 'text of "
             "version %d' AS t, i AS n FROM generate_series(1, %d) AS g(i)) TO '%s' (COMPRESSION "
             "uncompressed)",
             number, number, number, ROWS, path);
    run_alone(sql);
    read_file(path, out);
    out->number = number;
    if (!bytes || out->count == bytes)
        return true;
    free(out->bytes);
    return false;
}

static void make_versions(void)
{
    size_t made = 0;
    for (int number = 100; number < 1000 && made < VERSIONS; number++)
        made += make_version(number, versions[0].count, &versions[made]);
    CHECK_EQ(made, (size_t)VERSIONS);
}

static bool write_file(const char *path, int flags, const contents *c)
{
    int64_t at = modified += 1000003;
    const struct timespec times[] = {{at / 1000000000, at % 1000000000},
                                     {at / 1000000000, at % 1000000000}};
    int descriptor = open(path, flags, 0600);
    bool is_done = descriptor >= 0 &&
                   pwrite(descriptor, c->bytes, c->count, 0) == (ssize_t)c->count &&
                   !futimens(descriptor, times);
    if (descriptor >= 0)
        close(descriptor);
    return is_done;
}

static bool put(unsigned version, bool by_rename)
{
    char path[640];
    snprintf(path, sizeof path, "%s.new", table_path);
    atomic_store(&before, by_rename ? atomic_load(&present) : 0);
    if (!by_rename)
        atomic_store(&present, 0);
    atomic_fetch_add(&changes, 1);
    bool is_done = by_rename ? write_file(path, O_WRONLY | O_CREAT | O_TRUNC, &versions[version])
                             : write_file(table_path, O_WRONLY, &versions[version]);
    atomic_store(&present, version + 1);
    is_done = is_done && (!by_rename || !rename(path, table_path));
    atomic_store(&before, 0);
    atomic_fetch_add(&changes, 1);
    return is_done;
}

static void *replace(void *argument)
{
    unsigned count = *(unsigned *)argument, state = 12345;
    bool is_done = true;
    for (unsigned i = 0; i < count && is_done; i++) {
        state = state * 1103515245 + 12345;
        nanosleep(&(struct timespec){.tv_nsec = state % PAUSE_MAX_NANOSECONDS}, NULL);
        is_done = put(state / 65536 % VERSIONS, state / 8388608 % 2);
    }
    atomic_store(&is_over, true);
    return is_done ? NULL : argument;
}

/* Returns whether the message is about a file that is being written. */
static bool is_torn(const char *message)
{
    return strstr(message, "table.parquet");
}

/* The answer's number; -1: the file was being written. */
static int ask(pistachio_connection *connection)
{
    pistachio_result *result = NULL;
    const pistachio_batch *batch = NULL;
    int number = -1;
    pistachio_error *error = pistachio_query(connection,
                                             "SELECT min(v), max(v), min(right(t, 3)::int), "
                                             "max(right(t, 3)::int), count(*), count(d) FROM "
                                             "table_of_files WHERE d > 0",
                                             NULL, &result);
    if (!error)
        error = pistachio_next(result, &batch);
    if (!error) {
        CHECK(batch);
        size_t bytes;
        int numbers[6];
        for (uint32_t i = 0; i < 6; i++)
            numbers[i] = pistachio_is_null(batch, i, 0)
                             ? -2
                             : (int)strtol(pistachio_text(batch, i, 0, &bytes), NULL, 10);
        number = numbers[0];
        CHECK_EQ(numbers[1], number);
        CHECK_EQ(numbers[2], number);
        CHECK_EQ(numbers[3], number);
        CHECK_EQ(numbers[4], ROWS);
        CHECK_EQ(numbers[5], ROWS);
    } else {
        CHECK(is_torn(pistachio_error_message(error)));
        pistachio_error_free(error);
    }
    pistachio_result_free(result);
    return number;
}

/* If nothing was begun or ended meanwhile, the number is that of a file that was there. While a file is put by rename both it
 * and the one before are; while one is written in place, what was there before, or it, or neither. */
static void ask_and_check(pistachio_connection *connection)
{
    uint64_t changes_before = atomic_load(&changes);
    unsigned one = atomic_load(&present), other = atomic_load(&before);
    int number = ask(connection);
    unsigned now = atomic_load(&present);
    if (atomic_load(&changes) == changes_before && one && now)
        CHECK(number == versions[one - 1].number || number == versions[now - 1].number ||
              (other && number == versions[other - 1].number));
}

static bool is_kept(void)
{
    arena *memory;
    pq_kept_column *kept;
    size_t count;
    CHECK_OK(arena_new(&memory));
    CHECK_OK(scan_cache_list(memory, &kept, &count));
    bool has_table = false;
    for (size_t i = 0; i < count; i++)
        has_table |= !strcmp(kept[i].path, table_path);
    arena_free(memory);
    return has_table;
}

/* Asks a device. What it keeps is not in the column cache's bytes if it is a lazy one. */
static void replace_and_ask(const char *device, unsigned usual_count)
{
    pistachio_database *database;
    pistachio_connection *connection;
    pthread_t thread;
    void *failed;
    const char *wanted = getenv("PISTACHIO_TEST_REPLACEMENTS");
    unsigned count = wanted ? (unsigned)strtoul(wanted, NULL, 10) : usual_count;
    snprintf(table_path, sizeof table_path, "%s/table.parquet", test_folder());
    make_versions();
    modified = ((int64_t)time(NULL) - 1000000) * 1000000000;
    CHECK(put(0, true));
    const pistachio_option options[] = {{"threads", "2"}, {"device", device}};
    check_none(pistachio_open(options, 2, &database));
    check_none(pistachio_connect(database, &connection));
    check_none(pistachio_add_table(connection, "table_of_files", table_path));
    for (int i = 0; i < 4; i++)
        CHECK_EQ(ask(connection), versions[0].number);
    CHECK((column_cache_bytes() > 0) == !strcmp(device, "cpu"));
    CHECK(is_kept());
    CHECK(!pthread_create(&thread, NULL, replace, &count));
    while (!atomic_load(&is_over))
        ask_and_check(connection);
    pthread_join(thread, &failed);
    CHECK(!failed);
    for (int i = 0; i < 3; i++)
        ask_and_check(connection);
    pistachio_disconnect(connection);
    pistachio_close(database);
    scan_cache_clear();
    for (int i = 0; i < VERSIONS; i++)
        free(versions[i].bytes);
}

TEST(column_cache_never_gives_rows_of_a_file_that_was_replaced)
{
    replace_and_ask("cpu", REPLACEMENTS);
}

TEST(stored_pages_are_never_of_a_file_that_was_replaced)
{
    replace_and_ask("simulated", REPLACEMENTS / 4);
}

/* Runs a statement and fetches all of it. */
static bool succeeds(pistachio_connection *connection, const char *sql)
{
    pistachio_result *result = NULL;
    const pistachio_batch *batch = NULL;
    pistachio_error *error = pistachio_query(connection, sql, NULL, &result);
    while (!error && !(error = pistachio_next(result, &batch)) && batch)
        ;
    bool is_good = !error;
    pistachio_error_free(error);
    pistachio_result_free(result);
    return is_good;
}

TEST(stored_pages_of_a_statement_that_fails_are_not_kept)
{
    pistachio_database *database;
    pistachio_connection *connection;
    snprintf(table_path, sizeof table_path, "%s/table.parquet", test_folder());
    make_versions();
    modified = ((int64_t)time(NULL) - 1000000) * 1000000000;
    CHECK(put(0, true));
    const pistachio_option options[] = {{"threads", "2"}, {"device", "simulated"}};
    check_none(pistachio_open(options, 2, &database));
    check_none(pistachio_connect(database, &connection));
    check_none(pistachio_add_table(connection, "table_of_files", table_path));
    CHECK(!succeeds(connection, "SELECT sum(1 / (n - 77)) FROM table_of_files"));
    CHECK(!is_kept());
    CHECK(succeeds(connection, "SELECT sum(n) FROM table_of_files"));
    CHECK(is_kept());
    scan_cache_clear();
    CHECK(!is_kept());
    pistachio_disconnect(connection);
    pistachio_close(database);
    for (int i = 0; i < VERSIONS; i++)
        free(versions[i].bytes);
}

/* ---- allocations that fail ---- */

/* The conditions are decided by narrow values. */
#define SUM                                                                                        \
    "SELECT sum(v), sum(d), max(t) FROM table_of_files WHERE n BETWEEN 5 AND 15000 AND n <> 77 "   \
    "AND n NOT IN (80, 90)"

/* The rows' texts; the caller frees the error. */
static pistachio_error *ask_text(pistachio_connection *connection, char *text, size_t room)
{
    pistachio_result *result = NULL;
    const pistachio_batch *batch = NULL;
    size_t bytes, length = 0;
    text[0] = '\0';
    pistachio_error *error = pistachio_query(connection, SUM, NULL, &result);
    if (!error)
        error = pistachio_next(result, &batch);
    for (uint32_t i = 0; !error && i < 3; i++) {
        const char *cell = pistachio_text(batch, i, 0, &bytes);
        length += (size_t)snprintf(text + length, room - length, "%.*s;", (int)bytes, cell);
    }
    pistachio_result_free(result);
    return error;
}

/* Two statements, of which the first fills the cache and the second reads it, while the nth allocation fails. Returns whether
 * there was one. */
static bool ask_with_fault(const char *device, uint64_t nth, const char *expected)
{
    pistachio_database *database;
    pistachio_connection *connection;
    char text[200];
    const pistachio_option options[] = {{"threads", "1"}, {"device", device}};
    check_none(pistachio_open(options, 2, &database));
    check_none(pistachio_connect(database, &connection));
    check_none(pistachio_add_table(connection, "table_of_files", table_path));
    check_none(ask_text(connection, text, sizeof text));
    CHECK_TEXT_EQ(text, expected);
    fault_arm(FAULT_ALLOC, nth, FAULT_ONCE);
    for (int i = 0; i < 2; i++) {
        pistachio_error *error = ask_text(connection, text, sizeof text);
        if (error)
            CHECK_EQ((int)pistachio_error_get_kind(error), (int)PISTACHIO_ERROR_NO_MEMORY);
        else
            CHECK_TEXT_EQ(text, expected);
        pistachio_error_free(error);
    }
    bool has_fired = fault_disarm(FAULT_ALLOC);
    pistachio_disconnect(connection);
    pistachio_close(database);
    pq_footer_cache_clear();
    column_cache_clear();
    return has_fired;
}

/* `step`: each so many of what there is are tried. */
static void fail_allocations(const char *device, uint64_t step)
{
    pistachio_database *database;
    pistachio_connection *connection;
    char expected[200];
    snprintf(table_path, sizeof table_path, "%s/table.parquet", test_folder());
    make_versions();
    modified = ((int64_t)time(NULL) - 1000000) * 1000000000;
    CHECK(put(0, true));
    check_none(pistachio_open(NULL, 0, &database));
    check_none(pistachio_connect(database, &connection));
    check_none(pistachio_add_table(connection, "table_of_files", table_path));
    check_none(ask_text(connection, expected, sizeof expected));
    pistachio_disconnect(connection);
    pistachio_close(database);
    pq_footer_cache_clear();
    column_cache_clear();
    uint64_t blocks = mem_in_use(), nth = 1;
    while (ask_with_fault(device, nth, expected)) {
        CHECK_EQ(mem_in_use(), blocks);
        nth += 1 + nth / (test_has_less_to_do() ? 4 : step);
    }
    CHECK(nth > 100);
    for (int i = 0; i < VERSIONS; i++)
        free(versions[i].bytes);
}

TEST(column_cache_is_whole_when_allocations_fail)
{
    fail_allocations("cpu", 16);
}

TEST(stored_pages_are_whole_when_allocations_fail)
{
    fail_allocations("simulated", 4);
}
