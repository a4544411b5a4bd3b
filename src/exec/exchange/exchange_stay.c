/* exchange_stay.c - a queue of chunks whose messages say that there is one. */
#include "exec/exchange/exchange_stay.h"

#include "base/system/mutex.h"
#include "device/chunk.h"

void exchange_stay_init(exchange_stay *stay, net_exchange *net, unsigned rank)
{
    *stay = (exchange_stay){.net = net, .rank = rank};
    mutex_init(&stay->lock);
}

void exchange_stay_release(exchange_stay *stay)
{
    chunk_list_release(&stay->rows);
    mutex_destroy(&stay->lock);
}

status exchange_stay_put(exchange_stay *stay, net_waiter *waiter, chunk **rows,
                         net_state *out_state)
{
    net_message *message;
    TRY(net_try_message(stay->net, stay->rank, waiter, out_state, &message));
    if (*out_state != NET_READY)
        return STATUS_OK;
    mutex_lock(&stay->lock);
    status st = array_push(NULL, &stay->rows, *rows);
    mutex_unlock(&stay->lock);
    if (st) {
        net_message_free(message);
        return st;
    }
    *rows = NULL;
    message->data[0] = 0;
    message->bytes = 1;
    net_send(stay->net, &message);
    return STATUS_OK;
}

static chunk *exchange_stay_first_rows(exchange_stay *stay)
{
    chunk *first = NULL;
    mutex_lock(&stay->lock);
    if (stay->rows.count) {
        first = stay->rows.items[0];
        stay->rows.count--;
        memmove(stay->rows.items, stay->rows.items + 1, stay->rows.count * sizeof(chunk *));
    }
    mutex_unlock(&stay->lock);
    return first;
}

status exchange_stay_take(exchange_stay *stay, net_waiter *waiter, net_state *out_state,
                          chunk **out)
{
    net_message *message;
    *out = NULL;
    TRY(net_try_receive(stay->net, NET_ANY, waiter, out_state, &message));
    if (*out_state != NET_READY)
        return STATUS_OK;
    unsigned peer = message->peer;
    net_message_free(message);
    if (peer != stay->rank)
        return status_new(STATUS_KIND_CORRUPT, "rank %u has sent rows that were to stay", peer);
    *out = exchange_stay_first_rows(stay);
    return STATUS_OK;
}
