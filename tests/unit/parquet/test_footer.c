/* test_footer.c - the cache of footers: one per version of a file, bounded, shared by threads; and
 * tables of many files. */
#include "parquet/table/table.h"
#include "parquet/write/writer.h"
#include "test.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { HOUR = 3600, THREADS = 8, ROUNDS = 200, FILES = 100 };

/* As if it had been written so long ago. */
static void set_age(const char *path, int64_t seconds)
{
    struct timespec times[2];
    clock_gettime(CLOCK_REALTIME, &times[0]);
    times[0].tv_sec -= seconds;
    times[1] = times[0];
    CHECK_EQ(utimensat(AT_FDCWD, path, times, 0), 0);
}

static void write_file(const char *path, const char *column, int64_t rows)
{
    static int64_t values[1000];
    pq_column_schema columns[] = {{.name = column, .type = type_make(TYPE_INT64)}};
    pq_writer_options options = pq_writer_options_default();
    pq_writer *writer;
    CHECK_OK(pq_writer_open(path, columns, 1, &options, &writer));
    CHECK_OK(pq_writer_write(writer, (pq_column_values[]){{values, NULL}}, (uint64_t)rows));
    CHECK_OK(pq_writer_finish(writer));
}

static const char *path_in(const char *folder, int number)
{
    static char path[512];
    snprintf(path, sizeof path, "%s/%03d.parquet", folder, number);
    return path;
}

/* A file of `rows` rows, an hour old. */
static const char *old_file(const char *folder, int number, int64_t rows)
{
    const char *path = path_in(folder, number);
    write_file(path, "i", rows);
    set_age(path, HOUR);
    return path;
}

/* The metadata by way of a table, which is closed: only to be compared. */
static const pq_metadata *open_once(const char *path, bool use_cache)
{
    pq_table *table;
    CHECK_OK(pq_table_open(path, use_cache, &table));
    const pq_metadata *metadata = table->files.items[0].metadata;
    pq_table_close(table);
    return metadata;
}

static uint64_t rows_of(const char *path)
{
    pq_table *table;
    CHECK_OK(pq_table_open(path, true, &table));
    uint64_t rows = table->row_count;
    pq_table_close(table);
    return rows;
}

TEST(a_file_is_read_once)
{
    const char *path = old_file(test_folder(), 0, 3);
    pq_table *first, *second;
    CHECK_OK(pq_table_open(path, true, &first));
    CHECK_OK(pq_table_open(path, true, &second));
    CHECK(first->files.items[0].metadata == second->files.items[0].metadata);
    CHECK(first->files.items[0].metadata == open_once(path, true));
    CHECK(first->files.items[0].metadata != open_once(path, false));
    pq_table_close(first);
    pq_table_close(second);
    CHECK(pq_footer_cache_bytes() > 0);
    pq_footer_cache_clear();
    CHECK_EQ(pq_footer_cache_bytes(), 0);
}

TEST(page_indexes_are_parsed_once_and_count)
{
    const char *path = old_file(test_folder(), 0, 3);
    pq_table *first, *second;
    CHECK_OK(pq_table_open(path, true, &first));
    CHECK_OK(pq_table_open(path, true, &second));
    const pq_table_file *f = &first->files.items[0], *g = &second->files.items[0];
    uint64_t before = pq_footer_cache_bytes();
    CHECK(!pq_footer_knows_indexes(f->footer, 0, 0));
    const pq_offset_index *places = pq_footer_offset_index(f->footer, f->file, 0, 0);
    CHECK(places && places->page_count > 0);
    CHECK(pq_footer_column_index(f->footer, f->file, 0, 0)->page_count == places->page_count);
    CHECK(pq_footer_knows_indexes(f->footer, 0, 0));
    CHECK(pq_footer_cache_bytes() > before);
    CHECK(pq_footer_offset_index(g->footer, g->file, 0, 0) == places);
    pq_table_close(first);
    pq_table_close(second);
    pq_footer_cache_clear();
    CHECK_EQ(pq_footer_cache_bytes(), 0);
}

