/* run.c - runs files of query tests (README.md) through the public interface, each under every
 * configuration, and prints what differs. */
#include "processes.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

typedef enum block_kind {
    BLOCK_TABLE,
    BLOCK_FILES,
    BLOCK_ZONE,
    BLOCK_QUERY,
    BLOCK_CASES,
    BLOCK_ERROR
} block_kind;

typedef struct block {
    block_kind kind;
    bool is_ordered, is_approximate;
    int line;
    char *name;     /* tables: "people (id, name)"; files: "people"; zones: "Europe/Berlin" */
    char *sql;      /* with a closing NUL */
    char *expected; /* lines, each with its newline */
    char
        *template; /* cases: a value, with {} for each case; `sql` is the statement of all of them */
} block;

/* How much is to be done (PISTACHIO_TEST_EFFORT); each is with what those before it have. */
typedef enum effort {
    EFFORT_LEAST, /* many threads */
    EFFORT_LESS,  /* threads that meet in other ways: of ranks, of a device (tests/common.sh) */
    EFFORT_PLANS, /* whatever makes other plans */
    EFFORT_ALL    /* other sizes and kernels */
} effort;

typedef struct configuration {
    const char *name;
    pistachio_option options[6];
    size_t option_count;
    unsigned row_group; /* tables are Parquet files with row groups of so many rows; 0: views */
    bool is_optional;   /* not every machine can open it */
    bool is_lazy;       /* the device is asked what it was told to do */
    effort effort;      /* the least that it is run with */
    bool
        is_cached; /* files are old enough for the column cache, and each SELECT is asked three times */
} configuration;

static const configuration configurations[] = {
    {.name = "views, 1 thread",
     .options = {{"threads", "1"}},
     .option_count = 1,
     .effort = EFFORT_PLANS},
    {.name = "files, 7 threads",
     .options = {{"threads", "7"}},
     .option_count = 1,
     .row_group = 4,
     .effort = EFFORT_LEAST},
    {.name = "files, chunks of 3 rows, 2 threads",
     .options = {{"threads", "2"}, {"chunk_rows", "3"}},
     .option_count = 2,
     .row_group = 4,
     .effort = EFFORT_ALL},
    {.name = "files, chunks of 64 rows, small ones put together",
     .options = {{"threads", "2"}, {"chunk_rows", "64"}, {"dynamic_buffering", "on"}},
     .option_count = 3,
     .row_group = 4,
     .effort = EFFORT_ALL},
    {.name = "files, scalar kernels",
     .options = {{"threads", "2"}, {"isa", "scalar"}, {"chunk_rows", "5"}},
     .option_count = 3,
     .row_group = 16,
     .effort = EFFORT_ALL},
    {.name = "files, from the column cache",
     .options = {{"threads", "3"}, {"chunk_rows", "64"}, {"cache_memory", "64MiB"}},
     .option_count = 3,
     .row_group = 200,
     .effort = EFFORT_LESS,
     .is_cached = true},
    {.name = "files, from a column cache of 1 MiB",
     .options = {{"threads", "3"}, {"chunk_rows", "64"}, {"cache_memory", "1MiB"}},
     .option_count = 3,
     .row_group = 16,
     .effort = EFFORT_ALL,
     .is_cached = true},
    {.name = "files, avx2 kernels",
     .options = {{"threads", "2"}, {"isa", "avx2"}},
     .option_count = 2,
     .row_group = 16,
     .is_optional = true,
     .effort = EFFORT_ALL},
    {.name = "files, 3 ranks, small messages",
     .options = {{"ranks", "3"},
                 {"distribute", "always"},
                 {"network_message_bytes", "300"},
                 {"threads", "6"}},
     .option_count = 4,
     .row_group = 4,
     .effort = EFFORT_LESS},
    {.name = "files, simulated device",
     .options = {{"threads", "2"}, {"device", "simulated"}, {"chunk_rows", "3"}},
     .option_count = 3,
     .row_group = 16,
     .is_lazy = true,
     .effort = EFFORT_ALL},
    {.name = "files, simulated device, chunks of 7 rows",
     .options = {{"threads", "3"}, {"device", "simulated"}, {"chunk_rows", "7"}},
     .option_count = 3,
     .row_group = 5,
     .is_lazy = true,
     .effort = EFFORT_LESS},
    {.name = "files, from the cache of a simulated device",
     .options = {{"threads", "3"}, {"device", "simulated"}, {"chunk_rows", "64"}},
     .option_count = 3,
     .row_group = 16,
     .is_lazy = true,
     .effort = EFFORT_ALL,
     .is_cached = true},
};
/* With PISTACHIO_CUDA_LIBRARY in the environment, only this one. */
static const configuration cuda_configuration = {
    .name = "files, CUDA device",
    .options = {{"threads", "2"}, {"device", "cuda"}, {"chunk_rows", "300"}},
    .option_count = 3,
    .row_group = 16,
    .is_lazy = true,
    .effort = EFFORT_LESS};

