/* pool.c - memory of messages: what is free is kept for the next one, what is in use is charged to
 * its query's budget, by allotments. */
#include "net/pool.h"

#include "net/internal.h"
#include "net/lock.h"

#include <assert.h>

#define ALIGNMENT 64

static net_pool_class *find_class(net_comm *comm, uint32_t room)
{
    for (size_t i = 0; i < comm->pool.count; i++)
        if (comm->pool.items[i].room == room)
            return &comm->pool.items[i];
    return NULL;
}

/* From the transport, where it has memory of its own. */
static void *pool_new_memory(net_comm *comm, uint32_t room, net_held *held)
{
    const net_transport_ops *ops = comm->transport->ops;
    held->memory_bytes = ops->alloc ? room : room + ALIGNMENT;
    held->memory =
        ops->alloc ? ops->alloc(comm->transport, held->memory_bytes) : mem_new(held->memory_bytes);
    if (!held->memory)
        return NULL;
    return (void *)(((uintptr_t)held->memory + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
}

static void free_memory(net_comm *comm, net_held *held)
{
    const net_transport_ops *ops = comm->transport->ops;
    if (ops->alloc)
        ops->release(comm->transport, held->memory, held->memory_bytes);
    else
        mem_free(held->memory);
    mem_free(held);
}

net_held *net_pool_take(net_comm *comm, uint32_t room)
{
    net_pool_class *class = find_class(comm, room);
    net_held *held = class ? class->first : NULL;
    if (held) {
        class->first = held->next;
        comm->kept_bytes -= room;
        return held;
    }
    held = mem_new(sizeof *held);
    if (!held)
        return NULL;
    held->message.data = pool_new_memory(comm, room, held);
    if (!held->message.data) {
        mem_free(held);
        return NULL;
    }
    held->message.room = room;
    return held;
}

void net_pool_give(net_comm *comm, net_held *held)
{
    uint32_t room = held->message.room;
    net_pool_class *class = find_class(comm, room);
    if (!class && comm->kept_bytes + room <= comm->options.kept_bytes) {
        net_pool_class new_class = {.room = room};
        status st = array_push(NULL, &comm->pool, new_class);
        class = st ? NULL : find_class(comm, room);
        status_free(st);
    }
    if (!class || comm->kept_bytes + room > comm->options.kept_bytes) {
        free_memory(comm, held);
        return;
    }
    held->next = class->first;
    class->first = held;
    comm->kept_bytes += room;
}

void net_pool_clear(net_comm *comm)
{
    for (size_t i = 0; i < comm->pool.count; i++) {
        net_pool_class *class = &comm->pool.items[i];
        for (net_held *held = class->first, *next; held; held = next) {
            next = held->next;
            free_memory(comm, held);
        }
        class->first = NULL;
    }
    comm->kept_bytes = 0;
}

/* ---- allotments ---- */

status net_allotment_open(net_exchange *exchange, net_allotment *allotment)
{
    TRY(mem_budget_take(exchange->query->budget, exchange->message_bytes, exchange->name));
    allotment->charged = 1;
    while (allotment->charged < allotment->most) {
        uint32_t before = allotment->charged;
        net_allotment_grow(exchange, allotment);
        if (allotment->charged == before)
            break;
    }
    return STATUS_OK;
}

void net_allotment_grow(net_exchange *exchange, net_allotment *allotment)
{
    mem_budget *budget = exchange->query->budget;
    uint64_t limit = mem_budget_limit(budget), bytes = exchange->message_bytes;
    if (allotment->charged >= allotment->most || exchange->is_closed || exchange->query->failure)
        return;
    /* A loan that makes it faster does not take the last of what others need to go on at all. */
    if (limit && mem_budget_used(budget) + bytes > limit / 2)
        return;
    status st = mem_budget_take(budget, bytes, exchange->name);
    if (!st)
        allotment->charged++;
    status_free(st);
}

void net_allotment_trim(net_exchange *exchange, net_allotment *allotment)
{
    uint64_t spare = allotment->charged - allotment->used;
    mem_budget_give(exchange->query->budget, spare * exchange->message_bytes);
    allotment->charged = allotment->used;
}

/* No message of the side will be needed any more. */
static bool is_finished(const net_channel *channel, bool is_incoming)
{
    const net_exchange *exchange = channel->exchange;
    return exchange->is_closed || exchange->query->failure ||
           (is_incoming ? channel->is_received : channel->is_ended);
}

void net_held_return(net_held *held)
{
    net_channel *channel = held->channel;
    net_exchange *exchange = channel->exchange;
    bool is_incoming = held->is_incoming;
    net_allotment *allotment = is_incoming ? &channel->to_receive : &channel->to_send;
    assert(allotment->used);
    allotment->used--;
    net_cargo_drop(exchange->query->comm, held->message.cargo);
    held->message.cargo = NULL;
    net_pool_give(exchange->query->comm, held);
    if (is_finished(channel, is_incoming))
        net_allotment_trim(exchange, allotment);
    else
        net_allotment_grow(exchange, allotment);
}
