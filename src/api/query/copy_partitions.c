/* copy_partitions.c - COPY with PARTITION_BY: the rows come sorted by their keys, and each combination of these
 * is a file, root/a=1/b=x/data_0.parquet, which is there when it is whole. One is open at a time. */

#include "api/query/query_parts.h"
#include "api/query/query_run.h"
#include "api/write/copy_key_path.h"
#include "api/write/copy_sink.h"
#include "api/write/row_text.h"
#include "exec/operators/result_batch.h"
#include "exec/operators/result_nested.h"
#include "storage/new_tree.h"
#include "storage/output_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#define BUFFER_BYTES 65536
#define FILE_NAME_BYTES 64

typedef struct partitions {
    pistachio_result *result;
    const sql_copy *copy;
    new_tree *tree;
    api_copy_keys keys;
    api_path path; /* of the file at work */
    char file_name[FILE_NAME_BYTES];
    /* The file at work; both NULL: there is none. */
    api_sink *sink;
    output_file *file;
    /* For formats other than Parquet: */
    api_row_text text;
    text_out out;
    const char **names;
    bool has_rows; /* the file at work */
} partitions;

/* ---- a file ---- */

/* Whatever the format. */
static bool copy_partitions_is_open(const partitions *p)
{
    return p->sink || p->file;
}

static status start_text(partitions *p)
{
    TRY(output_file_open(p->path.items, false, &p->file));
    if (new_tree_syncs(p->tree))
        output_file_sync_later(p->file);
    p->out.target = output_file_stream(p->file);
    p->has_rows = false;
    api_row_text_begin(&p->text, p->names, &p->out);
    return STATUS_OK;
}

static status start_parquet(partitions *p)
{
    new_file *file;
    TRY(new_file_open(p->path.items, &file));
    if (new_tree_syncs(p->tree))
        new_file_sync_later(file);
    return api_copy_open_sink(p->result->statement, p->path.items, &p->result->engine->ranks[0],
                              file, &p->sink);
}

static status finish_text(partitions *p)
{
    output_file *file = p->file;
    p->file = NULL;
    api_row_text_end(&p->text, &p->out);
    text_out_flush(&p->out);
    return output_file_publish(file);
}

static status finish_file(partitions *p)
{
    api_sink *sink = p->sink;
    p->sink = NULL;
    if (p->file)
        return finish_text(p);
    return sink ? api_sink_finish(sink) : STATUS_OK;
}

/* Drops a file that comes to nothing, and folders that are empty. */
static void drop_file(partitions *p)
{
    if (!copy_partitions_is_open(p))
        return;
    api_sink_abort(p->sink);
    output_file_abort(p->file);
    p->sink = NULL;
    p->file = NULL;
    new_tree_drop_folders(p->tree, p->path.items, p->path.count - strlen(p->file_name) - 1);
}

static status copy_partitions_name_file(const partitions *p, const exec_batch *batch, uint64_t row,
                                        api_path *out)
{
    const char *root = new_tree_root(p->tree);
    out->count = 0;
    TRY(api_path_add(out, root, strlen(root)));
    TRY(api_path_add_keys(out, &p->keys, batch, row));
    TRY(api_path_add(out, "/", 1));
    return api_path_add(out, p->file_name, strlen(p->file_name));
}

static status start_file(partitions *p, const exec_batch *batch, uint64_t row)
{
    TRY(finish_file(p));
    TRY(copy_partitions_name_file(p, batch, row, &p->path));
    size_t folder_bytes = p->path.count - strlen(p->file_name) - 1;
    TRY(new_tree_make_folders(p->tree, p->path.items, folder_bytes));
    status st = p->copy->is_parquet ? start_parquet(p) : start_text(p);
    if (st && !copy_partitions_is_open(p))
        new_tree_drop_folders(p->tree, p->path.items, folder_bytes);
    return st;
}

static status copy_partitions_add_text(partitions *p, const exec_batch *batch, uint64_t first,
                                       uint64_t end)
{
    api_row_text_add(&p->text, batch, first, end, !p->has_rows, &p->out);
    text_out_flush(&p->out);
    p->has_rows = true;
    return output_file_check(p->file);
}

/* ---- rows ---- */

/* The row belongs to the file at work: they are compared by their path, as the row before it is in another
 * batch. */
static status continues_file(const partitions *p, const exec_batch *batch, bool *out)
{
    api_path path = {0};
    *out = false;
    if (!copy_partitions_is_open(p))
        return STATUS_OK;
    status st = copy_partitions_name_file(p, batch, 0, &path);
    *out = !st && path.count == p->path.count && !memcmp(path.items, p->path.items, path.count);
    array_release(&path);
    return st;
}

