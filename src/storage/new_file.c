/* new_file.c - unnamed (O_TMPFILE) while it is written, then linked and renamed into place. */
#include "storage/new_file.h"

#include "base/fault.h"
#include "storage/file.h"
#include "storage/object_store.h"
#include "storage/temporary_name.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define STREAM_BYTES 65536
/* After so many bytes the system is asked to bring them to the storage, so that little is left to be waited for at
 * the end. */
#define BEGUN_BYTES ((uint64_t)16 << 20)

struct new_file {
    char *path, *folder;
    char *temporary_path;  /* "<path>.<process>.<number>.tmp", or of a part of a long name */
    bool has_name;         /* temporary_path is there */
    bool is_temporary;     /* gets no name */
    bool syncs_later;      /* it is not for the file to see that it is on the storage */
    int descriptor;        /* -1: not open */
    object_upload *upload; /* if it is an object */
    FILE *stream;          /* to which the bytes go; or NULL */
    uint64_t bytes;
    uint64_t begun; /* of them, on their way to the storage */
    status failure; /* of the stream's first write that failed */
};

/* ---- names ---- */

static status make_names(new_file *f, const char *path)
{
    static atomic_uint number;
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    size_t length = strlen(path),
           folder_bytes = slash && slash != path ? (size_t)(slash - path) : 1;
    f->path = mem_copy_text(path, length);
    f->folder = mem_copy_text(slash ? path : ".", folder_bytes);
    f->temporary_path = mem_new(length + TEMPORARY_MORE);
    if (!f->path || !f->folder || !f->temporary_path)
        return status_no_memory("path", length);
    snprintf(f->temporary_path, length + TEMPORARY_MORE, "%.*s%.*s.%ld.%u.tmp", (int)(name - path),
             path, temporary_stem(name), name, (long)getpid(), atomic_fetch_add(&number, 1));
    return STATUS_OK;
}

/* The name by which an open file can be linked. */
static void descriptor_path(const new_file *f, char *out, size_t bytes)
{
    snprintf(out, bytes, "/proc/self/fd/%d", f->descriptor);
}

/* Whether that is there: not every place that a program runs in has /proc. */
static bool can_be_linked(const new_file *f)
{
    char name[64];
    descriptor_path(f, name, sizeof name);
    return !access(name, F_OK);
}

/* ---- open ---- */

