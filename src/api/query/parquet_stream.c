/* parquet_stream.c - see parquet_stream.h. */
#include "api/query/parquet_stream.h"

#include "api/query/query_run.h"
#include "api/query/result.h"
#include "api/write/copy_sink.h"

static status write_stream_batches(pistachio_result *result, api_sink *sink, uint64_t most,
                                   uint64_t *out_rows)
{
    exec_batch *batch;
    for (;;) {
        TRY(api_query_next(result, &batch));
        if (!batch)
            return STATUS_OK;
        *out_rows += batch->row_count;
        TRY(api_sink_add(sink, batch));
        if (most && *out_rows > most)
            return status_new(STATUS_KIND_LIMIT,
                              "the result has more than the %llu rows that the user may get",
                              (unsigned long long)most);
    }
}

status api_parquet_write(pistachio_result *result, FILE *stream, uint64_t most, uint64_t *out_rows)
{
    new_file *target;
    api_sink *sink;
    *out_rows = 0;
    TRY(api_check_on_host(result));
    if (!result->query)
        return status_hint(status_new(STATUS_KIND_UNSUPPORTED,
                                      "rows of SHOW, DESCRIBE and EXPLAIN as Parquet are not "
                                      "supported"),
                           "ask for them as JSON or csv");
    TRY(new_file_open_stream(stream, &target));
    TRY(api_copy_open_sink(result->statement, "the reply", &result->engine->ranks[0], target,
                           &sink));
    status st = write_stream_batches(result, sink, most, out_rows);
    if (!st)
        return api_sink_finish(sink);
    api_sink_abort(sink);
    return st;
}
