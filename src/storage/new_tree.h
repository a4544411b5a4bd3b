/* new_tree.h - a folder with folders in it, of whose files each appears when it is whole; one that was not there, or
 * takes the place of another, appears with all of them, or not at all.
 *
 * Until then it is called "<folder above>/.<name>.<process>.<number>.tmp": what begins with a point does not belong to a table, and what
 * a process that is killed leaves. Files of a folder that is there go into it one by one. */
#ifndef PISTACHIO_STORAGE_NEW_TREE_H
#define PISTACHIO_STORAGE_NEW_TREE_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>

typedef enum new_tree_use {
    NEW_TREE_ALONE,  /* the folder is not there, or empty */
    NEW_TREE_ADD,    /* what is there stays */
    NEW_TREE_REPLACE /* what is there goes, when all files are whole */
} new_tree_use;

typedef struct new_tree new_tree;

/* Makes the folders above it, too. */
CHECKED status new_tree_open(const char *path, new_tree_use use, new_tree **out);
/* Below which the files are to be written. */
const char *new_tree_root(const new_tree *tree);

/* Returns whether nobody sees the files before the tree is published: it sees then that they are on the storage, all
 * at once, which takes a fraction of what it takes file by file. */
bool new_tree_syncs(const new_tree *tree);

/* Makes the folders before path[bytes], which is a slash or the end, of a path below the root. */
CHECKED status new_tree_make_folders(const new_tree *tree, char *path, size_t bytes);
/* Removes the folders of the path that end there, or above below the root, as far up as they are empty. */
void new_tree_drop_folders(const new_tree *tree, char *path, size_t bytes);

/* Publish and abort free it. publish: all files are whole. abort: takes NULL; files that were finished in a folder
 * that was there stay, a folder that was to be made or replaced is left as it was. */
CHECKED status new_tree_publish(new_tree *tree);
void new_tree_abort(new_tree *tree);

#endif
