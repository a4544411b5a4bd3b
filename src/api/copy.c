/* copy.c - COPY (query) TO 'file': Parquet or CSV, streamed, under a temporary name until complete.
 */
#include "api/copy.h"

#include "base/bitmap_copy.h"
#include "parquet/writer.h"

#include <errno.h>
#include <stdio.h>
#include <strings.h>
#include <unistd.h>

/* Rows of a row group that COPY writes. */
#define GROUP_ROWS 122880

/* ---- Parquet ---- */

/* A column of the row group that is being filled; text lies in the batches that it came with. */
typedef struct copy_column {
    char *values;
    uint64_t *validity;
} copy_column;

typedef struct copy_state {
    pistachio_result *result;
    pq_writer *writer;
    const plan_column_list *columns;
    copy_column *group;
    ARRAY(exec_batch *) batches; /* whose text the group still needs */
    uint64_t rows;
} copy_state;

static void drop_batches(copy_state *copy)
{
    for (size_t i = 0; i < copy->batches.count; i++)
        exec_batch_free(copy->batches.items[i]);
    copy->batches.count = 0;
}

static status write_group(copy_state *copy)
{
    size_t count = copy->columns->count;
    pq_column_values *values = mem_new_array(count + 1, sizeof *values);
    if (!values)
        return status_no_memory("copy", count * sizeof *values);
    for (size_t i = 0; i < count; i++)
        values[i] = (pq_column_values){copy->group[i].values, copy->group[i].validity};
    status st = copy->rows ? pq_writer_write(copy->writer, values, copy->rows) : STATUS_OK;
    mem_free(values);
    drop_batches(copy);
    copy->rows = 0;
    return st;
}

/* Rows [from, from + count) of a batch to the end of the group. */
static void append_rows(copy_state *copy, const exec_batch *batch, uint64_t from, uint64_t count)
{
    for (uint32_t c = 0; c < batch->column_count; c++) {
        const exec_batch_column *source = &batch->columns[c];
        copy_column *target = &copy->group[c];
        size_t width = source->type.width;
        if (width)
            memcpy(target->values + copy->rows * width, (const char *)source->values + from * width,
                   count * width);
        else
            bitmap_copy((uint64_t *)target->values, copy->rows, source->values, from, count);
        bitmap_copy(target->validity, copy->rows, source->validity, from, count);
    }
    copy->rows += count;
}

/* Takes the batch over. */
static status append_batch(copy_state *copy, exec_batch *batch)
{
    uint64_t done = 0;
    status st = array_push(NULL, &copy->batches, batch);
    if (st) {
        exec_batch_free(batch);
        return st;
    }
    uint64_t total = batch->row_count;
    while (done < total) {
        uint64_t room = GROUP_ROWS - copy->rows;
        uint64_t count = total - done < room ? total - done : room;
        append_rows(copy, batch, done, count);
        done += count;
        if (copy->rows < GROUP_ROWS)
            continue;
        /* The batch at work is needed once more if it has rows left. */
        bool has_more = done < total;
        copy->batches.count -= has_more;
        st = write_group(copy);
        if (has_more)
            copy->batches.items[copy->batches.count++] = batch;
        TRY(st);
    }
    copy->result->rows_written += total;
    return STATUS_OK;
}

static status open_writer(copy_state *copy, const sql_statement *statement)
{
    size_t count = copy->columns->count;
    pq_writer_options options = pq_writer_options_default();
    arena *a = statement->query.memory;
    pq_column_schema *schema = arena_alloc_array(a, count + 1, sizeof *schema);
    copy->group = arena_alloc_array(a, count + 1, sizeof *copy->group);
    if (!schema || !copy->group)
        return status_no_memory("copy", count * sizeof *schema);
    static const struct {
        const char *name;
        pq_codec codec;
    } codecs[] = {{"none", PQ_CODEC_NONE},     {"uncompressed", PQ_CODEC_NONE},
                  {"snappy", PQ_CODEC_SNAPPY}, {"gzip", PQ_CODEC_GZIP},
                  {"zstd", PQ_CODEC_ZSTD},     {"lz4_raw", PQ_CODEC_LZ4_RAW},
                  {"brotli", PQ_CODEC_BROTLI}};
    bool is_known = !statement->codec;
    for (size_t i = 0; i < sizeof codecs / sizeof *codecs && !is_known; i++)
        if (!strcasecmp(codecs[i].name, statement->codec)) {
            options.codec = codecs[i].codec;
            is_known = true;
        }
    if (!is_known)
        return status_hint(
            status_new(STATUS_KIND_INVALID, "there is no codec named \"%s\"", statement->codec),
            "use none, snappy, gzip, zstd, lz4_raw or brotli");
    for (size_t i = 0; i < count; i++) {
        const plan_column *column = &copy->columns->items[i];
        size_t width = column->type.width;
        schema[i] =
            (pq_column_schema){.name = column->name, .type = column->type, .is_nullable = true};
        copy->group[i].values = mem_new_array(GROUP_ROWS, width ? width : 1);
        copy->group[i].validity = mem_new_array(GROUP_ROWS / 64, sizeof(uint64_t));
        if (!copy->group[i].values || !copy->group[i].validity)
            return status_no_memory("copy", GROUP_ROWS * width);
    }
    return pq_writer_open(statement->path, schema, count, &options, &copy->writer);
}

