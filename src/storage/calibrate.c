/* calibrate.c - the trials: a file read from end to end, so many requests of one size under way.
 *
 * By an io_uring of its own; where the process may not use one, by threads. */
#include "storage/calibrate.h"

#include "base/fault.h"
#include "storage/file.h"
#include "storage/read.h"

#include <errno.h>
#include <fcntl.h>
#include <liburing.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define KIB ((uint64_t)1 << 10)
#define MIB ((uint64_t)1 << 20)
#define FILE_BYTES_MIN (64 * MIB)
#define TEMPORARY_BYTES (256 * MIB)
#define WRITE_BYTES (4 * MIB)
#define TRIAL_NANOSECONDS ((int64_t)220000000)
#define MEMORY_BYTES (64 * MIB) /* most bytes under way */
#define THREADS_MAX 16          /* that read, where io_uring cannot be used */

static const struct {
    uint64_t request_bytes;
    unsigned depth;
} plan[] = {{128 * KIB, 1}, {128 * KIB, 8}, {128 * KIB, 32}, {128 * KIB, 128},
            {1 * MIB, 1},   {1 * MIB, 4},   {1 * MIB, 16},   {1 * MIB, 64},
            {4 * MIB, 1},   {4 * MIB, 4},   {4 * MIB, 16}};
#define PLAN_COUNT (sizeof plan / sizeof *plan)
_Static_assert(PLAN_COUNT <= CALIBRATION_TRIALS_MAX, "each trial has a place");

typedef struct trial {
    const char *path;
    int descriptor;
    uint64_t file_bytes, request_bytes;
    unsigned depth;
    char *memory; /* depth requests */
    int64_t end;  /* no request starts from then on */
    _Atomic unsigned threads;
    _Atomic uint64_t next, bytes_read;
    _Atomic int error; /* a system error number; 0: none */
} trial;

