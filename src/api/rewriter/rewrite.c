/* rewrite.c - which files are rewritten to where, several at a time. */
#include "api/rewriter/rewrite_file.h"
#include "base/setting/setting.h"
#include "base/system/mutex.h"
#include "parquet/table/table.h"

#include <errno.h>
#include <sys/stat.h>

typedef ARRAY(rewrite_job) job_list;

/* ---- names ---- */

static status rewrite_no_memory(void)
{
    return status_no_memory("rewrite", 0);
}

/* Makes the folder that begins `path` with `root_bytes` bytes, and those between it and the file: what is above it
 * must be there, because nobody wants a mistyped path. */
static status rewrite_make_folders(arena *a, const char *path, size_t root_bytes)
{
    char *text = arena_copy_text(a, path, strlen(path));
    if (!text)
        return rewrite_no_memory();
    for (char *slash = text + root_bytes; (slash = strchr(slash, '/')); slash++) {
        *slash = 0;
        if (mkdir(text, 0777) && errno != EEXIST)
            return status_new_errno(errno, "could not make folder \"%s\"", text);
        *slash = '/';
    }
    return STATUS_OK;
}

/* The part of a file's name that it keeps in the output folder: what is below the input folder, or
 * the last part. */
static const char *kept_name(const char *input, bool is_folder, const char *file)
{
    size_t bytes = strlen(input);
    if (is_folder && !strncmp(file, input, bytes)) {
        file += bytes;
        while (*file == '/')
            file++;
        return file;
    }
    const char *slash = strrchr(file, '/');
    return slash ? slash + 1 : file;
}

static status add_job(arena *a, job_list *jobs, const char *input, const char *output)
{
    for (size_t i = 0; i < jobs->count; i++)
        if (!strcmp(jobs->items[i].output, output))
            return status_new(STATUS_KIND_INVALID, "\"%s\" and \"%s\" would both become \"%s\"",
                              jobs->items[i].input, input, output);
    rewrite_job job = {.input = input, .output = output};
    return array_push(a, jobs, job);
}

static status list_jobs(arena *a, const api_rewrite_options *o, job_list *jobs)
{
    size_t length = strlen(o->output);
    bool to_folder =
        file_is_folder(o->output) || o->input_count > 1 || (length && o->output[length - 1] == '/');
    while (length > 1 && o->output[length - 1] == '/')
        length--;
    path_list *files = arena_alloc_array(a, o->input_count + 1, sizeof *files);
    if (!files)
        return rewrite_no_memory();
    for (size_t i = 0; i < o->input_count; i++) {
        TRY(file_expand(a, o->inputs[i], &files[i]));
        to_folder |= file_is_folder(o->inputs[i]) || files[i].count > 1;
    }
    for (size_t i = 0; i < o->input_count; i++)
        for (size_t f = 0; f < files[i].count; f++) {
            const char *input = files[i].items[f], *output = o->output;
            bool is_folder = file_is_folder(o->inputs[i]);
            if (to_folder)
                output = arena_format(a, "%.*s/%s", (int)length, o->output,
                                      kept_name(o->inputs[i], is_folder, input));
            if (!output)
                return rewrite_no_memory();
            TRY(add_job(a, jobs, input, output));
        }
    for (size_t i = 0; to_folder && i < jobs->count; i++)
        TRY(rewrite_make_folders(a, jobs->items[i].output, length));
    return STATUS_OK;
}

/* ---- checks before anything is written ---- */

static status rewrite_check_columns(const api_rewrite_options *o, const pq_table *table,
                                    bool *found)
{
    for (size_t i = 0; i < o->column_count; i++)
        for (size_t c = 0; c < table->columns.count; c++)
            found[i] |= !strcasecmp(o->columns[i].name, table->columns.items[c].name);
    for (uint32_t c = 0; c < table->columns.count; c++)
        TRY(pq_table_check_column(table, c));
    return STATUS_OK;
}

static status look_at_inputs(arena *a, const api_rewrite_options *o, job_list *jobs,
                             uint64_t *out_rows)
{
    bool *found = arena_alloc_array(a, o->column_count + 1, sizeof *found);
    if (!found)
        return rewrite_no_memory();
    for (size_t i = 0; i < jobs->count; i++) {
        pq_table *table;
        TRY(pq_table_open_plain(jobs->items[i].input, true, &table));
        jobs->items[i].rows = table->row_count;
        *out_rows += table->row_count;
        status st = rewrite_check_columns(o, table, found);
        pq_table_close(table);
        if (st)
            return status_context(st, "file \"%s\"", jobs->items[i].input);
    }
    for (size_t i = 0; i < o->column_count; i++)
        if (!found[i])
            return status_new(STATUS_KIND_NOT_FOUND, "no file has a column \"%s\"",
                              o->columns[i].name);
    return STATUS_OK;
}

/* ---- workers ---- */

typedef struct rewrite_team {
    rewrite_shared shared;
    const job_list *jobs;
    atomic_size_t next;
} rewrite_team;

static void *rewrite_work(void *context)
{
    rewrite_team *team = context;
    rewrite_shared *shared = &team->shared;
    while (!atomic_load(&shared->has_failed)) {
        size_t i = atomic_fetch_add(&team->next, 1);
        if (i >= team->jobs->count)
            break;
        status st = rewrite_file(shared, &team->jobs->items[i]);
        if (!st)
            continue;
        mutex_lock(&shared->lock);
        if (shared->failure)
            status_free(st);
        else
            shared->failure = st;
        mutex_unlock(&shared->lock);
        atomic_store(&shared->has_failed, true);
    }
    return NULL;
}

static status rewrite_run_all(const api_rewrite_options *o, const job_list *jobs, uint64_t rows,
                              api_rewrite_totals *out)
{
    unsigned threads = o->threads ? o->threads : setting_core_count(), started = 0;
    unsigned workers = jobs->count < threads ? (unsigned)jobs->count : threads;
    pthread_t others[64];
    workers = workers < 64 ? workers : 64;
    workers += !workers;
    uint64_t memory = o->memory_bytes ? o->memory_bytes : setting_memory_bytes() / 10 * 8;
    rewrite_team team = {.shared = {.options = o,
                                    .threads_each = threads / workers ? threads / workers : 1,
                                    .memory_each = memory / workers,
                                    .rows_all = rows},
                         .jobs = jobs};
    mutex_init(&team.shared.lock);
    while (started + 1 < workers && !pthread_create(&others[started], NULL, rewrite_work, &team))
        started++;
    rewrite_work(&team);
    while (started)
        pthread_join(others[--started], NULL);
    mutex_destroy(&team.shared.lock);
    *out = team.shared.totals;
    return team.shared.failure;
}

status api_rewrite(const api_rewrite_options *options, api_rewrite_totals *out)
{
    arena *a;
    job_list jobs = {0};
    uint64_t rows = 0;
    *out = (api_rewrite_totals){0};
    TRY(arena_new(&a));
    status st = list_jobs(a, options, &jobs);
    if (!st)
        st = look_at_inputs(a, options, &jobs, &rows);
    if (!st && options->report)
        fputs("file,row_group,column,encoding,codec,level,tried_rows,encoded_bytes,"
              "stored_bytes,predicted_seconds,chosen\n",
              options->report);
    if (!st)
        st = rewrite_run_all(options, &jobs, rows, out);
    arena_free(a);
    return st;
}