static status copy_parquet(pistachio_result *result)
{
    copy_state copy = {.result = result, .columns = &result->statement->query.root->columns};
    exec_batch *batch = NULL;
    status st = open_writer(&copy, result->statement);
    while (!st && !(st = exec_query_next(result->query, &batch)) && batch)
        st = append_batch(&copy, batch);
    if (!st)
        st = write_group(&copy);
    if (!st)
        st = pq_writer_finish(copy.writer);
    else
        pq_writer_abort(copy.writer);
    drop_batches(&copy);
    array_release(&copy.batches);
    for (size_t i = 0; copy.group && i < copy.columns->count; i++) {
        mem_free(copy.group[i].values);
        mem_free(copy.group[i].validity);
    }
    return st;
}

/* ---- CSV ---- */

static void write_csv_value(const char *text, size_t bytes, FILE *target)
{
    bool has_special = bytes == 0;
    for (size_t i = 0; i < bytes && !has_special; i++)
        has_special = text[i] == ',' || text[i] == '"' || text[i] == '\n' || text[i] == '\r';
    if (!has_special) {
        fwrite(text, 1, bytes, target);
        return;
    }
    fputc('"', target);
    for (size_t i = 0; i < bytes; i++) {
        if (text[i] == '"')
            fputc('"', target);
        fputc(text[i], target);
    }
    fputc('"', target);
}

static void write_csv_batch(const pistachio_batch *batch, uint32_t column_count, FILE *target)
{
    for (uint64_t row = 0; row < batch->rows->row_count; row++)
        for (uint32_t c = 0; c < column_count; c++) {
            size_t bytes;
            const char *text = pistachio_text(batch, c, row, &bytes);
            if (text)
                write_csv_value(text, bytes, target);
            fputc(c + 1 < column_count ? ',' : '\n', target);
        }
}

static status copy_csv(pistachio_result *result)
{
    const char *path = result->statement->path;
    const plan_column_list *columns = &result->statement->query.root->columns;
    char *temporary =
        arena_format(result->statement->query.memory, "%s.%ld.partial", path, (long)getpid());
    if (!temporary)
        return status_no_memory("copy", strlen(path));
    FILE *target = fopen(temporary, "wxe");
    if (!target)
        return status_new_errno(errno, "could not create file \"%s\"", temporary);
    for (size_t i = 0; i < columns->count; i++) {
        write_csv_value(columns->items[i].name, strlen(columns->items[i].name), target);
        fputc(i + 1 < columns->count ? ',' : '\n', target);
    }
    status st = STATUS_OK;
    while (!(st = exec_query_next(result->query, &result->batch.rows)) && result->batch.rows) {
        write_csv_batch(&result->batch, (uint32_t)columns->count, target);
        result->rows_written += result->batch.rows->row_count;
        exec_batch_free(result->batch.rows);
        result->batch.rows = NULL;
    }
    bool is_written = !fflush(target) && !ferror(target) && !fsync(fileno(target));
    int number = errno;
    if (fclose(target) && is_written) {
        is_written = false;
        number = errno;
    }
    if (!st && !is_written)
        st = status_new_errno(number, "could not write file \"%s\"", temporary);
    if (!st && rename(temporary, path))
        st = status_new_errno(errno, "could not rename \"%s\" to \"%s\"", temporary, path);
    if (st)
        unlink(temporary);
    return st;
}

status api_copy(pistachio_result *result)
{
    const char *path = result->statement->path, *format = result->statement->format;
    size_t length = strlen(path);
    if (!format)
        format = length > 4 && !strcasecmp(path + length - 4, ".csv") ? "csv" : "parquet";
    if (!strcasecmp(format, "parquet"))
        return copy_parquet(result);
    if (!strcasecmp(format, "csv"))
        return copy_csv(result);
    return status_hint(
        status_new(STATUS_KIND_UNSUPPORTED, "COPY cannot write the format \"%s\"", format),
        "use parquet or csv");
}
