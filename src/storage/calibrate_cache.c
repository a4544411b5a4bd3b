/* calibrate_cache.c - calibrations kept as small text files, each replaced whole.
 *
 *     pistachio calibration 1
 *     65024 1790000000 11            device, time, trials
 *     131072 8 2400000000            request bytes, depth, bytes per second
 *     ...                                                                        */
#include "base/fault.h"
#include "base/mem.h"
#include "storage/calibrate.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define HEAD "pistachio calibration 1\n"
#define DAY_SECONDS 86400

/* The file of a device in the user's cache; false: there is no place for it. */
static bool calibrate_cache_find_path(uint64_t device, char *path, size_t room)
{
    const char *folder = getenv("XDG_CACHE_HOME"), *below = "";
    if (!folder || folder[0] != '/') { /* as its specification says */
        folder = getenv("HOME");
        below = "/.cache";
    }
    if (!folder || folder[0] != '/')
        return false;
    int length = snprintf(path, room, "%s%s/pistachio/storage-%" PRIu64, folder, below, device);
    return length > 0 && (size_t)length < room;
}

static bool calibrate_cache_read_all(FILE *f, calibration *out)
{
    char head[sizeof HEAD];
    unsigned count;
    if (!fgets(head, sizeof head, f) || strcmp(head, HEAD) ||
        fscanf(f, "%" SCNu64 " %" SCNd64 " %u", &out->device, &out->measured, &count) != 3 ||
        !count || count > CALIBRATION_TRIALS_MAX)
        return false;
    for (unsigned i = 0; i < count; i++) {
        calibration_trial *t = &out->trials[i];
        if (fscanf(f, "%" SCNu64 " %" SCNu64 " %" SCNu64, &t->request_bytes, &t->depth,
                   &t->bytes_per_second) != 3 ||
            !t->bytes_per_second)
            return false;
    }
    out->trial_count = count;
    return true;
}

bool calibration_find(uint64_t device, calibration *out)
{
    char path[4096];
    FILE *f = calibrate_cache_find_path(device, path, sizeof path) ? fopen(path, "re") : NULL;
    if (!f)
        return false;
    bool is_whole = calibrate_cache_read_all(f, out) && out->device == device;
    fclose(f);
    int64_t now = time(NULL);
    return is_whole && out->measured <= now &&
           now - out->measured <= (int64_t)CALIBRATION_DAYS * DAY_SECONDS;
}

/* Makes the folders above a file, as far as they are missing. */
static void calibrate_cache_make_folders(char *path)
{
    for (char *slash = path; (slash = strchr(slash + 1, '/'));) {
        *slash = '\0';
        (void)mkdir(path, 0700); /* without it, opening the file fails and says so */
        *slash = '/';
    }
}

static void write_all(FILE *f, const calibration *c)
{
    fprintf(f, HEAD "%" PRIu64 " %" PRId64 " %u\n", c->device, c->measured, c->trial_count);
    for (unsigned i = 0; i < c->trial_count; i++) {
        const calibration_trial *t = &c->trials[i];
        fprintf(f, "%" PRIu64 " %" PRIu64 " %" PRIu64 "\n", t->request_bytes, t->depth,
                t->bytes_per_second);
    }
}

status calibration_keep(const calibration *c)
{
    char path[4096], temporary[4096 + 32];
    if (!calibrate_cache_find_path(c->device, path, sizeof path))
        return status_hint(status_new(STATUS_KIND_IO, "there is no folder to keep the result in"),
                           "set HOME or XDG_CACHE_HOME");
    calibrate_cache_make_folders(path);
    snprintf(temporary, sizeof temporary, "%s.%ld", path, (long)getpid());
    FILE *f = fopen(temporary, "we");
    if (!f)
        return status_new_errno(errno, "could not write \"%s\"", temporary);
    write_all(f, c);
    bool has_failed = ferror(f) || fault_check(FAULT_WRITE);
    has_failed |= fclose(f) != 0;
    if (has_failed || rename(temporary, path)) {
        status st = status_new_errno(errno, "could not write \"%s\"", path);
        unlink(temporary);
        return st;
    }
    return STATUS_OK;
}
