/* lake.c - which texts mean lakes, and who opens them. */
#include "lake/lake.h"

#include "lake/delta/delta.h"
#include "lake/iceberg/iceberg.h"
#include "lake/log/lake_text.h"
#include "parquet/table/table_given.h"
#include "storage/object_store.h"
#include "storage/pattern.h"

#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

/* A text that may be of a folder in a store: not of an object, of a pattern, or of a web server, which lists nothing. */
static bool may_be_store_folder(const char *path)
{
    return strncasecmp(path, "http", 4) != 0 && !file_name_is_parquet(path) &&
           !file_name_has_wildcard(path, strlen(path));
}

/* Finds out by listing what lies below. What a server refuses is said when it is read as files. */
static lake_kind lake_kind_of_url(const char *path)
{
    bool has_delta = false, has_metadata = false;
    if (!may_be_store_folder(path))
        return LAKE_NONE;
    status st = object_store_has_below(path, "_delta_log/", &has_delta);
    if (!st && !has_delta)
        st = object_store_has_below(path, "metadata/", &has_metadata);
    arena *scratch = NULL;
    path_list found = {0};
    const char *folder = NULL;
    if (!st && has_metadata && !(st = arena_new(&scratch)))
        folder = arena_format(scratch, "%s/metadata", path);
    if (folder)
        status_free(lake_list(scratch, folder, "*.metadata.json*", &found));
    arena_free(scratch);
    status_free(st);
    return has_delta ? LAKE_DELTA : found.count ? LAKE_ICEBERG : LAKE_NONE;
}

lake_kind lake_kind_of_folder(const char *path)
{
    char inner[4096];
    arena *scratch;
    path_list found = {0};
    if (object_store_has(path))
        return lake_kind_of_url(path);
    if (!file_is_folder(path) ||
        snprintf(inner, sizeof inner, "%s/_delta_log", path) >= (int)sizeof inner)
        return LAKE_NONE;
    if (file_is_folder(inner))
        return LAKE_DELTA;
    snprintf(inner, sizeof inner, "%s/metadata", path);
    if (!file_is_folder(inner) || arena_new(&scratch))
        return LAKE_NONE;
    status_free(lake_list(scratch, inner, "*.metadata.json*", &found));
    arena_free(scratch);
    return found.count ? LAKE_ICEBERG : LAKE_NONE;
}

static status refuse_option(const char *text)
{
    return status_hint(
        status_new(STATUS_KIND_INVALID, "a lake cannot be opened as \"%s\" says", text),
        "delta(version=3):path, iceberg(version=1234):path or "
        "delta(timestamp=2026-01-01 12:00:00):path");
}

/* Reads the text in parentheses: version=N or timestamp=T. */
static status parse_option(const char *text, const char *option, size_t bytes, lake_request *out)
{
    static const char version[] = "version=", time[] = "timestamp=";
    int128 number;
    if (bytes >= sizeof version && !strncmp(option, version, sizeof version - 1)) {
        out->has_version =
            int128_parse(option + sizeof version - 1, bytes - sizeof version + 1, &number) &&
            number >= INT64_MIN && number <= UINT64_MAX;
        out->version = out->has_version ? (int64_t)number : 0;
        return out->has_version ? STATUS_OK : refuse_option(text);
    }
    if (bytes >= sizeof time && !strncmp(option, time, sizeof time - 1))
        out->has_time =
            timestamp_parse(option + sizeof time - 1, bytes - sizeof time + 1, 6, true, &out->time);
    return out->has_time ? STATUS_OK : refuse_option(text);
}

static const char *without_slashes(arena *a, const char *path)
{
    size_t bytes = strlen(path);
    while (bytes > 1 && path[bytes - 1] == '/')
        bytes--;
    return arena_copy_text(a, path, bytes);
}

/* Reads what the text itself says; kind LAKE_NONE: it is a path alone. */
static status parse_words(const char *text, lake_request *out)
{
    static const struct {
        const char *name;
        lake_kind kind;
    } kinds[] = {{"delta", LAKE_DELTA}, {"iceberg", LAKE_ICEBERG}, {"rest", LAKE_REST}};
    *out = (lake_request){.path = text};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds && !out->kind; i++) {
        size_t bytes = strlen(kinds[i].name);
        if (strncmp(text, kinds[i].name, bytes) != 0 || (text[bytes] != ':' && text[bytes] != '('))
            continue;
        const char *rest = text + bytes;
        const char *end = *rest == '(' ? strstr(rest, "):") : rest;
        if (!end)
            continue;
        out->kind = kinds[i].kind;
        out->path = end + (*rest == '(' ? 2 : 1);
        if (*rest == '(')
            TRY(parse_option(text, rest + 1, (size_t)(end - rest - 1), out));
    }
    return STATUS_OK;
}

/* Makes a path that stands alone one of a folder of the kind. */
static status take_folder(arena *a, const char *text, lake_kind kind, lake_request *out)
{
    if (!out->kind)
        out->kind = kind;
    if (out->kind && out->path == text)
        out->path = pq_table_spec_path(text);
    out->path = without_slashes(a, out->path);
    return out->path ? STATUS_OK : status_no_memory("lake", strlen(text));
}

status lake_request_parse(arena *a, const char *text, lake_request *out)
{
    TRY(parse_words(text, out));
    lake_kind kind = LAKE_NONE;
    if (!out->kind)
        kind = lake_kind_of_folder(pq_table_spec_path(text));
    return take_folder(a, text, kind, out);
}

