/* generate.c - hands row groups to threads in the order of the files and appends them in that
 * order.
 *
 * A thread takes the next row group, makes its rows, encodes them, waits until those before it in
 * its file have been appended, and appends. The thread that takes a file's first row group opens
 * the file, the one that appends the last finishes it. */
#include "tpch/generate.h"

#include "base/system/mutex.h"
#include "parquet/write/writer_team.h"
#include "tpch/tables.h"
#include "tpch/text_pool.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define ROW_GROUP_ROWS 122880
#define PATH_BYTES 4096

const tpch_table *const tpch_tables[TPCH_TABLE_COUNT] = {
    &tpch_lineitem, &tpch_orders,   &tpch_partsupp, &tpch_part,
    &tpch_customer, &tpch_supplier, &tpch_nation,   &tpch_region,
};

/* A file to be written: units first to first + count of a table, by row groups of `step` units. */
typedef struct target {
    const tpch_table *table;
    char *path;
    uint64_t first, count, step;
    uint64_t taken, appended; /* units */
    bool has_started;
    pq_writer *writer;
} target;

typedef struct generation {
    const tpch_generate_options *options;
    tpch_scale scale;
    target *targets;
    size_t target_count, next; /* next: the file whose row groups are being taken */
    uint64_t row_groups, row_groups_done, bytes;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    status failure;
} generation;

/* ---- what is to be written ---- */

/* Makes the folder where there is none, and sees that files can be made in it, before the work
 * begins. */
static status generate_make_folder(const char *path)
{
    struct stat found;
    int number = mkdir(path, 0777) && errno != EEXIST ? errno : 0;
    if (!number && stat(path, &found))
        number = errno;
    if (!number && !S_ISDIR(found.st_mode))
        number = ENOTDIR;
    if (!number && access(path, W_OK | X_OK))
        number = errno;
    return number ? status_new_errno(number, "could not make files in \"%s\"", path) : STATUS_OK;
}

static status generate_add_target(generation *g, const tpch_table *table, unsigned part,
                                  unsigned parts)
{
    target *t = &g->targets[g->target_count];
    uint64_t units = table->units(&g->scale), share = units / parts;
    char path[PATH_BYTES];
    int length =
        g->options->parts && parts > 1
            ? snprintf(path, sizeof path, "%s/%s/part-%04u.parquet", g->options->folder,
                       table->name, part)
            : snprintf(path, sizeof path, "%s/%s.parquet", g->options->folder, table->name);
    if (length < 0 || length >= (int)sizeof path)
        return status_new(STATUS_KIND_IO, "%s: the path is too long", g->options->folder);
    *t = (target){.table = table,
                  .first = part * share,
                  .count = part + 1 == parts ? units - part * share : share,
                  .step = ROW_GROUP_ROWS / table->unit_rows};
    t->path = mem_copy_text(path, (size_t)length);
    if (!t->path)
        return status_no_memory("files", (size_t)length);
    g->target_count++;
    g->row_groups += (t->count + t->step - 1) / t->step;
    return STATUS_OK;
}

static status generate_add_table(generation *g, const tpch_table *table)
{
    unsigned parts = g->options->parts ? g->options->parts : 1;
    if (table == &tpch_nation || table == &tpch_region)
        parts = 1;
    if (parts > 1) {
        char path[PATH_BYTES];
        int length = snprintf(path, sizeof path, "%s/%s", g->options->folder, table->name);
        if (length < 0 || length >= (int)sizeof path)
            return status_new(STATUS_KIND_IO, "%s: the path is too long", g->options->folder);
        TRY(generate_make_folder(path));
    }
    for (unsigned part = 0; part < parts; part++)
        TRY(generate_add_target(g, table, part, parts));
    return STATUS_OK;
}

/* ---- a thread ---- */

static void generate_fail(generation *g, status st)
{
    mutex_lock(&g->lock);
    if (g->failure)
        status_free(st);
    else
        g->failure = st;
    pthread_cond_broadcast(&g->changed);
    mutex_unlock(&g->lock);
}

/* The next row group: its file, first unit and units. False: none left, or the work has failed. */
static bool generate_take(generation *g, target **out, uint64_t *first, uint64_t *units)
{
    mutex_lock(&g->lock);
    while (g->next < g->target_count && g->targets[g->next].has_started &&
           g->targets[g->next].taken == g->targets[g->next].count)
        g->next++;
    bool has = g->next < g->target_count && !g->failure;
    if (has) {
        target *t = &g->targets[g->next];
        *out = t;
        *first = t->taken;
        *units = t->count - t->taken < t->step ? t->count - t->taken : t->step;
        t->taken += *units;
        t->has_started = true; /* also where there are no rows: an empty file */
    }
    mutex_unlock(&g->lock);
    return has;
}

/* The file's writer, opened for its first row group; NULL when the work has failed. */
static status writer_of(generation *g, target *t, bool is_first, pq_writer **out)
{
    pq_writer_options options = pq_writer_options_default();
    pq_writer *writer = NULL;
    if (is_first)
        TRY(pq_writer_open(t->path, t->table->columns, t->table->column_count, &options, &writer));
    mutex_lock(&g->lock);
    if (is_first) {
        t->writer = writer;
        pthread_cond_broadcast(&g->changed);
    }
    while (!t->writer && !g->failure)
        pthread_cond_wait(&g->changed, &g->lock);
    *out = g->failure ? NULL : t->writer;
    mutex_unlock(&g->lock);
    return STATUS_OK;
}

