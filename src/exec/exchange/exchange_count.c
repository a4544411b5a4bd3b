/* exchange_count.c - what goes to each rank, and comes from it. */
#include "exec/exchange/exchange_count.h"

#include "exec/exchange/exchange_cargo.h"
#include "exec/sched/query.h"

status exchange_counters_new(exec_operator *op, bool is_sender)
{
    uint32_t ranks = op->query->rank_count;
    _Atomic uint64_t *words = arena_alloc_array(exec_memory(op->query), ranks, sizeof *words);
    if (!words)
        return status_no_memory("exchange", ranks * sizeof *words);
    *(is_sender ? &op->metrics.sent_to : &op->metrics.received_from) = words;
    return STATUS_OK;
}

static void count(_Atomic uint64_t *all, _Atomic uint64_t *by_rank, const net_message *message)
{
    uint64_t bytes = exchange_cargo_bytes(message);
    atomic_fetch_add_explicit(all, bytes, memory_order_relaxed);
    atomic_fetch_add_explicit(&by_rank[message->peer], bytes, memory_order_relaxed);
}

void exchange_count_sent(exec_operator *op, const net_message *message)
{
    if (message->peer != op->query->rank)
        count(&op->metrics.bytes_sent, op->metrics.sent_to, message);
    if (!op->query->dev->is_host && !message->cargo)
        DEV_WORK_ADD(exchanged_by_host, message->bytes);
}

void exchange_count_received(exec_operator *op, const net_message *message)
{
    if (message->peer != op->query->rank)
        count(&op->metrics.bytes_received, op->metrics.received_from, message);
}
