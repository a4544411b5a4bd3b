/* delta_log.c - lists a log, chooses a checkpoint and the versions after it, refuses gaps. */
#include "lake/delta/delta_log.h"

#include "lake/log/lake_text.h"

#include <stdlib.h>

typedef enum log_kind { LOG_OTHER, LOG_COMMIT, LOG_CHECKPOINT } log_kind;

/* A file of the log, by its name. */
typedef struct log_file {
    log_kind kind;
    const char *path;
    int64_t version;
    uint32_t part, parts; /* of a checkpoint in several files; else 1 of 1 */
} log_file;

typedef ARRAY(log_file) log_files;

/* ---- names ---- */

static bool read_digits(const char **text, unsigned count, uint64_t *out)
{
    *out = 0;
    for (unsigned i = 0; i < count; i++, (*text)++) {
        if (**text < '0' || **text > '9')
            return false;
        *out = *out * 10 + (uint64_t)(**text - '0');
    }
    return true;
}

static bool ends_with(const char *text, const char *end)
{
    size_t bytes = strlen(text), tail = strlen(end);
    return bytes >= tail && !strcmp(text + bytes - tail, end);
}

/* 20 digits, then .json, .checkpoint.parquet, .checkpoint.PART.PARTS.parquet or .checkpoint.ID.(json|parquet). */
static log_file log_file_of(const char *path)
{
    static const char checkpoint[] = ".checkpoint.";
    log_file f = {.path = path, .part = 1, .parts = 1};
    const char *rest = lake_name_of(path);
    uint64_t version, part, parts;
    if (!read_digits(&rest, 20, &version) || version > INT64_MAX)
        return f;
    f.version = (int64_t)version;
    if (!strcmp(rest, ".json")) {
        f.kind = LOG_COMMIT;
    } else if (!strncmp(rest, checkpoint, sizeof checkpoint - 1) &&
               (ends_with(rest, ".parquet") || ends_with(rest, ".json"))) {
        f.kind = LOG_CHECKPOINT;
        rest += sizeof checkpoint - 1;
        if (read_digits(&rest, 10, &part) && *rest++ == '.' && read_digits(&rest, 10, &parts) &&
            !strcmp(rest, ".parquet")) {
            f.part = (uint32_t)part;
            f.parts = (uint32_t)parts;
        }
    }
    return f;
}

static status list_log(delta_state *s, log_files *out)
{
    path_list paths;
    const char *folder = arena_format(s->memory, "%s/_delta_log", s->root);
    if (!folder)
        return status_no_memory("lake", strlen(s->root));
    TRY(lake_list(s->memory, folder, "*", &paths));
    for (size_t i = 0; i < paths.count; i++) {
        const log_file f = log_file_of(paths.items[i]);
        if (f.kind)
            TRY(array_push(s->memory, out, f));
    }
    if (out->count)
        return STATUS_OK;
    return status_hint(status_new(STATUS_KIND_NOT_FOUND, "\"%s\" has no Delta log", s->root),
                       "a Delta table is a folder that has a folder _delta_log of JSON files");
}

/* ---- the version that is asked for ---- */

static int64_t last_version(const log_files *files)
{
    int64_t last = -1;
    for (size_t i = 0; i < files->count; i++)
        last = files->items[i].version > last ? files->items[i].version : last;
    return last;
}

/* Returns when the commit was made, in microseconds since 1970: as its commitInfo says, else as its file does. */
static status commit_time(delta_state *s, const log_file *commit, int64_t *out)
{
    char *text;
    size_t bytes, at = 0;
    file_version version = {0};
    int64_t milliseconds;
    TRY(lake_read(s->memory, commit->path, &text, &bytes));
    while (at < bytes) {
        yyjson_val *action;
        TRY(lake_json(s->memory, commit->path, text, bytes, &at, &action));
        yyjson_val *info = yyjson_obj_get(action, "commitInfo");
        if (lake_json_int(info, "inCommitTimestamp", &milliseconds)) {
            *out = milliseconds * 1000;
            return STATUS_OK;
        }
    }
    *out = file_version_of_path(commit->path, &version) ? version.modified / 1000 : 0;
    return STATUS_OK;
}

/* The last commit that was made at the time or before. */
static status version_of_time(delta_state *s, const log_files *files, const lake_request *request,
                              int64_t *out)
{
    *out = -1;
    for (size_t i = 0; i < files->count; i++) {
        int64_t time;
        if (files->items[i].kind != LOG_COMMIT)
            continue;
        TRY(commit_time(s, &files->items[i], &time));
        if (time <= request->time && files->items[i].version > *out)
            *out = files->items[i].version;
    }
    if (*out >= 0)
        return STATUS_OK;
    return status_hint(
        status_new(STATUS_KIND_NOT_FOUND,
                   "the log of Delta table \"%s\" has no version of that time or before", s->name),
        "the files of its log say when versions were made");
}