static int64_t now(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

/* ---- one trial ---- */

/* Returns where the next request begins; after the file's end comes its beginning. */
static uint64_t next_offset(trial *t)
{
    return atomic_fetch_add(&t->next, 1) % (t->file_bytes / t->request_bytes) * t->request_bytes;
}

static bool goes_on(const trial *t)
{
    return !atomic_load(&t->error) && now() < t->end;
}

static void note(trial *t, ssize_t result)
{
    if (result > 0 && !fault_check(FAULT_READ))
        atomic_fetch_add(&t->bytes_read, (uint64_t)result);
    else if (result != -EINTR && result != -EAGAIN)
        atomic_store(&t->error, result < 0 ? (int)-result : EIO);
}

static void prepare(trial *t, struct io_uring *ring, char *target)
{
    struct io_uring_sqe *entry = io_uring_get_sqe(ring); /* one for each target: never NULL */
    io_uring_prep_read(entry, t->descriptor, target, (unsigned)t->request_bytes, next_offset(t));
    io_uring_sqe_set_data(entry, target);
}

/* Until nothing is under way: the ring's reads end in the trial's memory. */
static void run_ring(trial *t, struct io_uring *ring)
{
    unsigned under_way = 0;
    for (unsigned i = 0; i < t->depth; i++)
        prepare(t, ring, t->memory + i * t->request_bytes);
    do {
        struct io_uring_cqe *done;
        int submitted = io_uring_submit(ring);
        if (submitted > 0)
            under_way += (unsigned)submitted;
        else if (submitted < 0 && submitted != -EINTR && submitted != -EAGAIN &&
                 submitted != -EBUSY)
            atomic_store(&t->error, -submitted);
        if (!under_way || io_uring_wait_cqe(ring, &done))
            continue;
        note(t, done->res);
        char *target = io_uring_cqe_get_data(done);
        io_uring_cqe_seen(ring, done);
        under_way--;
        if (goes_on(t))
            prepare(t, ring, target);
    } while (under_way || (io_uring_sq_ready(ring) && !atomic_load(&t->error)));
}

static void *run_thread(void *context)
{
    trial *t = context;
    char *target = t->memory + atomic_fetch_add(&t->threads, 1) * t->request_bytes;
    do {
        ssize_t got = pread(t->descriptor, target, t->request_bytes, (off_t)next_offset(t));
        note(t, got < 0 ? -errno : got);
    } while (goes_on(t));
    return NULL;
}

static void run_threads(trial *t)
{
    pthread_t helpers[THREADS_MAX - 1];
    unsigned count = 0;
    while (count + 1 < t->depth && count < THREADS_MAX - 1 &&
           !pthread_create(&helpers[count], NULL, run_thread, t))
        count++;
    run_thread(t);
    while (count)
        pthread_join(helpers[--count], NULL);
    t->depth = atomic_load(&t->threads);
}

static status run_trial(trial *t, calibration_trial *out)
{
    struct io_uring ring;
    bool has_ring = !io_uring_queue_init(t->depth, &ring, 0);
    int64_t start = now();
    t->end = start + TRIAL_NANOSECONDS;
    atomic_store(&t->next, 0);
    atomic_store(&t->bytes_read, 0);
    atomic_store(&t->threads, 0);
    if (has_ring) {
        run_ring(t, &ring);
        io_uring_queue_exit(&ring);
    } else {
        run_threads(t);
    }
    double seconds = (double)(now() - start) / 1e9;
    if (atomic_load(&t->error))
        return status_new_errno(atomic_load(&t->error), "could not read \"%s\"", t->path);
    uint64_t rate = (uint64_t)((double)atomic_load(&t->bytes_read) / seconds);
    *out = (calibration_trial){t->request_bytes, t->depth, rate ? rate : 1};
    return STATUS_OK;
}

static status calibrate_run_plan(trial *t, calibration *out)
{
    char *memory = mem_new(MEMORY_BYTES + STORAGE_BLOCK);
    if (!memory)
        return status_no_memory("reads", MEMORY_BYTES);
    t->memory = memory + (STORAGE_BLOCK - (uintptr_t)memory % STORAGE_BLOCK);
    memset(t->memory, 1, MEMORY_BYTES); /* that the system gives it now, not in the first trial */
    status st = STATUS_OK;
    out->trial_count = 0;
    for (size_t i = 0; i < PLAN_COUNT && !st; i++) {
        t->request_bytes = plan[i].request_bytes;
        t->depth = plan[i].depth;
        st = run_trial(t, &out->trials[out->trial_count++]);
    }
    mem_free(memory);
    return st;
}

/* ---- the file ---- */

/* Bytes that do not compress, on the device when this returns. */
static status fill(int descriptor, const char *folder)
{
    uint64_t *block = mem_new(WRITE_BYTES), state = 1;
    if (!block)
        return status_no_memory("temporary file", WRITE_BYTES);
    status st = STATUS_OK;
    for (uint64_t done = 0; done < TEMPORARY_BYTES && !st;) {
        for (size_t i = 0; i < WRITE_BYTES / sizeof *block; i++) { /* xorshift64 (Marsaglia) */
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            block[i] = state;
        }
        ssize_t written = fault_check(FAULT_WRITE)
                              ? (errno = EIO, -1)
                              : pwrite(descriptor, block, WRITE_BYTES, (off_t)done);
        if (written < 0 && errno != EINTR)
            st = status_new_errno(errno, "could not write a temporary file in \"%s\"", folder);
        else if (written > 0)
            done += (uint64_t)written;
    }
    if (!st && fsync(descriptor))
        st = status_new_errno(errno, "could not write a temporary file in \"%s\"", folder);
    mem_free(block);
    return st;
}

/* A file without a name in the folder. */
static status make_file(const char *folder, int *out)
{
    int descriptor = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (descriptor < 0 && (errno == EOPNOTSUPP || errno == EISDIR)) {
        char name[4096];
        int length = snprintf(name, sizeof name, "%s/.pistachio-calibrate-XXXXXX", folder);
        if (length < 0 || (size_t)length >= sizeof name)
            return status_new(STATUS_KIND_INVALID, "the path is too long: \"%s\"", folder);
        descriptor = mkostemp(name, O_CLOEXEC);
        if (descriptor >= 0)
            unlink(name);
    }
    if (descriptor < 0)
        return status_hint(
            status_new_errno(errno, "could not make a temporary file in \"%s\"", folder),
            "--path also takes an existing file of 64 MiB or more");
    *out = descriptor;
    return fill(descriptor, folder);
}

static status open_target(const char *path, int *out)
{
    *out = -1;
    if (file_is_folder(path))
        return make_file(path, out);
    *out = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    return *out < 0 ? status_new_errno(errno, "could not open \"%s\"", path) : STATUS_OK;
}

/* Opens the file again, for direct reads. */
static status open_direct(trial *t, int descriptor)
{
    char name[64];
    struct stat info;
    if (fstat(descriptor, &info) || !S_ISREG(info.st_mode))
        return status_new(STATUS_KIND_IO, "\"%s\" is not a regular file", t->path);
    t->file_bytes = (uint64_t)info.st_size;
    if (t->file_bytes < FILE_BYTES_MIN)
        return status_new(STATUS_KIND_INVALID,
                          "\"%s\" has %llu bytes, too few to measure: it must be 64 MiB or more",
                          t->path, (unsigned long long)t->file_bytes);
    snprintf(name, sizeof name, "/proc/self/fd/%d", descriptor);
    t->descriptor = open(name, O_RDONLY | O_CLOEXEC | O_DIRECT);
    if (t->descriptor < 0)
        return status_new_errno(errno, "\"%s\" cannot be read past the page cache", t->path);
    return STATUS_OK;
}

status calibration_measure(const char *path, calibration *out)
{
    int descriptor;
    trial t = {.path = path, .descriptor = -1};
    *out = (calibration){.measured = time(NULL)};
    status st = open_target(path, &descriptor);
    if (!st)
        st = open_direct(&t, descriptor);
    if (!st)
        st = calibration_device(path, &out->device);
    if (!st)
        st = calibrate_run_plan(&t, out);
    if (t.descriptor >= 0)
        close(t.descriptor);
    if (descriptor >= 0)
        close(descriptor);
    return st;
}

const calibration_trial *calibration_best(const calibration *c)
{
    const calibration_trial *best = &c->trials[0];
    for (unsigned i = 1; i < c->trial_count; i++)
        if (c->trials[i].bytes_per_second > best->bytes_per_second)
            best = &c->trials[i];
    return best;
}

status calibration_device(const char *path, uint64_t *out)
{
    file_version version;
    if (!file_version_of_path(path, &version))
        return status_new_errno(errno, "could not open \"%s\"", path);
    *out = version.device;
    return STATUS_OK;
}
