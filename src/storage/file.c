/* file.c - opening, reading at offsets, expanding patterns and folders. */
#include "storage/file.h"

#include "base/fault.h"
#include "storage/object_store.h"
#include "storage/pattern.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Younger files may change again within the clock of their file system (two seconds on FAT, one on
 * some network file systems). */
#define SETTLED_NANOSECONDS ((int64_t)2100000000)
/* file.direct_descriptor without one. */
#define NO_DIRECT (-1)
#define NOT_OPENED (-2)

static file_version file_version_of(const struct stat *info)
{
    return (file_version){
        .device = info->st_dev,
        .inode = info->st_ino,
        .bytes = (uint64_t)info->st_size,
        .modified = (int64_t)info->st_mtim.tv_sec * 1000000000 + info->st_mtim.tv_nsec,
    };
}

bool file_version_equal(const file_version *a, const file_version *b)
{
    return a->device == b->device && a->inode == b->inode && a->bytes == b->bytes &&
           a->modified == b->modified;
}

bool file_version_now(const file *f, file_version *out)
{
    struct stat info;
    if (fstat(f->descriptor, &info))
        return false;
    *out = file_version_of(&info);
    return true;
}

/* Each read of an object asks for the version that was opened. */
bool file_has_changed(const file *f)
{
    file_version now;
    return !f->object && file_version_now(f, &now) && !file_version_equal(&now, &f->version);
}

bool file_is_settled(const file *f)
{
    struct timespec now;
    file_version version;
    if (f->object)
        return true;
    clock_gettime(CLOCK_REALTIME, &now);
    int64_t age = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec - f->version.modified;
    return age > SETTLED_NANOSECONDS && file_version_now(f, &version) &&
           file_version_equal(&version, &f->version);
}

bool file_version_of_path(const char *path, file_version *out)
{
    struct stat info;
    if (object_store_has(path))
        return object_store_version(path, out);
    if (stat(path, &info))
        return false;
    *out = file_version_of(&info);
    return true;
}

/* How to mend it that a file cannot be opened. */
static status open_failure(int number, const char *path)
{
    status st = status_new_errno(number, "could not open file \"%s\"", path);
    return number == EMFILE ? status_hint(st, "raise the limit of open files: ulimit -n") : st;
}

static file *file_new(const char *path, int descriptor)
{
    file *f = mem_new(sizeof *f);
    if (f)
        f->path = mem_copy_text(path, strlen(path));
    if (!f || !f->path) {
        mem_free(f);
        return NULL;
    }
    f->descriptor = descriptor;
    f->direct_descriptor = NOT_OPENED;
    return f;
}

status file_open_elsewhere(const char *path, uint64_t bytes, file **out)
{
    *out = file_new(path, -1);
    if (!*out)
        return status_no_memory("file", sizeof **out);
    (*out)->direct_descriptor = NO_DIRECT;
    (*out)->bytes = (*out)->version.bytes = bytes;
    return STATUS_OK;
}

bool file_is_here(const file *f)
{
    return f->descriptor >= 0 || f->object;
}

/* Descriptors below this number do not make it look at the limit. */
#define FEW_DESCRIPTORS 128

/* Raises the limit of open files to what the process may have. False: it has that already. */
static bool raise_limit(struct rlimit *limit)
{
    if (limit->rlim_cur >= limit->rlim_max)
        return false;
    limit->rlim_cur = limit->rlim_max;
    return !setrlimit(RLIMIT_NOFILE, limit);
}

/* Tables stay open, and a table may be thousands of files: at half of the limit it is raised, so that what else
 * the process opens finds room. */
static void make_room(int descriptor)
{
    struct rlimit limit;
    if (descriptor < FEW_DESCRIPTORS || getrlimit(RLIMIT_NOFILE, &limit))
        return;
    if ((rlim_t)descriptor >= limit.rlim_cur / 2)
        (void)raise_limit(&limit);
}

static int open_to_read(const char *path)
{
    /* Not blocking: opening a pipe would wait for somebody who writes. */
    int flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK, descriptor = open(path, flags);
    struct rlimit limit;
    if (descriptor < 0 && errno == EMFILE) {
        if (!getrlimit(RLIMIT_NOFILE, &limit))
            (void)raise_limit(&limit); /* another thread may have raised it just before */
        descriptor = open(path, flags);
    }
    make_room(descriptor);
    return descriptor;
}

/* Makes the file of a URL. Errors show its path. */
static file *new_of_url(const char *url)
{
    file *f = file_new(url, -1);
    size_t bytes = strcspn(url, "?#");
    if (f && url[bytes] && !strncasecmp(url, "http", 4) && strlen(url) >= bytes + 4)
        memcpy(f->path + bytes, "?...", 5);
    else if (f && url[bytes] && !strncasecmp(url, "http", 4))
        f->path[bytes] = '\0';
    return f;
}

static status open_object(const char *url, file **out)
{
    file *f = new_of_url(url);
    if (!f)
        return status_no_memory("file", sizeof *f);
    f->direct_descriptor = NO_DIRECT;
    status st = object_open(url, &f->object, &f->version);
    if (st) {
        file_close(f);
        return st;
    }
    f->bytes = f->version.bytes;
    *out = f;
    return STATUS_OK;
}

status file_open(const char *path, file **out)
{
    *out = NULL;
    if (object_store_has(path))
        return open_object(path, out);
    struct stat info;
    int descriptor = open_to_read(path);
    if (descriptor < 0)
        return open_failure(errno, path);
    if (fstat(descriptor, &info) || !S_ISREG(info.st_mode)) {
        close(descriptor);
        return status_new(STATUS_KIND_IO, "\"%s\" is not a regular file", path);
    }
    file *f = file_new(path, descriptor);
    if (!f) {
        close(descriptor);
        return status_no_memory("file", sizeof *f);
    }
    f->bytes = (uint64_t)info.st_size;
    f->version = file_version_of(&info);
    *out = f;
    return STATUS_OK;
}