static void open_unnamed(new_file *f)
{
    f->descriptor = open(f->folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
    if (f->descriptor >= 0 && !can_be_linked(f)) {
        close(f->descriptor);
        f->descriptor = -1;
    }
}

static status open_upload(new_file *f, const char *url)
{
    f->path = mem_copy_text(url, strlen(url));
    return f->path ? object_upload_new(url, &f->upload) : status_no_memory("path", strlen(url));
}

static status open_file(new_file *f, const char *path, bool may_be_unnamed)
{
    if (object_store_has(path))
        return open_upload(f, path);
    struct stat info;
    char target[PATH_MAX];
    if (!lstat(path, &info) && S_ISLNK(info.st_mode) && realpath(path, target))
        path = target;
    TRY(make_names(f, path));
    if (!stat(path, &info) && !S_ISREG(info.st_mode))
        return status_new(STATUS_KIND_IO, "\"%s\" is not a regular file", path);
    if (may_be_unnamed)
        open_unnamed(f);
    if (f->descriptor >= 0)
        return STATUS_OK;
    f->descriptor = open(f->temporary_path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    f->has_name = f->descriptor >= 0;
    return f->has_name ? STATUS_OK : status_new_errno(errno, "could not create file \"%s\"", path);
}

static status new_file_new(const char *path, bool may_be_unnamed, new_file **out)
{
    *out = NULL;
    new_file *f = mem_new(sizeof *f);
    if (!f)
        return status_no_memory("file", sizeof *f);
    f->descriptor = -1;
    status st = open_file(f, path, may_be_unnamed);
    if (st)
        new_file_abort(f);
    else
        *out = f;
    return st;
}

status new_file_open(const char *path, new_file **out)
{
    return new_file_new(path, true, out);
}

status new_file_open_named(const char *path, new_file **out)
{
    return new_file_new(path, false, out);
}

static status open_temporary(new_file *f, const char *folder, int *out_descriptor)
{
    f->path = mem_copy_text("(temporary)", strlen("(temporary)"));
    f->is_temporary = true;
    if (!f->path)
        return status_no_memory("file", sizeof *f);
    f->descriptor = file_make_unnamed(folder);
    if (f->descriptor >= 0)
        *out_descriptor = fcntl(f->descriptor, F_DUPFD_CLOEXEC, 0);
    return *out_descriptor >= 0
               ? STATUS_OK
               : status_hint(
                     status_new_errno(errno, "could not make a temporary file in \"%s\"", folder),
                     "SET temp_directory to a folder that can be written to");
}

status new_file_open_temporary(const char *folder, new_file **out, int *out_descriptor)
{
    *out = NULL;
    *out_descriptor = -1;
    new_file *f = mem_new(sizeof *f);
    if (!f)
        return status_no_memory("file", sizeof *f);
    f->descriptor = -1;
    status st = open_temporary(f, folder, out_descriptor);
    if (st)
        new_file_abort(f);
    else
        *out = f;
    return st;
}

status new_file_open_stream(FILE *stream, new_file **out)
{
    *out = mem_new(sizeof **out);
    if (!*out)
        return status_no_memory("file", sizeof **out);
    (*out)->descriptor = -1;
    (*out)->stream = stream;
    return STATUS_OK;
}

/* ---- bytes ---- */

/* Best effort: what it does not do, fsync does at the end. */
static void begin_sync(new_file *f)
{
    if (f->is_temporary || f->bytes - f->begun < BEGUN_BYTES)
        return;
    (void)!sync_file_range(f->descriptor, (off_t)f->begun, (off_t)(f->bytes - f->begun),
                           SYNC_FILE_RANGE_WRITE);
    f->begun = f->bytes;
}

void new_file_sync_later(new_file *f)
{
    f->syncs_later = true;
}

static status write_upload(new_file *f, const void *data, uint64_t bytes)
{
    if (fault_check(FAULT_WRITE))
        return status_new_errno(ENOSPC, "could not write \"%s\"", f->path);
    f->bytes += bytes;
    return object_upload_append(f->upload, data, bytes);
}

static status write_to_stream(new_file *f, const void *data, uint64_t bytes)
{
    if (bytes && fwrite(data, 1, bytes, f->stream) != bytes)
        return status_new_errno(errno, "could not write the stream at byte %llu",
                                (unsigned long long)f->bytes);
    f->bytes += bytes;
    return STATUS_OK;
}

status new_file_write(new_file *f, const void *data, uint64_t bytes)
{
    if (f->upload)
        return write_upload(f, data, bytes);
    if (f->stream)
        return write_to_stream(f, data, bytes);
    const char *at = data;
    while (bytes) {
        ssize_t done =
            fault_check(FAULT_WRITE) ? (errno = ENOSPC, -1) : write(f->descriptor, at, bytes);
        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0)
            return status_new_errno(errno, "could not write file \"%s\" at byte %llu", f->path,
                                    (unsigned long long)f->bytes);
        at += done;
        bytes -= (uint64_t)done;
        f->bytes += (uint64_t)done;
    }
    begin_sync(f);
    return STATUS_OK;
}

uint64_t new_file_bytes(const new_file *f)
{
    return f->bytes;
}

static ssize_t write_stream(void *cookie, const char *data, size_t bytes)
{
    new_file *f = cookie;
    status st = new_file_write(f, data, bytes);
    if (!st)
        return (ssize_t)bytes;
    if (f->failure)
        status_free(st);
    else
        f->failure = st;
    errno = EIO;
    return 0;
}

status new_file_stream(new_file *f, FILE **out)
{
    *out = fopencookie(f, "w", (cookie_io_functions_t){.write = write_stream});
    if (!*out)
        return status_new_errno(errno, "could not write file \"%s\"", f->path);
    setvbuf(*out, NULL, _IOFBF, STREAM_BYTES); /* else a smaller buffer will do */
    return STATUS_OK;
}

status new_file_failure(new_file *f)
{
    status st = f->failure;
    f->failure = NULL;
    return st;
}

/* ---- the end ---- */

/* Gives an unnamed file a name; false: errno tells why not. */
static bool link_as(const new_file *f, const char *name)
{
    char descriptor[64];
    descriptor_path(f, descriptor, sizeof descriptor);
    return !linkat(AT_FDCWD, descriptor, AT_FDCWD, name, AT_SYMLINK_FOLLOW);
}

/* A name that is free is taken at once. One that is not can only be replaced by a rename, for which
 * the file needs another one first, for as long as two calls take: who is killed just between them
 * leaves "<path>.<process>.<number>.tmp", whole, beside the old file. Linux has no way round that:
 * linkat never replaces, and renameat2 with any flag wants a name to rename, which a descriptor's
 * in /proc is not. To unlink the old file first would be worse: a moment with neither. */
static status take_name(new_file *f)
{
    if (!f->has_name && link_as(f, f->path))
        return STATUS_OK;
    if (!f->has_name && errno == EEXIST)
        f->has_name = link_as(f, f->temporary_path);
    if (!f->has_name)
        return status_new_errno(errno, "could not name file \"%s\"", f->path);
    if (rename(f->temporary_path, f->path))
        return status_new_errno(errno, "could not rename \"%s\" to \"%s\"", f->temporary_path,
                                f->path);
    f->has_name = false;
    return STATUS_OK;
}

/* A name is safe from a crash once its folder is written too; not every file system can. */
static void new_file_sync_folder(const new_file *f)
{
    int folder = open(f->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0)
        return;
    fsync(folder);
    close(folder);
}

static status publish_upload(new_file *f)
{
    object_upload *upload = f->upload;
    f->upload = NULL;
    return object_upload_complete(upload);
}

static status publish(new_file *f)
{
    if (f->upload)
        return publish_upload(f);
    if (f->syncs_later)
        (void)!sync_file_range(f->descriptor, 0, 0, SYNC_FILE_RANGE_WRITE); /* it begins */
    else if (fsync(f->descriptor) && errno != EINVAL)
        return status_new_errno(errno, "could not sync file \"%s\"", f->path);
    TRY(take_name(f));
    if (!f->syncs_later)
        new_file_sync_folder(f);
    int failed = close(f->descriptor);
    f->descriptor = -1;
    return failed ? status_new_errno(errno, "could not close file \"%s\"", f->path) : STATUS_OK;
}

status new_file_publish(new_file *f)
{
    status st = f->is_temporary || f->stream ? STATUS_OK : publish(f);
    if (f->stream && fflush(f->stream))
        st = status_new_errno(errno, "could not write the stream");
    new_file_abort(f);
    return st;
}

void new_file_abort(new_file *f)
{
    if (!f)
        return;
    if (f->descriptor >= 0)
        close(f->descriptor);
    if (f->has_name)
        unlink(f->temporary_path);
    object_upload_abort(f->upload);
    status_free(f->failure);
    mem_free(f->path);
    mem_free(f->folder);
    mem_free(f->temporary_path);
    mem_free(f);
}