/* With --devices, only this one; with PISTACHIO_CUDA_LIBRARY on that device. */
static const configuration devices_configuration = {.name = "files, 2 ranks, simulated devices",
                                                    .options = {{"ranks", "2"},
                                                                {"distribute", "always"},
                                                                {"network_message_bytes", "300"},
                                                                {"threads", "2"},
                                                                {"chunk_rows", "64"},
                                                                {"device", "simulated"}},
                                                    .option_count = 6,
                                                    .row_group = 4,
                                                    .is_lazy = true,
                                                    .effort = EFFORT_ALL};
/* A rank for each of the emulated GPUs, or two that share the one. */
static configuration cuda_devices_configuration = {.name = "files, ranks, CUDA device",
                                                   .options = {{"ranks", "2"},
                                                               {"distribute", "always"},
                                                               {"network_message_bytes", "300"},
                                                               {"threads", "2"},
                                                               {"chunk_rows", "300"},
                                                               {"device", "cuda"}},
                                                   .option_count = 6,
                                                   .row_group = 16,
                                                   .is_lazy = true,
                                                   .effort = EFFORT_ALL};

/* With --auto, only this one: the CPU, or the CUDA device where figures in XDG_CACHE_HOME say so. */
static const configuration auto_configuration = {
    .name = "files, device = auto",
    .options = {{"threads", "2"}, {"device", "auto"}, {"chunk_rows", "300"}},
    .option_count = 3,
    .row_group = 16,
    .effort = EFFORT_ALL};

/* With --chunks N, only this one, with N for "0". */
static configuration chunks_configuration = {
    .name = "files, simulated device, chunks of so many rows",
    .options = {{"threads", "3"}, {"device", "simulated"}, {"chunk_rows", "0"}},
    .option_count = 3,
    .row_group = 5,
    .is_lazy = true,
    .effort = EFFORT_ALL};

/* With --processes, only this one. */
static const configuration processes_configuration = {"files, 2 processes, small messages",
                                                      {{"distribute", "always"},
                                                       {"network_message_bytes", "300"},
                                                       {"threads", "4"},
                                                       {"peer_timeout", "60000"}},
                                                      4,
                                                      4,
                                                      false,
                                                      false,
                                                      EFFORT_ALL,
                                                      false};

typedef struct run {
    const char *path;
    const configuration *config;
    pistachio_connection *connection;
    char folder[64];
    unsigned passed, failed;
    int joined;    /* what processes_join said */
    bool no_zones; /* the system has no files of time zones */
} run;

static void *checked(void *memory)
{
    if (!memory) {
        fprintf(stderr, "out of memory\n");
        exit(2);
    }
    return memory;
}

/* ---- text that grows ---- */

typedef struct text {
    char *bytes;
    size_t count, room;
} text;

static void text_add(text *t, const char *bytes, size_t count)
{
    if (t->count + count + 1 > t->room) {
        t->room = (t->count + count + 1) * 2;
        t->bytes = checked(realloc(t->bytes, t->room));
    }
    memcpy(t->bytes + t->count, bytes, count);
    t->count += count;
    t->bytes[t->count] = '\0';
}

static void text_add_cell(text *t, const char *cell, size_t bytes)
{
    if (bytes == 0)
        text_add(t, "''", 2);
    for (size_t i = 0; i < bytes; i++) {
        if (cell[i] == '\n') {
            text_add(t, "\\n", 2);
            continue;
        }
        if (cell[i] == '\\' || cell[i] == '|')
            text_add(t, "\\", 1);
        text_add(t, cell + i, 1);
    }
}

