/* copy.c - COPY (query) TO 'file': Parquet or text, streamed; the file appears when it is whole. */

#include "api/engine/cluster.h"
#include "api/query/copy_arrow.h"
#include "api/query/query_parts.h"
#include "api/query/query_run.h"
#include "api/ranks/copy_parts.h"
#include "api/ranks/ranked.h"
#include "api/write/copy_sink.h"
#include "api/write/row_writer.h"
#include "storage/gzip_stream.h"
#include "storage/output_file.h"

#define THREADS_MAX 64 /* that make text */

/* ---- Parquet ---- */

static status copy_parquet(pistachio_result *result)
{
    api_sink *sink = NULL;
    exec_batch *batch = NULL;
    status st = api_copy_open_sink(result->statement, result->statement->copy.path,
                                   &result->engine->ranks[0], NULL, &sink);
    while (!st && !(st = api_query_next(result, &batch)) && batch) {
        result->rows_written += batch->row_count;
        st = api_sink_add(sink, batch);
    }
    if (!st)
        return api_sink_finish(sink);
    api_sink_abort(sink);
    return st;
}

/* ---- text ---- */

static status write_batches(pistachio_result *result, output_file *file, api_row_writer *writer)
{
    exec_batch *batch;
    do {
        TRY(api_query_next(result, &batch));
        if (batch)
            api_row_writer_take(writer, batch);
        TRY(output_file_check(file));
    } while (batch);
    api_row_writer_end(writer);
    result->rows_written = writer->row_count;
    return STATUS_OK;
}

static status write_text(pistachio_result *result, output_file *file, FILE *target)
{
    api_row_writer writer;
    uint64_t threads = result->settings.threads.number;
    threads = threads ? threads : setting_core_count();
    status st = api_row_writer_open(&writer, result, result->statement->copy.style, target,
                                    threads < THREADS_MAX ? (unsigned)threads : THREADS_MAX);
    if (!st)
        st = write_batches(result, file, &writer);
    api_row_writer_close(&writer);
    return st;
}

static status copy_write_rows(pistachio_result *result, output_file *file)
{
    const sql_copy *copy = &result->statement->copy;
    FILE *target = output_file_stream(file);
    if (copy->is_gzip)
        TRY(gzip_stream_open(output_file_stream(file), copy->codec_level, &target));
    status st =
        copy->is_arrow ? api_copy_arrow(result, file, target) : write_text(result, file, target);
    if (copy->is_gzip && fclose(target) && !st) {
        st = output_file_check(file);
        st = st ? st : status_new(STATUS_KIND_IO, "could not write \"%s\"", copy->path);
    }
    return st;
}

static status query_copy_text(pistachio_result *result)
{
    output_file *file;
    TRY(output_file_open(result->statement->copy.path, false, &file));
    status st = copy_write_rows(result, file);
    if (!st)
        return output_file_publish(file);
    output_file_abort(file);
    return st;
}

/* ---- a part of each rank ---- */

/* Rank 0's. */
static status copy_parts(pistachio_result *result)
{
    exec_batch *batch = NULL;
    const api_cluster *cluster = result->connection->database->cluster;
    api_copy_part p = {.run = result->ranked ? api_ranked_own(result->ranked) : NULL};
    status st = api_copy_part_open(&p, result->statement, &result->engine->ranks[0],
                                   cluster ? cluster->host : NULL, result->statement_time);
    while (!st && !(st = api_query_next(result, &batch)) && batch)
        st = api_copy_part_add(&p, batch);
    if (!st)
        st = api_copy_part_publish(&p);
    result->rows_written = p.rows;
    return api_copy_part_close(&p, st);
}

status api_copy(pistachio_result *result)
{
    const sql_copy *copy = &result->statement->copy;
    if (copy->partition_count)
        return api_copy_partitions(result);
    if (copy->is_per_rank)
        return copy_parts(result);
    return copy->is_parquet ? copy_parquet(result) : query_copy_text(result);
}
