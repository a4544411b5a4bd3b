/* join_spill.h - inside the join: when build rows are too many for memory, and writing the rows of
 * both sides to parts of a temporary file by the hash of their keys.
 *
 *     build rows that do not fit ──> parts ─┐
 *                                           ├─> a part at a time: join_partitions.h
 *     then all probe rows ─────────> parts ─┘
 *
 * A row that is written has its hash as its last column, so that a part is cut again without the
 * keys. Rows with a NULL key, which match nothing, go anywhere, or nowhere if nobody wants them.
 * (Kitsuregawa et al.: Application of hash to data base machine and its architecture, 1983) */
#ifndef PISTACHIO_EXEC_JOIN_JOIN_SPILL_H
#define PISTACHIO_EXEC_JOIN_JOIN_SPILL_H

#include "exec/join/op_join.h"

#define JOIN_PENDING_MAX 16

/* Rows of one side that a task collects until there are enough of them for blocks. */
typedef struct join_collector {
    chunk *pending[JOIN_PENDING_MAX]; /* small ones, as they came */
    uint32_t pending_count;
    uint64_t pending_rows, pending_bytes; /* bytes: with what they hold of pages */
    chunk_list chunks;
    uint64_t bytes;
} join_collector;

/* The build side was, or is being, written. Any thread. */
bool join_has_spilled(const op_join_build *join);
/* Bytes to make and keep a table of so many rows in chunks of so many bytes, the chunks included.
 */
uint64_t join_bytes_needed(const op_join_build *join, uint64_t rows, uint64_t chunk_bytes);
/* The operator's memory may be at its peak now. */
void join_note_memory(op_join_build *join);

/* ---- the build side ---- */

/* A build task holds so many rows and bytes more than before. bounds: words of join_key_bounds of
 * all that the task has seen, or NULL. */
void join_spill_note(op_join_build *join, uint64_t rows, uint64_t bytes, const uint64_t *bounds);
/* A build task that holds `bytes` bytes must write them now. */
bool join_must_spill(op_join_build *join, const exec_task *task, uint64_t bytes);
/* All tasks have collected: there is room for the table. */
bool join_fits(op_join_build *join);
/* From now on rows are written. Any task, also if it was called before. */
CHECKED status join_spill_start(op_join_build *join, exec_task *task);
/* Writes chunks of the build side, which become NULL. */
CHECKED status join_spill_build(op_join_build *join, exec_task *task, chunk **chunks, size_t count);
/* Tells the scans what is known of the keys. After the last row was written, by one task. */
CHECKED status join_spill_publish(op_join_build *join, exec_task *task);

/* ---- the probe side, and parts that are cut again ---- */

/* The columns of a probe chunk that are read, and its hashes; *out NULL: no row can matter. */
CHECKED status join_spill_probe_rows(const op_join_build *join, exec_task *task, const chunk *c,
                                     tensor *const *keys, chunk **out);
/* Takes over a chunk whose last column is the hashes. */
CHECKED status join_collect(join_collector *collector, exec_task *task, partitions *parts,
                            chunk *c);
CHECKED status join_collect_end(join_collector *collector, exec_task *task, partitions *parts);
void join_collector_release(join_collector *collector);

#endif
