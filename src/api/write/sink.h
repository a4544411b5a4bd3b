/* sink.h - the batches of a query into the row groups of a Parquet file: COPY and the rewriter. */
#ifndef PISTACHIO_API_WRITE_SINK_H
#define PISTACHIO_API_WRITE_SINK_H

#include "exec/run.h"
#include "parquet/write/writer.h"

typedef struct api_sink api_sink;

/* Row groups get group_rows rows, the last one what is left. Memory, which the budget is charged with: one row
 * group, as it came and as it is written, and a few more, which are encoded meanwhile, in an eighth of the
 * limit; where there is too little, smaller ones are written. The types are those of the batches that will
 * come. options->target is taken over, also on failure. */
CHECKED status api_sink_open(const char *path, const pq_column_schema *columns, size_t column_count,
                             const pq_writer_options *options, uint64_t group_rows,
                             mem_budget *budget, api_sink **out);
/* Tells that so many rows are expected: what a row group of them takes is taken now, so that others leave it. */
CHECKED status api_sink_expect(api_sink *sink, uint64_t rows);
/* Takes the batch over, also on failure. */
CHECKED status api_sink_add(api_sink *sink, exec_batch *batch);
/* Rows of a batch that stays the caller's until the file is finished, or until rows of it were added by the
 * other one, whichever is first; and those from `from` on of one
 * that is taken over, also on failure. The former has had exec_batch_pack_nested. The batch may have more columns than the file, behind the file's. */
CHECKED status api_sink_add_rows(api_sink *sink, const exec_batch *batch, uint64_t from,
                                 uint64_t count);
CHECKED status api_sink_add_rest(api_sink *sink, exec_batch *batch, uint64_t from);
/* Makes the rows that are there a row group, before it is full. */
CHECKED status api_sink_flush(api_sink *sink);
/* Finish and abort free the sink: finish makes the file appear under its name, or fails and leaves what was there;
 * abort leaves it too and takes NULL. */
CHECKED status api_sink_finish(api_sink *sink);
void api_sink_abort(api_sink *sink);

#endif
