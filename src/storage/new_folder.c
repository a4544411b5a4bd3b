/* new_folder.c - see new_folder.h: a rename is the moment in which it appears. */
#include "storage/new_folder.h"

#include "base/mem.h"
#include "storage/object_store.h"
#include "storage/temporary_name.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* More tries than others can come and go, as each takes the folder away once at most. */
#define TRIES_MAX 10000

struct new_folder {
    char *path, *temporary_path;
    char *file;      /* within temporary_path */
    char *published; /* the same within path */
    bool has_file;
};

static void folder_free(new_folder *f)
{
    mem_free(f->path);
    mem_free(f->temporary_path);
    mem_free(f->file);
    mem_free(f->published);
    mem_free(f);
}

static status new_folder_join(const char *folder, const char *name, char **out)
{
    size_t bytes = strlen(folder) + strlen(name) + 2;
    *out = mem_new(bytes);
    if (!*out)
        return status_no_memory("path", bytes);
    snprintf(*out, bytes, "%s/%s", folder, name);
    return STATUS_OK;
}

/* Without slashes at its end. */
static status new_folder_make_names(new_folder *f, const char *path, uint64_t number,
                                    const char *name)
{
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/')
        length--;
    f->path = mem_copy_text(path, length);
    f->temporary_path = mem_new(length + TEMPORARY_MORE);
    if (!f->path || !f->temporary_path)
        return status_no_memory("path", length);
    const char *slash = strrchr(f->path, '/'), *own = slash ? slash + 1 : f->path;
    snprintf(f->temporary_path, length + TEMPORARY_MORE, "%.*s%.*s.%" PRIu64 ".tmp",
             (int)(own - f->path), f->path, temporary_stem(own), own, number);
    TRY(new_folder_join(f->temporary_path, name, &f->file));
    return new_folder_join(f->path, name, &f->published);
}

static bool is_empty(const char *path)
{
    DIR *folder = opendir(path);
    const struct dirent *entry;
    bool is = folder;
    while (folder && is && (entry = readdir(folder)))
        is = !strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..");
    if (folder)
        closedir(folder);
    return is;
}

static status new_folder_check_free(const char *path)
{
    struct stat info;
    if (lstat(path, &info) || is_empty(path))
        return STATUS_OK;
    return status_hint(status_new(STATUS_KIND_IO, "\"%s\" is there already", path),
                       "name a folder that is not there, or an empty one");
}

static status could_not_create(const new_folder *f, int error)
{
    return status_new_errno(error, "could not create folder \"%s\"", f->path);
}

/* The folder, if another has not made it, and the file in it, which keeps it: another may give up in between and
 * take the folder away, which is empty then. */
static status new_folder_make_file(new_folder *f)
{
    int file = -1, error = ENOENT;
    for (unsigned i = 0; i < TRIES_MAX && file < 0 && error == ENOENT; i++) {
        if (mkdir(f->temporary_path, 0777) && errno != EEXIST)
            return could_not_create(f, errno);
        file = open(f->file, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
        error = errno;
    }
    if (file < 0)
        return status_new_errno(error, "could not create file \"%s\"", f->file);
    close(file);
    f->has_file = true;
    return STATUS_OK;
}

static status open_folder(new_folder *f, const char *path, uint64_t number, const char *name)
{
    TRY(new_folder_make_names(f, path, number, name));
    TRY(new_folder_check_free(f->path));
    return new_folder_make_file(f);
}

status new_folder_open(const char *path, uint64_t number, const char *name, new_folder **out)
{
    *out = NULL;
    TRY(object_store_check_folder(path));
    new_folder *f = mem_new(sizeof *f);
    if (!f)
        return status_no_memory("folder", sizeof *f);
    status st = open_folder(f, path, number, name);
    if (st)
        new_folder_abort(f);
    else
        *out = f;
    return st;
}

const char *new_folder_file(const new_folder *f)
{
    return f->file;
}

/* The name is on the storage as well, as far as its file system can say so. */
static void sync_parent(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *parent = mem_copy_text(slash ? path : ".", slash > path ? (size_t)(slash - path) : 1);
    int descriptor = parent ? open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    if (descriptor >= 0) {
        (void)fsync(descriptor);
        close(descriptor);
    }
    mem_free(parent);
}

/* Another process may have been first: then the file is where it belongs. */
static status take_name(const new_folder *f)
{
    if (!rename(f->temporary_path, f->path)) {
        sync_parent(f->path);
        return STATUS_OK;
    }
    int error = errno;
    bool is_there = error == ENOENT && !access(f->published, F_OK);
    return is_there ? STATUS_OK : could_not_create(f, error);
}

status new_folder_publish(new_folder *f)
{
    status st = take_name(f);
    if (st)
        new_folder_abort(f);
    else
        folder_free(f);
    return st;
}

void new_folder_abort(new_folder *f)
{
    if (!f)
        return;
    if (f->has_file)
        (void)unlink(f->file);
    if (f->temporary_path)
        (void)rmdir(f->temporary_path); /* others may have files in it */
    folder_free(f);
}