static status choose_version(delta_state *s, const log_files *files, const lake_request *request)
{
    s->version = last_version(files);
    if (request->has_time)
        return version_of_time(s, files, request, &s->version);
    if (!request->has_version)
        return STATUS_OK;
    if (request->version < 0 || request->version > s->version)
        return status_new(STATUS_KIND_NOT_FOUND,
                          "Delta table \"%s\" has no version %lld; its last one is %lld", s->name,
                          (long long)request->version, (long long)s->version);
    s->version = request->version;
    return STATUS_OK;
}

/* ---- checkpoints ---- */

/* The other files of a checkpoint in parts are there. */
static bool is_whole(const log_files *files, const log_file *first)
{
    uint32_t there = 0;
    for (size_t i = 0; i < files->count; i++) {
        const log_file *f = &files->items[i];
        there += f->kind == LOG_CHECKPOINT && f->version == first->version &&
                 f->parts == first->parts && f->part >= 1 && f->part <= f->parts;
    }
    return first->parts == 1 ? there > 0 : there == first->parts;
}

/* The newest checkpoint up to the version; NULL: there is none. */
static const log_file *choose_checkpoint(const delta_state *s, const log_files *files)
{
    const log_file *best = NULL;
    for (size_t i = 0; i < files->count; i++) {
        const log_file *f = &files->items[i];
        if (f->kind == LOG_CHECKPOINT && f->version <= s->version &&
            (!best || f->version > best->version) && is_whole(files, f))
            best = f;
    }
    return best;
}

static status read_checkpoint_file(delta_state *s, const char *path)
{
    return ends_with(path, ".json") ? delta_read_actions(s, path) : delta_read_checkpoint(s, path);
}

static status read_sidecars(delta_state *s)
{
    for (size_t i = 0; i < s->sidecars.count; i++) {
        const char *name = s->sidecars.items[i];
        const char *path = strchr(name, '/') ? lake_path(s->memory, s->root, name, true)
                                             : arena_format(s->memory, "%s/_delta_log/_sidecars/%s",
                                                            s->root, name);
        if (!path)
            return status_no_memory("lake", strlen(name));
        TRY(delta_read_checkpoint(s, path));
    }
    s->sidecars.count = 0;
    return STATUS_OK;
}

static status read_checkpoint(delta_state *s, const log_files *files, const log_file *chosen)
{
    for (size_t i = 0; i < files->count; i++) {
        const log_file *f = &files->items[i];
        if (f->kind == LOG_CHECKPOINT && f->version == chosen->version &&
            (chosen->parts == 1 ? f == chosen : f->parts == chosen->parts))
            TRY(read_checkpoint_file(s, f->path));
    }
    return read_sidecars(s);
}

/* ---- commits ---- */

static int delta_log_compare_versions(const void *left, const void *right)
{
    const log_file *a = left, *b = right;
    return (a->version > b->version) - (a->version < b->version);
}

static status missing_version(const delta_state *s, int64_t version)
{
    return status_hint(
        status_new(STATUS_KIND_CORRUPT,
                   "the log of Delta table \"%s\" has no version %lld, which version %lld is made "
                   "from",
                   s->name, (long long)version, (long long)s->version),
        "files of the log were removed, and no checkpoint has what they said");
}

static status read_commits(delta_state *s, log_files *files, int64_t after)
{
    int64_t next = after + 1;
    qsort(files->items, files->count, sizeof *files->items, delta_log_compare_versions);
    for (size_t i = 0; i < files->count; i++) {
        const log_file *f = &files->items[i];
        if (f->kind != LOG_COMMIT || f->version <= after || f->version > s->version)
            continue;
        if (f->version != next)
            return missing_version(s, next);
        TRY(delta_read_actions(s, f->path));
        next++;
    }
    return next == s->version + 1 ? STATUS_OK : missing_version(s, next);
}

status delta_log_read(delta_state *s, const lake_request *request)
{
    log_files files = {0};
    TRY(list_log(s, &files));
    TRY(choose_version(s, &files, request));
    const log_file *checkpoint = choose_checkpoint(s, &files);
    int64_t after = checkpoint ? checkpoint->version : -1;
    if (checkpoint)
        TRY(read_checkpoint(s, &files, checkpoint));
    TRY(read_commits(s, &files, after));
    if (!s->schema)
        return status_new(STATUS_KIND_CORRUPT,
                          "the log of Delta table \"%s\" has no metaData up to version %lld",
                          s->name, (long long)s->version);
    return delta_check_protocol(s);
}
