/* writer_team.c - see writer_team.h. */
#include "parquet/write/writer_team.h"

#include "base/system/mutex.h"
#include "parquet/write/writer_chunk.h"

#include <pthread.h>

#define THREADS_MAX 63 /* beside the caller's */
/* With fewer values a row group is encoded sooner than a thread has begun. */
#define START_VALUES 4096

/* A row group under way. */
typedef struct group_job {
    struct group_job *behind;
    pq_encoded_row_group *group;
    size_t next, done; /* columns that were taken, and that are over */
    status failure;    /* the first */
    pq_column_values values[];
} group_job;

struct writer_team {
    const writer_column *columns;
    const pq_writer_options *options;
    size_t column_count;
    pq_chunk_scratch scratch; /* the caller's */
    pthread_mutex_t lock;
    pthread_cond_t has_work, is_done;
    /* Under the lock: */
    group_job *first, **end;
    bool is_over;
    /* The caller's: */
    size_t count;
    unsigned thread_count;
    pthread_t threads[THREADS_MAX];
};

/* ---- a row group ---- */

status pq_group_new(size_t column_count, uint64_t row_count, pq_encoded_row_group **out)
{
    pq_encoded_row_group *group = mem_new(sizeof *group + column_count * sizeof *group->chunks);
    *out = group;
    if (!group)
        return status_no_memory("row group", column_count * sizeof *group->chunks);
    group->row_count = row_count;
    group->column_count = column_count;
    return STATUS_OK;
}

status pq_group_encode_column(const writer_column *column, const pq_writer_options *options,
                              const pq_column_values *values, pq_chunk_scratch *scratch,
                              pq_encoded_row_group *group, size_t c)
{
    pq_written_chunk *chunk = &group->chunks[c];
    if (column->options.choice && !type_is_nested(column->leaf.top))
        return pq_chunk_choose(column, options, values, group->row_count, scratch, chunk);
    TRY(pq_chunk_encode(column, options, values, group->row_count, scratch, chunk));
    pq_trial trial = {.encoding = chunk->data_encoding,
                      .codec = {chunk->codec, column->codec_level},
                      .encoded_bytes = chunk->uncompressed_bytes,
                      .stored_bytes = chunk->bytes.count,
                      .is_chosen = true};
    return array_push(NULL, &chunk->trials, trial);
}

void pq_encoded_row_group_free(pq_encoded_row_group *group)
{
    if (!group)
        return;
    for (size_t c = 0; c < group->column_count; c++)
        pq_chunk_release(&group->chunks[c]);
    mem_free(group);
}

/* ---- under the lock ---- */

static group_job *writer_team_find_column(const writer_team *team)
{
    group_job *job = team->first;
    while (job && job->next == team->column_count)
        job = job->behind;
    return job;
}

/* None of its columns that was not begun is wanted any more. */
static void writer_team_fail(const writer_team *team, group_job *job, status st)
{
    job->done += team->column_count - job->next;
    job->next = team->column_count;
    if (job->failure)
        status_free(st);
    else
        job->failure = st;
}

/* The next column of the oldest row group that has one left; the lock is given up meanwhile. False: there
 * is none. */
static bool encode_next(writer_team *team, pq_chunk_scratch *scratch)
{
    group_job *job = writer_team_find_column(team);
    if (!job)
        return false;
    size_t c = job->next++;
    mutex_unlock(&team->lock);
    status st = pq_group_encode_column(&team->columns[c], team->options, &job->values[c], scratch,
                                       job->group, c);
    mutex_lock(&team->lock);
    if (st)
        writer_team_fail(team, job, st);
    if (++job->done == team->column_count)
        pthread_cond_signal(&team->is_done);
    return true;
}

/* ---- threads ---- */

static void *writer_team_run_thread(void *argument)
{
    writer_team *team = argument;
    pq_chunk_scratch scratch = {0};
    mutex_lock(&team->lock);
    while (!team->is_over)
        if (!encode_next(team, &scratch))
            pthread_cond_wait(&team->has_work, &team->lock);
    mutex_unlock(&team->lock);
    pq_chunk_scratch_release(&scratch);
    return NULL;
}

/* As many as the options say, the caller's among them, and as the system gives. */
static void writer_team_start_threads(writer_team *team)
{
    unsigned wanted = team->options->threads ? team->options->threads - 1 : 0;
    wanted = wanted < THREADS_MAX ? wanted : THREADS_MAX;
    while (team->thread_count < wanted &&
           !pthread_create(&team->threads[team->thread_count], NULL, writer_team_run_thread, team))
        team->thread_count++;
}

status writer_team_new(const writer_column *columns, size_t column_count,
                       const pq_writer_options *options, writer_team **out)
{
    writer_team *team = mem_new(sizeof *team);
    *out = team;
    if (!team)
        return status_no_memory("writer", sizeof *team);
    team->columns = columns;
    team->column_count = column_count;
    team->options = options;
    team->end = &team->first;
    mutex_init(&team->lock);
    pthread_cond_init(&team->has_work, NULL);
    pthread_cond_init(&team->is_done, NULL);
    return STATUS_OK;
}

static void free_job(group_job *job)
{
    pq_encoded_row_group_free(job->group);
    status_free(job->failure);
    mem_free(job);
}

void writer_team_free(writer_team *team)
{
    if (!team)
        return;
    mutex_lock(&team->lock);
    team->is_over = true;
    pthread_cond_broadcast(&team->has_work);
    mutex_unlock(&team->lock);
    while (team->thread_count)
        pthread_join(team->threads[--team->thread_count], NULL);
    while (team->first) {
        group_job *job = team->first;
        team->first = job->behind;
        free_job(job);
    }
    pq_chunk_scratch_release(&team->scratch);
    pthread_cond_destroy(&team->has_work);
    pthread_cond_destroy(&team->is_done);
    mutex_destroy(&team->lock);
    mem_free(team);
}

/* ---- row groups ---- */

status writer_team_begin(writer_team *team, const pq_column_values *values, uint64_t rows)
{
    size_t bytes = team->column_count * sizeof *values;
    group_job *job = mem_new(sizeof *job + bytes);
    if (!job)
        return status_no_memory("row group", sizeof *job + bytes);
    status st = pq_group_new(team->column_count, rows, &job->group);
    if (st) {
        mem_free(job);
        return st;
    }
    if (bytes)
        memcpy(job->values, values, bytes);
    if (!team->thread_count && rows * team->column_count >= START_VALUES)
        writer_team_start_threads(team);
    mutex_lock(&team->lock);
    *team->end = job;
    team->end = &job->behind;
    pthread_cond_broadcast(&team->has_work);
    mutex_unlock(&team->lock);
    team->count++;
    return STATUS_OK;
}

size_t writer_team_count(const writer_team *team)
{
    return team->count;
}

status writer_team_end(writer_team *team, pq_encoded_row_group **out)
{
    mutex_lock(&team->lock);
    group_job *job = team->first;
    while (job->done < team->column_count)
        if (!encode_next(team, &team->scratch))
            pthread_cond_wait(&team->is_done, &team->lock);
    team->first = job->behind;
    if (!team->first)
        team->end = &team->first;
    mutex_unlock(&team->lock);
    team->count--;
    status st = job->failure;
    *out = st ? NULL : job->group;
    if (!st)
        job->group = NULL;
    job->failure = STATUS_OK;
    free_job(job);
    return st;
}
