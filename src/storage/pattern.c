/* pattern.c - a pattern is matched along the folders that fit so far, with all of its parts that may come next. */
#include "storage/pattern.h"

#include "base/system/guard.h"

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
static char *pattern_join(const matching *m, const char *folder, const char *name)
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

/* Parts of the pattern, by number: those that what lies in a folder is matched with. */
typedef struct part_set {
    bool *has;
    bool is_empty;
} part_set;

static status new_set(const matching *m, part_set *out)
{
    out->is_empty = true;
    out->has = arena_alloc_array(m->memory, m->parts.count, sizeof *out->has);
    return out->has ? STATUS_OK : status_no_memory("path", m->parts.count);
}

static void add_part(part_set *set, size_t part)
{
    set->has[part] = true;
    set->is_empty = false;
}

static bool is_last(const matching *m, size_t part)
{
    return part + 1 == m->parts.count;
}

/* A folder, and what the parts are in it. */
typedef struct visit {
    const char *folder;
    part_set *parts;
    bool *is_plain; /* a name, which is not matched as a pattern */
    bool *is_met;   /* a name that was found in the folder's list */
} visit;

static status match(const matching *m, const char *folder, part_set *parts);

/* An entry of a folder, and what the parts make of it. */
typedef struct found_entry {
    const char *name;
    char *path; /* NULL: not needed so far */
    bool is_folder;
    bool is_match; /* of the whole pattern */
    part_set below;
} found_entry;

static status look(const matching *m, const char *folder, const struct dirent *entry,
                   found_entry *e)
{
    if (e->path)
        return STATUS_OK;
    e->path = pattern_join(m, folder, e->name);
    if (!e->path)
        return status_no_memory("path", strlen(e->name));
    e->is_folder = file_entry_is_folder(entry, e->path);
    return new_set(m, &e->below);
}

static status match_part(const matching *m, const visit *v, size_t part, const struct dirent *entry,
                         found_entry *e)
{
    const char *pattern = m->parts.items[part];
    bool is_deep = is_any_folders(pattern), last = is_last(m, part);
    bool fits = v->is_plain[part] ? !strcmp(pattern, e->name)
                                  : (last || !is_deep) && part_matches(pattern, e->name);
    if (!fits && (!is_deep || file_name_is_hidden(e->name)))
        return STATUS_OK;
    TRY(look(m, v->folder, entry, e));
    if (!e->is_folder)
        e->is_match |= fits && last;
    else if (is_deep && !is_linked(e->path))
        add_part(&e->below, part);
    else if (!is_deep && !last)
        add_part(&e->below, part + 1);
    return STATUS_OK;
}

/* Entries of the folder by their names. */
static status match_entry(const matching *m, const visit *v, const struct dirent *entry)
{
    found_entry e = {.name = entry->d_name};
    if (!strcmp(e.name, ".") || !strcmp(e.name, ".."))
        return STATUS_OK;
    for (size_t i = 0; i < m->parts.count; i++) {
        if (!v->parts->has[i])
            continue;
        TRY(match_part(m, v, i, entry, &e));
        v->is_met[i] |= v->is_plain[i] && !strcmp(m->parts.items[i], e.name);
    }
    if (e.is_match)
        return array_push(m->memory, m->found, e.path);
    return e.path && !e.below.is_empty ? match(m, e.path, &e.below) : STATUS_OK;
}

static status match_entries(const matching *m, const visit *v)
{
    const char *folder = v->folder;
    struct dirent **entries;
    int count = scandir(*folder ? folder : ".", &entries, NULL, compare_names);
    if (count < 0 && (errno == ENOENT || errno == ENOTDIR))
        return STATUS_OK;
    if (count < 0)
        return status_new_errno(errno, "could not read folder \"%s\"", folder);
    status st = STATUS_OK;
    for (int i = 0; i < count; i++) {
        if (!st)
            st = match_entry(m, v, entries[i]);
        (free)(entries[i]);
    }
    (free)(entries);
    return st;
}

/* A name without * ? [ is not looked for in the folder's list: it may be hidden, or "..". */
static status match_plain(const matching *m, const char *folder, size_t part)
{
    struct stat info;
    part_set next;
    char *path = pattern_join(m, folder, m->parts.items[part]);
    if (!path)
        return status_no_memory("path", strlen(folder));
    if (is_last(m, part))
        return stat(path, &info) || S_ISDIR(info.st_mode) ? STATUS_OK
                                                          : array_push(m->memory, m->found, path);
    TRY(new_set(m, &next));
    add_part(&next, part + 1);
    return match(m, path, &next);
}

/* Returns whether the part is the name of something in the folder that it would not match as a pattern: "D[x]". */
static status is_literal_name(const matching *m, const char *folder, const char *part, bool *out)
{
    struct stat info;
    *out = false;
    if (!fnmatch(part, part, 0))
        return STATUS_OK;
    char *path = pattern_join(m, folder, part);
    *out = path && !lstat(path, &info);
    return path ? STATUS_OK : status_no_memory("path", strlen(part));
}

