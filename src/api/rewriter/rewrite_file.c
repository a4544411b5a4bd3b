/* rewrite_file.c - rewrites one file: SELECT * FROM it [ORDER BY ...] into a sink.
 *
 * Without ORDER BY one worker scans, so that rows keep their order; what takes long, encoding and
 * compressing, is done by all threads that the file has, column by column. */
#include "api/rewriter/rewrite_file.h"

#include "api/handles/error.h"
#include "api/query/query_run.h"
#include "api/write/sink.h"
#include "base/system/mutex.h"
#include "codec/codec.h"
#include "parquet/table/table.h"

#include <inttypes.h>
#include <strings.h>

typedef struct file_rewrite {
    rewrite_shared *shared;
    const rewrite_job *job;
    arena *memory;
    pq_table *input;
    pq_choice *choices; /* one per column */
    pq_column_schema *schema;
    uint64_t group_rows;
} file_rewrite;

static status file_no_memory(void)
{
    return status_no_memory("rewrite", 0);
}

/* ---- options ---- */

static uint64_t divide_up(uint64_t a, uint64_t b)
{
    return a / b + (a % b != 0);
}

static uint64_t choose_group_rows(const api_rewrite_options *o, const pq_table *input)
{
    uint64_t rows = o->group_rows, bytes = 0;
    for (size_t f = 0; f < input->files.count; f++)
        for (uint32_t g = 0; g < input->files.items[f].metadata->row_group_count; g++)
            bytes += input->files.items[f].metadata->row_groups[g].uncompressed_bytes;
    if (o->group_count)
        rows = divide_up(input->row_count, o->group_count);
    else if (o->group_bytes && bytes)
        rows = (uint64_t)((double)input->row_count * (double)o->group_bytes / (double)bytes);
    return rows < 1 ? 1 : rows < INT32_MAX ? rows : INT32_MAX;
}

static const api_rewrite_column *file_find_column(const api_rewrite_options *o, const char *name)
{
    for (size_t i = o->column_count; i-- > 0;)
        if (!strcasecmp(o->columns[i].name, name))
            return &o->columns[i];
    return &o->all;
}

/* A decimal of more digits than the type has is read as a double: the file would lose it. */
static status check_digits(const pq_table *table, const pq_table_column *column)
{
    const pq_leaf *leaf = &table->files.items[0].metadata->leaves[column->leaf];
    if (leaf->conversion < PQ_CONVERT_WIDE)
        return STATUS_OK;
    return status_hint(
        status_new(STATUS_KIND_UNSUPPORTED,
                   "column \"%s\" is %s, of more than 38 digits, and would become double",
                   column->name, leaf->annotation),
        "COPY (SELECT ...) TO writes what queries read of it");
}

static status file_make_schema(file_rewrite *r)
{
    const api_rewrite_options *o = r->shared->options;
    size_t count = r->input->columns.count;
    r->choices = arena_alloc_array(r->memory, count + 1, sizeof *r->choices);
    r->schema = arena_alloc_array(r->memory, count + 1, sizeof *r->schema);
    if (!r->choices || !r->schema)
        return file_no_memory();
    for (uint32_t c = 0; c < count; c++) {
        const pq_table_column *column = &r->input->columns.items[c];
        const api_rewrite_column *how = file_find_column(o, column->name);
        TRY(pq_table_check_column(r->input, c));
        TRY(check_digits(r->input, column));
        r->choices[c] = how->choice;
        r->choices[c].rule = o->all.choice.rule;
        r->choices[c].threshold = o->all.choice.threshold;
        r->choices[c].profile = o->all.choice.profile;
        const char *name = r->input->files.items[0].metadata->leaves[column->leaf].top;
        r->schema[c] = (pq_column_schema){.name = name, /* as the file has it, be it twice */
                                          .type = column->type,
                                          .is_nullable = column->is_nullable,
                                          .options = {.choice = &r->choices[c],
                                                      .bloom_filter = how->bloom_filter,
                                                      .no_statistics = o->no_statistics}};
    }
    return STATUS_OK;
}

/* ---- report and progress ---- */

static void write_csv_text(const char *text, FILE *target)
{
    fputc('"', target);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', target);
        fputc(*text, target);
    }
    fputc('"', target);
}

static void report_trial(void *context, uint64_t row_group, const char *column,
                         const pq_trial *trial)
{
    file_rewrite *r = context;
    FILE *target = r->shared->options->report;
    mutex_lock(&r->shared->lock);
    write_csv_text(r->job->output, target);
    fprintf(target, ",%" PRIu64 ",", row_group);
    write_csv_text(column, target);
    fprintf(target, ",%s,%s,%d,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%.9f,%d\n",
            pq_encoding_name(trial->encoding), codec_name((int)trial->codec.codec),
            trial->codec.level, trial->tried_rows, trial->encoded_bytes, trial->stored_bytes,
            trial->seconds, trial->is_chosen);
    mutex_unlock(&r->shared->lock);
}

static void add_progress(rewrite_shared *shared, uint64_t rows)
{
    const api_rewrite_options *o = shared->options;
    mutex_lock(&shared->lock);
    shared->rows_done += rows;
    if (o->progress)
        o->progress(shared->rows_done, shared->rows_all, o->context);
    mutex_unlock(&shared->lock);
}