TEST(a_changed_file_is_read_anew)
{
    char path[512], other[512];
    const char *folder = test_folder();
    pq_table *before;
    snprintf(path, sizeof path, "%s", old_file(folder, 0, 3));
    snprintf(other, sizeof other, "%s", old_file(folder, 1, 4));
    CHECK_OK(pq_table_open(path, true, &before));

    /* Another file of that name. */
    CHECK_EQ(rename(other, path), 0);
    CHECK_EQ(rows_of(path), 4);

    /* A file of as many bytes as before, with others, at another time. */
    struct stat info, changed;
    uint8_t bytes[4096];
    snprintf(other, sizeof other, "%s", old_file(folder, 2, 5));
    int from = open(other, O_RDONLY), to = open(path, O_WRONLY | O_TRUNC);
    CHECK(from >= 0 && to >= 0);
    CHECK_EQ(stat(path, &info), 0);
    ssize_t count = read(from, bytes, sizeof bytes);
    CHECK(count > 0);
    CHECK_EQ(write(to, bytes, (size_t)count), count);
    close(from);
    close(to);
    set_age(path, HOUR / 2);
    CHECK_EQ(stat(path, &changed), 0);
    CHECK_EQ(changed.st_ino, info.st_ino);
    CHECK_EQ(rows_of(path), 5);

    /* The former holder still has it. */
    CHECK_EQ(before->files.items[0].metadata->row_count, 3);
    pq_table_close(before);
}

/* Its next change might come within the tick of the clock. */
TEST(a_file_of_just_now_is_not_kept)
{
    const char *path = old_file(test_folder(), 0, 3);
    set_age(path, 0);
    CHECK_EQ(rows_of(path), 3);
    CHECK_EQ(pq_footer_cache_bytes(), 0);
    set_age(path, -HOUR);
    CHECK_EQ(rows_of(path), 3);
    CHECK_EQ(pq_footer_cache_bytes(), 0);
}

TEST(what_was_used_longest_ago_goes_first)
{
    const char *folder = test_folder();
    pq_table *held;
    for (int i = 0; i < 4; i++)
        (void)old_file(folder, i, 1);
    CHECK_OK(pq_table_open(path_in(folder, 0), true, &held));
    uint64_t one = pq_footer_cache_bytes();
    const pq_metadata *metadata = held->files.items[0].metadata;
    uint64_t before = pq_footer_cache_limit(3 * one + one / 2);
    for (int i = 1; i < 3; i++)
        CHECK_EQ(rows_of(path_in(folder, i)), 1);
    CHECK_EQ(pq_footer_cache_bytes(), 3 * one);
    CHECK_EQ(rows_of(path_in(folder, 1)), 1);
    /* 0 is in use, 2 was used longest ago. */
    CHECK_EQ(rows_of(path_in(folder, 3)), 1);
    CHECK_EQ(pq_footer_cache_bytes(), 3 * one);
    CHECK_EQ(unlink(path_in(folder, 2)), 0);
    CHECK(open_once(path_in(folder, 0), true) == metadata);

    (void)pq_footer_cache_limit(0);
    CHECK_EQ(pq_footer_cache_bytes(), one); /* in use */
    pq_table_close(held);
    (void)pq_footer_cache_limit(before);
}

/* ---- threads ---- */

typedef struct contest {
    char paths[4][512];
    _Atomic unsigned number;
    const pq_metadata *held[4]; /* what is in use, by file; NULL: nothing */
    _Atomic unsigned differences, failures;
} contest;

static void *compete(void *context)
{
    contest *c = context;
    unsigned self = atomic_fetch_add(&c->number, 1);
    for (unsigned round = 0; round < ROUNDS; round++) {
        unsigned which = (self + round) % 4;
        pq_table *table;
        status st = pq_table_open(c->paths[which], true, &table);
        if (st) {
            atomic_fetch_add(&c->failures, 1);
            status_free(st);
            continue;
        }
        if (table->row_count != which + 1)
            atomic_fetch_add(&c->failures, 1);
        if (c->held[which] && c->held[which] != table->files.items[0].metadata)
            atomic_fetch_add(&c->differences, 1);
        pq_table_close(table);
        if (self == 0 && round % 16 == 0 && !c->held[which])
            pq_footer_cache_clear();
    }
    return NULL;
}

