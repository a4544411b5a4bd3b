/* copy_partitions.c - COPY with PARTITION_BY: the rows come sorted by their keys, and each combination of these
 * is a file, root/a=1/b=x/data_0.parquet, which is there when it is whole. One is open at a time. */
#include "api/copy.h"

#include "api/copy_sink.h"
#include "api/query_run.h"
#include "parquet/read/hive.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_NAME "data_0.parquet"

typedef ARRAY(char) path_text;

typedef struct partitions {
    pistachio_result *result;
    uint32_t first_key, key_count; /* columns */
    path_text path;                /* of the file at work */
    size_t root_bytes;
    api_sink *sink; /* NULL: none is at work */
} partitions;

/* ---- names ---- */

static status add_bytes(path_text *to, const char *bytes, size_t count)
{
    TRY(array_reserve(NULL, to, count + 1));
    if (count)
        memcpy(to->items + to->count, bytes, count);
    to->count += count;
    to->items[to->count] = 0;
    return STATUS_OK;
}

static bool is_plain(unsigned char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c && strchr("_.~-", c));
}

/* Bytes that a folder's name may not have, or that mean something in it, as %XX. */
static status add_escaped(path_text *to, const char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        unsigned char c = (unsigned char)bytes[i];
        const char escape[] = {'%', "0123456789ABCDEF"[c >> 4], "0123456789ABCDEF"[c & 15]};
        TRY(is_plain(c) ? add_bytes(to, &bytes[i], 1) : add_bytes(to, escape, sizeof escape));
    }
    return STATUS_OK;
}

static bool is_null(const exec_batch_column *c, uint64_t row)
{
    return c->validity && !(c->validity[row / 64] >> row % 64 & 1);
}

/* Of a text as well; its bytes are the batch's. */
static value key_at(const exec_batch_column *column, uint64_t row)
{
    if (!type_is_text(column->type))
        return api_value_at(column, row);
    const string_view *view = &((const string_view *)column->values)[row];
    return value_text(string_data(view), view->bytes);
}

static status add_value(path_text *to, const exec_batch_column *column, const char *name,
                        uint64_t row)
{
    char text[256];
    if (is_null(column, row))
        return add_bytes(to, PQ_HIVE_NULL, strlen(PQ_HIVE_NULL));
    value v = key_at(column, row);
    if (!type_is_text(column->type))
        return add_escaped(to, text, value_format(&v, text, sizeof text));
    if (v.bytes == strlen(PQ_HIVE_NULL) && !memcmp(v.text, PQ_HIVE_NULL, v.bytes))
        return status_hint(
            status_new(STATUS_KIND_INVALID,
                       "PARTITION_BY: column \"%s\" has the text %s, which means NULL "
                       "in the name of a folder",
                       name, PQ_HIVE_NULL),
            "write another text in its place");
    return add_escaped(to, v.text, v.bytes);
}

/* The path of the row's file. */
static status name_file(partitions *p, const exec_batch *batch, uint64_t row)
{
    const plan_column_list *columns = &p->result->statement->query.root->columns;
    p->path.count = p->root_bytes;
    for (uint32_t k = p->first_key; k < p->first_key + p->key_count; k++) {
        const char *name = columns->items[k].name;
        TRY(add_bytes(&p->path, "/", 1));
        TRY(add_bytes(&p->path, name, strlen(name)));
        TRY(add_bytes(&p->path, "=", 1));
        TRY(add_value(&p->path, &batch->columns[k], name, row));
    }
    return add_bytes(&p->path, "/" FILE_NAME, strlen("/" FILE_NAME));
}

/* ---- folders ---- */

/* Makes the folders before path[bytes], which is a slash or the end, and those above. */
static status make_folders(char *path, size_t bytes)
{
    char end = path[bytes];
    struct stat info;
    path[bytes] = 0;
    status st = STATUS_OK;
    if (mkdir(path, 0777) && errno != EEXIST) {
        char *slash = strrchr(path, '/');
        if (errno != ENOENT || !slash || slash == path)
            st = status_new_errno(errno, "could not make folder \"%s\"", path);
        if (!st)
            st = make_folders(path, (size_t)(slash - path));
        if (!st && mkdir(path, 0777) && errno != EEXIST)
            st = status_new_errno(errno, "could not make folder \"%s\"", path);
    }
    if (!st && (stat(path, &info) || !S_ISDIR(info.st_mode)))
        st = status_new(STATUS_KIND_INVALID, "\"%s\" is no folder", path);
    path[bytes] = end;
    return st;
}

static status open_root(partitions *p)
{
    const char *path = p->result->statement->copy.path;
    size_t bytes = strlen(path);
    while (bytes > 1 && path[bytes - 1] == '/')
        bytes--;
    TRY(add_bytes(&p->path, path, bytes));
    p->root_bytes = bytes;
    return make_folders(p->path.items, bytes);
}

