/* file.h - files to read: opened once, read at offsets by any thread; names found by pattern. */
#ifndef PISTACHIO_STORAGE_FILE_H
#define PISTACHIO_STORAGE_FILE_H

#include "base/mem.h"

/* Which bytes a path means: a file, and when they were written. Whoever writes to a file changes
 * one of these, unless within the resolution of the file system's clock. */
typedef struct file_version {
    uint64_t device, inode, bytes;
    int64_t modified; /* nanoseconds since 1970 */
} file_version;

/* A bit of `device` that says: an object store (object_store.h). Then the rest of it stands for the store, `inode` for
 * the object's name and `modified` for its ETag, or what the store has in place of it. */
#define FILE_DEVICE_IS_STORE (UINT64_C(1) << 63)

bool file_version_equal(const file_version *a, const file_version *b);

typedef struct file {
    char *path;            /* of a web server without the query, which may be a signature */
    int descriptor;        /* -1: it is an object, or elsewhere */
    struct object *object; /* object_store.h; NULL: it is a file, or elsewhere */
    /* For reads past the page cache; opened when first needed. */
    _Atomic int direct_descriptor;
    uint64_t bytes;       /* when it was opened, */
    file_version version; /* as is this */
} file;

/* About so many files will be open at once. Where threads open them, the system grows its table of
 * descriptors in steps of a few milliseconds each: this makes it one. */
void file_expect(size_t count);
CHECKED status file_open(const char *path, file **out);
/* One of another machine, of which only path and length are known: reads of it fail. */
CHECKED status file_open_elsewhere(const char *path, uint64_t bytes, file **out);
bool file_is_here(const file *f);
void file_close(file *f); /* takes NULL */
/* All of the bytes, or a failure that names file and offset. Any thread. */
CHECKED status file_read(const file *f, uint64_t offset, void *target, size_t bytes);

/* The bytes will be read soon, by file_read: the system may begin. Does not wait. Any thread. */
void file_expect_read(const file *f, uint64_t offset, uint64_t bytes);

/* The version that the open file, or the file of that name, has now. False: it cannot be told. */
bool file_version_now(const file *f, file_version *out);
bool file_version_of_path(const char *path, file_version *out);
/* Somebody has written to the file since it was opened. One that was replaced by another of its
 * name has not changed. */
bool file_has_changed(const file *f);
/* Returns whether the open file has the version that it was opened with, and that version is of no other bytes: it was not
 * written so shortly before that its time might be the same after one more change. */
bool file_is_settled(const file *f);

/* A descriptor for reads past the page cache, the file's; -1: its file system has none. Any thread.
 */
int file_direct_descriptor(const file *f);

typedef ARRAY(char *) path_list;
/* The files that `path` means, sorted: a file, a folder: its *.parquet, and those of its sub-folders, but
 * hidden ones; or, if nothing has exactly that name, a pattern (pattern.h). A path may be a URL (object_store.h).
 * Text in the arena. None: an error. */
CHECKED status file_expand(arena *a, const char *path, path_list *out);
bool file_is_folder(const char *path);
/* Returns whether something has exactly this name, be it a link to nothing. */
bool file_exists(const char *path);
/* Returns whether an entry that was read of a folder is a folder, without a look at it if the file system has told. */
struct dirent;
bool file_entry_is_folder(const struct dirent *entry, const char *path);

/* A new file in the folder, to be read and written, without a name from the moment it exists: nothing
 * is left of it however the process ends. The descriptor is the caller's; -1: errno tells why not. */
int file_make_unnamed(const char *directory);

#endif
