/* scan_stretch.h - a table's row groups in stretches: consecutive ones that have no more rows together than a chunk.
 *
 *     row groups   [0 1 2 3][4 5 6 7][8 9]      stretches 0, 4 and 8
 *
 * A chunk of a lazy device is made of row groups of one stretch, whichever of them a scan leaves out. Stretches depend on
 * footers and the size of a chunk alone, so that what a device keeps of a chunk (stored_values.h) is found by later statements. */
#ifndef PISTACHIO_EXEC_SCAN_SCAN_STRETCH_H
#define PISTACHIO_EXEC_SCAN_SCAN_STRETCH_H

#include "parquet/table/table.h"

/* The stretches of a table's row groups, as far as they were asked for. Zeroed: none. */
typedef struct scan_stretches {
    ARRAY(size_t) firsts; /* by row group, the first one of its stretch */
    uint64_t rows;        /* of the last stretch */
} scan_stretches;

/* Returns the number of the first row group of the stretch that has row group `number`. Without memory each is one by itself. */
size_t scan_stretch_of(scan_stretches *stretches, const pq_table *table, uint64_t chunk_rows,
                       size_t number);
/* Returns how many rows the stretch has that begins with row group `first`; of a table that grows, as far as it is known. */
uint64_t scan_stretch_rows(scan_stretches *stretches, const pq_table *table, uint64_t chunk_rows,
                           size_t first);

#endif
