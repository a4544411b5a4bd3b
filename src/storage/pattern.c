/* pattern.c - a pattern is matched part by part, along the folders that fit so far. */
#include "storage/pattern.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/stat.h>

typedef struct matching {
    arena *memory;
    ARRAY(char *) parts; /* of the pattern, between slashes */
    path_list *found;
} matching;

bool file_name_is_hidden(const char *name)
{
    return name[0] == '.' || (name[0] == '_' && !strchr(name, '='));
}

static bool is_any_folders(const char *part)
{
    return !strcmp(part, "**");
}

bool file_name_is_parquet(const char *name)
{
    size_t bytes = strlen(name);
    return bytes > 8 && !strcasecmp(name + bytes - 8, ".parquet");
}

bool file_name_has_wildcard(const char *name, size_t bytes)
{
    return strcspn(name, "*?[") < bytes;
}

static bool part_matches(const char *part, const char *name)
{
    if (!strcmp(name, ".") || !strcmp(name, "..") ||
        (file_name_is_hidden(name) && part[0] != name[0]))
        return false;
    return is_any_folders(part) ? file_name_is_parquet(name) : !fnmatch(part, name, 0);
}

static int compare_names(const struct dirent **left, const struct dirent **right)
{
    return strcmp((*left)->d_name, (*right)->d_name);
}

/* "" is the folder that we are in. */
static char *join(const matching *m, const char *folder, const char *name)
{
    size_t bytes = strlen(folder);
    return arena_format(m->memory, "%s%s%s", folder, bytes && folder[bytes - 1] != '/' ? "/" : "",
                        name);
}

static bool is_linked(const char *path)
{
    struct stat info;
    return lstat(path, &info) || S_ISLNK(info.st_mode);
}

static status match(const matching *m, const char *folder, size_t part);

/* What lies in the folder by that name, seen from parts[part], which may be any folders. */
static status match_entry(const matching *m, const char *folder, size_t part,
                          const struct dirent *entry)
{
    const char *name = entry->d_name, *pattern = m->parts.items[part];
    bool is_last = part + 1 == m->parts.count, is_deep = is_any_folders(pattern);
    bool fits = is_deep ? is_last && part_matches(pattern, name) : part_matches(pattern, name);
    if (!fits && (!is_deep || file_name_is_hidden(name)))
        return STATUS_OK;
    char *path = join(m, folder, name);
    if (!path)
        return status_no_memory("path", strlen(name));
    if (!file_entry_is_folder(entry, path))
        return fits && is_last ? array_push(m->memory, m->found, path) : STATUS_OK;
    if (is_deep)
        return is_linked(path) ? STATUS_OK : match(m, path, part);
    return is_last ? STATUS_OK : match(m, path, part + 1);
}

static status match_entries(const matching *m, const char *folder, size_t part)
{
    struct dirent **entries;
    int count = scandir(*folder ? folder : ".", &entries, NULL, compare_names);
    if (count < 0 && (errno == ENOENT || errno == ENOTDIR))
        return STATUS_OK;
    if (count < 0)
        return status_new_errno(errno, "could not read folder \"%s\"", folder);
    status st = STATUS_OK;
    for (int i = 0; i < count; i++) {
        if (!st)
            st = match_entry(m, folder, part, entries[i]);
        (free)(entries[i]);
    }
    (free)(entries);
    return st;
}

static status match_plain(const matching *m, const char *folder, size_t part)
{
    struct stat info;
    char *path = join(m, folder, m->parts.items[part]);
    if (!path)
        return status_no_memory("path", strlen(folder));
    if (part + 1 < m->parts.count)
        return match(m, path, part + 1);
    if (stat(path, &info) || S_ISDIR(info.st_mode))
        return STATUS_OK;
    return array_push(m->memory, m->found, path);
}

/* Returns whether the part is the name of something in the folder that it would not match as a pattern: "D[x]". */
static status is_exact(const matching *m, const char *folder, const char *part, bool *out)
{
    struct stat info;
    *out = false;
    if (!fnmatch(part, part, 0))
        return STATUS_OK;
    char *path = join(m, folder, part);
    *out = path && !lstat(path, &info);
    return path ? STATUS_OK : status_no_memory("path", strlen(part));
}

/* Files below the folder that parts[part] and those behind it match. */
static status match(const matching *m, const char *folder, size_t part)
{
    const char *pattern = m->parts.items[part];
    bool is_plain = !file_name_has_wildcard(pattern, strlen(pattern));
    if (!is_plain)
        TRY(is_exact(m, folder, pattern, &is_plain));
    if (is_plain)
        return match_plain(m, folder, part);
    if (is_any_folders(pattern) && part + 1 < m->parts.count)
        TRY(match(m, folder, part + 1));
    return match_entries(m, folder, part);
}

/* Several ** that follow one another are one. */
static status split(matching *m, const char *pattern)
{
    while (*pattern) {
        size_t bytes = strcspn(pattern, "/");
        char *part = arena_copy_text(m->memory, pattern, bytes);
        if (!part)
            return status_no_memory("path", bytes);
        bool is_again = m->parts.count && is_any_folders(part) &&
                        is_any_folders(m->parts.items[m->parts.count - 1]);
        if (bytes && !is_again)
            TRY(array_push(m->memory, &m->parts, part));
        pattern += bytes + (pattern[bytes] == '/');
    }
    return STATUS_OK;
}

static int compare_paths(const void *left, const void *right)
{
    return strcmp(*(char *const *)left, *(char *const *)right);
}

/* Two ** may reach a file in several ways. */
static void sort_once(path_list *list)
{
    size_t kept = 0;
    if (list->count)
        qsort(list->items, list->count, sizeof *list->items, compare_paths);
    for (size_t i = 0; i < list->count; i++)
        if (!kept || strcmp(list->items[i], list->items[kept - 1]) != 0)
            list->items[kept++] = list->items[i];
    list->count = kept;
}

status file_match(arena *a, const char *pattern, path_list *out)
{
    matching m = {.memory = a, .found = out};
    out->count = 0;
    TRY(split(&m, pattern));
    if (m.parts.count)
        TRY(match(&m, *pattern == '/' ? "/" : "", 0));
    sort_once(out);
    return STATUS_OK;
}
