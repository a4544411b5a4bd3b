/* replace_file.c - see replace_file.h. */
#include "server/replace_file.h"

#include "server/engine.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

static status write_all(int descriptor, const char *path, const char *bytes, size_t count)
{
    for (size_t at = 0; at < count;) {
        ssize_t written = write(descriptor, bytes + at, count - at);
        if (written < 0 && errno != EINTR)
            return status_new_errno(errno, "could not write \"%s\"", path);
        at += written > 0 ? (size_t)written : 0;
    }
    if (fsync(descriptor))
        return status_new_errno(errno, "could not write \"%s\"", path);
    return STATUS_OK;
}

/* Makes the folder's entry for the file last. */
static status sync_folder(const char *path)
{
    char folder[PATH_MAX] = ".";
    const char *slash = strrchr(path, '/');
    if (slash) /* shorter than the draft's path, which has room */
        snprintf(folder, sizeof folder, "%.*s", (int)(slash - path + 1), path);
    int descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0)
        return status_new_errno(errno, "could not open folder \"%s\"", folder);
    status st = STATUS_OK;
    if (fsync(descriptor) && errno != EINVAL) /* EINVAL: its file system does not know that */
        st = status_new_errno(errno, "could not write folder \"%s\"", folder);
    close(descriptor);
    return st;
}

static status write_draft(const char *draft, const char *bytes, size_t count)
{
    (void)unlink(draft); /* of a process that was killed */
    int descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (descriptor < 0)
        return status_new_errno(errno, "could not make \"%s\"", draft);
    status st = write_all(descriptor, draft, bytes, count);
    close(descriptor);
    return st;
}

status replace_file(const char *path, const char *bytes, size_t count)
{
    char draft[PATH_MAX];
    if (snprintf(draft, sizeof draft, "%s.new", path) >= (int)sizeof draft)
        return status_new(STATUS_KIND_INVALID, "the path \"%s\" is too long", path);
    status st = write_draft(draft, bytes, count);
    if (!st && rename(draft, path))
        st = status_new_errno(errno, "could not replace \"%s\"", path);
    if (st) {
        (void)unlink(draft);
        return st;
    }
    return sync_folder(path);
}
