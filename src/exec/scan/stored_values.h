/* stored_values.h - what a lazy device keeps of columns as they were decoded: of a chunk's row groups together.
 *
 *     row groups      [0 . . .][1 . . .][2 . .]      of one stretch (scan_stretch.h), whole or the pages that a scan wants
 *     kept values      a tensor, INDEXED over the dictionaries of all of them, or FLAT
 *     asked for        .  x x   x x x x               rows of some of them: a view, or INDEXED
 *
 * They are the tensor that the scan gave to operators, which never changes: keeping it copies nothing, and it is given out again
 * without a launch. Who asks for rows that are not all in one tensor decodes anew, and that is kept in place of what it
 * contains. Pages whose rows are there decoded are not kept. Of a column chunk few parts are kept: more of them would have the same rows.
 *
 * Values that were not compared with the bounds on which a plan relies are not given to such a plan.
 *
 * Memory: as pages in the device's (stored_cache.h); but what takes much of it beside what queries need stays in pages. */
#ifndef PISTACHIO_EXEC_SCAN_STORED_VALUES_H
#define PISTACHIO_EXEC_SCAN_STORED_VALUES_H

#include "exec/scan/stored_cache.h"

/* The bounds on which a plan relies. */
typedef struct stored_bounds {
    bool is_relied; /* false: on none */
    int64_t minimum, maximum;
} stored_bounds;

/* Finds values that have all rows of the parts, whose column chunks have these keys; out->values is NULL if there are none. */
CHECKED status stored_values_find(stored_cache_use use, const column_key *keys,
                                  const pq_batch_part *parts, uint32_t part_count,
                                  stored_bounds bounds, pq_kept_rows *out);
/* Returns whether some have the column chunk's rows, whatever the bounds. It counts as no use. */
bool stored_values_has(stored_cache_use use, const column_key *key, const pq_row_list *rows);
/* Returns how many rows are there of whole row groups, in one tensor that begins with the column chunk. It counts as no use. */
uint64_t stored_values_from(stored_cache_use use, const column_key *key);
/* Keeps what a batch has decoded: a pq_keeper's, of a stored_keeper. */
bool stored_values_keep(void *keeper, const pq_decoded *decoded);

#endif
