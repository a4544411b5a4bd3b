/* new_file.h - a file that appears under its name when it is whole, or not at all.
 *
 * It is written without a name, so that a process that is killed leaves nothing behind, and gets
 * its name, in place of what had it before, once all its bytes are safe. (To replace a file it has
 * another name for a moment: take_name in new_file.c.) */
#ifndef PISTACHIO_STORAGE_NEW_FILE_H
#define PISTACHIO_STORAGE_NEW_FILE_H

#include "base/mem.h"

#include <stdio.h>

typedef struct new_file new_file;

/* An error if something has the name that is not a regular file. Of a symbolic link to a file, that
 * file is what will be replaced. Of a URL, the object (object_store.h). */
CHECKED status new_file_open(const char *path, new_file **out);
/* Opens as on file systems that know only files with names: it is called "<path>.<process>.<number>.tmp" meanwhile.
 * For tests. */
CHECKED status new_file_open_named(const char *path, new_file **out);
/* One that gets no name, in the folder: to publish it takes no name and syncs nothing. The descriptor
 * is the caller's, by which it can be read when it is whole. */
CHECKED status new_file_open_temporary(const char *folder, new_file **out, int *out_descriptor);
/* One without a place of its own: its bytes go to the stream, which stays the caller's, and is flushed when the file is published. */
CHECKED status new_file_open_stream(FILE *stream, new_file **out);
/* To publish it does not wait until it is on the storage: that is left to who publishes the folder that it is in. */
void new_file_sync_later(new_file *f);
/* Adds to its end. One thread at a time. */
CHECKED status new_file_write(new_file *f, const void *data, uint64_t bytes);
uint64_t new_file_bytes(const new_file *f); /* written so far */
/* A stream that adds to its end, for the caller to close before the file is published. */
CHECKED status new_file_stream(new_file *f, FILE **out);
/* Returns why a write of the stream failed, for the caller to free; told once, else NULL. */
CHECKED status new_file_failure(new_file *f);

/* Publish and abort free it. publish: it is on the storage and has its name, or fails and leaves what was there;
 * abort leaves it too and takes NULL. */
CHECKED status new_file_publish(new_file *f);
void new_file_abort(new_file *f);

#endif