/* Sets which of the parts are names in the folder. */
static status find_plain(const matching *m, visit *v, bool *out_all)
{
    *out_all = true;
    for (size_t i = 0; i < m->parts.count; i++) {
        const char *part = m->parts.items[i];
        if (!v->parts->has[i])
            continue;
        if (is_any_folders(part) && !is_last(m, i))
            add_part(v->parts, i + 1);
        v->is_plain[i] = !file_name_has_wildcard(part, strlen(part));
        if (!v->is_plain[i])
            TRY(is_literal_name(m, v->folder, part, &v->is_plain[i]));
        *out_all &= v->is_plain[i];
    }
    return STATUS_OK;
}

/* Finds the files below a folder that the parts match, and those behind them. A folder is read once for all parts:
 * with several ** it can be reached in as many ways as there are combinations of folders above it. */
static status match(const matching *m, const char *folder, part_set *parts)
{
    visit v = {folder, parts, arena_alloc_array(m->memory, m->parts.count, sizeof(bool)),
               arena_alloc_array(m->memory, m->parts.count, sizeof(bool))};
    bool are_all_plain;
    TRY(guard_check());
    if (!v.is_plain || !v.is_met)
        return status_no_memory("path", m->parts.count);
    TRY(find_plain(m, &v, &are_all_plain));
    if (!are_all_plain)
        TRY(match_entries(m, &v));
    for (size_t i = 0; i < m->parts.count; i++)
        if (parts->has[i] && v.is_plain[i] && !v.is_met[i])
            TRY(match_plain(m, folder, i));
    return STATUS_OK;
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

static int pattern_compare_paths(const void *left, const void *right)
{
    return strcmp(*(char *const *)left, *(char *const *)right);
}

/* With ".." a file may be reached in several ways. */
static void sort_once(path_list *list)
{
    size_t kept = 0;
    if (list->count)
        qsort(list->items, list->count, sizeof *list->items, pattern_compare_paths);
    for (size_t i = 0; i < list->count; i++)
        if (!kept || strcmp(list->items[i], list->items[kept - 1]) != 0)
            list->items[kept++] = list->items[i];
    list->count = kept;
}

status file_match(arena *a, const char *pattern, path_list *out)
{
    matching m = {.memory = a, .found = out};
    part_set first;
    out->count = 0;
    TRY(split(&m, pattern));
    TRY(new_set(&m, &first));
    if (m.parts.count) {
        add_part(&first, 0);
        TRY(match(&m, *pattern == '/' ? "/" : "", &first));
    }
    sort_once(out);
    return STATUS_OK;
}

/* ---- names that somebody else lists ---- */

struct file_pattern {
    matching parts;
};

status file_pattern_new(arena *a, const char *pattern, const file_pattern **out)
{
    file_pattern *made = arena_alloc(a, sizeof *made);
    if (!made)
        return status_no_memory("path", sizeof *made);
    made->parts.memory = a;
    *out = made;
    TRY(split(&made->parts, pattern));
    return made->parts.parts.count <= FILE_PATTERN_PARTS_MAX
               ? STATUS_OK
               : status_new(STATUS_KIND_INVALID, "pattern \"%s\" has more than %d parts", pattern,
                            FILE_PATTERN_PARTS_MAX);
}

/* Adds to a set of parts, of which the next name may be one, those that a ** may stand for no folder before. */
static uint64_t skip_any_folders(const matching *m, uint64_t parts)
{
    for (size_t i = 0; i + 1 < m->parts.count; i++)
        if (parts >> i & 1 && is_any_folders(m->parts.items[i]))
            parts |= UINT64_C(2) << i;
    return parts;
}

/* Returns the parts that may come after a folder's name. */
static uint64_t follow_folder(const matching *m, uint64_t parts, const char *name)
{
    uint64_t next = 0;
    for (size_t i = 0; i < m->parts.count; i++) {
        const char *part = m->parts.items[i];
        if (!(parts >> i & 1))
            continue;
        if (is_any_folders(part))
            next |= file_name_is_hidden(name) ? 0 : UINT64_C(1) << i;
        else if (!strcmp(part, name) || part_matches(part, name))
            next |= UINT64_C(2) << i;
    }
    return next;
}

static bool may_end(const matching *m, uint64_t parts, const char *name)
{
    size_t last = m->parts.count - 1;
    const char *part = m->parts.items[last];
    return *name && parts >> last & 1 &&
           (part_matches(part, name) || (!is_any_folders(part) && !strcmp(part, name)));
}

bool file_pattern_matches(const file_pattern *pattern, const char *path)
{
    const matching *m = &pattern->parts;
    uint64_t parts = m->parts.count > 0;
    char name[256];
    while (parts) {
        size_t bytes = strcspn(path, "/");
        if (bytes >= sizeof name)
            return false;
        memcpy(name, path, bytes);
        name[bytes] = '\0';
        parts = skip_any_folders(m, parts);
        if (!path[bytes])
            return may_end(m, parts, name);
        parts = follow_folder(m, parts, name);
        path += bytes + 1;
    }
    return false;
}
