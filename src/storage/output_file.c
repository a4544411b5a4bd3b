/* output_file.c - a stream over a new file, or over what is there. */
#include "storage/output_file.h"

#include "base/mem.h"
#include "storage/new_file.h"
#include "storage/object_store.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define STREAM_BYTES 65536

struct output_file {
    char *path;
    new_file *file; /* NULL: the stream goes to what is there */
    int descriptor; /* of that; else -1 */
    int failed;     /* errno of the first write to it that failed */
    FILE *stream;
};

static ssize_t write_there(void *cookie, const char *data, size_t bytes)
{
    output_file *f = cookie;
    size_t done = 0;
    while (done < bytes) {
        ssize_t written = write(f->descriptor, data + done, bytes - done);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0) {
            f->failed = f->failed ? f->failed : errno;
            return 0;
        }
        done += (size_t)written;
    }
    return (ssize_t)bytes;
}

/* Nothing has the name, or a file. Names below /dev and /proc stand for what somebody has open:
 * /dev/stdout is a file where the shell redirects it to one, and is not ours to replace. */
static bool can_be_replaced(const char *path)
{
    static const char *const open_things[] = {"/dev/", "/proc/"};
    char target[PATH_MAX];
    struct stat info;
    for (int i = 0; i < 2; i++)
        if (!strncmp(path, open_things[i], strlen(open_things[i])) ||
            (realpath(path, target) && !strncmp(target, open_things[i], strlen(open_things[i]))))
            return false;
    return stat(path, &info) ? errno == ENOENT : S_ISREG(info.st_mode);
}

static status output_file_open_stream(output_file *f, const char *path, bool may_be_cut)
{
    f->path = mem_copy_text(path, strlen(path));
    if (!f->path)
        return status_no_memory("path", strlen(path));
    if (object_store_has(path) || (!may_be_cut && can_be_replaced(path))) {
        TRY(new_file_open(path, &f->file));
        return new_file_stream(f->file, &f->stream);
    }
    f->descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (f->descriptor >= 0)
        f->stream = fopencookie(f, "w", (cookie_io_functions_t){.write = write_there});
    if (!f->stream)
        return status_new_errno(errno, "could not open \"%s\" for writing", path);
    setvbuf(f->stream, NULL, _IOFBF, STREAM_BYTES); /* else a smaller buffer will do */
    return STATUS_OK;
}

status output_file_open(const char *path, bool may_be_cut, output_file **out)
{
    *out = NULL;
    output_file *f = mem_new(sizeof *f);
    if (!f)
        return status_no_memory("file", sizeof *f);
    f->descriptor = -1;
    status st = output_file_open_stream(f, path, may_be_cut);
    if (st)
        output_file_abort(f);
    else
        *out = f;
    return st;
}

void output_file_sync_later(output_file *f)
{
    if (f->file)
        new_file_sync_later(f->file);
}

FILE *output_file_stream(output_file *f)
{
    return f->stream;
}

/* The stream has an error: which one the function below it knows. */
static status write_failure(output_file *f)
{
    status st = f->file ? new_file_failure(f->file) : STATUS_OK;
    return st ? st
              : status_new_errno(f->failed ? f->failed : EIO, "could not write \"%s\"", f->path);
}

status output_file_check(output_file *f)
{
    return ferror(f->stream) ? write_failure(f) : STATUS_OK;
}

static status close_stream(output_file *f)
{
    bool has_failed = fflush(f->stream) || ferror(f->stream);
    has_failed |= fclose(f->stream) != 0;
    f->stream = NULL;
    int failed = f->descriptor >= 0 && close(f->descriptor) ? errno : 0;
    f->descriptor = -1;
    f->failed = f->failed ? f->failed : failed;
    return has_failed || failed ? write_failure(f) : STATUS_OK;
}

status output_file_publish(output_file *f)
{
    status st = close_stream(f);
    if (!st && f->file) {
        st = new_file_publish(f->file);
        f->file = NULL;
    }
    output_file_abort(f);
    return st;
}

void output_file_abort(output_file *f)
{
    if (!f)
        return;
    if (f->stream)
        fclose(f->stream);
    if (f->descriptor >= 0)
        close(f->descriptor);
    new_file_abort(f->file);
    mem_free(f->path);
    mem_free(f);
}