/* Appends when it is this row group's turn. Frees it, whatever happens. */
static status generate_append(generation *g, target *t, uint64_t first, uint64_t units,
                              pq_encoded_row_group *group)
{
    mutex_lock(&g->lock);
    while (t->appended != first && !g->failure)
        pthread_cond_wait(&g->changed, &g->lock);
    bool has_failed = g->failure != NULL;
    mutex_unlock(&g->lock);
    if (has_failed) {
        pq_encoded_row_group_free(group);
        return STATUS_OK;
    }
    uint64_t before = pq_writer_bytes(t->writer);
    status st = group ? pq_writer_append(t->writer, group) : STATUS_OK;
    uint64_t bytes = pq_writer_bytes(t->writer) - before;
    if (!st && first + units == t->count) {
        pq_writer *writer = t->writer;
        t->writer = NULL; /* finished or freed by the call */
        st = pq_writer_finish(writer);
    }
    mutex_lock(&g->lock);
    t->appended = first + units;
    g->row_groups_done++;
    g->bytes += bytes;
    if (!st && g->options->progress)
        g->options->progress(t->table->name, g->row_groups_done, g->row_groups, g->bytes,
                             g->options->context);
    pthread_cond_broadcast(&g->changed);
    mutex_unlock(&g->lock);
    return st;
}

static void generate_batch_release(tpch_batch *batch)
{
    for (int c = 0; c < TPCH_COLUMNS_MAX; c++)
        mem_free(batch->columns[c]);
    mem_free(batch->text);
    *batch = (tpch_batch){0};
}

/* Room for the row groups of one table after another. */
static status batch_prepare(tpch_batch *batch, const tpch_table *table, uint64_t units)
{
    uint64_t rows = units * table->unit_rows_max;
    generate_batch_release(batch);
    for (uint32_t c = 0; c < table->column_count; c++) {
        batch->columns[c] = mem_new_array(rows + 1, table->columns[c].type.width);
        if (!batch->columns[c])
            return status_no_memory("a row group", rows * table->columns[c].type.width);
    }
    batch->text = mem_new(rows * table->text_bytes + 1);
    return batch->text ? STATUS_OK : status_no_memory("a row group", rows * table->text_bytes);
}

static status make_row_group(generation *g, target *t, uint64_t first, uint64_t units,
                             tpch_batch *batch)
{
    pq_writer *writer;
    pq_encoded_row_group *group = NULL;
    pq_column_values columns[TPCH_COLUMNS_MAX];
    TRY(writer_of(g, t, first == 0, &writer));
    if (!writer)
        return STATUS_OK;
    if (units) {
        batch->text_used = 0;
        t->table->fill(&g->scale, t->first + first, units, batch);
        for (uint32_t c = 0; c < t->table->column_count; c++)
            columns[c] = (pq_column_values){batch->columns[c], NULL};
        TRY(pq_row_group_encode(writer, columns, batch->rows, &group));
    }
    return generate_append(g, t, first, units, group);
}

static void *generate_work(void *context)
{
    generation *g = context;
    tpch_batch batch = {0};
    const tpch_table *table = NULL;
    target *t;
    uint64_t first, units;
    while (generate_take(g, &t, &first, &units)) {
        status st = STATUS_OK;
        if (t->table != table) {
            table = t->table;
            uint64_t all = table->units(&g->scale);
            st = batch_prepare(&batch, table, t->step < all ? t->step : all);
        }
        if (!st)
            st = make_row_group(g, t, first, units, &batch);
        if (st)
            generate_fail(g, st);
    }
    generate_batch_release(&batch);
    return NULL;
}

/* ---- all of it ---- */

static status generate_run_threads(generation *g)
{
    unsigned count = g->options->threads ? g->options->threads : 1, started = 0;
    pthread_t *threads = mem_new_array(count, sizeof *threads);
    if (!threads)
        return status_no_memory("threads", count * sizeof *threads);
    /* This thread is one of them. */
    while (started + 1 < count && !pthread_create(&threads[started], NULL, generate_work, g))
        started++;
    generate_work(g);
    for (unsigned i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    mem_free(threads);
    return g->failure;
}

static status generate_generate(generation *g)
{
    char *pool;
    TRY(generate_make_folder(g->options->folder));
    for (int i = 0; i < TPCH_TABLE_COUNT; i++)
        TRY(generate_add_table(g, tpch_tables[i]));
    TRY(tpch_pool_new(&pool));
    g->scale.pool = pool;
    status st = generate_run_threads(g);
    tpch_pool_free(pool);
    return st;
}

status tpch_generate(const tpch_generate_options *options, uint64_t *out_bytes)
{
    double f = options->scale;
    if (!(f >= TPCH_SCALE_MIN && f <= TPCH_SCALE_MAX))
        return status_new(STATUS_KIND_INVALID, "the scale factor must be between %g and %g",
                          TPCH_SCALE_MIN, TPCH_SCALE_MAX);
    if (options->parts > 10000)
        return status_new(STATUS_KIND_INVALID, "at most 10000 files a table");
    generation g = {.options = options,
                    .scale = {.factor = f,
                              .parts = (int64_t)(200000 * f),
                              .suppliers = (int64_t)(10000 * f),
                              .customers = (int64_t)(150000 * f),
                              .orders = (int64_t)(1500000 * f)},
                    .lock = MUTEX_INITIALIZER,
                    .changed = PTHREAD_COND_INITIALIZER};
    size_t targets = (size_t)TPCH_TABLE_COUNT * (options->parts ? options->parts : 1);
    g.targets = mem_new_array(targets, sizeof *g.targets);
    if (!g.targets)
        return status_no_memory("files", targets * sizeof *g.targets);
    status st = generate_generate(&g);
    for (size_t i = 0; i < g.target_count; i++) {
        pq_writer_abort(g.targets[i].writer);
        mem_free(g.targets[i].path);
    }
    mem_free(g.targets);
    *out_bytes = g.bytes;
    return st;
}
