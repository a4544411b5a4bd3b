/* calibrate_store.h - how fast an object store gives bytes, measured over objects that are there. */
#ifndef PISTACHIO_STORAGE_CALIBRATE_STORE_H
#define PISTACHIO_STORAGE_CALIBRATE_STORE_H

#include "storage/calibrate.h"

/* Measures for some six seconds, and tells the device, as calibration_measure and calibration_device do, of a URL: an object, or a folder or pattern of them, of 64 MiB or more together. */
CHECKED status calibrate_store_measure(const char *url, calibration *out);
CHECKED status calibrate_store_device(const char *url, uint64_t *out);

#endif
