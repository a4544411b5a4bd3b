/* heavy_keys.c - which keys are heavy, and what waits for whom. */
#include "exec/sched/heavy_keys.h"

#include "base/system/mutex.h"
#include "device/chunk.h"
#include "device/kernels/kernel_ops.h"
#include "exec/sched/task.h"

/* Each cell counts one hash: up for each of it, down for others of the cell, which take it at 0 (Boyer,
 * Moore: MJRTY, 1981). */
#define CELLS 1024u
/* A key is heavy from 1 / (so many times the ranks) of the rows on: then its rank would have at least a
 * quarter more to do than others. */
#define SHARE_PARTS 4u
/* Before so many samples of so many chunks nothing is said. */
#define SAMPLES_MIN 256u
#define CHUNKS_MIN 4u
/* A key that was seen less often may have been by chance: of many ranks a quarter of a fair share is little. */
#define SEEN_MIN 16u
/* Chunks that wait to be joined; each task may add one more. */
#define QUEUE_MAX 8u

typedef struct heavy_cell {
    uint64_t hash, count;
} heavy_cell;

typedef struct kept_rows {
    chunk *rows;
    heavy_table *table;
} kept_rows;

struct heavy_keys {
    pthread_mutex_t lock; /* of all below but the exchanges; net_comm.lock comes behind it */
    uint32_t rank_count;
    net_exchange *asks, *answers;
    heavy_cell cells[CELLS];
    uint64_t samples, chunks;
    ARRAY(uint64_t) answered; /* hashes */
    bool is_asking, is_sent;  /* for `asked`; the message is on its way */
    uint64_t asked;
    char ask[HEAVY_ASK_BYTES];
    uint32_t ask_bytes;
    heavy_table *table;
    ARRAY(kept_rows) queue;
    bool has_ended, is_declined, is_stopped;
    exec_task_list waiting;
};

heavy_table *heavy_table_ref(heavy_table *table)
{
    if (table)
        atomic_fetch_add_explicit(&table->references, 1, memory_order_relaxed);
    return table;
}

void heavy_table_unref(heavy_table *table)
{
    if (table && atomic_fetch_sub_explicit(&table->references, 1, memory_order_acq_rel) == 1)
        table->free(table);
}

static status heavy_keys_open_net(exec_query *query, const plan_node *join, heavy_keys *heavy)
{
    const plan_statement *s = query->statement;
    uint32_t first = EXEC_NET_FIRST_EXCHANGE + s->heavy_first + 2 * (join->join.heavy_id - 1);
    net_exchange_options options = {.id = first,
                                    .name = "heavy keys",
                                    .message_bytes = HEAVY_ASK_BYTES,
                                    .credits = 1,
                                    .send_buffers = 1};
    TRY(net_exchange_open(query->net, &options, &heavy->asks));
    options.id = first + 1;
    options.message_bytes = HEAVY_ANSWER_BYTES;
    options.credits = 2;
    return net_exchange_open(query->net, &options, &heavy->answers);
}

status heavy_keys_new(exec_query *query, const plan_node *join, heavy_keys **out)
{
    heavy_keys *heavy = mem_new(sizeof *heavy);
    *out = NULL;
    if (!heavy)
        return status_no_memory("heavy keys", sizeof *heavy);
    mutex_init(&heavy->lock);
    heavy->rank_count = query->rank_count;
    status st = heavy_keys_open_net(query, join, heavy);
    if (st) {
        task_tell_ranks(query, st); /* before an exchange is closed */
        heavy_keys_free(heavy);
        return st;
    }
    *out = heavy;
    return STATUS_OK;
}

static void kept_release(kept_rows *kept)
{
    chunk_free(kept->rows);
    heavy_table_unref(kept->table);
}