static status copy_partitions_add_rows(partitions *p, const exec_batch *batch, uint64_t first,
                                       uint64_t end)
{
    return p->sink ? api_sink_add_rows(p->sink, batch, first, end - first)
                   : copy_partitions_add_text(p, batch, first, end);
}

/* Takes the batch over. A Parquet file's last rows go with it; others are written before it is freed. */
static status copy_partitions_add_batch(partitions *p, exec_batch *batch)
{
    uint64_t first = 0;
    bool is_continued = false;
    status st = p->result->statement->copy.is_parquet ? exec_batch_pack_nested(batch) : STATUS_OK;
    if (!st)
        st = continues_file(p, batch, &is_continued);
    while (!st && first < batch->row_count) {
        uint64_t end = api_copy_keys_end(&p->keys, batch, first);
        if (first || !is_continued)
            st = start_file(p, batch, first);
        if (!st && p->sink && end == batch->row_count)
            return api_sink_add_rest(p->sink, batch, first);
        if (!st)
            st = copy_partitions_add_rows(p, batch, first, end);
        first = end;
    }
    if (st)
        drop_file(p); /* it has rows of the batch */
    exec_batch_free(batch);
    return st;
}

static status copy_partitions_write_all(partitions *p)
{
    exec_batch *batch;
    do {
        TRY(api_query_next(p->result, &batch));
        if (!batch)
            break;
        p->result->rows_written += batch->row_count;
        TRY(copy_partitions_add_batch(p, batch));
    } while (true);
    return finish_file(p);
}

/* ---- a statement ---- */

static status open_text(partitions *p)
{
    uint32_t count = p->keys.first;
    p->names = mem_new_array(count + 1, sizeof *p->names);
    p->out.begin = p->out.at = mem_new(BUFFER_BYTES);
    if (!p->names || !p->out.begin)
        return status_no_memory("text of rows", BUFFER_BYTES);
    p->out.end = p->out.begin + BUFFER_BYTES;
    for (uint32_t c = 0; c < count; c++)
        p->names[c] = p->keys.columns->items[c].name;
    row_style style = p->copy->style;
    style.zone = p->result->statement->zone;
    return api_row_text_open(&p->text, style, p->names, count);
}

/* With APPEND one that no other file has. */
static status make_file_name(partitions *p)
{
    const char *ending = p->copy->is_parquet ? "parquet" : row_format_name(p->copy->style.format);
    uint64_t drawn[2];
    if (p->copy->into != SQL_COPY_APPEND) {
        snprintf(p->file_name, sizeof p->file_name, "data_0.%s", ending);
        return STATUS_OK;
    }
    if (getrandom(drawn, sizeof drawn, 0) != sizeof drawn)
        return status_new_errno(errno, "could not draw a file's name");
    snprintf(p->file_name, sizeof p->file_name, "data_%016" PRIx64 "%016" PRIx64 ".%s", drawn[0],
             drawn[1], ending);
    return STATUS_OK;
}

static status open_partitions(partitions *p)
{
    static const new_tree_use uses[] = {[SQL_COPY_NEW] = NEW_TREE_ALONE,
                                        [SQL_COPY_OVER] = NEW_TREE_ADD,
                                        [SQL_COPY_APPEND] = NEW_TREE_ADD,
                                        [SQL_COPY_REPLACE] = NEW_TREE_REPLACE};
    TRY(make_file_name(p));
    if (!p->copy->is_parquet)
        TRY(open_text(p));
    return new_tree_open(p->copy->path, uses[p->copy->into], &p->tree);
}

static void close_partitions(partitions *p)
{
    drop_file(p);
    new_tree_abort(p->tree);
    array_release(&p->path);
    api_row_text_close(&p->text);
    mem_free(p->out.begin);
    mem_free(p->names);
}

status api_copy_partitions(pistachio_result *result)
{
    const sql_statement *statement = result->statement;
    const plan_column_list *columns = &statement->query.root->columns;
    uint32_t keys = (uint32_t)statement->copy.partition_count;
    partitions p = {.result = result,
                    .copy = &statement->copy,
                    .keys = {columns, (uint32_t)columns->count - keys}};
    status st = open_partitions(&p);
    if (!st)
        st = copy_partitions_write_all(&p);
    if (!st) {
        new_tree *tree = p.tree;
        p.tree = NULL;
        st = new_tree_publish(tree);
    }
    close_partitions(&p);
    return st;
}