void file_expect(size_t count)
{
    int any = open("/", O_PATH | O_CLOEXEC);
    int high = any >= 0 && count < INT32_MAX ? fcntl(any, F_DUPFD_CLOEXEC, (int)count) : -1;
    if (high >= 0)
        close(high);
    if (any >= 0)
        close(any);
}

void file_close(file *f)
{
    if (!f)
        return;
    if (f->descriptor >= 0)
        close(f->descriptor);
    if (f->direct_descriptor >= 0)
        close(f->direct_descriptor);
    object_close(f->object);
    mem_free(f->path);
    mem_free(f);
}

int file_direct_descriptor(const file *shared)
{
    file *f = (file *)shared; /* but for this one member, which is atomic, nothing changes */
    int descriptor = atomic_load(&f->direct_descriptor), before = NOT_OPENED;
    if (descriptor != NOT_OPENED)
        return descriptor;
    /* By number, not by name: it must be the same file, whatever has the name by now. */
    char name[64];
    snprintf(name, sizeof name, "/proc/self/fd/%d", f->descriptor);
    descriptor = open(name, O_RDONLY | O_CLOEXEC | O_DIRECT);
    if (descriptor < 0)
        descriptor = NO_DIRECT;
    if (atomic_compare_exchange_strong(&f->direct_descriptor, &before, descriptor))
        return descriptor;
    if (descriptor >= 0)
        close(descriptor);
    return before;
}

status file_read(const file *f, uint64_t offset, void *target, size_t bytes)
{
    size_t done = 0;
    if (f->object)
        return object_read(f->object, offset, target, bytes);
    while (done < bytes) {
        ssize_t got = fault_check(FAULT_READ) ? (errno = EIO, -1)
                                              : pread(f->descriptor, (char *)target + done,
                                                      bytes - done, (off_t)(offset + done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return status_new_errno(errno, "could not read file \"%s\" at byte %llu", f->path,
                                    (unsigned long long)(offset + done));
        if (got == 0)
            return status_new(STATUS_KIND_IO,
                              "file \"%s\" ends at byte %llu, it had %llu bytes when it was opened",
                              f->path, (unsigned long long)(offset + done),
                              (unsigned long long)f->bytes);
        done += (size_t)got;
    }
    return STATUS_OK;
}

void file_expect_read(const file *f, uint64_t offset, uint64_t bytes)
{
    if (f->descriptor < 0)
        return;
    (void)posix_fadvise(f->descriptor, (off_t)offset, (off_t)bytes, POSIX_FADV_WILLNEED);
}

int file_make_unnamed(const char *directory)
{
    char name[4096];
    if (fault_check(FAULT_WRITE)) {
        errno = EIO;
        return -1;
    }
    int descriptor = open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (descriptor >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL))
        return descriptor;
    /* A file system without unnamed files: the name is there for a moment only. */
    if ((size_t)snprintf(name, sizeof name, "%s/pistachio-XXXXXX", directory) >= sizeof name) {
        errno = ENAMETOOLONG;
        return -1;
    }
    descriptor = mkostemp(name, O_CLOEXEC);
    if (descriptor >= 0)
        unlink(name);
    return descriptor;
}

bool file_is_folder(const char *path)
{
    struct stat info;
    return !stat(path, &info) && S_ISDIR(info.st_mode);
}

bool file_exists(const char *path)
{
    struct stat info;
    return !lstat(path, &info);
}

static status file_add_path(arena *a, path_list *list, const char *path)
{
    char *copy = arena_copy_text(a, path, strlen(path));
    if (!copy)
        return status_no_memory("path", strlen(path));
    return array_push(a, list, copy);
}

bool file_entry_is_folder(const struct dirent *entry, const char *path)
{
    return entry->d_type == DT_UNKNOWN || entry->d_type == DT_LNK ? file_is_folder(path)
                                                                  : entry->d_type == DT_DIR;
}

static status expand_folder(arena *a, const char *path, unsigned depth, path_list *out)
{
    struct dirent **entries;
    int count = scandir(path, &entries, NULL, alphasort);
    if (count < 0)
        return status_new_errno(errno, "could not read folder \"%s\"", path);
    status st = STATUS_OK;
    for (int i = 0; i < count; i++) {
        const char *name = entries[i]->d_name;
        size_t length = strlen(name);
        if (!st && !file_name_is_hidden(name)) {
            char *full = arena_format(a, "%s/%s", path, name);
            if (!full)
                st = status_no_memory("path", length);
            else if (file_name_is_parquet(name) && !file_entry_is_folder(entries[i], full))
                st = file_add_path(a, out, full);
            else if (depth && file_entry_is_folder(entries[i], full))
                st = expand_folder(a, full, depth - 1, out);
        }
        (free)(entries[i]);
    }
    (free)(entries);
    return st;
}

status file_expand(arena *a, const char *path, path_list *out)
{
    if (object_store_has(path))
        return object_store_expand(a, path, out);
    if (file_is_folder(path)) {
        TRY(expand_folder(a, path, 8, out));
        if (!out->count)
            return status_new(STATUS_KIND_NOT_FOUND, "folder \"%s\" has no *.parquet files", path);
        return STATUS_OK;
    }
    if (!file_name_has_wildcard(path, strlen(path)) || file_exists(path))
        return file_add_path(a, out, path);
    TRY(file_match(a, path, out));
    if (!out->count)
        return status_new(STATUS_KIND_NOT_FOUND, "no file matches \"%s\"", path);
    return STATUS_OK;
}