status lake_text_as_of(arena *a, const char *text, const char *state, const char **out)
{
    static const char *const names[] = {
        [LAKE_DELTA] = "delta", [LAKE_ICEBERG] = "iceberg", [LAKE_REST] = "rest"};
    lake_request request;
    *out = NULL;
    TRY(lake_request_parse(a, text, &request));
    if (!request.kind || request.has_version || request.has_time)
        return STATUS_OK;
    *out = arena_format(a, "%s%s:%s", names[request.kind], state, request.path);
    return *out ? STATUS_OK : status_no_memory("lake", strlen(text));
}

static void drop_keys(void *store)
{
    object_store_drop(*(uint32_t *)store);
}

/* Keeps the keys of the settings until the arena is freed. */
static status lake_keep_keys(arena *a, const settings *keys, uint32_t *out)
{
    uint32_t *kept = arena_alloc(a, sizeof *kept);
    if (!kept)
        return status_no_memory("lake", sizeof *kept);
    TRY(object_store_lend_of(keys, kept));
    *out = *kept;
    status st = arena_on_free(a, drop_keys, kept);
    if (st)
        object_store_drop(*kept);
    return st;
}

static status read_state(arena *memory, const lake_request *request, const settings *keys,
                         pq_given **out)
{
    uint32_t store = object_store_used(), before = store;
    if (keys)
        TRY(lake_keep_keys(memory, keys, &store));
    object_store_use(store);
    status st = request->kind == LAKE_DELTA ? delta_read(memory, request, out)
                                            : iceberg_read(memory, request, out);
    object_store_use(before);
    if (!st && keys)
        (*out)->store = store;
    return st;
}

/* keys: settings by whose keys the files are read; NULL: those of the thread. */
static status lake_make(const char *text, const lake_request *request, const settings *keys,
                        bool use_cache, pq_table **out)
{
    arena *memory;
    pq_given *given;
    TRY(arena_new(&memory));
    status st = read_state(memory, request, keys, &given);
    if (st) {
        arena_free(memory);
        return st;
    }
    return pq_table_new_given(memory, text, given, use_cache, out);
}

static bool lake_is_current(arena *a, const lake_request *request, const pq_table *before)
{
    if (!before || !before->given)
        return false;
    if (request->has_version)
        return true;
    return request->kind == LAKE_DELTA ? delta_is_current(a, request, before->given)
                                       : iceberg_is_current(a, request, before->given);
}

/* Returns what the table is that the text has meant last: a folder of a store is looked at once. */
static lake_kind kind_before(const pq_table *before)
{
    if (!before->given)
        return LAKE_NONE;
    return iceberg_metadata_path(before->given) ? LAKE_ICEBERG : LAKE_DELTA;
}

static status parse_again(arena *a, const char *text, const pq_table *before, lake_request *out)
{
    if (!before || !object_store_has(pq_table_spec_path(text)))
        return lake_request_parse(a, text, out);
    TRY(parse_words(text, out));
    return take_folder(a, text, kind_before(before), out);
}

status lake_open(const char *text, bool use_cache, pq_table *before, pq_table **out)
{
    arena *scratch;
    lake_request request;
    *out = NULL;
    TRY(arena_new(&scratch));
    status st = parse_again(scratch, text, before, &request);
    if (!st && request.kind == LAKE_REST)
        st = status_new(STATUS_KIND_NOT_FOUND, "\"%s\" is of a catalog that is not attached", text);
    else if (!st && request.kind) {
        if (lake_is_current(scratch, &request, before))
            *out = before;
        else
            st = lake_make(text, &request, NULL, use_cache, out);
    }
    arena_free(scratch);
    return st;
}

/* ---- the same state in another process ---- */

const char *lake_tell(arena *a, const pq_table *table)
{
    const char *path = iceberg_metadata_path(table->given);
    if (path)
        return arena_format(a, "%c%zu:%s%s", table->given->store ? 'k' : 'i', strlen(path), path,
                            table->name);
    return arena_format(a, "d%lld:%s", (long long)delta_version(table->given), table->name);
}

/* Reads what lake_tell has made. False: it is not of that form. */
static bool read_told(arena *a, const char *told, lake_request *out, const char **out_text)
{
    char *end;
    long long number = strtoll(told + (*told != 0), &end, 10);
    bool is_iceberg = *told == 'i' || *told == 'k';
    if ((!is_iceberg && *told != 'd') || *end != ':' || number < 0 ||
        (is_iceberg && (size_t)number > strlen(end + 1)))
        return false;
    *out_text = end + 1 + (is_iceberg ? number : 0);
    status st = parse_words(*out_text, out);
    if (!st)
        st = take_folder(a, *out_text, is_iceberg ? LAKE_ICEBERG : LAKE_DELTA, out);
    if (!st && is_iceberg)
        out->path = arena_copy_text(a, end + 1, (size_t)number);
    if (!is_iceberg) {
        out->has_version = true;
        out->has_time = false;
        out->version = number;
    }
    bool is_read = !st && out->path;
    status_free(st);
    return is_read;
}

bool lake_tells_keys(const char *told)
{
    return *told == 'k';
}

status lake_open_told(const char *told, const settings *keys, bool use_cache, const char **out_text,
                      pq_table **out)
{
    arena *scratch;
    lake_request request;
    *out = NULL;
    TRY(arena_new(&scratch));
    status st =
        read_told(scratch, told, &request, out_text)
            ? lake_make(*out_text, &request, lake_tells_keys(told) ? keys : NULL, use_cache, out)
            : status_new(STATUS_KIND_CORRUPT, "the state of a lake that was told is not one");
    arena_free(scratch);
    return st;
}
