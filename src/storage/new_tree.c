/* new_tree.c - see new_tree.h: a rename is the moment in which it appears, an exchange of names the one in which
 * it takes another's place. */
#include "storage/new_tree.h"

#include "base/fault.h"
#include "base/mem.h"
#include "storage/object_store.h"
#include "storage/temporary_name.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DESCRIPTORS 16 /* that are open while a tree is removed */

struct new_tree {
    char *path;  /* of what was there without links */
    char *work;  /* beside it; NULL: files are written below the path */
    size_t made; /* the end of the first folder above that was not there; SIZE_MAX: all were */
    bool replaces;
};

/* ---- folders ---- */

static status no_folder(const char *path)
{
    return status_new(STATUS_KIND_INVALID, "\"%s\" is not a folder", path);
}

static status cannot_make(const char *path)
{
    return status_new_errno(errno, "could not make folder \"%s\"", path);
}

/* Makes a folder; the folders above it are there. */
static status make_folder(const char *path, size_t bytes, size_t *made)
{
    struct stat info;
    if (fault_check(FAULT_WRITE) ? (errno = ENOSPC, false) : !mkdir(path, 0777)) {
        *made = bytes < *made ? bytes : *made;
        return STATUS_OK;
    }
    if (errno != EEXIST)
        return cannot_make(path);
    return stat(path, &info) || !S_ISDIR(info.st_mode) ? no_folder(path) : STATUS_OK;
}

/* The end of the name before path[bytes], without the slashes behind it. */
static size_t name_above(const char *path, size_t bytes)
{
    while (bytes && path[bytes - 1] != '/')
        bytes--;
    while (bytes && path[bytes - 1] == '/')
        bytes--;
    return bytes;
}

/* Makes the folders that are missing; *made: the end of the first one, or left as it is. */
static status make_folders(char *path, size_t bytes, size_t *made)
{
    size_t at = bytes;
    struct stat info = {0};
    status st = STATUS_OK;
    char end = path[bytes];
    path[bytes] = 0;
    while (at && stat(path, &info)) {
        if (errno != ENOENT) { /* as ENAMETOOLONG, of what was to be made */
            st = errno == ENOTDIR ? no_folder(path) : cannot_make(path);
            break;
        }
        at = name_above(path, at);
        if (at)
            path[at] = 0;
    }
    if (!st && at && !S_ISDIR(info.st_mode))
        st = no_folder(path);
    while (!st && at < bytes) {
        if (at)
            path[at] = '/';
        at += 1 + strlen(path + at + 1);
        st = make_folder(path, at, made);
    }
    path[bytes] = end;
    return st;
}

/* Removes the folders that end at path[least] or after it. */
static void drop_folders(char *path, size_t bytes, size_t least)
{
    for (; bytes && bytes >= least; bytes = name_above(path, bytes)) {
        path[bytes] = 0;
        if (rmdir(path))
            return;
    }
}

status new_tree_make_folders(const new_tree *tree, char *path, size_t bytes)
{
    size_t made = SIZE_MAX;
    status st = make_folders(path, bytes, &made);
    if (st && made != SIZE_MAX)
        new_tree_drop_folders(tree, path, name_above(path, bytes));
    return st;
}

void new_tree_drop_folders(const new_tree *tree, char *path, size_t bytes)
{
    drop_folders(path, bytes, strlen(new_tree_root(tree)) + 1);
}

static int remove_entry(const char *path, const struct stat *info, int kind, struct FTW *place)
{
    (void)info, (void)kind, (void)place;
    return remove(path);
}

/* Links in it are not followed. */
static status remove_all(const char *path)
{
    if (nftw(path, remove_entry, DESCRIPTORS, FTW_DEPTH | FTW_PHYS))
        return status_new_errno(errno, "could not remove folder \"%s\"", path);
    return STATUS_OK;
}

/* ---- opening ---- */

/* Without links where it is there, and without slashes at its end. */
static status take_path(new_tree *tree, const char *path)
{
    char target[PATH_MAX];
    size_t bytes = strlen(path);
    if (realpath(path, target))
        bytes = strlen(path = target);
    while (bytes > 1 && path[bytes - 1] == '/')
        bytes--;
    tree->path = mem_copy_text(path, bytes);
    return tree->path ? STATUS_OK : status_no_memory("path", bytes);
}

/* The first folder of a name that nobody has. */
static status new_tree_make_work(new_tree *tree)
{
    size_t bytes = strlen(tree->path), room = bytes + TEMPORARY_MORE;
    const char *slash = strrchr(tree->path, '/'), *name = slash ? slash + 1 : tree->path;
    tree->work = mem_new(room);
    if (!tree->work)
        return status_no_memory("path", room);
    for (unsigned number = 0;; number++) {
        snprintf(tree->work, room, "%.*s.%.*s.%ld.%u.tmp", (int)(name - tree->path), tree->path,
                 temporary_stem(name), name, (long)getpid(), number);
        if (fault_check(FAULT_WRITE) ? (errno = ENOSPC, false) : !mkdir(tree->work, 0777))
            return STATUS_OK;
        if (errno == EEXIST)
            continue;
        status st = status_new_errno(errno, "could not make folder \"%s\"", tree->path);
        mem_free(tree->work);
        tree->work = NULL;
        return st;
    }
}

