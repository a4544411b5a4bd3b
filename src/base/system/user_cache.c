/* user_cache.c - see user_cache.h. */
#include "base/system/user_cache.h"

#include "base/fault.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool user_cache_path(const char *name, char path[USER_CACHE_PATH_BYTES])
{
    const char *folder = getenv("XDG_CACHE_HOME"), *below = "";
    if (!folder || folder[0] != '/') { /* as its specification says */
        folder = getenv("HOME");
        below = "/.cache";
    }
    if (!folder || folder[0] != '/')
        return false;
    int length = snprintf(path, USER_CACHE_PATH_BYTES, "%s%s/pistachio/%s", folder, below, name);
    return length > 0 && length < USER_CACHE_PATH_BYTES;
}

/* Makes the folders above a file, as far as they are missing. */
static void user_cache_make_folders(char *path)
{
    for (char *slash = path; (slash = strchr(slash + 1, '/'));) {
        *slash = '\0';
        (void)mkdir(path, 0700); /* without it, opening the file fails and says so */
        *slash = '/';
    }
}

status user_cache_replace(const char *name, const char *text)
{
    char path[USER_CACHE_PATH_BYTES], temporary[USER_CACHE_PATH_BYTES + 32];
    if (!user_cache_path(name, path))
        return status_hint(status_new(STATUS_KIND_IO, "there is no folder to keep the result in"),
                           "set HOME or XDG_CACHE_HOME");
    user_cache_make_folders(path);
    snprintf(temporary, sizeof temporary, "%s.%ld", path, (long)getpid());
    FILE *f = fopen(temporary, "we");
    if (!f)
        return status_new_errno(errno, "could not write \"%s\"", temporary);
    bool has_failed = fputs(text, f) < 0 || fault_check(FAULT_WRITE);
    has_failed |= fclose(f) != 0;
    if (!has_failed && !rename(temporary, path))
        return STATUS_OK;
    status st = status_new_errno(errno, "could not write \"%s\"", path);
    unlink(temporary);
    return st;
}
