/* scan_filter.h - the rows of a slice that stay. */
#ifndef PISTACHIO_EXEC_SCAN_SCAN_FILTER_H
#define PISTACHIO_EXEC_SCAN_SCAN_FILTER_H

#include "exec/scan/op_scan.h"

/* A bit for each key: it may be among those of the filter, which has a bitmap or Bloom filter. */
CHECKED status scan_filter_mask(dev_stream *stream, const runtime_filter *filter,
                                const tensor *keys, dev_count count, uint64_t *mask);
/* Sets the order of the runtime filters for the slice that begins: first the one that drops most rows for
 * its price. */
void scan_order_filters(const op_scan *op, scan_local *local);
/* Narrows the slice's selection by bounds, runtime filters and conditions, in this order, from where
 * it was left. EXEC_FINISHED: it is what it will be; else as scan_await_columns. */
exec_result scan_filter_slice(op_scan *op, exec_task *task, scan_local *local);

#endif
