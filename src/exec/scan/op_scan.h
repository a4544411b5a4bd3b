/* op_scan.h - the source of a table's rows: what its files share.
 *
 *   op_scan.c        takes morsels, cuts them into slices, gives chunks
 *   scan_filter.c    which rows of a slice stay
 *   scan_columns.c   columns, when something needs them
 *   scan_nested.c    lists, structs and maps as their bytes */
#ifndef PISTACHIO_EXEC_SCAN_OP_SCAN_H
#define PISTACHIO_EXEC_SCAN_OP_SCAN_H

#include "exec/expression/program.h"
#include "exec/scan/scan_ahead.h"
#include "exec/scan/scan_bound.h"
#include "exec/sched/query.h"
#include "parquet/read/batch.h"
#include "parquet/read/column.h"
#include "parquet/read/nested_column.h"

/* How a runtime filter does. */
typedef struct filter_use {
    _Atomic uint64_t seen, kept; /* rows; on host devices */
    _Atomic uint32_t slices;
} filter_use;

typedef struct op_scan {
    exec_operator base;
    filter_use *uses; /* by runtime filter, then by bound */
    bound_use *bounds;
    const pq_table *table;
    program *program; /* the conditions */
    uint32_t column_count, filter_count;
    uint8_t *narrow_uses; /* by condition: a narrow_use; NULL: no condition takes narrow values */
    bool *is_packed;      /* by column: its values come out as bytes (scan_nested.h) */
    bool has_packed;      /* one does */
    uint32_t *emitted, emitted_count; /* columns that come out */
    uint32_t *stored, stored_count;   /* the table's numbers of those that files have */
    scan_ahead *ahead;
    uint64_t row_bytes; /* of all columns, decoded: an estimate */
} op_scan;

typedef struct scan_local {
    program_run *run;
    const exec_task *task;
    bool has_morsel;
    ARRAY(scan_morsel) morsels; /* one, or on a lazy device those of a chunk */
    size_t next_range;
    uint64_t next_row, range_end; /* of the range at work */
    pq_column **columns;          /* those that were needed in this morsel */
    pq_nested_column **nested;    /* likewise, lists, structs and maps */
    const value **constants;      /* likewise, of keys in folders' names */
    cached_column **cached;       /* likewise, of what the column cache keeps or is to keep */
    bool *is_asked;               /* whether it was asked for the column */
    bool *is_cached;              /* whether it has the column's rows of the slice at work */

    /* For lazy devices. */
    bool has_started;        /* all columns of the chunk are being read, or are there */
    pq_batch **batches;      /* in place of the columns */
    stored_keeper **keepers; /* by column: what keeps the pages of its batch; or NULL */
    scan_morsel next;        /* taken, but it is for another chunk */
    bool has_next;
    dev_stream host; /* for columns that are packed, as the cell of their pages' errors is */
    dev_error host_error;
    uint64_t row_limit; /* of a slice, where memory was short; 0: none */

    uint64_t start_rows; /* of a slice, while few rows may be all that is wanted */

    /* The slice at work. */
    bool has_slice;
    uint64_t first_row, slice_rows;
    tensor **slices;
    row_index *selected; /* rows of the slice; NULL: all */
    dev_buffer *bits;    /* of the slice's rows those that are selected; NULL: not known */
    dev_count count;
    dev_buffer *count_owner;
    bool has_dropped; /* rows that are deleted are gone */
    uint32_t next_bound, next_runtime, next_filter;
    bool has_compared;    /* conditions on narrow values have been looked at */
    bool *is_decided;     /* by condition: it was one of them */
    uint32_t *order;      /* of the runtime filters, by number, */
    double *worths;       /* by place in it: what decides it */
    bound_filter *bounds; /* as they were when the slice was begun */
    chunk *candidate;     /* what the condition at work sees */
} scan_local;

static inline bool scan_is_host(const op_scan *op)
{
    return exec_device(op->base.query)->is_host;
}

/* No row of the slice is left, as far as the host knows. */
static inline bool scan_is_empty(const scan_local *local)
{
    return !local->count.actual && !local->count.bound;
}

#endif
