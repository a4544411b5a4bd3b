/* calibrate_store.c - see calibrate_store.h: threads that wait for one read each, as so many requests under way. */
#include "storage/calibrate_store.h"

#include "base/system/mutex.h"
#include "storage/file.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#define MIB ((uint64_t)1 << 20)
#define BYTES_MIN (64 * MIB)
#define FILES_MAX 64
#define THREADS_MAX 64
#define TRIAL_NANOSECONDS ((int64_t)600000000)

/* At most 128 MiB under way. */
static const struct {
    uint64_t request_bytes;
    unsigned depth;
} plan[] = {{1 * MIB, 1},  {1 * MIB, 8}, {1 * MIB, 32}, {1 * MIB, 64}, {4 * MIB, 8},
            {4 * MIB, 32}, {8 * MIB, 4}, {8 * MIB, 16}, {16 * MIB, 4}, {16 * MIB, 8}};
#define PLAN_COUNT (sizeof plan / sizeof *plan)
_Static_assert(PLAN_COUNT <= CALIBRATION_TRIALS_MAX, "each trial has a place");

typedef struct trial {
    file *files[FILES_MAX];
    unsigned file_count;
    uint64_t request_bytes;
    int64_t end; /* no request starts from then on */
    _Atomic uint64_t next, bytes_read;
    pthread_mutex_t lock;
    status failure; /* the first; under the lock */
    _Atomic bool has_failed;
} trial;

static int64_t now(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

/* ---- one trial ---- */

/* Reads the next part of the next file. */
static status read_next(trial *t, char *target, size_t *bytes)
{
    uint64_t number = atomic_fetch_add(&t->next, 1);
    const file *f = t->files[number % t->file_count];
    uint64_t parts = f->bytes / t->request_bytes, part = number / t->file_count;
    uint64_t offset = parts ? part % parts * t->request_bytes : 0;
    *bytes = (size_t)(f->bytes - offset < t->request_bytes ? f->bytes - offset : t->request_bytes);
    return file_read(f, offset, target, *bytes);
}

static status calibrate_store_read_some(trial *t)
{
    char *target = mem_new(t->request_bytes);
    status st = target ? STATUS_OK : status_no_memory("reads", t->request_bytes);
    while (!st && !atomic_load(&t->has_failed) && now() < t->end) {
        size_t bytes;
        st = read_next(t, target, &bytes);
        if (!st)
            atomic_fetch_add(&t->bytes_read, bytes);
    }
    mem_free(target);
    return st;
}

static void *run_thread(void *context)
{
    trial *t = context;
    status st = calibrate_store_read_some(t);
    if (!st)
        return NULL;
    mutex_lock(&t->lock);
    status other = t->failure;
    t->failure = st;
    mutex_unlock(&t->lock);
    atomic_store(&t->has_failed, true);
    status_free(other);
    return NULL;
}

static status calibrate_store_run_trial(trial *t, unsigned depth, calibration_trial *out)
{
    pthread_t helpers[THREADS_MAX - 1];
    unsigned count = 0;
    int64_t start = now();
    t->end = start + TRIAL_NANOSECONDS;
    atomic_store(&t->bytes_read, 0);
    while (count + 1 < depth && !pthread_create(&helpers[count], NULL, run_thread, t))
        count++;
    run_thread(t);
    *out = (calibration_trial){.request_bytes = t->request_bytes, .depth = count + 1};
    while (count)
        pthread_join(helpers[--count], NULL);
    double seconds = (double)(now() - start) / 1e9;
    uint64_t rate = (uint64_t)((double)atomic_load(&t->bytes_read) / seconds);
    out->bytes_per_second = rate ? rate : 1;
    status st = t->failure;
    t->failure = STATUS_OK;
    return st;
}

/* ---- the objects ---- */

static status open_files(arena *a, const char *url, trial *t)
{
    path_list paths = {0};
    uint64_t bytes = 0;
    TRY(file_expand(a, url, &paths));
    for (size_t i = 0; i < paths.count && i < FILES_MAX; i++) {
        TRY(file_open(paths.items[i], &t->files[i]));
        t->file_count++;
        bytes += t->files[i]->bytes;
    }
    return bytes >= BYTES_MIN ? STATUS_OK
                              : status_new(STATUS_KIND_INVALID,
                                           "\"%s\" has %llu bytes, too few to measure: it must be "
                                           "64 MiB or more",
                                           url, (unsigned long long)bytes);
}

static status calibrate_store_run_plan(trial *t, calibration *out)
{
    *out = (calibration){.measured = time(NULL), .device = t->files[0]->version.device};
    for (size_t i = 0; i < PLAN_COUNT; i++) {
        t->request_bytes = plan[i].request_bytes;
        TRY(calibrate_store_run_trial(t, plan[i].depth, &out->trials[out->trial_count++]));
    }
    return STATUS_OK;
}

status calibrate_store_measure(const char *url, calibration *out)
{
    trial t = {.lock = MUTEX_INITIALIZER};
    arena *a;
    TRY(arena_new(&a));
    status st = open_files(a, url, &t);
    if (!st)
        st = calibrate_store_run_plan(&t, out);
    for (unsigned i = 0; i < t.file_count; i++)
        file_close(t.files[i]);
    mutex_destroy(&t.lock);
    arena_free(a);
    return st;
}

status calibrate_store_device(const char *url, uint64_t *out)
{
    path_list paths = {0};
    file *first = NULL;
    arena *a;
    TRY(arena_new(&a));
    status st = file_expand(a, url, &paths);
    if (!st)
        st = file_open(paths.items[0], &first);
    if (!st)
        *out = first->version.device;
    file_close(first);
    arena_free(a);
    return st;
}
