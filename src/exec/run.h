/* run.h - what the API sees of the executor: start a query, take its batches, stop it. */
#ifndef PISTACHIO_EXEC_RUN_H
#define PISTACHIO_EXEC_RUN_H

#include "base/setting.h"
#include "exec/pool.h"

/* A column of a batch, in host memory, laid out as type.h says. */
typedef struct exec_batch_column {
    data_type type;
    const void *values;
    const uint64_t *validity; /* NULL: no NULLs */
    tensor *owner;            /* what holds the memory: a host device's tensor ... */
    string_heap *heap;        /* ... or what is left of it behind exec_batch_keep_heaps ... */
    void *host_values, *host_validity, *host_heap; /* ... or copies */
} exec_batch_column;

/* Rows in host memory, whole in itself: it holds the device that its memory belongs to, so that it
 * may outlive the query, the pool and whoever opened the device. One thread at a time. */
typedef struct exec_batch {
    struct exec_batch *next; /* in the queue */
    device *dev;             /* of the columns' owners and heaps; NULL: they have none */
    uint64_t row_count;
    uint32_t column_count;
    exec_batch_column columns[];
} exec_batch;

void exec_batch_free(exec_batch *batch); /* takes NULL; any thread */
/* The values have been copied elsewhere: keeps only what strings among them point into. */
void exec_batch_keep_heaps(exec_batch *batch);

/* Builds the stages; nothing runs yet. The statement, device, pool and budget outlive the query;
 * the settings are those of now. */
CHECKED status exec_query_new(const plan_statement *statement, device *dev, exec_pool *pool,
                              mem_budget *budget, const settings *settings, exec_query **out);
CHECKED status exec_query_start(exec_query *query);
/* The next batch (owned by the caller), or NULL at the end. Works on the query meanwhile. */
CHECKED status exec_query_next(exec_query *query, exec_batch **out);
/* Any thread, also a signal handler's (only sets a flag): exec_query_next then fails. */
void exec_query_cancel(exec_query *query);
/* Stops what still runs and waits for it. Takes NULL. */
void exec_query_free(exec_query *query);

/* op_result.c: taking from the queue. */
exec_batch *exec_result_take(exec_operator *sink);
bool exec_result_is_ready(exec_operator *sink);
void exec_result_wake_all(exec_operator *sink); /* lanes that wait for room */

#endif
