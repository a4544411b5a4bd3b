/* calibrate.h - how fast a storage device gives bytes: measured, and kept for a month.
 *
 * Sequential reads past the page cache, with requests of several sizes and several of them under
 * way, as a scan makes them. The best of the trials is what EXPLAIN ANALYZE holds a query's reads
 * against. Results are kept in $XDG_CACHE_HOME/pistachio (or ~/.cache/pistachio), a file for each
 * device number. */
#ifndef PISTACHIO_STORAGE_CALIBRATE_H
#define PISTACHIO_STORAGE_CALIBRATE_H

#include "base/status.h"

#include <stdbool.h>

#define CALIBRATION_TRIALS_MAX 16
#define CALIBRATION_DAYS 30

typedef struct calibration_trial {
    uint64_t request_bytes, depth; /* depth: requests under way */
    uint64_t bytes_per_second;
} calibration_trial;

typedef struct calibration {
    uint64_t device;  /* of the file system, as stat's st_dev */
    int64_t measured; /* seconds since 1970 */
    unsigned trial_count;
    calibration_trial trials[CALIBRATION_TRIALS_MAX];
} calibration;

/* Takes two to three seconds. `path`: a file of 64 MiB or more, which is read; or a folder, in
 * which a temporary file without a name is made, read, and gone in the end, whatever happens. */
CHECKED status calibration_measure(const char *path, calibration *out);
/* The fastest trial. */
const calibration_trial *calibration_best(const calibration *c);

/* The number of the device that holds a file or folder. */
CHECKED status calibration_device(const char *path, uint64_t *out);
/* Finds the calibration that is kept of a device; false: there is none, or it is older than CALIBRATION_DAYS. Any
 * thread. */
bool calibration_find(uint64_t device, calibration *out);
/* Keeps it for calibration_find, by any process. */
CHECKED status calibration_keep(const calibration *c);

#endif
