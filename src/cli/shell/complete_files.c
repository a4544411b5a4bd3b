/* complete_files.c - files and folders of a path that is being typed. */
#include "cli/shell/complete.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define PATH_BYTES 4096

/* Adds an entry of a folder. folder: as it was typed, with its slash, or empty. */
static void add_file_entry(complete_list *list, const complete_place *place, const char *folder,
                           const char *name)
{
    char path[PATH_BYTES];
    struct stat info;
    int bytes = snprintf(path, sizeof path, "%s%s", folder, name);
    if (bytes < 0 || bytes + 1 >= (int)sizeof path || stat(path, &info))
        return;
    if (S_ISDIR(info.st_mode)) {
        path[bytes++] = '/';
        path[bytes] = 0;
    }
    if (!strncmp(path, place->start, place->bytes)) /* names of files have their case */
        complete_add(list, place, path, (size_t)bytes);
}

void complete_add_files(complete_list *list, const complete_place *place)
{
    char folder[PATH_BYTES];
    size_t bytes = place->bytes;
    while (bytes && place->start[bytes - 1] != '/')
        bytes--;
    if (bytes >= sizeof folder)
        return;
    memcpy(folder, place->start, bytes);
    folder[bytes] = 0;
    bool is_hidden = place->bytes > bytes && place->start[bytes] == '.';
    DIR *entries = opendir(bytes ? folder : ".");
    const struct dirent *entry;
    while (entries && (entry = readdir(entries)))
        if (entry->d_name[0] != '.' ||
            (is_hidden && strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0))
            add_file_entry(list, place, folder, entry->d_name);
    if (entries)
        closedir(entries);
}
