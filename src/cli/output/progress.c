/* progress.c - a thread that draws the line while it may be shown. */
#include "cli/output/progress.h"

#include "base/system/mutex.h"
#include "cli/output/status_line.h"

#include <pthread.h>
#include <stdio.h>
#include <time.h>

#define FIRST_MS 500
#define EACH_MS 100
#define BAR_CELLS 24

static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    pthread_t thread;
    bool has_thread, is_allowed;
    pistachio_connection *connection;
    double start; /* of the statement */
} progress = {.lock = MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static double progress_seconds(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static void progress_draw(double elapsed)
{
    uint64_t done = 0, total = 0;
    char bar[BAR_CELLS + 1], line[160];
    pistachio_progress(progress.connection, &done, &total);
    if (!total)
        return;
    double share = done < total ? (double)done / (double)total : 1;
    for (int i = 0; i < BAR_CELLS; i++)
        bar[i] = i < (int)(share * BAR_CELLS) ? '=' : ' ';
    bar[BAR_CELLS] = 0;
    snprintf(line, sizeof line, "%3.0f%% [%s] %.0f of %.0f MB  %.0f MB/s  %.1f s", share * 100, bar,
             (double)done / 1e6, (double)total / 1e6, (double)done / 1e6 / elapsed, elapsed);
    status_line_draw(line);
}

static void wait_ms(long ms)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += ms * 1000000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_cond_timedwait(&progress.changed, &progress.lock, &until);
}

static void *progress_run(void *context)
{
    (void)context;
    mutex_lock(&progress.lock);
    while (progress.connection) {
        double elapsed = progress_seconds() - progress.start;
        if (progress.is_allowed && elapsed * 1000 >= FIRST_MS)
            progress_draw(elapsed);
        wait_ms(EACH_MS);
    }
    mutex_unlock(&progress.lock);
    return NULL;
}

void progress_begin(pistachio_connection *connection)
{
    if (!status_line_is_possible())
        return;
    progress.connection = connection;
    progress.start = progress_seconds();
    progress.has_thread = !pthread_create(&progress.thread, NULL, progress_run, NULL);
}

void progress_end(void)
{
    if (!progress.has_thread)
        return;
    progress_hide();
    mutex_lock(&progress.lock);
    progress.connection = NULL;
    pthread_cond_signal(&progress.changed);
    mutex_unlock(&progress.lock);
    pthread_join(progress.thread, NULL);
    progress.has_thread = false;
}

void progress_show(void)
{
    if (!progress.has_thread)
        return;
    mutex_lock(&progress.lock);
    progress.is_allowed = true;
    mutex_unlock(&progress.lock);
}

void progress_hide(void)
{
    if (!progress.has_thread)
        return;
    mutex_lock(&progress.lock);
    progress.is_allowed = false;
    status_line_clear();
    mutex_unlock(&progress.lock);
}

pistachio_error *progress_next(pistachio_result *result, const pistachio_batch **out)
{
    progress_show();
    pistachio_error *error = pistachio_next(result, out);
    progress_hide();
    return error;
}