/* ---- comparing rows ---- */

typedef struct lines {
    char **items;
    size_t count;
} lines;

/* Cuts the text at its newlines, which are overwritten. */
static lines cut_lines(char *bytes)
{
    lines l = {0};
    size_t most = 1;
    for (const char *c = bytes; *c; c++)
        most += *c == '\n';
    l.items = checked(calloc(most, sizeof *l.items));
    for (char *at = bytes; *at;) {
        char *end = strchr(at, '\n');
        l.items[l.count++] = at;
        if (!end)
            break;
        *end = '\0';
        at = end + 1;
    }
    return l;
}

static int compare_lines(const void *left, const void *right)
{
    return strcmp(*(char *const *)left, *(char *const *)right);
}

static bool numbers_close(const char *left, const char *right)
{
    char *left_end, *right_end;
    for (;;) {
        size_t left_bytes = strcspn(left, "|"), right_bytes = strcspn(right, "|");
        bool is_same = left_bytes == right_bytes && !memcmp(left, right, left_bytes);
        if (!is_same) {
            double l = strtod(left, &left_end), r = strtod(right, &right_end);
            if (left_end != left + left_bytes || right_end != right + right_bytes ||
                fabs(l - r) > 1e-9 * fmax(fabs(l), fabs(r)))
                return false;
        }
        if (!left[left_bytes] || !right[right_bytes])
            return left[left_bytes] == right[right_bytes];
        left += left_bytes + 1;
        right += right_bytes + 1;
    }
}

static bool rows_equal(const block *b, char *actual, char *expected)
{
    lines a = cut_lines(actual), e = cut_lines(expected);
    bool is_equal = a.count == e.count;
    if (!b->is_ordered) {
        qsort(a.items, a.count, sizeof *a.items, compare_lines);
        qsort(e.items, e.count, sizeof *e.items, compare_lines);
    }
    for (size_t i = 0; is_equal && i < a.count; i++)
        is_equal = !strcmp(a.items[i], e.items[i]) ||
                   (b->is_approximate && numbers_close(a.items[i], e.items[i]));
    free(a.items);
    free(e.items);
    return is_equal;
}

/* ---- running ---- */

/* All rows of a statement as lines. */
static pistachio_error *ask(run *r, const char *sql, text *out)
{
    pistachio_result *result = NULL;
    const pistachio_batch *batch = NULL;
    pistachio_error *error = pistachio_query(r->connection, sql, NULL, &result);
    while (!error && result && !(error = pistachio_next(result, &batch)) && batch)
        for (uint64_t row = 0; row < pistachio_batch_rows(batch); row++) {
            for (uint32_t i = 0; i < pistachio_column_count(result); i++) {
                size_t bytes;
                if (i)
                    text_add(out, "|", 1);
                if (pistachio_is_null(batch, i, row)) {
                    text_add(out, "NULL", 4);
                } else {
                    const char *cell = pistachio_text(batch, i, row, &bytes);
                    text_add_cell(out, cell, bytes);
                }
            }
            text_add(out, "\n", 1);
        }
    pistachio_result_free(result);
    return error;
}

static void report(run *r, const block *b, const char *what, const char *actual,
                   const char *expected)
{
    printf("%s:%d: %s [%s]\n%s\n-- got:\n%s\n-- expected:\n%s\n", r->path, b->line, what,
           r->config->name, b->sql, actual, expected);
    r->failed++;
}

/* Returns whether the query's rows are the expected ones; reports what they are otherwise. */
static bool has_expected_rows(run *r, const block *b)
{
    text actual = {0};
    text_add(&actual, "", 0);
    pistachio_error *error = ask(r, b->sql, &actual);
    bool is_right = !error;
    if (error) {
        report(r, b, "query failed", pistachio_error_message(error), b->expected);
        pistachio_error_free(error);
    } else {
        char *left = checked(strdup(actual.bytes)), *right = checked(strdup(b->expected));
        is_right = rows_equal(b, left, right);
        if (!is_right)
            report(r, b, "rows differ", actual.bytes, b->expected);
        free(left);
        free(right);
    }
    free(actual.bytes);
    return is_right;
}

