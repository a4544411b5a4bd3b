/* heavy_keys.h - keys of a join that have so many probe rows that one rank would have too much to do.
 *
 *   who sends probe rows               network            the join
 *   samples hashes; a key has many
 *   heavy_keys_ask ───────── asks ──> its rank: the key's build rows,
 *   waits for the answer    <── answers ── to all ranks: a table of them
 *   heavy_keys_table: rows of such keys
 *   heavy_keys_put ──────────────────────────────────────> heavy_keys_try_take: joined where they are
 *
 * A rank asks for one key at a time and its tasks wait for the answer, so that how many rows of a heavy key
 * have gone to its rank depends on no clock. The build side does not depend on who sends probe rows, so
 * the answer comes. Hashes only say what is worth asking for; which rows stay is decided by their keys.
 * Threads: any. Who waits is woken once by whatever happens, and asks again. */
#ifndef PISTACHIO_EXEC_SCHED_HEAVY_KEYS_H
#define PISTACHIO_EXEC_SCHED_HEAVY_KEYS_H

#include "exec/sched/query.h"
#include "net/net.h"

/* Hashes of a chunk that are looked at. */
#define HEAVY_SAMPLE 64u
/* A message that asks; a key that does not fit one is not asked for. */
#define HEAVY_ASK_BYTES 1024u
/* A message of an answer. */
#define HEAVY_ANSWER_BYTES (16u << 10)
/* Keys that a rank asks for, or has an answer to. */
#define HEAVY_KEYS_MAX 256u

/* All heavy keys so far: the join's, counted. Never changed once it is there. */
typedef struct heavy_table {
    _Atomic uint32_t references;
    void (*free)(struct heavy_table *table);
    /* ROW_NULL for each of the rows none of whose keys is heavy; keys FLAT. */
    status (*find)(const struct heavy_table *table, exec_task *task, tensor *const *keys,
                   dev_count rows, row_index **out);
} heavy_table;

heavy_table *heavy_table_ref(heavy_table *table); /* takes NULL */
void heavy_table_unref(heavy_table *table);       /* takes NULL */

typedef struct heavy_keys heavy_keys;

/* Makes the heavy keys of a join with heavy_id, on each rank. */
CHECKED status heavy_keys_new(exec_query *query, const plan_node *join, heavy_keys **out);
void heavy_keys_free(heavy_keys *heavy); /* takes NULL */
net_exchange *heavy_keys_asks(const heavy_keys *heavy);
net_exchange *heavy_keys_answers(const heavy_keys *heavy);

/* ---- who sends probe rows ---- */

/* A chunk's sample. True: row *out_row of it has a key that is to be asked for. */
bool heavy_keys_sample(heavy_keys *heavy, const uint64_t *hashes, uint32_t count,
                       uint32_t *out_row);
/* Asks for the key with that hash, which is in the bytes; unless another one is being asked for. */
void heavy_keys_ask(heavy_keys *heavy, uint64_t hash, const char *bytes, uint32_t byte_count);
/* Whether the next chunk can be sent: nothing is being asked for, and there is room for rows that stay.
 * Else the waiter, which wakes the task, or the task itself is registered. */
CHECKED status heavy_keys_try_go_on(heavy_keys *heavy, exec_task *task, net_waiter *waiter,
                                    bool *out_can);
/* A reference; NULL: no key is heavy so far. */
heavy_table *heavy_keys_table(heavy_keys *heavy);
/* Rows that stay, and the table that has their keys; takes both over, also on failure. */
CHECKED status heavy_keys_put(heavy_keys *heavy, chunk *rows, heavy_table *table);
/* There are no more rows. Once. */
void heavy_keys_end(heavy_keys *heavy);

/* ---- the join ---- */

/* Lets whoever has asked for the hash go on. table: of all keys so far, taken over; NULL: as before. */
CHECKED status heavy_keys_answer(heavy_keys *heavy, uint64_t hash, heavy_table *table);
/* The next rows that stay. NET_WAIT: the task is registered. */
CHECKED status heavy_keys_try_take(heavy_keys *heavy, exec_task *task, net_state *out_state,
                                   chunk **out, heavy_table **out_table);
/* Nobody wants them any more. */
void heavy_keys_decline(heavy_keys *heavy);
/* No answer comes any more: the query has failed, or all have ended. */
void heavy_keys_stop(heavy_keys *heavy);

#endif