static status open_new(new_tree *tree)
{
    size_t above = name_above(tree->path, strlen(tree->path));
    if (above)
        TRY(make_folders(tree->path, above, &tree->made));
    return new_tree_make_work(tree);
}

static status new_tree_find_entry(const char *path, bool *out)
{
    DIR *folder = opendir(path);
    if (!folder)
        return errno == ENOTDIR ? no_folder(path)
                                : status_new_errno(errno, "could not read folder \"%s\"", path);
    const struct dirent *entry;
    *out = false;
    while (!*out && (entry = readdir(folder)))
        *out = strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..");
    closedir(folder);
    return STATUS_OK;
}

/* Nobody should find that the folder that he is in is gone. */
static status check_place(const new_tree *tree)
{
    char here[PATH_MAX];
    if (!getcwd(here, sizeof here) || strcmp(here, tree->path))
        return STATUS_OK;
    return status_hint(status_new(STATUS_KIND_INVALID,
                                  "folder \"%s\" is the one that the program runs in: it is not "
                                  "replaced",
                                  tree->path),
                       "run it in another folder");
}

static status open_tree(new_tree *tree, const char *path, new_tree_use use)
{
    bool has_entries = false;
    struct stat info;
    TRY(take_path(tree, path));
    if (stat(tree->path, &info) && errno == ENOENT)
        return open_new(tree);
    TRY(new_tree_find_entry(path, &has_entries));
    if (!has_entries || use == NEW_TREE_ADD)
        return STATUS_OK;
    tree->replaces = use == NEW_TREE_REPLACE;
    if (!tree->replaces)
        return status_hint(
            status_new(STATUS_KIND_INVALID, "folder \"%s\" is not empty", path),
            "with the option OVERWRITE_OR_IGNORE files are replaced, and others stay; with APPEND "
            "all stay; with OVERWRITE none does");
    TRY(check_place(tree));
    return new_tree_make_work(tree);
}

status new_tree_open(const char *path, new_tree_use use, new_tree **out)
{
    *out = NULL;
    TRY(object_store_check_folder(path));
    new_tree *tree = mem_new(sizeof *tree);
    if (!tree)
        return status_no_memory("folder", sizeof *tree);
    tree->made = SIZE_MAX;
    status st = open_tree(tree, path, use);
    if (st)
        new_tree_abort(tree);
    else
        *out = tree;
    return st;
}

const char *new_tree_root(const new_tree *tree)
{
    return tree->work ? tree->work : tree->path;
}

bool new_tree_syncs(const new_tree *tree)
{
    return tree->work;
}

/* ---- the end ---- */

static void tree_free(new_tree *tree)
{
    mem_free(tree->path);
    mem_free(tree->work);
    mem_free(tree);
}

/* The name is on the storage as well, as far as its file system can say so. */
static void sync_above(new_tree *tree)
{
    size_t above = name_above(tree->path, strlen(tree->path));
    char end = tree->path[above];
    tree->path[above] = 0;
    int folder = open(above        ? tree->path
                      : end == '/' ? "/"
                                   : ".",
                      O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    tree->path[above] = end;
    if (folder < 0)
        return;
    (void)fsync(folder);
    close(folder);
}

static status take_name(new_tree *tree)
{
    unsigned flags = tree->replaces ? RENAME_EXCHANGE : 0;
    if (fault_check(FAULT_WRITE) ? (errno = ENOSPC, true)
                                 : renameat2(AT_FDCWD, tree->work, AT_FDCWD, tree->path, flags))
        return status_new_errno(errno, "could not %s folder \"%s\"",
                                tree->replaces ? "replace" : "make", tree->path);
    sync_above(tree);
    if (!tree->replaces)
        return STATUS_OK;
    return status_context(remove_all(tree->work),
                          "folder \"%s\" is the new one, but what was there is left", tree->path);
}

/* Puts all files and folders on the storage by one call. Each by itself would wait for the storage once for each: of
 * 1,500 files seconds. What others have written on the file system goes with it. */
static status sync_all(const new_tree *tree)
{
    int folder = open(tree->work, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int failed = folder < 0 || syncfs(folder) ? errno : 0;
    if (folder >= 0)
        close(folder);
    return failed ? status_new_errno(failed, "could not sync folder \"%s\"", tree->path)
                  : STATUS_OK;
}

status new_tree_publish(new_tree *tree)
{
    status st = tree->work ? sync_all(tree) : STATUS_OK;
    if (!st && tree->work)
        st = take_name(tree);
    if (st)
        new_tree_abort(tree);
    else
        tree_free(tree);
    return st;
}

void new_tree_abort(new_tree *tree)
{
    if (!tree)
        return;
    if (tree->work)
        status_free(remove_all(tree->work));
    if (tree->path)
        drop_folders(tree->path, name_above(tree->path, strlen(tree->path)), tree->made);
    tree_free(tree);
}