/* The column cache is told of columns by the first statement, has them from the second on, and gives them to the third. */
#define CACHED_ASKS 3

static void run_query(run *r, const block *b)
{
    bool is_right = true;
    bool is_repeated = r->config->is_cached &&
                       (!strncasecmp(b->sql, "SELECT", 6) || !strncasecmp(b->sql, "WITH", 4));
    for (int i = 0; i < (is_repeated ? CACHED_ASKS : 1) && is_right; i++)
        is_right = has_expected_rows(r, b);
    r->passed += is_right;
}

/* Cuts "case => value" after the case; returns the value. */
static char *cut_case(const run *r, const block *b, char *line)
{
    char *arrow = NULL;
    for (char *at = line; (at = strstr(at, " => ")); at++)
        arrow = at;
    if (!arrow) {
        printf("%s:%d: not a case: %s\n", r->path, b->line, line);
        exit(2);
    }
    *arrow = '\0';
    return arrow + strlen(" => ");
}

/* Returns a cell of a row, and moves *at after it. */
static char *take_cell(char **at)
{
    char *cell = *at, *to = cell;
    while (*to && *to != '|' && *to != '\n')
        to += *to == '\\' && to[1] ? 2 : 1;
    *at = *to ? to + 1 : to;
    *to = '\0';
    return cell;
}

/* A statement of one row, a cell for each case: what differs is told case by case. */
static void run_cases(run *r, const block *b)
{
    text actual = {0};
    text_add(&actual, "", 0);
    pistachio_error *error = ask(r, b->sql, &actual);
    char *expected = checked(strdup(b->expected)), *at = actual.bytes;
    lines cases = cut_lines(expected);
    if (error)
        report(r, b, "query failed", pistachio_error_message(error), b->expected);
    for (size_t i = 0; i < cases.count && !error; i++) {
        const char *value = cut_case(r, b, cases.items[i]), *cell = take_cell(&at);
        if (!strcmp(cell, value) || (b->is_approximate && numbers_close(cell, value))) {
            r->passed++;
            continue;
        }
        block one = {.line = b->line, .sql = cases.items[i]};
        report(r, &one, "value differs", cell, value);
    }
    pistachio_error_free(error);
    free(cases.items);
    free(expected);
    free(actual.bytes);
}

/* Returns whether the configuration asks a device what it is told to do: it is asked without sanitizers and, for who
 * is at work, in one configuration with AddressSanitizer. */
static bool asks_device(const configuration *config)
{
#if defined __SANITIZE_THREAD__
    return false && config;
#elif defined __SANITIZE_ADDRESS__
    return config->is_lazy && config->effort == EFFORT_ALL;
#else
    return config->is_lazy;
#endif
}

/* A lazy device's tasks wait for nothing, and copy from and to pinned memory alone. */
static void check_device(run *r, const block *b)
{
    static const char *const unwanted[] = {"blocking waits", "of memory not pinned"};
    text sql = {0}, plan = {0};
    if (!asks_device(r->config) ||
        (strncasecmp(b->sql, "select", 6) && strncasecmp(b->sql, "with", 4)))
        return;
    text_add(&sql, "EXPLAIN ANALYZE ", 16);
    text_add(&sql, b->sql, strlen(b->sql));
    pistachio_error *error = ask(r, sql.bytes, &plan);
    const char *line = error ? NULL : strstr(plan.bytes, "device ");
    if (error)
        report(r, b, "no figures", pistachio_error_message(error), "");
    for (int i = 0; i < 2 && line; i++)
        if (strstr(line, unwanted[i]))
            report(r, b, unwanted[i], line, "");
    pistachio_error_free(error);
    free(plan.bytes);
    free(sql.bytes);
}