void heavy_keys_free(heavy_keys *heavy)
{
    if (!heavy)
        return;
    net_exchange_close(heavy->asks);
    net_exchange_close(heavy->answers);
    for (size_t i = 0; i < heavy->queue.count; i++)
        kept_release(&heavy->queue.items[i]);
    array_release(&heavy->queue);
    array_release(&heavy->answered);
    array_release(&heavy->waiting);
    heavy_table_unref(heavy->table);
    mutex_destroy(&heavy->lock);
    mem_free(heavy);
}

net_exchange *heavy_keys_asks(const heavy_keys *heavy)
{
    return heavy->asks;
}

net_exchange *heavy_keys_answers(const heavy_keys *heavy)
{
    return heavy->answers;
}

/* ---- under the lock ---- */

static bool is_answered(const heavy_keys *heavy, uint64_t hash)
{
    for (size_t i = 0; i < heavy->answered.count; i++)
        if (heavy->answered.items[i] == hash)
            return true;
    return false;
}

/* The hash's cell; NULL: it is another one's as yet. */
static heavy_cell *heavy_keys_count_one(heavy_keys *heavy, uint64_t hash)
{
    heavy_cell *cell = &heavy->cells[hash % CELLS];
    if (cell->count && cell->hash != hash) {
        cell->count--;
        return NULL;
    }
    cell->hash = hash;
    cell->count++;
    return cell;
}

static bool is_heavy(const heavy_keys *heavy, const heavy_cell *cell)
{
    return heavy->samples >= SAMPLES_MIN && heavy->chunks >= CHUNKS_MIN &&
           cell->count >= SEEN_MIN &&
           cell->count * SHARE_PARTS * heavy->rank_count > heavy->samples;
}

/* ---- who sends ---- */

bool heavy_keys_sample(heavy_keys *heavy, const uint64_t *hashes, uint32_t count, uint32_t *out_row)
{
    bool is_found = false;
    mutex_lock(&heavy->lock);
    heavy->chunks++;
    heavy->samples += count;
    bool may_ask = !heavy->is_asking && !heavy->is_stopped && !heavy->is_declined &&
                   heavy->answered.count < HEAVY_KEYS_MAX;
    for (uint32_t i = 0; i < count; i++) {
        const heavy_cell *cell = heavy_keys_count_one(heavy, hashes[i]);
        if (is_found || !may_ask || !cell || !is_heavy(heavy, cell) ||
            is_answered(heavy, hashes[i]))
            continue;
        is_found = true;
        *out_row = i;
    }
    mutex_unlock(&heavy->lock);
    return is_found;
}

void heavy_keys_ask(heavy_keys *heavy, uint64_t hash, const char *bytes, uint32_t byte_count)
{
    mutex_lock(&heavy->lock);
    if (!heavy->is_asking && !heavy->is_stopped && !is_answered(heavy, hash)) {
        memcpy(heavy->ask, bytes, byte_count);
        heavy->ask_bytes = byte_count;
        heavy->asked = hash;
        heavy->is_asking = true;
        heavy->is_sent = false;
    }
    mutex_unlock(&heavy->lock);
}

/* Under the lock: the message that asks goes out. */
static status send_ask(heavy_keys *heavy, net_waiter *waiter, net_state *out)
{
    net_message *message;
    TRY(net_try_message(heavy->asks, dev_rank_of(heavy->asked, heavy->rank_count), waiter, out,
                        &message));
    if (*out == NET_WAIT)
        return STATUS_OK;
    heavy->is_sent = true;
    if (*out == NET_ENDED) {
        heavy->is_asking = false;
    } else {
        memcpy(message->data, heavy->ask, heavy->ask_bytes);
        message->bytes = heavy->ask_bytes;
        net_send(heavy->asks, &message);
    }
    return STATUS_OK;
}

static status try_go_on(heavy_keys *heavy, exec_task *task, net_waiter *waiter, bool *out_can)
{
    net_state net_is = NET_READY;
    *out_can = heavy->is_stopped || heavy->is_declined;
    if (*out_can)
        return STATUS_OK;
    if (heavy->is_asking && !heavy->is_sent) {
        TRY(send_ask(heavy, waiter, &net_is));
        if (net_is == NET_WAIT)
            return STATUS_OK;
    }
    *out_can = !heavy->is_asking && heavy->queue.count < QUEUE_MAX;
    return *out_can ? STATUS_OK : array_push(NULL, &heavy->waiting, task);
}

