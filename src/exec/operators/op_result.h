/* op_result.h - the batches that a query gives: what they hold, and the queue they wait in. */
#ifndef PISTACHIO_EXEC_OPERATORS_OP_RESULT_H
#define PISTACHIO_EXEC_OPERATORS_OP_RESULT_H

#include "exec/sched/operator.h"

/* The texts that codes are of: those of number i are bytes [offsets[i], offsets[i + 1]). */
typedef struct exec_batch_dictionary {
    uint64_t count;
    const int64_t *offsets; /* NULL: there is no dictionary */
    const char *text;
    dev_buffer *owner; /* what holds them ... */
    void *host_owner;  /* ... where the batch has no device */
} exec_batch_dictionary;

/* A column of a batch: in host memory, laid out as type.h says; or, of a batch that stays on its device, there and as
 * Arrow has it: a decimal of 8 or 16 bytes as the client wants it, an interval's microseconds as nanoseconds, a UUID's
 * bytes in their order, texts as offsets (int64_t, one more than rows) and bytes. */
typedef struct exec_batch_column {
    data_type type;
    const void *values;       /* with a dictionary: int32_t, its numbers */
    const uint64_t *validity; /* NULL: no NULLs */
    tensor *owner;            /* what holds the memory: a host device's tensor ... */
    string_heap *heap;        /* ... or what is left of it behind exec_batch_keep_heaps ... */
    void *host_values, *host_validity, *host_heap; /* ... or copies ... */
    char *pinned_heap; /* ... or, as values and validity, a place in the batch's pinned memory */
    size_t own_heap_bytes; /* of host_heap or pinned_heap */
    bool is_shaped;        /* its values are as the client's shape has them, not as type.h says */
    row_index
        *codes; /* not NULL, before it is shaped: row r has the text values[codes->rows[r]] ... */
    uint64_t entries; /* ... of so many */
    exec_batch_dictionary dictionary;
    dev_buffer
        *text; /* on a device: the bytes of texts, whose offsets the values are; NULL: none */
    uint64_t null_count; /* on a device */
    struct exec_batch
        *children; /* lists, structs and maps: their children, in the order of the rows; owned */
} exec_batch_column;

/* Rows, whole in itself: it holds the device that its memory belongs to, so that it may outlive the query, the pool
 * and whoever opened the device. One thread at a time. */
typedef struct exec_batch {
    struct exec_batch *next; /* in the queue */
    exec_turn turn;          /* where the queue is in order */
    device *dev;             /* of the memory; NULL: it is the host's alone */
    void *pinned;            /* dev_host_alloc's, or NULL */
    size_t pinned_bytes;
    bool
        is_on_device; /* addresses of columns are the device's, and its kernels have written there; else the host's */
    bool is_exported; /* by exec_batch_export */
    bool is_leaving;  /* memory that is made for it need not be within the budget */
    uint64_t row_count;
    uint32_t column_count;
    exec_batch_column columns[];
} exec_batch;

/* Values of another layout for a column, which are made of those that it has. */
typedef struct exec_batch_values {
    void *values;
    tensor *owner; /* NULL: they are made where those are */
} exec_batch_values;

/* Memory that texts of a column lie in. */
typedef struct exec_heap_part {
    const char *address;
    size_t bytes;
} exec_heap_part;

/* The form in which a client wants batches: made of each column by the task that has it at hand, before the next one,
 * while its memory is in the processor's cache. What memory_limit does not allow is left out. Any thread. */
typedef struct exec_batch_shape {
    status (*make)(exec_batch *batch, uint32_t column, const struct exec_batch_shape *shape);
    bool has_dictionaries; /* text columns that come with codes are given as those */
} exec_batch_shape;

/* How batches are laid out that stay on their device. */
typedef struct exec_device_layout {
    bool has_narrow_decimals; /* those of up to 18 digits have 8 bytes; else all have 16 */
} exec_device_layout;

/* The sink of the whole query: a bounded queue of batches, in the host's memory. */
CHECKED status op_result_open(exec_query *query, exec_layout input, exec_operator **out);
/* Before it is started: batches are taken in the order of their turns. */
void op_result_keep_turns(exec_operator *sink);
/* Has batches stay in the memory of a lazy device. Called before the query is started. */
void op_result_stay(exec_operator *sink, exec_device_layout layout);
/* Any time: batches that are not queued yet, and that are the host's, are shaped so. It outlives the query. */
void op_result_shape(exec_operator *sink, const exec_batch_shape *shape);
/* Taking from the queue. */
exec_batch *op_result_take(exec_operator *sink);
bool op_result_is_ready(exec_operator *sink);
void op_result_wake_all(exec_operator *sink); /* tasks that wait for room */

#endif
