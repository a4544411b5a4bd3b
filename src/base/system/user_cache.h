/* user_cache.h - small text files that are kept in the user's cache: XDG_CACHE_HOME/pistachio, or ~/.cache/pistachio. */
#ifndef PISTACHIO_BASE_SYSTEM_USER_CACHE_H
#define PISTACHIO_BASE_SYSTEM_USER_CACHE_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>

#define USER_CACHE_PATH_BYTES 4096

/* Writes the path of the file of that name. Returns whether there is a place for it. */
bool user_cache_path(const char *name, char path[USER_CACHE_PATH_BYTES]);
/* Replaces the file of that name whole by the text; makes the folders above it. */
CHECKED status user_cache_replace(const char *name, const char *text);

#endif