static void hold_contest(contest *c, bool holds_tables)
{
    const char *folder = test_folder();
    pq_table *held[4] = {0};
    pthread_t threads[THREADS];
    for (int i = 0; i < 4; i++) {
        snprintf(c->paths[i], sizeof c->paths[i], "%s", old_file(folder, i, i + 1));
        if (!holds_tables)
            continue;
        CHECK_OK(pq_table_open(c->paths[i], true, &held[i]));
        c->held[i] = held[i]->files.items[0].metadata;
    }
    for (int i = 0; i < THREADS; i++)
        CHECK_EQ(pthread_create(&threads[i], NULL, compete, c), 0);
    for (int i = 0; i < THREADS; i++)
        CHECK_EQ(pthread_join(threads[i], NULL), 0);
    CHECK_EQ(atomic_load(&c->failures), 0);
    CHECK_EQ(atomic_load(&c->differences), 0);
    for (int i = 0; i < 4; i++)
        pq_table_close(held[i]);
}

static contest contest_of_all; /* too large for a stack of longjmp's */

TEST(threads_share_footers)
{
    memset(&contest_of_all, 0, sizeof contest_of_all);
    hold_contest(&contest_of_all, false);
    /* With next to no room, so that entries come and go. */
    memset(&contest_of_all, 0, sizeof contest_of_all);
    uint64_t before = pq_footer_cache_limit(8192);
    hold_contest(&contest_of_all, true);
    (void)pq_footer_cache_limit(before);
}

/* ---- many files ---- */

TEST(many_files)
{
    const char *folder = test_folder();
    uint64_t rows = 0;
    for (int i = 0; i < FILES; i++) {
        write_file(path_in(folder, i), "i", i + 1);
        rows += (uint64_t)i + 1;
    }
    pq_table *table;
    CHECK_OK(pq_table_open(folder, true, &table));
    CHECK_EQ(table->files.count, FILES);
    CHECK_EQ(table->row_count, rows);
    for (int i = 0; i < FILES; i++) {
        CHECK_TEXT_EQ(table->files.items[i].file->path, path_in(folder, i));
        CHECK_EQ(table->files.items[i].metadata->row_count, i + 1);
        CHECK_EQ(table->row_groups.items[i].file, i);
    }
    pq_table_close(table);
}

/* The limit that a process begins with is raised as far as it may be, not the caller's to do. */
TEST(more_files_than_the_limit_of_open_files)
{
    const char *folder = test_folder();
    pq_table *table;
    struct rlimit before, few;
    for (int i = 0; i < FILES; i++)
        write_file(path_in(folder, i), "i", 1);
    CHECK_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
    few = before;
    few.rlim_cur = FILES / 2;
    CHECK_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
    CHECK_OK(pq_table_open(folder, false, &table));
    CHECK_EQ(table->row_count, FILES);
    pq_table_close(table);
    CHECK_EQ(getrlimit(RLIMIT_NOFILE, &few), 0);
    CHECK_EQ(few.rlim_cur, before.rlim_max);
    CHECK_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
}

/* The first file that has another schema, or is not Parquet, is named. */
TEST(the_first_bad_file_is_named)
{
    const char *folder = test_folder();
    pq_table *table;
    for (int i = 0; i < FILES; i++)
        write_file(path_in(folder, i), "i", 1);
    CHECK_EQ(truncate(path_in(folder, 90), 20), 0);
    CHECK_EQ(truncate(path_in(folder, 60), 20), 0);
    CHECK_EQ(truncate(path_in(folder, 61), 5), 0);
    for (int round = 0; round < 20; round++)
        CHECK_FAILS(pq_table_open(folder, true, &table), STATUS_KIND_CORRUPT, "/060.parquet\"");
    write_file(path_in(folder, 40), "other", 1);
    for (int round = 0; round < 20; round++)
        CHECK_FAILS(pq_table_open(folder, true, &table), STATUS_KIND_INVALID,
                    "/040.parquet\": its column 1 is \"other\"");
    CHECK_EQ(truncate(path_in(folder, 0), 0), 0);
    CHECK_FAILS(pq_table_open(folder, true, &table), STATUS_KIND_CORRUPT, "/000.parquet\"");
}