/* Before any row is computed: files that are there would be taken for some of these. */
static status check_empty(const partitions *p)
{
    const char *path = p->path.items;
    DIR *folder = opendir(path);
    bool is_empty = true;
    if (!folder)
        return status_new_errno(errno, "could not read folder \"%s\"", path);
    for (struct dirent *item; is_empty && (item = readdir(folder));)
        is_empty = !strcmp(item->d_name, ".") || !strcmp(item->d_name, "..");
    closedir(folder);
    if (is_empty || p->result->statement->copy.may_overwrite)
        return STATUS_OK;
    return status_hint(status_new(STATUS_KIND_INVALID, "folder \"%s\" is not empty", path),
                       "with the option OVERWRITE_OR_IGNORE files are replaced, and others stay");
}

/* Of a file that came to nothing: as far up as they are empty. */
static void drop_folders(partitions *p)
{
    char *path = p->path.items;
    for (size_t bytes = p->path.count; bytes > p->root_bytes + 1; bytes--)
        if (path[bytes - 1] == '/') {
            path[bytes - 1] = 0;
            if (rmdir(path))
                return;
        }
}

/* ---- files ---- */

static status finish_file(partitions *p)
{
    api_sink *sink = p->sink;
    p->sink = NULL;
    return sink ? api_sink_finish(sink) : STATUS_OK;
}

static status start_file(partitions *p, const exec_batch *batch, uint64_t row)
{
    TRY(finish_file(p));
    TRY(name_file(p, batch, row));
    TRY(make_folders(p->path.items, p->path.count - strlen("/" FILE_NAME)));
    return api_copy_open_sink(p->result->statement, p->path.items, &p->result->engine->ranks[0],
                              &p->sink);
}

static bool is_same(const exec_batch_column *c, uint64_t one, uint64_t other)
{
    bool one_null = is_null(c, one), other_null = is_null(c, other);
    if (one_null || other_null)
        return one_null && other_null;
    value a = key_at(c, one), b = key_at(c, other);
    return c->type.id == TYPE_BOOL ? a.boolean == b.boolean : !value_compare(&a, &b);
}

/* Where the rows of the first one's keys end. */
static uint64_t find_end(const partitions *p, const exec_batch *batch, uint64_t first)
{
    uint64_t row = first + 1;
    for (; row < batch->row_count; row++)
        for (uint32_t k = p->first_key; k < p->first_key + p->key_count; k++)
            if (!is_same(&batch->columns[k], row - 1, row))
                return row;
    return row;
}

/* The row belongs to the file at work: they were compared by their path, as the row before it is in another
 * batch. */
static status continues_file(partitions *p, const exec_batch *batch, bool *out)
{
    path_text before = p->path;
    p->path = (path_text){0};
    status st = add_bytes(&p->path, before.items, p->root_bytes);
    if (!st)
        st = name_file(p, batch, 0);
    *out = !st && p->sink && before.count == p->path.count &&
           !memcmp(before.items, p->path.items, before.count);
    array_release(&p->path);
    p->path = before;
    return st;
}

/* The batch's last rows go with the batch; others are written before it is freed. */
static status add_batch(partitions *p, exec_batch *batch)
{
    uint64_t first = 0;
    bool is_continued;
    status st = continues_file(p, batch, &is_continued);
    while (!st) {
        uint64_t end = find_end(p, batch, first);
        if (first || !is_continued)
            st = start_file(p, batch, first);
        if (!st && end == batch->row_count)
            return api_sink_add_rest(p->sink, batch, first);
        if (!st)
            st = api_sink_add_rows(p->sink, batch, first, end - first);
        first = end;
    }
    if (p->sink) { /* it has rows of the batch */
        api_sink_abort(p->sink);
        p->sink = NULL;
        drop_folders(p);
    }
    exec_batch_free(batch);
    return st;
}

static status write_all(partitions *p)
{
    exec_batch *batch;
    do {
        TRY(api_query_next(p->result, &batch));
        if (!batch)
            break;
        p->result->rows_written += batch->row_count;
        if (batch->row_count)
            TRY(add_batch(p, batch));
        else
            exec_batch_free(batch);
    } while (true);
    return finish_file(p);
}

status api_copy_partitions(pistachio_result *result)
{
    const sql_statement *statement = result->statement;
    uint32_t keys = (uint32_t)statement->copy.partition_count;
    partitions p = {.result = result,
                    .first_key = (uint32_t)statement->query.root->columns.count - keys,
                    .key_count = keys};
    status st = open_root(&p);
    if (!st)
        st = check_empty(&p);
    if (!st)
        st = write_all(&p);
    if (p.sink) {
        api_sink_abort(p.sink);
        drop_folders(&p);
    }
    array_release(&p.path);
    return st;
}