/* ---- scan to sink ---- */

/* A name between quotes, those in it doubled. */
static char *quote(arena *a, const char *text, char mark)
{
    size_t bytes = strlen(text);
    char *quoted = arena_alloc(a, 2 * bytes + 3), *to = quoted;
    if (!quoted)
        return NULL;
    *to++ = mark;
    for (size_t i = 0; i < bytes; i++) {
        if (text[i] == mark)
            *to++ = mark;
        *to++ = text[i];
    }
    *to = mark;
    return quoted;
}

static status file_open_sink(file_rewrite *r, pistachio_result *result, api_sink **out)
{
    const plan_column_list *columns = &result->statement->query.root->columns;
    const api_rewrite_options *o = r->shared->options;
    pq_writer_options options = pq_writer_options_default();
    uint64_t rows = r->group_rows;
    if (columns->count != r->input->columns.count)
        return status_new(STATUS_KIND_INTERNAL, "%zu columns of %zu were read", columns->count,
                          r->input->columns.count);
    /* The widths are those of the batches that come. */
    for (size_t c = 0; c < columns->count; c++)
        r->schema[c].type = columns->items[c].type;
    options.page_v2 = o->page_v2;
    options.page_index = !o->no_page_index;
    options.checksums = !o->no_checksums;
    if (o->page_bytes)
        options.page_bytes = o->page_bytes;
    options.page_rows = o->page_rows;
    if (o->pages_per_chunk) {
        uint64_t full = rows < r->input->row_count ? rows : r->input->row_count;
        uint64_t most = full / o->pages_per_chunk;
        most += !most;
        options.page_rows = o->page_rows && o->page_rows < most ? o->page_rows : most;
    }
    options.threads = r->shared->threads_each;
    options.isa = result->engine->dev->host_isa;
    if (o->report) {
        options.report = report_trial;
        options.report_context = r;
    }
    TRY(api_sink_open(r->job->output, r->schema, columns->count, &options, rows,
                      result->engine->budget, out));
    /* Before a sort takes what there is. */
    return o->sort ? api_sink_expect(*out, r->input->row_count) : STATUS_OK;
}

static status file_run(file_rewrite *r, pistachio_result *result)
{
    api_sink *sink = NULL;
    exec_batch *batch = NULL;
    status st = file_open_sink(r, result, &sink);
    while (!st && !(st = api_query_next(result, &batch)) && batch) {
        uint64_t rows = batch->row_count;
        st = api_sink_add(sink, batch);
        add_progress(r->shared, rows);
        if (!st && atomic_load(&r->shared->has_failed))
            st = status_new(STATUS_KIND_CANCELLED, "another file failed");
    }
    if (!st)
        return api_sink_finish(sink);
    api_sink_abort(sink);
    return st;
}

static status file_scan(file_rewrite *r)
{
    const api_rewrite_options *o = r->shared->options;
    char *threads = arena_format(r->memory, "%u", o->sort ? r->shared->threads_each : 1);
    char *limit = arena_format(r->memory, "%" PRIu64, r->shared->memory_each);
    char *path = quote(r->memory, r->job->input, '\'');
    char *sql = path ? arena_format(r->memory, "SELECT * FROM %s%s%s", path,
                                    o->sort ? " ORDER BY " : "", o->sort ? o->sort : "")
                     : NULL;
    if (!threads || !limit || !sql)
        return file_no_memory();
    pistachio_option settings[] = {
        {"threads", threads}, {"hive_partitioning", "off"}, {"memory_limit", limit}};
    pistachio_database *database = NULL;
    pistachio_connection *connection = NULL;
    pistachio_result *result = NULL;
    status st =
        api_error_status(pistachio_open(settings, r->shared->memory_each ? 3 : 2, &database));
    if (!st)
        st = api_error_status(pistachio_connect(database, &connection));
    if (!st)
        st = api_error_status(pistachio_query(connection, sql, NULL, &result));
    if (!st)
        st = file_run(r, result);
    pistachio_result_free(result);
    pistachio_disconnect(connection);
    pistachio_close(database);
    return st;
}

static status rewrite_file_rewrite(file_rewrite *r)
{
    TRY(pq_table_open_plain(r->job->input, true, &r->input));
    r->group_rows = choose_group_rows(r->shared->options, r->input);
    TRY(file_make_schema(r));
    uint64_t bytes_read = 0;
    for (size_t f = 0; f < r->input->files.count; f++)
        bytes_read += r->input->files.items[f].file->bytes;
    TRY(file_scan(r));
    file *written;
    TRY(file_open(r->job->output, &written));
    mutex_lock(&r->shared->lock);
    r->shared->totals.files++;
    r->shared->totals.rows += r->input->row_count;
    r->shared->totals.bytes_read += bytes_read;
    r->shared->totals.bytes_written += written->bytes;
    mutex_unlock(&r->shared->lock);
    file_close(written);
    return STATUS_OK;
}

status rewrite_file(rewrite_shared *shared, const rewrite_job *job)
{
    file_rewrite r = {.shared = shared, .job = job};
    status st = arena_new(&r.memory);
    if (!st)
        st = rewrite_file_rewrite(&r);
    pq_table_close(r.input);
    arena_free(r.memory);
    return st ? status_context(st, "rewriting \"%s\"", job->input) : STATUS_OK;
}
