/* exchange_ranges.h - which rank a row goes to, by ranges of an order that no table has.
 *
 *     rows ─ sample ─┤kept┤─ ranges agreed on ─ send ─> the rank of the range
 *
 * Each task draws a sample of its rows' keys while these are kept. Then ranks tell each other their samples, and each
 * computes the same ranges of them. Keys are packed (device/value/sort_key.h), long texts cut off: a range may begin
 * at any value. */
#ifndef PISTACHIO_EXEC_EXCHANGE_EXCHANGE_RANGES_H
#define PISTACHIO_EXEC_EXCHANGE_EXCHANGE_RANGES_H

#include "exec/sched/query.h"
#include "net/net.h"

typedef struct exchange_ranges exchange_ranges;

/* Opens the ranges of a node with kind EXCHANGE_RANGES, whose columns are those of the rows. */
CHECKED status exchange_ranges_new(exec_query *query, const plan_node *plan, exchange_ranges **out);
void exchange_ranges_free(exchange_ranges *ranges); /* takes NULL */

/* Agrees with the other ranks on the ranges, once all samples are drawn. Any task; NET_READY: rows may be sent. */
CHECKED status exchange_ranges_try(exchange_ranges *ranges, net_waiter *waiter,
                                   net_state *out_state);
/* Sets a hash for each row, on the task's device, that goes to its rank. *io_turn: the task's own, from 0 on. */
CHECKED status exchange_ranges_hash(const exchange_ranges *ranges, exec_task *task,
                                    const chunk *rows, uint64_t *io_turn, uint64_t *hashes);

/* ---- inside exchange_ranges.c and exchange_sample.c ---- */

/* Words of a packed key. */
#define RANGES_KEY_WORDS 3

typedef ARRAY(uint64_t) ranges_words;

/* Packed keys of some rows (NULL: all), in the host's memory. Their texts lie in the chunk. */
CHECKED status exchange_ranges_pack(const exchange_ranges *ranges, exec_task *task,
                                    const chunk *rows, row_index *chosen, uint64_t count,
                                    chunk **out_texts, dev_buffer **out_keys);
uint32_t exchange_ranges_key_count(const exchange_ranges *ranges);
/* Takes what a task has drawn of so many rows: samples behind each other, as ranges_sample_write writes them. */
CHECKED status exchange_ranges_add(exchange_ranges *ranges, uint64_t rows, uint64_t samples,
                                   const ranges_words *words);

#endif