/* Expected: "<position>: <part of the message>". */
static void run_error(run *r, const block *b)
{
    text actual = {0};
    char *part;
    long position = strtol(b->expected, &part, 10);
    pistachio_error *error = ask(r, b->sql, &actual);
    free(actual.bytes);
    if (!error) {
        report(r, b, "no failure", "", b->expected);
        return;
    }
    char wanted[512], got[512];
    snprintf(wanted, sizeof wanted, "%s", *part == ':' ? part + 2 : part);
    wanted[strcspn(wanted, "\n")] = '\0';
    snprintf(got, sizeof got, "%lld: %s", (long long)pistachio_error_position(error),
             pistachio_error_message(error));
    if (pistachio_error_position(error) == position &&
        strstr(pistachio_error_message(error), wanted))
        r->passed++;
    else
        report(r, b, "another failure", got, b->expected);
    pistachio_error_free(error);
}

/* The rows of each row group of a table's file: `least`, so that small tables have several, but of
 * large ones not thousands. */
static unsigned long row_group_rows(run *r, const block *b, unsigned long least)
{
    text sql = {0}, rows = {0};
    text_add(&sql, "SELECT count(*) FROM (", 22);
    text_add(&sql, b->sql, strlen(b->sql));
    text_add(&sql, ") AS counted", 12);
    pistachio_error *error = ask(r, sql.bytes, &rows);
    unsigned long count = error ? 0 : strtoul(rows.bytes, NULL, 10);
    pistachio_error_free(error); /* making the table says what is wrong */
    free(rows.bytes);
    free(sql.bytes);
    return count / 100 > least ? count / 100 : least;
}

/* Tables are made on the CPU: what is tested is how they are asked. */
static void set_device(run *r, const char *device)
{
    text sql = {0}, ignored = {0};
    text_add(&sql, "SET device = '", 14);
    text_add(&sql, device, strlen(device));
    text_add(&sql, "'", 1);
    pistachio_error_free(ask(r, sql.bytes, &ignored));
    free(ignored.bytes);
    free(sql.bytes);
}

/* Makes a file as old as the column cache wants it. */
static void make_old(const char *path)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    now.tv_sec -= 3600;
    const struct timespec times[] = {now, now};
    if (utimensat(AT_FDCWD, path, times, 0))
        perror(path);
}

static void make_table(run *r, const block *b)
{
    text sql = {0};
    char name[64], path[160];
    size_t name_bytes = strcspn(b->name, " (");
    pistachio_error *error;
    snprintf(name, sizeof name, "%.*s", (int)name_bytes, b->name);
    snprintf(path, sizeof path, "%s/%s.parquet", r->folder, name);
    if (r->config->row_group)
        text_add(&sql, "COPY (", 6);
    else {
        text_add(&sql, "CREATE VIEW ", 12);
        text_add(&sql, name, strlen(name));
        text_add(&sql, " AS ", 4);
    }
    text_add(&sql, "SELECT * FROM (", 15);
    text_add(&sql, b->sql, strlen(b->sql));
    text_add(&sql, ") AS ", 5);
    text_add(&sql, b->name, strlen(b->name));
    if (r->config->row_group) {
        text_add(&sql, ") TO '", 6);
        text_add(&sql, path, strlen(path));
        char rows[48];
        snprintf(rows, sizeof rows, "' (ROW_GROUP_SIZE %lu)",
                 row_group_rows(r, b, r->config->row_group));
        text_add(&sql, rows, strlen(rows));
    }
    text ignored = {0};
    error = ask(r, sql.bytes, &ignored);
    snprintf(path, sizeof path, "%s/%s.parquet", r->folder, name);
    if (!error && r->config->is_cached)
        make_old(path);
    if (!error && r->config->row_group)
        error = pistachio_add_table(r->connection, name, path);
    if (error) {
        report(r, b, "table could not be made", pistachio_error_message(error), "");
        pistachio_error_free(error);
    }
    free(ignored.bytes);
    free(sql.bytes);
}

/* A table of files of tests/data, which is beside the folder of the test. */
static void add_files(run *r, const block *b)
{
    const char *end = strrchr(r->path, '/');
    text path = {0};
    text_add(&path, r->path, end ? (size_t)(end - r->path) + 1 : 0);
    text_add(&path, "../data/", 8);
    text_add(&path, b->sql, strlen(b->sql));
    pistachio_error *error = pistachio_add_table(r->connection, b->name, path.bytes);
    if (error) {
        report(r, b, "table could not be made", pistachio_error_message(error), "");
        pistachio_error_free(error);
    }
    free(path.bytes);
}

