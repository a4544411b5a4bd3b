/* replace_file.h - files that are replaced whole. */
#ifndef PISTACHIO_SERVER_REPLACE_FILE_H
#define PISTACHIO_SERVER_REPLACE_FILE_H

#include "base/status.h"

#include <stddef.h>

/* Writes the bytes to a file beside the path, which then takes its place. A process that ends, or a machine that stops,
 * leaves the old file or the new one. By one process at a time. */
CHECKED status replace_file(const char *path, const char *bytes, size_t count);

#endif