status heavy_keys_try_go_on(heavy_keys *heavy, exec_task *task, net_waiter *waiter, bool *out_can)
{
    mutex_lock(&heavy->lock);
    status st = try_go_on(heavy, task, waiter, out_can);
    mutex_unlock(&heavy->lock);
    return st;
}

heavy_table *heavy_keys_table(heavy_keys *heavy)
{
    mutex_lock(&heavy->lock);
    heavy_table *table = heavy_table_ref(heavy->table);
    mutex_unlock(&heavy->lock);
    return table;
}

status heavy_keys_put(heavy_keys *heavy, chunk *rows, heavy_table *table)
{
    kept_rows kept = {rows, table};
    status st = STATUS_OK;
    mutex_lock(&heavy->lock);
    bool is_wanted = !heavy->is_declined;
    if (is_wanted) {
        st = array_push(NULL, &heavy->queue, kept);
        exec_wake_all(&heavy->waiting);
    }
    mutex_unlock(&heavy->lock);
    if (!is_wanted || st)
        kept_release(&kept);
    return st;
}

void heavy_keys_end(heavy_keys *heavy)
{
    mutex_lock(&heavy->lock);
    heavy->has_ended = true;
    exec_wake_all(&heavy->waiting);
    mutex_unlock(&heavy->lock);
    for (uint32_t rank = 0; rank < heavy->rank_count; rank++)
        net_end(heavy->asks, rank);
}

/* ---- the join ---- */

status heavy_keys_answer(heavy_keys *heavy, uint64_t hash, heavy_table *table)
{
    mutex_lock(&heavy->lock);
    status st = is_answered(heavy, hash) ? STATUS_OK : array_push(NULL, &heavy->answered, hash);
    heavy_table *before = table ? heavy->table : NULL;
    if (table)
        heavy->table = table;
    if (heavy->is_asking && heavy->asked == hash)
        heavy->is_asking = false;
    exec_wake_all(&heavy->waiting);
    mutex_unlock(&heavy->lock);
    heavy_table_unref(before);
    return st;
}

status heavy_keys_try_take(heavy_keys *heavy, exec_task *task, net_state *out_state, chunk **out,
                           heavy_table **out_table)
{
    status st = STATUS_OK;
    *out = NULL;
    *out_table = NULL;
    mutex_lock(&heavy->lock);
    if (heavy->queue.count) {
        kept_rows first = heavy->queue.items[0];
        heavy->queue.count--;
        memmove(heavy->queue.items, heavy->queue.items + 1,
                heavy->queue.count * sizeof *heavy->queue.items);
        *out = first.rows;
        *out_table = first.table;
        *out_state = NET_READY;
        exec_wake_all(&heavy->waiting);
    } else if (heavy->has_ended || heavy->is_stopped) {
        *out_state = NET_ENDED;
    } else {
        *out_state = NET_WAIT;
        st = array_push(NULL, &heavy->waiting, task);
    }
    mutex_unlock(&heavy->lock);
    return st;
}

void heavy_keys_decline(heavy_keys *heavy)
{
    mutex_lock(&heavy->lock);
    heavy->is_declined = true;
    for (size_t i = 0; i < heavy->queue.count; i++)
        kept_release(&heavy->queue.items[i]);
    heavy->queue.count = 0;
    exec_wake_all(&heavy->waiting);
    mutex_unlock(&heavy->lock);
}

void heavy_keys_stop(heavy_keys *heavy)
{
    mutex_lock(&heavy->lock);
    heavy->is_stopped = true;
    exec_wake_all(&heavy->waiting);
    mutex_unlock(&heavy->lock);
}