/* The zone of the blocks behind it. False: the system knows none. */
static bool set_zone(run *r, const block *b)
{
    text sql = {0}, ignored = {0};
    text_add(&sql, "SET timezone = '", 16);
    text_add(&sql, b->name, strlen(b->name));
    text_add(&sql, "'", 1);
    pistachio_error *error = ask(r, sql.bytes, &ignored);
    if (error && !strstr(pistachio_error_message(error), "is not known"))
        report(r, b, "zone could not be set", pistachio_error_message(error), "");
    else
        r->no_zones |= error != NULL;
    pistachio_error_free(error);
    free(ignored.bytes);
    free(sql.bytes);
    return !r->no_zones;
}

static void remove_table(run *r, const block *b)
{
    char path[160];
    snprintf(path, sizeof path, "%s/%.*s.parquet", r->folder, (int)strcspn(b->name, " ("), b->name);
    unlink(path);
}

static void run_configuration(run *r, const block *blocks, size_t count)
{
    pistachio_database *database = NULL;
    pistachio_error *error = pistachio_open(r->config->options, r->config->option_count, &database);
    if (!error)
        error = pistachio_connect(database, &r->connection);
    if (error) {
        if (!r->config->is_optional) {
            printf("%s [%s]: %s\n", r->path, r->config->name, pistachio_error_message(error));
            r->failed++;
        }
        pistachio_error_free(error);
        pistachio_close(database);
        return;
    }
    if (r->config == &processes_configuration && (r->joined = processes_join(database))) {
        r->failed += r->joined != 77;
        pistachio_disconnect(r->connection);
        pistachio_close(database);
        return;
    }
    bool is_cuda = r->config == &cuda_configuration;
    bool goes_on = true;
    for (size_t i = 0; i < count && goes_on; i++)
        switch (blocks[i].kind) {
        case BLOCK_ZONE:
            goes_on = set_zone(r, &blocks[i]);
            break;
        case BLOCK_TABLE:
            if (is_cuda)
                set_device(r, "cpu");
            make_table(r, &blocks[i]);
            if (is_cuda)
                set_device(r, "cuda");
            break;
        case BLOCK_FILES:
            add_files(r, &blocks[i]);
            break;
        case BLOCK_QUERY:
            run_query(r, &blocks[i]);
            check_device(r, &blocks[i]);
            break;
        case BLOCK_CASES:
            run_cases(r, &blocks[i]);
            check_device(r, &blocks[i]);
            break;
        case BLOCK_ERROR:
            run_error(r, &blocks[i]);
            break;
        }
    pistachio_disconnect(r->connection);
    pistachio_close(database);
    for (size_t i = 0; i < count; i++)
        if (r->config->row_group && blocks[i].kind == BLOCK_TABLE)
            remove_table(r, &blocks[i]);
}

/* ---- reading a file ---- */

static char *read_all(const char *path)
{
    text all = {0};
    char part[4096];
    size_t bytes;
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        exit(2);
    }
    text_add(&all, "", 0);
    while ((bytes = fread(part, 1, sizeof part, file)) > 0)
        text_add(&all, part, bytes);
    fclose(file);
    return all.bytes;
}

static bool parse_head(block *b, const char *head)
{
    b->is_ordered = strstr(head, " ordered") != NULL;
    b->is_approximate = strstr(head, " approx") != NULL;
    if (!strncmp(head, "table ", 6)) {
        b->kind = BLOCK_TABLE;
        b->name = checked(strdup(head + 6));
    } else if (!strncmp(head, "files ", 6)) {
        b->kind = BLOCK_FILES;
        b->name = checked(strdup(head + 6));
    } else if (!strncmp(head, "zone ", 5)) {
        b->kind = BLOCK_ZONE;
        b->name = checked(strdup(head + 5));
    } else if (!strncmp(head, "query", 5)) {
        b->kind = BLOCK_QUERY;
    } else if (!strncmp(head, "cases", 5)) {
        b->kind = BLOCK_CASES;
    } else if (!strcmp(head, "error")) {
        b->kind = BLOCK_ERROR;
    } else {
        return false;
    }
    return true;
}

