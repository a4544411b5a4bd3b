/* new_folder.h - a folder that appears under its name when all its files are whole, or not at all.
 *
 * Several processes may make one together: each writes files of its own, then, when all are known to be
 * done, each publishes it, which the first one does for all. Until then it is called
 * "<path>.<number>.tmp", by a number that they share; what a process that is killed leaves is that. */
#ifndef PISTACHIO_STORAGE_NEW_FOLDER_H
#define PISTACHIO_STORAGE_NEW_FOLDER_H

#include "base/status.h"

#include <stdint.h>

typedef struct new_folder new_folder;

/* An error if something has the name that is not an empty folder, or the folder above is not there. */
CHECKED status new_folder_open(const char *path, uint64_t number, new_folder **out);
/* Where this process's file is to be written, of that name; *out is the caller's (mem_free). */
CHECKED status new_folder_file(const new_folder *f, const char *name, char **out);

/* Both free it. publish: all files are whole, of which this process has made `name`: the folder has its
 * name then; abort: that file goes, and the folder with the last one. Takes NULL. */
CHECKED status new_folder_publish(new_folder *f, const char *name);
void new_folder_abort(new_folder *f, const char *name);

#endif
