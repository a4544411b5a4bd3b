/* strptime.h - a text by a format of C's strptime. */
#ifndef PISTACHIO_DEVICE_HOST_STRPTIME_H
#define PISTACHIO_DEVICE_HOST_STRPTIME_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Fails if the function strptime does not know the format. */
CHECKED status strptime_check_format(const char *format, size_t bytes);
/* The timestamp that the text says, in microseconds; the format has been checked. False: it is of another format. */
bool strptime_text(const char *text, size_t bytes, const char *format, size_t format_bytes,
                   int64_t *out);

#endif