/* Makes the statement of the cases: SELECT the template with each of them, and its FROM, if it has one. */
static void join_cases(block *b)
{
    text sql = {0};
    char *expected = checked(strdup(b->expected));
    lines cases = cut_lines(expected);
    text_add(&sql, "SELECT ", 7);
    b->template = b->sql;
    char *from = strstr(b->template, "\nFROM ");
    if (from)
        *from = '\0';
    for (size_t i = 0; i < cases.count; i++) {
        char *end = cases.items[i];
        for (char *at = end; (at = strstr(at, " => ")); at++)
            end = at;
        text_add(&sql, ", ", i ? 2 : 0);
        for (const char *at = b->template; *at;) {
            bool is_hole = at[0] == '{' && at[1] == '}';
            if (is_hole)
                text_add(&sql, cases.items[i], (size_t)(end - cases.items[i]));
            else
                text_add(&sql, at, 1);
            at += is_hole ? 2 : 1;
        }
    }
    if (from) {
        text_add(&sql, " ", 1);
        text_add(&sql, from + 1, strlen(from + 1));
    }
    b->sql = sql.bytes;
    free(cases.items);
    free(expected);
}

static block *parse(const char *path, size_t *out_count)
{
    char *all = read_all(path);
    lines l = cut_lines(all);
    block *blocks = checked(calloc(l.count + 1, sizeof *blocks));
    size_t count = 0;
    for (size_t i = 0; i < l.count; i++) {
        if (!*l.items[i] || *l.items[i] == '#')
            continue;
        block *b = &blocks[count++];
        text sql = {0}, expected = {0};
        b->line = (int)i + 1;
        if (!parse_head(b, l.items[i])) {
            printf("%s:%zu: not a block: %s\n", path, i + 1, l.items[i]);
            exit(2);
        }
        text_add(&sql, "", 0);
        text_add(&expected, "", 0);
        text *target = &sql;
        for (i++; i < l.count && *l.items[i]; i++) {
            if (!strcmp(l.items[i], "----")) {
                target = &expected;
                continue;
            }
            if (target->count && target == &sql)
                text_add(target, "\n", 1);
            text_add(target, l.items[i], strlen(l.items[i]));
            if (target == &expected)
                text_add(target, "\n", 1);
        }
        b->sql = sql.bytes;
        b->expected = expected.bytes;
        if (b->kind == BLOCK_CASES)
            join_cases(b);
    }
    free(l.items);
    free(all);
    *out_count = count;
    return blocks;
}

static void free_blocks(block *blocks, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free(blocks[i].name);
        free(blocks[i].sql);
        free(blocks[i].expected);
        free(blocks[i].template);
    }
    free(blocks);
}

static effort wanted_effort(void)
{
    static const char *const names[] = {"least", "less", "plans"};
    const char *name = getenv("PISTACHIO_TEST_EFFORT");
    for (int i = 0; i < EFFORT_ALL && name; i++)
        if (!strcmp(name, names[i]))
            return (effort)i;
    return EFFORT_ALL;
}

enum { CONFIGURATIONS = sizeof configurations / sizeof *configurations };

/* Returns a hash of a file's name without its folder and ending; scripts/choose-tests has the same one. */
static unsigned hash_name(const char *path)
{
    static const char characters[] = "abcdefghijklmnopqrstuvwxyz_0123456789";
    const char *slash = strrchr(path, '/'), *at = slash ? slash + 1 : path;
    unsigned hash = 0;
    for (; *at && *at != '.'; at++) {
        const char *found = strchr(characters, *at);
        hash = (hash * 31 + (found ? (unsigned)(found - characters) + 1 : 0)) % 65521;
    }
    return hash;
}

/* In the gate the debug preset runs each file under two configurations, the other presets under one. */
#if defined(NDEBUG) || defined(__SANITIZE_THREAD__)
#define CHOSEN_CONFIGURATIONS 1
#else
#define CHOSEN_CONFIGURATIONS 2
#endif

/* Fills `chosen` with the configurations that the effort and PISTACHIO_TEST_CHOICE, a number, ask for: one of
 * three, CHOSEN_CONFIGURATIONS of more, other ones for each file and number; all if the variable is not set. */
