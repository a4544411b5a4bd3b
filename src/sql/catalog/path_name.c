/* path_name.c - see path_name.h. */
#include "sql/catalog/path_name.h"

#include "lake/lake.h"
#include "parquet/table/table.h"
#include "storage/pattern.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <strings.h>
#include <unistd.h>

/* ---- names ---- */

/* Returns whether the last part of the first `end` bytes, from `start` on, is a pattern and not a name. */
static status is_pattern(arena *a, const char *path, size_t start, size_t end, bool *out)
{
    *out = false;
    if (!file_name_has_wildcard(path + start, end - start))
        return STATUS_OK;
    char *whole = arena_copy_text(a, path, end);
    *out = whole && !file_exists(whole);
    return whole ? STATUS_OK : status_no_memory("catalog", end);
}

/* Names the table of a pattern without a folder: "s*.parquet" is s, "*.parquet" is called after the folder that it is in. */
static status name_of_pattern(arena *a, const char *text, const char **out)
{
    char here[PATH_MAX];
    size_t letters = strcspn(text, "*?[");
    while (letters && strchr("-_.", text[letters - 1]))
        letters--;
    if (!letters && getcwd(here, sizeof here)) {
        text = strrchr(here, '/') + 1;
        letters = strlen(text);
    }
    *out = arena_copy_text(a, text, letters);
    return *out ? STATUS_OK : status_no_memory("catalog", letters);
}

status sql_path_name(arena *a, const char *text, const char **out)
{
    const char *path = pq_table_spec_path(text);
    size_t end = strlen(path);
    for (;;) {
        while (end > 1 && path[end - 1] == '/')
            end--;
        size_t start = end;
        while (start > 0 && path[start - 1] != '/')
            start--;
        size_t bytes = end - start;
        bool goes_up;
        TRY(is_pattern(a, path, start, end, &goes_up));
        if (goes_up && start > 0) {
            end = start;
            continue;
        }
        if (goes_up)
            return name_of_pattern(a, path, out);
        if (bytes > 8 && !strncasecmp(path + end - 8, ".parquet", 8))
            bytes -= 8;
        *out = arena_copy_text(a, path + start, bytes);
        return *out ? STATUS_OK : status_no_memory("catalog", bytes);
    }
}

/* ---- folders ---- */

bool sql_is_parquet_name(const char *name)
{
    return name[0] != '.' && file_name_is_parquet(name);
}

/* Folders below a folder whose name is a pair that are looked through for a file, at most. */
#define PAIRS_DEPTH_MAX 8

bool sql_is_pair(const char *name)
{
    return pq_hive_pair(name, strlen(name)) != NULL;
}

static bool holds_parquet(const char *path, unsigned depth)
{
    DIR *folder = opendir(path);
    bool holds = false;
    for (struct dirent *item; folder && !holds && (item = readdir(folder));) {
        char inner[PATH_MAX];
        holds = sql_is_parquet_name(item->d_name);
        if (!holds && depth && sql_is_pair(item->d_name) &&
            snprintf(inner, sizeof inner, "%s/%s", path, item->d_name) < (int)sizeof inner)
            holds = holds_parquet(inner, depth - 1);
    }
    if (folder)
        closedir(folder);
    return holds;
}

bool sql_is_table_folder(const char *path)
{
    return holds_parquet(path, PAIRS_DEPTH_MAX) || lake_kind_of_folder(path);
}
