/* calibrate_cache.c - calibrations kept as small text files, each replaced whole.
 *
 *     pistachio calibration 1
 *     65024 1790000000 11            device, time, trials
 *     131072 8 2400000000            request bytes, depth, bytes per second
 *     ...                                                                        */
#include "base/mem.h"
#include "base/system/user_cache.h"
#include "storage/calibrate.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#define HEAD "pistachio calibration 1\n"
#define DAY_SECONDS 86400
#define NAME_BYTES 40
/* Three numbers of at most 20 digits a line, after the head and its own three. */
#define TEXT_BYTES ((CALIBRATION_TRIALS_MAX + 2) * 64)

static void calibrate_cache_name(uint64_t device, char name[NAME_BYTES])
{
    snprintf(name, NAME_BYTES, "storage-%" PRIu64, device);
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
    char name[NAME_BYTES], path[USER_CACHE_PATH_BYTES];
    calibrate_cache_name(device, name);
    FILE *f = user_cache_path(name, path) ? fopen(path, "re") : NULL;
    if (!f)
        return false;
    bool is_whole = calibrate_cache_read_all(f, out) && out->device == device;
    fclose(f);
    int64_t now = time(NULL);
    return is_whole && out->measured <= now &&
           now - out->measured <= (int64_t)CALIBRATION_DAYS * DAY_SECONDS;
}

status calibration_keep(const calibration *c)
{
    char name[NAME_BYTES], text[TEXT_BYTES];
    calibrate_cache_name(c->device, name);
    size_t at = (size_t)snprintf(text, sizeof text, HEAD "%" PRIu64 " %" PRId64 " %u\n", c->device,
                                 c->measured, c->trial_count);
    for (unsigned i = 0; i < c->trial_count; i++) {
        const calibration_trial *t = &c->trials[i];
        at += (size_t)snprintf(text + at, sizeof text - at, "%" PRIu64 " %" PRIu64 " %" PRIu64 "\n",
                               t->request_bytes, t->depth, t->bytes_per_second);
    }
    return user_cache_replace(name, text);
}