static size_t choose_configurations(const char *path, const configuration **chosen)
{
    const configuration *fitting[CONFIGURATIONS];
    const char *choice = getenv("PISTACHIO_TEST_CHOICE");
    effort wanted = wanted_effort();
    size_t count = 0;
    for (size_t c = 0; c < CONFIGURATIONS; c++)
        if (configurations[c].effort <= wanted)
            fitting[count++] = &configurations[c];
    size_t wanted_count = !choice || !*choice ? count : count > 3 ? CHOSEN_CONFIGURATIONS : 1;
    size_t number = choice ? hash_name(path) + strtoul(choice, NULL, 10) : 0;
    /* The distance to the second one is never a multiple of the count. */
    size_t distance = count > 1 ? 1 + number / count % (count - 1) : 0;
    for (size_t i = 0; i < wanted_count; i++)
        chosen[i] = wanted_count == count ? fitting[i] : fitting[(number + i * distance) % count];
    return wanted_count;
}

static void run_file(run *r, const block *blocks, size_t count)
{
    const configuration *chosen[CONFIGURATIONS] = {&cuda_configuration};
    bool is_cuda = getenv("PISTACHIO_CUDA_LIBRARY");
    size_t chosen_count = is_cuda ? 1 : choose_configurations(r->path, chosen);
    for (size_t c = 0; c < chosen_count; c++) {
        r->config = chosen[c];
        run_configuration(r, blocks, count);
    }
}

/* On two ranks; the second is a process of its own. */
static void run_processes(run *r, const block *blocks, size_t count)
{
    r->config = &processes_configuration;
    processes_start(r->config->options, r->config->option_count);
    run_configuration(r, blocks, count);
    if (processes_end() != r->joined && !r->failed) {
        printf("%s [%s]: the other rank failed\n", r->path, r->config->name);
        r->failed++;
    }
}

static void run_alone(run *r, const block *blocks, size_t count, const configuration *config)
{
    r->config = config;
    run_configuration(r, blocks, count);
}

int main(int argument_count, char **arguments)
{
    run r = {.folder = "/tmp/pistachio-sql-XXXXXX"};
    bool has_processes = argument_count == 3 && !strcmp(arguments[1], "--processes");
    bool has_devices = argument_count > 2 && !strcmp(arguments[1], "--devices");
    bool is_auto = argument_count > 2 && !strcmp(arguments[1], "--auto");
    bool has_chunks = argument_count > 3 && !strcmp(arguments[1], "--chunks");
    if (argument_count < 2) {
        fprintf(stderr, "usage: sql_runner FILE... | --devices FILE... | --auto FILE... | "
                        "--chunks ROWS FILE... | --processes FILE\n");
        return 2;
    }
    const char *devices = getenv("PISTACHIO_CUDA_DEVICES");
    if (has_chunks)
        chunks_configuration.options[2].value = arguments[2];
    if (devices && strcmp(devices, "1") != 0)
        cuda_devices_configuration.options[0].value = devices;
    if (!mkdtemp(r.folder)) {
        perror(r.folder);
        return 2;
    }
    for (int i = 1 + (has_processes || has_devices || is_auto) + 2 * has_chunks; i < argument_count;
         i++) {
        size_t count;
        block *blocks = parse(arguments[i], &count);
        r.path = arguments[i];
        if (has_processes)
            run_processes(&r, blocks, count);
        else if (has_devices)
            run_alone(&r, blocks, count,
                      getenv("PISTACHIO_CUDA_LIBRARY") ? &cuda_devices_configuration
                                                       : &devices_configuration);
        else if (is_auto)
            run_alone(&r, blocks, count, &auto_configuration);
        else if (has_chunks)
            run_alone(&r, blocks, count, &chunks_configuration);
        else
            run_file(&r, blocks, count);
        free_blocks(blocks, count);
    }
    rmdir(r.folder);
    if (r.joined == 77) {
        printf("skipped two processes: no libucp here, none when this was built, or no /sys\n");
        return 77;
    }
    printf("%u passed, %u failed, 0 skipped\n", r.passed, r.failed);
    if (r.no_zones)
        printf("skipped what needs time zones: the package tzdata is missing\n");
    return r.failed ? 1 : r.no_zones ? 77 : 0;
}
