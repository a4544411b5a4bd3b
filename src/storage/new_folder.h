/* new_folder.h - a folder that appears under its name when all its files are whole, or not at all.
 *
 * Several processes, or threads, may make one together: each writes a file of its own, then, when all are known
 * to be done, each publishes it, which the first one does for all. Until then it is called
 * "<path>.<number>.tmp", by a number that they share; what a process that is killed leaves is that. They come and
 * go as they like: who gives up takes the folder away only if no other has a file in it, and who comes later
 * makes it again. */
#ifndef PISTACHIO_STORAGE_NEW_FOLDER_H
#define PISTACHIO_STORAGE_NEW_FOLDER_H

#include "base/status.h"

#include <stdint.h>

typedef struct new_folder new_folder;

/* This process's file in it is called `name`, which it has from now on, empty. An error if something has the
 * folder's name that is not an empty folder, or the folder above is not there. */
CHECKED status new_folder_open(const char *path, uint64_t number, const char *name,
                               new_folder **out);
/* Returns where that file is to be written; valid until the folder is freed. */
const char *new_folder_file(const new_folder *f);

/* Publish and abort free it. publish: all files are whole: the folder has its name then; abort: this process's file
 * goes, and the folder with the last one. Takes NULL. */
CHECKED status new_folder_publish(new_folder *f);
void new_folder_abort(new_folder *f);

#endif
