/* stored_cache.h - what a lazy device has read of files and keeps: column chunks' pages as they are stored
 * (parquet/read/stored.h). The column cache's form for such a device, whose kernels decode faster than its link brings bytes.
 *
 *     statement 1    reads a column chunk and decodes it    its pages stay where they lie: one piece for each buffer
 *                    has ended well                         others may have them
 *     statement 2    opens the column chunk                 nothing of the file is read, nor crosses the link
 *
 * A device has one, its keeper, from when it is opened until it is retired. A column chunk is known by its file's version and
 * its place, as in column_cache.h.
 *
 * Whole row groups are kept as they were decoded (stored_values.h) rather than as pages.
 *
 * Memory: pieces take at most a part of the device's limit. They are not in its budget, but the cache is the budget's lender: it
 * gives back what a query needs before that is refused, so nobody spills because of it. For what the device has no room
 * there is pinned memory, in addition to decoded columns within cache_memory: from there it still crosses the link, but is neither
 * read nor copied by the host. What was not used for longest goes first.
 *
 * Pieces of a statement that is at work are seen by nobody: their streams may still be writing them. So nobody waits for
 * another's stream, and pages of a file that proves to be damaged, or changes while it is read, are not kept.
 *
 * Locks: one for all caches' list, then one for each cache. No memory is asked of a budget while one is held. Any thread. */
#ifndef PISTACHIO_EXEC_SCAN_STORED_CACHE_H
#define PISTACHIO_EXEC_SCAN_STORED_CACHE_H

#include "exec/scan/column_cache.h"
#include "parquet/read/batch.h"

typedef struct stored_cache stored_cache;

/* Gives a lazy device its cache, before the device is shared. */
CHECKED status stored_cache_open(device *dev);

typedef struct stored_cache_use {
    stored_cache *cache;  /* NULL: nothing is looked up, nor kept */
    uint64_t statement;   /* from column_cache_statement() */
    uint64_t pinned_most; /* bytes of pinned memory that all caches of the process may take */
} stored_cache_use;

/* Finds the pages that have the rows; *out, the caller's, is NULL if they are not all there. */
CHECKED status stored_cache_find(stored_cache_use use, const column_key *key,
                                 const pq_row_list *rows, pq_stored_column **out);
/* Returns whether stored_cache_find would have found them. It counts as no use. */
bool stored_cache_has(stored_cache_use use, const column_key *key, const pq_row_list *rows);

/* Keeps pages that a batch has decoded. */
typedef struct stored_keeper {
    stored_cache_use use;
    uint32_t part_count;
    column_key keys[]; /* by part; without a type where nothing may be kept of one */
} stored_keeper;
/* Fails only without memory. It is freed with mem_free, after the batch. */
CHECKED status stored_keeper_new(stored_cache_use use, uint32_t part_count, stored_keeper **out);
void stored_keeper_keep(void *keeper, const pq_placed_window *window);

/* The statement has ended and its streams have done what they were told: what it has kept may be used, or, if it has failed,
 * goes. */
void stored_cache_end(stored_cache_use use, bool is_good);

/* ---- of all devices ---- */

/* Lists what is kept, by path and column. */
pq_list_kept stored_cache_list;
void stored_cache_forget(const pq_file_version *version);
void stored_cache_clear(void);
/* Returns the bytes of pinned memory that are taken. */
uint64_t stored_cache_pinned_bytes(void);
/* Frees so many bytes of it, if there are so many; returns how many it did. */
uint64_t stored_cache_give_back_pinned(uint64_t bytes);

#endif
